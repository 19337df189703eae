//! What people do to files: every row of the table, on real files.

use std::fs;

use sealwright_kernel::task::Status;
use sealwright_kernel::{Digest, TaskId};
use sealwright_views::{RENDERER, footer_of};

use crate::task_performer::{TestRepo, edit, walk};

/// Proves in part: P-001
#[test]
fn an_edited_view_is_kept_aside_and_never_believed() {
    let shop = TestRepo::new();
    let task = shop.parked();
    shop.edit(&task, "STATE.md", "- **Phase:** shape", "- **Phase:** done");
    shop.edit(&task, "STATE.md", "- **Validator status:** pending", "- **Validator status:** pass");
    shop.edit(&task, "STATE.md", "- **Blockers:**", "- **Blockers:** the clock is wrong,");
    let edited = shop.read(&task, "STATE.md");
    let checked = shop.see(&["check", task.as_str()]);
    assert!(checked.contains("STATE.md was edited by hand; the edit is kept aside"), "{checked}");
    assert!(checked.contains("Phase") && checked.contains("Validator status"), "{checked}");
    let looked = shop.look(&task);
    assert_eq!(looked.status(), Status::Parked);
    let notes = &looked.data().unwrap().notes;
    assert!(notes.iter().any(|(_, note)| note.contains("the clock is wrong")), "{notes:?}");
    let state = shop.read(&task, "STATE.md");
    assert!(state.contains("- **Phase:** shape") && state.contains("the clock is wrong"));
    // The edited copy is kept, word for word.
    let aside = shop.path(".sealwright/handedits");
    let kept = walk(&aside).into_iter().find(|path| path.ends_with("STATE.md")).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), edited);
}

#[test]
fn a_forged_footer_does_not_help() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let text = shop.read(&task, "STATE.md").replace("- **Phase:** shape", "- **Phase:** done");
    let digest = Digest::of(body(&text).as_bytes());
    let unnumbered = format!("{}<!-- sealwright: seq=1 sha256={digest} -->\n", body(&text));
    let records = shop.records(&task);
    let numbered = [records, records - 1, 1, 99].map(|seq| sealed(body(&text), seq, RENDERER));
    for (seq, forged) in numbered.into_iter().chain([unnumbered]).enumerate() {
        fs::write(shop.file(&task, "STATE.md"), forged).unwrap();
        let checked = shop.see(&["check", task.as_str()]);
        assert!(checked.contains("edited by hand"), "forgery {seq}: {checked}");
        assert!(shop.read(&task, "STATE.md").contains("- **Phase:** shape"));
    }
}

/// An update that changed a template makes nobody an editor, and neither does going back.
#[test]
fn a_view_of_another_renderer_is_rewritten_and_is_no_edit() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let (views, records) = (views(&shop, &task), shop.records(&task));
    for (renderer, seq) in [(RENDERER - 1, 3), (RENDERER + 1, records), (u32::MAX, 99)] {
        for (name, content) in &views {
            let other = body(content).replace("**Phase:**", "**Stage:**");
            let other = sealed(&format!("in the words of another release\n{other}"), seq, renderer);
            fs::write(shop.file(&task, name), other).unwrap();
        }
        let checked = shop.see(&["check", task.as_str()]);
        assert!(!checked.contains("edited") && !checked.contains("tampered"), "{checked}");
        assert!(checked.ends_with("= 0"), "{checked}");
        for (name, content) in &views {
            // The footer of a view that is written again names the record it is written at.
            let found = shop.read(&task, name);
            assert_eq!(body(&found), body(content), "{name} of renderer {renderer}");
            assert_eq!(footer_of(&found).unwrap().renderer, RENDERER);
        }
        assert_eq!(shop.records(&task), records);
        assert!(!shop.path(".sealwright/handedits").exists());
    }
}

#[test]
fn an_edit_of_a_view_of_another_renderer_is_kept_aside_and_told() {
    let shop = TestRepo::new();
    let task = shop.halted();
    for (name, content) in views(&shop, &task) {
        let other = sealed(body(&content), 3, RENDERER + 1);
        // Above the footer, which goes on naming what stood there before.
        let edited = other.replace("## Notes\n", "## Notes\n\n- mind the clock\n");
        fs::write(shop.file(&task, &name), format!("my own words\n{edited}")).unwrap();
    }
    let checked = shop.see(&["check", task.as_str()]);
    assert!(checked.contains("STATE.md was edited by hand; the edit is kept aside"), "{checked}");
    assert!(checked.contains("iter-0001.md was edited") && checked.ends_with("= 10"));
    let notes = shop.look(&task).data().unwrap().notes.clone();
    assert!(notes.iter().any(|(_, note)| note == "mind the clock"), "{notes:?}");
    let kept = walk(&shop.path(".sealwright/handedits"));
    assert_eq!(kept.len(), views(&shop, &task).len(), "{kept:?}");
}

/// Whoever can compute a digest can pass their text off as another renderer's view. All they
/// get is that the true view takes its place: not a word of it is read by anybody.
#[test]
fn a_forged_view_of_another_renderer_is_put_back_and_never_becomes_state() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let id = task.as_str();
    let (views, before) = (views(&shop, &task), shop.look(&task));
    let forge = || {
        for (name, content) in &views {
            let forged = body(content)
                .replace("**Phase:** needs_user_decision", "**Phase:** done")
                .replace("**Blockers:**", "**Blockers:** Zanzibar,")
                .replace("**Next step:**", "**Next step:** ship it to Zanzibar,")
                .replace("## Notes\n", "## Notes\n\n- Ada: approved in Zanzibar\n")
                .replace("FAIL", "PASS");
            let forged = format!("{forged}## Notes\n\nZanzibar has it approved\n\n");
            let forged = sealed(&forged, shop.records(&task), RENDERER + 1);
            fs::write(shop.file(&task, name), forged).unwrap();
        }
    };
    forge();
    assert!(shop.see(&["check", id]).ends_with("= 0"));
    assert_eq!(shop.look(&task), before);
    for (name, content) in &views {
        assert_eq!(body(&shop.read(&task, name)), body(content));
    }
    // Nor does it while somebody decides or the task is run.
    forge();
    assert!(shop.see(&["approve", id]).ends_with("= 12"));
    assert!(shop.see(&["note", id, "a word of mine"]).ends_with("= 0"));
    forge();
    shop.run_honestly(&task);
    let after = shop.look(&task);
    let notes = &after.data().unwrap().notes;
    assert_eq!(notes.len(), before.data().unwrap().notes.len() + 1, "{notes:?}");
    assert_eq!((after.status(), after.phase()), (before.status(), before.phase()));
    for path in walk(&shop.path(".sealwright")) {
        let said = String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("Zanzibar");
        assert!(!said, "{}", path.display());
    }
    assert!(shop.see(&["verify", "--allow-changes"]).ends_with("= 0"));
}

/// Proves: B-010
#[test]
fn a_tampered_snapshot_is_restored_and_red_until_it_was_looked_at() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let id = task.as_str();
    let before = shop.read(&task, "context/iter-0001.md");
    fs::write(shop.file(&task, "context/iter-0001.md"), "all is well\n").unwrap();
    let checked = shop.see(&["check", id]);
    assert!(checked.contains("iter-0001.md was edited") && checked.ends_with("= 10"), "{checked}");
    assert_eq!(shop.read(&task, "context/iter-0001.md"), before);
    assert!(shop.see(&["check", id]).ends_with("= 10"));
    assert!(shop.see(&["status"]).contains("iter-0001.md was tampered with"));
    assert!(shop.see(&["acknowledge", id, "iter-0001.md"]).ends_with("= 0"));
    assert!(shop.see(&["check", id]).ends_with("= 0"));
}

/// A header is read whole or not at all: whichever of its fields is gone, the snapshot counts as tampered with, and is
/// written again from the journal.
///
/// Proves: B-022
#[test]
fn a_snapshot_without_one_of_its_eleven_fields_is_none() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let id = task.as_str();
    let name = "context/iter-0003.md";
    let before = shop.read(&task, name);
    let fields: Vec<&str> = before.lines().filter(|line| line.starts_with("- **")).collect();
    let names: Vec<&str> =
        fields.iter().map(|line| line[4..].split_once(":**").unwrap().0).collect();
    assert_eq!(
        names,
        [
            "Iteration",
            "Parent snapshot",
            "Slice ID",
            "Slice",
            "Scope cap",
            "Gate (iteration)",
            "Gate (exit)",
            "Last gate run",
            "Last gate outcome",
            "Consecutive Iteration FAILs (this Slice ID)",
            "Consecutive Exit FAILs (this Slice ID)",
        ]
    );
    for field in fields {
        let without = before.replace(&format!("{field}\n"), "");
        assert_ne!(without, before);
        // Also under a footer that fits it.
        for text in [without.clone(), sealed(body(&without), shop.records(&task), RENDERER)] {
            fs::write(shop.file(&task, name), text).unwrap();
            let checked = shop.see(&["check", id]);
            let told = "iter-0003.md was edited";
            assert!(checked.contains(told) && checked.ends_with("= 10"), "{field}: {checked}");
            assert_eq!(shop.read(&task, name), before, "{field}");
            assert!(shop.see(&["acknowledge", id, "iter-0003.md"]).ends_with("= 0"));
        }
    }
}

#[test]
fn an_edited_task_holds_the_freeze_up_until_it_is_adopted_or_put_back() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let id = task.as_str();
    let text = shop.read(&task, "TASK.md");
    fs::write(shop.file(&task, "TASK.md"), format!("{text}\nand fast\n")).unwrap();
    let unread = shop.see(&["approve", id]);
    assert!(unread.contains("edited by hand") && unread.ends_with("= 12"), "{unread}");
    assert!(shop.see(&["check", id]).ends_with("= 10"));
    fs::write(shop.file(&task, "TASK.md"), &text).unwrap();
    assert!(shop.see(&["check", id]).ends_with("= 0"));
    assert!(shop.see(&["approve", id]).ends_with("= 0"));
}

#[test]
fn a_header_edited_after_the_freeze_voids_it() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let id = task.as_str();
    shop.see(&["approve", id]);
    shop.edit(&task, "TASK.md", "risk: normal", "risk: high");
    let checked = shop.see(&["check", id]);
    assert!(checked.contains("the freeze is void"), "{checked}");
    let looked = shop.look(&task);
    assert_eq!(looked.status(), Status::Halted);
    assert!(looked.data().unwrap().frozen.is_none());
    // Putting it back does not bring the freeze back.
    shop.edit(&task, "TASK.md", "risk: high", "risk: normal");
    shop.see(&["check", id]);
    assert!(shop.look(&task).data().unwrap().frozen.is_none());
}

#[test]
fn a_changed_journal_is_refused_by_everything_that_would_write() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let id = task.as_str();
    let segment = shop.path(".sealwright/journal").join(id).join("000000000001.jsonl");
    edit(&segment, "limits per tenant", "limits per TENANT");
    for args in [&["approve", id][..], &["note", id, "x"], &["check", id], &["adopt", id]] {
        let refused = shop.see(args);
        assert!(refused.ends_with("= 10"), "{args:?}: {refused}");
    }
    assert!(shop.see(&["status"]).contains("is damaged"));
    assert!(shop.see(&["verify", "--allow-changes"]).ends_with("= 10"));
}

#[test]
fn two_edits_at_once_are_both_told_and_both_kept() {
    let shop = TestRepo::new();
    let task = shop.parked();
    shop.edit(&task, "STATE.md", "- **Status:**", "- **Status:** shipped, really;");
    fs::write(shop.file(&task, "log.md"), "nothing happened\n").unwrap();
    let checked = shop.see(&["check", task.as_str()]);
    assert!(checked.contains("STATE.md was edited") && checked.contains("log.md was edited"));
    let aside = walk(&shop.path(".sealwright/handedits"));
    for name in ["STATE.md", "log.md"] {
        assert!(aside.iter().any(|path| path.ends_with(name)), "{aside:?}");
    }
    assert!(shop.read(&task, "log.md").len() > 100);
}

/// A process that died between the record and its views leaves old views, and that is no edit;
/// an edit made on top of that is one.
#[test]
fn a_crash_is_no_edit_and_an_edit_in_a_crash_is_one() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let id = task.as_str();
    let names = ["STATE.md", "log.md", "EVIDENCE.md", "evidence.html", "TASKS.md"];
    let old: Vec<String> = names.iter().map(|name| shop.read(&task, name)).collect();
    shop.see(&["note", id, "one"]);
    shop.see(&["note", id, "two"]);
    for (name, old) in names.iter().zip(&old) {
        fs::write(shop.file(&task, name), old).unwrap();
    }
    let records = shop.records(&task);
    let checked = shop.see(&["check", id]);
    assert!(!checked.contains("edited"), "{checked}");
    assert_eq!(shop.records(&task), records);
    assert!(shop.read(&task, "STATE.md").contains("two"));
    fs::write(shop.file(&task, "STATE.md"), old[0].replace("shape", "done")).unwrap();
    let checked = shop.see(&["check", id]);
    assert!(checked.contains("STATE.md was edited"), "{checked}");
}

#[test]
fn adopting_a_text_loses_nobody_elses_words() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let id = task.as_str();
    let text = shop.read(&task, "TASK.md").replace("lane: quick", "lane: strict");
    fs::write(shop.file(&task, "TASK.md"), format!("\n{text}")).unwrap();
    shop.edit(&task, "STATE.md", "## Notes\n", "## Notes\n\n- mind the clock\n");
    fs::write(shop.file(&task, "context/iter-0001.md"), "all is well\n").unwrap();
    let adopted = shop.see(&["adopt", id]);
    assert!(adopted.contains("STATE.md was edited") && adopted.ends_with("= 0"), "{adopted}");
    let looked = shop.look(&task);
    let known = looked.data().unwrap();
    assert!(known.notes.iter().any(|(_, note)| note.contains("mind the clock")), "{known:?}");
    assert_eq!(known.tampered, ["iter-0001.md"]);
    assert_eq!(known.charter.lane.name(), "strict");
}

#[test]
fn an_edit_of_a_finished_task_is_kept_aside_too() {
    let shop = TestRepo::new();
    let task = shop.parked();
    shop.see(&["approve", task.as_str()]);
    shop.run_honestly(&task);
    let edited = format!("my own words\n{}", shop.read(&task, "STATE.md"));
    fs::write(shop.file(&task, "STATE.md"), &edited).unwrap();
    assert!(shop.see(&["check", task.as_str()]).ends_with("= 0"));
    assert!(!shop.read(&task, "STATE.md").contains("my own words"));
    let aside = walk(&shop.path(".sealwright/handedits"));
    let kept: Vec<String> = aside.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(kept.contains(&edited), "{aside:?}");
}

#[test]
fn a_text_that_is_gone_is_written_again_from_the_store() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let text = shop.read(&task, "TASK.md");
    fs::remove_file(shop.file(&task, "TASK.md")).unwrap();
    assert!(shop.see(&["check", task.as_str()]).ends_with("= 0"));
    assert_eq!(shop.read(&task, "TASK.md"), text);
}

#[test]
fn a_view_behind_a_link_is_not_written_through() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let secret = shop.path("precious.txt");
    fs::write(&secret, "precious").unwrap();
    let state = shop.file(&task, "STATE.md");
    fs::remove_file(&state).unwrap();
    std::os::unix::fs::symlink(&secret, &state).unwrap();
    let told = shop.see(&["note", task.as_str(), "x"]);
    assert!(told.contains("STATE.md"), "{told}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "precious");
}

/// Every view of a task as it stands, by its name.
fn views(shop: &TestRepo, task: &TaskId) -> Vec<(String, String)> {
    let folder = shop.file(task, "");
    let paths = walk(&folder);
    let names = paths.iter().map(|path| path.strip_prefix(&folder).unwrap().to_str().unwrap());
    let names = names.filter(|name| *name != "TASK.md");
    let views: Vec<_> = names.map(|name| (name.to_owned(), shop.read(task, name))).collect();
    assert!(views.len() > 5, "{views:?}");
    views
}

/// A view without its footer.
fn body(view: &str) -> &str {
    &view[..view.rfind("<!-- sealwright").unwrap()]
}

/// The text under a footer that fits it.
fn sealed(body: &str, seq: u64, renderer: u32) -> String {
    let digest = Digest::of(body.as_bytes());
    format!("{body}<!-- sealwright: seq={seq} renderer={renderer} sha256={digest} -->\n")
}

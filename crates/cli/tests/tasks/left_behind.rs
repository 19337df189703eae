//! What a task leaves behind for people: which files, where they lead, and what nobody has to run to see it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Parser, Tag};
use sealwright_host::Ended;
use sealwright_kernel::task::{Effect, Status, Want};
use sealwright_kernel::{Digest, TaskId};

use crate::scripted_agents::{SEEN, ScriptedAgents, ScriptedTask};
use crate::task_performer::{TestRepo, walk};

/// Proves in part: P-004
#[test]
fn a_task_folder_has_its_files_from_the_first_moment_on() {
    let shop = TestRepo::new();
    let task = shop.create(&[]);
    let first =
        ["EVIDENCE.md", "STATE.md", "SUMMARY.md", "TASK.md", "TASKS.md", "evidence.html", "log.md"];
    assert_eq!(names(&shop, &task), first);
    let (task, _) = shop.finished();
    let all = names(&shop, &task);
    let snapshots = all.iter().filter(|name| name.starts_with("context/iter-")).count();
    assert!(snapshots > 1, "{all:?}");
    assert_eq!(all.len(), first.len() + snapshots, "{all:?}");
    assert!(first.iter().all(|name| all.iter().any(|it| it == name)), "{all:?}");
    // What was left behind on the way stands in the store, and the folder leads there.
    let stored = links(&shop.read(&task, "EVIDENCE.md"))
        .into_iter()
        .filter(|link| link.starts_with("../../store/blobs/"));
    assert!(stored.count() > 1);
}

/// A reader who was sent the folder of a task and the store, who has no repository and no program of ours, sees
/// everything that was seen.
#[test]
fn the_proof_is_read_elsewhere_and_nothing_has_to_be_run() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let elsewhere = tempfile::tempdir().unwrap();
    for part in ["tasks", "store"] {
        copy(&shop.path(".sealwright").join(part), &elsewhere.path().join(part));
    }
    let folder = elsewhere.path().join("tasks").join(task.as_str());
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let (state, page) = (read("STATE.md"), read("evidence.html"));
    assert_eq!(links(&state), ["evidence.html"], "{state}");
    let mut followed = BTreeSet::new();
    for name in ["STATE.md", "EVIDENCE.md", "TASKS.md", "SUMMARY.md", "log.md"] {
        followed.extend(links(&read(name)));
    }
    let hrefs: Vec<String> = page
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().replace("&#x2f;", "/"))
        .collect();
    let (inside, outside): (Vec<_>, Vec<_>) =
        hrefs.into_iter().partition(|link| link.starts_with('#'));
    for anchor in inside {
        assert!(page.contains(&format!("id=\"{}\"", &anchor[1..])), "{anchor} leads nowhere");
    }
    followed.extend(outside);
    for link in &followed {
        assert!(!link.starts_with('/') && !link.contains(':'), "{link} leads out of here");
        let found = fs::read(folder.join(link)).unwrap_or_else(|_| panic!("{link} leads nowhere"));
        if let Some(digest) = digest_of(Path::new(link)) {
            assert_eq!(Digest::of(&found).to_string(), digest);
        }
    }
    let known = shop.look(&task).data().unwrap().clone();
    for record in &known.evidence {
        let id = record.id.to_string();
        assert!(
            page.contains(&format!("id=\"{id}\"")) && read("EVIDENCE.md").contains(&id),
            "{id}"
        );
        let kept = stored(&record.evidence.output);
        assert!(followed.iter().any(|link| link.ends_with(&kept)), "{id} is not shown");
    }
    // No file tells its reader to run a command of ours.
    for name in ["STATE.md", "EVIDENCE.md", "TASKS.md", "log.md", "evidence.html"] {
        assert!(!read(name).contains("sealwright "), "{name}");
    }
}

/// Proves: P-035, P-036, P-037
#[test]
fn nothing_is_kept_before_its_proof_can_be_read_from_files() {
    let scripted = ScriptedTask::quick();
    let agents = ScriptedAgents::honest();
    let blob = scripted.journal.layout().blob(&Digest::of(SEEN.as_bytes()), SEEN.len() as u64);
    let lost = blob.clone();
    let ended = scripted.run_with(
        &agents,
        |_| 0,
        at_ship(move || {
            fs::remove_file(&lost).unwrap();
        }),
    );
    assert!(why(&ended).contains("no blob "), "{ended:?}");
    assert_eq!((scripted.look().status(), scripted.has_branch()), (Status::InProgress, false));

    fs::write(&blob, SEEN).unwrap();
    let state = scripted.file("STATE.md");
    let hidden = state.clone();
    let ended = scripted.run_with(
        &agents,
        |_| 0,
        at_ship(move || {
            fs::remove_file(&hidden).unwrap();
            fs::create_dir_all(hidden.join("in the way")).unwrap();
        }),
    );
    assert!(why(&ended).contains("cannot write the folder of the task"), "{ended:?}");
    assert_eq!((scripted.look().status(), scripted.has_branch()), (Status::InProgress, false));

    fs::remove_dir_all(&state).unwrap();
    let (file, page) = (state.clone(), scripted.file("evidence.html"));
    let ended = scripted.run_with(
        &agents,
        |_| 0,
        at_ship(move || {
            // Not even a moment before it is kept may it be missing.
            fs::remove_file(&file).unwrap();
            fs::remove_file(&page).unwrap();
        }),
    );
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
    assert!(scripted.has_branch());
    let text = fs::read_to_string(&state).unwrap();
    assert!(text.contains("- **Evidence link:** [evidence.html](evidence.html)\n"), "{text}");
    assert!(scripted.file("evidence.html").is_file());
}

/// Proves: B-065
#[test]
fn a_delivery_is_a_patch_the_latest_snapshot_and_a_change_record() {
    let (scripted, agents) = (ScriptedTask::quick(), ScriptedAgents::honest());
    assert!(matches!(scripted.run(&agents, |_| 0), Ended::Over(_)));
    let patch = scripted.git(&["diff", "main", &scripted.branch(), "--", "parking"]);
    assert!(patch.contains("\n+# a day\n"), "{patch}");
    let tasks = fs::read_to_string(scripted.file("TASKS.md")).unwrap();
    let latest = links(&tasks).pop().unwrap();
    let mut snapshots: Vec<String> = fs::read_dir(scripted.file("context"))
        .unwrap()
        .map(|entry| format!("context/{}", entry.unwrap().file_name().to_string_lossy()))
        .collect();
    snapshots.sort();
    assert_eq!(snapshots.last(), Some(&latest));
    let snapshot = fs::read_to_string(scripted.file(&latest)).unwrap();
    assert!(snapshot.contains("- **Last gate outcome:** PASS\n"), "{snapshot}");
    let told = scripted.see(&["pr", scripted.task.as_str()]);
    let parts: Vec<&str> = told.split("\n## ").collect();
    let part = |title: &str| {
        let found = parts.iter().find(|part| part.starts_with(title));
        found.unwrap_or_else(|| panic!("{title} is missing in {told}"))
    };
    // What, why, how it was verified, and what is known to be open.
    assert!(parts[0].starts_with("a day of parking never costs more than 2000 cents"), "{told}");
    assert!(part("Request").contains("A day of parking never costs more than 2000 cents."));
    assert!(part("Checks").contains("| check-tests | pass | EV-"));
    assert!(part("Not proven").contains("- "));
    let message = scripted.git(&["log", "-1", "--format=%B", &scripted.branch()]);
    assert!(message.contains("Sealwright-Evidence: EV-"), "{message}");
}

/// Whoever asks is told where a task stands, what may follow, what that takes, and whether it is blocked or done; a copy
/// of the files is enough to know.
#[test]
fn files_alone_answer_where_a_task_stands_and_what_it_takes_to_go_on() {
    let shop = TestRepo::new();
    let fresh = shop.create(&[]);
    let (parked, halted) = (shop.parked(), shop.halted());
    let (done, _) = shop.finished();
    let elsewhere = TestRepo::new();
    fs::remove_dir_all(elsewhere.path(".sealwright")).unwrap();
    fs::remove_file(elsewhere.path("sealwright.toml")).unwrap();
    copy(&shop.path(".sealwright"), &elsewhere.path(".sealwright"));
    for local in ["work", "cache"] {
        let _ = fs::remove_dir_all(elsewhere.path(".sealwright").join(local));
    }
    let escalation = "a person's resolution of ESC-";
    let told = [
        (&fresh, "pending", "none", "intake", "the write lease of a work tree"),
        (&parked, "parked, phase shape", "shape", "implement, blocked", "a person's approval"),
        (
            &halted,
            "halted, phase needs_user_decision",
            "needs_user_decision",
            "once a person",
            escalation,
        ),
        (&done, "done, phase done", "done", "none", "none, the task is done"),
    ];
    for (task, stands, phase, follows, needed) in told {
        let shown = elsewhere.see(&["show", task.as_str()]);
        let line = |name: &str| {
            let found = shown.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_else(|| panic!("{name} is missing in {shown}")).to_owned()
        };
        assert!(shown.lines().any(|line| line.starts_with(stands)), "{stands}: {shown}");
        assert!(line("next phases: ").contains(follows), "{shown}");
        assert!(line("requires: ").contains(needed), "{shown}");
        let state = elsewhere.read(task, "STATE.md");
        assert!(state.contains(&format!("- **Phase:** {phase}\n")), "{state}");
        assert!(state.contains(&format!("- Next phases: {}\n", line("next phases: "))));
        let takes = state.lines().find_map(|line| line.strip_prefix("- Evidence needed: "));
        assert!(takes.unwrap().replace('\\', "").contains(needed), "{state}");
    }
    let all = elsewhere.see(&["status", "--all"]);
    assert!(all.contains("1 pending, 1 parked, 1 halted, 1 done"), "{all}");
}

/// Does something just before a task is kept, and not before.
fn at_ship(act: impl Fn() + Send + Sync + 'static) -> impl Fn(&Effect) + Send + Sync + 'static {
    move |effect| {
        if matches!(effect, Effect::Task { want: Want::Ship { .. }, .. }) {
            act();
        }
    }
}

fn why(ended: &Ended) -> String {
    match ended {
        Ended::Stalled(stalled) => stalled[0].why.clone(),
        other => panic!("{other:?}"),
    }
}

/// Everything in the folder of a task, by its path there.
fn names(shop: &TestRepo, task: &TaskId) -> Vec<String> {
    let folder = shop.file(task, "");
    let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
    let mut names: Vec<String> = walk(&folder).iter().map(name).collect();
    names.sort();
    names
}

/// Where the links of a text in Markdown lead.
fn links(text: &str) -> Vec<String> {
    let to = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    };
    Parser::new(text).filter_map(to).collect()
}

/// Where content stands below the store.
fn stored(digest: &Digest) -> String {
    let hex = digest.to_string();
    format!("store/blobs/sha256/{}/{}", &hex[..2], &hex[2..])
}

/// The digest that a path of the store stands for.
fn digest_of(path: &Path) -> Option<String> {
    let parts: Vec<&str> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match parts.as_slice() {
        ["store", "blobs", .., first, rest] => Some(format!("{first}{rest}")),
        _ => None,
    }
}

fn copy(from: &Path, to: &Path) {
    for path in walk(from) {
        let into = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(into.parent().unwrap()).unwrap();
        fs::copy(&path, into).unwrap();
    }
}

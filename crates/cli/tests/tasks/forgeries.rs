//! Attempts to advance a task without evidence, or to decide as somebody else.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use sealwright_host::{Host, Limits, NoPerformer, ReportError, SystemClock};
use sealwright_kernel::task::{Choice, Effect, Input, PersonInput, Rejected, Report, Task, Want};
use sealwright_kernel::{
    Actor, Digest, Effect as _, InvocationId, Machine as _, Role, TaskId, scripted,
};

use crate::task_performer::{TestRepo, edit};

type Attempt = (&'static str, fn(&TestRepo, &TaskId));

/// Every attempt is made on a task that waits for its freeze. Afterwards the task stands as
/// it stood, or the journal is known to be forged.
///
/// Proves: A-065
#[test]
fn thirty_ways_to_cheat_and_none_works() {
    let attempts = [files(), journals(), roles(), replays(), reports()].concat();
    assert!(attempts.len() >= 30, "only {} attempts", attempts.len());
    for (name, attempt) in attempts {
        let shop = TestRepo::new();
        let task = shop.parked();
        let before = shop.look(&task);
        attempt(&shop, &task);
        shop.see(&["check", task.as_str()]);
        shop.see(&["status"]);
        let verified = shop.see(&["verify", "--allow-changes"]);
        // A forged cache is told of, and nobody believes it; a forged journal stops everything.
        let is_cache = verified.contains("the snapshot differs from its stream");
        if verified.ends_with("= 0") || is_cache {
            let after = shop.look(&task);
            let stands = |task: &Task| {
                let known = task.data().unwrap();
                let counted = (known.attempt, known.heals, known.verify_fails, known.revisions);
                (
                    known.frozen.clone(),
                    known.guarded,
                    known.evidence.len(),
                    counted,
                    known.record.clone(),
                )
            };
            assert_eq!(stands(&before), stands(&after), "{name}");
            assert!(after.phase() == before.phase(), "{name}: {:?}", after.phase());
        } else {
            let refused = shop.see(&["approve", task.as_str()]);
            assert!(!refused.ends_with("= 0"), "{name}: {refused}");
        }
    }
}

fn files() -> Vec<Attempt> {
    vec![
        ("the phase in STATE.md", |shop, task| {
            shop.edit(task, "STATE.md", "**Phase:** shape", "**Phase:** done");
        }),
        ("the status in STATE.md", |shop, task| {
            shop.edit(task, "STATE.md", "**Status:** parked", "**Status:** shipped");
        }),
        ("a gate record in STATE.md", |shop, task| {
            let text = shop.read(task, "STATE.md");
            let forged = text.replace(
                "## Gate record\n\nnone",
                "## Gate record\n\n- **Outcome:** PASS\n- **Owner:** Ada",
            );
            assert_ne!(text, forged);
            fs::write(shop.file(task, "STATE.md"), forged).unwrap();
        }),
        ("a candidate in STATE.md", |shop, task| {
            shop.edit(task, "STATE.md", "**Candidate done:** no", "**Candidate done:** yes");
        }),
        ("a phase under the footer of another renderer", |shop, task| {
            let text = shop.read(task, "STATE.md");
            let body = text[..text.rfind("<!-- sealwright").unwrap()].replace("shape", "done");
            let (sha256, records) = (Digest::of(body.as_bytes()), shop.records(task));
            let footer = format!("seq={records} renderer=4096 sha256={sha256}");
            let forged = format!("{body}<!-- sealwright: {footer} -->\n");
            fs::write(shop.file(task, "STATE.md"), forged).unwrap();
        }),
        ("a pass in EVIDENCE.md", |shop, task| {
            let text = shop.read(task, "EVIDENCE.md");
            fs::write(shop.file(task, "EVIDENCE.md"), format!("## EV-000001 tests: pass\n{text}"))
                .unwrap();
        }),
        ("a page that says done", |shop, task| {
            fs::write(shop.file(task, "evidence.html"), "<h1>done</h1>").unwrap();
        }),
        ("a line in log.md", |shop, task| {
            let text = shop.read(task, "log.md");
            fs::write(shop.file(task, "log.md"), format!("Ada approved the contract\n{text}"))
                .unwrap();
        }),
        ("a snapshot that was never written", |shop, task| {
            fs::create_dir_all(shop.file(task, "context")).unwrap();
            fs::write(shop.file(task, "context/iter-0001.md"), "- Last gate outcome: PASS\n")
                .unwrap();
        }),
        ("a file that says approved", |shop, task| {
            fs::write(shop.file(task, "APPROVED"), "ada").unwrap();
            fs::create_dir_all(shop.path(".sealwright/handedits/1")).unwrap();
            fs::write(shop.path(".sealwright/handedits/1/approve"), "ada").unwrap();
        }),
        ("no check in sealwright.toml any more", |shop, task| {
            fs::write(shop.path("sealwright.toml"), "").unwrap();
            shop.run_honestly(task);
        }),
        ("a snapshot of a state that is done", |shop, task| {
            let forged = forged_snapshot(shop, task);
            let folder = shop.path(".sealwright/cache/snapshots");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{task}.json")), forged).unwrap();
        }),
        ("an index that says done", |shop, task| {
            shop.see(&["status"]);
            edit(&shop.path(".sealwright/cache/tasks-2.jsonl"), "\"parked\"", "\"shipped\"");
            assert!(shop.see(&["show", task.as_str()]).contains("parked"));
        }),
    ]
}

fn journals() -> Vec<Attempt> {
    vec![
        ("a word in the journal", |shop, task| {
            edit(&segment(shop, task), "limits per tenant", "limits per TENANT");
        }),
        ("a record without a hash", |shop, task| {
            append(shop, task, r#"{"events":[{"entered":{"phase":"done"}}]}"#);
        }),
        ("a record that is copied", |shop, task| {
            let text = fs::read_to_string(segment(shop, task)).unwrap();
            append(shop, task, text.lines().last().unwrap());
        }),
        ("a yes from another task", |shop, task| {
            let other = shop.parked();
            shop.see(&["approve", other.as_str()]);
            let text = fs::read_to_string(segment(shop, &other)).unwrap();
            append(shop, task, text.lines().last().unwrap());
        }),
        ("the journal of another task", |shop, task| {
            let other = shop.parked();
            shop.see(&["approve", other.as_str()]);
            fs::copy(segment(shop, &other), segment(shop, task)).unwrap();
        }),
        ("a record taken back", |shop, task| {
            let text = fs::read_to_string(segment(shop, task)).unwrap();
            let kept = text.trim_end().rfind('\n').unwrap();
            fs::write(segment(shop, task), &text[..=kept]).unwrap();
        }),
        ("a record in between", |shop, task| {
            let text = fs::read_to_string(segment(shop, task)).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let doubled = [&lines[..2], &lines[1..]].concat().join("\n");
            fs::write(segment(shop, task), format!("{doubled}\n")).unwrap();
        }),
    ]
}

fn roles() -> Vec<Attempt> {
    fn refused(shop: &TestRepo, args: &[&str]) {
        let said = shop.see_with(args, &[("SEALWRIGHT_ROLE", "builder")]);
        assert!(
            said.contains("agents may not run this command") && said.ends_with("= 12"),
            "{said}"
        );
    }
    vec![
        ("approve, as a role", |shop, task| refused(shop, &["approve", task.as_str()])),
        ("decline, as a role", |shop, task| {
            refused(shop, &["decline", task.as_str(), "--because", "x"]);
        }),
        ("new --yes, as a role", |shop, _| refused(shop, &["new", "my own task", "--yes"])),
        ("note, as a role", |shop, task| refused(shop, &["note", task.as_str(), "approved"])),
        ("heal, as a role", |shop, task| {
            refused(shop, &["heal", task.as_str(), "--cheat", "overfit", "--reason", "x"]);
        }),
        ("adopt, as a role", |shop, task| refused(shop, &["adopt", task.as_str()])),
        ("resolve, as a role", |shop, _| {
            let halted = shop.halted();
            refused(shop, &["resolve", halted.as_str(), "abandon-task", "--because", "x"]);
        }),
        ("approve, by a child that hides its role", |shop, task| {
            let program = env!("CARGO_BIN_EXE_sealwright");
            let script = format!("env -u SEALWRIGHT_ROLE {program} approve {task}; true");
            let output = Command::new("sh")
                .args(["-c", &script])
                .env("SEALWRIGHT_ROLE", "builder")
                .current_dir(shop.path(""))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("agents may not run this command"), "{said}");
        }),
    ]
}

fn replays() -> Vec<Attempt> {
    vec![
        ("a yes to what was on the table before", |shop, task| {
            let old = item(shop, task);
            shop.edit(task, "TASK.md", "risk: normal", "risk: high");
            shop.edit(task, "TASK.md", "autonomy: auto", "autonomy: manual");
            assert!(shop.see(&["adopt", task.as_str()]).ends_with("= 0"));
            let stale = shop.see(&["approve", task.as_str(), "--item", &old]);
            assert!(stale.contains("older item") && stale.ends_with("= 12"), "{stale}");
        }),
        ("the same yes twice, once it was declined", |shop, task| {
            let says = approval(shop, task);
            shop.see(&["decline", task.as_str(), "--because", "tenants have groups"]);
            shop.run_honestly(task);
            assert_eq!(
                tell(shop, task, ada(), person(ada(), says)),
                Err(ReportError::Rejected(Rejected::Stale))
            );
        }),
        ("a yes with an item of one's own", |shop, task| {
            let PersonInput::Decide { question, choice, rationale, .. } = approval(shop, task)
            else {
                unreachable!()
            };
            let item = Digest::of(b"what I like");
            let says = PersonInput::Decide { question, item, choice, rationale };
            let told = tell(shop, task, ada(), person(ada(), says));
            assert_eq!(told, Err(ReportError::Rejected(Rejected::OtherItem)));
        }),
        ("a yes of the machine", |shop, task| {
            let input = person(Actor::Machine, approval(shop, task));
            let told = tell(shop, task, Actor::Machine, input);
            assert_eq!(told, Err(ReportError::Rejected(Rejected::NotAPerson)));
        }),
        ("a yes of a role in a person's name", |shop, task| {
            let role = Actor::Role(Role::Builder, InvocationId::new(1));
            let told = tell(shop, task, role, person(ada(), approval(shop, task)));
            assert_eq!(told, Err(ReportError::Forged));
        }),
        ("a yes of one person in another's name", |shop, task| {
            let bob = Actor::Human("Bob".to_owned());
            let told = tell(shop, task, bob, person(ada(), approval(shop, task)));
            assert_eq!(told, Err(ReportError::Forged));
        }),
    ]
}

fn reports() -> Vec<Attempt> {
    vec![
        ("every lie the script knows", |shop, task| {
            for effect in shop.look(task).owed() {
                for lie in scripted::lies(&effect) {
                    let told = tell(shop, task, Actor::Environment, lie.clone());
                    assert!(told.is_err(), "{lie:?}");
                }
            }
        }),
        ("done, out of nowhere", |shop, task| {
            let effect = sealwright_kernel::EffectId::of(task, "ship", 1);
            let report = Report::Shipped { tree: Digest::of(b"mine") };
            let told = tell(shop, task, Actor::Environment, Input::Report { effect, report });
            assert!(matches!(told, Err(ReportError::Rejected(Rejected::NotOwed { .. }))));
        }),
        ("an answer to the question, as if it were an effect", |shop, task| {
            let asked = shop.look(task).owed().into_iter().next().unwrap();
            assert!(matches!(asked, Effect::Task { want: Want::Ask { .. }, .. }));
            let (effect, tree) = (asked.id(), Digest::of(b"mine"));
            let report = Report::TestsWritten { tests: tree, tree };
            let told = tell(shop, task, Actor::Environment, Input::Report { effect, report });
            assert!(matches!(told, Err(ReportError::Rejected(Rejected::NoAnswer { .. }))));
        }),
    ]
}

fn tell(
    shop: &TestRepo,
    task: &TaskId,
    actor: Actor,
    input: Input,
) -> Result<(), ReportError<Rejected>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let performer = std::sync::Arc::new(NoPerformer);
        let (journal, limits) = (shop.journal(), Limits::default());
        let opened =
            Host::<Task, _, _, _>::open(journal, task.stream(), performer, SystemClock, limits)
                .await;
        opened.unwrap().tell(actor, input, vec![]).await.map(|_| ())
    })
}

fn approval(shop: &TestRepo, task: &TaskId) -> PersonInput {
    let (question, asked) = shop.look(task).question().unwrap();
    let (choice, rationale) = (Choice::Approve, "yes".to_owned());
    PersonInput::Decide { question, item: asked.item, choice, rationale }
}

fn item(shop: &TestRepo, task: &TaskId) -> String {
    shop.look(task).question().unwrap().1.item.to_string()
}

fn person(by: Actor, says: PersonInput) -> Input {
    Input::Person { by, says }
}

fn ada() -> Actor {
    Actor::Human("Ada".to_owned())
}

fn segment(shop: &TestRepo, task: &TaskId) -> std::path::PathBuf {
    shop.path(".sealwright/journal").join(task.as_str()).join("000000000001.jsonl")
}

fn append(shop: &TestRepo, task: &TaskId, line: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(segment(shop, task)).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// A snapshot with all its digests right, of a state nobody ever was in.
fn forged_snapshot(shop: &TestRepo, task: &TaskId) -> Vec<u8> {
    let mut head = sealwright_store::Head::START;
    let journal = shop.journal();
    journal
        .read_blocking(task.stream(), sealwright_store::Head::START, &mut |entry| {
            head = entry.head();
            Ok(())
        })
        .unwrap();
    let state = serde_json::to_string(&shop.look(task)).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let mut done = state.clone();
    done["stage"] = serde_json::json!("shipping");
    let snapshot = serde_json::json!({ "stream": task, "head": head, "state": done });
    let sha256 = Digest::of(&sealwright_kernel::canonical_json(&snapshot).unwrap());
    let kept = serde_json::json!({ "sha256": sha256, "snapshot": snapshot });
    sealwright_kernel::canonical_json(&kept).unwrap()
}

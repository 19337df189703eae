//! What a person is shown to decide on, and that every answer can be taken from the screen.

use std::process::{Command, Stdio};

use sealwright_host::Ended;
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Freeze, Status, Task};
use sealwright_kernel::{Lane, TaskId};

use crate::scripted_agents::{ScriptedAgents, ScriptedTask};
use crate::task_performer::TestRepo;
use crate::terminal;

#[test]
fn every_action_of_a_halt_is_pasted_from_the_screen() {
    let shop = TestRepo::new();
    for (action, expected) in [
        ("amend-spec", "phase intake"),
        ("sealwright answer", "phase intake"),
        ("provide-fix", "cannot read `fix.patch`"),
        ("abandon-task", "is abandoned"),
    ] {
        let task = shop.halted();
        for screen in [&["show", task.as_str()][..], &["inbox", task.as_str()]] {
            let shown = shop.see(screen);
            assert_eq!(commands(&shown).len(), 5, "{shown}");
        }
        let shown = shop.see(&["show", task.as_str()]);
        let typed = commands(&shown);
        let typed = typed.iter().find(|it| it.contains(action)).unwrap();
        let told = paste(&shop, typed);
        assert!(told.contains(expected), "{typed}: {told}");
    }
    // The recommended answer of many halts: without a terminal it says what to type, and that works.
    let task = shop.halted();
    let told =
        paste(&shop, &format!("sealwright resolve {task} revise-plan --because \"smaller\""));
    let short = short(&task);
    let form = format!("sealwright show {short} --plan > plan.json");
    let give = format!("sealwright resolve {short} revise-plan --because \"…\" --plan plan.json");
    assert!(told.contains(&form) && told.contains(&give), "{told}");
    assert!(paste(&shop, &form).ends_with("= 0"));
    let plan = std::fs::read_to_string(shop.path("plan.json")).unwrap();
    assert!(plan.contains("\"sentence\": \"count requests per tenant\""), "{plan}");
    assert!(
        shop.see(&["show", task.as_str()]).contains(&format!("sealwright show {short} --plan"))
    );
    std::fs::write(shop.path("plan.json"), plan.replace("count requests", "count calls")).unwrap();
    let told = paste(&shop, &give);
    assert!(told.contains("is parked, phase shape") && told.ends_with("= 0"), "{told}");
    let revised = &shop.look(&task).data().unwrap().bundle.clone().unwrap().plan;
    assert_eq!(revised[0].sentence, "count calls per tenant");
}

#[test]
fn a_plan_is_revised_in_the_editor_of_the_person() {
    let has_terminals = Command::new("script").arg("--version").output().is_ok();
    if !has_terminals {
        return;
    }
    let shop = TestRepo::new();
    let task = shop.halted();
    let revise = format!("resolve {task} revise-plan --because smaller");
    let told = at_a_terminal(&shop, &revise, "true");
    assert!(told.contains("is unchanged") && told.contains("--plan plan.json"), "{told}");
    let told = at_a_terminal(&shop, &revise, "sed -i 1d");
    assert!(told.contains("has the wrong form") && told.contains("-plan.json"), "{told}");
    let told = at_a_terminal(&shop, &revise, "sed -i s/requests/calls/");
    assert!(told.contains("is parked, phase shape"), "{told}");
    let revised = shop.look(&task).data().unwrap().bundle.clone().unwrap().plan;
    assert_eq!(revised[0].sentence, "count calls per tenant");
}

#[test]
fn the_whole_contract_is_shown_everywhere_while_a_freeze_is_asked() {
    let scripted = ScriptedTask::of("", Lane::Quick, Header::default(), Freeze::Asked);
    let config = "[checks.tests]\ncommand = [\"make\", \"it so\"]\n";
    std::fs::write(scripted.folder().join("sealwright.toml"), config).unwrap();
    let ended = scripted.run(&ScriptedAgents::honest(), |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let id = scripted.task.as_str();
    let view = |name: &str| std::fs::read_to_string(scripted.file(name)).unwrap();
    let show = scripted.see(&["show", id]);
    let of_files = format!("sealwright approve {id} --item ");
    let at_a_terminal = format!("sealwright approve {} --item ", short(&scripted.task));
    for (screen, text) in [
        ("show", show.clone()),
        ("inbox", scripted.see(&["inbox", id])),
        ("STATE.md", view("STATE.md")),
        ("evidence.html", view("evidence.html").replace("&#x2f;", "/").replace("&gt;", ">")),
    ] {
        for part in [
            // Specification, scenarios with what is doubtful, contract, items, plan and its files.
            "Somebody who parks for a day pays for a day: 2000 cents and no more.",
            "Six hours and a minute cost 2000.",
            "does a day begin at midnight, or when somebody arrives?",
            "fee(minutes) -> cents. Whole days of 1440 minutes cost 2000 each",
            "public items that may change",
            "fee() never takes more than 2000 cents for a day (in parking)",
            "checks that will run",
            "tripwire: compares every frozen file with its frozen version",
            "challenger: an agent judges the change",
            "the draft says that it is verified by",
            "mutants of the change",
            if screen.contains('.') { &of_files } else { &at_a_terminal },
        ] {
            assert!(text.contains(part), "{screen} lacks {part}:\n{text}");
        }
        let (run, draft) = text.split_once("the draft says").unwrap();
        assert!(!run.contains("mutants of the change") || screen == "STATE.md", "{screen}: {run}");
        assert!(draft.contains("acceptance tests of both criteria"), "{screen}: {draft}");
    }
    // Only a command knows the configuration of today.
    assert!(show.contains("· tests: make it so\n"), "{show}");
    assert!(view("STATE.md").contains("· tests: a check of sealwright.toml"));
    // Once it is frozen, nothing is left to approve.
    scripted.approve();
    assert!(!scripted.see(&["show", id]).contains("checks that will run"));
    assert!(!view("STATE.md").contains("checks that will run"));
}

#[test]
fn status_says_that_nobody_works_on_a_task() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let paused = format!("{task}  paused, phase ");
    let resumes = format!("  sealwright do --continue {}\n", short(&task));
    assert!(!shop.see(&["status"]).contains(&paused));
    shop.see(&["approve", task.as_str()]);
    assert_eq!(shop.look(&task).status(), Status::InProgress);
    let (status, writer) = (shop.see(&["status"]), writer(&shop, &task));
    if writer == "unknown" {
        // This system does not list locks.
        assert!(!status.contains(&paused), "{status}");
        return;
    }
    assert_eq!(writer, "nobody");
    assert!(status.contains(&paused) && status.contains(&resumes), "{status}");
    let shown = shop.see(&["show", task.as_str()]);
    assert!(shown.contains("\npaused, phase "), "{shown}");
    assert!(
        shown.contains(&format!("\ncontinue with: `sealwright do --continue {}`\n", short(&task))),
        "{shown}"
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let performer = std::sync::Arc::new(sealwright_host::NoPerformer);
        let (clock, limits) = (sealwright_host::SystemClock, sealwright_host::Limits::default());
        let host: sealwright_host::Host<Task, _, _, _> =
            sealwright_host::Host::open(shop.journal(), task.stream(), performer, clock, limits)
                .await
                .unwrap();
        assert_eq!(self::writer(&shop, &task), "here");
        assert!(!shop.see(&["status"]).contains("paused"));
        host.close().await.unwrap();
    });
    assert!(shop.see(&["status"]).contains(&paused));
    shop.see(&["cancel", task.as_str(), "--because", "enough"]);
    assert!(!shop.see(&["status", "--all"]).contains("paused"));
}

/// Who works on the task, as a program reads it.
fn writer(shop: &TestRepo, task: &TaskId) -> String {
    let status = shop.see(&["status", "--format", "json"]);
    let rows = status.lines().filter_map(|line| serde_json::from_str(line).ok());
    let row = rows.into_iter().find(|row: &serde_json::Value| row["task"] == task.as_str());
    row.unwrap()["writer"].as_str().unwrap().to_owned()
}

/// What a task is called where it is to be typed.
pub(crate) fn short(task: &TaskId) -> &str {
    task.as_str().rsplit_once('-').unwrap().1
}

/// The lines that can be pasted, without a cancelled task.
fn commands(shown: &str) -> Vec<String> {
    let lines = shown.lines().map(str::trim).filter(|line| line.starts_with("sealwright "));
    lines.map(str::to_owned).collect()
}

fn paste(shop: &TestRepo, typed: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", typed]).current_dir(shop.folder()).stdin(Stdio::null());
    let output = with_binary(&mut command).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    format!("{}= {}", String::from_utf8(text).unwrap(), output.status.code().unwrap())
}

/// What is shown at a terminal whose editor is this.
fn at_a_terminal(shop: &TestRepo, words: &str, editor: &str) -> String {
    let mut command = shop.sealwright(&words.split(' ').collect::<Vec<_>>());
    terminal::at_a_terminal(command.env("VISUAL", editor)).unwrap()
}

fn with_binary(command: &mut Command) -> &mut Command {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_sealwright"));
    let paths = std::env::var_os("PATH").unwrap();
    let paths =
        std::iter::once(binary.parent().unwrap().to_owned()).chain(std::env::split_paths(&paths));
    let paths = std::env::join_paths(paths).unwrap();
    command.env("PATH", paths).env("NO_COLOR", "1").env_remove("VISUAL").env_remove("EDITOR")
}

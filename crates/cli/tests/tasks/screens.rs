//! What people see fits a terminal of 80 columns, and what they are told to type is short.

use sealwright_kernel::Lane;
use sealwright_kernel::TaskId;
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Freeze, Status};

use crate::answers::short;
use crate::scripted_agents::{ScriptedAgents, ScriptedTask};
use crate::task_performer::{TestRepo, is_check};
use crate::terminal::{at_a_terminal, fits};

#[test]
fn every_screen_of_a_halt_fits_the_terminal() {
    let shop = TestRepo::new();
    let criterion = "a day of parking never costs more than 2000 cents, also for somebody who parks for a week \
                     (verify: tests)";
    let file = shop.path("request.md");
    let text = format!(
        "# A day of parking never costs more than 2000 cents\n\n## Criteria\n\n- {criterion}\n"
    );
    std::fs::write(&file, text).unwrap();
    let told = shop.see(&["new", "--file", file.to_str().unwrap()]);
    let id = told.split_whitespace().find(|it| it.starts_with("T-")).unwrap();
    let task = TaskId::new(id.trim_end_matches(':')).unwrap();
    shop.run_honestly(&task);
    screens(&shop, &task);
    shop.see(&["approve", short(&task)]);
    shop.run(&task, |want| usize::from(is_check(want)));
    assert_eq!(shop.look(&task).status(), Status::Halted);
    screens(&shop, &task);
}

fn screens(shop: &TestRepo, task: &TaskId) {
    for words in [&["show"][..], &["inbox"], &["inbox", short(task)], &["status"], &["pr"]] {
        let Some(printed) = at_a_terminal(&shop.sealwright(words)) else { return };
        fits(&printed);
        let commands = printed.lines().map(str::trim).filter(|it| it.starts_with("sealwright "));
        commands.for_each(|it| assert!(!it.contains(task.as_str()), "{it}"));
    }
}

#[test]
fn a_contract_fits_the_terminal() {
    let scripted = ScriptedTask::of("", Lane::Quick, Header::default(), Freeze::Asked);
    scripted.run(&ScriptedAgents::honest(), |_| 0);
    for words in [&["show"][..], &["inbox"], &["status"], &["log"]] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(words).current_dir(scripted.folder()).env("NO_COLOR", "1");
        let Some(printed) = at_a_terminal(&command) else { return };
        assert!(printed.contains("2000 cents"), "{printed}");
        fits(&printed);
    }
}

#[test]
fn a_word_alone_is_the_answer_or_the_action() {
    let shop = TestRepo::new();
    assert!(
        shop.see(&["answer", "yes"])
            .ends_with("no open question\nhint: `sealwright status` lists the tasks\n= 12")
    );
    let first = shop.halted();
    // A task alone is no answer to it, and no action.
    for name in [first.as_str(), short(&first)] {
        let told = shop.see(&["answer", name]);
        assert!(told.contains("no answer given") && told.ends_with("= 2"), "{told}");
        let told = shop.see(&["resolve", name, "--because", "x"]);
        assert!(told.contains("no action given") && told.ends_with("= 2"), "{told}");
    }
    assert!(shop.see(&["resolve"]).ends_with("= 2"));
    let second = shop.parked();
    for words in [&["answer", "per tenant"][..], &["resolve", "abandon-task", "--because", "x"]] {
        let told = shop.see(words);
        assert!(
            told.contains("2 tasks could be meant; name one") && told.ends_with("= 2"),
            "{told}"
        );
    }
    let told = shop.see(&["cancel", "--because", "x"]);
    assert!(told.contains(first.as_str()) && told.contains(second.as_str()), "{told}");
    assert!(told.ends_with("= 2"), "{told}");
    assert_eq!(shop.look(&second).status(), Status::Parked);
    let told = shop.see(&["cancel", short(&second), "--because", "x"]);
    assert!(told.contains(&format!("{second} is abandoned")), "{told}");
    let told = shop.see(&["answer", "per tenant"]);
    assert!(told.contains(first.as_str()) && told.ends_with("= 0"), "{told}");
    assert_eq!(shop.look(&first).status(), Status::InProgress);
    shop.see(&["cancel", "--because", "the only one"]);
    assert_eq!(shop.look(&first).status(), Status::Abandoned);
    let third = shop.halted();
    let told = shop.see(&["resolve", "abandon-task", "--because", "enough"]);
    assert!(told.contains(&format!("{third} is abandoned")) && told.ends_with("= 0"), "{told}");
}

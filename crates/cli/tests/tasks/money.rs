//! What a task costs, as people see it and decide about it.

use std::fs;

use sealwright_factory::tasks::Tasks;
use sealwright_host::Ended;
use sealwright_kernel::task::Status;
use sealwright_kernel::{Cost, TaskId};

use crate::answers::short;
use crate::task_performer::TestRepo;

/// A task of at most ten cents, in which every call costs three.
fn reached() -> (TestRepo, TaskId) {
    let shop = TestRepo::new();
    let config = shop.path("sealwright.toml");
    let checks = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{checks}[budget]\ndollars = 0.10\n")).unwrap();
    let task = shop.create(&[]);
    assert!(matches!(shop.run_paying(&task, PRICE), Ended::Waiting(_)));
    assert!(shop.see(&["approve", task.as_str()]).ends_with("= 0"));
    assert!(matches!(shop.run_paying(&task, PRICE), Ended::Waiting(_)));
    (shop, task)
}

fn shown(shop: &TestRepo, task: &TaskId, args: &[&str]) -> String {
    shop.see(args).replace(task.as_str(), "TASK").replace(short(task), "TASK")
}

#[test]
fn a_budget_that_is_reached_is_a_question_with_prices() {
    let (shop, task) = reached();
    assert_eq!(shop.look(&task).status(), Status::Parked);
    insta::assert_snapshot!(shown(&shop, &task, &["budget", task.as_str()]), @r#"
    TASK is parked, phase implement
      builder: 4 calls, $0.12, 6,000 tokens, 4 min 4 s, 12 turns
      budget: $0.12 of $0.10
      gates: 1 passed, 0 failed
      agent turns spent on the engine: 0 (each turn belongs to the receipt of a role)
    ? The budget is reached: $0.12 of $0.10. Shall it go on?
      · raise to $0.18: about 2 more calls at the mean price so far
        sealwright budget TASK --dollars 0.18
      · raise to $0.24: about 4 more calls at the mean price so far
        sealwright budget TASK --dollars 0.24
      · abandon the task
        sealwright resolve TASK abandon-task --because "…"
    = 0
    "#);
    let inbox = shown(&shop, &task, &["inbox"]);
    assert!(inbox.contains("The budget is reached: $0.12 of $0.10. Shall it go on?"), "{inbox}");
    assert!(inbox.contains("sealwright budget TASK --dollars 0.18"), "{inbox}");
    assert!(inbox.contains("sealwright resolve TASK abandon-task"), "{inbox}");
    let status = shown(&shop, &task, &["status"]);
    assert!(status.contains("TASK  parked, phase implement"), "{status}");
    let show = shown(&shop, &task, &["show", task.as_str()]);
    assert!(show.contains("sealwright budget TASK --dollars 0.24"), "{show}");
    assert!(show.contains("sealwright resolve TASK abandon-task"), "{show}");
    let state = shop.read(&task, "STATE.md");
    assert!(state.contains("- **Next step:** a person raises the budget"), "{state}");
    assert!(state.contains("- Option budget --dollars 0.18: raise to $0.18"), "{state}");
    assert!(shop.read(&task, "evidence.html").contains("The budget is reached"));
}

#[test]
fn a_raise_lets_the_task_go_on_and_stands_in_the_record() {
    let (shop, task) = reached();
    let id = task.as_str();
    let yes = shown(&shop, &task, &["approve", id, "--because", "go on"]);
    assert!(yes.contains("it needs a higher budget") && yes.ends_with("= 12"), "{yes}");
    let low = shop.see(&["budget", id, "--dollars", "0.12"]);
    assert!(low.contains("the new budget does not exceed the money already spent"), "{low}");
    assert!(low.contains("hint: ") && low.ends_with("= 12"), "{low}");
    let role = shop.see_with(&["budget", id, "--dollars", "5"], &[("SEALWRIGHT_ROLE", "builder")]);
    assert!(role.contains("agents may not run") && role.ends_with("= 12"), "{role}");
    let raised = shop.see(&["budget", id, "--dollars", "5", "--minutes", "90"]);
    assert!(raised.contains("of $5.00") && raised.ends_with("= 0"), "{raised}");
    assert!(shop.see(&["log", id]).contains("Ada set the budget: $5.00, 90 min"));
    let Ended::Over(anchor) = shop.run_paying(&task, PRICE) else { panic!("it is not over") };
    let bill = shop.see(&["budget", id]);
    assert!(
        bill.contains("gates: ") && bill.contains("agent turns spent on the engine: 0"),
        "{bill}"
    );
    shop.commit(Some(&anchor));
    let verified = shop.see(&["verify", "--allow-changes"]);
    assert!(verified.ends_with("= 0"), "{verified}");
}

#[test]
fn who_does_not_raise_it_gives_the_task_up() {
    let (shop, task) = reached();
    let id = task.as_str();
    let other = shop.see(&["resolve", id, "approve-override", "--because", "it is good"]);
    assert!(other.contains("it needs a higher budget") && other.ends_with("= 12"), "{other}");
    let given_up = shop.see(&["resolve", id, "abandon-task", "--because", "too dear"]);
    assert!(given_up.contains("is abandoned") && given_up.ends_with("= 0"), "{given_up}");
    assert_eq!(shop.look(&task).status(), Status::Abandoned);
    let late = shop.see(&["budget", id, "--dollars", "5"]);
    assert!(late.contains("the task has ended") && late.ends_with("= 12"), "{late}");
    assert!(shop.see(&["verify", "--allow-changes"]).ends_with("= 0"));
}

#[test]
fn a_task_without_a_budget_has_a_bill_and_asks_nobody_about_money() {
    let shop = TestRepo::new();
    let task = shop.create(&["--yes"]);
    assert!(matches!(shop.run_paying(&task, PRICE), Ended::Over(_)));
    let bill = shop.see(&["budget", task.as_str()]);
    assert!(bill.contains("builder: ") && !bill.contains("budget: "), "{bill}");
    // The project has spent what its tasks have.
    let calls = shop.look(&task).data().unwrap().spending.all().calls;
    let spent = Tasks::of(&shop.journal()).spent().unwrap();
    assert_eq!(spent.micro_dollars, 30_000 * u64::from(calls));
}

const PRICE: Cost = Cost { millis: 61_000, tokens: 1_500, micro_dollars: 30_000 };

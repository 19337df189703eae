//! The part of the page above the details: request, checks and unproven points.

use sealwright_kernel::task::{Input, PersonInput, Phase};
use sealwright_kernel::{Cheat, scripted};

use crate::revived;
use crate::scenario::{Scenario, done, honest};

#[test]
fn the_first_screen_answers_before_the_details_begin() {
    let page = done().view("evidence.html");
    let order = [
        "<strong>Done</strong> <span>PASS, decided by the run, auto-resolved: every check holds",
        "id=\"asked\">Request",
        "failed before <a class=\"mono\" href=\"#EV-000001\">",
        "<span class=\"word good\">proven</span> <span>a tenant&#x27;s limit does not touch",
        "no check covers this",
        "<span class=\"word open\">unproven</span> <span>tests pass for two tenants at once",
        "id=\"proven\">Checks",
        "id=\"unproven\">Not proven",
        "<li>No hold-out tests</li>",
        "<li>Run without a sandbox: red run, ",
        "<li>Out of scope: limits per user</li>",
        "id=\"cost\">Cost",
        "id=\"seen\">Evidence",
    ];
    let mut from = 0;
    for wanted in order {
        let at =
            page[from..].find(wanted).unwrap_or_else(|| panic!("{wanted} is not in its place"));
        from += at;
    }
    assert!(!page.contains("id=\"problems\""));
}

/// A check that failed and passes now appears once on the first screen, with its latest verdict.
#[test]
fn only_the_latest_of_each_check_counts_and_the_others_are_folded_away() {
    let scenario = revived();
    let (page, text) = (scenario.view("evidence.html"), scenario.view("EVIDENCE.md"));
    let (screen, details) = page.split_once("id=\"seen\"").unwrap();
    let row = "class=\"subject\" href=\"#";
    let subjects: Vec<&str> =
        screen.split(row).skip(1).map(|it| it.split(['>', '<']).nth(1).unwrap()).collect();
    let data = scenario.task.data().unwrap();
    let mut once = subjects.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((once.len(), subjects.contains(&"check-tests")), (subjects.len(), true));
    assert!(subjects.len() < data.evidence.len());
    let folded = data.evidence.len() - subjects.len();
    assert!(details.contains(&format!("Superseded, or for earlier trees: {folded}<")));
    assert!(screen.contains("<li>This is attempt 2</li>"));
    assert!(screen.contains("<li>Failed and fixed since: "));
    assert_eq!(text.lines().filter(|line| line.starts_with("- Check: ")).count(), subjects.len());
    assert!(text.contains("- Not proven: Out of scope: limits per user\n"), "{text}");
}

#[test]
fn a_fixed_cheat_stays_on_the_first_screen() {
    let mut scenario =
        Scenario::created().until(|task| task.phase() == Some(Phase::Review), honest);
    let says =
        PersonInput::Heal { cheat: Cheat::Overfit, reason: "it knows <b>two</b>".to_owned() };
    scenario.hear(Input::Person { by: scripted::ada(), says });
    let problem = format!("Cheat confirmed, {}: it knows ", Cheat::Overfit.name());
    let page = scenario.view("evidence.html");
    let (screen, _) = page.split_once("id=\"seen\"").unwrap();
    assert!(screen.contains(&format!("<li>{problem}&lt;b&gt;two")), "{screen}");
    assert!(scenario.view("EVIDENCE.md").contains(&format!("- Problem: {problem}&lt;b>two")));
}

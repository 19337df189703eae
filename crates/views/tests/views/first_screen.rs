//! What a reviewer sees before scrolling: what was asked, what was proven and how, and what is not proven.

use sealwright_kernel::task::{Input, PersonInput, Phase};
use sealwright_kernel::{Cheat, scripted};

use crate::revived;
use crate::scenario::{Tale, done, honest};

#[test]
fn the_first_screen_answers_before_the_details_begin() {
    let page = done().view("evidence.html");
    let order = [
        "<strong>Done</strong> <span>PASS, opened by the run, auto-resolved: every check holds",
        "id=\"asked\">What was asked",
        "failed before <a class=\"mono\" href=\"#EV-000001\">",
        "<span class=\"word good\">shown</span> <span>a tenant&#x27;s limit does not touch",
        "no check stands for this",
        "<span class=\"word open\">not shown</span> <span>tests pass for two tenants at once",
        "id=\"proven\">What was proven, and how",
        "id=\"unproven\">What is not proven",
        "<li>No test was kept from the builder&#x27;s sight</li>",
        "<li>Run without walls: red run, ",
        "<li>Left out on purpose: limits per user</li>",
        "id=\"cost\">What it cost",
        "id=\"seen\">Everything that was seen",
    ];
    let mut from = 0;
    for wanted in order {
        let at =
            page[from..].find(wanted).unwrap_or_else(|| panic!("{wanted} is not in its place"));
        from += at;
    }
    assert!(!page.contains("What went wrong on the way"));
}

/// A check that failed and was mended stands on the first screen once, as it is now.
#[test]
fn only_the_latest_of_each_check_counts_and_the_others_are_folded_away() {
    let scenario = revived();
    let (page, text) = (scenario.view("evidence.html"), scenario.view("EVIDENCE.md"));
    let (screen, details) = page.split_once("id=\"seen\"").unwrap();
    let row = "class=\"subject\" href=\"#";
    let subjects: Vec<&str> =
        screen.split(row).skip(1).map(|it| it.split(['>', '<']).nth(1).unwrap()).collect();
    let known = scenario.task.data().unwrap();
    let mut once = subjects.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((once.len(), subjects.contains(&"check-tests")), (subjects.len(), true));
    assert!(subjects.len() < known.evidence.len());
    let folded = known.evidence.len() - subjects.len();
    assert!(details.contains(&format!("Superseded, or seen on earlier trees: {folded}<")));
    assert!(screen.contains("<li>This is attempt 2</li>"));
    assert!(screen.contains("<li>Failed on the way: "));
    assert_eq!(text.lines().filter(|line| line.starts_with("- Seen: ")).count(), subjects.len());
    assert!(text.contains("- Not proven: Left out on purpose: limits per user\n"), "{text}");
}

#[test]
fn a_cheat_that_was_mended_stays_on_the_first_screen() {
    let mut scenario = Tale::created().until(|task| task.phase() == Some(Phase::Review), honest);
    let says =
        PersonInput::Heal { cheat: Cheat::Overfit, reason: "it knows <b>two</b>".to_owned() };
    scenario.hear(Input::Person { by: scripted::ada(), says });
    let told = format!("Cheat confirmed, {}: it knows ", Cheat::Overfit.name());
    let page = scenario.view("evidence.html");
    let (screen, _) = page.split_once("id=\"seen\"").unwrap();
    assert!(screen.contains(&format!("<li>{told}&lt;b&gt;two")), "{screen}");
    assert!(scenario.view("EVIDENCE.md").contains(&format!("- On the way: {told}&lt;b>two")));
}

//! The pull request keeps its structure with hostile text.

use pulldown_cmark::{Event, Options, Parser};
use sealwright_kernel::task::{Status, Task};
use sealwright_store::Head;
use sealwright_views::steers;
use sealwright_views::{PullRequest, ViewInput, pull_request};

use crate::hostile::SUFFIX;
use crate::revived;
use crate::scenario::{Scenario, done, halted, honest, parked};

#[test]
fn only_finished_work_has_one() {
    assert_eq!(offered(&parked()), None);
    assert_eq!(offered(&halted()), None);
    assert_eq!(offered(&done()).unwrap().title, "make the rate limiter per tenant");
}

#[test]
fn it_lists_the_request_the_checks_and_the_unproven_points() {
    insta::assert_snapshot!("pull_request", offered(&done()).unwrap().body);
    let revived = revived().until(|task| task.status() == Status::Shipped, honest);
    let body = offered(&revived).unwrap().body;
    assert!(body.contains("## Problems\n\n- Failed and fixed since: "), "{body}");
}

/// Hostile text changes no heading, list, cell, code or trailer, and links, notifies or closes nothing.
#[test]
fn hostile_text_changes_no_structure_and_notifies_no_person() {
    let is_shipped = |task: &Task| task.status() == Status::Shipped;
    let friendly = offered(&done()).unwrap();
    for suffix in [SUFFIX, CALLS] {
        let hostile = offered(&Scenario::with_suffix(suffix).until(is_shipped, honest)).unwrap();
        assert_eq!(shape(&hostile.body), shape(&friendly.body), "{}", hostile.body);
        assert!(!hostile.title.contains('\n') && hostile.title.chars().count() <= 121);
        let text = format!("{}{}", hostile.title, hostile.body.replace('\n', ""));
        assert!(!text.chars().any(steers), "{text:?}");
        for called in ["@ada", "#12", "GH-3", "://", "www.x"] {
            assert!(!hostile.body.contains(called), "{called} in {}", hostile.body);
        }
        let trailers = hostile.body.trim_end().rsplit("\n\n").next().unwrap().lines();
        let names: Vec<&str> = trailers.map(|line| line.split(": ").next().unwrap()).collect();
        assert!(names.iter().all(|name| name.starts_with("Sealwright-")), "{names:?}");
    }
}

fn offered(scenario: &Scenario) -> Option<PullRequest> {
    let last = scenario.records.last().unwrap();
    let head = Head { seq: last.seq, hash: last.hash };
    let (task, chronicle) = (&scenario.task, &scenario.chronicle);
    pull_request(&ViewInput { task, chronicle, head, at: last.at, outputs: &|_| None })
}

/// The parsed Markdown without its text.
fn shape(body: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let kind = |event: Event<'_>| match event {
        Event::Start(tag) => Some(format!("{:?}", tag.to_end())),
        Event::End(_) | Event::Text(_) => None,
        other => Some(format!("{other:?}").split('(').next().unwrap_or_default().to_owned()),
    };
    Parser::new_ext(body, options).filter_map(kind).collect()
}

const CALLS: &str = " @ada, closes #12, fixes GH-3, o/r#12 https://x.y www.x.y | a | b |\n| c |";

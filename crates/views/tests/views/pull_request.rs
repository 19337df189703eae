//! What others are offered: the same whatever the texts in it want to be.

use pulldown_cmark::{Event, Options, Parser};
use sealwright_kernel::task::{Status, Task};
use sealwright_store::Head;
use sealwright_views::steers;
use sealwright_views::{PullRequest, Telling, pull_request};

use crate::hostile::SUFFIX;
use crate::revived;
use crate::scenario::{Tale, done, halted, honest, parked};

#[test]
fn only_finished_work_has_one() {
    assert_eq!(offered(&parked()), None);
    assert_eq!(offered(&halted()), None);
    assert_eq!(offered(&done()).unwrap().title, "make the rate limiter per tenant");
}

#[test]
fn it_says_what_was_asked_what_was_proven_and_what_was_not() {
    insta::assert_snapshot!("pull_request", offered(&done()).unwrap().body);
    let revived = revived().until(|task| task.status() == Status::Shipped, honest);
    let body = offered(&revived).unwrap().body;
    assert!(body.contains("## What went wrong on the way\n\n- Failed on the way: "), "{body}");
}

/// Headings, lists, cells, code and trailers are where a friendly world has them; nothing links, calls or closes.
#[test]
fn hostile_text_changes_no_shape_and_calls_nobody() {
    let is_told = |task: &Task| task.status() == Status::Shipped;
    let friendly = offered(&done()).unwrap();
    for suffix in [SUFFIX, CALLS] {
        let hostile = offered(&Tale::told_with(suffix).until(is_told, honest)).unwrap();
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

fn offered(scenario: &Tale) -> Option<PullRequest> {
    let last = scenario.records.last().unwrap();
    let head = Head { seq: last.seq, hash: last.hash };
    let (task, chronicle) = (&scenario.task, &scenario.chronicle);
    pull_request(&Telling { task, chronicle, head, at: last.at, outputs: &|_| None })
}

/// What a reader of Markdown would build from it, without the words.
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

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use sealwright_kernel::{Effect as _, Input as _, fold};

#[test]
fn an_honest_result_is_accepted_and_its_tree_kept() {
    let story = play([
        request(Access::Write),
        context(1),
        started(1),
        answered(1),
        inspected(1, []),
        settled("checkpoint", 1),
    ]);
    insta::assert_snapshot!(story, @"
    < request
    owed INV-000007/context/try-1
    < context built (context/try-1)
    owed INV-000007/invoke/try-1
    < started (invoke/try-1)
    owed INV-000007/invoke/try-1
    < answered (invoke/try-1)
    owed INV-000007/inspect/try-1
    < inspected: nothing wrong (inspect/try-1)
    owed INV-000007/checkpoint/try-1
    < tree settled (checkpoint/try-1)
    = accepted, over
    ");
}

#[test]
fn an_unreadable_answer_is_asked_for_again_twice_and_no_more() {
    let unreadable =
        |attempt| [context(attempt), answered(attempt), inspected(attempt, [schema()])];
    let inputs = [request(Access::ReadOnly)]
        .into_iter()
        .chain(unreadable(1))
        .chain(unreadable(2))
        .chain(unreadable(3));
    insta::assert_snapshot!(play(inputs), @"
    < request
    owed INV-000007/context/try-1
    < context built (context/try-1)
    owed INV-000007/invoke/try-1
    < answered (invoke/try-1)
    owed INV-000007/inspect/try-1
    < inspected: schema (inspect/try-1)
    owed INV-000007/context/try-2
    < context built (context/try-2)
    owed INV-000007/invoke/try-2
    < answered (invoke/try-2)
    owed INV-000007/inspect/try-2
    < inspected: schema (inspect/try-2)
    owed INV-000007/context/try-3
    < context built (context/try-3)
    owed INV-000007/invoke/try-3
    < answered (invoke/try-3)
    owed INV-000007/inspect/try-3
    < inspected: schema (inspect/try-3)
    = rejected, over
    ");
}

#[test]
fn a_write_outside_the_allowance_is_not_asked_for_again() {
    let outside = Finding::WroteOutside { place: "tests/frozen.rs".to_string() };
    let story = play([
        request(Access::Write),
        context(1),
        answered(1),
        inspected(1, [schema(), outside]),
        settled("restore", 1),
    ]);
    insta::assert_snapshot!(last_lines(&story, 4), @"
    < inspected: schema, wrote outside (inspect/try-1)
    owed INV-000007/restore/try-1
    < tree settled (restore/try-1)
    = rejected, over
    ");
}

#[test]
fn three_dead_calls_in_a_row_stop_the_step() {
    let dead = |attempt| [context(attempt), aborted("invoke", attempt)];
    let inputs =
        [request(Access::ReadOnly)].into_iter().chain(dead(1)).chain(dead(2)).chain(dead(3));
    insta::assert_snapshot!(last_lines(&play(inputs), 5), @"
    owed INV-000007/context/try-3
    < context built (context/try-3)
    owed INV-000007/invoke/try-3
    < aborted (invoke/try-3)
    = aborted, over
    ");
}

#[test]
fn an_answer_ends_a_row_of_dead_calls() {
    let dead = |attempt| [context(attempt), aborted("invoke", attempt)];
    let inputs = [request(Access::ReadOnly)]
        .into_iter()
        .chain(dead(1))
        .chain(dead(2))
        .chain([context(3), answered(3), inspected(3, [schema()])])
        .chain(dead(4));
    insta::assert_snapshot!(last_lines(&play(inputs), 2), @"
    < aborted (invoke/try-4)
    owed INV-000007/context/try-5
    ");
}

#[test]
fn an_answer_to_an_earlier_call_is_refused() {
    let story = play([
        request(Access::ReadOnly),
        context(1),
        started(1),
        aborted("invoke", 1),
        context(2),
        started(2),
        answered(1),
        answered(2),
        answered(2),
    ]);
    insta::assert_snapshot!(last_lines(&story, 8), @"
    < started (invoke/try-2)
    owed INV-000007/invoke/try-2
    < answered (invoke/try-1)
    ! INV-000007/invoke/try-1 is not owed
    < answered (invoke/try-2)
    owed INV-000007/inspect/try-2
    < answered (invoke/try-2)
    ! INV-000007/invoke/try-2 is not owed
    ");
}

#[test]
fn only_a_person_with_a_reason_may_call_it_off() {
    let ada = Actor::Human("ada".to_string());
    let story = play([
        cancel(7, ada.clone(), "wrong task"),
        request(Access::Write),
        context(1),
        cancel(7, Actor::Machine, "wrong task"),
        cancel(7, Actor::Role(Role::Builder, InvocationId::new(7)), "wrong task"),
        cancel(8, ada.clone(), "wrong task"),
        cancel(7, ada.clone(), " "),
        cancel(7, ada.clone(), "wrong task"),
        cancel(7, ada, "wrong task"),
        settled("restore", 1),
        request(Access::Write),
    ]);
    insta::assert_snapshot!(story, @"
    < cancel
    ! no errand was requested
    < request
    owed INV-000007/context/try-1
    < context built (context/try-1)
    owed INV-000007/invoke/try-1
    < cancel
    ! only a person may cancel
    < cancel
    ! only a person may cancel
    < cancel
    ! the input names INV-000008, but this is INV-000007
    < cancel
    ! a cancellation needs a reason
    < cancel
    owed INV-000007/restore/try-1
    < cancel
    ! INV-000007 has its result already
    < tree settled (restore/try-1)
    = aborted, over
    < request
    ! INV-000007 has been requested already
    ");
}

#[test]
fn an_event_that_follows_on_nothing_is_nothing() {
    let context = Digest::of(b"context");
    let mut errand = Errand::default();
    errand.evolve(&Event::Started { context });
    errand.evolve(&Event::Retried { attempt: 9 });
    assert_eq!(errand, Errand::default());
}

proptest! {
    /// A careless world answers what it was asked, early, late, twice, or about something
    /// else. Whatever it does: no panic, calls stay bounded, nothing is heard twice, only
    /// what is owed is answered, endings are final and owe nothing, `owed_after` hides
    /// nothing, and the journal rebuilds the same errand.
    #[test]
    fn a_careless_world_cannot_break_an_errand(
        access in prop_oneof![Just(Access::ReadOnly), Just(Access::Write)],
        dice in prop::collection::vec(any::<u16>(), 0..200),
    ) {
        let mut errand = Errand::default();
        let mut asked: Vec<Effect> = Vec::new();
        let mut heard: Vec<Input> = Vec::new();
        let mut events: Vec<Event> = Vec::new();
        for die in dice {
            let input = careless_answer(die, access, &asked);
            let owed: BTreeSet<EffectId> = errand.owed().iter().map(|it| it.id()).collect();
            let over = errand.is_over();
            let Ok(decided) = errand.decide(&input) else { continue };
            prop_assert!(!decided.is_empty(), "accepted without a fact: {input:?}");
            prop_assert!(!over, "an ended errand accepted {input:?}");
            prop_assert!(!heard.contains(&input), "heard twice: {input:?}");
            if let Some(effect) = input.answers() {
                prop_assert!(owed.contains(effect), "answered what was not owed: {effect}");
            }
            let mut named = owed;
            decided.iter().for_each(|event| errand.evolve(event));
            named.extend(errand.owed_after(&decided).iter().map(|it| it.id()));
            for effect in errand.owed() {
                prop_assert!(named.contains(&effect.id()), "owed in secret: {}", effect.id());
                prop_assert!(errand.owes(&effect.id()));
            }
            if errand.is_over() {
                prop_assert_eq!(errand.owed(), Vec::<Effect>::new());
            } else {
                prop_assert!(!errand.owed().is_empty(), "stuck: {errand:?}");
            }
            if let Some((_, attempt)) = errand.state.subject() {
                prop_assert!(attempt <= CALLS_MAX, "call {attempt} of {CALLS_MAX}");
            }
            asked.extend(errand.owed());
            heard.push(input);
            events.extend(decided);
        }
        prop_assert_eq!(&fold::<Errand>(&events), &errand);
        let stored = serde_json::to_string(&(&errand, &heard, &events, &asked)).unwrap();
        type Stored = (Errand, Vec<Input>, Vec<Event>, Vec<Effect>);
        let read: Stored = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(read, (errand, heard, events, asked));
    }
}

#[test]
fn the_most_calls_an_errand_can_take_are_known() {
    // Breadth first over every answer the world can give; the tree is finite.
    let mut front = [Errand::default()].to_vec();
    let mut most = 0;
    while let Some(errand) = front.pop() {
        most = most.max(errand.state.subject().map_or(0, |(_, attempt)| attempt));
        let inputs: Vec<Input> = match errand.owed().first() {
            None if errand.is_over() => continue,
            None => [request(Access::Write)].to_vec(),
            Some(effect) => every_answer(effect),
        };
        for input in inputs {
            let Ok(events) = errand.decide(&input) else { continue };
            let mut next = errand.clone();
            events.iter().for_each(|event| next.evolve(event));
            front.push(next);
        }
    }
    assert_eq!(most, CALLS_MAX);
}

/// Three answers, each after two dead calls.
const CALLS_MAX: u32 = (SCHEMA_RETRIES_MAX + 1) * ABORTS_IN_A_ROW_MAX;

fn careless_answer(die: u16, access: Access, asked: &[Effect]) -> Input {
    let [kind, which] = die.to_be_bytes();
    let Some(last) = asked.len().checked_sub(1) else { return request(access) };
    match kind % 16 {
        0 => request(access),
        1 => cancel(u32::from(which % 2) + 6, Actor::Human("ada".to_string()), "enough"),
        2 => cancel(7, Actor::Environment, "enough"),
        // Something that was asked at some time; mostly the latest.
        3..=5 => answer(kind / 16, &asked[usize::from(which) % asked.len()]),
        _ => answer(kind / 16, &asked[last]),
    }
}

fn answer(kind: u8, effect: &Effect) -> Input {
    let answers = every_answer(effect);
    answers[usize::from(kind) % answers.len()].clone()
}

fn every_answer(effect: &Effect) -> Vec<Input> {
    let id = effect.id();
    let about = |text: &str| Digest::of(format!("{text} {id}").as_bytes());
    let abort = Input::Aborted { effect: id.clone(), why: Fault::TimedOut };
    let inspected = |findings| Input::Inspected { effect: id.clone(), findings };
    match effect {
        Effect::BuildContext { .. } => {
            [Input::ContextBuilt { effect: id.clone(), context: about("context") }, abort].to_vec()
        }
        Effect::Invoke { .. } => {
            let capture = Capture { output: about("output"), changes: about("changes") };
            let answered = Input::Answered { effect: id.clone(), capture };
            [answered, Input::Started { effect: id.clone() }, abort].to_vec()
        }
        Effect::Inspect { .. } => [
            inspected([].to_vec()),
            inspected([schema()].to_vec()),
            inspected([Finding::NoProgress].to_vec()),
            inspected([Finding::ToolOutside { tool: "curl".to_string() }, schema()].to_vec()),
        ]
        .to_vec(),
        Effect::Checkpoint { .. } | Effect::Restore { .. } => {
            [Input::TreeSettled { effect: id.clone(), at: about("tree") }].to_vec()
        }
    }
}

fn play(inputs: impl IntoIterator<Item = Input>) -> String {
    let mut story = String::new();
    let mut errand = Errand::default();
    for input in inputs {
        writeln!(story, "< {}", tell(&input)).unwrap();
        match errand.decide(&input) {
            Err(rejected) => writeln!(story, "! {rejected}").unwrap(),
            Ok(events) => {
                events.iter().for_each(|event| errand.evolve(event));
                for effect in errand.owed() {
                    writeln!(story, "owed {}", effect.id()).unwrap();
                }
                if errand.is_over() {
                    writeln!(story, "= {}, over", name(errand.state())).unwrap();
                }
            }
        }
    }
    story
}

fn last_lines(story: &str, count: usize) -> String {
    let lines: Vec<&str> = story.lines().collect();
    lines[lines.len() - count..].join("\n")
}

fn tell(input: &Input) -> String {
    let what = match input {
        Input::Request { .. } => "request".to_string(),
        Input::ContextBuilt { .. } => "context built".to_string(),
        Input::Started { .. } => "started".to_string(),
        Input::Answered { .. } => "answered".to_string(),
        Input::Aborted { .. } => "aborted".to_string(),
        Input::Inspected { findings, .. } if findings.is_empty() => {
            "inspected: nothing wrong".to_string()
        }
        Input::Inspected { findings, .. } => {
            let list: Vec<&str> = findings.iter().map(finding_name).collect();
            format!("inspected: {}", list.join(", "))
        }
        Input::TreeSettled { .. } => "tree settled".to_string(),
        Input::Cancel { .. } => "cancel".to_string(),
    };
    match input.answers() {
        Some(effect) => format!("{what} ({})", effect.as_str().trim_start_matches("INV-000007/")),
        None => what,
    }
}

fn finding_name(finding: &Finding) -> &'static str {
    match finding {
        Finding::SchemaInvalid { .. } => "schema",
        Finding::WroteOutside { .. } => "wrote outside",
        Finding::ToolOutside { .. } => "tool outside",
        Finding::NoProgress => "no progress",
    }
}

fn name(state: &State) -> &'static str {
    match state {
        State::Idle => "idle",
        State::Requested { .. } => "requested",
        State::ContextBuilt { .. } => "context built",
        State::Running { .. } => "running",
        State::Captured { .. } => "captured",
        State::Accepted { .. } => "accepted",
        State::Rejected { .. } => "rejected",
        State::Aborted { .. } => "aborted",
    }
}

fn request(access: Access) -> Input {
    let task = Digest::of(b"task");
    Input::Request { brief: Brief { id: InvocationId::new(7), role: Role::Builder, access, task } }
}

fn effect(what: &str, attempt: u32) -> EffectId {
    EffectId::of("INV-000007", what, attempt)
}

fn context(attempt: u32) -> Input {
    Input::ContextBuilt { effect: effect("context", attempt), context: Digest::of(b"context") }
}

fn started(attempt: u32) -> Input {
    Input::Started { effect: effect("invoke", attempt) }
}

fn answered(attempt: u32) -> Input {
    let capture = Capture { output: Digest::of(b"output"), changes: Digest::of(b"changes") };
    Input::Answered { effect: effect("invoke", attempt), capture }
}

fn aborted(what: &str, attempt: u32) -> Input {
    Input::Aborted { effect: effect(what, attempt), why: Fault::Dropped }
}

fn inspected<const N: usize>(attempt: u32, findings: [Finding; N]) -> Input {
    Input::Inspected { effect: effect("inspect", attempt), findings: findings.to_vec() }
}

fn settled(what: &str, attempt: u32) -> Input {
    Input::TreeSettled { effect: effect(what, attempt), at: Digest::of(b"tree") }
}

fn cancel(errand: u32, by: Actor, reason: &str) -> Input {
    Input::Cancel { errand: InvocationId::new(errand), by, reason: reason.to_string() }
}

fn schema() -> Finding {
    Finding::SchemaInvalid { why: "no `verdict`".to_string() }
}

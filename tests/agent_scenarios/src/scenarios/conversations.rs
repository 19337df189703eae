//! Scenarios of a role that is asked again.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use anyhow::Result;
use sealwright_agents::{Deed, Event};
use sealwright_scripted_model::{Action, Seen};
use serde_json::Value;

use super::work::{is_answered, script};
use super::{Verdict, summary};
use crate::route::Route;
use crate::runner::{RunResult, RunSpec, execute};

/// A builder, asked again, goes on where it was; so most of what its model is asked begins like what it was asked before, and
/// its owner's cache has it. Asked without its conversation, it begins anew.
pub(super) fn goes_on(route: &Route) -> Result<Verdict> {
    let (place, port) = (tempfile::tempdir()?, port()?);
    let (own, other) = (place.path().join("builder"), place.path().join("judge"));
    let first = ask(route, port, FIRST, Some(&own))?;
    if !can_go_on(route) {
        let second = ask(route, port, SECOND, Some(&own))?;
        return Ok(Verdict::all(
            "it cannot go on",
            &[
                ("nothing is kept", !own.exists()),
                ("it begins anew", is_answered(&second) && !is_told(&second, FIRST)),
            ],
        ));
    }
    let second = ask(route, port, SECOND, Some(&own))?;
    let anew = ask(route, port, SECOND, None)?;
    let stranger = ask(route, port, SECOND, Some(&other))?;
    let third = ask(route, port, THIRD, Some(&own))?;
    let runs = [&first, &second, &anew, &stranger, &third];
    let (all, known) = after(&first, &second);
    let (all_anew, known_anew) = after(&first, &anew);
    Ok(Verdict::all(
        format!(
            "{}, {:?} tokens; of the second's first question {known} of {all} bytes were asked before; anew, {known_anew} of {all_anew}",
            summary(&third.outcome),
            runs.map(used)
        ),
        &[
            ("each call is answered", runs.into_iter().all(is_answered)),
            (
                "each did what it was asked",
                runs.into_iter().all(|it| it.files.contains_key("made.txt")),
            ),
            ("the second knows what was said", is_told(&second, FIRST)),
            ("and is told what it is asked", is_told(&second, SECOND)),
            (
                "what it did before is not told as new",
                answers_of(&second) == 1 && answers_of(&third) == 1,
            ),
            ("the third knows both", is_told(&third, FIRST) && is_told(&third, SECOND)),
            (
                "only what it used itself is counted",
                runs.into_iter().all(|it| used(it) == used(&first)),
            ),
            ("without its conversation it knows nothing", !is_told(&anew, FIRST)),
            ("nor does another role", !is_told(&stranger, FIRST)),
            ("more was asked before than anew", known > known_anew),
        ],
    ))
}

/// A conversation that its program cannot go on with costs nothing: the role begins anew.
pub(super) fn begins_anew(route: &Route) -> Result<Verdict> {
    if !can_go_on(route) {
        return Ok(Verdict::all("it cannot go on", &[]));
    }
    let (place, port) = (tempfile::tempdir()?, port()?);
    let own = place.path().join("builder");
    ask(route, port, FIRST, Some(&own))?;
    let was_kept = own.is_file();
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&own)?)?;
    kept["text"] = "{}\n".into();
    std::fs::write(&own, kept.to_string())?;
    let second = ask(route, port, SECOND, Some(&own))?;
    let third = ask(route, port, THIRD, Some(&own))?;
    Ok(Verdict::all(
        summary(&second.outcome),
        &[
            ("the first was kept", was_kept),
            ("the second is answered", is_answered(&second) && is_told(&second, SECOND)),
            ("it began anew", !is_told(&second, FIRST)),
            ("the third goes on with the second", is_answered(&third) && is_told(&third, SECOND)),
        ],
    ))
}

fn ask(route: &Route, port: u16, brief: &str, conversation: Option<&Path>) -> Result<RunResult> {
    let write = Action::Write { path: "made.txt".to_owned(), text: "made\n".to_owned() };
    let spec = RunSpec::of(script(route, [write]));
    execute(route, RunSpec { brief, conversation, port, ..spec })
}

/// A port that is free, for all models of a scenario, one after the other.
fn port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The others store their conversations in databases, beside their settings, or put what was said together anew.
fn can_go_on(route: &Route) -> bool {
    ["codex", "claude-code"].iter().any(|program| route.key.starts_with(program))
}

fn used(run: &RunResult) -> u64 {
    run.outcome.spent.usage.total()
}

/// How often it is heard to hand in an answer.
fn answers_of(run: &RunResult) -> usize {
    let hands_in = |event: &&Event| matches!(event, Event::ToolUse { deed: Deed::Role, tool, .. } if tool.contains("submit_result"));
    run.events.iter().filter(hands_in).count()
}

fn is_told(run: &RunResult, words: &str) -> bool {
    questions(run).any(|asked| asked.body.to_string().contains(words))
}

/// How long the messages of a run's first question are, and how much of their beginning was asked in the run before.
fn after(before: &RunResult, run: &RunResult) -> (usize, usize) {
    let Some(first) = questions(run).next().map(messages) else { return (0, 0) };
    let same = |other: &Seen| -> usize {
        let alike = first.iter().zip(messages(other)).take_while(|(one, other)| *one == other);
        alike.map(|(one, _)| one.len()).sum()
    };
    (first.iter().map(String::len).sum(), questions(before).map(same).max().unwrap_or(0))
}

/// The messages of a question, without the marks that say what a cache shall keep.
fn messages(asked: &Seen) -> Vec<String> {
    let messages =
        ["messages", "input", "contents"].iter().find_map(|key| asked.body[*key].as_array());
    messages.into_iter().flatten().map(|message| unmarked(message.clone()).to_string()).collect()
}

fn unmarked(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(unmarked).collect(),
        Value::Object(members) => {
            let members = members.into_iter().filter(|(key, _)| key != "cache_control");
            members.map(|(key, value)| (key, unmarked(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn questions(run: &RunResult) -> impl Iterator<Item = &Seen> {
    run.asked.iter().filter(|asked| !asked.tools.is_empty())
}

const FIRST: &str = "Write `made.txt` as the word zinnober-11 asks, then hand the result in.";
const SECOND: &str = "Write `made.txt` as the word kobalt-22 asks, then hand the result in.";
const THIRD: &str = "Write `made.txt` as the word ocker-33 asks, then hand the result in.";

//! One frame, for whoever has no terminal: words for people, a value for programs.

use sealwright_kernel::Timestamp;
use serde_json::{Value, json};

use super::facts::{Tone, clock, facts};
use super::screen::sign;
use super::sight::{Row, RowState, Screenful, Standing, TaskDetail};
use super::transcript::Call;
use super::writer::Writer;
use crate::commands::status;
use crate::error::CliError;
use crate::output::{Output, bad, counted, good, sanitize, timestamp, warn};

/// Prints what is seen: the tasks, then the one that is looked at.
pub(crate) fn print(
    sight: &Screenful,
    now: Timestamp,
    output: &mut Output,
) -> Result<(), CliError> {
    if let Some(trouble) = &sight.trouble {
        output.line(&bad(&format!("! {}", sanitize(trouble))))?;
    }
    if sight.tasks.is_empty() {
        return output.line("no tasks yet; `sealwright new \"…\"` makes one");
    }
    for seen in sight.tasks.iter().take(ROWS_MAX) {
        let task = seen.task.as_str();
        output.line(&match &seen.told {
            RowState::Unread | RowState::Nothing => format!("· {task} is being created"),
            RowState::Damaged => {
                bad(&format!("✗ {task} is damaged; `sealwright verify` says where"))
            }
            RowState::Row(row) => {
                let (sign, tone) = sign(row.status);
                let (state, since) = (status::name(row.status), timestamp(row.since));
                let phase = row.phase.map(|phase| format!(", in {phase}")).unwrap_or_default();
                let line = format!("{sign} {task}  {state}{phase}, since {since}");
                format!("{}\n  {}", toned(tone, &line), sanitize(&row.title))
            }
        })?;
    }
    if sight.tasks.len() > ROWS_MAX {
        let hidden = counted((sight.tasks.len() - ROWS_MAX) as u64, "more task");
        output.line(&format!("{hidden}; use --format json"))?;
    }
    let Some(shown) = &sight.shown else { return Ok(()) };
    output.line("")?;
    for fact in facts(shown, now) {
        let mut name = fact.name;
        for (tone, text) in &fact.lines {
            output.line(&format!("{name:<8}{}", toned(*tone, text)))?;
            name = "";
        }
    }
    let Some(call) = &shown.last else { return Ok(()) };
    output.line(&format!("transcript of {:04}-{}", call.number, sanitize(&call.part)))?;
    let from = call.tail.len().saturating_sub(TAIL_MAX);
    for said in &call.tail[from..] {
        let (at, how, text) = (clock(said.at), said.how.word(), sanitize(&said.text));
        output.line(&format!("  {at} {how:<8}{text}"))?;
    }
    Ok(())
}

/// What is seen, for programs.
pub(crate) fn value(sight: &Screenful) -> Value {
    let tasks: Vec<Value> = sight
        .tasks
        .iter()
        .map(|seen| {
            let row = match &seen.told {
                RowState::Row(row) => of_row(row),
                RowState::Unread | RowState::Nothing | RowState::Damaged => Value::Null,
            };
            json!({ "task": seen.task, "row": row })
        })
        .collect();
    json!({ "tasks": tasks, "shown": sight.shown.as_deref().map(of_shown) })
}

fn of_row(row: &Row) -> Value {
    let Row { title, status, phase, since, asks } = row;
    json!({ "title": title, "status": status, "phase": phase, "since": since, "asks": asks })
}

fn of_shown(shown: &TaskDetail) -> Value {
    let slices: Vec<Value> = shown
        .slices
        .iter()
        .map(|it| json!({ "slice": it.id, "state": it.state, "gate_runs": it.gate_runs, "what": it.what }))
        .collect();
    let evidence = shown.evidence.as_ref().map(
        |it| json!({ "id": it.id, "gate": it.gate, "verdict": it.verdict, "excerpt": it.excerpt }),
    );
    let writer = match shown.writer {
        Writer::Here => "here",
        Writer::Nobody => "nobody",
        Writer::Unknown => "unknown",
    };
    let open: Vec<Value> = shown.open.iter().map(|(call, it)| of_call(call, Some(*it))).collect();
    let cost = shown.cost;
    json!({
        "task": shown.task,
        "recorded": shown.recorded,
        "next": shown.next,
        "red": shown.red,
        "slices": slices,
        "evidence": evidence,
        "question": shown.inbox.as_ref().map(|inbox| &inbox.question),
        "commands": shown.inbox.as_ref().map_or(&[][..], |inbox| &inbox.commands),
        "writer": writer,
        "calls": open,
        "last": shown.last.as_ref().map(|call| of_call(call, None)),
        "transcript": shown.last.as_ref().map_or(vec![], transcript),
        "cost": {
            "micro_dollars": cost.micro_dollars,
            "tokens": cost.tokens,
            "calls": cost.calls,
            "checks_ms": cost.checks_ms,
        },
    })
}

fn of_call(call: &Call, standing: Option<Standing>) -> Value {
    let state = match (standing, &call.ended) {
        (_, Some(_)) => "ended",
        (Some(Standing::Runs), None) => "runs",
        (Some(Standing::Broken), None) => "broken",
        (Some(Standing::Unknown) | None, None) => "unknown",
    };
    let begun = call.begun.as_ref();
    json!({
        "call": call.number,
        "part": call.part,
        "state": state,
        "role": begun.map(|it| &it.role),
        "agent": begun.map(|it| &it.agent),
        "model": begun.map(|it| &it.model),
        "begun": begun.map(|it| it.at),
        "news": call.news,
        "ended": call.ended.as_ref().map(|it| &it.end),
    })
}

fn transcript(call: &Call) -> Vec<Value> {
    let from = call.tail.len().saturating_sub(TAIL_MAX);
    let said = call.tail[from..].iter();
    said.map(|it| json!({ "at": it.at, "how": it.how.word(), "text": it.text })).collect()
}

fn toned(tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain | Tone::Dim => text.to_owned(),
        Tone::Good => good(text),
        Tone::Warn => warn(text),
        Tone::Bad => bad(text),
    }
}

const ROWS_MAX: usize = 40;
const TAIL_MAX: usize = 20;

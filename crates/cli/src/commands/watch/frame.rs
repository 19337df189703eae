//! One frame without a terminal: text for people, a wire type for programs.

use sealwright_kernel::Timestamp;
use sealwright_views::wire::{
    AgentCall, CallState, TranscriptKind, TranscriptLine, WatchCost, WatchDetail, WatchEvidence,
    WatchFrame, WatchRow, WatchSlice, WatchTask, WriterPlace,
};

use super::facts::{Tone, clock, facts};
use super::screen::sign;
use super::sight::{
    EvidenceSeen, Row, RowState, Screenful, SliceSeen, Spent, Standing, TaskDetail, TaskLine,
};
use super::transcript::{Call, How, Said};
use super::writer::Writer;
use crate::commands::inbox::wire_question;
use crate::commands::status;
use crate::error::CliError;
use crate::output::{Output, bad, counted, good, sanitize, timestamp, warn};

/// Prints the tasks, then the selected one.
pub(crate) fn print(
    sight: &Screenful,
    now: Timestamp,
    output: &mut Output,
) -> Result<(), CliError> {
    if let Some(trouble) = &sight.trouble {
        output.line(&bad(&format!("! {}", sanitize(trouble))))?;
    }
    if sight.tasks.is_empty() {
        return output.line("no tasks; `sealwright new \"…\"` creates one");
    }
    for seen in sight.tasks.iter().take(ROWS_MAX) {
        let task = seen.task.as_str();
        output.line(&match &seen.told {
            RowState::Unread | RowState::Nothing => format!("· {task} is being created"),
            RowState::Damaged => bad(&format!("✗ {task} is damaged; see `sealwright verify`")),
            RowState::Row(row) => {
                let (sign, tone) = sign(row.status);
                let (state, since) = (status::name(row.status), timestamp(row.since));
                let phase = status::phase(row.phase);
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

/// The frame as a wire type.
pub(crate) fn wire(sight: &Screenful) -> WatchFrame {
    let task = |seen: &TaskLine| WatchTask {
        task: (&seen.task).into(),
        row: match &seen.told {
            RowState::Row(row) => Some(wire_row(row)),
            RowState::Unread | RowState::Nothing | RowState::Damaged => None,
        },
    };
    WatchFrame {
        tasks: sight.tasks.iter().map(task).collect(),
        shown: sight.shown.as_deref().map(wire_detail),
    }
}

fn wire_row(row: &Row) -> WatchRow {
    WatchRow {
        title: (&row.title).into(),
        status: row.status.into(),
        phase: row.phase.map(Into::into),
        since: row.since.into(),
        asks: row.asks.as_ref().map(Into::into),
    }
}

fn wire_detail(shown: &TaskDetail) -> WatchDetail {
    let slice = |it: &SliceSeen| WatchSlice {
        slice: (&it.id).into(),
        state: it.state.into(),
        gate_runs: it.gate_runs,
        what: it.what.clone(),
    };
    let evidence = |it: &EvidenceSeen| WatchEvidence {
        id: it.id.clone().into(),
        gate: (&it.gate).into(),
        verdict: it.verdict.into(),
        excerpt: it.excerpt.clone(),
    };
    let inbox = shown.inbox.as_ref();
    let Spent { micro_dollars, tokens, calls, checks_ms } = shown.cost;
    WatchDetail {
        task: (&shown.task).into(),
        recorded: shown.recorded.into(),
        next: (&shown.next).into(),
        red: shown.red.iter().map(Into::into).collect(),
        slices: shown.slices.iter().map(slice).collect(),
        evidence: shown.evidence.as_ref().map(evidence),
        question: inbox.map(|inbox| wire_question(inbox.question.clone())),
        commands: inbox.map_or(vec![], |inbox| inbox.commands.iter().map(Into::into).collect()),
        writer: match shown.writer {
            Writer::Here => WriterPlace::Here,
            Writer::NotHere => WriterPlace::Nobody,
            Writer::Unknown => WriterPlace::Unknown,
        },
        calls: shown.open.iter().map(|(call, it)| wire_call(call, Some(*it))).collect(),
        last: shown.last.as_ref().map(|call| wire_call(call, None)),
        transcript: shown.last.as_ref().map_or(vec![], transcript),
        cost: WatchCost { micro_dollars, tokens, calls, checks_ms },
    }
}

fn wire_call(call: &Call, standing: Option<Standing>) -> AgentCall {
    let state = match (standing, &call.ended) {
        (_, Some(_)) => CallState::Ended,
        (Some(Standing::Runs), None) => CallState::Runs,
        (Some(Standing::Broken), None) => CallState::Broken,
        (Some(Standing::Unknown) | None, None) => CallState::Unknown,
    };
    let begun = call.begun.as_ref();
    AgentCall {
        call: call.number,
        part: (&call.part).into(),
        state,
        role: begun.map(|it| it.role.clone()),
        agent: begun.map(|it| it.agent.clone()),
        model: begun.map(|it| it.model.clone()),
        begun: begun.map(|it| it.at.into()),
        news: call.news.into(),
        ended: call.ended.as_ref().map(|it| it.end.clone()),
    }
}

fn transcript(call: &Call) -> Vec<TranscriptLine> {
    let from = call.tail.len().saturating_sub(TAIL_MAX);
    let line = |said: &Said| TranscriptLine {
        at: said.at.into(),
        how: match said.how {
            How::Says => TranscriptKind::Says,
            How::Runs => TranscriptKind::Runs,
            How::Edits => TranscriptKind::Edits,
            How::Reads => TranscriptKind::Reads,
            How::Asks => TranscriptKind::Asks,
            How::Uses => TranscriptKind::Uses,
            How::Changed => TranscriptKind::Changed,
            How::Warns => TranscriptKind::Warns,
            How::Ended => TranscriptKind::Ended,
        },
        text: said.text.clone(),
    };
    call.tail[from..].iter().map(line).collect()
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

//! One frame as a wire type.

use super::{
    Call, EvidenceSeen, Row, RowState, Said, Screenful, SliceSeen, Standing, TaskDetail, TaskLine,
    WindowLine,
};
use crate::OpenQuestion;
use crate::wire::{
    AgentCall, CallState, LoginWindow, Question, TranscriptLine, WatchDetail, WatchEvidence,
    WatchFrame, WatchRow, WatchSlice, WatchTask, WatchWindow,
};

impl From<&Screenful> for WatchFrame {
    fn from(sight: &Screenful) -> Self {
        let row = |row: &Row| WatchRow {
            title: (&row.title).into(),
            status: row.status.into(),
            phase: row.phase.map(Into::into),
            since: row.since.into(),
            asks: row.asks.as_ref().map(Into::into),
        };
        let task = |seen: &TaskLine| WatchTask {
            task: (&seen.task).into(),
            row: match &seen.told {
                RowState::Row(told) => Some(row(told)),
                RowState::Unread | RowState::Nothing | RowState::Damaged => None,
            },
        };
        Self {
            tasks: sight.tasks.iter().map(task).collect(),
            shown: sight.shown.as_deref().map(detail),
            windows: sight.windows.iter().map(window).collect(),
        }
    }
}

fn window(window: &WindowLine) -> WatchWindow {
    let WindowLine { login, length, used_permille, resets } = window;
    let (length, used_permille, resets) = (length.clone(), *used_permille, resets.map(Into::into));
    WatchWindow {
        login: login.as_str().into(),
        window: LoginWindow { length, used_permille, resets },
    }
}

impl From<OpenQuestion> for Question {
    fn from(question: OpenQuestion) -> Self {
        Self {
            id: (&question.id).into(),
            item: question.item.into(),
            text: question.text.into(),
            options: question.options.into_iter().map(Into::into).collect(),
            recommendation: question.recommendation.into(),
            confidence: question.confidence,
        }
    }
}

fn detail(shown: &TaskDetail) -> WatchDetail {
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
    WatchDetail {
        task: (&shown.task).into(),
        recorded: shown.recorded.into(),
        next: (&shown.next).into(),
        red: shown.red.iter().map(Into::into).collect(),
        slices: shown.slices.iter().map(slice).collect(),
        evidence: shown.evidence.as_ref().map(evidence),
        question: inbox.map(|inbox| inbox.question.clone().into()),
        commands: inbox.map_or(vec![], |inbox| inbox.commands.iter().map(Into::into).collect()),
        writer: shown.writer,
        calls: shown.open.iter().map(|(call, it)| call_of(call, Some(*it))).collect(),
        last: shown.last.as_ref().map(|call| call_of(call, None)),
        transcript: shown.last.as_ref().map_or(vec![], transcript),
        cost: shown.cost.clone(),
    }
}

fn call_of(call: &Call, standing: Option<Standing>) -> AgentCall {
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
    let from = call.tail.len().saturating_sub(TAIL_LINES_MAX);
    let line =
        |said: &Said| TranscriptLine { at: said.at.into(), how: said.how, text: said.text.clone() };
    call.tail[from..].iter().map(line).collect()
}

/// As many lines of a transcript are in a frame.
pub const TAIL_LINES_MAX: usize = 20;

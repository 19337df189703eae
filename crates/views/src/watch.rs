//! What `sealwright watch` shows: plain data, built from folded streams and transcripts, and its words.
//!
//! The command reads the files of other processes and draws; nothing here does.

mod call;
mod facts;
mod frame;
pub mod status;

use sealwright_kernel::task::{Event, Phase, QuestionSubject, Status, Task};
use sealwright_kernel::{
    Cost, Effect as _, EffectId, Machine as _, Source, TaskId, Timestamp, Verdict,
};

use crate::answer_commands::answer_commands;
use crate::cost_report::bill;
use crate::wire::{WatchCost, WriterPlace};
use crate::{OpenQuestion, is_red, next_step, verdict};

pub use call::{Begun, Call, Ended, Said, cut};
pub use facts::{Fact, Tone, age, clock, facts, name, sign};
pub use frame::TAIL_LINES_MAX;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screenful {
    /// Every task; those that wait for a person first.
    pub tasks: Vec<TaskLine>,
    /// The selected task.
    pub shown: Option<Box<TaskDetail>>,
    /// Why the repository cannot be read.
    pub trouble: Option<String>,
    /// How much of the logins that agents use is used up, as their makers last said.
    pub windows: Vec<WindowLine>,
}

/// A usage window of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowLine {
    /// The program, such as `codex`.
    pub login: String,
    pub length: String,
    pub used_permille: u32,
    pub resets: Option<Timestamp>,
}

/// The windows in one short line, such as `codex 5h 42 %, 7d 9 %`.
pub fn windows(windows: &[WindowLine]) -> String {
    let mut line = String::new();
    let mut last = "";
    for window in windows {
        if !line.is_empty() {
            line.push_str(", ");
        }
        if window.login != last {
            line.push_str(&window.login);
            line.push(' ');
        }
        line.push_str(&format!("{} {} %", window.length, window.used_permille / 10));
        last = &window.login;
    }
    line
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLine {
    pub task: TaskId,
    pub told: RowState,
}

/// What is known of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Not read yet.
    Unread,
    /// Empty: the task is being created.
    Nothing,
    /// Unreadable; see `verify`.
    Damaged,
    Row(Row),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub title: String,
    pub status: Status,
    pub phase: Option<Phase>,
    /// Since when status and phase have these values.
    pub since: Timestamp,
    /// The text of the open question.
    pub asks: Option<String>,
}

/// The selected task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDetail {
    pub task: TaskId,
    pub row: Row,
    /// Attempt, lane, autonomy and risk in words.
    pub terms: String,
    /// When the last record was written.
    pub recorded: Timestamp,
    /// The next step in words.
    pub next: String,
    pub slices: Vec<SliceSeen>,
    pub evidence: Option<EvidenceSeen>,
    pub inbox: Option<Inbox>,
    /// Hand edits that wait for a person.
    pub red: Vec<String>,
    pub writer: WriterPlace,
    /// The calls that have not ended, the oldest first.
    pub open: Vec<(Call, Standing)>,
    /// The call whose transcript is shown.
    pub last: Option<Call>,
    pub cost: WatchCost,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceSeen {
    pub id: String,
    pub state: &'static str,
    pub gate_runs: u32,
    pub what: String,
}

/// The newest evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceSeen {
    pub id: String,
    pub gate: String,
    pub verdict: Verdict,
    /// The verdict in words.
    pub said: &'static str,
    /// Whether the tests ran before the change and had to fail.
    pub is_red_run: bool,
    pub excerpt: String,
}

/// The open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbox {
    pub question: OpenQuestion,
    /// The commands that answer it.
    pub commands: Vec<String>,
}

/// The state of a call without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Runs,
    /// Its process died, or the effect was tried again or settled.
    Broken,
    Unknown,
}

/// A folded task.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    pub task: Task,
    /// When the last record was written.
    pub at: Timestamp,
    /// Since when status and phase have these values.
    pub since: Timestamp,
}

impl Folded {
    /// Folds the events of the next record.
    pub fn take(&mut self, at: Timestamp, events: &[Event]) {
        let before = (self.task.status(), self.task.phase());
        events.iter().for_each(|event| self.task.evolve(event));
        self.at = at;
        if before != (self.task.status(), self.task.phase()) || self.since == Timestamp::default() {
            self.since = at;
        }
    }

    /// Nothing if the task was never created.
    pub fn row(&self) -> Option<Row> {
        let known = self.task.data()?;
        Some(Row {
            title: cut(&known.charter.title, TITLE_CHARS_MAX),
            status: self.task.status(),
            phase: self.task.phase(),
            since: self.since,
            asks: self.task.question().map(|(_, question)| cut(&question.text(), TEXT_CHARS_MAX)),
        })
    }
}

impl TaskDetail {
    /// Nothing if the task was never created. `calls` are sorted, the oldest first.
    pub fn of(folded: &Folded, calls: &[Call], writer: WriterPlace) -> Option<Self> {
        let (task, row) = (&folded.task, folded.row()?);
        let known = task.data()?;
        let charter = &known.charter;
        let terms = format!(
            "attempt {}, {} lane, autonomy {}, risk {}",
            known.attempt,
            charter.header.lane(charter.lane).name(),
            charter.header.autonomy.name(),
            charter.header.risk.name(),
        );
        let drifted = known.drifted.map(|_| "TASK.md has edits that are not adopted".to_owned());
        let tampered = known.tampered.iter().map(|it| format!("{it} was edited by hand"));
        let open = open(task, calls, writer);
        let running = open.iter().rev().find(|(_, standing)| *standing == Standing::Runs);
        let last = running.map(|(call, _)| call).or(calls.last()).cloned();
        Some(Self {
            task: charter.id.clone(),
            row,
            terms,
            recorded: folded.at,
            next: cut(&next_step(task).unwrap_or_default(), TEXT_CHARS_MAX),
            slices: slices(task),
            evidence: known.evidence.last().map(|record| EvidenceSeen {
                id: record.id.to_string(),
                gate: cut(&record.subject, TITLE_CHARS_MAX),
                verdict: record.verdict,
                said: verdict(record),
                is_red_run: is_red(record),
                excerpt: excerpt(&record.evidence.excerpt),
            }),
            inbox: inbox(task),
            red: drifted.into_iter().chain(tampered).collect(),
            writer,
            open,
            last,
            cost: spent(task, calls),
        })
    }
}

/// Sorts tasks: those that wait for a person first, then the newest.
pub fn in_order(tasks: &mut [TaskLine]) {
    tasks.sort_by_cached_key(|seen| match &seen.told {
        RowState::Row(row) => {
            let newest = std::cmp::Reverse(row.since);
            (status::urgency(row.status), newest, seen.task.clone())
        }
        // A damaged stream needs a person, too.
        RowState::Damaged => (0, std::cmp::Reverse(Timestamp::default()), seen.task.clone()),
        RowState::Nothing | RowState::Unread => {
            (u8::MAX, std::cmp::Reverse(Timestamp::default()), seen.task.clone())
        }
    });
}

fn slices(task: &Task) -> Vec<SliceSeen> {
    let Some(known) = task.data() else { return vec![] };
    let seen = known.plan.iter().enumerate().map(|(nth, (id, planned))| {
        let slice = known.slices.get(nth);
        SliceSeen {
            id: id.to_string(),
            state: slice.map_or("waiting", |slice| status::slice_name(slice.state(), task.stage())),
            gate_runs: slice.map_or(0, |slice| slice.gate_runs()),
            what: cut(&planned.sentence, TITLE_CHARS_MAX),
        }
    });
    seen.collect()
}

fn inbox(task: &Task) -> Option<Inbox> {
    let (id, mut question) = (&task.data()?.charter.id, OpenQuestion::of(task)?);
    let (_, asked) = task.question()?;
    let show = match &asked.about {
        QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
            Some(format!("sealwright show {id}"))
        }
        QuestionSubject::Budget { .. } | QuestionSubject::Halt { .. } => None,
    };
    let answers = answer_commands(task, id.as_str(), &[]).into_iter().map(|it| it.command);
    let commands = show.into_iter().chain(answers).collect();
    question.text = cut(&question.text, TEXT_CHARS_MAX);
    Some(Inbox { question, commands })
}

/// The calls without an end, with their state.
fn open(task: &Task, calls: &[Call], writer: WriterPlace) -> Vec<(Call, Standing)> {
    let owed: Vec<EffectId> = task.owed().iter().map(|effect| effect.id()).collect();
    let mut open = Vec::new();
    for (nth, call) in calls.iter().enumerate().filter(|(_, call)| call.ended.is_none()) {
        let effect = call.begun.as_ref().map(|begun| begun.effect.as_str()).unwrap_or_default();
        let of = |call: &Call| call.begun.as_ref().is_some_and(|begun| begun.effect == effect);
        // The effect was tried again, or is no longer owed.
        let is_asked_again = !effect.is_empty() && calls[nth + 1..].iter().any(of);
        let is_ours = task.data().is_some_and(|it| effect.starts_with(it.charter.id.as_str()));
        let is_settled = is_ours && !owed.iter().any(|owed| owed.as_str() == effect);
        let standing = match writer {
            _ if is_asked_again || is_settled => Standing::Broken,
            WriterPlace::Here => Standing::Runs,
            WriterPlace::Nobody => Standing::Broken,
            WriterPlace::Unknown => Standing::Unknown,
        };
        open.push((call.clone(), standing));
    }
    let surplus = open.len().saturating_sub(OPEN_MAX);
    open.drain(..surplus);
    open
}

/// Receipts in the journal count; until there are any, transcripts do, and without transcripts the evidence.
fn spent(task: &Task, calls: &[Call]) -> WatchCost {
    let records = task.data().map_or(&[][..], |known| &known.evidence);
    let is_check = |it: &Source| matches!(it, Source::Command { .. });
    let checks = records.iter().filter(|it| is_check(&it.evidence.source));
    let checks_ms = checks.fold(0_u64, |sum, it| sum.saturating_add(it.evidence.cost.millis));
    let bill = bill(task).all;
    if bill.calls > 0 {
        let (micro_dollars, tokens, calls) =
            (bill.cost.micro_dollars, bill.cost.tokens, bill.calls);
        return WatchCost { micro_dollars, tokens, calls, checks_ms };
    }
    if calls.is_empty() {
        let all = records.iter().fold(Cost::default(), |sum, it| sum.plus(it.evidence.cost));
        let Cost { micro_dollars, tokens, .. } = all;
        return WatchCost { micro_dollars, tokens, calls: 0, checks_ms };
    }
    let dollars = calls.iter().filter_map(|call| Some(call.ended.as_ref()?.micro_dollars));
    WatchCost {
        micro_dollars: dollars.fold(0, u64::saturating_add),
        tokens: calls.iter().fold(0, |sum, call| call.tokens.saturating_add(sum)),
        calls: u32::try_from(calls.len()).unwrap_or(u32::MAX),
        checks_ms,
    }
}

/// The first lines of an excerpt that are not blank.
fn excerpt(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(EXCERPT_LINES_MAX);
    lines.map(|line| cut(line, TITLE_CHARS_MAX)).collect::<Vec<_>>().join("\n")
}

const TITLE_CHARS_MAX: usize = 200;
const TEXT_CHARS_MAX: usize = 1_000;
const EXCERPT_LINES_MAX: usize = 4;
const OPEN_MAX: usize = 8;

//! The model of the screen: plain data, built from folded streams and transcripts.

use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::{Phase, QuestionSubject, Status, Task};
use sealwright_kernel::{
    Cost, Effect as _, EffectId, Machine as _, Source, TaskId, Timestamp, Verdict,
};
use sealwright_views as views;
use sealwright_views::OpenQuestion;
use sealwright_views::cost_report::bill;

use super::transcript::{Call, cut};
use super::writer::Writer;
use crate::commands::{show, status};
use crate::output::short;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Screenful {
    /// Every task; those that wait for a person first.
    pub(crate) tasks: Vec<TaskLine>,
    /// The selected task.
    pub(crate) shown: Option<Box<TaskDetail>>,
    /// Why the repository cannot be read.
    pub(crate) trouble: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskLine {
    pub(crate) task: TaskId,
    pub(crate) told: RowState,
}

/// What is known of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowState {
    /// Not read yet.
    Unread,
    /// Empty: the task is being created.
    Nothing,
    /// Unreadable; see `verify`.
    Damaged,
    Row(Row),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) title: String,
    pub(crate) status: Status,
    pub(crate) phase: Option<Phase>,
    /// Since when status and phase have these values.
    pub(crate) since: Timestamp,
    /// The text of the open question.
    pub(crate) asks: Option<String>,
}

/// The selected task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskDetail {
    pub(crate) task: TaskId,
    pub(crate) row: Row,
    /// Attempt, lane, autonomy and risk in words.
    pub(crate) terms: String,
    /// When the last record was written.
    pub(crate) recorded: Timestamp,
    /// The next step in words.
    pub(crate) next: String,
    pub(crate) slices: Vec<SliceSeen>,
    pub(crate) evidence: Option<EvidenceSeen>,
    pub(crate) inbox: Option<Inbox>,
    /// Hand edits that wait for a person.
    pub(crate) red: Vec<String>,
    pub(crate) writer: Writer,
    /// The calls that have not ended, the oldest first.
    pub(crate) open: Vec<(Call, Standing)>,
    /// The call whose transcript is shown.
    pub(crate) last: Option<Call>,
    pub(crate) cost: Spent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SliceSeen {
    pub(crate) id: String,
    pub(crate) state: &'static str,
    pub(crate) gate_runs: u32,
    pub(crate) what: String,
}

/// The newest evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvidenceSeen {
    pub(crate) id: String,
    pub(crate) gate: String,
    pub(crate) verdict: Verdict,
    /// The verdict in words.
    pub(crate) said: &'static str,
    /// Whether the tests ran before the change and had to fail.
    pub(crate) is_red_run: bool,
    pub(crate) excerpt: String,
}

/// The open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inbox {
    pub(crate) question: OpenQuestion,
    /// The commands that answer it.
    pub(crate) commands: Vec<String>,
}

/// The state of a call without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Runs,
    /// Its process died, or the effect was tried again or settled.
    Broken,
    Unknown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) micro_dollars: u64,
    pub(crate) tokens: u64,
    /// 0 if only evidence is known.
    pub(crate) calls: u32,
    pub(crate) checks_ms: u64,
}

/// A folded task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    pub(crate) task: Task,
    /// When the last record was written.
    pub(crate) at: Timestamp,
    /// Since when status and phase have these values.
    pub(crate) since: Timestamp,
}

impl Folded {
    /// Folds the events of the next record.
    pub(crate) fn take(&mut self, at: Timestamp, events: &[sealwright_kernel::task::Event]) {
        let before = (self.task.status(), self.task.phase());
        events.iter().for_each(|event| self.task.evolve(event));
        self.at = at;
        if before != (self.task.status(), self.task.phase()) || self.since == Timestamp::default() {
            self.since = at;
        }
    }

    /// Nothing if the task was never created.
    pub(crate) fn row(&self) -> Option<Row> {
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
    pub(crate) fn of(folded: &Folded, calls: &[Call], writer: Writer) -> Option<Self> {
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
            next: cut(&views::next_step(task).unwrap_or_default(), TEXT_CHARS_MAX),
            slices: slices(task),
            evidence: known.evidence.last().map(|record| EvidenceSeen {
                id: record.id.to_string(),
                gate: cut(&record.subject, TITLE_CHARS_MAX),
                verdict: record.verdict,
                said: views::verdict(record),
                is_red_run: views::is_red(record),
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
pub(crate) fn in_order(tasks: &mut [TaskLine]) {
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
            state: slice.map_or("waiting", |slice| show::slice_name(slice.state())),
            gate_runs: slice.map_or(0, |slice| slice.gate_runs()),
            what: cut(&planned.sentence, TITLE_CHARS_MAX),
        }
    });
    seen.collect()
}

fn inbox(task: &Task) -> Option<Inbox> {
    let (id, mut question) = (&task.data()?.charter.id, OpenQuestion::of(task)?);
    let (_, asked) = task.question()?;
    let item = short(&question.item);
    let commands = match &asked.about {
        QuestionSubject::Freeze => vec![
            format!("sealwright show {id}"),
            format!("sealwright approve {id} --item {item}"),
            format!("sealwright decline {id} --because \"…\""),
        ],
        QuestionSubject::Done { .. } => vec![
            format!("sealwright show {id}"),
            format!("sealwright approve {id} --item {item} --because \"…\""),
            format!("sealwright decline {id} --because \"…\""),
        ],
        QuestionSubject::Budget { .. } => vec![
            format!("sealwright budget {id} --dollars N"),
            format!("sealwright resolve {id} abandon-task --because \"…\""),
        ],
        QuestionSubject::Halt { escalation } => {
            let typed = escalation.options.iter().map(|kind| resolution(*kind));
            typed.map(|words| format!("sealwright resolve {id} {words}")).collect()
        }
    };
    question.text = cut(&question.text, TEXT_CHARS_MAX);
    Some(Inbox { question, commands })
}

/// The arguments of `sealwright resolve` for an action.
fn resolution(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "amend-spec --because \"…\" --criterion \"…\"",
        ResolutionKind::RevisePlan => "revise-plan --because \"…\" --plan FILE",
        ResolutionKind::ProvideFix => "provide-fix --because \"…\" --patch FILE",
        ResolutionKind::ApproveOverride => "approve-override --because \"…\"",
        ResolutionKind::AbandonTask => "abandon-task --because \"…\"",
    }
}

/// The calls without an end, with their state.
fn open(task: &Task, calls: &[Call], writer: Writer) -> Vec<(Call, Standing)> {
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
            Writer::Here => Standing::Runs,
            Writer::NotHere => Standing::Broken,
            Writer::Unknown => Standing::Unknown,
        };
        open.push((call.clone(), standing));
    }
    let surplus = open.len().saturating_sub(OPEN_MAX);
    open.drain(..surplus);
    open
}

fn spent(task: &Task, calls: &[Call]) -> Spent {
    let records = task.data().map_or(&[][..], |known| &known.evidence);
    let is_check = |it: &Source| matches!(it, Source::Command { .. });
    let checks = records.iter().filter(|it| is_check(&it.evidence.source));
    let checks_ms = checks.fold(0_u64, |sum, it| sum.saturating_add(it.evidence.cost.millis));
    let bill = bill(task).all;
    if bill.calls > 0 {
        // Receipts in the journal count; transcripts fill in until there are any.
        let (micro_dollars, tokens, calls) =
            (bill.cost.micro_dollars, bill.cost.tokens, bill.calls);
        return Spent { micro_dollars, tokens, calls, checks_ms };
    }
    if calls.is_empty() {
        let all = records.iter().fold(Cost::default(), |sum, it| sum.plus(it.evidence.cost));
        let Cost { micro_dollars, tokens, .. } = all;
        return Spent { micro_dollars, tokens, calls: 0, checks_ms };
    }
    let mut spent = Spent { checks_ms, ..Spent::default() };
    for call in calls {
        let dollars = call.ended.as_ref().map_or(0, |ended| ended.micro_dollars);
        spent.micro_dollars = spent.micro_dollars.saturating_add(dollars);
        spent.tokens = spent.tokens.saturating_add(call.tokens);
        spent.calls = spent.calls.saturating_add(1);
    }
    spent
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

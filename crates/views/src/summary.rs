//! The summary: what was asked, what stands for it, and what nothing stands for, as one screen holds it.
//!
//! It is read off the fold alone. Where the fold cannot tell which test shows a criterion, it names the evidence that
//! all of its tests were run in; whatever was not seen on the tree as it is counts as not proven.
//!
//! All text in it is as it was written; whoever shows it escapes it.

use sealwright_kernel::task::{Completion, FeatureLabel, RecordOwner, Status, TaskData};
use sealwright_kernel::{Cost, EvidenceId, EvidenceRecord, Level, Source, Verdict};

use super::{Telling, amounts, evidence, wording};
use crate::built_in_checks::{ACCEPTANCE, HOLD_OUT, LOOK, STRENGTH};

/// Everything on the first screen below the banner.
pub(super) struct Summary<'k> {
    /// What it is done by, each once.
    pub(super) criteria: Vec<Criterion<'k>>,
    /// The latest evidence of each subject for the tree as it is, and the last red run.
    pub(super) latest: Vec<&'k EvidenceRecord>,
    /// What nothing stands for.
    pub(super) unproven: Vec<String>,
    /// What went wrong before it went well.
    pub(super) trouble: Vec<String>,
    /// What it cost, each under a name.
    pub(super) costs: Vec<(&'static str, String)>,
}

/// One criterion and what stands for it.
pub(super) struct Criterion<'k> {
    pub(super) text: &'k str,
    pub(super) standing: Standing,
    /// What was seen of it, in order, and where.
    pub(super) seen: Vec<(&'static str, EvidenceId)>,
}

/// How a criterion stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// What stands for it passes.
    Shown,
    /// What stands for it fails.
    Failing,
    /// Nothing that stands for it was seen to pass or fail.
    Open,
}

/// How a piece of evidence came about, in a word or two each.
pub(super) struct Came {
    /// What was run, or who was asked.
    pub(super) by: String,
    /// What kept it from helping itself.
    pub(super) walls: &'static str,
}

impl<'k> Summary<'k> {
    pub(super) fn of(telling: &Telling<'_>, known: &'k TaskData) -> Self {
        let latest = latest(known);
        Self {
            criteria: criteria(known, &latest),
            unproven: unproven(telling.task.status(), known, &latest),
            trouble: trouble(telling, known, &latest),
            costs: costs(telling, known),
            latest,
        }
    }
}

impl Standing {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Failing => "fails",
            Self::Open => "not shown",
        }
    }
}

impl Came {
    pub(super) fn about(record: &EvidenceRecord) -> Self {
        match &record.evidence.source {
            Source::Command { argv, confinement: None, .. } if argv.starts_with(&look()) => {
                Self { by: "the machine's own look".to_owned(), walls: "no command" }
            }
            Source::Command { argv, confinement, .. } => Self {
                by: argv.join(" "),
                walls: confinement.as_ref().map_or("no walls", |it| it.level.name()),
            },
            Source::Role { role, .. } => {
                Self { by: format!("the {} was asked", role.name()), walls: "a judgement" }
            }
        }
    }
}

/// The first line of what was said, as far as a line of a table holds it.
pub(super) fn said(record: &EvidenceRecord) -> String {
    let first = record.evidence.excerpt.lines().map(str::trim).find(|line| !line.is_empty());
    let first = first.unwrap_or_default();
    match first.char_indices().nth(SAID_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &first[..end]),
        None => first.to_owned(),
    }
}

/// The latest of each subject that speaks of the tree as it is, and the last red run; before there is such a tree, the
/// latest of each.
fn latest(known: &TaskData) -> Vec<&EvidenceRecord> {
    let red = known.evidence.iter().rev().find(|record| evidence::is_red(record));
    let is_current = |record: &EvidenceRecord| {
        Some(record.evidence.tree) == known.tree || red.is_some_and(|red| red.id == record.id)
    };
    let has_current = known.evidence.iter().any(is_current);
    let mut latest: Vec<&EvidenceRecord> = Vec::new();
    for record in known.evidence.iter().rev() {
        let is_superseded = latest.iter().any(|later| later.subject == record.subject);
        if !is_superseded && (is_current(record) || !has_current) {
            latest.push(record);
        }
    }
    latest.reverse();
    latest
}

fn criteria<'k>(known: &'k TaskData, latest: &[&EvidenceRecord]) -> Vec<Criterion<'k>> {
    let framed = known.frame.iter().flat_map(|frame| &frame.done_gate);
    let mut texts: Vec<&str> = Vec::new();
    for text in known.charter.criteria.iter().chain(framed).map(|text| text.trim()) {
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.into_iter().map(|text| Criterion::of(text, latest)).collect()
}

impl<'k> Criterion<'k> {
    fn of(text: &'k str, latest: &[&EvidenceRecord]) -> Self {
        let cited = cited(text).and_then(|name| check(latest, name));
        // Tests are frozen only if one of them names each criterion, and all of them are run as one check.
        let Some(record) = cited.or_else(|| check(latest, ACCEPTANCE)) else {
            return Self { text, standing: Standing::Open, seen: vec![] };
        };
        let red = latest.iter().find(|record| evidence::is_red(record));
        let held_out = check(latest, HOLD_OUT).filter(|it| ran_tests(it));
        let mut seen: Vec<_> = red.map(|red| ("failed before", red.id)).into_iter().collect();
        let standing = match record.verdict {
            Verdict::Pass => {
                seen.push(("passes now", record.id));
                Standing::Shown
            }
            Verdict::Fail => {
                seen.push(("fails now", record.id));
                Standing::Failing
            }
            Verdict::CannotTell => Standing::Open,
        };
        if let Some(held_out) = held_out.filter(|it| it.verdict == Verdict::Pass) {
            seen.push(("unseen tests too", held_out.id));
        }
        Self { text, standing, seen }
    }
}

fn unproven(status: Status, known: &TaskData, latest: &[&EvidenceRecord]) -> Vec<String> {
    let mut open = Vec::new();
    let left = match &known.record {
        Some(record) => match (record.outcome, &record.owner) {
            (Completion::RiskAccepted, RecordOwner::Person(by)) => format!("Risk accepted by {by}"),
            (Completion::RiskAccepted, RecordOwner::Run) => "Risk accepted".to_owned(),
            (Completion::Pass, _) => "Finding left".to_owned(),
        },
        None => "Open finding".to_owned(),
    };
    open.extend(known.residue.iter().map(|it| format!("{left}, {}", wording::residue_text(it))));
    for record in latest {
        match record.verdict {
            Verdict::Pass => {}
            Verdict::Fail if evidence::is_red(record) => {}
            Verdict::Fail => open.push(format!("{} fails: {}", record.subject, said(record))),
            Verdict::CannotTell => {
                open.push(format!("{} could not tell: {}", record.subject, said(record)));
            }
        }
    }
    if !latest.iter().any(|record| evidence::is_red(record)) {
        open.push("No test was seen to fail before anything was built".to_owned());
    }
    open.extend(not_seen(known, latest));
    open.extend(not_tested(status, known, latest));
    open.extend(weak_walls(latest));
    let features = known.frame.iter().flat_map(|frame| &frame.features);
    let unreal = features.filter(|it| !matches!(it.label, FeatureLabel::RealWorking));
    open.extend(unreal.map(|it| format!("Said to be {}: {}", it.label.name(), it.name)));
    let left_out = known.frame.iter().flat_map(|frame| &frame.not_doing);
    open.extend(left_out.map(|text| format!("Left out on purpose: {text}")));
    let is_role = |record: &&&EvidenceRecord| matches!(record.evidence.source, Source::Role { .. });
    let roles: Vec<&str> =
        latest.iter().filter(is_role).map(|record| record.subject.as_str()).collect();
    if !roles.is_empty() {
        open.push(format!("A role's judgement, not a proof: {}", roles.join(", ")));
    }
    open
}

/// The checks that were due and not seen.
fn not_seen(known: &TaskData, latest: &[&EvidenceRecord]) -> Option<String> {
    let is_missing = |name: &&String| check(latest, name).is_none();
    let missing: Vec<&str> =
        known.charter.checks.iter().filter(is_missing).map(String::as_str).collect();
    (!missing.is_empty()).then(|| format!("Not run on this tree: {}", missing.join(", ")))
}

/// What tests leave open, whatever they say.
fn not_tested(status: Status, known: &TaskData, latest: &[&EvidenceRecord]) -> Vec<String> {
    let mut open = Vec::new();
    let has = |name: &str| known.charter.checks.iter().any(|check| check == name);
    let held_out = check(latest, HOLD_OUT);
    let is_over = matches!(status, Status::Shipped | Status::Abandoned);
    let has_held_out = match held_out {
        Some(record) => ran_tests(record),
        // What is still to come is told as not run.
        None => has(HOLD_OUT) && !is_over,
    };
    if !has_held_out {
        open.push("No test was kept from the builder's sight".to_owned());
    }
    if !has(STRENGTH) {
        open.push("Whether the tests would notice a mistake was not measured".to_owned());
    }
    open.push("Inputs and circumstances that no test tries".to_owned());
    open
}

fn weak_walls(latest: &[&EvidenceRecord]) -> Option<String> {
    let is_weak = |record: &&&EvidenceRecord| match &record.evidence.source {
        Source::Command { argv, confinement: None, .. } => !argv.starts_with(&look()),
        Source::Command { confinement: Some(it), .. } => it.level == Level::Advisory,
        Source::Role { .. } => false,
    };
    let weak: Vec<&str> =
        latest.iter().filter(is_weak).map(|record| record.subject.as_str()).collect();
    (!weak.is_empty()).then(|| format!("Run without walls: {}", weak.join(", ")))
}

fn trouble(telling: &Telling<'_>, known: &TaskData, latest: &[&EvidenceRecord]) -> Vec<String> {
    let cheats = telling.chronicle.cheats().iter();
    let mut trouble: Vec<String> =
        cheats.map(|(cheat, what)| format!("Cheat confirmed, {}: {what}", cheat.name())).collect();
    let is_mended = |record: &&EvidenceRecord| {
        record.verdict == Verdict::Fail
            && !evidence::is_red(record)
            && !latest.iter().any(|it| it.id == record.id)
    };
    match known.evidence.iter().filter(is_mended).count() {
        0 => {}
        fails => trouble.push(format!("Failed on the way: {}", wording::counted(fails, "check"))),
    }
    if known.attempt > 1 {
        trouble.push(format!("This is attempt {}", known.attempt));
    }
    match known.amended.len() {
        0 => {}
        times => trouble.push(format!("Criteria amended: {}", wording::counted(times, "time"))),
    }
    trouble
}

fn costs(telling: &Telling<'_>, known: &TaskData) -> Vec<(&'static str, String)> {
    let all = known.evidence.iter().fold(Cost::default(), |sum, it| sum.plus(it.evidence.cost));
    let began = telling.chronicle.lines().first().map_or(telling.at, |line| line.at);
    let took = telling.at.as_millis().saturating_sub(began.as_millis());
    let first = ("First to last record", amounts::time(took));
    if !known.spending.is_nothing() {
        // Every call has left a receipt, so what evidence says a role cost is in there.
        let checks = known.evidence.iter().filter(|it| !is_role(it));
        let checks = checks.fold(Cost::default(), |sum, it| sum.plus(it.evidence.cost));
        let roles = known.spending.all().cost;
        return vec![
            first,
            ("Checks", amounts::time(checks.millis)),
            ("Roles", amounts::time(roles.millis)),
            ("Tokens", amounts::grouped(roles.tokens)),
            ("Money", amounts::dollars(roles.micro_dollars)),
        ];
    }
    vec![
        first,
        ("Checks", amounts::time(all.millis)),
        ("Tokens", amounts::grouped(all.tokens)),
        ("Money", amounts::dollars(all.micro_dollars)),
    ]
}

fn is_role(record: &EvidenceRecord) -> bool {
    matches!(record.evidence.source, Source::Role { .. })
}

/// What a criterion cites, such as `tests` in `(verify: tests)`.
fn cited(criterion: &str) -> Option<&str> {
    let (_, rest) = criterion.split_once("(verify:")?;
    rest.split_once(')').map(|(verifier, _)| verifier.trim())
}

/// The latest that was seen of the check called `name`.
pub(super) fn check<'k>(latest: &[&'k EvidenceRecord], name: &str) -> Option<&'k EvidenceRecord> {
    latest.iter().copied().find(|record| record.subject.strip_prefix("check-") == Some(name))
}

/// Whether it left a list of tests. A check that had none to run passes all the same.
pub(super) fn ran_tests(record: &EvidenceRecord) -> bool {
    record.evidence.artifacts.iter().any(|artifact| artifact.name == "tests.json")
}

fn look() -> [String; 2] {
    LOOK.map(str::to_owned)
}

const SAID_CHARS_MAX: usize = 90;

//! `evidence.html`: the whole proof on one page, to be opened on a phone, without a script and
//! without anything from elsewhere.
//!
//! What is on it is gathered here as plain text; the template escapes all of it.

use std::sync::LazyLock;

use minijinja::{Environment, UndefinedBehavior};
use sealwright_kernel::task::{Phase, Status, TaskData};
use sealwright_kernel::{Digest, EvidenceRecord, Source, Verdict};
use serde::Serialize;

use super::markdown::{lines, one_line};
use super::summary::{self, Came, Standing, Summary};
use super::{Telling, evidence, link, objective, question, short, state, wording};
use crate::timestamp;

pub(super) fn render(telling: &Telling<'_>, known: &TaskData) -> String {
    let template = TEMPLATES.get_template(NAME).expect("it was added");
    template.render(Page::of(telling, known)).expect("the template asks only for what a page has")
}

/// Everything on the page.
#[derive(Serialize)]
struct Page {
    id: String,
    title: String,
    objective: String,
    criteria: Vec<Criterion>,
    checks: Vec<Check>,
    unproven: Vec<String>,
    unproven_more: Vec<String>,
    trouble: Vec<String>,
    features: Vec<[String; 2]>,
    banner: Banner,
    facts: Vec<[String; 2]>,
    question: Option<Asked>,
    proof: Vec<Proof>,
    on_the_way: Vec<Proof>,
    slices: Vec<[String; 3]>,
    lessons: Vec<[String; 3]>,
    notes: Vec<[String; 2]>,
    costs: Vec<[String; 2]>,
    earlier: usize,
    timeline: Vec<RecordLine>,
    at: String,
    seq: String,
}

/// How it stands, in a word and a line.
#[derive(Serialize)]
struct Banner {
    kind: &'static str,
    word: &'static str,
    line: String,
    gate: Option<String>,
}

/// One criterion, and what stands for it.
#[derive(Serialize)]
struct Criterion {
    text: String,
    kind: &'static str,
    standing: &'static str,
    seen: Vec<[String; 2]>,
}

/// One line about the latest evidence of a subject.
#[derive(Serialize)]
struct Check {
    id: String,
    subject: String,
    kind: &'static str,
    verdict: &'static str,
    said: String,
    by: String,
    walls: &'static str,
    time: String,
}

/// What is open.
#[derive(Serialize)]
struct Asked {
    text: String,
    options: Vec<[String; 2]>,
    advice: String,
    look_at: Vec<String>,
    parts: Vec<(String, Named)>,
    evidence: Vec<String>,
    item: String,
}

/// One piece of evidence.
#[derive(Serialize)]
struct Proof {
    id: String,
    subject: String,
    kind: &'static str,
    verdict: &'static str,
    command: Option<String>,
    source: String,
    tree: Named,
    cost: String,
    text: String,
    about: &'static str,
    output: Named,
    artifacts: Vec<(String, Named)>,
}

/// Content by its digest, short for the eye, with a link where it is known to stand.
#[derive(Serialize)]
struct Named {
    short: String,
    full: String,
    href: Option<String>,
}

/// One record.
#[derive(Serialize)]
struct RecordLine {
    seq: String,
    at: String,
    who: String,
    kind: &'static str,
    said: Vec<String>,
    details: Vec<[String; 2]>,
}

impl Page {
    fn of(telling: &Telling<'_>, known: &TaskData) -> Self {
        let charter = &known.charter;
        let frame = known.frame.clone().unwrap_or_default();
        let feature = |name: &str, label: &str| [one_line(name), label.to_owned()];
        let features = frame.features.iter().map(|it| feature(&it.name, it.label.name()));
        let told = telling.chronicle.lines();
        let earlier = told.len().saturating_sub(TOLD_MAX);
        let summary = Summary::of(telling, known);
        let (proof, on_the_way) = proofs(telling, known, &summary);
        let mut unproven = summary.unproven.iter().map(|text| one_line(text));
        let tell = |(name, text): &(&str, String)| [(*name).to_owned(), text.clone()];
        Self {
            id: charter.id.to_string(),
            title: one_line(&charter.title),
            objective: one_line(objective(known)),
            criteria: summary.criteria.iter().map(Criterion::of).collect(),
            checks: summary.latest.iter().map(|record| Check::of(record)).collect(),
            unproven: unproven.by_ref().take(UNPROVEN_MAX).collect(),
            unproven_more: unproven.collect(),
            trouble: summary.trouble.iter().map(|text| one_line(text)).collect(),
            features: features.collect(),
            banner: Banner::of(telling, known),
            facts: facts(telling, known),
            question: question::open(telling.task, known).map(|open| Asked::of(telling, open)),
            proof,
            on_the_way,
            slices: slices(known),
            lessons: known.post_mortems.iter().map(lesson).collect(),
            notes: known.notes.iter().map(|(by, text)| [one_line(by), lines(text)]).collect(),
            costs: summary.costs.iter().map(tell).collect(),
            earlier,
            timeline: told.iter().skip(earlier).map(RecordLine::of).collect(),
            at: timestamp(telling.at),
            seq: telling.head.seq.to_string(),
        }
    }
}

impl Banner {
    fn of(telling: &Telling<'_>, known: &TaskData) -> Self {
        let task = telling.task;
        let (kind, word) = match (task.status(), task.phase()) {
            (Status::Shipped, _) => ("good", "Done"),
            (Status::Halted, Some(Phase::Blocked)) => ("bad", "Blocked"),
            (Status::Parked | Status::Halted, _) => ("open", "Needs you"),
            (Status::Pending, _) => ("calm", "Not begun"),
            (Status::InProgress, _) => ("calm", "In progress"),
            (Status::Abandoned, _) => ("calm", "Given up"),
        };
        let line = match task.status() {
            Status::Shipped | Status::Abandoned => state::current_result(task, known),
            Status::Pending | Status::InProgress | Status::Parked | Status::Halted => {
                format!("Next: {}", state::next_step(task, known))
            }
        };
        let gate = wording::gate_text(known).map(|text| one_line(&text));
        Self { kind, word, line: one_line(&line), gate }
    }
}

impl Criterion {
    fn of(criterion: &summary::Criterion<'_>) -> Self {
        let seen = criterion.seen.iter();
        Self {
            text: one_line(criterion.text),
            kind: match criterion.standing {
                Standing::Shown => "good",
                Standing::Failing => "bad",
                Standing::Open => "open",
            },
            standing: criterion.standing.name(),
            seen: seen.map(|(what, id)| [(*what).to_owned(), id.to_string()]).collect(),
        }
    }
}

impl Check {
    fn of(record: &EvidenceRecord) -> Self {
        let (kind, verdict) = verdict(record);
        let Came { by, walls } = Came::about(record);
        Self {
            id: record.id.to_string(),
            subject: one_line(&record.subject),
            kind,
            verdict,
            said: one_line(&summary::said(record)),
            by: one_line(&by),
            walls,
            time: evidence::time(record.evidence.cost.millis),
        }
    }
}

impl Asked {
    fn of(telling: &Telling<'_>, open: question::Open) -> Self {
        let parts = open.parts.into_iter();
        let pair = |(name, meaning): &(String, String)| [name.clone(), meaning.clone()];
        Self {
            text: one_line(&open.text),
            options: open.options.iter().map(pair).collect(),
            advice: one_line(&open.advice),
            look_at: open.look_at.iter().map(|text| one_line(text)).collect(),
            parts: parts.map(|(name, content)| (name, Named::of(telling, &content))).collect(),
            evidence: open.evidence.iter().map(ToString::to_string).collect(),
            item: open.item,
        }
    }
}

impl Proof {
    /// The evidence, with as much of its output as `spare` bytes allow.
    fn of(telling: &Telling<'_>, record: &EvidenceRecord, spare: &mut usize) -> Self {
        let seen = &record.evidence;
        let (kind, verdict) = verdict(record);
        let (command, source) = match &seen.source {
            Source::Command { argv, exit, confinement } => {
                let walls = confinement.as_ref().map(|it| format!(", {}", it.level.name()));
                (
                    Some(one_line(&argv.join(" "))),
                    format!("exit {exit}{}", walls.unwrap_or_default()),
                )
            }
            Source::Role { role, invocation } => {
                (None, format!("the {}'s word, {invocation}", role.name()))
            }
        };
        let (text, about) = output(telling, record, spare);
        let named = |content: &Digest| Named::of(telling, content);
        let artifacts = seen.artifacts.iter().map(|it| (one_line(&it.name), named(&it.content)));
        Self {
            id: record.id.to_string(),
            subject: one_line(&record.subject),
            kind,
            verdict,
            command,
            source,
            tree: Named { href: None, ..named(&seen.tree) },
            cost: evidence::cost(&seen.cost),
            text,
            about,
            output: named(&seen.output),
            artifacts: artifacts.collect(),
        }
    }
}

impl Named {
    fn of(telling: &Telling<'_>, content: &Digest) -> Self {
        let href = link(telling.chronicle, content);
        Self { short: short(content), full: content.to_string(), href }
    }
}

impl RecordLine {
    fn of(line: &super::Line) -> Self {
        let details = line.details.iter().map(|(name, text)| [(*name).to_owned(), one_line(text)]);
        Self {
            seq: line.seq.to_string(),
            at: timestamp(line.at),
            who: one_line(&wording::who(&line.actor)),
            kind: line.matter.map_or("", super::Matter::name),
            said: line.said.iter().map(|text| one_line(text)).collect(),
            details: details.collect(),
        }
    }
}

fn facts(telling: &Telling<'_>, known: &TaskData) -> Vec<[String; 2]> {
    let task = telling.task;
    let (charter, header) = (&known.charter, known.charter.header);
    let lane = header.lane(charter.lane).name();
    let rules =
        format!("{lane} lane, autonomy {}, risk {}", header.autonomy.name(), header.risk.name());
    let pair = |name: &str, text: String| [name.to_owned(), text];
    vec![
        pair("Phase", task.phase().map_or("none", Phase::name).to_owned()),
        pair("Attempt", known.attempt.to_string()),
        pair("Rules", rules),
        pair("Asked by", one_line(&known.created_by)),
    ]
}

/// A verdict and how it looks.
fn verdict(record: &EvidenceRecord) -> (&'static str, &'static str) {
    match record.verdict {
        Verdict::Pass => ("good", "pass"),
        Verdict::Fail if evidence::is_red(record) => ("calm", "red"),
        Verdict::Fail => ("bad", "fail"),
        Verdict::CannotTell => ("open", "cannot tell"),
    }
}

/// What the summary rests on, and apart from it everything else.
fn proofs(
    telling: &Telling<'_>,
    known: &TaskData,
    summary: &Summary<'_>,
) -> (Vec<Proof>, Vec<Proof>) {
    let (mut current, mut others) = (Vec::new(), Vec::new());
    // The latest evidence is what a reader came for; the room for output is given to it first.
    let mut spare = OUTPUTS_BYTES_MAX;
    for record in known.evidence.iter().rev() {
        let proof = Proof::of(telling, record, &mut spare);
        match summary.latest.iter().any(|it| it.id == record.id) {
            true => current.push(proof),
            false => others.push(proof),
        }
    }
    current.reverse();
    others.reverse();
    (current, others)
}

/// The output as far as there is room, else the excerpt, and a word about which it is.
fn output(
    telling: &Telling<'_>,
    record: &EvidenceRecord,
    spare: &mut usize,
) -> (String, &'static str) {
    let room = (*spare).min(OUTPUT_BYTES_MAX);
    let whole = if room == 0 { None } else { (telling.outputs)(&record.evidence.output) };
    match whole {
        Some(text) => {
            let end = text.floor_char_boundary(room);
            *spare -= end;
            let about =
                if end < text.len() { "cut here; the rest stands in the store" } else { "" };
            (lines(&text[..end]), about)
        }
        None => {
            let text = &record.evidence.excerpt;
            let end = text.floor_char_boundary(OUTPUT_BYTES_MAX);
            (lines(&text[..end]), "an excerpt; the whole stands in the store")
        }
    }
}

fn slices(known: &TaskData) -> Vec<[String; 3]> {
    let told = known.plan.iter().map(|(id, planned)| {
        let slice =
            known.slices.iter().rev().find(|it| it.charter().is_some_and(|it| it.id == *id));
        let state = slice.map_or("not begun".to_owned(), |it| wording::slice_state(it.state()));
        [id.to_string(), one_line(&planned.sentence), one_line(&state)]
    });
    told.collect()
}

fn lesson(post_mortem: &sealwright_kernel::task::escalation::PostMortem) -> [String; 3] {
    let attempt = post_mortem.attempt.to_string();
    [attempt, one_line(&post_mortem.went_wrong), one_line(&post_mortem.try_next)]
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    // The name ends in `.html`, which is what makes the engine escape everything.
    templates
        .add_template(NAME, include_str!("evidence.html.j2"))
        .expect("the template was rendered in tests");
    templates
});

const NAME: &str = "evidence.html";
/// How much of one output is shown.
const OUTPUT_BYTES_MAX: usize = 16 * 1024;
/// How much of all outputs is shown, so that a phone can still open the page.
const OUTPUTS_BYTES_MAX: usize = 1024 * 1024;
/// How many records are shown; the log has the ones that mattered.
const TOLD_MAX: usize = 200;
/// How much of what is not proven is shown unfolded; the rest is one touch away.
const UNPROVEN_MAX: usize = 12;

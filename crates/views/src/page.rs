//! `evidence.html`: all evidence on one page that runs no script and loads nothing.
//!
//! This module collects plain text; the template escapes all of it.

mod change;

use std::sync::LazyLock;

use minijinja::{Environment, UndefinedBehavior};
use sealwright_kernel::task::{Phase, Status, TaskData};
use sealwright_kernel::{Digest, EvidenceRecord, Source, Verdict};
use serde::Serialize;

use super::markdown::{lines, one_line};
use super::summary::{self, CriterionStatus, Provenance, Summary};
use super::{
    AnswerCommand, ContractSection, ViewInput, amounts, contract, evidence, link, question,
    request, reworded, short, state, wording,
};
use crate::timestamp;

pub(super) fn render(input: &ViewInput<'_>, data: &TaskData) -> String {
    let template = TEMPLATES.get_template(NAME).expect("TEMPLATES adds it");
    template.render(Page::of(input, data)).expect("the template asks only for what a page has")
}

#[derive(Serialize)]
struct Page {
    id: String,
    title: String,
    /// What the person wrote, if it is more than the title.
    request: Option<String>,
    objective: Option<String>,
    held_out: Option<String>,
    criteria: Vec<Criterion>,
    checks: Vec<Check>,
    unproven: Vec<String>,
    unproven_more: Vec<String>,
    problems: Vec<String>,
    features: Vec<[String; 2]>,
    banner: Banner,
    facts: Vec<[String; 2]>,
    question: Option<Question>,
    change: Option<change::Change>,
    contract: Vec<[String; 2]>,
    evidence: Vec<Evidence>,
    superseded: Vec<Evidence>,
    slices: Vec<[String; 3]>,
    lessons: Vec<[String; 3]>,
    notes: Vec<[String; 2]>,
    costs: Vec<[String; 2]>,
    earlier: usize,
    timeline: Vec<RecordLine>,
    at: String,
    seq: String,
}

#[derive(Serialize)]
struct Banner {
    kind: &'static str,
    word: &'static str,
    line: String,
    gate: Option<String>,
}

#[derive(Serialize)]
struct Criterion {
    text: String,
    kind: &'static str,
    status: &'static str,
    seen: Vec<[String; 2]>,
}

/// The latest evidence of a subject, as a table row.
#[derive(Serialize)]
struct Check {
    id: String,
    subject: String,
    kind: &'static str,
    verdict: &'static str,
    said: String,
    by: String,
    sandbox: &'static str,
    time: String,
}

#[derive(Serialize)]
struct Question {
    text: String,
    options: Vec<[String; 3]>,
    advice: String,
    look_at: Vec<String>,
    parts: Vec<(String, Named)>,
    contract: Vec<[String; 2]>,
    evidence: Vec<String>,
    item: String,
}

#[derive(Serialize)]
struct Evidence {
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

/// The digest of stored content, with a link where its size is known.
#[derive(Serialize)]
struct Named {
    short: String,
    full: String,
    href: Option<String>,
}

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
    fn of(input: &ViewInput<'_>, data: &TaskData) -> Self {
        let charter = &data.charter;
        let frame = data.frame.clone().unwrap_or_default();
        let feature = |name: &str, label: &str| [one_line(name), label.to_owned()];
        let features = frame.features.iter().map(|it| feature(&it.name, it.label.name()));
        let records = input.chronicle.lines();
        let earlier = records.len().saturating_sub(RECORDS_MAX);
        let summary = Summary::of(input, data);
        let request = request(input, data);
        let (evidence, superseded) = all_evidence(input, data, &summary);
        let mut unproven = summary.unproven.iter().map(|text| one_line(text));
        let pair = |(name, text): &(&str, String)| [(*name).to_owned(), text.clone()];
        let question = question::open(input, data).map(|open| Question::of(input, open));
        // A contract that waits for its approval stands in the question.
        let is_asked = question.as_ref().is_some_and(|it| !it.contract.is_empty());
        let contract = if is_asked { vec![] } else { contract(data, input.outputs, &|_| None) };
        Self {
            id: charter.id.to_string(),
            title: one_line(&charter.title),
            objective: reworded(data, &request).map(one_line),
            request: (one_line(&request) != one_line(&charter.title)).then(|| lines(&request)),
            held_out: summary.held_out.as_deref().map(one_line),
            criteria: summary.criteria.iter().map(Criterion::of).collect(),
            checks: summary.latest.iter().map(|record| Check::of(record)).collect(),
            unproven: unproven.by_ref().take(UNPROVEN_MAX).collect(),
            unproven_more: unproven.collect(),
            problems: summary.problems.iter().map(|text| one_line(text)).collect(),
            features: features.collect(),
            banner: Banner::of(input, data),
            facts: facts(input, data),
            question,
            change: change::Change::of(input, data),
            contract: contract.iter().map(section).collect(),
            evidence,
            superseded,
            slices: slices(input, data),
            lessons: data.post_mortems.iter().map(lesson).collect(),
            notes: data.notes.iter().map(|(by, text)| [one_line(by), lines(text)]).collect(),
            costs: summary.costs.iter().map(pair).collect(),
            earlier,
            timeline: records.iter().skip(earlier).map(RecordLine::of).collect(),
            at: timestamp(input.at),
            seq: input.head.seq.to_string(),
        }
    }
}

impl Banner {
    fn of(input: &ViewInput<'_>, data: &TaskData) -> Self {
        let task = input.task;
        let (kind, word) = match (task.status(), task.phase()) {
            (Status::Shipped, _) => ("good", "Done"),
            (Status::Halted, Some(Phase::Blocked)) => ("bad", "Blocked"),
            (Status::Parked | Status::Halted, _) => ("open", "Waiting for you"),
            (Status::Pending, _) => ("calm", "Not started"),
            (Status::InProgress, _) => ("calm", "In progress"),
            (Status::Abandoned, _) => ("calm", "Abandoned"),
        };
        let line = match task.status() {
            Status::Shipped | Status::Abandoned => state::current_result(task, data),
            Status::Pending | Status::InProgress | Status::Parked | Status::Halted => {
                format!("Next: {}", state::next_step(task, data))
            }
        };
        let gate = wording::gate_text(data).map(|text| one_line(&text));
        Self { kind, word, line: one_line(&line), gate }
    }
}

impl Criterion {
    fn of(criterion: &summary::Criterion<'_>) -> Self {
        let seen = criterion.seen.iter();
        Self {
            text: one_line(criterion.text),
            kind: match criterion.status {
                CriterionStatus::Proven => "good",
                CriterionStatus::Failing => "bad",
                CriterionStatus::Unproven => "open",
            },
            status: criterion.status.name(),
            seen: seen.map(|(what, id)| [(*what).to_owned(), id.to_string()]).collect(),
        }
    }
}

impl Check {
    fn of(record: &EvidenceRecord) -> Self {
        let (kind, verdict) = verdict(record);
        let Provenance { by, sandbox } = Provenance::of(record);
        Self {
            id: record.id.to_string(),
            subject: one_line(&record.subject),
            kind,
            verdict,
            said: one_line(&summary::said(record)),
            by: one_line(&summary::cut(&by)),
            sandbox,
            time: amounts::time(record.evidence.cost.millis),
        }
    }
}

impl Question {
    fn of(input: &ViewInput<'_>, open: question::Open) -> Self {
        let parts = open.parts.into_iter();
        let option = |it: &AnswerCommand| [&it.name, &it.meaning, &it.command].map(Clone::clone);
        Self {
            text: one_line(&open.text),
            options: open.options.iter().map(option).collect(),
            contract: open.contract.iter().map(section).collect(),
            advice: one_line(&open.advice),
            look_at: open.look_at.iter().map(|text| one_line(text)).collect(),
            parts: parts.map(|(name, content)| (name, Named::of(input, &content))).collect(),
            evidence: open.evidence.iter().map(ToString::to_string).collect(),
            item: open.item,
        }
    }
}

impl Evidence {
    /// Shows at most `spare` bytes of the output, and subtracts the bytes that it shows.
    fn of(input: &ViewInput<'_>, record: &EvidenceRecord, spare: &mut usize) -> Self {
        let seen = &record.evidence;
        let (kind, verdict) = verdict(record);
        let (command, source) = match &seen.source {
            Source::Command { argv, exit, confinement } => {
                let level = confinement.as_ref().map(|it| format!(", {}", it.level.name()));
                (
                    Some(one_line(&argv.join(" "))),
                    format!("exit {exit}{}", level.unwrap_or_default()),
                )
            }
            Source::Role { role, invocation } => {
                (None, format!("the {}'s answer, {invocation}", role.name()))
            }
        };
        let (text, about) = output(input, record, spare);
        let named = |content: &Digest| Named::of(input, content);
        let artifacts = seen.artifacts.iter().map(|it| (one_line(&it.name), named(&it.content)));
        Self {
            id: record.id.to_string(),
            subject: one_line(&record.subject),
            kind,
            verdict,
            command,
            source,
            tree: Named { href: None, ..named(&seen.tree) },
            cost: amounts::cost(&seen.cost),
            text,
            about,
            output: named(&seen.output),
            artifacts: artifacts.collect(),
        }
    }
}

impl Named {
    fn of(input: &ViewInput<'_>, content: &Digest) -> Self {
        let href = link(input.chronicle, content);
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

fn section(it: &ContractSection) -> [String; 2] {
    [one_line(&it.title), lines(&it.text)]
}

fn facts(input: &ViewInput<'_>, data: &TaskData) -> Vec<[String; 2]> {
    let task = input.task;
    let (charter, header) = (&data.charter, data.charter.header);
    let lane = header.lane(charter.lane).name();
    let rules =
        format!("{lane} lane, autonomy {}, risk {}", header.autonomy.name(), header.risk.name());
    let pair = |name: &str, text: String| [name.to_owned(), text];
    vec![
        pair("Phase", task.phase().map_or("none", Phase::name).to_owned()),
        pair("Attempt", data.attempt.to_string()),
        pair("Rules", rules),
        pair("Created by", one_line(&data.created_by)),
    ]
}

/// The CSS class and the text of a verdict.
fn verdict(record: &EvidenceRecord) -> (&'static str, &'static str) {
    match record.verdict {
        Verdict::Pass => ("good", "pass"),
        Verdict::Fail if evidence::is_red(record) => ("calm", "red"),
        Verdict::Fail if evidence::is_rejected(record) => ("bad", "rejected"),
        Verdict::Fail => ("bad", "fail"),
        Verdict::CannotTell => ("open", "cannot tell"),
    }
}

/// The evidence that the summary cites, and all other evidence.
fn all_evidence(
    input: &ViewInput<'_>,
    data: &TaskData,
    summary: &Summary<'_>,
) -> (Vec<Evidence>, Vec<Evidence>) {
    let (mut current, mut others) = (Vec::new(), Vec::new());
    // The newest evidence gets its output shown first.
    let mut spare = OUTPUTS_BYTES_MAX;
    for record in data.evidence.iter().rev() {
        let evidence = Evidence::of(input, record, &mut spare);
        if summary.latest.iter().any(|it| it.id == record.id) {
            current.push(evidence);
        } else {
            others.push(evidence);
        }
    }
    current.reverse();
    others.reverse();
    (current, others)
}

/// The stored output, cut to the room that is left, or else the excerpt; and a remark that says which.
fn output(
    input: &ViewInput<'_>,
    record: &EvidenceRecord,
    spare: &mut usize,
) -> (String, &'static str) {
    let room = (*spare).min(OUTPUT_BYTES_MAX);
    let whole = if room == 0 { None } else { (input.outputs)(&record.evidence.output) };
    match whole {
        Some(text) => {
            let end = text.floor_char_boundary(room);
            *spare -= end;
            let about = if end < text.len() { "truncated; the store has all of it" } else { "" };
            (lines(&text[..end]), about)
        }
        None => {
            let text = &record.evidence.excerpt;
            let end = text.floor_char_boundary(OUTPUT_BYTES_MAX);
            (lines(&text[..end]), "excerpt; the store has all of it")
        }
    }
}

fn slices(input: &ViewInput<'_>, data: &TaskData) -> Vec<[String; 3]> {
    let stage = input.task.stage();
    let slices = data.plan.iter().map(|(id, planned)| {
        let slice = data.slices.iter().rev().find(|it| it.charter().is_some_and(|it| it.id == *id));
        let state =
            slice.map_or("not started".to_owned(), |it| wording::slice_state(it.state(), stage));
        [id.to_string(), one_line(&planned.sentence), one_line(&state)]
    });
    slices.collect()
}

fn lesson(post_mortem: &sealwright_kernel::task::escalation::PostMortem) -> [String; 3] {
    let attempt = post_mortem.attempt.to_string();
    [attempt, one_line(&post_mortem.went_wrong), one_line(&post_mortem.try_next)]
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    // minijinja escapes everything because the name ends in `.html`.
    templates
        .add_template(NAME, include_str!("evidence.html.j2"))
        .expect("tests render the template");
    templates
});

const NAME: &str = "evidence.html";
const OUTPUT_BYTES_MAX: usize = 16 * 1024;
/// Keeps the page small enough for a phone.
const OUTPUTS_BYTES_MAX: usize = 1024 * 1024;
const RECORDS_MAX: usize = 200;
/// The page folds the rest.
const UNPROVEN_MAX: usize = 12;

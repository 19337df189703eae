//! `STATE.md`: where a task stands, for a reader who runs nothing.

use std::fmt::Write as _;

use sealwright_kernel::Role;
use sealwright_kernel::task::{
    HEALS_MAX, Membership, Phase, REVISIONS_MAX, Stage, Status, Task, TaskData, VERIFY_FAILS_MAX,
};

use super::log::blocked;
use super::markdown::{bullets, line};
use super::{Ahead, Telling, evidence, objective, question, short, wording};
use crate::timestamp;

pub(super) fn render(telling: &Telling<'_>, known: &TaskData) -> String {
    let (task, charter) = (telling.task, &known.charter);
    let mut out = format!("# {}: {}\n\n{PREFACE}\n\n", charter.id, line(&charter.title));
    fields(&mut out, telling, known);
    to_advance(&mut out, task, known);
    checklist(&mut out, known);
    counters(&mut out, known);
    open_question(&mut out, telling, known);
    gate_record(&mut out, known);
    post_mortems(&mut out, known);
    out.push_str("\n## Notes\n\n");
    let notes: Vec<String> = known.notes.iter().map(|(by, text)| format!("{by}: {text}")).collect();
    bullets(&mut out, notes.iter().map(String::as_str), "none");
    out
}

/// The seventeen fields.
fn fields(out: &mut String, telling: &Telling<'_>, known: &TaskData) {
    let task = telling.task;
    let frame = known.frame.clone().unwrap_or_default();
    let validation = telling.chronicle.validation();
    let is_known = |text: &&String| !text.trim().is_empty();
    let done_gate: Vec<&String> =
        known.charter.criteria.iter().chain(&frame.done_gate).filter(is_known).collect();
    let checks = known.charter.checks.iter().map(|name| format!("check {name}"));
    let plan: Vec<String> = frame.validation.iter().cloned().chain(checks).collect();
    let yes_no = |yes: bool| if yes { "yes" } else { "no" };
    let is_candidate = matches!(task.phase(), Some(Phase::Verify | Phase::Review | Phase::Done));

    field(out, "Phase", task.phase().map_or("none", Phase::name));
    field(out, "Status", status(task.status()));
    field(out, "Objective", &line(objective(known)));
    list(out, "Done gate", done_gate);
    list(out, "Not doing", &frame.not_doing);
    list(out, "Reality constraints", &frame.reality);
    list(out, "Validation plan", &plan);
    field(out, "Current result", &line(&current_result(task, known)));
    field(out, "Next step", &line(&next_step(task, known)));
    list(out, "Blockers", &blockers(task, known));
    let store = format!(".sealwright/tasks/{} and .sealwright/store/blobs", known.charter.id);
    field(out, "Evidence location", &store);
    field(
        out,
        "Evidence link",
        match known.evidence.is_empty() {
            true => "none yet",
            false => "[evidence.html](evidence.html)",
        },
    );
    field(out, "Candidate done", yes_no(is_candidate));
    field(out, "Validator status", validation.first.name());
    field(out, "Repair applied", yes_no(validation.is_repaired));
    field(out, "Revalidation status", validation.again.name());
    field(out, "Last updated", &timestamp(telling.at));
}

fn to_advance(out: &mut String, task: &Task, known: &TaskData) {
    let charter = &known.charter;
    let Ahead { follows, needed } = ahead(task, known);
    out.push_str("\n## To advance\n\n");
    let _ = writeln!(out, "- What may follow: {follows}");
    let _ = writeln!(out, "- Evidence needed: {}", line(&needed));
    let (lane, header) = (charter.header.lane(charter.lane), charter.header);
    let (lane, risk, rung) = (lane.name(), header.risk.name(), header.autonomy.name());
    let _ = writeln!(out, "- Rules: lane {lane}, autonomy {rung}, risk {risk}");
}

pub(super) fn ahead(task: &Task, known: &TaskData) -> Ahead {
    let charter = &known.charter;
    let duties = charter.header.lane(charter.lane).duties();
    let names = |roles: &[Role]| -> Vec<&str> { roles.iter().map(|role| role.name()).collect() };
    let (readers, judges) = (names(duties.readers), names(duties.judges));
    let next: Vec<&str> =
        task.phase().map_or(&[][..], Phase::next).iter().map(|phase| phase.name()).collect();
    let follows = match (next.is_empty(), task.status()) {
        (false, _) => next.join(", "),
        (true, Status::Pending) => Phase::Intake.name().to_owned(),
        (true, Status::Halted) => "another attempt, once a person resolved the halt".to_owned(),
        (true, Status::InProgress | Status::Parked | Status::Shipped | Status::Abandoned) => {
            "nothing".to_owned()
        }
    };
    let needed = wording::needed(task.stage(), &charter.checks, &readers, &judges);
    Ahead { follows, needed }
}

fn checklist(out: &mut String, known: &TaskData) {
    out.push_str("\n## Feature checklist\n\n");
    let features = known.frame.iter().flat_map(|frame| &frame.features);
    let told: Vec<String> =
        features.map(|feature| format!("{}: {}", feature.label.name(), feature.name)).collect();
    bullets(out, told.iter().map(String::as_str), "none");
}

fn counters(out: &mut String, known: &TaskData) {
    out.push_str("\n## Counters\n\n");
    let _ = writeln!(out, "- Attempt: {}", known.attempt);
    let _ = writeln!(out, "- Verify fails: {} of {VERIFY_FAILS_MAX}", known.verify_fails);
    let _ = writeln!(out, "- Revisions: {} of {REVISIONS_MAX}", known.revisions);
    let _ = writeln!(out, "- Cheats: {} of {HEALS_MAX}", known.heals);
    if let Some(budget) = known.charter.budget {
        let _ = writeln!(out, "- Spent: {}", budget.describe(known.spending.all().cost));
    }
}

fn open_question(out: &mut String, telling: &Telling<'_>, known: &TaskData) {
    out.push_str("\n## Open question\n\n");
    let Some(open) = question::open(telling.task, known) else {
        out.push_str("none\n");
        return;
    };
    let _ = writeln!(out, "{}\n", blocked(&open.text));
    for (name, meaning) in &open.options {
        let _ = writeln!(out, "- Option {name}: {meaning}");
    }
    let _ = writeln!(out, "- Recommendation: {}", line(&open.advice));
    for look_at in &open.look_at {
        let _ = writeln!(out, "- Look at: {}", line(look_at));
    }
    for (name, content) in &open.parts {
        let _ = writeln!(out, "- Read: {name}: {}", evidence::stored(telling, content));
    }
    if !open.evidence.is_empty() {
        let ids: Vec<String> = open.evidence.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "- Evidence: {}", ids.join(", "));
    }
    let _ = writeln!(out, "- Item: {}", line(&open.item));
}

fn gate_record(out: &mut String, known: &TaskData) {
    out.push_str("\n## Gate record\n\n");
    let Some(record) = &known.record else {
        out.push_str("none\n");
        return;
    };
    let _ = writeln!(out, "GATE RECORD: {}\n", wording::outcome_name(record.outcome));
    let _ = writeln!(out, "- Owner: {}", line(&wording::owner_name(record)));
    let _ = writeln!(out, "- Reason: {}", line(&record.reason));
    let _ = writeln!(out, "- Tree: {}", record.tree);
    let header = record.header;
    let (rung, risk) = (header.autonomy.name(), header.risk.name());
    let _ = writeln!(out, "- Header: autonomy {rung}, risk {risk}");
}

fn post_mortems(out: &mut String, known: &TaskData) {
    out.push_str("\n## Post-mortems\n\n");
    if known.post_mortems.is_empty() {
        out.push_str("none\n");
    }
    for post_mortem in &known.post_mortems {
        let _ = writeln!(out, "- Attempt {}", post_mortem.attempt);
        let _ = writeln!(out, "  - Went wrong: {}", line(&post_mortem.went_wrong));
        let _ = writeln!(out, "  - Try next: {}", line(&post_mortem.try_next));
        for avoid in &post_mortem.avoid {
            let _ = writeln!(out, "  - Avoid: {}", line(avoid));
        }
    }
}

pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending: it waits for its turn",
        Status::InProgress => "in progress: the machine is at work",
        Status::Parked => "parked: it waits for a person, and holds up nothing else",
        Status::Halted => "halted: it waits for a person's decision",
        Status::Shipped => "shipped: it is done",
        Status::Abandoned => "abandoned: it was given up",
    }
}

pub(super) fn current_result(task: &Task, known: &TaskData) -> String {
    let proven = known.verified.map(|tree| format!("tree {} is verified", short(&tree)));
    let last = known
        .evidence
        .last()
        .map(|last| format!("{}: {} ({})", last.subject, evidence::verdict(last), last.id));
    match (task.stage(), proven, last) {
        (Stage::Done, Some(proven), _) => format!("{proven} and kept"),
        (_, Some(proven), Some(last)) => format!("{proven}; last seen: {last}"),
        (_, None, Some(last)) => format!("nothing is verified yet; last seen: {last}"),
        (_, Some(proven), None) => proven,
        (_, None, None) => "nothing was seen yet".to_owned(),
    }
}

pub(super) fn next_step(task: &Task, known: &TaskData) -> String {
    let duties = known.charter.header.lane(known.charter.lane).duties();
    let drafter = duties.drafter.name();
    if !task.withheld().is_empty() {
        return "a person raises the budget or gives the task up".to_owned();
    }
    let words = match task.stage() {
        Stage::Unborn => "somebody creates it",
        Stage::Pending => match known.charter.belongs {
            Membership::Alone => "the machine takes the write lease of a work tree",
            Membership::Project => "the project gives it its turn",
        },
        Stage::Intake => "what is wanted is put into words",
        Stage::Drafting { declined: Some(why), .. } => {
            return format!("the {drafter} drafts the contract and the plan anew: {why}");
        }
        Stage::Drafting { declined: None, missing } if !missing.is_empty() => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            return format!("the {drafter} adds what the draft lacks: {}", missing.join(", "));
        }
        Stage::Drafting { .. } => {
            return format!("the {drafter} drafts the contract and the plan");
        }
        Stage::AwaitingFreeze { .. } => "a person approves the contract or says what to change",
        Stage::WritingTests { vacuous } if !vacuous.is_empty() => {
            return format!("tests are written that can fail, instead of {}", vacuous.join(", "));
        }
        Stage::WritingTests { .. } => "the tests of the frozen contract are written",
        Stage::RedRun { .. } => "the machine runs the tests, and they have to fail",
        Stage::Implement => {
            let Some(slice) = known.slices.last() else { return "the first slice begins".into() };
            let state = wording::slice_state(slice.state());
            let id = slice.charter().map_or(String::new(), |charter| charter.id.to_string());
            return format!("{id} goes on; it is {state}");
        }
        Stage::ApplyingFix { .. } => "the person's fix is put into the tree",
        Stage::Probing { .. } => "the machine looks at the candidate",
        Stage::Challenging => "the challenger tries to disprove that it is done",
        Stage::Adjudicating => "the arbiter decides from the record",
        Stage::CheckingAmendments => "it is checked whether the amendments were applied",
        Stage::AwaitingOwner { .. } => "a person says whether it is done",
        Stage::Shipping => "the verified tree is kept",
        Stage::Repair => {
            return format!("this is mended, and nothing else: {}", known.to_mend.join("; "));
        }
        Stage::Halted { escalation } => {
            return format!("a person decides: {}", escalation.cause.decision());
        }
        Stage::Done => "none, it is done",
        Stage::Abandoned => "none, it was given up",
    };
    words.to_owned()
}

/// What stands in the way.
pub(super) fn blockers(task: &Task, known: &TaskData) -> Vec<String> {
    let mut blockers = Vec::new();
    if let Some((_, question)) = task.question() {
        blockers.push(question.text());
    }
    if known.drifted.is_some() {
        blockers.push("the task's text was edited by hand; it is adopted or put back".to_owned());
    }
    let tampered = known.tampered.iter();
    blockers.extend(tampered.map(|it| format!("{it} was tampered with; a person acknowledges it")));
    blockers
}

fn field(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "- **{name}:** {value}");
}

fn list<'a>(out: &mut String, name: &str, values: impl IntoIterator<Item = &'a String>) {
    let values: Vec<String> = values.into_iter().map(|value| blocked(value)).collect();
    match values.as_slice() {
        [] => field(out, name, "none"),
        values => {
            let _ = writeln!(out, "- **{name}:**");
            for value in values {
                let _ = writeln!(out, "  - {value}");
            }
        }
    }
}

const PREFACE: &str = "Rendered from the journal. What you write under Blockers, Next step or Notes \
is kept as a note; every other edit is kept aside and put back.";

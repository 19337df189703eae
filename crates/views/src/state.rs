//! `STATE.md`: the state of a task, readable without running a command.

use std::fmt::Write as _;

use sealwright_kernel::Role;
use sealwright_kernel::task::{
    HEALS_MAX, Membership, Phase, REVISIONS_MAX, Stage, Status, Task, TaskData, VERIFY_FAILS_MAX,
};

use super::log::blocked;
use super::markdown::{bullets, fenced, line};
use super::{
    Ahead, AnswerCommand, ContractSection, ViewInput, evidence, objective, question, short, wording,
};
use crate::timestamp;

pub(super) fn render(input: &ViewInput<'_>, data: &TaskData) -> String {
    let (task, charter) = (input.task, &data.charter);
    let mut out = format!("# {}: {}\n\n{PREFACE}\n\n", charter.id, line(&charter.title));
    fields(&mut out, input, data);
    to_advance(&mut out, task, data);
    checklist(&mut out, data);
    counters(&mut out, data);
    open_question(&mut out, input, data);
    gate_record(&mut out, data);
    post_mortems(&mut out, data);
    out.push_str("\n## Notes\n\n");
    let notes: Vec<String> = data.notes.iter().map(|(by, text)| format!("{by}: {text}")).collect();
    bullets(&mut out, notes.iter().map(String::as_str), "none");
    out
}

/// The seventeen fields.
fn fields(out: &mut String, input: &ViewInput<'_>, data: &TaskData) {
    let task = input.task;
    let frame = data.frame.clone().unwrap_or_default();
    let validation = input.chronicle.validation();
    let is_known = |text: &&String| !text.trim().is_empty();
    let done_gate: Vec<&String> =
        data.charter.criteria.iter().chain(&frame.done_gate).filter(is_known).collect();
    let checks = data.charter.checks.iter().map(|name| format!("check {name}"));
    let plan: Vec<String> = frame.validation.iter().cloned().chain(checks).collect();
    let yes_no = |yes: bool| if yes { "yes" } else { "no" };
    let is_candidate = matches!(task.phase(), Some(Phase::Verify | Phase::Review | Phase::Done));

    field(out, "Phase", task.phase().map_or("none", Phase::name));
    field(out, "Status", status(task.status()));
    field(out, "Objective", &line(objective(data)));
    list(out, "Done gate", done_gate);
    list(out, "Not doing", &frame.not_doing);
    list(out, "Reality constraints", &frame.reality);
    list(out, "Validation plan", &plan);
    field(out, "Current result", &line(&current_result(task, data)));
    field(out, "Next step", &line(&next_step(task, data)));
    list(out, "Blockers", &blockers(task, data));
    let store = format!(".sealwright/tasks/{} and .sealwright/store/blobs", data.charter.id);
    field(out, "Evidence location", &store);
    field(
        out,
        "Evidence link",
        if data.evidence.is_empty() { "none yet" } else { "[evidence.html](evidence.html)" },
    );
    field(out, "Candidate done", yes_no(is_candidate));
    field(out, "Validator status", validation.first.name());
    field(out, "Repair applied", yes_no(validation.is_repaired));
    field(out, "Revalidation status", validation.again.name());
    field(out, "Last updated", &timestamp(input.at));
}

fn to_advance(out: &mut String, task: &Task, data: &TaskData) {
    let charter = &data.charter;
    let Ahead { follows, needed } = ahead(task, data);
    out.push_str("\n## To advance\n\n");
    let _ = writeln!(out, "- Next phases: {follows}");
    let _ = writeln!(out, "- Evidence needed: {}", line(&needed));
    let (lane, header) = (charter.header.lane(charter.lane), charter.header);
    let (lane, risk, rung) = (lane.name(), header.risk.name(), header.autonomy.name());
    let _ = writeln!(out, "- Rules: lane {lane}, autonomy {rung}, risk {risk}");
}

pub(super) fn ahead(task: &Task, data: &TaskData) -> Ahead {
    let charter = &data.charter;
    let duties = charter.header.lane(charter.lane).duties();
    let names = |roles: &[Role]| -> Vec<&str> { roles.iter().map(|role| role.name()).collect() };
    let (readers, judges) = (names(duties.readers), names(duties.judges));
    let next: Vec<&str> =
        task.phase().map_or(&[][..], Phase::next).iter().map(|phase| phase.name()).collect();
    let follows = match (next.is_empty(), task.status()) {
        (false, _) => next.join(", "),
        (true, Status::Pending) => Phase::Intake.name().to_owned(),
        (true, Status::Halted) => "a new attempt, once a person resolves the halt".to_owned(),
        (true, Status::InProgress | Status::Parked | Status::Shipped | Status::Abandoned) => {
            "none".to_owned()
        }
    };
    let needed = wording::needed(task.stage(), &charter.checks, &readers, &judges);
    Ahead { follows, needed }
}

fn checklist(out: &mut String, data: &TaskData) {
    out.push_str("\n## Feature checklist\n\n");
    let features = data.frame.iter().flat_map(|frame| &frame.features);
    let items: Vec<String> =
        features.map(|feature| format!("{}: {}", feature.label.name(), feature.name)).collect();
    bullets(out, items.iter().map(String::as_str), "none");
}

fn counters(out: &mut String, data: &TaskData) {
    out.push_str("\n## Counters\n\n");
    let _ = writeln!(out, "- Attempt: {}", data.attempt);
    let _ = writeln!(out, "- Verify fails: {} of {VERIFY_FAILS_MAX}", data.verify_fails);
    let _ = writeln!(out, "- Revisions: {} of {REVISIONS_MAX}", data.revisions);
    let _ = writeln!(out, "- Cheats: {} of {HEALS_MAX}", data.heals);
    if let Some(budget) = data.charter.budget {
        let _ = writeln!(out, "- Spent: {}", budget.describe(data.spending.all().cost));
    }
}

fn open_question(out: &mut String, input: &ViewInput<'_>, data: &TaskData) {
    out.push_str("\n## Open question\n\n");
    let Some(open) = question::open(input, data) else {
        out.push_str("none\n");
        return;
    };
    let _ = writeln!(out, "{}\n", blocked(&open.text));
    for AnswerCommand { name, meaning, command } in &open.options {
        let _ = writeln!(out, "- Option {name}: {meaning}: `{command}`");
    }
    let _ = writeln!(out, "- Recommendation: {}", line(&open.advice));
    for look_at in &open.look_at {
        let _ = writeln!(out, "- Look at: {}", line(look_at));
    }
    for (name, content) in &open.parts {
        let _ = writeln!(out, "- Read: {name}: {}", evidence::stored(input, content));
    }
    if !open.evidence.is_empty() {
        let ids: Vec<String> = open.evidence.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "- Evidence: {}", ids.join(", "));
    }
    let _ = writeln!(out, "- Item: {}", line(&open.item));
    for ContractSection { title, text } in &open.contract {
        let _ = write!(out, "- Contract: {}\n\n{}", line(title), fenced(text));
    }
}

fn gate_record(out: &mut String, data: &TaskData) {
    out.push_str("\n## Gate record\n\n");
    let Some(record) = &data.record else {
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

fn post_mortems(out: &mut String, data: &TaskData) {
    out.push_str("\n## Post-mortems\n\n");
    if data.post_mortems.is_empty() {
        out.push_str("none\n");
    }
    for post_mortem in &data.post_mortems {
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
        Status::Pending => "pending: not started",
        Status::InProgress => "in progress: the engine or an agent is working",
        Status::Parked => "parked: waiting for a person; other tasks continue",
        Status::Halted => "halted: waiting for a person's decision",
        Status::Shipped => "shipped: done",
        Status::Abandoned => "abandoned: a person ended the task without a result",
    }
}

pub(super) fn current_result(task: &Task, data: &TaskData) -> String {
    let proven = data.verified.map(|tree| format!("tree {} is verified", short(&tree)));
    let last = data
        .evidence
        .last()
        .map(|last| format!("{}: {} ({})", last.subject, evidence::verdict(last), last.id));
    match (task.stage(), proven, last) {
        (Stage::Done, Some(proven), _) => format!("{proven} and shipped"),
        (_, Some(proven), Some(last)) => format!("{proven}; last evidence: {last}"),
        (_, None, Some(last)) => format!("not verified yet; last evidence: {last}"),
        (_, Some(proven), None) => proven,
        (_, None, None) => "no evidence yet".to_owned(),
    }
}

pub(super) fn next_step(task: &Task, data: &TaskData) -> String {
    let duties = data.charter.header.lane(data.charter.lane).duties();
    let drafter = duties.drafter.name();
    if !task.withheld().is_empty() {
        return "a person raises the budget or abandons the task".to_owned();
    }
    let words = match task.stage() {
        Stage::Unborn => "create the task",
        Stage::Pending => match data.charter.belongs {
            Membership::Alone => "the engine takes the write lease of a work tree",
            Membership::Project => "the project dispatches the task",
        },
        Stage::Intake => "write the objective and its done gate",
        Stage::Drafting { declined: Some(why), .. } => {
            return format!("the {drafter} drafts the contract and the plan again: {why}");
        }
        Stage::Drafting { declined: None, missing } if !missing.is_empty() => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            return format!("the {drafter} completes the draft; missing: {}", missing.join(", "));
        }
        Stage::Drafting { .. } => {
            return format!("the {drafter} drafts the contract and the plan");
        }
        Stage::AwaitingFreeze { .. } => "a person approves the contract or says what to change",
        Stage::WritingTests { vacuous } if !vacuous.is_empty() => {
            return format!("replace tests that cannot fail: {}", vacuous.join(", "));
        }
        Stage::WritingTests { .. } => "write the tests of the frozen contract",
        Stage::RedRun { .. } => "run the tests; they must fail before implementation",
        Stage::Implement => {
            let Some(slice) = data.slices.last() else { return "start the first slice".into() };
            let state = wording::slice_state(slice.state(), task.stage());
            let id = slice.charter().map_or(String::new(), |charter| charter.id.to_string());
            return format!("continue {id}, {state}");
        }
        Stage::ApplyingFix { .. } => "apply the person's fix to the tree",
        Stage::Probing { .. } => "verify the candidate tree",
        Stage::Challenging => "the challenger tries to disprove the result",
        Stage::Adjudicating => "the arbiter decides from the record",
        Stage::CheckingAmendments => "check that the amendments were applied",
        Stage::AwaitingOwner { .. } => "a person accepts or declines the result",
        Stage::Shipping => "ship the verified tree",
        Stage::Repair => {
            return format!("fix only this: {}", data.to_mend.join("; "));
        }
        Stage::Halted { escalation } => {
            return format!("a person decides: {}", escalation.cause.decision());
        }
        Stage::Done => "none, the task is done",
        Stage::Abandoned => "none, the task is abandoned",
    };
    words.to_owned()
}

pub(super) fn blockers(task: &Task, data: &TaskData) -> Vec<String> {
    let mut blockers = Vec::new();
    if let Some((_, question)) = task.question() {
        blockers.push(question.text());
    }
    if data.drifted.is_some() {
        blockers.push("TASK.md was edited by hand; adopt or restore it".to_owned());
    }
    let tampered = data.tampered.iter();
    blockers.extend(
        tampered.map(|it| format!("{it} was changed by hand; a person must acknowledge it")),
    );
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

const PREFACE: &str = "Rendered from the journal. Text that you add under Blockers, Next step or Notes \
becomes a note; any other edit is stored as a copy and reverted.";

//! The text that views show for events, gates, slices and answers.

use sealwright_kernel::task::escalation::{Resolution, ResolutionKind};
use sealwright_kernel::task::slice::{self, AfterGate, Claim, Rung, State};
use sealwright_kernel::task::{
    Adjudication, Budget, CallEnd, Choice, Completion, Event, Freeze, GateRecord, PersonInput,
    Phase, RecordOwner, Residue, ResidueKind, SentBackBy, Stage, TaskData, WayOut,
};
use sealwright_kernel::{Actor, Cost, Digest, EvidenceRecord, SliceId, Source};

use super::chronicle::Matter;
use super::watch::status::{LEFT_TO_A_PERSON, is_left_to_a_person};
use super::{amounts, short};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventText {
    pub(super) what: String,
    pub(super) matter: Option<Matter>,
    pub(super) details: Vec<(&'static str, String)>,
}

impl EventText {
    pub(super) fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), matter: None, details: vec![] }
    }

    fn matters(self, matter: Matter) -> Self {
        Self { matter: Some(matter), ..self }
    }

    fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.details.push((name, text.into()));
        self
    }

    fn with_all(mut self, name: &'static str, texts: &[String]) -> Self {
        self.details.extend(texts.iter().map(|text| (name, text.clone())));
        self
    }
}

pub(super) fn of_event(event: &Event) -> EventText {
    use Matter::{Decision, Gate, Halt, HandEdit, PostMortem};
    match event {
        Event::Created { charter, by } => {
            EventText::of(format!("{by} created the task: {}", charter.title)).matters(Decision)
        }
        Event::Based { commit } => {
            let short = commit.get(..12).unwrap_or(commit);
            EventText::of(format!("starts from commit {short}"))
        }
        Event::Dispatched => EventText::of("attempt 1 started"),
        Event::Entered { phase } => EventText::of(format!("entered phase {phase}")),
        Event::Framed { frame } => EventText::of(format!("objective written: {}", frame.objective)),
        Event::DraftRefused { missing } => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            EventText::of(format!("draft refused; missing: {}", missing.join(", "))).matters(Gate)
        }
        Event::Bundled { bundle, item } => {
            let slices = counted(bundle.plan.len(), "slice");
            EventText::of(format!("contract and plan of {slices} drafted"))
                .with("Item", item.to_string())
        }
        Event::Frozen { item, by, when } => {
            let when = match when {
                Freeze::Asked => "",
                Freeze::InAdvance => " in advance",
            };
            EventText::of(format!("{by} froze the contract{when}"))
                .matters(Decision)
                .with("Item", item.to_string())
        }
        Event::FreezeDeclined { by, choice, .. } => {
            EventText::of(format!("{by} did not freeze the contract: {}", choice_name(*choice)))
                .matters(Decision)
        }
        Event::PlanLocked { slices } => {
            let ids: Vec<String> = slices.iter().map(|(id, _)| id.to_string()).collect();
            EventText::of(format!("plan locked: {}", ids.join(", ")))
        }
        Event::TestsWritten { .. } => EventText::of("tests written"),
        Event::SeenRed { evidence, .. } => {
            seen("the tests fail before implementation, as expected", evidence)
        }
        Event::SeenKept { evidence, .. } => {
            seen("the tests pass before a change that keeps behaviour, as expected", evidence)
        }
        Event::SeenGreen { evidence, tests } => {
            seen("the red run was rejected; the tests have to be rewritten", evidence)
                .with_all("Test", tests)
        }
        Event::Slice { slice, event } => of_slice(*slice, event),
        Event::FixApplied { tree } => {
            EventText::of(format!("the person's fix was applied, tree {}", short(tree)))
                .matters(Gate)
        }
        Event::Probed { probe, evidence, result } => {
            let mut words = seen(&format!("{}: {}", probe.key(), result.verdict.name()), evidence)
                .with_all("Failed", &result.failed);
            for residue in &result.residue {
                words = words.with("Finding", residue_text(residue));
            }
            words
        }
        Event::Verified { tree } => {
            EventText::of("verify passed").matters(Gate).with("Tree", tree.to_string())
        }
        Event::VerifyFailed { failed } => {
            EventText::of("verify failed").matters(Gate).with_all("To fix", failed)
        }
        Event::CheatConfirmed { cheat, what } => {
            EventText::of(format!("cheat confirmed: {}", cheat.name()))
                .matters(Gate)
                .with("To fix", what)
        }
        Event::ChallengeDropped { evidence } => {
            seen("the challenge lacked evidence and is repeated", evidence)
        }
        Event::Challenged { evidence, failures, residue } => {
            let what = match failures.len() {
                0 => "the challenger found no failure".to_owned(),
                count => format!("the challenger found {}", counted(count, "failure")),
            };
            let mut words = seen(&what, evidence).with_all("Failure", failures);
            for residue in residue {
                words = words.with("Finding", residue_text(residue));
            }
            words
        }
        Event::Adjudicated { evidence, decision } => match decision {
            Adjudication::Approve => seen("the arbiter approved", evidence),
            Adjudication::ApproveWithAmendments { amendments } => {
                seen("the arbiter approved with amendments", evidence)
                    .with_all("Amendment", amendments)
            }
            Adjudication::Reject { rationale } => {
                seen("the arbiter rejected the work", evidence).with("Reason", rationale)
            }
        },
        Event::AmendmentsChecked { evidence } => {
            seen(&format!("amendments checked: {}", evidence.verdict.name()), evidence)
        }
        Event::SentBack { items, by } => {
            let by = match by {
                SentBackBy::Challenge => "the challenge",
                SentBackBy::Amendments => "the arbiter, with amendments",
                SentBackBy::Person => "a person",
                SentBackBy::Ship => "the ship gate, because the tree had changed",
            };
            EventText::of(format!("sent back by {by}")).matters(Gate).with_all("To fix", items)
        }
        Event::OwnerAsked { .. } => EventText::of("a person is asked to accept the result"),
        Event::GatePassed { record } => {
            EventText::of(format!("GATE RECORD: {}", outcome_name(record.outcome)))
                .matters(Gate)
                .with("Owner", owner_name(record))
                .with("Reason", &record.reason)
                .with("Tree", record.tree.to_string())
        }
        Event::Repaired { tree } => EventText::of(format!("repaired, tree {}", short(tree))),
        Event::Shipped { tree } => {
            EventText::of("shipped").matters(Gate).with("Tree", tree.to_string())
        }
        Event::Halted { escalation } => EventText::of(escalation.line())
            .matters(Halt)
            .with("Needed", escalation.cause.decision())
            .with("Phase", escalation.from.name())
            .with("Escalation", escalation.id.as_str()),
        Event::Resolved { escalation, resolution, by } => {
            EventText::of(format!("{by} resolved the halt: {}", resolution.kind().name()))
                .matters(Decision)
                .with("Reason", resolution.rationale())
                .with("Escalation", escalation.as_str())
        }
        Event::Reopened { attempt, at, post_mortem } => {
            EventText::of(format!("attempt {attempt} started in phase {at}"))
                .matters(PostMortem)
                .with("Went wrong", &post_mortem.went_wrong)
                .with("Try next", &post_mortem.try_next)
                .with_all("Avoid", &post_mortem.avoid)
        }
        Event::Abandoned { by, rationale } => EventText::of(format!("{by} abandoned the task"))
            .matters(Decision)
            .with("Reason", rationale),
        Event::Adopted { text, title, by, .. } => {
            EventText::of(format!("{by} adopted the edited TASK.md: {title}"))
                .matters(Decision)
                .with("Text", text.to_string())
        }
        Event::FreezeVoided { what } => {
            EventText::of("the freeze is void").matters(Gate).with("Reason", what)
        }
        Event::Noted { by, text } => {
            EventText::of(format!("{by} added a note")).matters(Decision).with("Note", text)
        }
        Event::ViewEdited { view, kept, notes, ignored } => {
            EventText::of(format!("{view} was edited by hand; a copy of the edit is stored"))
                .matters(HandEdit)
                .with("Copy", kept.to_string())
                .with_all("Note", notes)
                .with_all("Restored", ignored)
        }
        Event::SnapshotTampered { snapshot, kept } => {
            EventText::of(format!("{snapshot} was changed by hand and restored"))
                .matters(HandEdit)
                .with("Copy", kept.to_string())
        }
        Event::Acknowledged { by, what } => {
            EventText::of(format!("{by} acknowledged the change to {what}")).matters(Decision)
        }
        Event::TextDrifted { found } => EventText::of("TASK.md was edited by hand")
            .matters(HandEdit)
            .with("Found", found.to_string()),
        Event::TextRestored => EventText::of("TASK.md is unedited again").matters(HandEdit),
        Event::Told { .. } => EventText::of("the project was notified"),
        Event::Spent { receipt } => {
            let (role, part) = (receipt.role.name(), &receipt.part);
            let who = format!("{}, {}", receipt.agent, receipt.model);
            EventText::of(format!("call of the {role} ({part}): {}", call_end(receipt.end)))
                .with("Call", receipt.invocation.to_string())
                .with("Agent", who)
                .with("Cost", amounts::cost(&receipt.cost))
                .with("Turns", receipt.turns.to_string())
                .with_all("Requests", receipt.way_out.map(way_out).as_slice())
        }
        Event::Learned { residue, lessons } => {
            let residue = residue.iter().map(|it| it.what.as_str());
            let said: Vec<&str> = residue.chain(lessons.iter().map(String::as_str)).collect();
            EventText::of(format!("noted for people and later tasks: {}", said.join("; ")))
        }
        Event::BudgetRaised { by, budget } => {
            EventText::of(format!("{by} set the budget: {}", bounds(*budget))).matters(Decision)
        }
    }
}

/// Details of a person's input that the events do not repeat.
pub(super) fn of_says(says: &PersonInput) -> Vec<(&'static str, String)> {
    match says {
        PersonInput::Decide { choice, rationale, .. } => {
            let mut details = vec![("Decision", choice_name(*choice).to_owned())];
            if !rationale.trim().is_empty() {
                details.push(("Reason", rationale.clone()));
            }
            details
        }
        PersonInput::Resolve { resolution: Resolution::ProvideFix { fix_patch, .. }, .. } => {
            vec![("Patch", fix_patch.to_string())]
        }
        PersonInput::Heal { cheat, reason } => {
            vec![("Cheat", format!("{}: {reason}", cheat.name()))]
        }
        PersonInput::Resolve { .. }
        | PersonInput::Adopt { .. }
        | PersonInput::Acknowledge { .. }
        | PersonInput::Note { .. }
        | PersonInput::RaiseBudget { .. }
        | PersonInput::Cancel { .. } => vec![],
    }
}

/// The actor with its kind: a person may carry the name of a role.
pub(super) fn who(actor: &Actor) -> String {
    match actor {
        Actor::Human(name) => format!("{name} (person)"),
        Actor::Role(role, invocation) => format!("{} ({invocation})", role.name()),
        Actor::Machine => "the engine".to_owned(),
        Actor::Environment => "the environment".to_owned(),
    }
}

pub(super) fn owner_name(record: &GateRecord) -> String {
    match &record.owner {
        RecordOwner::Run => "auto-resolved by the run".to_owned(),
        RecordOwner::Person(name) => format!("{name} (person)"),
    }
}

/// The outcome, owner and reason of the gate record.
pub(super) fn gate_text(data: &TaskData) -> Option<String> {
    let record = data.record.as_ref()?;
    let outcome = outcome_name(record.outcome);
    Some(match &record.owner {
        // The reason says that no person was asked.
        RecordOwner::Run => format!("{outcome}, decided by the run, {}", record.reason),
        RecordOwner::Person(_) => {
            format!("{outcome}, decided by {}: {}", owner_name(record), record.reason)
        }
    })
}

pub(super) fn outcome_name(outcome: Completion) -> &'static str {
    match outcome {
        Completion::Pass => "PASS",
        Completion::RiskAccepted => "RISK-ACCEPTED",
    }
}

pub(super) fn residue_text(residue: &Residue) -> String {
    let kind = match residue.kind {
        ResidueKind::Security => "security",
        ResidueKind::Concurrency => "concurrency",
        ResidueKind::Architecture => "architecture",
    };
    format!("{kind}: {}", residue.what)
}

/// The command and its exit code, or the role and its invocation.
pub(super) fn source_text(source: &Source) -> (&'static str, String) {
    match source {
        Source::Command { argv, exit, confinement } => {
            let level = confinement.as_ref().map(|it| format!(", {}", it.level.name()));
            ("Command", format!("{} (exit {exit}{})", argv.join(" "), level.unwrap_or_default()))
        }
        Source::Role { role, invocation } => ("Role", format!("{} in {invocation}", role.name())),
    }
}

pub(super) fn slice_state(state: &State, stage: &Stage) -> String {
    match state {
        State::Idle => "not started".to_owned(),
        State::Scouting { unknowns, .. } => format!("scouting: {}", unknowns.join("; ")),
        State::Consolidating { .. } => "consolidating findings".to_owned(),
        State::Planning => "planning".to_owned(),
        State::Editing { plan } => format!("editing: {}", plan.change),
        State::IterGate { .. } => "running its iteration gate".to_owned(),
        State::ExitGate => "running its exit gate".to_owned(),
        State::Ladder => "choosing the next step after a failure".to_owned(),
        State::AuditDue => "waiting for an audit".to_owned(),
        State::AuditConsolidating { .. } => "consolidating the audit".to_owned(),
        State::Delivered { tree } => format!("delivered at tree {}", short(tree)),
        State::Escalated { why } if is_left_to_a_person(stage) => {
            format!("{LEFT_TO_A_PERSON}; it was stuck: {why}")
        }
        State::Escalated { why } => format!("stuck: {why}"),
    }
}

/// The evidence that a phase needs before the next phase starts.
pub(super) fn needed(
    stage: &Stage,
    checks: &[String],
    readers: &[&str],
    judges: &[&str],
) -> String {
    let phase = match stage {
        Stage::Halted { escalation } => {
            return format!("a person's resolution of {}", escalation.id.as_str());
        }
        Stage::Unborn | Stage::Pending => return "the write lease of a work tree".to_owned(),
        Stage::Abandoned => return "none, the task is abandoned".to_owned(),
        stage => stage.phase(),
    };
    match phase {
        Some(Phase::Intake) => {
            "the objective, the done gate, the exclusions and the reality constraints".to_owned()
        }
        Some(Phase::Shape) => "a complete contract and plan, a person's approval of exactly \
                               these, and a run in which their tests fail"
            .to_owned(),
        Some(Phase::Implement) => "every slice delivered: its exit gate passes on the current \
                                   tree, and the interface equals the locked one"
            .to_owned(),
        Some(Phase::Verify) => {
            let checks = checks.iter().map(|name| format!("check {name}"));
            let readers = readers.iter().map(|role| format!("the {role}'s reading"));
            let all: Vec<String> =
                ["the tripwire".to_owned()].into_iter().chain(checks).chain(readers).collect();
            format!("a pass on the same tree of {}", all.join(", "))
        }
        Some(Phase::Review) => {
            format!(
                "a pass of the {} for the verified tree, and the gate owner's decision",
                judges.join(", the ")
            )
        }
        Some(Phase::Repair) => {
            "the failures fixed and no other change; then verify runs again".to_owned()
        }
        Some(Phase::Done) => "none, the task is done".to_owned(),
        Some(Phase::Blocked | Phase::NeedsUserDecision) | None => "a person's decision".to_owned(),
    }
}

/// The answers to a question about a freeze or a result, with their meaning.
pub(super) fn choices() -> Vec<(&'static str, &'static str)> {
    let meaning = |choice| match choice {
        Choice::Approve => "accept exactly this version",
        Choice::Reject => "reject; a new draft or repair follows",
        Choice::Amend => "reject, and change it as the reason says",
    };
    let all = [Choice::Approve, Choice::Reject, Choice::Amend];
    all.map(|choice| (choice_name(choice), meaning(choice))).to_vec()
}

/// The command that resolves a halt this way.
pub(super) fn resolution_name(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "resolve amend-spec",
        ResolutionKind::RevisePlan => "resolve revise-plan",
        ResolutionKind::ProvideFix => "resolve provide-fix",
        ResolutionKind::ApproveOverride => "resolve approve-override",
        ResolutionKind::SplitTask => "resolve split-task",
        ResolutionKind::AbandonTask => "resolve abandon-task",
    }
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

fn way_out(way_out: WayOut) -> String {
    let WayOut { log, let_through, refused } = way_out;
    format!("{let_through} let out of the sandbox, {refused} refused, listed in {log}")
}

fn call_end(end: CallEnd) -> &'static str {
    match end {
        CallEnd::Answered => "answered",
        CallEnd::GaveUp => "no answer",
        CallEnd::OutOfBudget => "call budget used up",
        CallEnd::RateLimited => "rate limited",
        CallEnd::Failed => "failed",
        CallEnd::Cancelled => "cancelled",
    }
}

fn bounds(budget: Budget) -> String {
    let bounds = budget.bounds(Cost::default()).into_iter();
    let bounds: Vec<String> = bounds.map(|(bound, most, _)| bound.amount(most)).collect();
    if bounds.is_empty() { "no limit".to_owned() } else { bounds.join(", ") }
}

/// The command that gives this answer.
fn choice_name(choice: Choice) -> &'static str {
    match choice {
        Choice::Approve => "approve",
        Choice::Reject => "decline",
        Choice::Amend => "decline --amend",
    }
}

fn seen(what: &str, evidence: &EvidenceRecord) -> EventText {
    let (name, source) = source_text(&evidence.evidence.source);
    EventText::of(format!("{what} ({})", evidence.id))
        .matters(Matter::Gate)
        .with(name, source)
        .with("Tree", evidence.evidence.tree.to_string())
}

fn of_slice(id: SliceId, event: &slice::Event) -> EventText {
    let tree = |tree: &Digest| tree.to_string();
    match event {
        slice::Event::Begun { charter, snapshot } => EventText::of(format!(
            "{id} started with {}: {}",
            snapshot.header.iteration, charter.planned.sentence
        )),
        slice::Event::Captured { findings } => {
            EventText::of(format!("{id}: scouts reported {}", counted(findings.len(), "finding")))
        }
        slice::Event::LeftCap { source } => EventText::of(format!(
            "{id}: a scout read outside the scope cap; its findings are dropped"
        ))
        .matters(Matter::Gate)
        .with("Path", source),
        slice::Event::Consolidated { snapshot } => {
            EventText::of(format!("{id}: findings consolidated, {}", snapshot.header.iteration))
        }
        slice::Event::Planned { plan } => {
            EventText::of(format!("{id}: change planned: {}", plan.change))
        }
        slice::Event::FactMissing { unknown, snapshot } => EventText::of(format!(
            "{id}: a fact is missing, {}: {unknown}",
            snapshot.header.iteration
        )),
        slice::Event::CapRevised { because, snapshot } => EventText::of(format!(
            "{id}: scope cap revised, {}: {because}",
            snapshot.header.iteration
        )),
        slice::Event::Edited { tree, claim } => {
            let claim = match claim {
                Claim::MoreToDo => "more to do",
                Claim::Ready => "claimed ready",
            };
            EventText::of(format!("{id}: edited, tree {}, {claim}", short(tree)))
        }
        slice::Event::EditRefused { outside } => {
            EventText::of(format!("{id}: edit refused, it changes files outside the plan"))
                .matters(Matter::Gate)
                .with_all("Path", outside)
        }
        slice::Event::GateRan { gate, evidence, snapshot, then } => {
            let then = match then {
                AfterGate::ExitGate => "run the exit gate",
                AfterGate::Planning => "plan the next change",
                AfterGate::Ladder => "choose the next step",
                AfterGate::AuditDue => "audit",
                AfterGate::Over => "end the slice",
            };
            let header = &snapshot.header;
            let what = format!("{id}: {} gate: {}", gate.name(), evidence.verdict.name());
            seen(&what, evidence)
                .with("Snapshot", header.iteration.to_string())
                .with(
                    "Failures in a row",
                    format!("{} iteration, {} exit", header.iteration_fails, header.exit_fails),
                )
                .with("Next", then)
        }
        slice::Event::Audited { report } => {
            EventText::of(format!("{id}: audit: {}", report.verdict.name()))
                .matters(Matter::Gate)
                .with_all("Mismatch", &report.mismatches)
        }
        slice::Event::RungTaken { rung, .. } => {
            let rung = match rung {
                Rung::FixForward => "fix it",
                Rung::Rescout => "scout again",
                Rung::Replan => "plan again",
            };
            EventText::of(format!("{id}: next step after the failure: {rung}"))
        }
        slice::Event::Delivered { tree: at } => {
            EventText::of(format!("{id} delivered")).matters(Matter::Gate).with("Tree", tree(at))
        }
        slice::Event::Escalated { why } => {
            EventText::of(format!("{id} escalated: {why}")).matters(Matter::Gate)
        }
    }
}

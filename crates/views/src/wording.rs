//! Events in words.

use sealwright_kernel::task::escalation::{Resolution, ResolutionKind};
use sealwright_kernel::task::slice::{self, AfterGate, Claim, Rung, State};
use sealwright_kernel::task::{
    Adjudication, Budget, CallEnd, Choice, Completion, Event, Freeze, GateRecord, PersonInput,
    Phase, RecordOwner, Residue, ResidueKind, SentBackBy, Stage, TaskData,
};
use sealwright_kernel::{Actor, Cost, Digest, EvidenceRecord, SliceId, Source};

use super::chronicle::Matter;
use super::{amounts, short};

/// An event in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) what: String,
    pub(super) matter: Option<Matter>,
    pub(super) details: Vec<(&'static str, String)>,
}

impl Words {
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

/// What became true.
pub(super) fn of_event(event: &Event) -> Words {
    use Matter::{Decision, Gate, Halt, HandEdit, PostMortem};
    match event {
        Event::Created { charter, by } => {
            Words::of(format!("{by} wants it done: {}", charter.title)).matters(Decision)
        }
        Event::Dispatched => Words::of("its first attempt began"),
        Event::Entered { phase } => Words::of(format!("it entered {phase}")),
        Event::Framed { frame } => {
            Words::of(format!("what is wanted was put into words: {}", frame.objective))
        }
        Event::DraftRefused { missing } => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            Words::of(format!("the draft was refused, it lacks {}", missing.join(", ")))
                .matters(Gate)
        }
        Event::Bundled { bundle, item } => {
            let slices = counted(bundle.plan.len(), "slice");
            Words::of(format!("a contract and a plan of {slices} are on the table"))
                .with("Item", item.to_string())
        }
        Event::Frozen { item, by, when } => {
            let when = match when {
                Freeze::Asked => "",
                Freeze::InAdvance => " in advance",
            };
            Words::of(format!("{by} froze the contract{when}"))
                .matters(Decision)
                .with("Item", item.to_string())
        }
        Event::FreezeDeclined { by, choice, .. } => {
            Words::of(format!("{by} did not freeze the contract: {}", choice_name(*choice)))
                .matters(Decision)
        }
        Event::PlanLocked { slices } => {
            let ids: Vec<String> = slices.iter().map(|(id, _)| id.to_string()).collect();
            Words::of(format!("the plan stands: {}", ids.join(", ")))
        }
        Event::TestsWritten { .. } => Words::of("the tests were written"),
        Event::SeenRed { evidence, .. } => {
            seen("the tests failed before anything was built, as they have to", evidence)
        }
        Event::SeenGreen { evidence, tests } => {
            seen("tests passed before anything was built and go back", evidence)
                .with_all("Test", tests)
        }
        Event::Slice { slice, event } => of_slice(*slice, event),
        Event::FixApplied { tree } => {
            Words::of(format!("the person's fix is in the tree, {}", short(tree))).matters(Gate)
        }
        Event::Probed { probe, evidence, result } => {
            let mut words =
                seen(&format!("{} says {}", probe.key(), result.verdict.name()), evidence)
                    .with_all("Failed", &result.failed);
            for residue in &result.residue {
                words = words.with("Finding", residue_text(residue));
            }
            words
        }
        Event::Verified { tree } => {
            Words::of("every probe held").matters(Gate).with("Tree", tree.to_string())
        }
        Event::VerifyFailed { failed } => {
            Words::of("verify failed").matters(Gate).with_all("To mend", failed)
        }
        Event::CheatConfirmed { cheat, what } => {
            Words::of(format!("a cheat was confirmed: {}", cheat.name()))
                .matters(Gate)
                .with("To mend", what)
        }
        Event::ChallengeDropped { evidence } => {
            seen("the challenge was too mild and is asked for again", evidence)
        }
        Event::Challenged { evidence, failures, residue } => {
            let what = match failures.len() {
                0 => "the challenger found nothing wrong".to_owned(),
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
                seen("the arbiter rejected it", evidence).with("Reason", rationale)
            }
        },
        Event::AmendmentsChecked { evidence } => {
            seen(&format!("the amendments were checked: {}", evidence.verdict.name()), evidence)
        }
        Event::SentBack { items, by } => {
            let by = match by {
                SentBackBy::Challenge => "the challenge",
                SentBackBy::Amendments => "the arbiter, with amendments",
                SentBackBy::Person => "a person",
                SentBackBy::Ship => "the ship gate, for the tree had changed",
            };
            Words::of(format!("it was sent back by {by}")).matters(Gate).with_all("To mend", items)
        }
        Event::OwnerAsked { .. } => Words::of("a person is asked whether it is done"),
        Event::GatePassed { record } => {
            Words::of(format!("GATE RECORD: {}", outcome_name(record.outcome)))
                .matters(Gate)
                .with("Owner", owner_name(record))
                .with("Reason", &record.reason)
                .with("Tree", record.tree.to_string())
        }
        Event::Repaired { tree } => {
            Words::of(format!("what had failed was mended, tree {}", short(tree)))
        }
        Event::Shipped { tree } => {
            Words::of("it was kept").matters(Gate).with("Tree", tree.to_string())
        }
        Event::Halted { escalation } => Words::of(escalation.line())
            .matters(Halt)
            .with("Needed", escalation.cause.decision())
            .with("Phase", escalation.from.name())
            .with("Escalation", escalation.id.as_str()),
        Event::Resolved { escalation, resolution, by } => {
            Words::of(format!("{by} resolved the halt: {}", resolution.kind().name()))
                .matters(Decision)
                .with("Reason", resolution.rationale())
                .with("Escalation", escalation.as_str())
        }
        Event::Reopened { attempt, at, post_mortem } => {
            Words::of(format!("attempt {attempt} began at {at}"))
                .matters(PostMortem)
                .with("Went wrong", &post_mortem.went_wrong)
                .with("Try next", &post_mortem.try_next)
                .with_all("Avoid", &post_mortem.avoid)
        }
        Event::Abandoned { by, rationale } => {
            Words::of(format!("{by} gave it up")).matters(Decision).with("Reason", rationale)
        }
        Event::Adopted { text, title, by, .. } => {
            Words::of(format!("{by} adopted the edited text: {title}"))
                .matters(Decision)
                .with("Text", text.to_string())
        }
        Event::FreezeVoided { what } => {
            Words::of("what was frozen counts no longer").matters(Gate).with("Reason", what)
        }
        Event::Noted { by, text } => {
            Words::of(format!("{by} noted something")).matters(Decision).with("Note", text)
        }
        Event::ViewEdited { view, kept, notes, ignored } => {
            Words::of(format!("{view} was edited by hand; the edit is kept aside"))
                .matters(HandEdit)
                .with("Kept", kept.to_string())
                .with_all("Note", notes)
                .with_all("Put back", ignored)
        }
        Event::SnapshotTampered { snapshot, kept } => {
            Words::of(format!("{snapshot} was tampered with and restored"))
                .matters(HandEdit)
                .with("Kept", kept.to_string())
        }
        Event::Acknowledged { by, what } => {
            Words::of(format!("{by} has seen what happened to {what}")).matters(Decision)
        }
        Event::TextDrifted { found } => Words::of("the task's text was edited by hand")
            .matters(HandEdit)
            .with("Found", found.to_string()),
        Event::TextRestored => {
            Words::of("the task's text is again what was taken from it").matters(HandEdit)
        }
        Event::Told { .. } => Words::of("the project was told"),
        Event::Spent { receipt } => {
            let (role, part) = (receipt.role.name(), &receipt.part);
            let who = format!("{}, {}", receipt.agent, receipt.model);
            Words::of(format!("the {role} was asked ({part}): {}", call_end(receipt.end)))
                .with("Call", receipt.invocation.to_string())
                .with("Agent", who)
                .with("Cost", amounts::cost(&receipt.cost))
                .with("Turns", receipt.turns.to_string())
        }
        Event::BudgetRaised { by, budget } => {
            Words::of(format!("{by} set what it may cost: {}", bounds(*budget))).matters(Decision)
        }
    }
}

/// What a person said that the events do not repeat.
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
        | PersonInput::RaiseBudget { .. } => vec![],
    }
}

/// Who stands behind it. What kind of actor it is stands there too, for a name is only a name.
pub(super) fn who(actor: &Actor) -> String {
    match actor {
        Actor::Human(name) => format!("{name} (person)"),
        Actor::Role(role, invocation) => format!("{} ({invocation})", role.name()),
        Actor::Machine => "the machine".to_owned(),
        Actor::Environment => "the environment".to_owned(),
    }
}

/// Who opened the gate.
pub(super) fn owner_name(record: &GateRecord) -> String {
    match &record.owner {
        RecordOwner::Run => "auto-resolved by the run".to_owned(),
        RecordOwner::Person(name) => format!("{name} (person)"),
    }
}

/// How the last gate was opened, if it was.
pub(super) fn gate_text(known: &TaskData) -> Option<String> {
    let record = known.record.as_ref()?;
    let outcome = outcome_name(record.outcome);
    Some(match &record.owner {
        // Its reason says that nobody was asked.
        RecordOwner::Run => format!("{outcome}, opened by the run, {}", record.reason),
        RecordOwner::Person(_) => {
            format!("{outcome}, opened by {}: {}", owner_name(record), record.reason)
        }
    })
}

pub(super) fn outcome_name(outcome: Completion) -> &'static str {
    match outcome {
        Completion::Pass => "PASS",
        Completion::RiskAccepted => "RISK-ACCEPTED",
    }
}

/// A finding no test can settle.
pub(super) fn residue_text(residue: &Residue) -> String {
    let kind = match residue.kind {
        ResidueKind::Security => "security",
        ResidueKind::Concurrency => "concurrency",
        ResidueKind::Architecture => "architecture",
    };
    format!("{kind}: {}", residue.what)
}

/// Where evidence comes from: what was run or who was asked, and how it ended.
pub(super) fn source_text(source: &Source) -> (&'static str, String) {
    match source {
        Source::Command { argv, exit, confinement } => {
            let walls = confinement.as_ref().map(|it| format!(", {}", it.level.name()));
            ("Command", format!("{} (exit {exit}{})", argv.join(" "), walls.unwrap_or_default()))
        }
        Source::Role { role, invocation } => ("Role", format!("{} in {invocation}", role.name())),
    }
}

/// Where a slice stands.
pub(super) fn slice_state(state: &State) -> String {
    match state {
        State::Idle => "not begun".to_owned(),
        State::Scouting { unknowns, .. } => format!("scouting: {}", unknowns.join("; ")),
        State::Consolidating { .. } => "weighing what was found".to_owned(),
        State::Planning => "planning the smallest change".to_owned(),
        State::Editing { plan } => format!("changing the tree: {}", plan.change),
        State::IterGate { .. } => "at its iteration gate".to_owned(),
        State::ExitGate => "at its exit gate".to_owned(),
        State::Ladder => "choosing how to go on after a failure".to_owned(),
        State::AuditDue => "waiting for an audit".to_owned(),
        State::AuditConsolidating { .. } => "weighing what the auditor said".to_owned(),
        State::Delivered { tree } => format!("delivered at tree {}", short(tree)),
        State::Escalated { why } => format!("stuck: {why}"),
    }
}

/// What a phase needs before the next may begin.
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
        Stage::Abandoned => return "none, it was given up".to_owned(),
        stage => stage.phase(),
    };
    match phase {
        Some(Phase::Intake) => {
            "the objective, the done gate, what is not being done and the reality constraints, \
             in words"
                .to_owned()
        }
        Some(Phase::Shape) => "a complete contract and plan, a person's approval of exactly \
                               these, and a run in which their tests fail"
            .to_owned(),
        Some(Phase::Implement) => "every slice delivered: its exit gate passes on the tree as it \
                                   is, and the interface is the locked one"
            .to_owned(),
        Some(Phase::Verify) => {
            let checks = checks.iter().map(|name| format!("check {name}"));
            let readers = readers.iter().map(|role| format!("the {role}'s reading"));
            let all: Vec<String> =
                ["the tripwire".to_owned()].into_iter().chain(checks).chain(readers).collect();
            format!("a pass on one and the same tree of {}", all.join(", "))
        }
        Some(Phase::Review) => {
            format!(
                "a pass of the {} for the verified tree, and the owner's gate",
                judges.join(", the ")
            )
        }
        Some(Phase::Repair) => {
            "what failed is mended and nothing else is touched; then verify runs again".to_owned()
        }
        Some(Phase::Done) => "none, it is done".to_owned(),
        Some(Phase::Blocked | Phase::NeedsUserDecision) | None => "a person's decision".to_owned(),
    }
}

/// How a person may answer a question about a freeze or an ending, and what it means.
pub(super) fn choices() -> Vec<(&'static str, &'static str)> {
    let meaning = |choice| match choice {
        Choice::Approve => "yes, exactly this",
        Choice::Reject => "no; draft or mend it anew",
        Choice::Amend => "nearly; change it as the reason says",
    };
    let all = [Choice::Approve, Choice::Reject, Choice::Amend];
    all.map(|choice| (choice_name(choice), meaning(choice))).to_vec()
}

/// What a person types to resolve a halt like this.
pub(super) fn resolution_name(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::AmendSpec => "resolve amend-spec",
        ResolutionKind::RevisePlan => "resolve revise-plan",
        ResolutionKind::ProvideFix => "resolve provide-fix",
        ResolutionKind::ApproveOverride => "resolve approve-override",
        ResolutionKind::AbandonTask => "resolve abandon-task",
    }
}

/// How many of them there are.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// How a call of a role ended.
fn call_end(end: CallEnd) -> &'static str {
    match end {
        CallEnd::Answered => "it answered",
        CallEnd::GaveUp => "it gave no answer",
        CallEnd::OutOfBudget => "it used up what one call may cost",
        CallEnd::RateLimited => "its model asks for patience",
        CallEnd::Failed => "it could not be done",
        CallEnd::Cancelled => "it was called off",
    }
}

/// What may be spent.
fn bounds(budget: Budget) -> String {
    let told = budget.bounds(Cost::default()).into_iter();
    let told: Vec<String> = told.map(|(bound, most, _)| bound.amount(most)).collect();
    match told.is_empty() {
        true => "whatever it takes".to_owned(),
        false => told.join(", "),
    }
}

/// What a person types to choose this.
fn choice_name(choice: Choice) -> &'static str {
    match choice {
        Choice::Approve => "approve",
        Choice::Reject => "decline",
        Choice::Amend => "decline --amend",
    }
}

fn seen(what: &str, evidence: &EvidenceRecord) -> Words {
    let (name, source) = source_text(&evidence.evidence.source);
    Words::of(format!("{what} ({})", evidence.id))
        .matters(Matter::Gate)
        .with(name, source)
        .with("Tree", evidence.evidence.tree.to_string())
}

fn of_slice(id: SliceId, event: &slice::Event) -> Words {
    let tree = |tree: &Digest| tree.to_string();
    match event {
        slice::Event::Begun { charter, snapshot } => Words::of(format!(
            "{id} began with {}: {}",
            snapshot.header.iteration, charter.planned.sentence
        )),
        slice::Event::Captured { findings } => {
            Words::of(format!("{id}: scouts brought {}", counted(findings.len(), "finding")))
        }
        slice::Event::LeftCap { source } => {
            Words::of(format!("{id}: a scout looked where it may not; what it brought is dropped"))
                .matters(Matter::Gate)
                .with("Place", source)
        }
        slice::Event::Consolidated { snapshot } => {
            Words::of(format!("{id}: what was found was weighed, {}", snapshot.header.iteration))
        }
        slice::Event::Planned { plan } => Words::of(format!("{id}: planned: {}", plan.change)),
        slice::Event::FactMissing { unknown, snapshot } => Words::of(format!(
            "{id}: something has to be found out first, {}: {unknown}",
            snapshot.header.iteration
        )),
        slice::Event::CapRevised { because, snapshot } => Words::of(format!(
            "{id}: the scope cap was revised, {}: {because}",
            snapshot.header.iteration
        )),
        slice::Event::Edited { tree, claim } => {
            let claim = match claim {
                Claim::MoreToDo => "more to do",
                Claim::Ready => "said to be ready",
            };
            Words::of(format!("{id}: the tree was changed to {}, {claim}", short(tree)))
        }
        slice::Event::EditRefused { outside } => {
            Words::of(format!("{id}: a change outside the plan does not count"))
                .matters(Matter::Gate)
                .with_all("Place", outside)
        }
        slice::Event::GateRan { gate, evidence, snapshot, then } => {
            let then = match then {
                AfterGate::ExitGate => "the exit gate is next",
                AfterGate::Planning => "there is more to do",
                AfterGate::Ladder => "a way on has to be chosen",
                AfterGate::AuditDue => "an audit is due",
                AfterGate::Over => "the slice ends",
            };
            let header = &snapshot.header;
            let what = format!("{id}: the {} gate said {}", gate.name(), evidence.verdict.name());
            seen(&what, evidence)
                .with("Snapshot", header.iteration.to_string())
                .with(
                    "Failures in a row",
                    format!("{} iteration, {} exit", header.iteration_fails, header.exit_fails),
                )
                .with("Then", then)
        }
        slice::Event::Audited { report } => {
            Words::of(format!("{id}: an auditor reported: {}", report.verdict.name()))
                .matters(Matter::Gate)
                .with_all("Mismatch", &report.mismatches)
        }
        slice::Event::RungTaken { rung, .. } => {
            let rung = match rung {
                Rung::FixForward => "mend it",
                Rung::Rescout => "look again",
                Rung::Replan => "plan again",
            };
            Words::of(format!("{id}: the way on after the failure: {rung}"))
        }
        slice::Event::Delivered { tree: at } => {
            Words::of(format!("{id} is delivered")).matters(Matter::Gate).with("Tree", tree(at))
        }
        slice::Event::Escalated { why } => {
            Words::of(format!("{id} cannot end by itself: {why}")).matters(Matter::Gate)
        }
    }
}

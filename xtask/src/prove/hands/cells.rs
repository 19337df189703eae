//! The cells of the table: an effect of the task machine or the slice machine, and a report it can get.
//!
//! Every match lists its variants, so a new effect or report does not compile before it has a name here.

use clap::ValueEnum;
use sealwright_kernel::Verdict;
use sealwright_kernel::task::slice::{self, Claim, GateKind, Need, Pass, PlanAnswer, Rung};
use sealwright_kernel::task::{
    Adjudication, Challenge, Choice, Compliance, Effect, Input, PersonInput, Phase, Probe,
    ProbeResult, QuestionSubject, Report, Residue, ResidueKind, ShipRefusal, Task, Want,
};

/// An effect and a report that it got or can get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) effect: EffectKind,
    pub(super) report: String,
}

/// The effects of both machines. Questions are told apart by their subject, probes and gates by their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum EffectKind {
    Lease,
    Frame,
    Shape,
    AskFreeze,
    WriteTests,
    RedRun,
    Tripwire,
    Check,
    Read,
    Challenge,
    Adjudicate,
    Repair,
    CheckAmendments,
    AskDone,
    Ship,
    AskHalt,
    ApplyFix,
    AskBudget,
    Tell,
    Scout,
    Consolidate,
    Plan,
    Edit,
    IterationGate,
    ExitGate,
    Audit,
    ChooseRung,
}

impl EffectKind {
    pub(super) fn of(effect: &Effect) -> Self {
        match effect {
            Effect::Task { want, .. } => match want {
                Want::Lease => Self::Lease,
                Want::Frame => Self::Frame,
                Want::Shape { .. } => Self::Shape,
                Want::Ask { question } => match question.about {
                    QuestionSubject::Freeze => Self::AskFreeze,
                    QuestionSubject::Done { .. } => Self::AskDone,
                    QuestionSubject::Halt { .. } => Self::AskHalt,
                    QuestionSubject::Budget { .. } => Self::AskBudget,
                },
                Want::WriteTests { .. } => Self::WriteTests,
                Want::RunRed { .. } => Self::RedRun,
                Want::ApplyFix { .. } => Self::ApplyFix,
                Want::Probe { probe: Probe::Tripwire, .. } => Self::Tripwire,
                Want::Probe { probe: Probe::Check(_), .. } => Self::Check,
                Want::Probe { probe: Probe::Read(_), .. } => Self::Read,
                Want::Challenge { .. } => Self::Challenge,
                Want::Adjudicate { .. } => Self::Adjudicate,
                Want::CheckAmendments { .. } => Self::CheckAmendments,
                Want::Repair { .. } => Self::Repair,
                Want::Ship { .. } => Self::Ship,
                Want::Tell { .. } => Self::Tell,
            },
            Effect::Slice { effect } => match &effect.want {
                slice::Want::Scout { .. } => Self::Scout,
                slice::Want::Consolidate { .. } => Self::Consolidate,
                slice::Want::Plan => Self::Plan,
                slice::Want::Edit { .. } => Self::Edit,
                slice::Want::RunGate { gate: GateKind::Iteration, .. } => Self::IterationGate,
                slice::Want::RunGate { gate: GateKind::Exit, .. } => Self::ExitGate,
                slice::Want::Audit => Self::Audit,
                slice::Want::ChooseRung => Self::ChooseRung,
            },
        }
    }

    /// The machine that owes it.
    pub(super) fn machine(self) -> &'static str {
        if self >= Self::Scout { "slice" } else { "task" }
    }

    pub(super) fn name(self) -> String {
        self.to_possible_value().map(|it| it.get_name().to_owned()).unwrap_or_default()
    }
}

/// The cells that `input` fills as the answer to `effect` of `task`. One answer may report several things at once.
pub(super) fn cells(task: &Task, effect: &Effect, input: &Input) -> Vec<Cell> {
    let kind = EffectKind::of(effect);
    let reports = match input {
        Input::Report { report, .. } => task_reports(kind, report),
        Input::Slice { input } => slice_reports(task, effect, input),
        Input::Person { says, .. } => person_report(says).into_iter().collect(),
        Input::Create { .. }
        | Input::Base { .. }
        | Input::Dispatch
        | Input::Notice { .. }
        | Input::Spend { .. } => vec![],
    };
    reports.into_iter().map(|report| Cell { effect: kind, report: report.to_owned() }).collect()
}

fn task_reports(kind: EffectKind, report: &Report) -> Vec<&'static str> {
    match report {
        Report::Leased => vec!["leased"],
        Report::Framed { frame, pass } => match wasted(pass, Phase::Intake) {
            Some(why) => vec![why],
            None if frame.missing_at_intake().is_empty() => vec!["framed"],
            None => vec!["incomplete"],
        },
        Report::Shaped { bundle, pass } => match wasted(pass, Phase::Shape) {
            Some(why) => vec![why],
            None if bundle.missing().is_empty() => vec!["drafted"],
            None => vec!["incomplete"],
        },
        Report::TestsWritten { .. } => vec!["written"],
        Report::RedRan { verdict, green, .. } => match (verdict, green.is_empty()) {
            (Verdict::Fail, true) => vec!["red"],
            (Verdict::Fail, false) => vec!["some tests refused"],
            (Verdict::Pass, _) => vec!["all pass"],
            (Verdict::CannotTell, _) => vec!["cannot tell"],
        },
        Report::Impossible { .. } => vec!["impossible"],
        Report::FixApplied { .. } => vec!["applied"],
        Report::Probed { result } => probed(kind, result),
        Report::Challenged { challenge } => challenged(challenge),
        Report::Adjudicated { decision, .. } => match decision {
            Adjudication::Approve => vec!["approved"],
            Adjudication::ApproveWithAmendments { .. } => vec!["amendments"],
            Adjudication::Reject { .. } => vec!["rejected"],
        },
        Report::AmendmentsChecked { verdict, missing, .. } => match (verdict, missing.is_empty()) {
            (Verdict::Pass, true) => vec!["applied"],
            (Verdict::Pass | Verdict::Fail, _) => vec!["missing"],
            (Verdict::CannotTell, _) => vec!["cannot tell"],
        },
        Report::Repaired { outside, pass, .. } => match wasted(pass, Phase::Repair) {
            Some(why) => vec![why],
            None if !outside.is_empty() => vec!["outside the plan"],
            None => [&["repaired"], &residue(&pass.residue)[..]].concat(),
        },
        Report::Shipped { .. } => vec!["shipped"],
        Report::ShipRefused { why } => match why {
            ShipRefusal::Fingerprint { .. } => vec!["interface changed"],
            ShipRefusal::TreeChanged { .. } => vec!["tree changed"],
        },
        Report::Told => vec!["told"],
    }
}

fn probed(kind: EffectKind, result: &ProbeResult) -> Vec<&'static str> {
    let ProbeResult { verdict, failed, cheats, frozen_edited, residue: left, ambiguity, .. } =
        result;
    let mut reports = residue(left);
    reports.extend(frozen_edited.is_some().then_some("a person edited a frozen file"));
    reports.extend((!cheats.is_empty()).then_some("cheat"));
    reports.extend(ambiguity.is_some().then_some("question"));
    match verdict {
        Verdict::CannotTell => reports.push("cannot tell"),
        // The tripwire fails for no other reason.
        Verdict::Fail if kind == EffectKind::Tripwire && !reports.is_empty() => {}
        // A reader who found a cheat says so and fails the change for it.
        Verdict::Fail if !cheats.is_empty() && failed.is_empty() => {}
        Verdict::Fail => reports.push("failed"),
        Verdict::Pass if !failed.is_empty() => reports.push("failed"),
        Verdict::Pass if reports.is_empty() => reports.push("passed"),
        Verdict::Pass => {}
    }
    reports
}

fn challenged(challenge: &Challenge) -> Vec<&'static str> {
    let Challenge { compliance, failures, unmet, residue: left, cheats, tradeoff, .. } = challenge;
    let mut reports = residue(left);
    reports.extend((*compliance == Compliance::Mild).then_some("mild"));
    reports.extend((!failures.is_empty()).then_some("failures"));
    reports.extend((!unmet.is_empty()).then_some("a review question unmet"));
    reports.extend((!cheats.is_empty()).then_some("cheat"));
    reports.extend(tradeoff.is_some().then_some("tradeoff"));
    if reports.is_empty() {
        reports.push("passed");
    }
    reports
}

fn person_report(says: &PersonInput) -> Option<&'static str> {
    match says {
        PersonInput::Decide { choice, .. } => Some(match choice {
            Choice::Approve => "approved",
            Choice::Reject => "rejected",
            Choice::Amend => "amended",
        }),
        PersonInput::Resolve { resolution, .. } => Some(resolution.kind().name()),
        PersonInput::RaiseBudget { .. } => Some("raised"),
        // These answer no question.
        PersonInput::Heal { .. }
        | PersonInput::Adopt { .. }
        | PersonInput::Acknowledge { .. }
        | PersonInput::Note { .. }
        | PersonInput::Cancel { .. } => None,
    }
}

fn slice_reports(task: &Task, effect: &Effect, input: &slice::Input) -> Vec<&'static str> {
    let Effect::Slice { effect } = effect else { return vec![] };
    match input {
        slice::Input::Begin { .. } => vec![],
        slice::Input::Scouted { findings, .. } => match &effect.want {
            _ if findings.is_empty() => vec!["nothing found"],
            slice::Want::Scout { cap, .. } if !findings.iter().all(|it| cap.holds(&it.source)) => {
                vec!["left the cap"]
            }
            _ => vec!["found"],
        },
        slice::Input::Consolidated { facts, gaps, .. } => {
            let mut reports = Vec::new();
            reports.extend((!facts.is_empty()).then_some("facts"));
            reports.extend((!gaps.is_empty()).then_some("gaps"));
            if reports.is_empty() {
                reports.push("nothing new");
            }
            reports
        }
        slice::Input::Planned { answer, .. } => match answer {
            PlanAnswer::Grounded(_) => vec!["grounded"],
            PlanAnswer::FactMissing { .. } => vec!["fact missing"],
            PlanAnswer::CapTooNarrow { .. } => vec!["cap too narrow"],
        },
        slice::Input::Edited { edit, .. } => {
            let slice::Want::Edit { plan, .. } = &effect.want else { return vec![] };
            let is_planned =
                |place: &String| plan.places.iter().any(|it| slice::is_below(place, it));
            match (wasted(&edit.pass, Phase::Implement), edit.claim) {
                (Some(why), _) => vec![why],
                (None, _) if !edit.places.iter().all(is_planned) => vec!["outside the plan"],
                (None, Claim::Ready) => [&["ready"], &residue(&edit.pass.residue)[..]].concat(),
                (None, Claim::MoreToDo) => {
                    [&["more to do"], &residue(&edit.pass.residue)[..]].concat()
                }
            }
        }
        slice::Input::Blocked { need, .. } => match need {
            Need::Fact { .. } => vec!["lacks a fact"],
            Need::Cap { .. } => vec!["lacks places to look in"],
            Need::Contract { .. } => vec!["gap in the contract"],
        },
        slice::Input::GateRan { run, .. } => {
            let planned = task
                .data()
                .and_then(|data| data.slices.last()?.charter())
                .map(|it| it.planned.fingerprint);
            let mut reports = Vec::new();
            reports.extend((!run.cheats.is_empty()).then_some("cheat"));
            reports.extend((!run.unmet.is_empty()).then_some("criteria unmet"));
            match run.verdict {
                Verdict::CannotTell => reports.push("cannot tell"),
                Verdict::Fail if reports.is_empty() || !run.failures.is_empty() => {
                    reports.push("failed")
                }
                Verdict::Fail => {}
                Verdict::Pass if !reports.is_empty() => {}
                Verdict::Pass
                    if EffectKind::of_gate(&effect.want) == Some(EffectKind::IterationGate) =>
                {
                    reports.push("passed");
                }
                Verdict::Pass if run.fingerprint.is_none() => reports.push("no interface"),
                Verdict::Pass if run.fingerprint != planned => reports.push("interface changed"),
                Verdict::Pass => reports.push("passed"),
            }
            reports
        }
        slice::Input::Audited { .. } => vec!["audited"],
        slice::Input::RungChosen { rung, .. } => match rung {
            Rung::FixForward => vec!["fix forward"],
            Rung::Rescout => vec!["scout again"],
            Rung::Replan => vec!["plan again"],
        },
        slice::Input::Impossible { .. } => vec!["impossible"],
    }
}

impl EffectKind {
    fn of_gate(want: &slice::Want) -> Option<Self> {
        match want {
            slice::Want::RunGate { gate: GateKind::Iteration, .. } => Some(Self::IterationGate),
            slice::Want::RunGate { gate: GateKind::Exit, .. } => Some(Self::ExitGate),
            slice::Want::Scout { .. }
            | slice::Want::Consolidate { .. }
            | slice::Want::Plan
            | slice::Want::Edit { .. }
            | slice::Want::Audit
            | slice::Want::ChooseRung => None,
        }
    }
}

/// Why a pass does not count, in two words.
fn wasted(pass: &Pass, phase: Phase) -> Option<&'static str> {
    pass.is_wasted(phase)?;
    Some(if pass.progress.is_empty() { "nothing gained" } else { "wrong next phase" })
}

fn residue(left: &[Residue]) -> Vec<&'static str> {
    let has =
        |is_security: bool| left.iter().any(|it| (it.kind == ResidueKind::Security) == is_security);
    let mut reports = Vec::new();
    reports.extend(has(true).then_some("security finding"));
    reports.extend(has(false).then_some("finding left over"));
    reports
}

//! Rules made wrong, one guard at a time: the walk has to notice each of them.

use anyhow::Result;

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;

const SNAPSHOT: &str = "crates/kernel/src/task/slice/snapshot.rs";
const SLICE: &str = "crates/kernel/src/task/slice/steps.rs";
const TASK: &str = "crates/kernel/src/task/steps.rs";
const PEOPLE: &str = "crates/kernel/src/task/people.rs";
const TASK_STATE: &str = "crates/kernel/src/task.rs";
const OWED: &str = "crates/kernel/src/task/owed.rs";
const EVIDENCE: &str = "crates/kernel/src/evidence.rs";
const ESCALATION: &str = "crates/kernel/src/task/escalation.rs";
const OWNER: &str = "crates/kernel/src/owner.rs";

const fn bug(
    name: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
) -> Bug {
    Bug { name, file, right, wrong }
}

#[rustfmt::skip] // One line each.
pub(crate) const MUTANTS: &[Bug] = &[
    bug("an audit after four failures instead of three", SNAPSHOT, "FAILS_BEFORE_AUDIT: u32 = 3", "FAILS_BEFORE_AUDIT: u32 = 4"),
    bug("a task is done at a tree that was not verified", TASK, "if Some(*shipped) != self.verified {", "if false {"),
    bug("a stale freeze counts", PEOPLE, "if asked.item != *item {", "if false {"),
    bug("a pass with an exit code that says otherwise", EVIDENCE, "if verdict == Verdict::Pass && *exit != 0 {", "if false {"),
    bug("a failure in the same slice is not counted", SNAPSHOT, "(GateOutcome::Fail, true) => before + 1,", "(GateOutcome::Fail, true) => before,"),
    bug("a changed interface is delivered", SLICE, "let is_same_surface = run.fingerprint == Some(self.charter.planned.fingerprint);", "let is_same_surface = true;"),
    bug("gate runs have no end", SLICE, "(_, _, _) if !runs_left => Some(escalated(Stuck::RunsUsedUp)),", "(_, _, _) if !runs_left && false => Some(escalated(Stuck::RunsUsedUp)),"),
    bug("detours have no end", SLICE, "if self.detours < DETOURS_MAX {", "if true {"),
    bug("a plan cites what was never consolidated", SLICE, "match cited.iter().find(|id| self.snapshot.fact(**id).is_none()) {", "match cited.iter().find(|_| false) {"),
    bug("a fact is promoted without evidence", SLICE, "if from.is_empty()\n                || !from.iter().all(is_there)\n", "let _ = is_there;\n            if false\n"),
    bug("an exit gate passes with criteria unmet", SLICE, "run.failures.is_empty() && run.unmet.is_empty() && run.cheats.is_empty()", "run.failures.is_empty() && run.cheats.is_empty()"),
    bug("a gate of a slice passes although somebody cheated", SLICE, "run.failures.is_empty() && run.unmet.is_empty() && run.cheats.is_empty()", "run.failures.is_empty() && run.unmet.is_empty()"),
    bug("cheats at the gates of slices are not counted", TASK, "let cheat = input.cheat();", "let cheat = input.cheat().filter(|_| false);"),
    bug("what could not be told is a failure like any other", SLICE, "return Ok(vec![ran, escalated(Stuck::CannotTell { why })]);", "return Ok(vec![Event::RungTaken { rung: super::Rung::Replan, because: vec![], }]).map(|it| { let _ = why; let _ = ran; it });"),
    bug("tests that passed before anything was built count as red", EVIDENCE, "Source::Command { exit: 0, .. } => Err(Unsupported::Contradicted { exit: 0 }),", "Source::Command { exit: 0, .. } => Ok(()),"),
    bug("checks may fail once more", TASK_STATE, "VERIFY_FAILS_MAX: u32 = 3", "VERIFY_FAILS_MAX: u32 = 4"),
    bug("a challenge may fail once more", TASK_STATE, "REVISIONS_MAX: u32 = 2", "REVISIONS_MAX: u32 = 3"),
    bug("a fourth cheat is redone", TASK_STATE, "HEALS_MAX: u32 = 3", "HEALS_MAX: u32 = 4"),
    bug("a new attempt forgets the cheats", TASK_STATE, "(self.test_tries, self.mild) = (0, 0);", "(self.test_tries, self.mild, self.heals) = (0, 0, 0);"),
    bug("any halt can be overridden", ESCALATION, "let may_override = self.is_a_judgement() && context.is_acceptable;", "let may_override = context.is_acceptable;"),
    bug("a fix is taken after a hard stop", ESCALATION, "let may_fix = context.is_verifiable && !is_hard_stop;", "let may_fix = context.is_verifiable; let _ = is_hard_stop;"),
    bug("the machine decides as a person", PEOPLE, "by.person().ok_or(Rejected::NotAPerson)", "match by {\n        Actor::Machine => Ok(\"machine\"),\n        _ => by.person().ok_or(Rejected::NotAPerson),\n    }"),
    bug("failed checks are overlooked", TASK, "result.verdict == Verdict::Pass && result.failed.is_empty()", "result.verdict == Verdict::Pass"),
    bug("a finding about security is overlooked in review", TASK, "(None, _) if !security.is_empty() => halt(Cause::Security { findings: security }),", "(None, _) if !security.is_empty() && false => halt(Cause::Security { findings: security }),"),
    bug("a conservative task passes by itself", OWNER, "(Guard::Kept, Autonomy::Manual | Autonomy::Conservative) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto) => match", "(Guard::Kept, Autonomy::Manual) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto | Autonomy::Conservative) => match"),
    bug("high risk is frozen at auto", PEOPLE, "if self.charter.header.is_guarded() == Guard::Missing {", "if false {"),
    bug("a role is asked after the budget is reached", OWED, "due.retain(|effect| !effect.asks_a_role());", "due.retain(|_| true);"),
    bug("a call is paid for twice", TASK, "if self.spending.has(receipt.invocation) {", "if false {"),
    bug("a budget is raised to less than what was spent", PEOPLE, "if let Some(bound) = budget.reached(self.spending.all().cost) {", "if let Some(bound) = budget.reached(crate::Cost::default()) {"),
    bug("an edited task is frozen unread", PEOPLE, "if self.drifted.is_some() {", "if false {"),
];

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let (tried, build) = match size {
        Size::Quick(sample) => (sample.of(MUTANTS, QUICK), Build::Quick),
        Size::Full => (MUTANTS.to_vec(), Build::Release),
    };
    let hunt = Hunt { program: "sealwright-model-check", build };
    // Some show only in the strict lane, which the quick walk leaves out.
    let found = hunt.count(&tried, &[&["--quick"], &[]])?;
    figures.hold(format!("{found} of {} wrong rules found", tried.len()), found == tried.len());
    Ok(())
}

/// Those the careless world has to run into by itself, in the full form.
pub(crate) fn for_worlds(size: Size) -> &'static [Bug] {
    size.choose(&[], &MUTANTS[MUTANTS.len() - WORLDS..])
}

/// How many are tried with every change.
const QUICK: usize = 1;
/// How many the careless world has to find; they stand at the end.
const WORLDS: usize = 5;

//! Rules of the slice machine.

use super::{Break, broken};

const STEPS: &str = "crates/kernel/src/task/slice/steps.rs";
const SNAPSHOT: &str = "crates/kernel/src/task/slice/snapshot.rs";
const SLICE: &str = "crates/kernel/src/task/slice.rs";
const WORDS: &str = "crates/kernel/src/task/slice/vocabulary.rs";

macro_rules! test {
    ($name:literal) => {
        concat!("crates/kernel/src/task/slice/tests.rs::", $name)
    };
}

const COUNTERS: &str = test!("a_gate_run_changes_its_own_counter_and_no_other");
const LATEST: &str = test!("only_the_latest_snapshot_counts_towards_an_alarm");
const HEADER: &str = test!("the_header_alone_says_when_a_slice_is_stuck");
const BEGINS: &str = test!("a_slice_begins_with_a_snapshot_of_what_was_agreed_and_nothing_else");
const LEAVES: &str = test!("a_scout_that_leaves_the_cap_brings_nothing_until_the_cap_is_revised");
const WEIGHED: &str = test!("only_what_was_weighed_may_be_planned_from");
const MISSING: &str =
    test!("a_missing_fact_is_scouted_and_promoted_before_anything_is_planned_on_it");
const ADVICE: &str = test!("neither_scouts_nor_auditors_have_room_for_advice");
const THIRD: &str = test!("the_third_failure_is_audited_and_the_fourth_is_the_last");
const EXIT: &str = test!("a_failed_exit_gate_gives_a_snapshot_a_rung_and_another_run");
const ISSUE: &str = test!("an_issue_is_carried_until_the_gate_that_opened_it_passes");
const DELIVERED: &str = test!("a_slice_is_delivered_by_its_exit_gate_and_only_if_everything_holds");
const SCOUTS: &str = test!("scouts_go_out_until_every_unknown_is_answered_and_three_times_at_most");
const FIELDS: &str = test!("a_header_without_its_slice_or_its_counters_is_none");
const WASTED: &str = test!("a_pass_that_gains_nothing_or_proposes_nonsense_stops_the_slice");
const OUTSIDE: &str = test!("an_edit_outside_its_plan_does_not_count");
const CARELESS: &str = test!("a_careless_world_cannot_break_a_slice");

#[rustfmt::skip] // One line each.
pub(super) const BREAKS: &[Break] = &[
    broken("B-030", COUNTERS, STEPS, "        snapshot.header.scope_cap = cap.clone();\n", "        snapshot.header.scope_cap = cap.clone();\n        snapshot.header.iteration_fails = 0;\n"),
    broken("B-031", COUNTERS, STEPS, "        snapshot.header.last_run = Some((gate, outcome));\n", ""),
    broken("B-032", COUNTERS, SNAPSHOT, "(GateOutcome::Pass, _) => 0,", "(GateOutcome::Pass, _) => before,"),
    broken("B-033", COUNTERS, SNAPSHOT, "(GateOutcome::Fail, true) => before + 1,", "(GateOutcome::Fail, true) => before.max(1),"),
    broken("B-034", COUNTERS, SNAPSHOT, "(GateOutcome::Fail, false) => 1,", "(GateOutcome::Fail, false) => before + 1,"),
    broken("B-035", LATEST, SNAPSHOT, "GateKind::Iteration => (counted(self.iteration_fails), self.exit_fails),", "GateKind::Iteration => (counted(self.iteration_fails), 0),"),
    broken("B-016", HEADER, SNAPSHOT, "match self.iteration_fails.max(self.exit_fails) {", "match self.iteration_fails.max(self.exit_fails).min(self.slice.len() as u32 / 6) {"),
    broken("B-029", LATEST, STEPS, "let then = match (&end, outcome, snapshot.header.alarm(), claim) {", "let then = match (&end, outcome, self.snapshot.header.alarm(), claim) {"),
    broken("B-067", HEADER, SNAPSHOT, "match self.iteration_fails.max(self.exit_fails) {", "match self.exit_fails {"),
    broken("B-068", HEADER, SNAPSHOT, "match self.iteration_fails.max(self.exit_fails) {", "match self.iteration_fails {"),
    broken("B-017", BEGINS, SLICE, ") => return Err(Rejected::NotBegun),", ") => return Ok(vec![]),"),
    broken("B-026", BEGINS, STEPS, "        parent: charter.parent,\n", "        parent: charter.parent.map(|it| Iteration::new(it.number() + 1)),\n"),
    broken("B-028", BEGINS, STEPS, "        slice_id: charter.id,\n", "        slice_id: crate::SliceId::new(charter.id.number() + 1),\n"),
    broken("B-048", BEGINS, STEPS, "        iteration_fails: 0,\n", "        iteration_fails: 1,\n"),
    broken("B-072", LEAVES, STEPS, "        snapshot.header.scope_cap = cap.clone();\n", ""),
    broken("B-073", LEAVES, STEPS, "if let Some(stray) = findings.iter().find(|finding| !cap.holds(&finding.source)) {", "if let Some(stray) = findings.iter().find(|finding| !cap.holds(&finding.source) && false) {"),
    broken("B-004", WEIGHED, STEPS, "if source.trim().is_empty() || note.trim().is_empty() {", "if note.trim().is_empty() {"),
    broken("B-009", WEIGHED, STEPS, "match cited.iter().find(|id| self.snapshot.fact(**id).is_none()) {", "match cited.iter().find(|_| false) {"),
    broken("B-037", WEIGHED, STEPS, "        if cited.is_empty() {\n", "        if false {\n"),
    broken("B-038", WEIGHED, STEPS, "                || !from.iter().all(is_there)\n", "                || !from.iter().any(is_there)\n"),
    broken("B-039", WEIGHED, STEPS, "snapshot.evidence.push(Finding { id, by, source, snippet, note, certainty });", "snapshot.evidence.push(Finding { id, by, source: source.chars().take(0).collect(), snippet, note, certainty });"),
    broken("B-057", WEIGHED, STEPS, "        if plan.gate != planned.gate_iteration {\n", "        if plan.gate.is_empty() {\n"),
    broken("B-058", MISSING, STEPS, "        snapshot.issue(unknown.to_string(), NextAction::Rescout, Opener::Planning);\n", ""),
    broken("B-007", ADVICE, WORDS, "    /// What does not fit together.\n", "    /// What does not fit together.\n    #[serde(default)]\n"),
    broken("B-076", ADVICE, WORDS, "    /// What may go wrong.\n", "    /// What may go wrong.\n    #[serde(default)]\n"),
    broken("B-054", THIRD, STEPS, "Weighed::Audit(report) => (report.findings(), Finder::Auditor, Opener::Audit),", "Weighed::Audit(_) => (vec![], Finder::Auditor, Opener::Audit),"),
    broken("B-069", THIRD, STEPS, "            let id = snapshot.next_finding();\n            snapshot.evidence.push(Finding { id, by, source, snippet, note, certainty });\n", "            let id = snapshot.next_finding();\n            if by != Finder::Auditor {\n                snapshot.evidence.push(Finding { id, by, source, snippet, note, certainty });\n            }\n"),
    broken("B-070", THIRD, SLICE, "                data.cites(because)?;\n", ""),
    broken("B-078", THIRD, SLICE, "Event::Audited { report } => State::AuditConsolidating { report },", "Event::Audited { .. } => State::Ladder,"),
    broken("B-064", EXIT, STEPS, "(None, GateOutcome::Fail, Alarm::None | Alarm::Escalate, _) => AfterGate::Ladder,", "(None, GateOutcome::Fail, Alarm::None | Alarm::Escalate, _) => AfterGate::Planning,"),
    broken("B-021", ISSUE, STEPS, "        snapshot.header.iteration = Iteration::new(latest.number() + 1);\n", ""),
    broken("B-041", ISSUE, STEPS, "snapshot.issue(text, NextAction::Fix, Opener::Gate(gate));", "snapshot.issue(text, NextAction::Replan, Opener::Gate(gate));"),
    broken("B-042", ISSUE, STEPS, "GateOutcome::Pass => snapshot.close(Opener::Gate(gate), id),", "GateOutcome::Pass => snapshot.close(Opener::Gate(gate), 1),"),
    broken("B-062", ISSUE, STEPS, "        self.resolved.extend(closed.into_iter().map(resolved));\n", "        let _ = closed.into_iter().map(resolved);\n"),
    broken("B-014", DELIVERED, STEPS, "        snapshot.header.last_run = Some((gate, outcome));\n", ""),
    broken("B-060", DELIVERED, STEPS, "(None, GateOutcome::Pass, _, Claim::Ready) => AfterGate::ExitGate,", "(None, GateOutcome::Pass, _, Claim::Ready) => AfterGate::Planning,"),
    broken("B-063", DELIVERED, STEPS, "run.failures.is_empty() && run.unmet.is_empty() && run.cheats.is_empty()", "run.failures.is_empty() && run.cheats.is_empty()"),
    broken("B-052", SCOUTS, SLICE, "if (0..unknowns.len()).all(is_answered) || tries + 1 >= SCOUTINGS_MAX {", "if (0..unknowns.len()).any(is_answered) || tries + 1 >= SCOUTINGS_MAX {"),
    broken("B-015", FIELDS, SNAPSHOT, "    /// Failures of the iteration gate in a row, in this slice.\n", "    /// Failures of the iteration gate in a row, in this slice.\n    #[serde(default)]\n"),
    broken("P-046", WASTED, STEPS, "if let Some(why) = edit.pass.is_wasted(Phase::Implement) {", "if let Some(why) = edit.pass.is_wasted(Phase::Implement).filter(|_| !edit.pass.progress.is_empty()) {"),
    broken("P-048", WASTED, WORDS, "            Some(next) if !phase.may_propose(next) => {\n", "            Some(next) if !phase.may_propose(next) && next != Phase::Done => {\n"),
    broken("P-052", WASTED, WORDS, "            Some(_) | None if self.progress.is_empty() => {\n", "            Some(_) | None if self.progress.is_empty() && self.lessons.len() > 99 => {\n"),
    broken("P-053", WASTED, STEPS, "return Ok(vec![Event::Escalated { why: Stuck::NoProgress { why } }]);", "return Ok(self.detour(Event::EditRefused { outside: vec![] }, why));"),
    broken("B-079", OUTSIDE, STEPS, "        if !outside.is_empty() {\n", "        if outside.len() > 1 {\n"),
    broken("B-020", CARELESS, STEPS, "        snapshot.header.iteration = Iteration::new(latest.number() + 1);\n", "        snapshot.header.iteration = Iteration::new(latest.number() + 2);\n"),
];

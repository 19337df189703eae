//! Rules of the task machine.

use super::{Break, broken};

const STEPS: &str = "crates/kernel/src/task/steps.rs";
const TASK: &str = "crates/kernel/src/task.rs";
const BUNDLE: &str = "crates/kernel/src/task/bundle.rs";
const PHASE: &str = "crates/kernel/src/task/phase.rs";
const PEOPLE: &str = "crates/kernel/src/task/people.rs";
const ESCALATION: &str = "crates/kernel/src/task/escalation.rs";
const OWNER: &str = "crates/kernel/src/owner.rs";
const SLICE_STEPS: &str = "crates/kernel/src/task/slice/steps.rs";

macro_rules! test {
    ($name:literal) => {
        concat!("crates/kernel/src/task/tests.rs::", $name)
    };
    ($folder:literal, $name:literal) => {
        concat!("crates/kernel/src/task/tests/", $folder, ".rs::", $name)
    };
}

const FRAME: &str = test!("a_frame_is_complete_or_it_says_what_is_missing");
const LABELS: &str = test!("a_feature_has_one_of_four_labels");
const FREEZE: &str = test!("a_freeze_covers_three_parts_and_what_is_guarded_is_what_was_seen_red");
const RED: &str = test!("nothing_is_built_before_the_tests_were_seen_to_fail");
const CANDIDATE: &str = test!("implement_ends_with_a_candidate_that_its_exit_gate_has_judged");
const CHECKS: &str =
    test!("nothing_is_done_before_every_check_ran_as_a_command_on_the_tree_that_is_kept");
const VERIFY: &str = test!("verify_leads_where_the_table_says");
const REVIEW: &str = test!("review_asks_five_questions_and_leads_where_the_table_says");
const VOID: &str =
    test!("a_frozen_contract_changes_only_by_a_new_start_that_voids_what_rests_on_it");
const WIRE: &str = test!("tripwires", "a_tripped_wire_is_redone_three_times_and_never_waived");
const REDO: &str = test!("tripwires", "an_honest_third_redo_passes");
const CHEAT: &str =
    test!("tripwires", "a_cheat_at_the_gate_of_a_slice_counts_too_and_the_fourth_is_a_hard_stop");
const RESIDUE: &str = test!("a_finding_no_test_can_settle_stops_for_a_person_at_every_rung");
const NAMES: &str = test!("slices_are_named_by_their_place_in_the_plan_and_never_by_their_words");
const STOPS: &str = test!("a_run_stops_when_it_is_done_blocked_or_somebody_has_to_decide");
const APPROVED: &str = test!("nothing_starts_before_a_person_approved");
const CITED: &str = test!("citations_change_nothing_about_the_gates");
const PAYLOAD: &str = test!("resolutions", "a_resolution_is_one_action_with_its_whole_payload");
const NO_ROLE: &str = test!("resolutions", "a_resolution_is_carried_out_without_a_role");
const WALKED: &str = test!("phases_follow_each_other_as_the_table_says");
const PHASES: &str = "crates/kernel/src/task/phase.rs::the_whole_table_is_this_and_nothing_else";
const TERMINAL: &str = "crates/kernel/src/task/phase.rs::the_runner_stops_in_three_phases_only";

#[rustfmt::skip] // One line each.
pub(super) const BREAKS: &[Break] = &[
    broken("P-006", FRAME, BUNDLE, "(Missing::Exclusions, is_blank(&self.not_doing)),", "(Missing::Exclusions, self.not_doing.is_empty()),"),
    broken("P-007", FRAME, BUNDLE, "            Audience::People if !is_listed => missing.push(Missing::FeatureChecklist),\n", "            Audience::People if !is_listed => {}\n"),
    broken("P-008", FRAME, STEPS, "            (true, _) => Ok(self.on_the_table(bundle)),\n", "            (_, true) => Ok(self.on_the_table(bundle)),\n            (true, _) => Ok(self.on_the_table(bundle)),\n"),
    broken("P-028", LABELS, BUNDLE, "    /// It does not work and is hidden.\n", "    /// It does not work and is hidden.\n    #[serde(alias = \"mostly_working\")]\n"),
    broken("A-104", FREEZE, STEPS, "let guarded = Guarded { tests, contract };", "let guarded = Guarded { tests: contract, contract };"),
    broken("A-003", APPROVED, STEPS, "let is_approved = self.charter.freeze == Freeze::InAdvance\n", "let is_approved = self.charter.freeze == Freeze::Asked\n"),
    broken("A-103", RED, STEPS, "            (Verdict::Fail, true) if !keeps_behaviour => {\n", "            (Verdict::Fail, _) if !keeps_behaviour => {\n"),
    broken("P-010", CANDIDATE, SLICE_STEPS, "            (GateOutcome::Pass, GateKind::Exit, _) if is_same_surface => {\n", "            (GateOutcome::Pass, _, _) if is_same_surface => {\n"),
    broken("P-031", CHECKS, STEPS, "if all.len() < self.probes().len() {", "if all.len() + 1 < self.probes().len() {"),
    broken("P-013", VERIFY, STEPS, "|result: &ProbeResult| result.verdict == Verdict::Pass && result.failed.is_empty();", "|result: &ProbeResult| result.verdict == Verdict::Pass;"),
    broken("P-017", VERIFY, STEPS, "        if !outside.is_empty() {\n", "        if outside.len() > 1 {\n"),
    broken("P-018", VERIFY, STEPS, "learned.into_iter().chain([entered(Phase::Verify)]).collect()", "learned.into_iter().chain([entered(Phase::Review)]).collect()"),
    broken("P-015", REVIEW, STEPS, "(None, Some(question)) => halt(Cause::Tradeoff { question: cut(question) }),", "(None, Some(question)) => send_back(vec![cut(question)], SentBackBy::Challenge),"),
    broken("P-030", REVIEW, STEPS, "let unmet = unmet.iter().map(", "let unmet = unmet.iter().filter(|it| **it != super::ReviewQuestion::Objective).map("),
    broken("P-034", REVIEW, STEPS, "let unmet = unmet.iter().map(", "let unmet = unmet.iter().filter(|it| **it != super::ReviewQuestion::NoFakeTruth).map("),
    broken("A-107", VOID, TASK, "Event::FreezeVoided { .. } => (self.frozen, self.guarded) = (None, None),", "Event::FreezeVoided { .. } => self.frozen = None,"),
    broken("A-007", WIRE, STEPS, "all.iter().flat_map(|(_, result)| &result.cheats).next() {", "all.iter().flat_map(|(_, result)| &result.cheats).find(|(it, _)| *it != Cheat::RedTestChanged) {"),
    broken("A-008", WIRE, ESCALATION, "let may_override = self.is_a_judgement() && context.is_acceptable;", "let may_override = (self.is_a_judgement() && context.is_acceptable) || is_hard_stop;"),
    broken("A-015", WIRE, STEPS, "[Probe::Tripwire].into_iter().chain(checks).chain(readers).collect()", "checks.chain(readers).collect()"),
    broken("A-016", WIRE, STEPS, "            (true, true) => vec![entered(Phase::Repair)],\n", "            (true, true) => self.halt(from, Cause::FrozenEdited { what }),\n"),
    broken("A-033", WIRE, STEPS, "            (false, _) => self.halt(from, Cause::HardStop { cheat, what }),\n", "            (false, _) => vec![entered(Phase::Repair)],\n"),
    broken("A-012", REDO, TASK, "HEALS_MAX: u32 = 3", "HEALS_MAX: u32 = 2"),
    broken("A-009", CHEAT, STEPS, "            (Some((cheat, what)), _) if self.heals >= HEALS_MAX => {\n", "            (Some((cheat, what)), _) => {\n"),
    broken("A-010", CHEAT, STEPS, "if self.heals >= HEALS_MAX => {", "if self.heals > HEALS_MAX => {"),
    broken("A-011", CHEAT, TASK, "(self.test_tries, self.mild) = (0, 0);", "(self.test_tries, self.mild, self.heals) = (0, 0, 0);"),
    broken("A-028", RESIDUE, STEPS, "(None, _) if !security.is_empty() => halt(Cause::Security { findings: security }),", "(None, _) if security.len() > 1 => halt(Cause::Security { findings: security }),"),
    broken("A-074", RESIDUE, STEPS, "        if !findings.is_empty() {\n            return halt(Cause::Security { findings });\n", "        if !findings.is_empty() && self.charter.header.autonomy != crate::owner::Autonomy::Auto {\n            return halt(Cause::Security { findings });\n"),
    broken("B-027", NAMES, STEPS, "let minted = (self.minted + 1..).map(SliceId::new);", "let words = bundle.plan.first().map_or(1, |it| it.sentence.len() as u32);\n        let minted = (self.minted + words..).map(SliceId::new);"),
    broken("B-047", NAMES, TASK, "self.minted = slices.last().map_or(self.minted, |(id, _)| id.number());", "self.minted = slices.last().map_or(self.minted, |_| 0);"),
    broken("P-049", STOPS, OWNER, "                (Lane::Quick | Lane::Factory, OpenFindings::Empty, Completeness::Complete) => {\n                    Owner::Machine\n", "                (Lane::Quick | Lane::Factory, OpenFindings::Empty, Completeness::Complete) => {\n                    Owner::Human\n"),
    broken("A-040", CITED, STEPS, "let is_approved = self.charter.freeze == Freeze::InAdvance\n", "let is_approved = (self.charter.freeze == Freeze::InAdvance || crate::goal::is_ready(&self.charter.criteria))\n"),
    broken("F-ESC-009", PAYLOAD, ESCALATION, "                said(\"amendment_rationale\", amendment_rationale)?;\n", "                let _ = amendment_rationale;\n"),
    broken("F-ESC-029", NO_ROLE, PEOPLE, "vec![reopened(Phase::Shape), Event::Bundled { bundle, item }]", "let _ = (bundle, item);\n                vec![reopened(Phase::Shape)]"),
    broken("P-020", PHASES, PHASE, "Self::Intake => &[Self::Shape],", "Self::Intake => &[Self::Shape, Self::Blocked],"),
    broken("P-021", WALKED, STEPS, "Ok(vec![entered(Phase::Verify)])", "Ok(vec![entered(Phase::Done)])"),
    broken("P-019", TERMINAL, PHASE, "        self.next().is_empty()\n", "        self.next().is_empty() || self == Self::Review\n"),
];

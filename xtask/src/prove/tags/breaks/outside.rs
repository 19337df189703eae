//! Rules outside of the kernel, and rules of the kernel that a test of the program claims.

use super::{Break, broken};

const CONTEXT: &str = "crates/views/src/context.rs";
const STATE: &str = "crates/views/src/state.rs";
const VIEWS: &str = "crates/views/src/lib.rs";
const PULL_REQUEST: &str = "crates/views/src/pull_request.rs";
const BUNDLE: &str = "crates/kernel/src/task/bundle.rs";
const TASK: &str = "crates/kernel/src/task.rs";
const PEOPLE: &str = "crates/kernel/src/task/people.rs";
const STEPS: &str = "crates/kernel/src/task/steps.rs";
const ESCALATION: &str = "crates/kernel/src/task/escalation.rs";
const OWNER: &str = "crates/kernel/src/owner.rs";
const SUITE: &str = "crates/gates/src/kinds/suite.rs";
const TRIPWIRE: &str = "crates/gates/src/tripwire.rs";
const CALLS: &str = "crates/factory/src/role_calls.rs";
const SCOUT: &str = "crates/factory/src/role_calls/scout.rs";
const AUDIT: &str = "crates/factory/src/role_calls/audit.rs";
const CALL: &str = "crates/factory/src/task_performer/call.rs";
const BUILD: &str = "crates/factory/src/task_performer/build.rs";
const READ: &str = "crates/factory/src/task_performer/read.rs";
const SHIP: &str = "crates/factory/src/task_performer/ship.rs";
const FOLDER: &str = "crates/factory/src/task_folder.rs";
const VERIFY_TASKS: &str = "crates/verify/src/tasks.rs";
const GATES: &str = "crates/cli/src/commands/gates.rs";
const TEMPLATE: &str = "crates/cli/src/commands/init/template.rs";
const PERSON: &str = "crates/cli/src/person.rs";
const NEW: &str = "crates/cli/src/commands/new.rs";

macro_rules! life {
    ($name:literal) => {
        concat!("crates/cli/tests/tasks/life.rs::", $name)
    };
}

const FIRST: &str =
    "crates/views/tests/views.rs::the_first_snapshot_has_zero_counts_and_the_agreed_facts";
const LATER: &str =
    "crates/views/tests/views.rs::a_snapshot_after_a_gate_counts_it_and_names_what_closed_an_issue";
const SEVENTEEN: &str =
    "crates/views/tests/views.rs::a_state_has_its_seventeen_fields_at_every_step";
const FLAGGED: &str = "crates/views/tests/views.rs::flagged_and_least_certain_parts_come_first";
const EXPECTED: &str = "crates/gates/src/kinds/suite/tests.rs::only_everything_expected_is_a_pass";
const TRIPPED: &str =
    "crates/gates/src/tripwire/tests.rs::every_kind_of_change_is_told_with_the_cheat_it_is";
const LEGAL: &str = "crates/factory/src/role_calls/tests.rs::only_legal_next_steps_are_named_and_only_to_who_may_propose_one";
const TRIED: &str =
    "crates/cli/tests/gates_try.rs::a_command_is_judged_on_the_commit_that_was_named";
const INIT: &str = "crates/cli/tests/init.rs::a_rust_repository_is_ready_after_one_command";
const THIRTY: &str = "crates/cli/tests/tasks/forgeries.rs::thirty_ways_to_cheat_and_none_works";
const ELEVEN: &str =
    "crates/cli/tests/tasks/hand_edits.rs::a_snapshot_without_one_of_its_eleven_fields_is_none";
const TAMPERED: &str = "crates/cli/tests/tasks/hand_edits.rs::a_tampered_snapshot_is_restored_and_red_until_it_was_looked_at";
const DELIVERY: &str = "crates/cli/tests/tasks/left_behind.rs::a_delivery_is_a_patch_the_latest_snapshot_and_a_change_record";
const KEPT: &str = "crates/cli/tests/tasks/left_behind.rs::nothing_is_kept_before_its_proof_can_be_read_from_files";
const PASS: &str = "crates/cli/tests/tasks/parts.rs::a_pass_is_one_run_that_has_an_end";
const WRITER: &str =
    "crates/cli/tests/tasks/parts.rs::only_the_builder_writes_and_only_one_at_a_time";
const LOWERED: &str =
    "crates/cli/tests/tasks/trust.rs::a_finished_task_whose_header_was_lowered_is_reported";
const NUMBER: &str = "crates/cli/tests/tasks/trust.rs::a_snapshot_whose_number_was_used_before_or_comes_too_early_is_refused";
const GAP: &str = "crates/cli/tests/hands/slices.rs::a_gap_in_the_contract_goes_to_a_person";
const PROPOSES: &str =
    "crates/cli/tests/hands/slices.rs::a_scout_that_proposes_a_change_is_no_scout";
const CAP: &str =
    "crates/cli/tests/hands/slices.rs::scouts_see_the_cap_and_only_what_was_seen_becomes_a_fact";
const SETTLE: &str =
    "crates/cli/tests/hands/slices.rs::what_a_builder_cannot_settle_reaches_a_person";
const READER: &str =
    "crates/cli/tests/hands/strict_lane.rs::a_cheat_that_a_reader_finds_is_taken_back";
const CONSERVATIVE: &str = life!("a_conservative_task_stops_for_a_person_who_signs_with_a_reason");
const DECLINED: &str = life!("a_declined_contract_is_drafted_again_and_counts_as_no_failure");
const HALT: &str = life!("a_halt_says_why_and_takes_only_what_it_admits");
const OVERRIDDEN: &str =
    life!("a_judgement_can_be_overridden_by_a_person_and_is_shipped_as_a_risk");
const ONCE: &str = life!("a_quick_task_needs_one_person_once");
const REPORTED: &str = life!("a_reported_cheat_is_redone_three_times_and_then_stops");

#[rustfmt::skip] // One line each.
pub(super) const BREAKS: &[Break] = &[
    broken("B-048", FIRST, CONTEXT, "header.iteration_fails.to_string()", "(header.iteration_fails + 1).to_string()"),
    broken("B-023", LATER, CONTEXT, "(gate.name(), outcome.name())", "(outcome.name(), gate.name())"),
    broken("B-025", LATER, CONTEXT, "(\"Slice ID\", header.slice_id.to_string()),", "(\"Slice ID\", header.slice_id.number().to_string()),"),
    broken("B-036", LATER, CONTEXT, "\\n## Consolidated Context (Source of Truth)\\n\\n", "\\n## Consolidated Context\\n\\n"),
    broken("P-022", SEVENTEEN, STATE, "    list(out, \"Reality constraints\", &frame.reality);\n", ""),
    broken("P-023", SEVENTEEN, STATE, "if yes { \"yes\" } else { \"no\" }", "if yes { \"true\" } else { \"false\" }"),
    broken("A-115", FLAGGED, BUNDLE, "parts.sort_by_key(|part| (part.confidence, part.kind));", "parts.sort_by_key(|part| part.kind);"),
    broken("F-CONTRACT-038", EXPECTED, SUITE, ".filter(|(_, times)| times.told > 1)", ".filter(|(_, times)| times.told > 2)"),
    broken("F-CONTRACT-038", EXPECTED, SUITE, "Known::Any && seen.values().all(|times| times.ran == 0) {", "Known::Any && seen.values().any(|times| times.ran == 0) {"),
    broken("A-014", TRIPPED, TRIPWIRE, "(Some(_), None) => add(path, kept.guard, What::Removed),", "(Some(_), None) => {}"),
    broken("A-014", TRIPPED, TRIPWIRE, "        named(given.contract, Guard::Contract, \"frozen\", &mut guarded);\n", ""),
    broken("P-044", LEGAL, CALLS, "BriefInput::new(self.key.name(), self.brief, self.role, self.phase, (self.answer)())", "BriefInput::new(self.key.name(), self.brief, self.role, Phase::Implement, (self.answer)())"),
    broken("P-050", LEGAL, CALLS, "duties.next = self.phase.next().to_vec();", "duties.next = Phase::ALL.to_vec();"),
    broken("P-038", TRIED, GATES, "        Verdict::Fail => \"failed\",\n", "        Verdict::Fail => return Ok(()),\n"),
    broken("A-024", INIT, TEMPLATE, "autonomy = \\\"auto\\\"", "autonomy = \\\"conservative\\\""),
    broken("A-065", THIRTY, PERSON, "    if std::env::var_os(ROLE_MARK).is_some() || is_below_a_role() {\n", "    if std::env::var_os(ROLE_MARK).is_some() && !is_below_a_role() {\n"),
    broken("A-045", ONCE, NEW, "freeze: if args.yes { Freeze::InAdvance } else { Freeze::Asked },", "freeze: if args.yes { Freeze::Asked } else { Freeze::InAdvance },"),
    broken("A-034", LOWERED, VERIFY_TASKS, "    if file.is_some_and(|file| file.header == record.header) {\n", "    if file.is_some_and(|file| file.header.autonomy == record.header.autonomy) {\n"),
    broken("B-018", NUMBER, VERIFY_TASKS, "    result.add_differences(task.stream(), redo.differences(), vouched);\n", "    let _ = (redo.differences(), vouched);\n"),
    broken("B-022", ELEVEN, CONTEXT, "        (\"Scope cap\", line(&header.scope_cap.sentence)),\n", ""),
    broken("B-010", TAMPERED, FOLDER, "if found == view.content.as_bytes() || self.is_unedited(&view.name, &found)? {", "if found == view.content.as_bytes() || view.name.starts_with(\"context/\") || self.is_unedited(&view.name, &found)? {"),
    broken("B-065", DELIVERY, PULL_REQUEST, "    out.push_str(\"\\n## Not proven\\n\\n\");\n    list(out, &summary.unproven);\n", ""),
    broken("P-035", KEPT, SHIP, "                self.store.blobs().find(&content).await?;\n", "                let _ = content;\n"),
    broken("P-036", KEPT, STATE, "\"[evidence.html](evidence.html)\"", "\"evidence.html\""),
    broken("P-037", KEPT, VIEWS, "        view(\"evidence.html\", page::render(input, data)),\n", ""),
    broken("P-045", PASS, CALL, "const AGAIN_MAX: u32 = 2;", "const AGAIN_MAX: u32 = 3;"),
    broken("B-003", WRITER, SCOUT, "    tree: Some(Hand::Reads),\n", "    tree: Some(Hand::Tries),\n"),
    broken("B-006", WRITER, AUDIT, "    tree: None,\n", "    tree: Some(sealwright_sandbox::view::Hand::Tries),\n"),
    broken("B-008", WRITER, CALL, "Some(WriteLease::take(tree, self.leases, spec.effect.as_str())?)", "Some(WriteLease::take(tree, &self.leases.join(spec.name()), spec.effect.as_str())?)"),
    broken("B-005", PROPOSES, BUILD, "TreePath::new(path).ok()).collect());\n        spec.is_usable = Box::new(prescribes_nothing);\n", "TreePath::new(path).ok()).collect());\n"),
    broken("B-012", PROPOSES, CALL, "            if let Err(reason) = (spec.is_usable)(&answer) {\n", "            if let Err(reason) = (spec.is_usable)(&answer) && again < AGAIN_MAX {\n"),
    broken("B-050", CAP, BUILD, "        let is_seen = |path: &&str| cap.holds(path);\n", "        let is_seen = |path: &&str| !path.is_empty();\n"),
    broken("B-055", CAP, BUILD, "        spec.give(\"snapshot.md\", snapshot_text(context));\n        let failed", "        let failed"),
    broken("A-061", SETTLE, BUILD, "    let residue = residue.into_iter().map(Into::into).collect();\n", "    let residue = residue.into_iter().map(Into::into).take(0).collect();\n"),
    broken("A-017", READER, READ, "cheats: cheats.into_iter().take(FINDINGS_MAX).map(Into::into).collect(),", "cheats: cheats.into_iter().take(0).map(Into::into).collect(),"),
    broken("A-059", GAP, ESCALATION, "let best = if is_gap { ResolutionKind::AmendSpec } else { self.recommended() };", "let best = if is_gap { ResolutionKind::AbandonTask } else { self.recommended() };"),
    broken("A-064", ONCE, STEPS, "vec![self.pass(Completion::Pass, RecordOwner::Run, reason, tree)]", "vec![self.pass(Completion::Pass, RecordOwner::Person(self.created_by.clone()), reason, tree)]"),
    broken("A-006", CONSERVATIVE, PEOPLE, "                let owner = RecordOwner::Person(by);\n                Ok(vec![self.pass(Completion::Pass,", "                let owner = RecordOwner::Run;\n                let _ = by;\n                Ok(vec![self.pass(Completion::Pass,"),
    broken("A-026", CONSERVATIVE, OWNER, "            (Guard::Kept, Autonomy::Manual | Autonomy::Conservative) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto) => match", "            (Guard::Kept, Autonomy::Manual) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto | Autonomy::Conservative) => match"),
    broken("A-002", DECLINED, TASK, "            Event::FreezeDeclined { rationale, .. } => {\n", "            Event::FreezeDeclined { rationale, .. } => {\n                self.drafts += 1;\n"),
    broken("F-ESC-006", HALT, PEOPLE, "        resolution.check()?;\n", ""),
    broken("A-105", OVERRIDDEN, PEOPLE, "vec![self.pass(Completion::RiskAccepted, owner, rationale.clone(), tree)]", "vec![self.pass(Completion::Pass, owner, rationale.clone(), tree)]"),
    broken("A-010", REPORTED, TASK, "HEALS_MAX: u32 = 3", "HEALS_MAX: u32 = 4"),
    broken("A-009", REPORTED, STEPS, "            (true, true) => vec![entered(Phase::Repair)],\n", "            (true, true) => self.halt(from, Cause::FrozenEdited { what }),\n"),
];

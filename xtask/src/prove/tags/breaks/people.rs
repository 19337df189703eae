//! Who owns a gate, what a role may know, and how a goal is cited.

use super::{Break, broken};

const OWNER: &str = "crates/kernel/src/owner.rs";
const GOAL: &str = "crates/kernel/src/goal.rs";
const PACK: &str = "crates/kernel/src/pack.rs";
const PACK_RULES: &str = "crates/kernel/src/pack/rules.rs";
const SEALED: &str = "crates/kernel/src/pack/sealed.rs";

const RUNGS: &str =
    "crates/kernel/src/owner.rs::the_rungs_are_ordered_and_auto_is_where_one_starts";
const OPENS: &str = "crates/kernel/src/owner.rs::the_run_opens_the_review_gate_in_one_case_only";
const HIGH_RISK: &str =
    "crates/kernel/src/owner.rs::high_risk_at_auto_is_refused_whatever_else_holds";
const CITED: &str = "crates/kernel/src/goal.rs::a_criterion_is_cited_by_its_form_alone";
const STORED: &str =
    "crates/kernel/src/pack/tests.rs::a_pack_is_stored_under_the_names_of_the_schema";
const ONE_OPEN: &str =
    "crates/kernel/src/pack/tests.rs::other_modules_are_contracts_and_only_one_is_open";
const NESTED: &str = "crates/kernel/src/pack/tests.rs::permissions_are_strictly_nested";
const REASONS: &str =
    "crates/kernel/src/pack/tests.rs::without_a_reason_nothing_is_shown_and_nothing_withheld";

#[rustfmt::skip] // One line each.
pub(super) const BREAKS: &[Break] = &[
    broken("A-020", RUNGS, OWNER, "    /// All work is done, then a person looks.\n", "    /// All work is done, then a person looks.\n    #[serde(rename = \"careful\")]\n"),
    broken("A-021", RUNGS, OWNER, "    /// A person owns every gate; the machine only proposes.\n    Manual,\n    /// All work is done, then a person looks.\n    Conservative,\n", "    /// All work is done, then a person looks.\n    Conservative,\n    /// A person owns every gate; the machine only proposes.\n    Manual,\n"),
    broken("A-025", OPENS, OWNER, "(Lane::Quick | Lane::Factory, OpenFindings::Empty, Completeness::Complete) => {", "(Lane::Quick | Lane::Factory, OpenFindings::Empty, _) => {"),
    broken("A-026", OPENS, OWNER, "            (Guard::Kept, Autonomy::Manual | Autonomy::Conservative) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto) => match", "            (Guard::Kept, Autonomy::Manual) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto | Autonomy::Conservative) => match"),
    broken("A-027", OPENS, OWNER, "            (Guard::Kept, Autonomy::Manual | Autonomy::Conservative) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto) => match", "            (Guard::Kept, Autonomy::Conservative) => Owner::Human,\n            (Guard::Kept, Autonomy::Auto | Autonomy::Manual) => match"),
    broken("A-032", HIGH_RISK, OWNER, "            (Guard::Missing, _) => Owner::Refused,\n", "            (Guard::Missing, _) => Owner::Human,\n"),
    broken("A-044", HIGH_RISK, OWNER, "            (Risk::High, Autonomy::Auto) => Guard::Missing,\n            (Risk::High, Autonomy::Manual | Autonomy::Conservative) | (Risk::Normal, _) => {", "            (Risk::High, _) | (Risk::Normal, _) => {"),
    broken("A-073", HIGH_RISK, OWNER, "        Gate::Review => match (header.is_guarded(), header.autonomy) {\n", "        Gate::Review if lane == Lane::Quick && header.autonomy == Autonomy::Auto => Owner::Machine,\n        Gate::Review => match (header.is_guarded(), header.autonomy) {\n"),
    broken("A-037", CITED, GOAL, "Some((verifier, _)) => !verifier.trim().is_empty(),", "Some((verifier, _)) => !verifier.is_empty(),"),
    broken("F-CTX-001", STORED, PACK, "    /// What a module gets that is in neither list.\n", "    /// What a module gets that is in neither list.\n    #[serde(rename = \"default\")]\n"),
    broken("F-CTX-006", ONE_OPEN, PACK_RULES, "        (Some(first), Some(second)) => {\n", "        (Some(first), Some(second)) if first == second => {\n"),
    broken("F-CTX-002", NESTED, SEALED, "            Self::Summary => Permission::SummaryOnly,\n", "            Self::Summary => Permission::ContractOnly,\n"),
    broken("F-CTX-005", REASONS, PACK_RULES, "    if !reason.chars().any(char::is_alphanumeric) {\n", "    if reason.is_empty() {\n"),
];

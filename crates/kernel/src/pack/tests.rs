use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::rules::{REASON_BYTES_MAX, REFS_MAX};
use super::*;
use crate::{Role, TooMuch};

/// Proves: F-CTX-001
#[test]
fn a_pack_is_stored_under_the_names_of_the_schema() {
    let mut draft = draft(Role::Builder);
    draft.included_refs.push(include("MM-limiter@1.2.0", Permission::Full, "it is being built"));
    draft.excluded_refs.push(exclude("MM-billing@1.0.0", "no part of this task"));
    let stored = serde_json::to_value(ContextPack::new(draft.clone()).unwrap()).unwrap();
    let expected = serde_json::json!({
        "context_pack_id": "CP-1a2b3c4d",
        "created_for": { "role": "builder", "run_id": "INV-000007", "task_ref": "T-limits" },
        "included_refs": [
            { "ref": "MM-limiter@1.2.0", "permission": "FULL", "reason": "it is being built" },
        ],
        "excluded_refs": [{ "ref": "MM-billing@1.0.0", "reason": "no part of this task" }],
        "default_permission": "CONTRACT_ONLY",
        "created_at": "2026-11-15T08:15:47.042Z",
    });
    assert_eq!(stored, expected);
    assert_eq!(read(&expected).unwrap(), ContextPack::new(draft).unwrap());

    for field in expected.as_object().unwrap().keys() {
        let mut without = expected.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(read(&without).is_err(), "a pack without {field} was read");
    }
    let mut more = expected;
    more["allow_everything"] = true.into();
    assert!(read(&more).is_err(), "a field nobody knows was read over");
}

#[test]
fn the_words_of_the_factory_for_roles_are_read() {
    let read = |name: &str| PackReader::try_from(name.to_string());
    assert_eq!(read("proposer"), Ok(PackReader::Role(Role::Builder)));
    assert_eq!(read("micro_planner"), Ok(PackReader::Role(Role::Planner)));
    assert_eq!(read("orchestrator"), Ok(PackReader::Orchestrator));
    for role in Role::ALL {
        let name = serde_json::to_value(role).unwrap();
        assert_eq!(read(name.as_str().unwrap()), Ok(PackReader::Role(role)));
        assert_eq!(serde_json::to_value(PackReader::Role(role)).unwrap(), name);
    }
    for bad in ["", "Builder", "root", "refute-reader"] {
        assert_eq!(read(bad), Err(UnknownPackReader), "{bad}");
    }
}

#[test]
fn a_pack_has_one_form_of_name_and_the_same_run_the_same_name() {
    let read = |text: &str| PackId::try_from(text.to_string());
    assert!(read("CP-00ff00ff").is_ok());
    for bad in ["CP-", "CP-1A2B3C4D", "CP-1a2b3c4", "CP-1a2b3c4d5", "1a2b3c4d", "cp-1a2b3c4d"] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let task = TaskId::new("T-x").unwrap();
    let name = |run: &str| PackId::of(&task, &StreamId::new(run).unwrap());
    assert_eq!(name("INV-000001"), name("INV-000001"));
    assert_ne!(name("INV-000001"), name("INV-000002"));
    assert!(read(name("INV-000001").as_str()).is_ok());
}

#[test]
fn a_reference_is_a_name_and_a_version_and_never_a_path() {
    let good = [
        ("MM-rate_limit@1.0.0", RefKind::Module),
        ("MM-0042@10.20.30", RefKind::Module),
        ("T-auth-login-form-001@1.0.0", RefKind::Task),
        ("CTR-1a2b3c4d@1.0.0", RefKind::Contract),
        ("IMPL-1a2b3c4d@1.0.0", RefKind::Implementation),
        ("SCHEMA-Proposal@1.0.0", RefKind::Schema),
        ("RUBRIC-evaluation@1.0.0", RefKind::Rubric),
    ];
    for (text, kind) in good {
        let reference = Ref::new(text).unwrap();
        assert_eq!((reference.kind(), reference.to_string().as_str()), (kind, text));
    }
    let long = format!("MM-{}@1.0.0", "x".repeat(65));
    let bad = [
        "",
        "@",
        "MM-x",
        "MM-x@",
        "MM-@1.0.0",
        "MM-x@1.0",
        "MM-x@1.0.0.0",
        "MM-x@01.0.0",
        "MM-x@1.0.0-rc1",
        "MM-x@١.0.0",
        "MM-x@+1.0.0",
        "MM-x@99999999999.0.0",
        "MM-x/../y@1.0.0",
        "MM-..@1.0.0",
        "../MM-x@1.0.0",
        "/etc/passwd@1.0.0",
        "mm-x@1.0.0",
        "MM-x y@1.0.0",
        "MM-x\0@1.0.0",
        "MM-x\n@1.0.0",
        "MM-é@1.0.0",
        "CTR-1A2B3C4D@1.0.0",
        "CTR-x@1.0.0",
        "ZZ-1a2b3c4d@1.0.0",
        "T-a/b@1.0.0",
        "T-@1.0.0",
        "MM-x@1.0.0@1.0.0",
        &long,
    ];
    for text in bad {
        assert!(Ref::new(text).is_err(), "{text}");
    }
}

/// Proves: F-CTX-005
#[test]
fn without_a_reason_nothing_is_shown_and_nothing_withheld() {
    for blank in ["", " ", "\n\t", "\u{200b}", "…", "-"] {
        let mut shown = draft(Role::Builder);
        shown.included_refs.push(include("MM-a@1.0.0", Permission::ContractOnly, blank));
        assert_eq!(refusal(shown), Refused::NoReason { reference: named("MM-a@1.0.0") });

        let mut withheld = draft(Role::Builder);
        withheld.excluded_refs.push(exclude("MM-a@1.0.0", blank));
        assert_eq!(refusal(withheld), Refused::NoReason { reference: named("MM-a@1.0.0") });
    }
    let mut wordy = draft(Role::Builder);
    let most = REASON_BYTES_MAX;
    wordy.excluded_refs.push(exclude("MM-a@1.0.0", &"x".repeat(most)));
    assert!(ContextPack::new(wordy.clone()).is_ok());
    wordy.excluded_refs[0].reason.push('x');
    assert_eq!(refusal(wordy), Refused::TooMuch(TooMuch { most, what: "bytes of a reason" }));
}

/// Proves: F-CTX-006
#[test]
fn other_modules_are_contracts_and_only_one_is_open() {
    let mut draft = draft(Role::Builder);
    draft.included_refs.push(include("MM-limiter@1.0.0", Permission::Full, "it is being built"));
    draft.included_refs.push(include(
        "MM-old@1.0.0",
        Permission::MetadataOnly,
        "named in the task",
    ));
    draft.excluded_refs.push(exclude("MM-rival@1.0.0", "another team builds it"));
    let pack = ContextPack::new(draft.clone()).unwrap();
    let of = |text: &str| pack.permission_of(&named(text));
    assert_eq!(of("MM-limiter@1.0.0"), Visibility::Visible(Permission::Full));
    assert_eq!(of("MM-limiter@0.9.0"), Visibility::Visible(Permission::ContractOnly));
    assert_eq!(of("MM-unlisted@3.1.4"), Visibility::Visible(Permission::ContractOnly));
    assert_eq!(of("MM-old@1.0.0"), Visibility::Visible(Permission::MetadataOnly));
    assert_eq!(of("MM-rival@1.0.0"), Visibility::Withheld);
    assert_eq!(of("PROP-1a2b3c4d@1.0.0"), Visibility::Withheld, "only modules have a default");
    assert_eq!(pack.open_module(), Some(&named("MM-limiter@1.0.0")));

    draft.included_refs.push(include("MM-limiter@0.9.0", Permission::Full, "to compare"));
    let (first, second) = (named("MM-limiter@1.0.0"), named("MM-limiter@0.9.0"));
    assert_eq!(refusal(draft), Refused::SecondFull { first, second });
}

#[test]
fn no_other_default_is_taken() {
    for given in [Permission::Full, Permission::SummaryOnly, Permission::MetadataOnly] {
        let draft = Draft { default_permission: given, ..draft(Role::Builder) };
        assert_eq!(refusal(draft), Refused::OtherDefault { given });
    }
}

#[test]
fn a_thing_is_named_once_and_in_one_list() {
    let twice = || named("MM-a@1.0.0");
    let shown = include("MM-a@1.0.0", Permission::ContractOnly, "needed");
    let less = include("MM-a@1.0.0", Permission::MetadataOnly, "needed less");
    let withheld = exclude("MM-a@1.0.0", "not needed");

    let draft = draft(Role::Builder);
    let both = Draft { included_refs: vec![shown.clone(), less], ..draft.clone() };
    assert_eq!(refusal(both), Refused::Twice { reference: twice() });
    let both = Draft { excluded_refs: vec![withheld.clone(), withheld.clone()], ..draft.clone() };
    assert_eq!(refusal(both), Refused::Twice { reference: twice() });
    let both = Draft { included_refs: vec![shown], excluded_refs: vec![withheld], ..draft };
    assert_eq!(refusal(both), Refused::BothWays { reference: twice() });
}

#[test]
fn a_pack_is_bounded() {
    let all = |count: usize| {
        let one = |nth| exclude(&format!("MM-{nth}@1.0.0"), "too many");
        Draft { excluded_refs: (0..count).map(one).collect(), ..draft(Role::Builder) }
    };
    assert!(ContextPack::new(all(REFS_MAX)).is_ok());
    let too_much = TooMuch { most: REFS_MAX, what: "excluded references" };
    assert_eq!(refusal(all(REFS_MAX + 1)), Refused::TooMuch(too_much));
}

/// Proves in part: F-CTX-015
#[test]
fn a_judge_is_never_given_source_or_a_work_tree() {
    for role in [Role::Challenger, Role::Arbiter, Role::Auditor] {
        let reader = PackReader::Role(role);
        for permission in Permission::ALL {
            let refused = refusal(with(role, "IMPL-1a2b3c4d@1.0.0", permission));
            let (reference, input) =
                (named("IMPL-1a2b3c4d@1.0.0"), InputKind::ImplementationSource);
            assert_eq!(refused, Refused::NotForRole { reader, reference, input });
        }
        let refused = refusal(with(role, "MM-limiter@1.0.0", Permission::Full));
        let (reference, input) = (named("MM-limiter@1.0.0"), InputKind::Workspace);
        assert_eq!(refused, Refused::NotForRole { reader, reference, input });
    }
    for role in [Role::Builder, Role::Planner, Role::RefuteReader, Role::Verifier] {
        assert!(ContextPack::new(with(role, "MM-limiter@1.0.0", Permission::Full)).is_ok());
    }
}

/// The normative table, cell by cell, as a reader of it would say it.
///
/// Proves in part: F-CTX-019
#[test]
fn the_three_roles_of_a_debate_see_what_the_factory_says() {
    let full = Sight::UpTo(Permission::Full);
    let contract = Sight::UpTo(Permission::ContractOnly);
    let (own, never) = (Sight::Own, Sight::Never);
    let (revise, amend) = (Sight::Only(Occasion::Revise), Sight::Only(Occasion::Amend));
    let expected = [
        (InputKind::TaskFile, [full, never, full]),
        (InputKind::ModuleContract, [full, full, full]),
        (InputKind::DependencyContracts, [contract, contract, never]),
        (InputKind::IndexResults, [full, never, never]),
        (InputKind::HarnessSchemas, [full, never, never]),
        (InputKind::Workspace, [full, never, never]),
        (InputKind::Proposal, [own, full, full]),
        (InputKind::Challenge, [never, own, full]),
        (InputKind::ChallengeFailures, [revise, never, never]),
        (InputKind::Adjudication, [amend, never, own]),
        (InputKind::ImplementationSource, [own, never, never]),
        (InputKind::EvaluationRubric, [never, full, never]),
        (InputKind::DecompositionRubric, [never, full, never]),
        (InputKind::DebateTrail, [never, full, full]),
    ];
    for (input, sights) in expected {
        let roles = [Role::Builder, Role::Challenger, Role::Arbiter];
        assert_eq!(roles.map(|role| sight(role, input)), sights, "{input}");
    }
}

/// Proves in part: B-003, B-006
#[test]
fn only_the_builder_writes() {
    for role in Role::ALL {
        let expected = if role == Role::Builder {
            Writes::WorkTree
        } else if role == Role::TestAuthor {
            Writes::Tests
        } else {
            Writes::Nothing
        };
        assert_eq!(writes(role), expected, "{role:?}");
    }
}

#[test]
fn every_kind_of_input_is_decided_for_every_role_once() {
    let names: BTreeSet<&str> = InputKind::ALL.map(InputKind::name).into_iter().collect();
    assert_eq!(names.len(), InputKind::ALL.len());
    let seen =
        |input| Role::ALL.into_iter().filter(move |role| sight(*role, input) != Sight::Never);
    for input in InputKind::ALL {
        // A row that is missing would read as never; only records are for nobody on purpose.
        assert_eq!(seen(input).count() == 0, input == InputKind::Records, "{input}");
    }
}

#[test]
fn an_arbiter_is_shown_no_other_module_listed_or_not() {
    let pack = ContextPack::new(draft(Role::Arbiter)).unwrap();
    assert_eq!(pack.permission_of(&named("MM-a@1.0.0")), Visibility::Withheld);
    let refused = refusal(with(Role::Arbiter, "MM-a@1.0.0", Permission::MetadataOnly));
    assert!(matches!(refused, Refused::NotForRole { input: InputKind::DependencyContracts, .. }));
}

#[test]
fn a_builder_sees_an_adjudication_only_to_amend_and_never_a_whole_challenge() {
    let amend = with(Role::Builder, "ADJ-1a2b3c4d@1.0.0", Permission::Full);
    let pack = ContextPack::new(amend).unwrap();
    let reader = PackReader::Role(Role::Builder);
    for occasion in [Occasion::Begin, Occasion::Revise] {
        let not_now =
            Refused::NotNow { reader, input: InputKind::Adjudication, occasion: Occasion::Amend };
        assert_eq!(pack.fits(occasion), Err(not_now));
    }
    assert_eq!(pack.fits(Occasion::Amend), Ok(()));

    let refused = refusal(with(Role::Builder, "CHAL-1a2b3c4d@1.0.0", Permission::Full));
    assert!(matches!(refused, Refused::NotForRole { input: InputKind::Challenge, .. }));
    assert_eq!(reader.may_have(InputKind::ChallengeFailures, Occasion::Revise), Ok(()));
    assert!(reader.may_have(InputKind::ChallengeFailures, Occasion::Begin).is_err());
}

#[test]
fn a_step_that_no_role_takes_is_shown_nothing() {
    let mut draft = draft(Role::Builder);
    draft.created_for.role = PackReader::Orchestrator;
    assert!(ContextPack::new(draft.clone()).is_ok());
    draft.included_refs.push(include("SPEC-1a2b3c4d@1.0.0", Permission::MetadataOnly, "why not"));
    assert!(matches!(refusal(draft), Refused::NotForRole { .. }));
}

#[test]
fn whoever_asks_for_a_sealed_folder_is_told_exactly_this() {
    let expected = "ACCESS DENIED: 'modules/MM-0042/1.0.0/implementation' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13).";
    assert_eq!(sealed_message("modules/MM-0042/1.0.0/implementation"), expected);
}

#[test]
fn moments_are_read_as_they_are_written() {
    let read = |text: &str| {
        let text = format!("{text:?}");
        timestamp::deserialize(&mut serde_json::Deserializer::from_str(&text)).ok()
    };
    let known = [
        ("1970-01-01T00:00:00Z", 0),
        ("2000-02-29T12:00:00.5Z", 951_825_600_500),
        ("2026-11-15T08:15:47.042999Z", 1_794_730_547_042),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ];
    for (text, millis) in known {
        assert_eq!(read(text), Some(Timestamp::from_millis(millis)), "{text}");
    }
    let bad = [
        "",
        "Z",
        "2026-11-15",
        "2026-11-15T08:15:47",
        "2026-11-15T08:15:47+01:00",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-11-15T24:00:00Z",
        "2026-11-15T08:60:00Z",
        "1969-12-31T23:59:59Z",
        "2026-11-15T08:15:47.Z",
        "2026-11-15T08:15:47.0123456789Z",
        "2026-11-15T08:15:47.-1Z",
        "2026-11-15t08:15:47Z",
        "é026-11-15T08:15:47Z",
        "+026-11-15T08:15:47Z",
    ];
    for text in bad {
        assert_eq!(read(text), None, "{text}");
    }
}

proptest! {
    /// What a lesser permission shows, a greater one shows too, and more.
    ///
    /// Proves: F-CTX-002
    #[test]
    fn permissions_are_strictly_nested(less in 0..4usize, more in 0..4usize) {
        let names = Permission::ALL.map(|it| serde_json::to_value(it).unwrap());
        let expected = ["METADATA_ONLY", "SUMMARY_ONLY", "CONTRACT_ONLY", "FULL"];
        prop_assert_eq!(names, expected.map(serde_json::Value::from));

        let shown = |permission: Permission| {
            let told = Surface::ALL.into_iter().filter(|it| it.needs() <= permission);
            let mut shown: BTreeSet<String> = told.map(|it| it.file_name().to_string()).collect();
            if InputKind::of(&named("MM-a@1.0.0"), permission) == InputKind::Workspace {
                shown.insert("work tree".to_string());
            }
            shown
        };
        let (less, more) = (Permission::ALL[less.min(more)], Permission::ALL[less.max(more)]);
        prop_assert!(shown(less).is_subset(&shown(more)));
        prop_assert_eq!(shown(less) == shown(more), less == more);
        // The files it opens tell no more than it shows.
        prop_assert!(more.surfaces().iter().all(|it| it.needs() <= more));
    }

    /// Whatever a pack lists: it either keeps its promises, or it does not exist.
    #[test]
    fn a_pack_that_exists_keeps_its_promises(
        role in prop::sample::select(Role::ALL.to_vec()),
        included in prop::collection::vec((reference(), 0..4usize, "[ a]{0,2}"), 0..6),
        excluded in prop::collection::vec((reference(), "[ a]{0,2}"), 0..4),
        asked in prop::collection::vec(reference(), 0..6),
    ) {
        let mut draft = draft(role);
        for (text, permission, reason) in &included {
            draft.included_refs.push(include(text, Permission::ALL[*permission], reason));
        }
        for (text, reason) in &excluded {
            draft.excluded_refs.push(exclude(text, reason));
        }
        let Ok(pack) = ContextPack::new(draft) else { return Ok(()) };
        let stored = serde_json::to_string(&pack).unwrap();
        prop_assert_eq!(&serde_json::from_str::<ContextPack>(&stored).unwrap(), &pack);

        let full = pack.included().iter().filter(|it| {
            it.reference.kind() == RefKind::Module && it.permission == Permission::Full
        });
        prop_assert!(full.count() <= 1);
        for text in &asked {
            let reference = named(text);
            let visibility = pack.permission_of(&reference);
            let is_excluded = pack.excluded().iter().any(|it| it.reference == reference);
            prop_assert!(!is_excluded || visibility == Visibility::Withheld);
            if let Visibility::Visible(permission) = visibility {
                let most = sight(role, InputKind::of(&reference, permission)).most();
                prop_assert!(most.is_some_and(|most| permission <= most), "{role:?} {text}");
            }
        }
    }

    #[test]
    fn every_moment_survives_being_written(millis in 0..=253_402_300_799_999u64) {
        let mut draft = draft(Role::Scout);
        draft.created_at = Timestamp::from_millis(millis);
        let pack = ContextPack::new(draft).unwrap();
        let stored = serde_json::to_string(&pack).unwrap();
        prop_assert_eq!(serde_json::from_str::<ContextPack>(&stored).unwrap(), pack);
    }
}

/// Few enough names that they meet in both lists.
fn reference() -> impl Strategy<Value = String> {
    let names = [
        "MM-a@1.0.0",
        "MM-b@1.0.0",
        "MM-a@2.0.0",
        "IMPL-00000000@1.0.0",
        "PROP-00000000@1.0.0",
        "CHAL-00000000@1.0.0",
        "ADJ-00000000@1.0.0",
        "RUBRIC-evaluation@1.0.0",
        "T-x@1.0.0",
    ];
    prop::sample::select(names.map(String::from).to_vec())
}

fn draft(role: Role) -> Draft {
    Draft {
        context_pack_id: PackId::try_from("CP-1a2b3c4d".to_string()).unwrap(),
        created_for: CreatedFor {
            role: PackReader::Role(role),
            run_id: StreamId::new("INV-000007").unwrap(),
            task_ref: TaskId::new("T-limits").unwrap(),
        },
        included_refs: Vec::new(),
        excluded_refs: Vec::new(),
        default_permission: Permission::ContractOnly,
        created_at: Timestamp::from_millis(1_794_730_547_042),
    }
}

fn with(role: Role, reference: &str, permission: Permission) -> Draft {
    Draft { included_refs: vec![include(reference, permission, "needed")], ..draft(role) }
}

fn include(reference: &str, permission: Permission, reason: &str) -> Inclusion {
    Inclusion { reference: named(reference), permission, reason: reason.to_string() }
}

fn exclude(reference: &str, reason: &str) -> Exclusion {
    Exclusion { reference: named(reference), reason: reason.to_string() }
}

fn named(reference: &str) -> Ref {
    Ref::new(reference).unwrap()
}

fn refusal(draft: Draft) -> Refused {
    ContextPack::new(draft).unwrap_err()
}

fn read(stored: &serde_json::Value) -> Result<ContextPack, serde_json::Error> {
    serde_json::from_value(stored.clone())
}

//! What each role sees at each point of a debate.

use std::collections::BTreeSet;

use sealwright_kernel::pack::{InputKind, Occasion, RefKind, Visibility};
use sealwright_kernel::{Permission, Ref, Role, Timestamp};

use super::*;
use crate::debate::context::{Extract, NoContext, RoleContext, context_for};
use crate::debate::explore::answers::{amend, fail, pass, reject};

fn context(role: Role, play: &Play) -> RoleContext {
    context_for(role, &play.module, Timestamp::default()).unwrap_or_else(|why| panic!("{why}"))
}

/// The module at each occasion on which a role is called: round 1, round 3, and with amendments.
struct Occasions {
    begin: Play,
    challenge: Play,
    adjudicate: Play,
    revise: Play,
    late_challenge: Play,
    late_adjudicate: Play,
    amend: Play,
}

fn at(play: &Play) -> Play {
    Play { sample: sample(), module: play.module.clone() }
}

fn occasions() -> Occasions {
    let mut play = Play::new();
    let begin = at(&play);
    play.propose().examine();
    let challenge = at(&play);
    play.challenge(&pass());
    let adjudicate = at(&play);
    play.adjudicate(&reject());
    let revise = at(&play);
    play.propose().examine().challenge(&fail(3, "contract:/inputs/0"));
    play.propose().examine();
    let late_challenge = at(&play);
    play.challenge(&pass());
    let late_adjudicate = at(&play);
    play.adjudicate(&amend("test:counts_apart"));
    Occasions { begin, challenge, adjudicate, revise, late_challenge, late_adjudicate, amend: play }
}

/// Proves in part: F-CTX-015
/// Proves in part: F-CTX-019
#[test]
fn each_cell_of_the_table_of_sights_holds() {
    use InputKind as K;
    let all = occasions();
    let always_builder = [
        K::TaskFile,
        K::ModuleContract,
        K::DependencyContracts,
        K::IndexResults,
        K::HarnessSchemas,
        K::Workspace,
        K::ImplementationSource,
        K::AcceptanceCriteria,
        K::AnswerSchema,
    ];
    let challenger = [
        K::ModuleContract,
        K::DependencyContracts,
        K::Proposal,
        K::EvaluationRubric,
        K::DecompositionRubric,
        K::AcceptanceCriteria,
        K::Dossier,
        K::AnswerSchema,
    ];
    let arbiter = [K::TaskFile, K::ModuleContract, K::Proposal, K::Challenge, K::AnswerSchema];
    let none: &[K] = &[];
    for (name, role, play, base, more) in [
        ("begin", Role::Builder, &all.begin, &always_builder[..], none),
        ("revise", Role::Builder, &all.revise, &always_builder[..], &[K::ChallengeFailures][..]),
        ("amend", Role::Builder, &all.amend, &always_builder[..], &[K::Adjudication][..]),
        ("challenge", Role::Challenger, &all.challenge, &challenger[..], none),
        (
            "late challenge",
            Role::Challenger,
            &all.late_challenge,
            &challenger[..],
            &[K::DebateTrail][..],
        ),
        ("adjudicate", Role::Arbiter, &all.adjudicate, &arbiter[..], none),
        (
            "late adjudicate",
            Role::Arbiter,
            &all.late_adjudicate,
            &arbiter[..],
            &[K::DebateTrail][..],
        ),
    ] {
        let given = context(role, play);
        let expected: BTreeSet<K> = base.iter().chain(more).copied().collect();
        let shown: BTreeSet<K> = given.kinds.iter().copied().collect();
        assert_eq!(shown, expected, "{name}");
        // The pack by itself, read as any reader of packs reads it, shows nothing else.
        for included in given.pack.included() {
            let kind = K::of(&included.reference, included.permission);
            let is_trail = matches!(kind, K::Proposal | K::Challenge | K::Adjudication)
                && expected.contains(&K::DebateTrail);
            assert!(expected.contains(&kind) || is_trail, "{name}: {included:?}");
        }
    }
}

/// Proves in part: F-CTX-015
#[test]
fn source_is_never_granted_to_challenger_or_arbiter() {
    let all = occasions();
    for (role, play) in [
        (Role::Challenger, &all.challenge),
        (Role::Challenger, &all.late_challenge),
        (Role::Arbiter, &all.adjudicate),
        (Role::Arbiter, &all.late_adjudicate),
    ] {
        let pack = context(role, play).pack;
        let charter = &play.sample.charter;
        assert_eq!(pack.permission_of(&charter.module), Visibility::Withheld);
        for round in &play.module.data().unwrap().rounds {
            assert_eq!(pack.permission_of(&round.implementation), Visibility::Withheld);
        }
        assert_eq!(pack.open_module(), None);
        let is_source = |kind| matches!(kind, RefKind::Implementation | RefKind::Module);
        let full = pack.included().iter().filter(|it| it.permission == Permission::Full);
        assert!(full.map(|it| it.reference.kind()).all(|kind| !is_source(kind)));
        let clock = &charter.dependencies[0].reference;
        let expected = match role {
            Role::Challenger => Visibility::Visible(Permission::ContractOnly),
            _ => Visibility::Withheld,
        };
        assert_eq!(pack.permission_of(clock), expected);
        // A module that is not listed shows no more.
        let other = Ref::new("MM-other@1.0.0").unwrap();
        assert_eq!(pack.permission_of(&other), expected);
    }
    let builder = context(Role::Builder, &all.begin).pack;
    assert_eq!(builder.open_module(), Some(&all.begin.sample.charter.module));
}

#[test]
fn a_builder_sees_failures_only_to_revise_and_an_adjudication_only_to_amend() {
    let all = occasions();
    let failures = |play: &Play| {
        let given = context(Role::Builder, play);
        let of = |it: &Extract| matches!(it, Extract::Failures { .. });
        (given.occasion, given.extracts.iter().filter(|it| of(it)).count())
    };
    assert_eq!(failures(&all.begin), (Occasion::Begin, 0));
    assert_eq!(failures(&all.revise), (Occasion::Revise, 1));
    assert_eq!(failures(&all.amend), (Occasion::Amend, 0));
    let written = serde_json::to_string(&context(Role::Builder, &all.revise).extracts).unwrap();
    assert!(written.contains("the record of this round leaves no other decision open"));
    for hidden in ["rubric_assessments", "NOT_MET", "verdict"] {
        assert!(!written.contains(hidden), "{hidden}");
    }
    let kinds = |play: &Play| -> Vec<RefKind> {
        let pack = context(Role::Builder, play).pack;
        pack.included().iter().map(|it| it.reference.kind()).collect()
    };
    assert!(kinds(&all.amend).contains(&RefKind::Adjudication));
    for play in [&all.begin, &all.revise] {
        let hidden =
            [RefKind::Adjudication, RefKind::Challenge, RefKind::Rubric, RefKind::Proposal];
        assert!(kinds(play).iter().all(|kind| !hidden.contains(kind)));
    }
}

#[test]
fn the_third_round_has_its_trail() {
    let all = occasions();
    let count = |role, play: &Play, kind| {
        let pack = context(role, play).pack;
        pack.included().iter().filter(|it| it.reference.kind() == kind).count()
    };
    let of = |role, play| {
        [RefKind::Proposal, RefKind::Challenge, RefKind::Adjudication]
            .map(|kind| count(role, play, kind))
    };
    assert_eq!(of(Role::Challenger, &all.late_challenge), [3, 2, 0]);
    assert_eq!(of(Role::Arbiter, &all.late_adjudicate), [3, 3, 1]);
    assert_eq!(of(Role::Builder, &all.amend), [0, 0, 1]);
    assert_eq!(of(Role::Challenger, &all.challenge), [1, 0, 0]);
}

#[test]
fn only_the_role_that_is_called_has_a_context_and_always_the_same() {
    let all = occasions();
    for role in Role::ALL {
        let given = context_for(role, &all.challenge.module, Timestamp::default());
        match role {
            Role::Challenger => assert_eq!(given.unwrap(), context(role, &all.challenge)),
            _ => assert_eq!(given, Err(NoContext::NotCalled { role })),
        }
    }
    let ids: BTreeSet<String> = [
        context(Role::Challenger, &all.challenge),
        context(Role::Challenger, &all.late_challenge),
        context(Role::Arbiter, &all.adjudicate),
        context(Role::Builder, &all.revise),
    ]
    .iter()
    .map(|it| it.pack.id().to_string())
    .collect();
    assert_eq!(ids.len(), 4);
    assert!(context_for(Role::Builder, &Module::default(), Timestamp::default()).is_err());
}

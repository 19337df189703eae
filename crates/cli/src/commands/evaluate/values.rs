//! Accounts as wire types.

use sealwright_evaluate::{Account, Came, Counts, Declarable, End, Fate, How, Strength, Summary};
use sealwright_gates::tripwire::{Guard, What};
use sealwright_views::wire::{self, DeclarableKind};

use crate::commands::gates::judged;

pub(super) fn account(account: &Account) -> wire::EvaluateLine {
    let change = &account.change;
    let (fate, why) = match &account.fate {
        Fate::Passed => (wire::Fate::Passed, &[][..]),
        Fate::Stopped { why } => (wire::Fate::Stopped, &why[..]),
        Fate::CannotTell { why } => (wire::Fate::CannotTell, &why[..]),
        Fate::Nothing { why } => (wire::Fate::Nothing, std::slice::from_ref(why)),
        Fate::NotReached => (wire::Fate::NotReached, &[][..]),
    };
    let suites = account.suites.iter().map(|it| wire::SuiteCounts {
        language: it.toolchain.language().name().into(),
        before: counts(it.before),
        now: counts(it.now),
    });
    let lost = account.lost.iter().map(|it| wire::LostTest {
        test: it.test.clone(),
        how: match it.how {
            How::Weakened => wire::LostHow::Weakened,
            How::Removed => wire::LostHow::Removed,
            How::Undiscovered => wire::LostHow::Undiscovered,
            How::Skipped => wire::LostHow::Skipped,
        },
    });
    let declare = account.declare.iter().map(|it| wire::UndeclaredChange {
        path: (&it.path).into(),
        guard: guard(it.guard),
        what: match it.what {
            What::Edited => wire::ChangeWhat::Edited,
            What::Removed => wire::ChangeWhat::Removed,
            What::Added => wire::ChangeWhat::Added,
        },
    });
    let proof = account.proof.iter().map(|it| {
        let (end, what) = match &it.end {
            End::Red => (wire::NewTestEnd::Red, ""),
            End::Missing => (wire::NewTestEnd::Missing, ""),
            End::Green => (wire::NewTestEnd::Green, ""),
            End::CannotFail { what } => (wire::NewTestEnd::CannotFail, what.as_str()),
            End::Unclear => (wire::NewTestEnd::Unclear, ""),
        };
        wire::NewTest { test: it.test.clone(), end, what: what.to_owned() }
    });
    let checks = account.checks.iter().map(|it| wire::CheckReport {
        name: it.name.clone(),
        kind: it.kind.into(),
        verdict: it.verdict.into(),
        before: it.before.map(Into::into),
        because: it.because.clone(),
    });
    wire::EvaluateLine::Change(Box::new(wire::ChangeReport {
        commit: (&change.commit).into(),
        before: (&change.before).into(),
        subject: change.subject.clone(),
        came: match change.came {
            Came::Merged => wire::Arrival::Merged,
            Came::Committed => wire::Arrival::Committed,
        },
        fate,
        why: why.to_vec(),
        suites: suites.collect(),
        lost: lost.collect(),
        declare: declare.collect(),
        proof: proof.collect(),
        cheats: account.cheats.iter().map(Into::into).collect(),
        findings: account.findings.iter().map(judged::finding).collect(),
        strength: account.strength.iter().map(strength).collect(),
        flaky: account.flaky.clone(),
        checks: checks.collect(),
    }))
}

pub(super) fn summary(summary: &Summary) -> wire::EvaluateLine {
    wire::EvaluateLine::Summary(wire::EvaluateSummary {
        changes: summary.changes as u64,
        passed: summary.passed as u64,
        stopped: summary.stopped as u64,
        cannot_tell: summary.untold as u64,
        nothing: summary.nothing as u64,
        not_reached: summary.unreached as u64,
        killed: summary.killed as u64,
        mutants: summary.mutants as u64,
        not_run: summary.not_run.clone(),
    })
}

fn counts(counts: Counts) -> wire::TestCounts {
    let Counts { passed, failed, skipped } = counts;
    wire::TestCounts { passed: passed as u64, failed: failed as u64, skipped: skipped as u64 }
}

fn guard(guard: Declarable) -> DeclarableKind {
    match guard {
        Declarable::Test => DeclarableKind::Test,
        Declarable::Guarded(Guard::FrozenTest) => DeclarableKind::FrozenTest,
        Declarable::Guarded(Guard::Contract) => DeclarableKind::Contract,
        Declarable::Guarded(Guard::GateConfiguration) => DeclarableKind::GateConfiguration,
        Declarable::Guarded(Guard::ContinuousIntegration) => DeclarableKind::ContinuousIntegration,
        Declarable::Guarded(Guard::TestHelper) => DeclarableKind::TestHelper,
        Declarable::Guarded(Guard::Manifest) => DeclarableKind::Manifest,
        Declarable::Guarded(Guard::Lock) => DeclarableKind::Lock,
        Declarable::Guarded(Guard::StartUpHook) => DeclarableKind::StartUpHook,
        Declarable::Guarded(Guard::ToolConfiguration) => DeclarableKind::ToolConfiguration,
    }
}

fn strength(strength: &Strength) -> wire::StrengthReport {
    let score = strength.score.as_ref();
    let survivors = score.into_iter().flat_map(|score| &score.survivors);
    let survivors = survivors.map(|(line, difference)| wire::MutantSurvivor {
        mutant: line.clone(),
        difference: difference.clone(),
    });
    wire::StrengthReport {
        language: strength.toolchain.language().name().into(),
        verdict: strength.judgement.verdict.into(),
        because: strength.judgement.because.clone(),
        killed: score.map_or(0, |it| it.killed as u64),
        unviable: score.map_or(0, |it| it.unviable as u64),
        unknown: score.map_or(0, |it| it.unknown as u64),
        untried: score.map_or(0, |it| it.untried as u64),
        survivors: survivors.collect(),
    }
}

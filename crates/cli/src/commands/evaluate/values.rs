//! Accounts for programs: everything that was found out.

use sealwright_evaluate::{Account, Came, Counts, Declarable, End, Fate, Strength, Summary};
use serde_json::{Value, json};

/// One change.
pub(super) fn account(account: &Account) -> Value {
    let change = &account.change;
    let (fate, why) = match &account.fate {
        Fate::Passed => ("passed", &[][..]),
        Fate::Stopped { why } => ("stopped", &why[..]),
        Fate::CannotTell { why } => ("cannot_tell", &why[..]),
        Fate::Nothing => ("nothing", &[][..]),
        Fate::NotReached => ("not_reached", &[][..]),
    };
    let suites = account.suites.iter().map(|it| {
        json!({
            "language": it.toolchain.language().name(),
            "before": counts(it.before),
            "now": counts(it.now),
        })
    });
    let lost = account.lost.iter().map(|it| json!({"test": it.test, "how": it.how.name()}));
    let declare = account.declare.iter().map(|it| {
        let guard = match it.guard {
            Declarable::Test => json!("test"),
            Declarable::Guarded(guard) => json!(guard),
        };
        json!({"path": it.path, "guard": guard, "what": it.what})
    });
    let proof = account.proof.iter().map(|it| {
        let what = match &it.end {
            End::CannotFail { what } => what.as_str(),
            End::Red | End::Missing | End::Green | End::Unclear => "",
        };
        json!({"test": it.test, "end": it.end.name(), "what": what})
    });
    let cheats = account.cheats.iter();
    let cheats = cheats.map(|(cheat, what)| json!({"cheat": cheat.name(), "what": what}));
    let checks = account.checks.iter().map(|it| {
        json!({
            "name": it.name,
            "kind": it.kind,
            "verdict": it.verdict,
            "before": it.before,
            "because": it.because,
        })
    });
    json!({
        "commit": change.commit,
        "before": change.before,
        "subject": change.subject,
        "came": match change.came {
            Came::Merged => "merged",
            Came::Committed => "committed",
        },
        "fate": fate,
        "why": why,
        "suites": suites.collect::<Vec<_>>(),
        "lost": lost.collect::<Vec<_>>(),
        "declare": declare.collect::<Vec<_>>(),
        "proof": proof.collect::<Vec<_>>(),
        "cheats": cheats.collect::<Vec<_>>(),
        "findings": account.findings,
        "strength": account.strength.iter().map(strength).collect::<Vec<_>>(),
        "checks": checks.collect::<Vec<_>>(),
    })
}

/// All of them.
pub(super) fn summary(summary: &Summary) -> Value {
    json!({
        "changes": summary.changes,
        "passed": summary.passed,
        "stopped": summary.stopped,
        "cannot_tell": summary.untold,
        "nothing": summary.nothing,
        "not_reached": summary.unreached,
        "killed": summary.killed,
        "mutants": summary.mutants,
    })
}

fn counts(counts: Counts) -> Value {
    let Counts { passed, failed, skipped } = counts;
    json!({"passed": passed, "failed": failed, "skipped": skipped})
}

fn strength(strength: &Strength) -> Value {
    let score = strength.score.as_ref();
    let survivors = score.into_iter().flat_map(|score| &score.survivors);
    let survivors =
        survivors.map(|(line, difference)| json!({"mutant": line, "difference": difference}));
    json!({
        "language": strength.toolchain.language().name(),
        "verdict": strength.judgement.verdict,
        "because": strength.judgement.because,
        "killed": score.map_or(0, |it| it.killed),
        "unviable": score.map_or(0, |it| it.unviable),
        "unknown": score.map_or(0, |it| it.unknown),
        "untried": score.map_or(0, |it| it.untried),
        "survivors": survivors.collect::<Vec<_>>(),
    })
}

//! `challenge`: another role tries to disprove the change, from its diff and the evidence.

use sealwright_kernel::Role;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::{Phase, ReviewQuestion};
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{
    CheatAnswer, ResidueAnswer, cheats, count, list, object, one_of, residue, text, texts,
};
use super::{CONTRACT, CRITERIA, GivenFile, Key, OptionalText, RoleCall};

pub(crate) const CHALLENGE: RoleCall = RoleCall {
    key: Key::Challenge,
    role: Role::Challenger,
    phase: Phase::Review,
    tree: None,
    files: &[
        GivenFile { name: "change.diff", input: InputKind::Proposal },
        CONTRACT,
        CRITERIA,
        GivenFile { name: "evidence.json", input: InputKind::Dossier },
    ],
    brief: "You try to disprove that a change meets its contract. You see the change as a diff, its contract, its criteria \
        and the results of checks, and nothing else of the repository. A review without evidence does not count. If you \
        cannot disprove the change after trying, say so by empty lists.",
    request: "For every criterion say in `looked_at` at which `path:line` of the change you looked and, in at least four words, what you tried. Report \
        in `failures` what fails and what shows it; in `unmet` which of these is not so: it matches the `objective`; nothing fake is shown as real \
        and each visible feature deserves its label (`no_fake_truth`); no visible feature half works (`no_half_working_feature`); documents and code are `consistent`; the \
        change is `minimal`; in `cheats` where a check \
        passes without merit; in `residue` what no test can settle; in `tradeoff` a choice that only a person can make, \
        else leave it empty.",
    allowed: &["judge the change against contract, criteria and evidence"],
    forbidden: &["guessing at code that you do not see", "a failure without evidence"],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChallengeAnswer {
    pub(crate) looked_at: Vec<LookAnswer>,
    pub(crate) failures: Vec<String>,
    #[serde(default)]
    pub(crate) unmet: Vec<ReviewQuestion>,
    #[serde(default)]
    pub(crate) residue: Vec<ResidueAnswer>,
    #[serde(default)]
    pub(crate) cheats: Vec<CheatAnswer>,
    #[serde(default)]
    pub(crate) tradeoff: OptionalText,
}

/// One attempt to disprove a criterion.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LookAnswer {
    pub(crate) criterion: usize,
    pub(crate) place: String,
    pub(crate) tried: String,
}

fn schema() -> Value {
    let questions =
        ["objective", "no_fake_truth", "no_half_working_feature", "consistent", "minimal"];
    object(json!({
        "looked_at": list(object(json!({"criterion": count(1), "place": text(), "tried": text()}))),
        "failures": texts(), "unmet": list(one_of(questions)),
        "residue": residue(), "cheats": cheats(), "tradeoff": text(),
    }))
}

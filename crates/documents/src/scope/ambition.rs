//! Whether the smallest useful version is too ambitious, by two rules that need no opinion.
//!
//! 1. A tier has at most so many criteria: a shed 10, a house 25, a skyscraper 60.
//! 2. The section Smallest Useful Version does not name a deferred item, other than to say that it is left out.

use std::collections::BTreeSet;

use super::Scope;
use crate::Tier;
use crate::finding::Findings;
use crate::markdown::Part;
use crate::text::{shown, words};

/// As many criteria may the first version of a tier have.
pub fn criteria_max(tier: Tier) -> usize {
    match tier {
        Tier::Shed => 10,
        Tier::House => 25,
        Tier::Skyscraper => 60,
    }
}

pub(super) fn check(scope: &Scope, smallest: Option<Part<'_>>, findings: &mut Findings) {
    too_many(scope, findings);
    also_criteria(scope, findings);
    let Some(smallest) = smallest else { return };
    let said: Vec<String> = words(&smallest.text()).take(WORDS_MAX).collect();
    for it in scope.deferred.iter().take(DEFERRED_MAX) {
        let name: Vec<String> = words(&it.name).collect();
        if !name.is_empty() && promises(&said, &name) {
            let name = shown(&it.name);
            let what = format!("the smallest useful version names `{name}`, which is deferred");
            let fix = "leave it out of the smallest useful version, or take it out of Deferred";
            findings.add("scope.ambition.deferred", smallest.line, what, fix);
        }
    }
}

fn too_many(scope: &Scope, findings: &mut Findings) {
    let Some(tier) = scope.tier else { return };
    let (count, most) = (scope.criteria.len(), criteria_max(tier));
    if count > most {
        let name = tier.name();
        let what = format!("{count} criteria are too many for a first {name}: {most} at most");
        let fix = "move criteria to Deferred until the smallest useful version is left";
        findings.add("scope.ambition.criteria", scope.criteria[most].line, what, fix);
    }
}

fn also_criteria(scope: &Scope, findings: &mut Findings) {
    let criteria: BTreeSet<&str> = scope.criteria.iter().map(|it| it.id.as_str()).collect();
    for it in &scope.deferred {
        if let Some(id) = it.id.as_deref().filter(|it| criteria.contains(it)) {
            let what = format!("{id} is both a criterion and deferred");
            findings.add("scope.deferred.criterion", it.line, what, "keep it in one of the two");
        }
    }
}

/// Whether the name stands in the text without a word such as "no" or "without" shortly before it.
fn promises(said: &[String], name: &[String]) -> bool {
    let is_here = |at: &usize| said[*at..].starts_with(name);
    let is_denied = |at: usize| {
        let before = &said[at.saturating_sub(DENIAL_WORDS)..at];
        before.iter().any(|it| DENIALS.contains(&it.as_str()))
    };
    (0..said.len()).filter(is_here).any(|at| !is_denied(at))
}

const DENIALS: [&str; 8] =
    ["no", "not", "without", "except", "excluding", "never", "later", "deferred"];
const DENIAL_WORDS: usize = 4;
/// As many deferred items are looked for; each costs a walk through the section.
const DEFERRED_MAX: usize = 200;
/// As much of the section is searched; a smallest version is shorter.
const WORDS_MAX: usize = 10_000;

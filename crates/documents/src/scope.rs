//! `scope.md`: what is built, for whom it is enough, and what is not built now.
//!
//! Ten sections. A criterion is a list item or a heading below Acceptance Criteria that starts with an id: `- AC-1: …`;
//! nested items and text below such a heading belong to it. A clarification is a list item that is open until it says
//! `resolved: …`, and says whether it `changes pass/fail: yes` or `no`. A deferred item may end in `— deferred by NAME`.

mod ambition;
mod criteria;
mod threshold;

use serde::{Deserialize, Serialize};

use crate::Tier;
use crate::finding::{Finding, Findings};
use crate::ids;
use crate::markdown::{self, NoneIs, Part, Required};
use crate::preferences::{self, Preferences};
use crate::text::{after_label, is_placeholder, listed, shown, split_remark, words};

pub use ambition::criteria_max;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    pub criteria: Vec<Criterion>,
    pub tier: Option<Tier>,
    pub stack: Vec<String>,
    pub target: String,
    /// The text that states the monthly cost.
    pub cost: String,
    pub clarifications: Vec<Clarification>,
    pub deferred: Vec<Deferred>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    pub id: String,
    pub text: String,
    pub line: u32,
    /// Whether it speaks of throughput or of latency under load, which only a load test can show.
    pub needs_load: bool,
}

/// A question that was open when the document was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clarification {
    pub text: String,
    pub line: u32,
    pub is_resolved: bool,
    /// Whether its answer changes what passes. `None` if the document does not say.
    pub changes_verdict: Option<bool>,
}

/// An item that is not built now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deferred {
    pub id: Option<String>,
    pub name: String,
    pub by: Option<String>,
    pub line: u32,
}

impl Scope {
    pub fn criterion_ids(&self) -> Vec<String> {
        self.criteria.iter().map(|it| it.id.clone()).collect()
    }
}

/// Reads `scope.md`. The stack is compared with the preferences if there are any.
pub fn read(text: Option<&str>, preferences: Option<&Preferences>) -> (Scope, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let mut scope = Scope::default();
    let Some(document) = markdown::read(text, &mut findings) else {
        return (scope, findings.finish());
    };
    let [_, smallest, criteria, stack, target, _, cost, tier, clarifications, deferred] =
        SECTIONS.each_ref().map(|it| document.require(it, &mut findings));
    scope.criteria = criteria.map(|it| criteria::read(&it, &mut findings)).unwrap_or_default();
    scope.target = target.map(|it| preferences::first_text(&it)).unwrap_or_default();
    scope.cost = cost.map(|it| monthly_cost(&it, &mut findings)).unwrap_or_default();
    scope.tier = tier.and_then(|it| quality_tier(&it, &mut findings));
    scope.clarifications = clarifications.map(|it| read_clarifications(&it)).unwrap_or_default();
    scope.deferred = deferred.map(|it| read_deferred(&it)).unwrap_or_default();
    if let Some(stack) = stack {
        scope.stack = preferences::names(&stack);
        same_stack(&scope.stack, preferences, stack.line, &mut findings);
    }
    ambition::check(&scope, smallest, &mut findings);
    (scope, findings.finish())
}

pub(crate) fn read_clarifications(part: &Part<'_>) -> Vec<Clarification> {
    let one = |text: String, line| {
        let resolved = after_label(&text, "resolved:");
        // Another label after the answer is no part of it.
        let answer = resolved.map(|it| it.split("changes pass/fail:").next().unwrap_or(it));
        let is_resolved = answer.is_some_and(|it| !is_placeholder(it));
        let answer = after_label(&text, "changes pass/fail:").and_then(|it| words(it).next());
        let changes_verdict = match answer.as_deref() {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => None,
        };
        Clarification { text, line, is_resolved, changes_verdict }
    };
    part.points().into_iter().map(|it| one(it.text, it.line)).collect()
}

fn read_deferred(part: &Part<'_>) -> Vec<Deferred> {
    let one = |text: &str, line| {
        let by = after_label(text, "deferred by ").map(|it| it.trim_end_matches(['.', ')']).trim());
        let by = by.filter(|it| !is_placeholder(it)).map(String::from);
        let (id, rest) = match ids::leading(text) {
            Some((id, rest)) => (Some(String::from(id)), rest),
            None => (None, text),
        };
        Deferred { id, name: String::from(split_remark(rest).0), by, line }
    };
    part.points().into_iter().map(|it| one(it.head, it.line)).collect()
}

/// An amount of money with the word month beside it; zero needs no month.
fn monthly_cost(part: &Part<'_>, findings: &mut Findings) -> String {
    let is_cost = |text: &str| {
        let amounts = threshold::amounts(text);
        let is_monthly = words(text).any(|it| ["month", "monthly", "mo"].contains(&it.as_str()));
        amounts.iter().any(|is_zero| *is_zero || is_monthly)
    };
    if let Some(block) = part.said().find(|it| is_cost(&it.text)) {
        return block.text.trim().to_string();
    }
    let what = "the estimated cost has no monthly figure";
    let fix = "state the infrastructure cost per month, such as `$12 per month`, or `$0` if there is none";
    findings.add("scope.cost.monthly", part.line, what, fix);
    String::new()
}

/// The first word is the tier; other tiers in the same block would leave open which one is meant.
fn quality_tier(part: &Part<'_>, findings: &mut Findings) -> Option<Tier> {
    let first = part.said().next()?;
    let mut said = words(&first.text).skip_while(|it| ["quality", "tier"].contains(&it.as_str()));
    let tier = said.next().and_then(|it| Tier::of_name(&it));
    let others = said.filter_map(|it| Tier::of_name(&it)).any(|it| Some(it) != tier);
    if tier.is_none() || others {
        let what = format!("`{}` does not name one tier", shown(&first.text));
        let fix = "begin the section with exactly one of shed, house or skyscraper";
        findings.add("scope.tier", first.line, what, fix);
        return None;
    }
    tier
}

fn same_stack(
    stack: &[String],
    preferences: Option<&Preferences>,
    line: u32,
    findings: &mut Findings,
) {
    let Some(preferences) = preferences else { return };
    let (own, wanted) = (preferences::as_set(stack), preferences::as_set(&preferences.stack));
    if own == wanted {
        return;
    }
    let missing = listed(wanted.difference(&own).map(String::as_str));
    let extra = listed(own.difference(&wanted).map(String::as_str));
    let what =
        format!("the stack differs from preferences.md: missing [{missing}], additional [{extra}]");
    let fix = "copy the stack from preferences.md; write a conflict with the request to Clarifications Needed";
    findings.add("scope.stack", line, what, fix);
}

pub(crate) const KEY: &str = "scope";
pub(crate) const FILE: &str = "scope.md";

pub(crate) const SECTIONS: [Required; 10] = [
    Required { names: &["Problem"], condition: "scope.section.problem", none: NoneIs::Missing },
    Required {
        names: &["Smallest Useful Version"],
        condition: "scope.section.smallest-useful-version",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Acceptance Criteria"],
        condition: "scope.section.acceptance-criteria",
        none: NoneIs::Missing,
    },
    Required { names: &["Stack"], condition: "scope.section.stack", none: NoneIs::Missing },
    Required {
        names: &["Deployment Target", "Deploy Target"],
        condition: "scope.section.deployment-target",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Data Model"],
        condition: "scope.section.data-model",
        none: NoneIs::AnAnswer,
    },
    Required {
        names: &["Estimated Cost"],
        condition: "scope.section.estimated-cost",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Quality Tier"],
        condition: "scope.section.quality-tier",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Clarifications Needed"],
        condition: "scope.section.clarifications-needed",
        none: NoneIs::AnAnswer,
    },
    Required { names: &["Deferred"], condition: "scope.section.deferred", none: NoneIs::AnAnswer },
];

pub(crate) const CONDITIONS: &[&str] = &[
    "scope.criteria.none",
    "scope.criterion.id",
    "scope.criterion.duplicate",
    "scope.criterion.empty",
    "scope.threshold",
    "scope.stack",
    "scope.cost.monthly",
    "scope.tier",
    "scope.ambition.criteria",
    "scope.ambition.deferred",
    "scope.deferred.criterion",
];

#[cfg(test)]
mod tests;

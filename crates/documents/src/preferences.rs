//! `preferences.md`: what a person decided once for the project, before the first request.
//!
//! Sections Stack, Deploy Target, Conventions, Security Baseline and Quality Bar. The quality bar has one definition for
//! each tier: a list item `- shed: …`, a table row, or a heading `### Shed` with text below it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Tier;
use crate::finding::{Finding, Findings};
use crate::markdown::{self, Document, NoneIs, Part, Required, Shape};
use crate::text::{is_placeholder, shown, words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preferences {
    pub stack: Vec<String>,
    pub deploy_target: String,
    pub conventions: Vec<String>,
    pub security_baseline: Vec<String>,
    pub quality_bars: BTreeMap<Tier, String>,
}

/// Reads `preferences.md`. `None` stands for a file that does not exist.
pub fn read(text: Option<&str>) -> (Preferences, Vec<Finding>) {
    let mut findings = Findings::new(KEY, FILE);
    let mut preferences = Preferences::default();
    if let Some(document) = markdown::read(text, &mut findings) {
        let [stack, target, conventions, baseline, bars] =
            SECTIONS.each_ref().map(|it| document.require(it, &mut findings));
        placeholders(&document, &mut findings);
        preferences.stack = stack.map(|it| names(&it)).unwrap_or_default();
        preferences.deploy_target = target.map(|it| first_text(&it)).unwrap_or_default();
        preferences.conventions = conventions.map(|it| texts(&it)).unwrap_or_default();
        preferences.security_baseline = baseline.map(|it| texts(&it)).unwrap_or_default();
        if let Some(bars) = bars {
            preferences.quality_bars = quality_bars(&bars, &mut findings);
        }
    }
    (preferences, findings.finish())
}

/// The parts of a stack: list items, or a paragraph, both split at commas. A remark after a dash is left out.
pub(crate) fn names(part: &Part<'_>) -> Vec<String> {
    let texts = part.points().into_iter().map(|it| it.head);
    let parts = texts.flat_map(|it| it.split(" — ").next().unwrap_or(it).split(','));
    let names = parts.map(|it| it.trim().trim_end_matches('.').to_string());
    names.filter(|it| !is_placeholder(it)).collect()
}

/// A stack as a set that does not depend on case, order or spaces.
pub(crate) fn as_set(stack: &[String]) -> BTreeSet<String> {
    let normal = |it: &String| it.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    stack.iter().map(normal).collect()
}

pub(crate) fn first_text(part: &Part<'_>) -> String {
    part.said().next().map(|it| it.text.trim().to_string()).unwrap_or_default()
}

fn texts(part: &Part<'_>) -> Vec<String> {
    part.points().into_iter().map(|it| it.text).collect()
}

fn quality_bars(part: &Part<'_>, findings: &mut Findings) -> BTreeMap<Tier, String> {
    let mut bars: BTreeMap<Tier, String> = BTreeMap::new();
    let mut under: Option<Tier> = None;
    for block in part.blocks {
        let first = words(&block.text).next().and_then(|it| Tier::of_name(&it));
        let text = match &block.shape {
            Shape::Heading { .. } => {
                under = first;
                continue;
            }
            Shape::Item { depth: 0 } | Shape::Row { .. } if under.is_none() => {
                let Some(tier) = first else { continue };
                after_name(&block.text, tier)
            }
            _ => block.text.as_str(),
        };
        let tier =
            if under.is_some() { under } else { first.or_else(|| bars.keys().last().copied()) };
        let Some(tier) = tier.filter(|_| !is_placeholder(text)) else { continue };
        let bar = bars.entry(tier).or_default();
        bar.push_str(if bar.is_empty() { "" } else { " " });
        bar.push_str(text.trim());
    }
    for (tier, condition) in Tier::ALL.into_iter().zip(BARS) {
        if !bars.contains_key(&tier) {
            let name = tier.name();
            let what = format!("the quality bar of the tier {name} is not defined");
            let fix = format!("add an item `- {name}: …` that says what a {name} must fulfil");
            findings.add(condition, part.line, what, fix);
        }
    }
    bars
}

fn after_name(text: &str, tier: Tier) -> &str {
    let rest = text.trim_start();
    let rest = rest.get(tier.name().len()..).unwrap_or_default();
    rest.trim_start_matches(|it: char| !it.is_alphanumeric() && !"<[(".contains(it))
}

/// A placeholder beside real text: a list item or a paragraph that says nothing.
fn placeholders(document: &Document, findings: &mut Findings) {
    for wanted in &SECTIONS {
        let Some(part) = document.section(wanted.names).filter(|it| !it.is_empty()) else {
            continue;
        };
        for block in part.blocks.iter().filter(|it| !it.is_heading()) {
            let is_group = block.text.trim().is_empty();
            let value = block.text.split_once(':').map_or(block.text.as_str(), |(_, value)| value);
            let has_value = block.text.contains(": ");
            if !is_group && (is_placeholder(&block.text) || (has_value && is_placeholder(value))) {
                let what = format!("`{}` is a placeholder", shown(&block.text));
                let fix = "replace it with what applies to this project, or delete the line";
                findings.add("preferences.placeholder", block.line, what, fix);
            }
        }
    }
}

pub(crate) const KEY: &str = "preferences";
pub(crate) const FILE: &str = "preferences.md";

pub(crate) const SECTIONS: [Required; 5] = [
    Required { names: &["Stack"], condition: "preferences.section.stack", none: NoneIs::Missing },
    Required {
        names: &["Deploy Target", "Deployment Target"],
        condition: "preferences.section.deploy-target",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Conventions"],
        condition: "preferences.section.conventions",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Security Baseline"],
        condition: "preferences.section.security-baseline",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Quality Bar", "Quality Bars"],
        condition: "preferences.section.quality-bar",
        none: NoneIs::Missing,
    },
];

const BARS: [&str; 3] = [
    "preferences.quality-bar.shed",
    "preferences.quality-bar.house",
    "preferences.quality-bar.skyscraper",
];

pub(crate) const CONDITIONS: &[&str] = &[BARS[0], BARS[1], BARS[2], "preferences.placeholder"];

#[cfg(test)]
mod tests;

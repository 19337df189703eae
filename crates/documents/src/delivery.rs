//! `README.md` and `DELIVERY.md`: what a person gets together with the running system.
//!
//! `README.md` says what it is (a section, or text below the title), and how to set it up, deploy it and run its tests.
//! `DELIVERY.md` deepens with the tier. The rollback command stands in Incident Response as code, or as a line of its own,
//! and equals the recorded one.

use std::collections::BTreeSet;

use crate::Tier;
use crate::finding::{Finding, Findings};
use crate::markdown::{self, Block, NoneIs, Part, Required};
use crate::text::{is_placeholder, listed, shown};

/// Reads `README.md`.
pub fn readme(text: Option<&str>) -> Vec<Finding> {
    let mut findings = Findings::new(README_KEY, README);
    if let Some(document) = markdown::read(text, &mut findings) {
        let [what, rest @ ..] = &README_SECTIONS;
        let has_opening =
            document.opening().iter().any(|it| !it.is_heading() && !is_placeholder(&it.text));
        if !has_opening {
            document.require(what, &mut findings);
        }
        for it in rest {
            document.require(it, &mut findings);
        }
    }
    findings.finish()
}

/// Reads `DELIVERY.md` for a tier. `rollback` is the command that was recorded before the deployment; without it the
/// command is not checked, and the gate cannot tell.
pub fn delivery(
    text: Option<&str>,
    tier: Tier,
    criteria: &[String],
    rollback: Option<&str>,
) -> Vec<Finding> {
    let mut findings = Findings::new(KEY, FILE);
    if let Some(document) = markdown::read(text, &mut findings) {
        for (least, wanted) in &SECTIONS {
            // A section that the tier does not ask for must still hold if it is there.
            let is_wanted = tier >= *least || document.section(wanted.names).is_some();
            let Some(part) = is_wanted.then(|| document.require(wanted, &mut findings)).flatten()
            else {
                continue;
            };
            match wanted.condition {
                VERIFIED => verified(&part, criteria, &mut findings),
                INCIDENT => same_rollback(&part, rollback, &mut findings),
                _ => {}
            }
        }
    }
    findings.finish()
}

fn verified(part: &Part<'_>, criteria: &[String], findings: &mut Findings) {
    let text = part.text();
    let in_id = |it: char| it.is_ascii_alphanumeric() || it == '-';
    let named: BTreeSet<&str> = text.split(|it| !in_id(it)).collect();
    let missing: Vec<&str> =
        criteria.iter().map(String::as_str).filter(|it| !named.contains(it)).collect();
    if !missing.is_empty() {
        let what = format!("the verified criteria leave out {}", listed(missing));
        let fix = "add each criterion with how it was verified";
        findings.add("delivery.verified", part.line, what, fix);
    }
}

fn same_rollback(part: &Part<'_>, rollback: Option<&str>, findings: &mut Findings) {
    let Some(rollback) = rollback.map(str::trim) else { return };
    let is_command = |text: &str| {
        let text = text.trim();
        text == rollback || text.strip_prefix("$ ").is_some_and(|it| it.trim() == rollback)
    };
    let has_command = |it: &Block| {
        let is_line = (it.is_code() && it.text.lines().any(is_command)) || is_command(&it.text);
        !it.is_heading() && (is_line || it.codes.iter().any(|it| is_command(it)))
    };
    if rollback.is_empty() || !part.blocks.iter().any(has_command) {
        let what = format!("the recorded rollback command `{}` is not there", shown(rollback));
        let fix = "copy the recorded rollback command to Incident Response as code";
        findings.add("delivery.rollback", part.line, what, fix);
    }
}

pub(crate) const KEY: &str = "delivery";
pub(crate) const FILE: &str = "DELIVERY.md";
pub(crate) const README_KEY: &str = "readme";
pub(crate) const README: &str = "README.md";
const VERIFIED: &str = "delivery.section.verified-criteria";
const INCIDENT: &str = "delivery.section.incident-response";

pub(crate) const README_SECTIONS: [Required; 4] = [
    Required {
        names: &["What It Is", "What This Is", "About", "Overview"],
        condition: "readme.section.what-it-is",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Local Setup", "Setup", "Set Up", "How to Set Up Locally", "Installation"],
        condition: "readme.section.local-setup",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Deployment", "Deploy", "How to Deploy", "Deploying"],
        condition: "readme.section.deployment",
        none: NoneIs::Missing,
    },
    Required {
        names: &["Tests", "Running Tests", "How to Run Tests", "Testing", "Run the Tests"],
        condition: "readme.section.tests",
        none: NoneIs::Missing,
    },
];

/// The sections of `DELIVERY.md`, each with the least tier that must have it.
pub(crate) const SECTIONS: [(Tier, Required); 7] = [
    (
        Tier::Shed,
        Required {
            names: &["Summary"],
            condition: "delivery.section.summary",
            none: NoneIs::Missing,
        },
    ),
    (
        Tier::Shed,
        Required {
            names: &["Limitations", "Known Limitations"],
            condition: "delivery.section.limitations",
            none: NoneIs::AnAnswer,
        },
    ),
    (
        Tier::House,
        Required { names: &["Verified Criteria"], condition: VERIFIED, none: NoneIs::Missing },
    ),
    (
        Tier::House,
        Required {
            names: &["Support Terms", "Support"],
            condition: "delivery.section.support-terms",
            none: NoneIs::Missing,
        },
    ),
    (
        Tier::Skyscraper,
        Required {
            names: &["Architecture Overview"],
            condition: "delivery.section.architecture-overview",
            none: NoneIs::Missing,
        },
    ),
    (
        Tier::Skyscraper,
        Required { names: &["Incident Response"], condition: INCIDENT, none: NoneIs::Missing },
    ),
    (
        Tier::Skyscraper,
        Required {
            names: &["Roadmap"],
            condition: "delivery.section.roadmap",
            none: NoneIs::Missing,
        },
    ),
];

pub(crate) const CONDITIONS: &[&str] = &["delivery.verified", "delivery.rollback"];

#[cfg(test)]
mod tests;

//! Collects the conditions of one gate and the findings of those that do not hold.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Condition, Evaluation};
use crate::finding::{COMMON, FINDINGS_MAX, Finding};
use crate::markdown::Required;

/// The conditions of a gate, one after the other.
pub(super) struct Checks {
    /// Where its findings are: the facts of the phase.
    facts: &'static str,
    evaluation: Evaluation,
}

impl Checks {
    pub(super) fn new(facts: &'static str) -> Self {
        Self { facts, evaluation: Evaluation::default() }
    }

    /// Takes one condition. `what` says what is wrong if it does not hold.
    pub(super) fn check(
        &mut self,
        id: &'static str,
        held: Option<bool>,
        what: impl Into<String>,
        fix: &str,
    ) {
        let what = match held {
            Some(true) => None,
            Some(false) => Some(what.into()),
            None => Some(String::from("it was not measured, so it cannot be told")),
        };
        let id = Cow::Borrowed(id);
        if let Some(what) = what.filter(|_| self.evaluation.findings.len() < FINDINGS_MAX) {
            let (condition, file, fix) = (id.clone(), Cow::Borrowed(self.facts), fix.to_string());
            self.evaluation.findings.push(Finding { condition, file, line: 1, what, fix });
        }
        self.evaluation.conditions.push(Condition { id, held });
    }

    /// A condition that holds if a list that was measured is empty.
    pub(super) fn none_of(
        &mut self,
        id: &'static str,
        wrong: Option<Vec<&str>>,
        what: &str,
        fix: &str,
    ) {
        let held = wrong.as_ref().map(Vec::is_empty);
        let names = crate::text::listed(wrong.unwrap_or_default());
        self.check(id, held, format!("{what}: {names}"), fix);
    }

    /// Takes every condition of a document; those with findings do not hold.
    pub(super) fn document(
        &mut self,
        key: &str,
        sections: &[&Required],
        own: &[&'static str],
        findings: Vec<Finding>,
    ) {
        let common = COMMON.iter().map(|it| Cow::Owned(format!("{key}.{it}")));
        let of_sections = sections.iter().map(|it| Cow::Borrowed(it.condition));
        let own = own.iter().map(|it| Cow::Borrowed(*it));
        // A document that was not read to its end leaves the conditions without findings open.
        let open = ["absent", "size", "nesting", "more"].map(|it| format!("{key}.{it}"));
        let is_open = findings.iter().any(|it| open.iter().any(|id| *id == it.condition));
        let found: BTreeSet<&str> = findings.iter().map(|it| it.condition.as_ref()).collect();
        let listed: Vec<Cow<'static, str>> = common.chain(of_sections).chain(own).collect();
        for id in &listed {
            let held =
                if found.contains(id.as_ref()) { Some(false) } else { (!is_open).then_some(true) };
            self.evaluation.conditions.push(Condition { id: id.clone(), held });
        }
        // A section that a tier does not ask for has a condition only if something is wrong with it.
        let more: BTreeSet<Cow<'static, str>> = findings
            .iter()
            .map(|it| it.condition.clone())
            .filter(|it| !listed.contains(it))
            .collect();
        let more = more.into_iter().map(|id| Condition { id, held: Some(false) });
        self.evaluation.conditions.extend(more);
        self.evaluation.findings.extend(findings);
    }

    pub(super) fn finish(self) -> Evaluation {
        self.evaluation
    }
}

/// Whether both are there and equal.
pub(super) fn same(one: Option<&String>, other: Option<&String>) -> Option<bool> {
    Some(one? == other?)
}

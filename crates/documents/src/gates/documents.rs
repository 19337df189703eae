//! The gates of the phases that write documents: Expand, Design and Analyze.

use serde::{Deserialize, Serialize};

use super::Evaluation;
use super::checks::Checks;
use crate::finding::{Finding, Findings};
use crate::markdown::Required;
use crate::scope::Scope;
use crate::text::shown;
use crate::{design as designs, preferences, proposal, readiness, scope as scopes};

/// The texts of the documents as they are on disk now. `None` stands for a file that does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts<'t> {
    pub preferences: Option<&'t str>,
    pub scope: Option<&'t str>,
    pub design: Option<&'t str>,
    pub readiness: Option<&'t str>,
}

/// The gate after Expand: preferences and scope hold, and the scope keeps to the preferences.
pub fn expand(texts: &Texts<'_>) -> Evaluation {
    expanded(texts).finish()
}

/// The same after another version was delivered with this scope: more is asked for, and what was asked for is not
/// left out without a word.
pub fn expand_further(texts: &Texts<'_>, delivered: &str) -> Evaluation {
    let mut checks = expanded(texts);
    let conditions = &["scope.delivered.gone", "scope.delivered.nothing-new"];
    checks.document("expand.delivered", &[], conditions, since(texts.scope, delivered));
    checks.finish()
}

fn expanded(texts: &Texts<'_>) -> Checks {
    let mut checks = Checks::new("expand facts");
    let (preferences, found) = preferences::read(texts.preferences);
    let sections: Vec<&Required> = preferences::SECTIONS.iter().collect();
    checks.document(preferences::KEY, &sections, preferences::CONDITIONS, found);
    let (_, found) = scopes::read(texts.scope, Some(&preferences));
    let sections: Vec<&Required> = scopes::SECTIONS.iter().collect();
    checks.document(scopes::KEY, &sections, scopes::CONDITIONS, found);
    checks
}

/// The gate after Design: the design holds for the tier of the scope.
pub fn design(texts: &Texts<'_>) -> Evaluation {
    let mut checks = Checks::new("design facts");
    let (scope, _) = scopes::read(texts.scope, None);
    let fix = "repair the section Quality Tier of scope.md; the design depends on it";
    checks.check("design.tier", scope.tier.map(|_| true), "", fix);
    let (_, found) = designs::read(texts.design, scope.tier);
    let sections: Vec<&Required> = designs::SECTIONS.iter().collect();
    checks.document(designs::KEY, &sections, designs::CONDITIONS, found);
    checks.finish()
}

/// The gate after Analyze: everything is known that building needs.
pub fn analyze(texts: &Texts<'_>) -> Evaluation {
    let mut checks = Checks::new("analyze facts");
    let (scope, _) = scopes::read(texts.scope, None);
    let criteria = scope.criterion_ids();
    let fix = "repair the acceptance criteria of scope.md; the readiness depends on them";
    checks.check("readiness.criteria", (!criteria.is_empty()).then_some(true), "", fix);
    let (_, found) = readiness::read(texts.readiness, &criteria);
    let sections: Vec<&Required> = readiness::SECTIONS.iter().collect();
    checks.document(readiness::KEY, &sections, readiness::CONDITIONS, found);
    checks.document("analyze.scope", &[], &["scope.clarification.open"], open_in_scope(&scope));
    checks.finish()
}

/// The check of an iteration proposal before a person reads it.
pub fn iterate(proposal: Option<&str>) -> Evaluation {
    let mut checks = Checks::new("iterate facts");
    let (_, found) = proposal::read(proposal);
    let sections: Vec<&Required> = proposal::SECTIONS.iter().collect();
    checks.document(proposal::KEY, &sections, proposal::CONDITIONS, found);
    checks.finish()
}

/// What a scope says to one that was delivered.
fn since(scope: Option<&str>, delivered: &str) -> Vec<Finding> {
    let mut findings = Findings::new("expand.delivered", scopes::FILE);
    let (now, _) = scopes::read(scope, None);
    let (before, _) = scopes::read(Some(delivered), None);
    let line = now.criteria.first().map_or(1, |it| it.line);
    let is_named = |id: &str| {
        now.criteria.iter().any(|it| it.id == id)
            || now.deferred.iter().any(|it| it.id.as_deref() == Some(id))
    };
    for it in before.criteria.iter().filter(|it| !is_named(&it.id)) {
        let what = format!("{} was delivered, and is neither a criterion nor deferred", it.id);
        let fix = "keep it under its id, or name it in Deferred with who decided that";
        findings.add("scope.delivered.gone", line, what, fix);
    }
    let is_old = |it: &scopes::Criterion| {
        before.criteria.iter().any(|old| (&old.id, &old.text) == (&it.id, &it.text))
    };
    if now.criteria.iter().all(is_old) {
        let what = "every criterion was delivered already";
        let fix = "add the criteria of what was accepted, each with an id that was never used";
        findings.add("scope.delivered.nothing-new", line, what, fix);
    }
    findings.finish()
}

/// Clarifications of the scope that change what passes and are still open there.
fn open_in_scope(scope: &Scope) -> Vec<Finding> {
    let mut findings = Findings::new("analyze.scope", scopes::FILE);
    let is_blocking =
        |it: &scopes::Clarification| !it.is_resolved && it.changes_verdict == Some(true);
    for it in scope.clarifications.iter().filter(|it| is_blocking(it)) {
        let what = format!("`{}` is open and changes what passes", shown(&it.text));
        let fix = "ask a person and write the answer to scope.md as `resolved: …`";
        findings.add("scope.clarification.open", it.line, what, fix);
    }
    findings.finish()
}

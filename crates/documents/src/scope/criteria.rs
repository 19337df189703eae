//! The acceptance criteria of a scope.

use std::collections::BTreeSet;

use super::{Criterion, threshold};
use crate::finding::Findings;
use crate::ids;
use crate::markdown::{Block, Part, Shape};
use crate::text::{is_placeholder, shown};

pub(super) fn read(part: &Part<'_>, findings: &mut Findings) -> Vec<Criterion> {
    let mut criteria: Vec<Criterion> = Vec::new();
    // Whether the list items belong to a criterion that is a heading.
    let mut in_heading = false;
    for block in part.blocks {
        let id = ids::criterion(&block.text);
        match (&block.shape, id) {
            (Shape::Heading { .. } | Shape::Item { depth: 0 }, Some((id, text))) => {
                criteria.push(criterion(id, text, block.line));
                in_heading = block.is_heading();
            }
            (Shape::Heading { .. }, None) => in_heading = false,
            (Shape::Item { depth: 0 }, None) if !in_heading => without_id(block, findings),
            (Shape::Item { .. }, _) => add_text(criteria.last_mut(), block),
            _ if in_heading => add_text(criteria.last_mut(), block),
            _ => {}
        }
    }
    check(part, &mut criteria, findings);
    criteria
}

fn criterion(id: &str, text: &str, line: u32) -> Criterion {
    Criterion { id: id.to_string(), text: text.to_string(), line, needs_load: false }
}

fn add_text(criterion: Option<&mut Criterion>, block: &Block) {
    if let Some(criterion) = criterion {
        criterion.text.push_str(if criterion.text.is_empty() { "" } else { " " });
        criterion.text.push_str(block.text.trim());
    }
}

fn without_id(block: &Block, findings: &mut Findings) {
    let what = format!("the criterion `{}` has no id", shown(&block.text));
    let fix =
        "begin it with an id of its own, such as `AC-7: …`; ids stay when the text is reworded";
    findings.add("scope.criterion.id", block.line, what, fix);
}

fn check(part: &Part<'_>, criteria: &mut [Criterion], findings: &mut Findings) {
    if criteria.is_empty() {
        let what = "there is no acceptance criterion";
        let fix = "write each criterion as a list item that begins with an id: `- AC-1: …`";
        findings.add("scope.criteria.none", part.line, what, fix);
        return;
    }
    let mut seen = BTreeSet::new();
    let mut has_threshold = false;
    for it in criteria {
        if !seen.insert(it.id.to_ascii_uppercase()) {
            let what = format!("the id {} is used by another criterion", it.id);
            let fix = "give this criterion an id that was never used";
            findings.add("scope.criterion.duplicate", it.line, what, fix);
        }
        if is_placeholder(&it.text) {
            let what = format!("the criterion {} says nothing", it.id);
            let fix = "write what a person can observe when it is fulfilled";
            findings.add("scope.criterion.empty", it.line, what, fix);
        }
        it.needs_load = threshold::needs_load(&it.text);
        has_threshold |= threshold::is_in(&it.text);
    }
    if !has_threshold {
        let what = "no acceptance criterion has a quantitative threshold";
        let fix = "add a number with a unit or a comparison, such as `within 200 ms` or `at least 50 users`";
        findings.add("scope.threshold", part.line, what, fix);
    }
}

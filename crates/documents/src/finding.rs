//! A finding: one reason why a document or a gate does not hold, where, and what to do about it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One reason why a gate does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// A stable id such as `scope.section.estimated-cost`.
    pub condition: Cow<'static, str>,
    /// The document, or the facts of a phase such as `build facts`.
    pub file: Cow<'static, str>,
    /// From 1. A finding about the whole document is on line 1.
    pub line: u32,
    pub what: String,
    pub fix: String,
}

/// The findings of one document, up to a bound.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The first part of the document's condition ids.
    pub(crate) key: &'static str,
    pub(crate) file: &'static str,
    list: Vec<Finding>,
    left_out: usize,
}

impl Findings {
    pub(crate) fn new(key: &'static str, file: &'static str) -> Self {
        Self { key, file, list: Vec::new(), left_out: 0 }
    }

    pub(crate) fn add(
        &mut self,
        condition: impl Into<Cow<'static, str>>,
        line: u32,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        if self.list.len() >= FINDINGS_MAX {
            self.left_out += 1;
            return;
        }
        let (condition, file) = (condition.into(), Cow::Borrowed(self.file));
        self.list.push(Finding { condition, file, line, what: what.into(), fix: fix.into() });
    }

    /// A finding whose id every document has: `<key>.<name>`.
    pub(crate) fn add_common(&mut self, name: &str, line: u32, what: String, fix: &str) {
        self.add(format!("{}.{name}", self.key), line, what, fix);
    }

    pub(crate) fn finish(mut self) -> Vec<Finding> {
        if self.left_out > 0 {
            let what = format!("{} more findings are not listed", self.left_out);
            self.list.push(Finding {
                condition: Cow::Owned(format!("{}.more", self.key)),
                file: Cow::Borrowed(self.file),
                line: 1,
                what,
                fix: String::from("repair the listed findings and check again"),
            });
        }
        self.list
    }
}

/// The names of the conditions that [`Findings::add_common`] and [`Findings::finish`] use.
pub(crate) const COMMON: [&str; 5] = ["absent", "size", "nesting", "section.duplicate", "more"];

/// As many findings of one document are listed; one more says how many were left out.
pub const FINDINGS_MAX: usize = 200;

#[cfg(test)]
mod tests;

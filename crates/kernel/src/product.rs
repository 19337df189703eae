//! The product spec: what should exist, as a person approves it before anything is built.
//!
//! ```text
//! text ─▶ structure (every missing field, by path) ─▶ rules (10 errors, 4 warnings) ─▶ names (slugs, task ids)
//! ```
//!
//! [`check`] reads a draft and lists everything that is wrong with it at once; a spec without errors can be approved, and
//! [`plan`] derives its tasks from it, the same for the same spec.

mod names;
pub mod research;
mod rules;
mod spec;
pub mod split;
mod structure;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use names::{Place, parts, plan, slug};
pub use rules::is_placeholder;
pub use spec::{Epic, Pillar, ProductSpec, Sketch, Story, Task};

/// What is wrong with a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub errors: Vec<Deficiency>,
    pub warnings: Vec<Deficiency>,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deficiency {
    /// The element: `pillars[0].epics[1]`. Empty for the spec itself.
    pub path: String,
    pub field: String,
    pub severity: Severity,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    Error,
    Warning,
}

/// Reads a draft and says what is wrong with it. The spec is there if it has no errors.
pub fn check(text: &[u8]) -> (Report, Option<ProductSpec>) {
    let mut report = Report::default();
    if text.len() > BYTES_MAX {
        let why = alloc::format!("the spec has {} bytes, more than {BYTES_MAX}", text.len());
        report.error("", "", why);
        return (report, None);
    }
    let value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(error) => {
            report.error("", "", alloc::format!("this is not JSON: {error}"));
            return (report, None);
        }
    };
    structure::check(&value, &mut report);
    let spec = match serde_json::from_value::<ProductSpec>(value) {
        Ok(spec) => spec,
        Err(error) => {
            // What the structure did not say already.
            if report.errors.is_empty() {
                report.error("", "", alloc::format!("the spec cannot be read: {error}"));
            }
            return (report, None);
        }
    };
    rules::check(&spec, &mut report);
    if report.errors.is_empty()
        && let Err(wrong) = names::plan(&spec)
    {
        report.errors.extend(wrong);
    }
    let is_whole = report.errors.is_empty();
    (report, is_whole.then_some(spec))
}

impl Report {
    fn error(&mut self, path: &str, field: &str, message: String) {
        self.errors.push(Deficiency::new(Severity::Error, path, field, message));
    }

    fn warn(&mut self, path: &str, field: &str, message: String) {
        self.warnings.push(Deficiency::new(Severity::Warning, path, field, message));
    }
}

impl Deficiency {
    fn new(severity: Severity, path: &str, field: &str, message: String) -> Self {
        let (path, field) = (String::from(path), String::from(field));
        Self { path, field, severity, message }
    }
}

/// The largest spec that is read.
pub const BYTES_MAX: usize = 16 << 20;

#[cfg(test)]
mod tests;

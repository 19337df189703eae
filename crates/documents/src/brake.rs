//! The complexity brake: a project grows beyond its design, and a person is asked what to do.
//!
//! A brake is a question, not a finding: it fails no gate and costs no retry.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::text::shown;

/// What a person is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brake {
    pub kind: BrakeKind,
    /// What was measured: files, lines, approaches, or unplanned dependencies.
    pub metric: u64,
    /// The largest value that does not brake.
    pub limit: u64,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrakeKind {
    /// More than twice the files of the design.
    Files,
    /// A source file of more than 300 lines.
    FileLines,
    /// The third approach to one problem.
    Approaches,
    /// A dependency that the design does not name.
    Dependency,
}

/// The brakes of a codebase. `files` are all product files with their lines; `exempt` are the paths of
/// [`crate::design::Design::exempt`]; `approaches` counts the approaches to the current problem, the running one included.
pub fn brake(
    designed: &[String],
    exempt: &[String],
    files: &[(String, u64)],
    approaches: u32,
    planned_dependencies: &BTreeSet<String>,
    dependencies: &BTreeSet<String>,
) -> Vec<Brake> {
    let mut brakes = Vec::new();
    let (count, limit) = (as_metric(files.len()), as_metric(designed.len()).saturating_mul(2));
    if count > limit {
        let what = format!("{count} files, the design has {}", designed.len());
        brakes.push(Brake { kind: BrakeKind::Files, metric: count, limit, what });
    }
    let is_long = |(path, lines): &&(String, u64)| {
        *lines > FILE_LINES_MAX && is_source(path) && !exempt.iter().any(|it| is_below(path, it))
    };
    brakes.extend(files.iter().filter(is_long).take(LISTED_MAX).map(|(path, lines)| Brake {
        kind: BrakeKind::FileLines,
        metric: *lines,
        limit: FILE_LINES_MAX,
        what: format!("{} has {lines} lines", shown(path)),
    }));
    if approaches > APPROACHES_MAX {
        let what = format!("approach {approaches} to the same problem");
        let (metric, limit) = (u64::from(approaches), u64::from(APPROACHES_MAX));
        brakes.push(Brake { kind: BrakeKind::Approaches, metric, limit, what });
    }
    let unplanned: Vec<&String> = dependencies.difference(planned_dependencies).collect();
    let metric = as_metric(unplanned.len());
    brakes.extend(unplanned.into_iter().take(LISTED_MAX).map(|name| Brake {
        kind: BrakeKind::Dependency,
        metric,
        limit: 0,
        what: format!("the design does not name the dependency {}", shown(name)),
    }));
    brakes
}

/// Whether a path is a directory or a file, or something below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let rest = path.trim_start_matches("./").strip_prefix(folder);
    !folder.is_empty() && rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// Everything but documents, data, lock files and pictures is source.
fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, it)| it);
    !NOT_SOURCE.iter().any(|it| extension.eq_ignore_ascii_case(it))
}

fn as_metric(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

const FILE_LINES_MAX: u64 = 300;
/// The third approach brakes.
const APPROACHES_MAX: u32 = 2;
/// As many brakes of one kind are listed.
const LISTED_MAX: usize = 50;
const NOT_SOURCE: [&str; 16] = [
    "md", "txt", "lock", "sum", "json", "toml", "yaml", "yml", "csv", "tsv", "svg", "png", "jpg",
    "ico", "pdf", "snap",
];

#[cfg(test)]
mod tests;

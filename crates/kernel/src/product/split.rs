//! Changes of a spec after its approval: a task gives way to smaller ones, or other criteria are wanted of it.
//!
//! Parts stand behind the other tasks of their story, so no name that was given before changes. A changed spec is checked
//! like any other; what is wrong with it is told by the parts of the split.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::spec::{ProductSpec, Sketch, Task};
use super::{Deficiency, Report, Severity, check, plan};
use crate::TaskId;

/// A task in place of a part of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitPart {
    pub name: String,
    pub description: String,
    pub subtasks: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    pub io_contract_sketch: Sketch,
    /// Ids of tasks in the spec, or `new:0` for the first part of the same split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

/// A spec that was changed, and the warnings about what is new in it.
pub type Changed = (ProductSpec, Vec<Deficiency>);

/// The spec with `parts` behind the tasks of the story that has `task`.
pub fn split(
    spec: &ProductSpec,
    task: &TaskId,
    parts: &[SplitPart],
    at: &str,
) -> Result<Changed, Report> {
    let [p, e, s, t] = place(spec, task)?;
    let own = &spec.pillars[p].epics[e].stories[s].tasks[t].task_id;
    let first = last_number(spec) + 1;
    let id = |nth: usize| format!("TSK-{:03}", first + nth as u64);
    let mut report = Report::default();
    let mut added = Vec::new();
    for (nth, part) in parts.iter().enumerate() {
        let mut depends_on = Vec::new();
        for (at, on) in part.depends_on.iter().enumerate() {
            let sibling = on.strip_prefix("new:").map(|it| it.parse::<usize>().ok());
            let why = match sibling {
                None if on == own => "the task that is split".to_string(),
                None => {
                    depends_on.push(on.clone());
                    continue;
                }
                Some(Some(other)) if other < parts.len() && other != nth => {
                    depends_on.push(id(other));
                    continue;
                }
                Some(_) => format!("no other part; there are {}", parts.len()),
            };
            report.error(&format!("new_tasks[{nth}]"), &format!("depends_on[{at}]"), why);
        }
        added.push(Task {
            task_id: id(nth),
            name: part.name.clone(),
            description: part.description.clone(),
            subtasks: part.subtasks.clone(),
            acceptance_criteria: part.acceptance_criteria.clone(),
            io_contract_sketch: part.io_contract_sketch.clone(),
            depends_on,
        });
    }
    if parts.len() < PARTS_MIN {
        report.error("", "new_tasks", format!("{PARTS_MIN} at least, not {}", parts.len()));
    }
    if !report.errors.is_empty() {
        return Err(report);
    }
    let mut changed = spec.clone();
    let tasks = &mut changed.pillars[p].epics[e].stories[s].tasks;
    let before = tasks.len();
    tasks.extend(added);
    let story = format!("pillars[{p}].epics[{e}].stories[{s}].tasks[");
    // The person sees the path of the part, not of its place in the spec.
    let own_path = |path: &str| {
        let (number, rest) = path.strip_prefix(&story)?.split_once(']')?;
        let nth = number.parse::<usize>().ok()?.checked_sub(before)?;
        Some(format!("new_tasks[{nth}]{rest}"))
    };
    checked(changed, at, own_path)
}

/// The spec in which `criteria` are wanted of `task`; `None` if they are already.
pub fn amend(
    spec: &ProductSpec,
    task: &TaskId,
    criteria: &[String],
    at: &str,
) -> Result<Option<Changed>, Report> {
    let [p, e, s, t] = place(spec, task)?;
    let mut changed = spec.clone();
    let wanted = &mut changed.pillars[p].epics[e].stories[s].tasks[t].acceptance_criteria;
    if wanted == criteria {
        return Ok(None);
    }
    *wanted = criteria.to_vec();
    let path = format!("pillars[{p}].epics[{e}].stories[{s}].tasks[{t}]");
    let own_path = |it: &str| it.strip_prefix(&path).map(String::from);
    checked(changed, at, own_path).map(Some)
}

/// Where a task stands in the spec.
fn place(spec: &ProductSpec, task: &TaskId) -> Result<[usize; 4], Report> {
    let places = plan(spec).map_err(|errors| Report { errors, warnings: Vec::new() })?;
    places.into_iter().find(|it| it.id == *task).map(|it| it.at).ok_or_else(|| {
        let mut report = Report::default();
        report.error("", "", format!("the spec has no task {task}"));
        report
    })
}

/// The next patch version of a spec, if it has no errors.
fn checked(
    mut changed: ProductSpec,
    at: &str,
    own_path: impl Fn(&str) -> Option<String>,
) -> Result<Changed, Report> {
    changed.spec_version = next_patch(&changed.spec_version);
    changed.updated_at = at.to_string();
    let text = serde_json::to_vec(&changed).unwrap_or_default();
    let (report, spec) = check(&text);
    let renamed = |it: Deficiency| match own_path(&it.path) {
        Some(path) => (true, Deficiency { path, ..it }),
        None => (false, it),
    };
    let named = report.errors.into_iter().chain(report.warnings).map(renamed);
    // What was wrong elsewhere was seen when the spec was approved.
    let (errors, warnings): (Vec<_>, Vec<_>) =
        named.partition(|(_, it)| it.severity == Severity::Error);
    let errors: Vec<Deficiency> = errors.into_iter().map(|(_, it)| it).collect();
    let warnings = warnings.into_iter().filter(|(is_own, _)| *is_own).map(|(_, it)| it).collect();
    match spec {
        Some(spec) if errors.is_empty() => Ok((spec, warnings)),
        Some(_) | None => Err(Report { errors, warnings }),
    }
}

/// The highest number of a task in the spec.
fn last_number(spec: &ProductSpec) -> u64 {
    let stories = spec.pillars.iter().flat_map(|it| &it.epics).flat_map(|it| &it.stories);
    let numbers = stories
        .flat_map(|it| &it.tasks)
        .filter_map(|it| it.task_id.strip_prefix("TSK-")?.parse::<u64>().ok());
    numbers.max().unwrap_or(0)
}

/// `1.2.3` becomes `1.2.4`.
fn next_patch(version: &str) -> String {
    match version.rsplit_once('.').map(|(front, patch)| (front, patch.parse::<u64>())) {
        Some((front, Ok(patch))) => format!("{front}.{}", patch.saturating_add(1)),
        Some((_, Err(_))) | None => version.to_string(),
    }
}

/// A task that becomes one other is amended, not split.
const PARTS_MIN: usize = 2;

#[cfg(test)]
mod tests;

//! The tasks of a project below their pillars, epics and stories: counts, and what each unfinished task waits for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sealwright_kernel::TaskId;
use sealwright_kernel::task::Status;

use super::{COLUMNS, GraphTask, TITLE_MIN, TaskGraph, columns, cut};
use crate::markdown::one_line;

impl TaskGraph {
    /// The tree as text. `place` names the pillar, epic and story of a task, `asks` what a person is asked about it. At
    /// most `rows` unfinished tasks are listed; what is finished is counted.
    pub fn tree(
        &self,
        place: impl Fn(&TaskId) -> Option<[String; 3]>,
        asks: impl Fn(&TaskId) -> Option<String>,
        rows: usize,
    ) -> String {
        let known: BTreeMap<&TaskId, &GraphTask> =
            self.tasks.iter().map(|it| (&it.id, it)).collect();
        let mut out = String::new();
        let (mut above, mut left): ([String; 3], usize) = Default::default();
        let mut listed = 0;
        for (path, tasks) in self.stories(place) {
            let is_same = |depth: usize| above[..=depth] == path[..=depth];
            let last = path.iter().rposition(|it| !it.is_empty()).unwrap_or_default();
            for depth in (0..=last).filter(|it| !is_same(*it)).collect::<Vec<_>>() {
                let counts = if depth == last { counted(&tasks) } else { String::new() };
                let name = one_line(&path[depth]);
                let line = format!("{:1$}{name}{counts}", "", depth * 2);
                let _ = writeln!(out, "{}", cut(&line, COLUMNS, columns));
            }
            above = path;
            for task in tasks.into_iter().filter(|it| is_unfinished(it)) {
                if listed == rows {
                    left += 1;
                    continue;
                }
                listed += 1;
                self.row(task, &known, asks(&task.id), &mut out);
            }
        }
        if left > 0 {
            let _ = writeln!(out, "… {left} more; `sealwright graph` lists all");
        }
        let _ = writeln!(out, "{}", self.summary());
        out
    }

    /// Stories in the order in which their first tasks were declared.
    fn stories(
        &self,
        place: impl Fn(&TaskId) -> Option<[String; 3]>,
    ) -> Vec<([String; 3], Vec<&GraphTask>)> {
        let mut stories: Vec<([String; 3], Vec<&GraphTask>)> = Vec::new();
        let mut at: BTreeMap<[String; 3], usize> = BTreeMap::new();
        for task in &self.tasks {
            let path = place(&task.id).unwrap_or_else(|| EARLIER.map(str::to_owned));
            let nth = *at.entry(path.clone()).or_insert(stories.len());
            if nth == stories.len() {
                stories.push((path, Vec::new()));
            }
            stories[nth].1.push(task);
        }
        // Parts of a split are declared last and stand with their story; a pillar is told once.
        let order = |of: &str, depth: usize, stories: &[([String; 3], Vec<&GraphTask>)]| {
            stories.iter().position(|(path, _)| path[depth] == of)
        };
        let ranks: Vec<[Option<usize>; 3]> = stories
            .iter()
            .map(|(path, _)| [0, 1, 2].map(|depth| order(&path[depth], depth, &stories)))
            .collect();
        let mut ranked: Vec<_> = ranks.into_iter().zip(stories).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, story)| story).collect()
    }

    fn row<'g>(
        &self,
        task: &'g GraphTask,
        known: &BTreeMap<&'g TaskId, &'g GraphTask>,
        asks: Option<String>,
        out: &mut String,
    ) {
        let head = format!("      {} {}", task.look().mark, task.id);
        let room = COLUMNS.saturating_sub(head.chars().count() + 2).max(TITLE_MIN);
        let title = cut(&one_line(&task.title), room, columns);
        let _ = writeln!(out, "{head}  {title}");
        let waits = match (asks, task.is_blocked) {
            (Some(question), _) => format!("you: {}", one_line(&question)),
            (None, true) => format!("blocked by {}", listed(task.blockers(known))),
            (None, false) => match task.waits_for(known) {
                on if on.is_empty() => task.look().name.to_owned(),
                on => format!("waits for {}", listed(on)),
            },
        };
        let _ = writeln!(out, "        {}", cut(&waits, COLUMNS - 8, columns));
    }
}

impl GraphTask {
    /// The tasks behind it that are halted, or were abandoned without parts.
    fn blockers<'g>(&'g self, known: &BTreeMap<&'g TaskId, &'g Self>) -> Vec<&'g TaskId> {
        let mut open: Vec<&TaskId> = self.depends_on.iter().rev().collect();
        let (mut seen, mut blockers) = (BTreeSet::new(), Vec::new());
        while let Some(id) = open.pop() {
            let Some(task) = known.get(id).filter(|_| seen.insert(id)) else { continue };
            match task.status {
                Status::Halted => blockers.push(id),
                Status::Abandoned if task.superseded_by.is_empty() => blockers.push(id),
                Status::Abandoned => {
                    let parts = task.superseded_by.iter().filter_map(|it| known.get_key_value(it));
                    blockers.extend(parts.filter(|(_, it)| is_unfinished(it)).map(|(id, _)| *id));
                    open.extend(task.superseded_by.iter().rev());
                }
                Status::Pending | Status::InProgress | Status::Parked => {
                    open.extend(task.depends_on.iter().rev());
                }
                Status::Shipped => {}
            }
        }
        blockers
    }
}

fn is_unfinished(task: &GraphTask) -> bool {
    match task.status {
        Status::Shipped => false,
        // What was split stands in its parts.
        Status::Abandoned => task.superseded_by.is_empty(),
        Status::Pending | Status::InProgress | Status::Parked | Status::Halted => true,
    }
}

/// How many of these tasks shipped; a task that was split is none.
fn counted(tasks: &[&GraphTask]) -> String {
    let whole = tasks.iter().filter(|it| it.superseded_by.is_empty());
    let shipped = whole.clone().filter(|it| it.status == Status::Shipped).count();
    format!("  {shipped} of {} shipped", whole.count())
}

fn listed(tasks: Vec<&TaskId>) -> String {
    let shown: Vec<&str> = tasks.iter().take(LISTED_MAX).map(|it| it.as_str()).collect();
    match tasks.len().saturating_sub(LISTED_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Tasks that the current spec does not have.
const EARLIER: [&str; 3] = ["earlier versions", "", ""];
const LISTED_MAX: usize = 3;

#[cfg(test)]
mod tests {
    use super::super::tests::{mixed, task};
    use super::*;

    fn drawn(graph: &TaskGraph, rows: usize) -> String {
        let place = |id: &TaskId| {
            let story = if id.as_str().contains("import") { "Import" } else { "Sums" };
            (id.as_str() != "T-schema").then(|| ["City".into(), "Parking".into(), story.into()])
        };
        let asks =
            |id: &TaskId| (id.as_str() == "T-cameras").then(|| "two cameras\nor one?".to_owned());
        graph.tree(place, asks, rows)
    }

    /// Every unfinished task says what it waits for: a person, a blocker, other tasks, or nothing.
    #[test]
    fn a_tree_says_what_each_task_waits_for() {
        insta::assert_snapshot!(drawn(&mixed(), 40));
    }

    #[test]
    fn rows_are_bounded_and_the_rest_is_counted() {
        let mut graph = TaskGraph::default();
        graph.tasks.extend((0..9).map(|nth| task(&format!("n{nth}"), Status::Pending, &[])));
        let text = drawn(&graph, 2);
        assert!(text.contains("… 7 more; `sealwright graph` lists all\n"), "{text}");
        assert_eq!(text.matches("○").count(), 2, "{text}");
        assert!(text.ends_with("9 tasks: 9 pending\n"), "{text}");
    }
}

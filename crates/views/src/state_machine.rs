//! `state_machine.json`: the tasks of a project with their statuses, and the phase of its run, for programs.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::TaskId;
use sealwright_kernel::pipeline::{Fails, Fresh, State};
use sealwright_kernel::project::run::Run;
use sealwright_kernel::project::{Entry as TaskEntry, Project};
use sealwright_kernel::task::Status;
use serde::Serialize;

use crate::project_log::{self, ProjectLog};
use crate::timestamp;

/// What a task is called, and what it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub task: TaskId,
    pub pillar: String,
    pub epic: String,
    pub story: String,
    pub name: String,
}

#[derive(Serialize)]
struct StateMachine<'m> {
    project_id: &'m str,
    spec_version: Option<&'m str>,
    updated_at: Option<String>,
    pipeline: Phases<'m>,
    milestone: Option<Milestone<'m>>,
    tasks: BTreeMap<String, Entry>,
}

#[derive(Serialize)]
struct Phases<'m> {
    state: State,
    version: u32,
    mode: &'m str,
    fresh: Fresh,
    fails: Fails,
    commit: Option<&'m str>,
}

/// The version that is worked on. There is one at most, and none while what was delivered rests.
#[derive(Serialize)]
struct Milestone<'m> {
    version: u32,
    goal: &'m str,
    /// The criteria that have to hold before it is delivered.
    exit_criteria: &'m [String],
}

#[derive(Serialize)]
struct Entry {
    pillar: String,
    epic: String,
    story: String,
    task: String,
    status: &'static str,
    depends_on: Vec<String>,
    superseded_by: Vec<String>,
    /// What it left, once it shipped.
    module_ref: Option<String>,
    shipped_at: Option<String>,
    halted_reason: Option<String>,
    escalation_ref: Option<String>,
    declaration_order: u32,
}

/// The status of a task, as the file names it.
pub fn status(of: Status, is_blocked: bool) -> &'static str {
    match of {
        Status::Pending if is_blocked => "BLOCKED",
        Status::Pending => "PENDING",
        Status::InProgress | Status::Parked => "IN_PROGRESS",
        Status::Shipped => "SHIPPED",
        Status::Halted => "HALTED",
        Status::Abandoned => "ABANDONED",
    }
}

/// What the project itself does not record of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub named: Option<Named>,
    /// What it asks a person and the escalation that has it, if it is halted.
    pub asks: Option<(String, String)>,
    /// What it left.
    pub module: Option<String>,
}

/// `criteria` are those of the scope as it is now.
pub fn render(
    project: &Project,
    (spec_version, criteria): (Option<&str>, &[String]),
    log: &ProjectLog,
    known: impl Fn(&TaskId) -> Known,
) -> String {
    let blocked = project.blocked();
    let entry = |(id, entry): (&TaskId, &TaskEntry)| {
        let Known { named, asks, module } = known(id);
        let of =
            |part: fn(&Named) -> &String| named.as_ref().map(part).cloned().unwrap_or_default();
        let status = status(entry.status, blocked.contains(id));
        let (halted_reason, escalation_ref) = asks.unzip();
        let ids = |all: &BTreeSet<TaskId>| all.iter().map(ToString::to_string).collect();
        let entry = Entry {
            pillar: of(|it| &it.pillar),
            epic: of(|it| &it.epic),
            story: of(|it| &it.story),
            task: of(|it| &it.name),
            status,
            depends_on: ids(&entry.depends_on),
            superseded_by: ids(&entry.superseded_by),
            module_ref: module,
            shipped_at: log.shipped_at(id).map(timestamp),
            halted_reason,
            escalation_ref,
            declaration_order: entry.order,
        };
        (id.to_string(), entry)
    };
    let run = project.run();
    let machine = StateMachine {
        project_id: "project",
        spec_version,
        updated_at: log.updated_at().map(timestamp),
        pipeline: Phases {
            state: run.pipeline.state,
            version: run.version,
            mode: project_log::mode(run),
            fresh: run.pipeline.fresh,
            fails: run.pipeline.fails,
            commit: run.kept.as_deref(),
        },
        milestone: milestone(run, criteria),
        tasks: project.tasks().map(entry).collect(),
    };
    let text =
        serde_json::to_string_pretty(&machine).unwrap_or_else(|_| unreachable!("plain data"));
    text + "\n"
}

fn milestone<'m>(run: &'m Run, exit_criteria: &'m [String]) -> Option<Milestone<'m>> {
    let rests = matches!(
        run.pipeline.state,
        State::Ideating
            | State::PipelineComplete
            | State::ValidatingPMF
            | State::Iterating
            | State::IterationProposed
    );
    let (version, goal) = (run.version, run.request.as_str());
    (version > 0 && !rests).then_some(Milestone { version, goal, exit_criteria })
}

#[cfg(test)]
mod tests {
    use sealwright_kernel::pipeline::Mode;
    use sealwright_kernel::project::{Input, run};
    use sealwright_kernel::{Machine as _, scripted};
    use serde_json::{Value, json};

    use super::*;

    fn asked(project: &mut Project, request: &str) -> bool {
        let (by, request, settings) = (scripted::ada(), request.to_owned(), None);
        let begin = run::Input::Begin { by, request, mode: Mode::Auto, settings };
        let Ok(events) = project.decide(&Input::Run(begin)) else { return false };
        events.iter().for_each(|event| project.evolve(event));
        true
    }

    /// A milestone is a version that is worked on: what was asked for, and the criteria it is left by. While one is active
    /// no other can begin; one that was delivered, or that nobody asked for, is none.
    ///
    /// Proves: A-109
    #[test]
    fn a_milestone_has_a_goal_and_exit_criteria_and_there_is_one_at_a_time() {
        let criteria =
            ["AC-1: an hour returns 300".to_owned(), "AC-2: a day returns 2000".to_owned()];
        let milestone = |project: &Project| -> Value {
            let none = |_: &TaskId| Known::default();
            let text = render(project, (None, &criteria), &ProjectLog::default(), none);
            serde_json::from_str::<Value>(&text).unwrap()["milestone"].clone()
        };
        let mut project = Project::default();
        assert_eq!(milestone(&project), Value::Null);
        assert!(!asked(&mut project, " "), "a milestone without a goal");
        assert!(asked(&mut project, "Parking for residents"));
        let first = json!({
            "version": 1, "goal": "Parking for residents", "exit_criteria": criteria,
        });
        assert_eq!(milestone(&project), first);
        assert!(!asked(&mut project, "Parking for guests"), "one is active");
        assert_eq!(milestone(&project), first);
        let mut stored = serde_json::to_value(&project).unwrap();
        stored["run"]["pipeline"]["state"] = json!("PipelineComplete");
        let delivered: Project = serde_json::from_value(stored).unwrap();
        assert_eq!(milestone(&delivered), Value::Null);
    }
}

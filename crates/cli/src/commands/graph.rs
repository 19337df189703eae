//! `sealwright graph`: the tasks of the project and what each waits for.

use std::collections::BTreeMap;

use sealwright_factory::project::ProjectStream;
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::TaskId;
use sealwright_kernel::product::{self, Place, ProductSpec};
use sealwright_kernel::project::Project;
use sealwright_views::TaskRow;
use sealwright_views::task_graph::TaskGraph;
use sealwright_views::wire::GraphRow;

use super::wait;
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::Output;
use crate::repository::Repository;

/// Show the tasks of the project, and what each waits for.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Draw the graph as text, for Graphviz, or as a picture.
    #[arg(long = "as", value_enum, default_value_t = Form::Text, value_name = "FORM")]
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Text,
    Dot,
    Svg,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let project = wait(ProjectStream::of(&repository.journal).look())??;
    if project.is_empty() {
        return Err(CliError::NoProject);
    }
    let graph = of(repository, &project)?;
    if output.format == Format::Json {
        for task in &graph.tasks {
            output.json(&GraphRow {
                task: (&task.id).into(),
                title: task.title.clone(),
                status: task.status.into(),
                blocked: task.is_blocked,
                depends_on: task.depends_on.iter().map(Into::into).collect(),
                superseded_by: task.superseded_by.iter().map(Into::into).collect(),
            })?;
        }
        return Ok(());
    }
    let drawn = match args.form {
        Form::Text => graph.text(),
        Form::Dot => graph.dot(),
        Form::Svg => graph.svg(),
    };
    drawn.lines().try_for_each(|line| output.whole(line))
}

/// The graph, with the status that each task has now.
pub(super) fn of(repository: &Repository, project: &Project) -> CliResult<TaskGraph> {
    // A task without a stream is called as in the spec.
    let mut titles = match wait(ProjectStream::of(&repository.journal).spec())? {
        Ok((_, shown)) => named(&shown.spec),
        Err(_) => BTreeMap::new(),
    };
    let index = Tasks::of(&repository.journal).index()?;
    let mut statuses = BTreeMap::new();
    for summary in index.streams() {
        let row = index.details::<Option<TaskRow>>(summary).and_then(|it| it.row);
        if let (Some(row), Ok(task)) = (row, TaskId::new(summary.stream.as_str())) {
            titles.insert(task.clone(), row.title);
            statuses.insert(task, row.status);
        }
    }
    let mut graph = TaskGraph::of(project, |task| titles.get(task).cloned().unwrap_or_default());
    // What a person decided since the last run is told to the project by the next one.
    for task in &mut graph.tasks {
        task.status = statuses.get(&task.id).copied().unwrap_or(task.status);
    }
    Ok(graph)
}

fn named(spec: &ProductSpec) -> BTreeMap<TaskId, String> {
    let name = |place: Place| {
        let [p, e, s, t] = place.at;
        let task = &spec.pillars[p].epics[e].stories[s].tasks[t];
        (place.id, task.name.clone())
    };
    product::plan(spec).unwrap_or_default().into_iter().map(name).collect()
}

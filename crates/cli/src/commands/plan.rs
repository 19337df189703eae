//! `sealwright plan`: from a product spec to the tasks of a project, with a person's decision between them.

use std::path::PathBuf;

use sealwright_factory::gate_runner::Tools;
use sealwright_factory::project::{EmittedSpec, PlanTerms, ProjectError, ProjectStream};
use sealwright_factory::task_runner::promised_checks;
use sealwright_kernel::product::Report;
use sealwright_kernel::product::research::Search;
use sealwright_kernel::project::Product;
use sealwright_kernel::task::{Choice, Freeze};
use sealwright_kernel::{Actor, Lane, TaskId};
use sealwright_repo::git::objects;
use sealwright_views::wire::{PlanReport, ResearchQuery, SpecDecision};

use super::new::configuration;
use super::run_project::MANY_TASKS;
use super::{spec, wait};
use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, counted, good, sanitize, say};
use crate::person::person;
use crate::repository::Repository;

/// Plan a project from a product spec.
///
/// A spec without errors is kept and waits for your decision; `--approve` plans its tasks, each behind those it depends
/// on. Without an option, shows the spec that was kept last. `sealwright run` builds what is planned.
#[derive(Debug, clap::Args)]
#[command(override_usage = USAGE)]
pub(crate) struct Args {
    /// The spec; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// What was looked up for the spec, shown to whoever decides: a JSON list of queries with their results.
    #[arg(long, value_name = "FILE", requires = "from")]
    research: Option<PathBuf>,

    /// Approve the spec and plan its tasks.
    #[arg(long, conflicts_with_all = ["reject", "amend"])]
    approve: bool,

    /// Reject the spec: another one is written from the start.
    #[arg(long, value_name = "WHY", conflicts_with_all = ["from", "amend"])]
    reject: Option<String>,

    /// Ask for a change of the spec.
    #[arg(long, value_name = "WHAT", conflicts_with = "from")]
    amend: Option<String>,

    /// Change what a task that has not begun depends on, to what `--on` names.
    #[arg(long, value_name = "TASK", conflicts_with_all = ["from", "approve", "reject", "amend"])]
    rewire: Option<TaskId>,

    /// With `--rewire`: a task it depends on from now on; repeat for each, none for nothing.
    #[arg(long, value_name = "TASK", requires = "rewire")]
    on: Vec<TaskId>,

    /// With `--approve`: approve the contract of each task in advance, under your name.
    #[arg(long, requires = "approve")]
    yes: bool,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let project = ProjectStream::of(&repository.journal);
    if let Some(file) = &args.from {
        let text = input_files::read(file)?;
        let research = args.research.as_deref().map(input_files::read).transpose()?;
        match wait(project.emit(&person(&repository.root)?, &text, research.as_deref()))? {
            Ok(_) => {}
            Err(ProjectError::Deficient { report }) => {
                spec::print(&report, output)?;
                return Err(CliError::SpecErrors { errors: report.errors.len() });
            }
            Err(other) => return Err(other.into()),
        }
    }
    if let Some(task) = &args.rewire {
        wait(project.rewire(&person(&repository.root)?, task, &args.on))??;
        say(&format!("{} {task} depends on {}", good("✓"), listed(&args.on)));
    }
    let (emitted, shown) = wait(project.spec())??;
    let choice = match (args.approve, &args.reject, &args.amend) {
        (true, ..) => Some((Choice::Approve, "")),
        (_, Some(why), _) => Some((Choice::Reject, why.as_str())),
        (_, _, Some(what)) => Some((Choice::Amend, what.as_str())),
        (false, None, None) => None,
    };
    if let Some((choice, rationale)) = choice {
        let by = person(&repository.root)?;
        let is_approved = wait(project.look())??.product().approved().is_some();
        // An approval that was cut off before all tasks were planned goes on.
        if !(is_approved && choice == Choice::Approve) {
            wait(project.decide(&by, (emitted.text, choice), rationale))??;
        }
        if choice == Choice::Approve {
            let planned = admit(args, repository, &project, &by)?;
            match planned {
                0 => say("• its tasks are planned already, under the terms they have"),
                planned => say(&format!("• {} planned", counted(planned.into(), "task"))),
            }
        }
    }
    let looked = wait(project.look())??;
    if looked.len() > MANY_TASKS {
        say(&format!(
            "• {} tasks: a run of so many takes long; watch it and its budget",
            looked.len()
        ));
    }
    let product = looked.product().clone();
    let decision = decision(&product);
    match output.format {
        Format::Json => output.json(&PlanReport {
            spec_id: (&emitted.spec_id).into(),
            spec_version: (&emitted.spec_version).into(),
            title: (&emitted.title).into(),
            spec: emitted.text.into(),
            tasks: emitted.tasks.into(),
            warnings: spec::wire(&shown.warnings),
            readable: shown.readable(),
            research: shown.searches.iter().map(query).collect(),
            decision,
            amends: product.amends,
        })?,
        Format::Human => {
            let tasks = counted(emitted.tasks.into(), "task");
            let (title, id) = (sanitize(&emitted.title), sanitize(&emitted.spec_id));
            let version = sanitize(&emitted.spec_version);
            output.line(&format!("{title}: {id} {version}, {tasks}"))?;
            let EmittedSpec { warnings, searches, .. } = shown;
            spec::print(&Report { errors: Vec::new(), warnings }, output)?;
            for search in &searches {
                output.line(&format!("  looked up: {}", sanitize(&search.query)))?;
                for found in &search.results {
                    output.line(&format!("    {}", sanitize(&found.url)))?;
                }
            }
            output.line("  .sealwright/product/spec.md shows all of it as text")?;
            if product.is_amended_often() {
                output.line(&format!(
                    "  changes were asked for {} times; approve it, or reject it and begin anew",
                    product.amends
                ))?;
            }
        }
    }
    match decision {
        SpecDecision::Approved => {
            say(&format!("{} approved; `sealwright run` builds it", good("✓")));
            Ok(())
        }
        SpecDecision::Open => Err(CliError::SpecUndecided),
        SpecDecision::Rejected | SpecDecision::Amended => {
            say("write the next spec, then `sealwright plan --from FILE`");
            Ok(())
        }
    }
}

fn admit(
    args: &Args,
    repository: &Repository,
    project: &ProjectStream,
    by: &Actor,
) -> CliResult<u32> {
    let config = configuration(&repository.root)?;
    let head = objects::commit(&repository.root, "HEAD")?;
    let files = objects::entries(&repository.root, &head)?;
    let (checks, left_out) = promised_checks(&Tools::find(&repository.root), &config, &files);
    for left_out in left_out {
        say(&format!("• not part of these tasks: {left_out}"));
    }
    let header = sealwright_kernel::owner::Header {
        autonomy: config.project.autonomy,
        ..sealwright_kernel::owner::Header::default()
    };
    let terms = PlanTerms {
        lane: Lane::Quick,
        header,
        freeze: if args.yes { Freeze::InAdvance } else { Freeze::Asked },
        checks,
        budget: config.budget.of_task(),
    };
    Ok(wait(project.plan(by, &terms))??)
}

fn listed(tasks: &[TaskId]) -> String {
    let named: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(", ") }
}

fn query(search: &Search) -> ResearchQuery {
    let urls = search.results.iter().map(|it| it.url.clone()).collect();
    ResearchQuery { query: (&search.query).into(), urls }
}

fn decision(product: &Product) -> SpecDecision {
    match product.decided {
        None => SpecDecision::Open,
        Some(Choice::Approve) => SpecDecision::Approved,
        Some(Choice::Reject) => SpecDecision::Rejected,
        Some(Choice::Amend) => SpecDecision::Amended,
    }
}

/// A person decides in one of three ways; whoever types another one reads which.
const USAGE: &str = "sealwright plan [--from FILE [--research FILE]] [--approve [--yes] | --reject WHY | --amend WHAT]
       sealwright plan --rewire TASK [--on TASK]...";

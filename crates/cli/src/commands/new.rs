//! `sealwright new`: creates a task.

use std::path::{Path, PathBuf};

use sealwright_config::{Config, FILE_NAME};
use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_kernel::Lane;
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::Freeze;
use sealwright_views::wire::CreatedTask;

use crate::args::Format;
use crate::commands::wait;
use crate::error::CliResult;
use crate::input_files;
use crate::output::{Output, good, sanitize, say};
use crate::person::person;
use crate::repository::Repository;

/// Create a task from a sentence or a file.
///
/// You can edit its `TASK.md` until the contract is frozen.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The change, in a sentence.
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    said: Option<String>,

    /// File that describes the change; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    terms: Terms,

    /// Approve the contract in advance; only in the quick lane and with normal risk.
    #[arg(long)]
    yes: bool,
}

// No doc comment: clap would take it for the help of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Terms {
    /// Process lane [default: of the project].
    #[arg(long, value_parser = ["quick", "factory", "strict"])]
    lane: Option<String>,
    /// How far the task may proceed without a person [default: of the project].
    #[arg(long, value_parser = ["manual", "conservative", "auto"])]
    autonomy: Option<String>,
    /// Risk; high for money, access rights, irreplaceable data or the gates themselves.
    #[arg(long, value_parser = ["normal", "high"], default_value = "normal")]
    risk: String,
}

impl Terms {
    pub(crate) fn lane(&self, config: &Config) -> Lane {
        self.lane.as_deref().and_then(Lane::named).unwrap_or(config.project.lane)
    }

    pub(crate) fn header(&self, config: &Config) -> Header {
        let autonomy = self.autonomy.as_deref().and_then(Autonomy::named);
        Header {
            autonomy: autonomy.unwrap_or(config.project.autonomy),
            risk: if self.risk == "high" { Risk::High } else { Risk::Normal },
        }
    }
}

pub(crate) fn configuration(root: &Path) -> CliResult<Config> {
    let file = root.join(FILE_NAME);
    Ok(if file.exists() { Config::load(file)? } else { Config::default() })
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let by = person(&repository.root)?;
    let config = configuration(&repository.root)?;
    let new = NewTask {
        said: match &args.file {
            Some(file) => input_files::text(file)?,
            None => args.said.clone().unwrap_or_default(),
        },
        lane: args.terms.lane(&config),
        header: args.terms.header(&config),
        freeze: if args.yes { Freeze::InAdvance } else { Freeze::Asked },
        checks: config.checks().iter().map(|check| check.name.clone()).collect(),
        base: None,
        budget: config.budget.of_task(),
    };
    let told = wait(Tasks::of(&repository.journal).create(&by, new))??;
    let Some(known) = told.task.data() else { return Ok(()) };
    let (id, title) = (&known.charter.id, &known.charter.title);
    let text = format!(".sealwright/tasks/{id}/TASK.md");
    match output.format {
        Format::Human => {
            output.line(&format!("{} {id}: {}", good("✓"), sanitize(title)))?;
            if let Some(why) = &told.unwritten {
                say(&format!("cannot write the files of the task: {}", sanitize(why)));
            }
            say(&format!("edit {text} until the contract is frozen, then run `sealwright adopt`"));
            let names = repository.names();
            say(&format!("next: `sealwright show {}`", names.short(id.as_str())));
            Ok(())
        }
        Format::Json => output.json(&CreatedTask {
            task: id.into(),
            title: title.into(),
            text,
            unwritten: told.unwritten.as_ref().map(Into::into),
        }),
    }
}

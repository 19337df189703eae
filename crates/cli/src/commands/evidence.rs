//! `sealwright evidence`: exports the evidence of a task.

use sealwright_factory::tasks::Tasks;
use sealwright_verify::export::{Form, export};
use sealwright_views::wire::EvidenceRow;

use crate::args::Format;
use crate::commands::{show, wait};
use crate::error::CliResult;
use crate::output::{Output, sanitize, short, table, table_text};
use crate::repository::Repository;

/// Print the evidence of a task, also in formats of other tools.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,

    /// JUnit report, SARIF 2.1.0, signed in-toto statements, or the records as JSON [default: a table].
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Option<Named>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Named {
    Junit,
    Sarif,
    Intoto,
    Json,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let id = repository.task_or_latest(args.task.as_deref())?;
    let task = wait(Tasks::of(&repository.journal).look(&id))??.machine;
    let told = |form| export(&repository.journal, &id, &task, form);
    match (args.form, output.format) {
        (Some(Named::Junit), _) => output.xml(&told(Form::Junit)?),
        (Some(Named::Sarif), _) => output.document(&told(Form::Sarif)?),
        (Some(Named::Intoto), _) => output.document(&told(Form::InToto)?),
        (Some(Named::Json), _) | (None, Format::Json) => {
            let records = task.data().map_or(&[][..], |known| &known.evidence);
            records.iter().try_for_each(|record| output.json(&EvidenceRow::from(record)))
        }
        (None, Format::Human) => {
            let records = task.data().map_or(&[][..], |known| &known.evidence);
            if records.is_empty() {
                return output.line("no evidence yet");
            }
            let mut rows = table(&["evidence", "check", "verdict", "tree"], &["check"]);
            for record in records {
                let tree = short(&record.evidence.tree);
                let (id, subject) = (record.id.to_string(), sanitize(&record.subject));
                rows.add_row([id, subject, show::verdict(record), tree]);
            }
            output.line(&table_text(&rows))
        }
    }
}

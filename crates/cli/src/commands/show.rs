//! `sealwright show`: one task in detail.

use sealwright_factory::tasks::Tasks;
use sealwright_host::state_of;
use sealwright_kernel::task::{QuestionSubject, Task, TaskData};
use sealwright_kernel::{Source, TaskId, goal};
use sealwright_views as views;
use sealwright_views::OpenQuestion;
use sealwright_views::cost_report;
use sealwright_views::watch::status;
use sealwright_views::wire::{EvidenceRow, MachineState, TaskView};

use crate::args::Format;
use crate::commands::wait;
use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, short, table, table_text, warn};
use crate::repository::Repository;

/// Show one task: objective, slices, evidence and open question.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique prefix of it.
    task: String,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    if output.format == Format::Json {
        return view(repository, &args.task)?.map_or(Ok(()), |view| output.json(&view));
    }
    let id = repository.task(&args.task)?;
    let task = wait(Tasks::of(&repository.journal).look(&id))??.machine;
    let Some(known) = task.data() else { return Ok(()) };
    head(&id, &task, known, output)?;
    slices(known, output)?;
    evidence(known, output)?;
    question(&id, &task, known, output)?;
    let folder = format!(".sealwright/tasks/{id}");
    output.line(&format!("files: {folder}/STATE.md, {folder}/evidence.html"))
}

/// The task as a wire type; nothing if it was never created.
pub(crate) fn view(repository: &Repository, named: &str) -> CliResult<Option<TaskView>> {
    let id = repository.task(named)?;
    let looked = wait(Tasks::of(&repository.journal).look(&id))??;
    let task = looked.machine;
    if task.data().is_none() {
        return Ok(None);
    }
    Ok(Some(TaskView {
        task: (&id).into(),
        status: task.status().into(),
        phase: task.phase().map(Into::into),
        head: looked.head.into(),
        question: OpenQuestion::of(&task).map(Into::into),
        state: MachineState(state_of(&task)?),
    }))
}

/// The evidence of a task as wire types, the oldest first.
pub(crate) fn proof(repository: &Repository, named: &str) -> CliResult<(TaskId, Vec<EvidenceRow>)> {
    let id = repository.task(named)?;
    let task = wait(Tasks::of(&repository.journal).look(&id))??.machine;
    let records = task.data().map_or(&[][..], |known| &known.evidence);
    Ok((id, records.iter().map(EvidenceRow::from).collect()))
}

fn head(id: &TaskId, task: &Task, known: &TaskData, output: &mut Output) -> CliResult {
    let charter = &known.charter;
    output.line(&format!("{id}: {}", sanitize(&charter.title)))?;
    let phase = status::phase(task.phase());
    output.line(&format!(
        "{}{phase}; attempt {}, {} lane, autonomy {}, risk {}",
        status::name(task.status()),
        known.attempt,
        charter.header.lane(charter.lane).name(),
        charter.header.autonomy.name(),
        charter.header.risk.name(),
    ))?;
    if let Some(ahead) = views::ahead(task) {
        output.line(&format!("next phases: {}", sanitize(&ahead.follows)))?;
        output.line(&format!("requires: {}", sanitize(&ahead.needed)))?;
    }
    if let Some(frame) = &known.frame {
        output.line(&format!("objective: {}", sanitize(&frame.objective)))?;
    }
    let uncited = goal::uncited(&charter.criteria);
    for criterion in &charter.criteria {
        let mark = if uncited.contains(&criterion.as_str()) { "·" } else { "✓" };
        output.line(&format!("  {mark} {}", sanitize(criterion)))?;
    }
    if known.heals > 0 {
        output.line(&bad(&format!("confirmed cheats: {}", known.heals)))?;
    }
    for note in &known.tampered {
        output.line(&bad(&format!("{} was edited by hand", sanitize(note))))?;
    }
    if known.drifted.is_some() {
        output.line(&bad("TASK.md has edits that are not adopted"))?;
    }
    Ok(())
}

fn slices(known: &TaskData, output: &mut Output) -> CliResult {
    if known.plan.is_empty() {
        return Ok(());
    }
    let mut table = table(&["slice", "state", "gate runs", "what"], &["what"]);
    for (nth, (id, planned)) in known.plan.iter().enumerate() {
        let (state, runs) = match known.slices.get(nth) {
            Some(slice) => (status::slice_name(slice.state()), slice.gate_runs().to_string()),
            None => ("waiting", "–".to_owned()),
        };
        table.add_row([id.to_string(), state.to_owned(), runs, sanitize(&planned.sentence)]);
    }
    output.line("")?;
    output.line(&table_text(&table))
}

fn evidence(known: &TaskData, output: &mut Output) -> CliResult {
    if known.evidence.is_empty() {
        return Ok(());
    }
    let hidden = known.evidence.len().saturating_sub(ROWS_MAX);
    let mut table = table(&["evidence", "subject", "verdict", "by"], &["subject", "by"]);
    for record in &known.evidence[hidden..] {
        let by = match &record.evidence.source {
            Source::Command { argv, exit, .. } => format!("{} (exit {exit})", argv.join(" ")),
            Source::Role { role, invocation } => format!("{} ({invocation})", role.name()),
        };
        let verdict = match record.verdict.name() {
            "pass" => good("pass"),
            other => warn(other),
        };
        table.add_row([record.id.to_string(), sanitize(&record.subject), verdict, sanitize(&by)]);
    }
    output.line("")?;
    output.line(&table_text(&table))?;
    if hidden > 0 {
        output.line(&format!("{hidden} earlier pieces are in evidence.html"))?;
    }
    Ok(())
}

fn question(id: &TaskId, task: &Task, known: &TaskData, output: &mut Output) -> CliResult {
    let (Some(open), Some((_, asked))) = (OpenQuestion::of(task), task.question()) else {
        return output.line("");
    };
    output.line("")?;
    output.line(&format!("{} {}", warn("?"), sanitize(&open.text)))?;
    match &asked.about {
        QuestionSubject::Freeze => {
            if let Some(bundle) = &known.bundle {
                for line in bundle.checklist(known.charter.header) {
                    let mark = if line.is_flagged { warn("!") } else { "·".to_owned() };
                    output.line(&format!(
                        "  {mark} {} ({} %)",
                        sanitize(&line.text),
                        line.confidence
                    ))?;
                }
            }
            let item = short(&open.item);
            output.line(&format!("  approve: sealwright approve {id} --item {item}"))?;
            output.line(&format!("  decline: sealwright decline {id} --because \"…\""))?;
        }
        QuestionSubject::Done { residue } => {
            for finding in residue {
                output.line(&format!("  {} {}", warn("!"), sanitize(&finding.what)))?;
            }
            let item = short(&open.item);
            output.line(&format!(
                "  approve: sealwright approve {id} --item {item} --because \"…\""
            ))?;
            output.line(&format!("  decline: sealwright decline {id} --because \"…\""))?;
        }
        QuestionSubject::Halt { escalation } => {
            output.line(&format!("  decide: {}", escalation.cause.decision()))?;
            output.line(&format!("  resolve: sealwright resolve {id} … (see resolve --help)"))?;
        }
        QuestionSubject::Budget { spent, calls, budget } => {
            for offer in cost_report::offers(*budget, *spent, *calls) {
                let (_, buys) = offer.words();
                output.line(&format!("  · {buys}"))?;
                output.line(&format!("    sealwright budget {id} {}", offer.flags()))?;
            }
            output.line("  · abandon the task")?;
            output.line(&format!("    sealwright resolve {id} abandon-task --because \"…\""))?;
            output.line(&format!("  cost so far: sealwright budget {id}"))?;
        }
    }
    Ok(())
}

const ROWS_MAX: usize = 12;

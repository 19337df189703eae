//! `sealwright show`: one task in detail.

use sealwright_factory::escalations;
use sealwright_factory::tasks::Tasks;
use sealwright_host::state_of;
use sealwright_kernel::task::escalation::ResolutionKind;
use sealwright_kernel::task::slice::Planned;
use sealwright_kernel::task::{QuestionSubject, Status, Task, TaskData};
use sealwright_kernel::{EvidenceRecord, TaskId, Verdict, goal};
use sealwright_views as views;
use sealwright_views::OpenQuestion;
use sealwright_views::watch::status;
use sealwright_views::wire::{EvidenceRow, MachineState, TaskView, WriterPlace};

use crate::args::Format;
use crate::commands::decide::plan_text;
use crate::commands::watch::writer_of;
use crate::commands::{inbox, wait};
use crate::contract;
use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, table, table_text, warn};
use crate::repository::{Repository, configuration};

/// Show one task: objective, slices, evidence and open question.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,

    /// Print the plan only, as JSON in the form that `resolve TASK revise-plan --plan` takes.
    #[arg(long)]
    plan: bool,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    if args.plan {
        let id = repository.task_or_latest(args.task.as_deref())?;
        let task = wait(Tasks::of(&repository.journal).look(&id))??.machine;
        return output.whole(plan_text(plan_of(&task))?.trim_end());
    }
    if output.format == Format::Json {
        let id = repository.task_or_latest(args.task.as_deref())?;
        return view(repository, id.as_str())?.map_or(Ok(()), |view| output.json(&view));
    }
    let id = repository.task_or_latest(args.task.as_deref())?;
    let task = wait(Tasks::of(&repository.journal).look(&id))??.machine;
    let Some(known) = task.data() else { return Ok(()) };
    let is_paused = is_paused(repository, &id, &task);
    let names = repository.names();
    let short = names.short(id.as_str());
    head((&id, short), &task, known, is_paused, output)?;
    slices(&task, known, output)?;
    evidence(known, output)?;
    question(repository, &id, &task, output)?;
    let mut folder = format!(".sealwright/tasks/{id}");
    if std::env::current_dir().is_ok_and(|here| here != repository.root) {
        folder = sanitize(&repository.root.join(folder).display().to_string());
    }
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
    let halted = task.status() == Status::Halted;
    let halts = if halted { escalations::of(&repository.journal, &id)? } else { Vec::new() };
    Ok(Some(TaskView {
        task: (&id).into(),
        status: task.status().into(),
        phase: task.phase().map(Into::into),
        head: looked.head.into(),
        question: OpenQuestion::of(&task).map(Into::into),
        escalation: halts.into_iter().next_back().map(|(_, file)| MachineState(file)),
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

/// Whether the engine owes the next step and no process performs it.
fn is_paused(repository: &Repository, id: &TaskId, task: &Task) -> bool {
    task.status() == Status::InProgress
        && writer_of(&repository.journal, id.stream()) == WriterPlace::Nobody
}

fn head(
    (id, short): (&TaskId, &str),
    task: &Task,
    known: &TaskData,
    is_paused: bool,
    output: &mut Output,
) -> CliResult {
    let charter = &known.charter;
    output.line(&format!("{id}: {}", sanitize(&charter.title)))?;
    let phase = status::phase(task.phase());
    output.line(&format!(
        "{}{phase}; attempt {}, {} lane, autonomy {}, risk {}",
        if is_paused { "paused" } else { status::name(task.status()) },
        known.attempt,
        charter.header.lane(charter.lane).name(),
        charter.header.autonomy.name(),
        charter.header.risk.name(),
    ))?;
    if task.status() == Status::Shipped {
        output.line(&format!("branch: {}", id.branch()))?;
    }
    if is_paused {
        output.line(&format!("continue with: `sealwright do --continue {short}`"))?;
    }
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

fn slices(task: &Task, known: &TaskData, output: &mut Output) -> CliResult {
    if known.plan.is_empty() {
        return Ok(());
    }
    let mut table = table(&["slice", "state", "gate runs", "what"], &["what"]);
    for (nth, (id, planned)) in known.plan.iter().enumerate() {
        let (state, runs) = match known.slices.get(nth) {
            Some(slice) => {
                let state = status::slice_name(slice.state(), task.stage());
                (state, slice.gate_runs().to_string())
            }
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
    let mut table = table(&["evidence", "subject", "verdict", "what it said"], &["what it said"]);
    for record in &known.evidence[hidden..] {
        let (id, subject) = (record.id.to_string(), sanitize(&record.subject));
        table.add_row([id, subject, verdict(record), sanitize(&views::said(record))]);
    }
    output.line("")?;
    output.line(&table_text(&table))?;
    if hidden > 0 {
        output.line(&format!("{hidden} earlier pieces are in evidence.html"))?;
    }
    Ok(())
}

/// The verdict of a piece of evidence, in a word of a table.
pub(crate) fn verdict(record: &EvidenceRecord) -> String {
    match record.verdict {
        Verdict::Pass => good("pass"),
        Verdict::Fail if views::is_red(record) => good("red, as expected"),
        Verdict::Fail if views::is_rejected(record) => warn("rejected"),
        other => warn(other.name()),
    }
}

/// The open question with everything that a person decides on, and a command for each answer.
pub(crate) fn question(
    repository: &Repository,
    id: &TaskId,
    task: &Task,
    output: &mut Output,
) -> CliResult {
    let (Some(known), Some(open), Some((_, asked))) =
        (task.data(), OpenQuestion::of(task), task.question())
    else {
        return output.line("");
    };
    let names = repository.names();
    let short = names.short(id.as_str());
    output.line("")?;
    output.line(&format!("{} {}", warn("?"), sanitize(&open.plain())))?;
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
            let config = configuration(&repository.root)?;
            let sections = wait(contract::read(&repository.journal, known, config.as_ref()))??;
            for line in contract::lines(&sections, short, usize::MAX) {
                output.line(&format!("  {line}"))?;
            }
        }
        QuestionSubject::Done { residue } => {
            for finding in residue {
                output.line(&format!("  {} {}", warn("!"), sanitize(&finding.what)))?;
            }
        }
        QuestionSubject::Halt { escalation } => {
            failing(task, output)?;
            output.line(&format!("  decide: {}", escalation.cause.decision()))?;
            if escalation.options.contains(&ResolutionKind::RevisePlan) {
                output.line(&format!("  the plan so far: `sealwright show {short} --plan`"))?;
            }
        }
        QuestionSubject::Budget { .. } => {}
    }
    inbox::commands(task, &names, output)?;
    match &asked.about {
        QuestionSubject::Budget { .. } => {
            output.line(&format!("  cost so far: `sealwright budget {short}`"))
        }
        QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
            output.line("  · end the task without a result")?;
            output.whole(&format!("    sealwright cancel {short} --because \"…\""))
        }
        QuestionSubject::Halt { .. } => Ok(()),
    }
}

/// What did not pass on the tree that the task halted with.
pub(crate) fn failing(task: &Task, output: &mut Output) -> CliResult {
    let Some(data) = task.data() else { return Ok(()) };
    for record in views::latest_evidence(data).into_iter().filter(|it| views::is_open(it)) {
        let verdict = if views::is_rejected(record) { "rejected" } else { record.verdict.name() };
        output.part(&sanitize(&format!(
            "{}: {verdict}: {}",
            record.subject,
            views::said(record)
        )))?;
    }
    Ok(())
}

fn plan_of(task: &Task) -> &[Planned] {
    let bundle = task.data().and_then(|data| data.bundle.as_ref());
    bundle.map_or(&[][..], |bundle| &bundle.plan)
}

const ROWS_MAX: usize = 12;

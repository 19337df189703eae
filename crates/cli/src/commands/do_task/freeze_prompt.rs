//! The freeze prompt: shows the contract, the least certain part first, and records the answer.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use sealwright_factory::task_performer::Contract;
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::TaskId;
use sealwright_kernel::task::{Bundle, Choice, PartKind, PersonInput, Task, TaskData};
use sealwright_store::Blobs;

use super::Run;
use crate::error::CliResult;
use crate::output::{sanitize, say, warn};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Recorded,
    Later,
}

/// Whether a person can answer at this terminal.
pub(super) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

pub(super) async fn show(run: &Run<'_>, task: &TaskId, machine: &Task) -> CliResult<Answer> {
    let (Some(known), Some((question, asked))) = (machine.data(), machine.question()) else {
        return Ok(Answer::Later);
    };
    let Some(bundle) = &known.bundle else { return Ok(Answer::Later) };
    let blobs = Blobs::local(run.journal.layout()).map_err(sealwright_factory::TaskError::from)?;
    let mut texts = Vec::new();
    for part in bundle.by_confidence() {
        let text = blobs.find(&part.content).await.unwrap_or_default();
        texts.push((part, String::from_utf8_lossy(&text).into_owned()));
    }
    lines(known, bundle).iter().for_each(|line| say(line));
    for (part, text) in texts {
        say("");
        part_lines(part.kind, part.confidence, &part.flags, &text)
            .iter()
            .for_each(|line| say(line));
    }
    say("");
    for _ in 0..ASKED_MAX {
        let Some(answer) = ask("freeze this contract? [y]es, [n]o and why, [l]ater: ").await?
        else {
            return Ok(Answer::Later);
        };
        let (choice, rationale) = match answer.split_once(' ').unwrap_or((&answer, "")) {
            ("y" | "yes", _) => (Choice::Approve, String::new()),
            ("l" | "later" | "q", _) => return Ok(Answer::Later),
            ("n" | "no", why) if !why.trim().is_empty() => (Choice::Reject, why.to_owned()),
            ("n" | "no", _) => match ask("what should change? ").await? {
                Some(why) if !why.is_empty() => (Choice::Reject, why),
                Some(_) => continue,
                None => return Ok(Answer::Later),
            },
            _ => continue,
        };
        let says = PersonInput::Decide { question, item: asked.item, choice, rationale };
        Tasks::of(run.journal).say(task, run.by, says, Vec::new()).await?;
        return Ok(Answer::Recorded);
    }
    Ok(Answer::Later)
}

/// The objective, its done criteria and how they are verified.
pub(super) fn lines(known: &TaskData, bundle: &Bundle) -> Vec<String> {
    let frame = &bundle.frame;
    let mut lines = vec![String::new(), format!("objective: {}", sanitize(&frame.objective))];
    lines.push("done when".to_owned());
    lines.extend(frame.done_gate.iter().map(|line| format!("  · {}", sanitize(line))));
    lines.push("verified by".to_owned());
    lines.extend(frame.validation.iter().map(|line| format!("  · {}", sanitize(line))));
    lines.push(format!("  · gates: {}", sanitize(&known.charter.checks.join(", "))));
    if !frame.not_doing.is_empty() {
        lines.push("out of scope".to_owned());
        lines.extend(frame.not_doing.iter().map(|line| format!("  · {}", sanitize(line))));
    }
    lines.push("planned changes".to_owned());
    for planned in &bundle.plan {
        let places = sanitize(&planned.cap.allowed.join(", "));
        lines.push(format!("  · {} ({places})", sanitize(&planned.sentence)));
    }
    lines
}

fn part_lines(kind: PartKind, confidence: u8, flags: &[String], text: &str) -> Vec<String> {
    let name = match kind {
        PartKind::Spec => "specification",
        PartKind::Scenarios => "scenarios",
        PartKind::Contract => "contract",
    };
    let mut lines = vec![format!("{name}, confidence {confidence} %")];
    lines.extend(flags.iter().map(|flag| format!("  {} {}", warn("!"), sanitize(flag))));
    // A contract is stored together with the changes and skipped tests it allows.
    let contract = (kind == PartKind::Contract).then(|| serde_json::from_str::<Contract>(text));
    let (words, more) = match contract {
        Some(Ok(contract)) => {
            let declared = contract.declared.iter();
            let declared = declared.map(|(path, why)| format!("  may change: {path}: {why}"));
            let skips = contract.skips.iter().map(|test| format!("  may skip: {test}"));
            let more: Vec<String> = declared.chain(skips).collect();
            (contract.contract, more)
        }
        Some(Err(_)) | None => (text.to_owned(), Vec::new()),
    };
    let count = words.lines().count();
    lines.extend(words.lines().take(LINES_MAX).map(|line| format!("  {}", sanitize(line))));
    if count > LINES_MAX {
        lines.push(format!("  … {} more lines in the folder of the task", count - LINES_MAX));
    }
    lines.extend(more.iter().map(|line| sanitize(line)));
    lines
}

/// Reads one line; nothing at end of input or Ctrl-C.
async fn ask(prompt: &str) -> CliResult<Option<String>> {
    {
        let mut out = anstream::stderr().lock();
        write!(out, "{prompt}")?;
        out.flush()?;
    }
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let count = std::io::stdin().lock().read_line(&mut line);
        count.map(|count| (count > 0).then(|| line.trim().to_owned()))
    });
    tokio::select! {
        // A thread that waits for terminal input cannot be stopped; it ends with the process.
        _ = tokio::signal::ctrl_c() => Ok(None),
        read = read => Ok(read.map_err(std::io::Error::other)??),
    }
}

const ASKED_MAX: usize = 8;
const LINES_MAX: usize = 60;

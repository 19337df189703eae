//! The sitting: a person reads what will be proven and how, the least certain first, and freezes it or does not.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use sealwright_factory::task_performer::Contract;
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::TaskId;
use sealwright_kernel::task::{Bundle, Choice, PartKind, PersonInput, Task, TaskData};
use sealwright_store::Blobs;

use super::Doing;
use crate::error::CliError;
use crate::output::{sanitize, say, warn};

/// What came of a sitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sat {
    /// It was answered.
    Answered,
    /// It was left for later.
    Left,
}

/// Whether somebody sits there who could answer.
pub(super) fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Shows the contract and takes the answer.
pub(super) async fn sit(doing: &Doing<'_>, task: &TaskId, machine: &Task) -> Result<Sat, CliError> {
    let (Some(known), Some((question, asked))) = (machine.data(), machine.question()) else {
        return Ok(Sat::Left);
    };
    let Some(bundle) = &known.bundle else { return Ok(Sat::Left) };
    let blobs =
        Blobs::local(doing.journal.layout()).map_err(sealwright_factory::TaskError::from)?;
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
        let Some(answer) = ask("freeze it? [y]es, [n]o and why, [l]ater: ").await? else {
            return Ok(Sat::Left);
        };
        let (choice, rationale) = match answer.split_once(' ').unwrap_or((&answer, "")) {
            ("y" | "yes", _) => (Choice::Approve, String::new()),
            ("l" | "later" | "q", _) => return Ok(Sat::Left),
            ("n" | "no", why) if !why.trim().is_empty() => (Choice::Reject, why.to_owned()),
            ("n" | "no", _) => match ask("what should be different? ").await? {
                Some(why) if !why.is_empty() => (Choice::Reject, why),
                Some(_) => continue,
                None => return Ok(Sat::Left),
            },
            _ => continue,
        };
        let says = PersonInput::Decide { question, item: asked.item, choice, rationale };
        Tasks::of(doing.journal).say(task, doing.by, says, Vec::new()).await?;
        return Ok(Sat::Answered);
    }
    Ok(Sat::Left)
}

/// What is wanted and how it will be seen that it is done.
pub(super) fn lines(known: &TaskData, bundle: &Bundle) -> Vec<String> {
    let frame = &bundle.frame;
    let mut lines = vec![String::new(), format!("wanted: {}", sanitize(&frame.objective))];
    lines.push("it is done when".to_owned());
    lines.extend(frame.done_gate.iter().map(|line| format!("  · {}", sanitize(line))));
    lines.push("that will be proven by".to_owned());
    lines.extend(frame.validation.iter().map(|line| format!("  · {}", sanitize(line))));
    lines.push(format!("  · the gates {}", sanitize(&known.charter.checks.join(", "))));
    if !frame.not_doing.is_empty() {
        lines.push("not part of it".to_owned());
        lines.extend(frame.not_doing.iter().map(|line| format!("  · {}", sanitize(line))));
    }
    lines.push("what will be changed".to_owned());
    for planned in &bundle.plan {
        let places = sanitize(&planned.cap.allowed.join(", "));
        lines.push(format!("  · {} ({places})", sanitize(&planned.sentence)));
    }
    lines
}

/// One part of what is frozen.
fn part_lines(kind: PartKind, confidence: u8, flags: &[String], text: &str) -> Vec<String> {
    let name = match kind {
        PartKind::Spec => "the intent",
        PartKind::Scenarios => "the cases that matter",
        PartKind::Contract => "the contract",
    };
    let mut lines = vec![format!("{name}, {confidence} % sure")];
    lines.extend(flags.iter().map(|flag| format!("  {} {}", warn("!"), sanitize(flag))));
    // A contract is kept with what may change beside it.
    let contract = (kind == PartKind::Contract).then(|| serde_json::from_str::<Contract>(text));
    let (words, more) = match contract {
        Some(Ok(contract)) => {
            let declared = contract.declared.iter();
            let declared = declared.map(|(path, why)| format!("  may also change: {path}, {why}"));
            let skips = contract.skips.iter().map(|test| format!("  may be skipped here: {test}"));
            let more: Vec<String> = declared.chain(skips).collect();
            (contract.contract, more)
        }
        Some(Err(_)) | None => (text.to_owned(), Vec::new()),
    };
    let count = words.lines().count();
    lines.extend(words.lines().take(LINES_MAX).map(|line| format!("  {}", sanitize(line))));
    if count > LINES_MAX {
        lines.push(format!("  … and {} lines more, in its folder", count - LINES_MAX));
    }
    lines.extend(more.iter().map(|line| sanitize(line)));
    lines
}

/// One line from the person; nothing if they left or pressed Ctrl-C.
async fn ask(prompt: &str) -> Result<Option<String>, CliError> {
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
        // A thread that waits for a terminal cannot be asked to stop; it ends with the process.
        _ = tokio::signal::ctrl_c() => Ok(None),
        read = read => Ok(read.map_err(std::io::Error::other)??),
    }
}

/// How often an answer that nobody understands is asked for again.
const ASKED_MAX: usize = 8;
/// What fits a screen or two.
const LINES_MAX: usize = 60;

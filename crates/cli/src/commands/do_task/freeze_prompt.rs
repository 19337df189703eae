//! The freeze prompt: shows the contract, the least certain part first, and what the engine will run; records the
//! answer.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use sealwright_factory::tasks::Tasks;
use sealwright_kernel::task::{Choice, PersonInput, Task};
use sealwright_kernel::{Seq, TaskId};

use super::Run;
use crate::contract;
use crate::error::CliResult;
use crate::output::say;
use crate::repository::configuration;
use crate::task_names::TaskNames;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// In this record.
    Recorded(Seq),
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
    if known.bundle.is_none() {
        return Ok(Answer::Later);
    }
    let config = configuration(run.root)?;
    let sections = contract::read(run.journal, known, config.as_ref()).await?;
    say("");
    let names = TaskNames::of(run.journal);
    contract::lines(&sections, names.short(task.as_str()), LINES_MAX)
        .iter()
        .for_each(|line| say(line));
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
        let told = Tasks::of(run.journal).say(task, run.by, says, Vec::new()).await?;
        return Ok(Answer::Recorded(told.head.seq));
    }
    Ok(Answer::Later)
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
    let answer = tokio::select! {
        // A thread that waits for terminal input cannot be stopped; it ends with the process.
        _ = tokio::signal::ctrl_c() => None,
        read = read => read.map_err(std::io::Error::other)??,
    };
    if answer.is_none() {
        // The line of the prompt has no end yet.
        say("");
    }
    Ok(answer)
}

const ASKED_MAX: usize = 8;
const LINES_MAX: usize = 60;

//! `sealwright budget`: shows the cost of a task and raises its budget.

use sealwright_config::{DOLLARS_MAX, MINUTES_MAX, TOKENS_MAX};
use sealwright_factory::tasks::Tasks;
use sealwright_kernel::TaskId;
use sealwright_kernel::task::{Budget, PersonInput, Task};
use sealwright_store::Head;
use sealwright_views::OpenQuestion;
use sealwright_views::cost_report;
use sealwright_views::watch::status;
use sealwright_views::wire::{self, BudgetReport};

use crate::args::Format;
use crate::commands::{inbox, login, wait};
use crate::error::CliResult;
use crate::output::{Output, good, sanitize, say};
use crate::person::person;
use crate::repository::Repository;
use crate::task_names::TaskNames;

/// Show the cost of a task, or raise its budget.
///
/// Without a flag nothing changes. With a flag the limit it names is raised under your name; it must exceed what is
/// spent already. Other limits stay.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: the latest task].
    task: Option<String>,
    /// Limit in dollars, with at most two decimals.
    #[arg(long, value_name = "DOLLARS", value_parser = micro_dollars)]
    dollars: Option<u64>,
    /// Limit of role time, in minutes.
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u64).range(1..=MINUTES_MAX))]
    minutes: Option<u64>,
    /// Limit of input and output tokens.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=TOKENS_MAX))]
    tokens: Option<u64>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let id = repository.task_or_latest(args.task.as_deref())?;
    let (tasks, names) = (Tasks::of(&repository.journal), repository.names());
    if !args.raises() {
        let looked = wait(tasks.look(&id))??;
        return tell(&id, (&looked.machine, looked.head), &names, output);
    }
    let by = person(&repository.root)?;
    let looked = wait(tasks.look(&id))??.machine;
    let now = looked.data().and_then(|known| known.charter.budget).unwrap_or_default();
    let says = PersonInput::RaiseBudget { budget: args.over(now) };
    let told = wait(tasks.say(&id, &by, says, vec![]))??;
    if output.format == Format::Human {
        say(&format!("{} budget of {id} raised", good("✓")));
        if let Some(why) = &told.unwritten {
            say(&format!("cannot write the files of the task: {}", sanitize(why)));
        }
    }
    tell(&id, (&told.task, told.head), &names, output)
}

impl Args {
    fn raises(&self) -> bool {
        self.dollars.is_some() || self.minutes.is_some() || self.tokens.is_some()
    }

    /// The limits given as flags, and the current ones for the rest.
    fn over(&self, now: Budget) -> Budget {
        let millis = self.minutes.map(|minutes| minutes.saturating_mul(MILLIS_PER_MINUTE));
        Budget {
            micro_dollars: self.dollars.or(now.micro_dollars),
            tokens: self.tokens.or(now.tokens),
            millis: millis.or(now.millis),
        }
    }
}

fn tell(
    id: &TaskId,
    (task, head): (&Task, Head),
    names: &TaskNames,
    output: &mut Output,
) -> CliResult {
    let bill = cost_report::bill(task);
    let question = OpenQuestion::of(task);
    if output.format == Format::Json {
        let wire::CostReport { roles, all, budget, gates, engine_turns } = bill.into();
        return output.json(&BudgetReport {
            task: id.into(),
            status: task.status().into(),
            phase: task.phase().map(Into::into),
            head: head.into(),
            roles,
            all,
            budget,
            gates,
            engine_turns,
            question: question.map(Into::into),
        });
    }
    let phase = status::phase(task.phase());
    output.line(&format!("{id} is {}{phase}", status::name(task.status())))?;
    for line in bill.lines() {
        output.line(&format!("  {}", sanitize(&line)))?;
    }
    for line in login::windows()? {
        output.line(&format!("  {line}"))?;
    }
    if let Some(question) = question {
        output.line(&format!("? {}", sanitize(&question.plain())))?;
        inbox::commands(task, names, output)?;
    }
    Ok(())
}

/// Parses dollars with whole cents, without rounding.
pub(crate) fn micro_dollars(text: &str) -> Result<u64, String> {
    let wrong = || format!("an amount from 0.01 to {DOLLARS_MAX} with at most two decimals");
    let (whole, cents) = text.split_once('.').unwrap_or((text, "0"));
    let is_plain =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    if !is_plain(whole) || !is_plain(cents) || whole.len() > 7 || cents.len() > 2 {
        return Err(wrong());
    }
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
    // `0.5` is fifty cents.
    let cents = number(cents)? * if cents.len() == 1 { 10 } else { 1 };
    let all = number(whole)? * 100 + cents;
    if (1..=DOLLARS_MAX * 100).contains(&all) {
        Ok(all * MICRO_DOLLARS_PER_CENT)
    } else {
        Err(wrong())
    }
}

const MICRO_DOLLARS_PER_CENT: u64 = 10_000;
const MILLIS_PER_MINUTE: u64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_whole_cents() {
        let read = |text: &str| micro_dollars(text).ok();
        assert_eq!(read("5"), Some(5_000_000));
        assert_eq!(read("0.29"), Some(290_000));
        assert_eq!(read("0.5"), Some(500_000));
        assert_eq!(read("1000000.00"), Some(1_000_000_000_000));
        for bad in ["", "0", "0.00", "-1", "1.234", ".5", "5.", "1e3", "$5", "1000000.01", "٥"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}

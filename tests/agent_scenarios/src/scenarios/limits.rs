//! Scenarios with cancellation and budgets.

use anyhow::Result;
use sealwright_agents::{Budget, End, Limit};
use sealwright_scripted_model::{Action, Fault, Strike, Times};

use super::work::{script, with};
use super::{Verdict, summary};
use crate::route::Route;
use crate::runner::{RunSpec, execute, processes_with};

pub(super) fn cancelled(route: &Route) -> Result<Verdict> {
    // A duration that no other process sleeps for. A child in its own session must be killed too.
    let word = format!("98{}", std::process::id() % 100_000 + number(route));
    let sleep = Action::Run { command: format!("setsid sleep {word} & sleep {word}") };
    let mut spec = RunSpec::of(script(route, [sleep]));
    spec.cancel_at = Some(&word);
    let seen = execute(route, spec)?;
    let left = processes_with(&word);
    Ok(Verdict::all(
        format!("{}, {left} processes left", summary(&seen.outcome)),
        &[
            ("the call was cancelled", seen.outcome.end == End::Cancelled),
            ("no process is left", left == 0),
            ("it did not take long", seen.took.as_secs() < 60),
        ],
    ))
}

pub(super) fn turns(route: &Route) -> Result<Verdict> {
    let steps = (0..8).map(|nth| Action::Run { command: format!("echo {nth} >> turns.txt") });
    let mut spec = RunSpec::of(script(route, steps));
    spec.budget.turns_max = Some(2);
    let seen = execute(route, spec)?;
    let taken = seen.files.get("turns.txt").map_or(0, |text| text.lines().count());
    Ok(Verdict::all(
        format!("{} after {} turns", summary(&seen.outcome), seen.outcome.spent.turns),
        &[
            ("it ran out of turns", seen.outcome.end == End::OutOfBudget { limit: Limit::Turns }),
            ("the third request was refused", taken <= 2 && seen.outcome.spent.turns == 2),
        ],
    ))
}

pub(super) fn tokens(route: &Route) -> Result<Verdict> {
    let steps = (0..30).map(|nth| Action::Run { command: format!("echo {nth} >> turns.txt") });
    let mut spec = RunSpec::of(script(route, steps));
    spec.budget.tokens_max = Some(20_000);
    let seen = execute(route, spec)?;
    Ok(Verdict::all(
        format!("{} after {} turns", summary(&seen.outcome), seen.outcome.spent.turns),
        &[("it ran out of tokens", seen.outcome.end == End::OutOfBudget { limit: Limit::Tokens })],
    ))
}

pub(super) fn minutes(route: &Route) -> Result<Verdict> {
    let strike =
        Strike { fault: Fault::Slow { before_ms: 120_000, between_ms: 0 }, times: Times::Always };
    let mut spec = RunSpec::of(with(route, Some(strike)));
    spec.budget = Budget { wall_ms_max: 8_000, ..Budget::default() };
    let seen = execute(route, spec)?;
    Ok(Verdict::all(
        format!("{} after {:.0} s", summary(&seen.outcome), seen.took.as_secs_f64()),
        &[
            ("it ran out of time", seen.outcome.end == End::OutOfBudget { limit: Limit::Minutes }),
            ("it was stopped at once", seen.took.as_secs() < 20),
        ],
    ))
}

/// A number per route, so that parallel routes do not count each other's processes.
fn number(route: &Route) -> u32 {
    route.key.bytes().map(u32::from).sum::<u32>() * 100_000
}

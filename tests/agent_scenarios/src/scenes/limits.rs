//! Scenes that are cut short from outside.

use anyhow::Result;
use sealwright_agents::{Budget, End, Limit};
use sealwright_scripted_model::{Action, Fault, Strike, Times};

use super::work::{script, with};
use super::{Verdict, told};
use crate::route::Route;
use crate::theatre::{Act, perform, processes_with};

pub(super) fn cancelled(route: &Route) -> Result<Verdict> {
    // A number nobody else sleeps for; a child in a session of its own must go as well.
    let word = format!("98{}", std::process::id() % 100_000 + number(route));
    let sleep = Action::Run { command: format!("setsid sleep {word} & sleep {word}") };
    let mut act = Act::of(script(route, [sleep]));
    act.cancel_at = Some(&word);
    let seen = perform(route, act)?;
    let left = processes_with(&word);
    Ok(Verdict::all(
        format!("{}, {left} processes left", told(&seen.outcome)),
        &[
            ("it was called off", seen.outcome.end == End::Cancelled),
            ("no process is left", left == 0),
            ("it did not take long", seen.took.as_secs() < 60),
        ],
    ))
}

pub(super) fn turns(route: &Route) -> Result<Verdict> {
    let steps = (0..8).map(|nth| Action::Run { command: format!("echo {nth} >> turns.txt") });
    let mut act = Act::of(script(route, steps));
    act.budget.turns_max = Some(2);
    let seen = perform(route, act)?;
    let taken = seen.files.get("turns.txt").map_or(0, |text| text.lines().count());
    Ok(Verdict::all(
        format!("{} after {} turns", told(&seen.outcome), seen.outcome.spent.turns),
        &[
            ("it ran out of turns", seen.outcome.end == End::OutOfBudget { limit: Limit::Turns }),
            ("the third question was not let through", taken <= 2 && seen.outcome.spent.turns == 2),
        ],
    ))
}

pub(super) fn tokens(route: &Route) -> Result<Verdict> {
    let steps = (0..30).map(|nth| Action::Run { command: format!("echo {nth} >> turns.txt") });
    let mut act = Act::of(script(route, steps));
    act.budget.tokens_max = Some(20_000);
    let seen = perform(route, act)?;
    Ok(Verdict::all(
        format!("{} after {} turns", told(&seen.outcome), seen.outcome.spent.turns),
        &[("it ran out of tokens", seen.outcome.end == End::OutOfBudget { limit: Limit::Tokens })],
    ))
}

pub(super) fn minutes(route: &Route) -> Result<Verdict> {
    let strike =
        Strike { fault: Fault::Slow { before_ms: 120_000, between_ms: 0 }, times: Times::Always };
    let mut act = Act::of(with(route, Some(strike)));
    act.budget = Budget { wall_ms_max: 8_000, ..Budget::default() };
    let seen = perform(route, act)?;
    Ok(Verdict::all(
        format!("{} after {:.0} s", told(&seen.outcome), seen.took.as_secs_f64()),
        &[
            ("it ran out of time", seen.outcome.end == End::OutOfBudget { limit: Limit::Minutes }),
            ("it was stopped at once", seen.took.as_secs() < 20),
        ],
    ))
}

/// A number of the route's own, so that two of them do not look for one another's processes.
fn number(route: &Route) -> u32 {
    route.key.bytes().map(u32::from).sum::<u32>() * 100_000
}

//! Scenarios in which the model fails.

use anyhow::Result;
use sealwright_agents::{End, Failure, Limit};
use sealwright_scripted_model::{Fault, Strike, Times};

use super::work::{is_answered, with};
use super::{Verdict, summary};
use crate::route::Route;
use crate::runner::{RunResult, RunSpec, execute};

pub(super) fn rate_limited(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::RateLimited { retry_after_s: 60 }, Times::Always)?;
    let is_parked = matches!(seen.outcome.end, End::RateLimited { retry_after_s: Some(60) });
    Ok(Verdict::all(summary(&seen.outcome), &[("parked for the requested time", is_parked)]))
}

pub(super) fn rate_limited_once(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::RateLimited { retry_after_s: 1 }, Times::First(1))?;
    Ok(recovers(&seen, |end| matches!(end, End::RateLimited { retry_after_s: Some(1) })))
}

pub(super) fn server_error(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::ServerError, Times::Always)?;
    Ok(fails(&seen, &[Failure::Unreachable]))
}

pub(super) fn server_error_once(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::ServerError, Times::First(1))?;
    Ok(recovers(&seen, |end| has_failed(end, &[Failure::Unreachable])))
}

pub(super) fn cut_stream(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::CutStream, Times::Always)?;
    Ok(fails(&seen, &[Failure::Unreachable, Failure::BadStream]))
}

pub(super) fn slow(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Slow { before_ms: 1500, between_ms: 100 }, Times::Always)?;
    Ok(Verdict::all(summary(&seen.outcome), &[("the call is answered", is_answered(&seen))]))
}

pub(super) fn malformed(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Malformed, Times::Always)?;
    Ok(fails(
        &seen,
        &[Failure::BadStream, Failure::Unreachable, Failure::WrongShape, Failure::Died],
    ))
}

pub(super) fn wrong_shape(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::WrongSchema, Times::Always)?;
    // An agent that checks the schema itself runs out of turns before it calls the tool server.
    let is_spent = seen.outcome.end == End::OutOfBudget { limit: Limit::Turns };
    let is_right = has_failed(&seen.outcome.end, &[Failure::WrongShape]) || is_spent;
    Ok(Verdict::all(summary(&seen.outcome), &[("the end is the expected one", is_right)]))
}

pub(super) fn refusal(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Refusal, Times::Always)?;
    // Some agents ignore a refusal and ask again until they give up.
    Ok(fails(&seen, &[Failure::Refused, Failure::BadStream]))
}

pub(super) fn truncated(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Truncated, Times::Always)?;
    Ok(fails(&seen, &[Failure::Truncated]))
}

pub(super) fn unauthorised(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Unauthorised, Times::Always)?;
    Ok(fails(&seen, &[Failure::Unauthorised]))
}

fn struck(route: &Route, fault: Fault, times: Times) -> Result<RunResult> {
    execute(route, RunSpec::of(with(route, Some(Strike { fault, times }))))
}

/// Passes if the call ended in one of these failures, or the agent gave up.
fn fails(seen: &RunResult, expected: &[Failure]) -> Verdict {
    let is_right =
        has_failed(&seen.outcome.end, expected) || matches!(seen.outcome.end, End::GaveUp { .. });
    Verdict::all(summary(&seen.outcome), &[("the end is the expected one", is_right)])
}

/// Passes if the call was answered, or ended in the named failure.
fn recovers(seen: &RunResult, named: impl Fn(&End) -> bool) -> Verdict {
    let is_right = is_answered(seen) || named(&seen.outcome.end);
    Verdict::all(summary(&seen.outcome), &[("it continued, or reported the failure", is_right)])
}

fn has_failed(end: &End, expected: &[Failure]) -> bool {
    matches!(end, End::Failed { failure, .. } if expected.contains(failure))
}

//! Scenes in which something goes wrong with the model.

use anyhow::Result;
use sealwright_agents::{End, Failure, Limit};
use sealwright_scripted_model::{Fault, Strike, Times};

use super::work::{is_answered, with};
use super::{Verdict, told};
use crate::route::Route;
use crate::theatre::{Act, Performance, perform};

pub(super) fn rate_limited(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::RateLimited { retry_after_s: 60 }, Times::Always)?;
    let is_parked = matches!(seen.outcome.end, End::RateLimited { retry_after_s: Some(60) });
    Ok(Verdict::all(told(&seen.outcome), &[("it is parked for as long as was asked", is_parked)]))
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
    Ok(Verdict::all(told(&seen.outcome), &[("it is answered", is_answered(&seen))]))
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
    // Who looks at the shape itself is out of turns before the tool server hears of it.
    let is_spent = seen.outcome.end == End::OutOfBudget { limit: Limit::Turns };
    let is_right = has_failed(&seen.outcome.end, &[Failure::WrongShape]) || is_spent;
    Ok(Verdict::all(told(&seen.outcome), &[("it ended as it should", is_right)]))
}

pub(super) fn refusal(route: &Route) -> Result<Verdict> {
    let seen = struck(route, Fault::Refusal, Times::Always)?;
    // Some make nothing of a refusal and ask again until they are sent home.
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

fn struck(route: &Route, fault: Fault, times: Times) -> Result<Performance> {
    perform(route, Act::of(with(route, Some(Strike { fault, times }))))
}

/// It ended in one of these failures, or gave up in words of its own; and nothing passed for an answer.
fn fails(seen: &Performance, expected: &[Failure]) -> Verdict {
    let is_right =
        has_failed(&seen.outcome.end, expected) || matches!(seen.outcome.end, End::GaveUp { .. });
    Verdict::all(told(&seen.outcome), &[("it ended as it should", is_right)])
}

/// It went on to its answer, or named what it could not get over.
fn recovers(seen: &Performance, named: impl Fn(&End) -> bool) -> Verdict {
    let is_right = is_answered(seen) || named(&seen.outcome.end);
    Verdict::all(told(&seen.outcome), &[("it went on, or said why not", is_right)])
}

fn has_failed(end: &End, expected: &[Failure]) -> bool {
    matches!(end, End::Failed { failure, .. } if expected.contains(failure))
}

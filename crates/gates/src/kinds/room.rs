//! Rooms: what was found in a clean room, put on the scales, as far as it is the same for every language.

use sealwright_kernel::Cheat;

use crate::kinds::Setting;
use crate::kinds::scales::Scales;
use crate::reports::short;
use crate::{Canary, Ended, Judgement, Room, Step, Toolchain, Visited};

/// The first step of every gate that visits a room.
pub(crate) fn visit(setting: &Setting, toolchain: Toolchain) -> Step {
    match setting.tests.is_empty() {
        true => Step::Say(Judgement::cannot_tell(
            "no test file is frozen, so there is nothing to run in a clean room",
        )),
        false => Step::Visit(Room {
            toolchain,
            tests: setting.tests.clone(),
            timeout_s: setting.timeout_s,
        }),
    }
}

/// Traces of cheating, and how the build ended.
pub(crate) fn weigh(scales: &mut Scales, visited: &Visited) {
    let has_canary_passed = matches!(visited.canary, Canary::Passed { .. });
    for (place, what) in &visited.tampering {
        // A room tells of a canary in both places; it is one cheat.
        if has_canary_passed && what.starts_with("the canary passed") {
            continue;
        }
        let what = format!("{}: {}", short(place), short(what));
        scales.against(format!("somebody tried to decide how the tests end: {what}"));
        scales.cheat(Cheat::RedTestChanged, what);
    }
    if let Canary::Passed { what } = &visited.canary {
        let what = short(what);
        scales.against(format!(
            "a test that must fail did not, so no test here proves anything: {what}"
        ));
        scales.cheat(Cheat::VacuousAsserts, format!("the canary passed: {what}"));
    }
    if let Some(build) = &visited.build {
        scales.ended("the build", build);
        if build.ended != Ended::Exited(0) {
            let said = build.stderr.text();
            let errors = said.lines().filter(|line| line.starts_with("error"));
            for error in errors.take(ERRORS_MAX) {
                scales.against(short(error));
            }
        }
    }
}

/// What is left to be said once the runs are on the scales.
pub(crate) fn conclude(scales: &mut Scales, visited: &Visited) {
    if visited.runs.is_empty() && is_built(visited) {
        scales.unclear("nothing was run in the clean room");
    }
    // Where everything else holds, the canary has to have been tried.
    if visited.canary == Canary::NotNeeded && scales.is_empty() {
        scales.unclear("no test that must fail was tried, so nobody knows whether the others can");
    }
}

/// Whether there is something that tests could be run on.
pub(crate) fn is_built(visited: &Visited) -> bool {
    visited.build.as_ref().is_none_or(|build| build.ended == Ended::Exited(0))
}

const ERRORS_MAX: usize = 10;

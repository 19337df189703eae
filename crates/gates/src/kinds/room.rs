//! Rooms: what was found in a clean room, put on the scales, as far as it is the same for every language.

use sealwright_kernel::Cheat;

use crate::kinds::scales::Scales;
use crate::kinds::{Expected, Known, Setting};
use crate::reports::short;
use crate::{Canary, Ended, Judgement, Room, Step, Toolchain, Visited};

/// The first step of a gate of this kind: it visits the clean room of its language.
pub(crate) fn visit(kind: &str, setting: &Setting) -> Step {
    let cannot_tell = |why: &str| Step::Say(Judgement::cannot_tell(why));
    let Some(toolchain) = Toolchain::of_room(kind) else {
        return cannot_tell("no language has a clean room for this kind of check");
    };
    if setting.tests.is_empty() {
        return cannot_tell("no test file is frozen, so there is nothing to run in a clean room");
    }
    Step::Visit(Room {
        toolchain,
        tests: setting.tests.clone(),
        known_failing: setting.expected.known_failing(),
        timeout_s: setting.timeout_s,
    })
}

/// Traces of cheating, and how the build ended.
pub(crate) fn weigh(scales: &mut Scales, kind: &str, visited: &Visited) {
    let has_canary_passed = matches!(visited.canary, Canary::Passed { .. });
    for (place, what) in &visited.tampering {
        // A room tells of a canary in both places; it is one cheat.
        if has_canary_passed && what.starts_with("the canary passed") {
            continue;
        }
        let what = format!("{}: {}", short(place), short(what));
        scales.against(format!("tampering with how the tests end: {what}"));
        scales.cheat(Cheat::RedTestChanged, what);
    }
    if let Canary::Passed { what } = &visited.canary {
        let what = short(what);
        scales.against(format!("the canary passed, so no test here proves anything: {what}"));
        scales.cheat(Cheat::VacuousAsserts, format!("the canary passed: {what}"));
    }
    if let Some(build) = &visited.build {
        scales.ended("the build", build);
        if build.ended != Ended::Exited(0) {
            let said = build.stdout.text();
            let told = Toolchain::of_room(kind).map(|it| it.language().build_errors(&said));
            let printed = build.stderr.text();
            let printed = printed.lines().filter(|line| line.starts_with("error"));
            let errors = told.into_iter().flatten().chain(printed.map(str::to_owned));
            for error in errors.take(ERRORS_MAX) {
                scales.against(short(&error));
            }
        }
    }
}

/// Weighs the room itself, after its runs.
pub(crate) fn conclude(scales: &mut Scales, visited: &Visited, expected: &Expected) {
    let left_out = visited.left_out.iter();
    let left_out =
        left_out.map(|file| format!("{file}, which the project's configuration leaves out"));
    scales.not_run(left_out.chain(visited.not_run.iter().cloned()));
    if visited.runs.is_empty() && is_built(visited) {
        scales.unclear("nothing was run in the clean room");
    }
    if let Canary::Unseen { what } = &visited.canary {
        scales.unclear(format!("whether a test can fail here is unknown: {}", short(what)));
    }
    // Where everything else holds, the canary has to have been tried.
    let is_needed = expected.known != Known::Any;
    if visited.canary == Canary::NotNeeded && is_needed && scales.is_empty() {
        scales.unclear("the canary was not run, so it is unknown whether a test can fail here");
    }
}

/// Whether there is something that tests could be run on.
pub(crate) fn is_built(visited: &Visited) -> bool {
    visited.build.as_ref().is_none_or(|build| build.ended == Ended::Exited(0))
}

const ERRORS_MAX: usize = 10;

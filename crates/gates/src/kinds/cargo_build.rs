//! Gate `cargo-build`: everything compiles, and cargo says what it made.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::cargo_messages::{self, Finished};
use crate::reports::whole;
use crate::{Ended, Ran, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "cargo-build",
    proves: "every target compiles from the lock file, without a network",
    needs: "cargo and the locked packages",
    takes: &[(Key::Command, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => {
            let mut argv = setting.command_or(&DEFAULT);
            argv.push("--message-format=json".to_owned());
            setting.run_reporting(argv, &[("CARGO_TERM_COLOR", "never")], Vec::new())
        }
        [Seen::Ran(ran)] => judge(ran),
        _ => no_answer(seen),
    }
}

fn judge(ran: &Ran) -> Step {
    let mut scales = Scales::default();
    scales.ended("the build", ran);
    let build = match whole(Some(&ran.stdout)).and_then(cargo_messages::read) {
        Ok(build) => build,
        Err(error) => {
            scales.unclear(format!("cargo: {error}"));
            return scales.say();
        }
    };
    for error in &build.errors {
        scales.against(error.clone());
    }
    match (build.finished, ran.ended) {
        (Finished::Well, _) if build.artifacts == 0 => {
            scales.unclear("cargo says that it made nothing")
        }
        (Finished::Well, Ended::Exited(0)) => {}
        (Finished::Badly, Ended::Exited(0)) => {
            scales.against("the build exited with 0, and cargo says that it failed");
        }
        (Finished::Unsaid, _) => scales.unclear("cargo does not say how the build ended"),
        // That it did not exit with 0 is on the scales already.
        (Finished::Well | Finished::Badly, _) => {}
    }
    scales.say()
}

const DEFAULT: [&str; 6] =
    ["cargo", "build", "--workspace", "--all-targets", "--locked", "--offline"];

#[cfg(test)]
mod tests;

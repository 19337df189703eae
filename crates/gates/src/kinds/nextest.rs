//! Gate `nextest`: Rust tests run by cargo-nextest, believed by the events it prints and how it ends.

use crate::kinds::scales::no_answer;
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::{libtest_json, whole};
use crate::{Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "nextest",
    proves: "every expected Rust test ran under cargo-nextest and passed the first time",
    needs: "cargo-nextest and the locked packages",
    takes: &[(Key::Command, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => {
            let as_json = ("NEXTEST_EXPERIMENTAL_LIBTEST_JSON", "1");
            setting.run_reporting(argv(setting), &[as_json], Vec::new())
        }
        [Seen::Ran(ran)] => {
            let report = whole(Some(&ran.stdout)).and_then(libtest_json::read);
            Runs::judge_one("nextest", ran, report, &setting.expected)
        }
        _ => no_answer(seen),
    }
}

/// Ours come last, but before what is handed to the tests.
fn argv(setting: &Setting) -> Vec<String> {
    let mut argv = setting.command_or(&DEFAULT);
    let at = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    argv.splice(at..at, OURS.into_iter().map(str::to_owned));
    argv
}

const DEFAULT: [&str; 5] = ["cargo", "nextest", "run", "--workspace", "--offline"];
/// All tests are run, none of them twice: what passes at the second attempt has failed.
const OURS: [&str; 5] =
    ["--no-fail-fast", "--retries", "0", "--message-format", "libtest-json-plus"];

#[cfg(test)]
mod tests;

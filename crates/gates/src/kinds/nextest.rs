//! Gate `nextest`: Rust tests run by cargo-nextest, believed by the events it prints and how it ends.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::{libtest_json, whole};
use crate::{Command, Gate, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "nextest",
    proves: "every expected Rust test ran under cargo-nextest and passed the first time",
    needs: "cargo-nextest and the locked packages",
    takes: &[(Key::Command, Demand::Optional)],
    make: |setting| Box::new(Nextest { setting }),
};

#[derive(Debug)]
struct Nextest {
    setting: Setting,
}

impl Gate for Nextest {
    fn next(&self, seen: &[Seen]) -> Step {
        match seen {
            [] => Step::Run(Command {
                argv: self.argv(),
                environment: vec![("NEXTEST_EXPERIMENTAL_LIBTEST_JSON".to_owned(), "1".to_owned())],
                reports: Vec::new(),
                timeout_s: self.setting.timeout_s,
            }),
            [Seen::Ran(ran)] => {
                let mut scales = Scales::default();
                let report = whole(Some(&ran.stdout)).and_then(libtest_json::read);
                let mut runs = Runs::default();
                runs.add(&mut scales, "nextest", ran, report);
                runs.conclude(&mut scales, &self.setting.expected);
                scales.say()
            }
            _ => no_answer(seen),
        }
    }
}

impl Nextest {
    /// Ours come last, but before what is handed to the tests.
    fn argv(&self) -> Vec<String> {
        let mut argv = self.setting.command_or(&DEFAULT);
        let at = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
        argv.splice(at..at, OURS.into_iter().map(str::to_owned));
        argv
    }
}

const DEFAULT: [&str; 5] = ["cargo", "nextest", "run", "--workspace", "--offline"];
/// All tests are run, none of them twice: what passes at the second attempt has failed.
const OURS: [&str; 5] =
    ["--no-fail-fast", "--retries", "0", "--message-format", "libtest-json-plus"];

#[cfg(test)]
mod tests;

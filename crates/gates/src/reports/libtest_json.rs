//! What libtest prints for programs, and nextest in the same words: one JSON event on each line.
//!
//! Suites may run side by side, so an event is held against the suite it names. A name like `shop::acceptance$adds` is
//! nextest's: package, executable, test.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::reports::{Tests, Unreadable, bounded, short};
use crate::{Status, TestId, TestResult};

pub fn read(bytes: &[u8]) -> Result<Tests, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::malformed("it is not UTF-8"))?;
    let mut reading = Reading::default();
    for (nth, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let event: Event = serde_json::from_str(line)
            .map_err(|error| Unreadable::malformed(format!("line {}: {error}", nth + 1)))?;
        reading.event(event)?;
    }
    reading.end()
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    about: String,
    event: String,
    #[serde(default)]
    name: String,
    test_count: Option<u64>,
    passed: Option<u64>,
    failed: Option<u64>,
    ignored: Option<u64>,
    measured: Option<u64>,
    filtered_out: Option<u64>,
    exec_time: Option<f64>,
    message: Option<String>,
    reason: Option<String>,
    stdout: Option<String>,
    nextest: Option<Nextest>,
}

#[derive(Deserialize)]
struct Nextest {
    #[serde(rename = "crate")]
    package: String,
    test_binary: String,
}

#[derive(Default)]
struct Reading {
    tests: Tests,
    suites: BTreeMap<String, Suite>,
    /// Which suite events without a name of their own belong to, and how many there have been.
    current: String,
    nameless: usize,
}

/// A suite. nextest takes one up again where a test was left out, so it may end more than once.
#[derive(Default)]
struct Suite {
    announced: u64,
    seen: Counts,
    told: Counts,
    /// What the first end of it says was filtered out. Later ends count what had run before.
    filtered: Option<u64>,
    is_open: bool,
}

#[derive(Default)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Reading {
    fn event(&mut self, event: Event) -> Result<(), Unreadable> {
        match (event.about.as_str(), event.event.as_str()) {
            ("suite", "started") => self.begin(&event),
            ("suite", "ok" | "failed") => self.conclude(&event),
            // A test that runs long is told of while it runs.
            ("test", "started" | "timeout") => Ok(()),
            ("test", "ok") => self.found(&event, Status::Passed),
            ("test", "failed") => {
                let why = event
                    .stdout
                    .as_deref()
                    .or(event.message.as_deref())
                    .or(event.reason.as_deref());
                self.found(&event, Status::Failed { why: short(why.unwrap_or_default()) })
            }
            ("test", "ignored") => {
                let why = short(event.message.as_deref().unwrap_or_default());
                self.found(&event, Status::Skipped { why })
            }
            ("bench", _) => self.found(&event, Status::Passed),
            ("report", _) => Ok(()),
            (about, ended) => {
                let what = format!("unknown event `{}` of a `{}`", short(ended), short(about));
                Err(Unreadable::malformed(what))
            }
        }
    }

    fn begin(&mut self, event: &Event) -> Result<(), Unreadable> {
        let announced =
            event.test_count.ok_or_else(|| Unreadable::malformed("a suite announces no tests"))?;
        let key = match &event.nextest {
            Some(nextest) => nextest.suite(),
            None => {
                self.nameless += 1;
                format!("suite {}", self.nameless)
            }
        };
        bounded(self.suites.len() + 1)?;
        self.current.clone_from(&key);
        let is_nextest = event.nextest.is_some();
        let suite = self.suites.entry(key.clone()).or_default();
        let is_again = suite.filtered.is_some();
        if suite.is_open || (is_again && (!is_nextest || suite.announced != announced)) {
            self.tests.odd.push(format!("`{}` began twice", short(&key)));
        }
        suite.announced = announced;
        suite.is_open = true;
        Ok(())
    }

    fn conclude(&mut self, event: &Event) -> Result<(), Unreadable> {
        let key = event.nextest.as_ref().map_or_else(|| self.current.clone(), Nextest::suite);
        let Some(suite) = self.suites.get_mut(&key).filter(|suite| suite.is_open) else {
            return Err(Unreadable::malformed(format!("`{}` ends and had not begun", short(&key))));
        };
        let counted = |count: Option<u64>| {
            count.ok_or_else(|| Unreadable::malformed("a suite ends without its counts"))
        };
        let passed = counted(event.passed)?.saturating_add(event.measured.unwrap_or(0));
        let (failed, ignored) = (counted(event.failed)?, counted(event.ignored)?);
        suite.is_open = false;
        suite.told.passed = suite.told.passed.saturating_add(passed);
        suite.told.failed = suite.told.failed.saturating_add(failed);
        // Every end of it counts the same tests that were left out.
        suite.told.ignored = suite.told.ignored.max(ignored);
        suite.filtered.get_or_insert(event.filtered_out.unwrap_or(0));
        if (event.event == "failed") != (failed > 0) {
            self.tests.odd.push(format!(
                "`{}` ends {} with {failed} failed",
                short(&key),
                event.event
            ));
        }
        Ok(())
    }

    fn found(&mut self, event: &Event, status: Status) -> Result<(), Unreadable> {
        bounded(self.tests.results.len() + 1)?;
        if event.name.trim().is_empty() {
            return Err(Unreadable::malformed("a test has no name"));
        }
        let (key, name) = match event.name.split_once('$') {
            Some((suite, name)) => (suite.to_owned(), name),
            None => (self.current.clone(), event.name.as_str()),
        };
        let Some(suite) = self.suites.get_mut(&key).filter(|suite| suite.is_open) else {
            let what = format!("`{}` stands outside of its suite", short(&event.name));
            return Err(Unreadable::malformed(what));
        };
        match &status {
            Status::Passed => suite.seen.passed += 1,
            Status::Failed { .. } | Status::Broken { .. } => suite.seen.failed += 1,
            Status::Skipped { .. } => suite.seen.ignored += 1,
        }
        let millis = event.exec_time.filter(|time| (0.0..1e9).contains(time));
        let millis = millis.map(|time| (time * 1000.0) as u64);
        let id = TestId { suite: short(&key), name: short(name) };
        self.tests.results.push(TestResult { id, status, millis });
        Ok(())
    }

    fn end(mut self) -> Result<Tests, Unreadable> {
        if self.suites.is_empty() {
            return Err(Unreadable::malformed("there is no suite in it"));
        }
        for (name, suite) in &self.suites {
            if suite.is_open {
                let what = format!("it ends before `{}` does", short(name));
                return Err(Unreadable::malformed(what));
            }
            self.tests.odd.extend(suite.contradictions(&short(name)));
        }
        Ok(self.tests)
    }
}

impl Suite {
    fn contradictions(&self, name: &str) -> Vec<String> {
        let Counts { passed, failed, ignored } = self.seen;
        let pairs = [
            ("tests", self.announced, passed + failed + ignored),
            ("passed", self.told.passed, passed),
            ("failed", self.told.failed, failed),
            ("ignored", self.told.ignored, ignored),
        ];
        let differs = |(what, counted, seen): (&str, u64, u64)| {
            (counted != seen).then(|| format!("`{name}` counts {counted} {what} and lists {seen}"))
        };
        let mut odd: Vec<String> = pairs.into_iter().filter_map(differs).collect();
        if let Some(filtered) = self.filtered.filter(|count| *count > 0) {
            odd.push(format!("{filtered} tests of `{name}` were filtered out"));
        }
        odd
    }
}

impl Nextest {
    fn suite(&self) -> String {
        format!("{}::{}", self.package, self.test_binary)
    }
}

#[cfg(test)]
mod tests;

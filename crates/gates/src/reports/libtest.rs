//! What a Rust test executable prints for people: a line for each test, and a count at the end.
//!
//! Tests may write between the lines, past the harness. So a line is looked for wherever it ends up, and what was
//! found has to agree with both counts, the one at the beginning and the one at the end.

use std::collections::BTreeMap;

use crate::reports::{Tests, Unreadable, bounded, short};
use crate::{Status, TestId, TestResult};

/// Reads what one executable printed. `suite` is what the executable goes by.
pub fn read(suite: &str, bytes: &[u8]) -> Result<Tests, Unreadable> {
    read_without(suite, 0, bytes)
}

/// The same for a run without so many tests, which were left out on purpose.
pub fn read_without(suite: &str, left_out: u64, bytes: &[u8]) -> Result<Tests, Unreadable> {
    let text = String::from_utf8_lossy(bytes);
    let mut reading = Reading { suite, left_out, ..Reading::default() };
    for line in text.lines() {
        reading.line(line)?;
    }
    reading.end()
}

#[derive(Default)]
struct Reading<'r> {
    suite: &'r str,
    left_out: u64,
    announced: Option<u64>,
    concluded: Option<Conclusion>,
    results: Vec<TestResult>,
    odd: Vec<String>,
    /// A test whose line was torn: how it ended stands further down.
    torn: Option<String>,
    /// The test whose output is being printed.
    telling: Option<String>,
    told: BTreeMap<String, String>,
}

/// What the last line counts.
struct Conclusion {
    word: String,
    counts: BTreeMap<String, u64>,
}

impl Reading<'_> {
    fn line(&mut self, line: &str) -> Result<(), Unreadable> {
        let line = line.trim_end();
        if let Some(count) = announced(line) {
            if self.announced.replace(count).is_some() {
                self.odd.push("the tests are announced twice".to_owned());
            }
        } else if let Some(conclusion) =
            line.find(CONCLUSION).and_then(|at| conclusion(&line[at..]))
        {
            self.torn = None;
            if self.concluded.replace(conclusion).is_some() {
                self.odd.push("the result is told twice".to_owned());
            }
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----"))
        {
            self.telling = Some(name.to_owned());
        } else if line == "failures:" {
            self.telling = None;
        } else if let Some((name, ended)) = test_line(line) {
            match status(ended) {
                Some(status) => self.found(name, status)?,
                None => self.torn = Some(name.to_owned()),
            }
        } else if let (Some(status), Some(name)) =
            (status(line), self.torn.take_if(|_| is_word(line)))
        {
            self.found(&name, status)?;
        } else if let Some(name) = &self.telling
            && self.told.len() < TOLD_MAX
        {
            let told = self.told.entry(name.clone()).or_default();
            if told.len() < TOLD_BYTES_MAX {
                told.push_str(line);
                told.push('\n');
            }
        }
        Ok(())
    }

    fn found(&mut self, name: &str, status: Status) -> Result<(), Unreadable> {
        bounded(self.results.len() + 1)?;
        // How it is expected to end is no part of its name.
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        let id = TestId { suite: self.suite.to_owned(), name: short(name) };
        self.results.push(TestResult { id, status, millis: None });
        Ok(())
    }

    fn end(mut self) -> Result<Tests, Unreadable> {
        let (Some(announced), Some(concluded)) = (self.announced, &self.concluded) else {
            return Err(Unreadable::malformed(match self.announced {
                None => "no tests are announced in it",
                Some(_) => "it ends before the tests do",
            }));
        };
        let count = |name: &str| concluded.counts.get(name).copied().unwrap_or(0);
        let seen = |is: fn(&Status) -> bool| {
            self.results.iter().filter(|result| is(&result.status)).count() as u64
        };
        let passed = seen(|status| matches!(status, Status::Passed));
        let failed = seen(|status| matches!(status, Status::Failed { .. } | Status::Broken { .. }));
        let ignored = seen(|status| matches!(status, Status::Skipped { .. }));
        let pairs = [
            ("tests", announced, self.results.len() as u64),
            ("passed", count("passed") + count("measured"), passed),
            ("failed", count("failed"), failed),
            ("ignored", count("ignored"), ignored),
        ];
        for (what, counted, seen) in pairs {
            if counted != seen {
                self.odd.push(format!("`{}` counts {counted} {what} and lists {seen}", self.suite));
            }
        }
        if (concluded.word == "ok") != (count("failed") == 0) {
            self.odd.push(format!(
                "`{}` says {} with {} failed",
                self.suite,
                concluded.word,
                count("failed")
            ));
        }
        let filtered = count("filtered out").saturating_sub(self.left_out);
        if filtered > 0 {
            self.odd.push(format!("{filtered} tests of `{}` were filtered out", self.suite));
        }
        for result in &mut self.results {
            if let (Status::Failed { why }, Some(told)) =
                (&mut result.status, self.told.get(&result.id.name))
            {
                *why = short(told);
            }
        }
        Ok(Tests { results: self.results, odd: self.odd })
    }
}

/// `running 3 tests`
fn announced(line: &str) -> Option<u64> {
    let rest = line.get(line.find("running ")?..)?.strip_prefix("running ")?;
    let count = rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"))?;
    count.parse().ok()
}

/// `test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn conclusion(line: &str) -> Option<Conclusion> {
    let (word, counts) = line.strip_prefix(CONCLUSION)?.split_once(". ")?;
    let mut found = BTreeMap::new();
    for part in counts.split("; ") {
        if let Some((count, what)) = part.split_once(' ')
            && let Ok(count) = count.parse()
        {
            found.insert(what.to_owned(), count);
        }
    }
    let is_whole = COUNTED.iter().all(|what| found.contains_key(*what));
    let is_known = matches!(word, "ok" | "FAILED");
    (is_whole && is_known).then(|| Conclusion { word: word.to_owned(), counts: found })
}

/// The name of a test and what follows it. Something printed without a line's end may stand before it.
fn test_line(line: &str) -> Option<(&str, &str)> {
    let (before, ended) = match line.strip_suffix(" ...") {
        Some(before) => (before, ""),
        None => line.split_once(" ... ")?,
    };
    let at = if before.starts_with("test ") { 0 } else { before.rfind("test ")? };
    let name = before.get(at + "test ".len()..)?;
    (!name.trim().is_empty()).then_some((name, ended))
}

fn status(ended: &str) -> Option<Status> {
    // With `--report-time` the time follows.
    let word = ended.split_once(" <").map_or(ended, |(word, _)| word);
    match word {
        "ok" => Some(Status::Passed),
        "FAILED" => Some(Status::Failed { why: String::new() }),
        "ignored" => Some(Status::Skipped { why: String::new() }),
        _ if word.starts_with("FAILED (") => Some(Status::Failed { why: short(word) }),
        _ => match word.strip_prefix("ignored, ") {
            Some(why) => Some(Status::Skipped { why: short(why) }),
            None => word.starts_with("bench:").then_some(Status::Passed),
        },
    }
}

fn is_word(line: &str) -> bool {
    matches!(line, "ok" | "FAILED")
}

const CONCLUSION: &str = "test result: ";
const COUNTED: [&str; 5] = ["passed", "failed", "ignored", "measured", "filtered out"];
const TOLD_MAX: usize = 1_000;
const TOLD_BYTES_MAX: usize = 4_000;

#[cfg(test)]
mod tests;

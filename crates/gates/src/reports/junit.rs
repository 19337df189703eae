//! JUnit XML: what pytest, vitest, jest, node and many others leave.
//!
//! There is no standard, so only what all of them agree on is understood: suites that may hold suites, cases, and in a
//! case what went wrong. An unknown element is an error, because a failure could be spelt like that.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::reports::{Tests, Unreadable, bounded, exact, short};
use crate::{Status, TestId, TestResult};

pub fn read(bytes: &[u8]) -> Result<Tests, Unreadable> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Unreadable::malformed("it is not UTF-8"))?
        .trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    let mut document = Document::default();
    loop {
        let event =
            reader.read_event().map_err(|error| Unreadable::malformed(error.to_string()))?;
        match event {
            Event::Start(start) => document.open(&start)?,
            Event::Empty(start) => {
                document.open(&start)?;
                document.close()?;
            }
            Event::End(_) => document.close()?,
            Event::Text(said) => {
                let said =
                    said.decode().map_err(|error| Unreadable::malformed(error.to_string()))?;
                document.said(&said)?;
            }
            Event::CData(said) => document.said(&String::from_utf8_lossy(&said))?,
            Event::GeneralRef(_) => document.said("?")?,
            // What stands in one could change what the document means.
            Event::DocType(_) => return Err(Unreadable::malformed("it has a document type")),
            // No tool writes one, and an element with two wrong letters would become one.
            Event::PI(_) => return Err(Unreadable::malformed("it has an instruction")),
            Event::Decl(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    document.end()
}

/// What has been read so far.
#[derive(Default)]
struct Document {
    open: Vec<Element>,
    tests: Tests,
    has_ended: bool,
}

/// An element that has not been closed yet.
enum Element {
    Suite(Suite),
    Case(Case),
    /// What went wrong with the case around it.
    Wrong,
    /// Whatever it holds says nothing about how a test ended.
    Aside,
}

#[derive(Default)]
struct Suite {
    name: String,
    claimed: Counts,
    seen: Counts,
}

/// How many there are, as a suite says or as they were counted.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: Option<u64>,
    failures: Option<u64>,
    errors: Option<u64>,
    skipped: Option<u64>,
}

struct Case {
    id: TestId,
    millis: Option<u64>,
    ended: Option<Status>,
}

impl Document {
    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), Unreadable> {
        if self.has_ended {
            return Err(Unreadable::malformed("something follows the end of it"));
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(Unreadable::malformed("its elements are nested too deep"));
        }
        let name = start.local_name();
        let name = String::from_utf8_lossy(name.as_ref()).into_owned();
        let element = match (self.open.last(), name.as_str()) {
            (None, "testsuites" | "testsuite") | (Some(Element::Suite(_)), "testsuite") => {
                Element::Suite(suite(start)?)
            }
            (Some(Element::Suite(around)), "testcase") => Element::Case(case(start, &around.name)?),
            (Some(Element::Suite(_)), "properties" | "system-out" | "system-err")
            | (Some(Element::Case(_)), "properties" | "system-out" | "system-err")
            | (Some(Element::Aside), _) => Element::Aside,
            (Some(Element::Case(_)), wrong) => {
                let status = status(wrong, start)?;
                let Some(Element::Case(case)) = self.open.last_mut() else {
                    return Err(Unreadable::malformed("a failure stands outside of a test"));
                };
                case.ended = worst(case.ended.take(), Some(status));
                Element::Wrong
            }
            // Some write what differs between tags of their own.
            (Some(Element::Wrong), _) => Element::Aside,
            (None | Some(Element::Suite(_)), other) => {
                return Err(Unreadable::malformed(format!(
                    "`{}` does not belong there",
                    short(other)
                )));
            }
        };
        self.open.push(element);
        Ok(())
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        match self.open.pop() {
            None => return Err(Unreadable::malformed("more is closed than was opened")),
            Some(Element::Wrong | Element::Aside) => {}
            Some(Element::Case(Case { id, millis, ended })) => {
                bounded(self.tests.results.len() + 1)?;
                let status = ended.unwrap_or(Status::Passed);
                if let Some(Element::Suite(suite)) = self.open.last_mut() {
                    suite.seen.count(&status);
                }
                self.tests.results.push(TestResult { id, status, millis });
            }
            Some(Element::Suite(suite)) => {
                self.tests.odd.extend(suite.contradictions());
                if let Some(Element::Suite(around)) = self.open.last_mut() {
                    around.seen.add(suite.seen);
                }
                self.has_ended = self.open.is_empty();
            }
        }
        Ok(())
    }

    /// Text inside what went wrong is why, where no attribute has said it. Of a file that could not be loaded pytest's
    /// attribute says nothing more.
    fn said(&mut self, text: &str) -> Result<(), Unreadable> {
        let depth = self.open.len();
        match self.open.last() {
            Some(Element::Wrong) => {}
            Some(Element::Aside) => return Ok(()),
            Some(Element::Suite(_) | Element::Case(_)) | None if text.trim().is_empty() => {
                return Ok(());
            }
            Some(Element::Suite(_) | Element::Case(_)) | None => {
                return Err(Unreadable::malformed("there is text outside of any message"));
            }
        }
        let Some(Element::Case(case)) = depth.checked_sub(2).and_then(|at| self.open.get_mut(at))
        else {
            return Ok(());
        };
        if let Some(Status::Failed { why } | Status::Broken { why } | Status::Skipped { why }) =
            &mut case.ended
        {
            if why.is_empty() {
                *why = short(text);
            } else if why == NOT_COLLECTED
                && let Some(raised) = raised(text)
            {
                *why = short(raised);
            }
        }
        Ok(())
    }

    fn end(self) -> Result<Tests, Unreadable> {
        match (self.has_ended, self.open.is_empty()) {
            (true, true) => Ok(self.tests),
            (_, false) => Err(Unreadable::malformed("it ends in the middle")),
            (false, true) => Err(Unreadable::malformed("there is no suite in it")),
        }
    }
}

impl Suite {
    fn contradictions(&self) -> Vec<String> {
        let is_unnamed = self.name.is_empty();
        let name =
            if is_unnamed { "the report".to_owned() } else { format!("suite `{}`", self.name) };
        let pairs = [
            ("tests", self.claimed.tests, self.seen.tests),
            ("failures", self.claimed.failures, self.seen.failures),
            ("errors", self.claimed.errors, self.seen.errors),
            ("skipped tests", self.claimed.skipped, self.seen.skipped),
        ];
        // pytest counts the parts of a test that are named by `subTest`, and lists none of them.
        let has_parts = self.name == PYTEST && self.claimed.tests > self.seen.tests;
        let differs = |(what, claimed, seen): (&str, Option<u64>, Option<u64>)| {
            let (claimed, seen) = (claimed?, seen.unwrap_or(0));
            let is_told = claimed == seen || (what == "tests" && has_parts);
            (!is_told).then(|| format!("{name} counts {claimed} {what} and lists {seen}"))
        };
        pairs.into_iter().filter_map(differs).collect()
    }
}

impl Counts {
    fn count(&mut self, status: &Status) {
        let one = |count: &mut Option<u64>| *count = Some(count.unwrap_or(0) + 1);
        one(&mut self.tests);
        match status {
            Status::Passed => {}
            Status::Failed { .. } => one(&mut self.failures),
            Status::Broken { .. } => one(&mut self.errors),
            Status::Skipped { .. } => one(&mut self.skipped),
        }
    }

    fn add(&mut self, other: Self) {
        let add = |count: &mut Option<u64>, more: Option<u64>| {
            *count = Some(count.unwrap_or(0).saturating_add(more.unwrap_or(0)));
        };
        add(&mut self.tests, other.tests);
        add(&mut self.failures, other.failures);
        add(&mut self.errors, other.errors);
        add(&mut self.skipped, other.skipped);
    }
}

fn suite(start: &BytesStart<'_>) -> Result<Suite, Unreadable> {
    let mut suite = Suite::default();
    let mut disabled = None;
    for (name, value) in attributes(start)? {
        let count = || match value.trim().parse::<u64>() {
            Ok(count) => Ok(Some(count)),
            Err(_) => Err(Unreadable::malformed(format!("`{name}` is not a number"))),
        };
        match name.as_str() {
            "name" => suite.name = short(&value),
            "tests" => suite.claimed.tests = count()?,
            "failures" => suite.claimed.failures = count()?,
            "errors" => suite.claimed.errors = count()?,
            "skipped" => suite.claimed.skipped = count()?,
            "disabled" => disabled = count()?,
            _ => {}
        }
    }
    // Both words are in use for the same, and some write both.
    if suite.claimed.skipped.is_none() {
        suite.claimed.skipped = disabled.filter(|count| *count > 0);
    }
    Ok(suite)
}

fn case(start: &BytesStart<'_>, around: &str) -> Result<Case, Unreadable> {
    let (mut suite, mut name, mut millis, mut ended) = (String::new(), None, None, None);
    for (key, value) in attributes(start)? {
        match key.as_str() {
            "classname" => suite = exact(&value),
            "name" => name = Some(exact(&value)),
            "time" => millis = seconds(&value),
            "status" | "result" => ended = worst(ended, attributed(&value)),
            _ => {}
        }
    }
    let name = name
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Unreadable::malformed("a test has no name"))?;
    if suite.is_empty() {
        suite = around.to_owned();
    }
    Ok(Case { id: TestId { suite, name }, millis, ended })
}

fn status(element: &str, start: &BytesStart<'_>) -> Result<Status, Unreadable> {
    let mut why = String::new();
    for (name, value) in attributes(start)? {
        if name == "message" {
            why = short(&value);
        }
    }
    match element {
        "failure" => Ok(Status::Failed { why }),
        "error" => Ok(Status::Broken { why }),
        "skipped" => Ok(Status::Skipped { why }),
        // It passed in the end, as any test does that is run often enough.
        "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {
            Ok(Status::Failed { why: format!("it was run again after it had failed: {why}") })
        }
        other => Err(Unreadable::malformed(format!("unknown element `{}`", short(other)))),
    }
}

/// Some say in an attribute alone that a test did not run or did not hold.
fn attributed(word: &str) -> Option<Status> {
    let why = format!("it is marked as {}", short(word));
    match word.to_ascii_lowercase().as_str() {
        "notrun" | "skipped" | "suppressed" | "disabled" | "ignored" | "pending" | "todo" => {
            Some(Status::Skipped { why })
        }
        "failed" | "failure" | "fail" => Some(Status::Failed { why }),
        "error" | "errored" | "aborted" => Some(Status::Broken { why }),
        _ => None,
    }
}

/// The worst that was said of a test counts; of equals, the later one, which says more.
fn worst(said: Option<Status>, more: Option<Status>) -> Option<Status> {
    match (said, more) {
        (Some(said), Some(more)) if weight(&said) > weight(&more) => Some(said),
        (said, None) => said,
        (_, more) => more,
    }
}

fn attributes(start: &BytesStart<'_>) -> Result<Vec<(String, String)>, Unreadable> {
    let wrong = |error: &dyn std::fmt::Display| Unreadable::malformed(error.to_string());
    let mut found = Vec::new();
    // The reader refuses an attribute that stands there twice.
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| wrong(&error))?;
        if found.len() >= ATTRIBUTES_MAX {
            return Err(Unreadable::malformed("an element has too many attributes"));
        }
        let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        let value =
            attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| wrong(&error))?;
        found.push((name, value.into_owned()));
    }
    Ok(found)
}

/// What was raised last: the first of the last lines that pytest marks as an error.
fn raised(text: &str) -> Option<&str> {
    let mut lines = text.lines().rev().skip_while(|line| !line.starts_with("E "));
    let block = lines.by_ref().map_while(|line| line.strip_prefix("E "));
    block.last().map(str::trim)
}

fn seconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.replace(',', "").trim().parse().ok()?;
    // A number that is none, or more than a test can take, is not worth a refusal.
    (0.0..1e9).contains(&seconds).then_some((seconds * 1000.0) as u64)
}

fn weight(status: &Status) -> u8 {
    match status {
        Status::Passed => 0,
        Status::Skipped { .. } => 1,
        Status::Failed { .. } => 2,
        Status::Broken { .. } => 3,
    }
}

/// What pytest says of a file that it could not load.
const NOT_COLLECTED: &str = "collection failure";
/// The suite around all tests that pytest runs.
const PYTEST: &str = "pytest";
const DEPTH_MAX: usize = 32;
const ATTRIBUTES_MAX: usize = 64;

#[cfg(test)]
mod tests;

//! Reports: what other people's tools write, read into our own words.
//!
//! One file for each form. None of them decides anything: a reader says what stands in a report, what in it does not
//! add up, or why it cannot be read. The code under test may have written any of them, so every
//! reader is bounded, repeats only short pieces of text, and trusts nothing that is said twice.

pub mod audit;
pub mod cargo_messages;
pub mod junit;
pub mod libtest;
pub mod libtest_json;
pub mod pytest_summary;
pub mod sarif;
pub mod secrets;

use sealwright_kernel::Digest;
use serde_json::Value;

use crate::{Said, TestResult};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Every test, in the order of the report.
    pub results: Vec<TestResult>,
    /// Contradictions. A report with any proves nothing.
    pub odd: Vec<String>,
}

/// Why a report cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is none.
    #[error("there is no report")]
    Missing,
    /// Nothing is in it.
    #[error("the report is empty")]
    Empty,
    /// Not all of it was kept.
    #[error("only {kept} of {total} bytes of the report were kept")]
    CutOff { kept: usize, total: u64 },
    /// It is not what it should be.
    #[error("the report is malformed: {why}")]
    Malformed { why: String },
    /// It goes on and on.
    #[error("the report has more than {entries_max} entries")]
    TooMany { entries_max: usize },
}

impl Unreadable {
    pub(crate) fn malformed(why: impl AsRef<str>) -> Self {
        Self::Malformed { why: short(why.as_ref()) }
    }
}

/// The bytes of a report, if all of them are there and there are any.
pub fn whole(said: Option<&Said>) -> Result<&[u8], Unreadable> {
    let said = said.ok_or(Unreadable::Missing)?;
    if !said.is_whole() {
        return Err(Unreadable::CutOff { kept: said.bytes.len(), total: said.total });
    }
    if said.bytes.trim_ascii().is_empty() { Err(Unreadable::Empty) } else { Ok(&said.bytes) }
}

/// A name as it is, on one line: names may differ in blanks alone. One that is too long ends in its digest.
pub fn exact(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let cut = text.char_indices().nth(NAME_CHARACTERS_MAX).map(|(at, _)| at);
    let kept: String = text[..cut.unwrap_or(text.len())].chars().map(shown).collect();
    match cut {
        None => kept,
        Some(_) => format!("{kept}… {}", &Digest::of(text.as_bytes()).to_string()[..12]),
    }
}

/// The first words of a foreign text, on one line.
pub fn short(text: &str) -> String {
    let mut kept = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
        // A cut is made between characters, whatever they are.
        if let Some((at, _)) = kept.char_indices().nth(TEXT_CHARACTERS_MAX) {
            kept.truncate(at);
            kept.push('…');
            return kept;
        }
    }
    kept
}

/// One JSON value, and nothing after it.
fn json(bytes: &[u8]) -> Result<Value, Unreadable> {
    serde_json::from_slice(bytes).map_err(|error| Unreadable::malformed(error.to_string()))
}

/// A list that has to be there, no longer than it may be.
fn list<'v>(value: &'v Value, name: &str) -> Result<&'v [Value], Unreadable> {
    let list = value.get(name).and_then(Value::as_array);
    let list = list.ok_or_else(|| Unreadable::malformed(format!("there is no list `{name}`")))?;
    bounded(list.len())?;
    Ok(list)
}

/// A text that has to be there.
fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str, Unreadable> {
    let text = value.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| Unreadable::malformed(format!("there is no text `{name}`")))
}

fn bounded(count: usize) -> Result<(), Unreadable> {
    if count > ENTRIES_MAX {
        return Err(Unreadable::TooMany { entries_max: ENTRIES_MAX });
    }
    Ok(())
}

/// More than any honest suite has.
pub const ENTRIES_MAX: usize = 100_000;
const TEXT_CHARACTERS_MAX: usize = 240;
const NAME_CHARACTERS_MAX: usize = 1_000;

#[cfg(test)]
pub(crate) mod fuzz;

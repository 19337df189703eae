//! `[checks.NAME]`: a check, its kind, and when it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sealwright_gates::Gate;
use sealwright_gates::kinds::{Declared, Demand, Expected, Key, Kind, Setting, Tool};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{
    Flaw, LINE_BYTES_MAX, WrittenCommand, Wrong, is_check_name, line, whole_number, words, wrong,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub kind: &'static Kind,
    /// When it runs. Never empty.
    pub sets: BTreeSet<Set>,
    /// What it sets for its gate. A task adds tests, expectations and declared changes.
    pub setting: Setting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// After every step of a slice.
    Iteration,
    /// Before the task is done.
    Exit,
}

impl Check {
    /// The gate's settings for one task: the frozen test files, the tests that must be reported, and the declared
    /// changes.
    pub fn setting(&self, tests: Vec<String>, expected: Expected, declared: Declared) -> Setting {
        Setting { tests, expected, declared, ..self.setting.clone() }
    }

    pub fn gate(
        &self,
        tests: Vec<String>,
        expected: Expected,
        declared: Declared,
    ) -> Box<dyn Gate> {
        self.kind.gate(self.setting(tests, expected, declared))
    }
}

impl Set {
    pub const ALL: [Self; 2] = [Self::Iteration, Self::Exit];

    pub fn name(self) -> &'static str {
        match self {
            Self::Iteration => "iteration",
            Self::Exit => "exit",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCheck {
    kind: Option<Spanned<String>>,
    sets: Option<Spanned<BTreeSet<Set>>>,
    command: Option<WrittenCommand>,
    timeout_s: Option<Spanned<i64>>,
    report: Option<Spanned<String>>,
    tool: Option<Spanned<String>>,
    tests: Option<WrittenList>,
    sources: Option<WrittenList>,
    known: Option<WrittenList>,
    sections: Option<Spanned<BTreeMap<Spanned<String>, WrittenList>>>,
    files_max: Option<Spanned<i64>>,
    lines_max: Option<Spanned<i64>>,
}

type WrittenList = Spanned<Vec<Spanned<String>>>;

impl WrittenCheck {
    pub(super) fn checked(self, name: Spanned<String>) -> Result<Check, Wrong> {
        if !is_check_name(name.get_ref()) {
            let flaw = Flaw::CheckName { name: name.get_ref().clone() };
            return Err(wrong(name.span(), flaw));
        }
        let kind = kind(self.kind.as_ref())?;
        self.check_keys(kind, &name)?;
        let tool = self.tool.as_ref().map(|tool| tool_of(kind, tool)).transpose()?;
        let sets = match self.sets {
            None => Set::ALL.into(),
            Some(sets) if sets.get_ref().is_empty() => {
                return Err(wrong(sets.span(), Flaw::NoSets));
            }
            Some(sets) => sets.into_inner(),
        };
        let timeout_s = match self.timeout_s {
            Some(timeout_s) => count("timeout_s", timeout_s, TIMEOUT_S_MAX)?,
            None => TIMEOUT_S,
        };
        let command_span = self.command.as_ref().map(Spanned::span);
        let command = self.command.map(words).transpose()?.unwrap_or_default();
        if kind.demand(Key::Tool).is_some() && tool.is_none() && !is_named(kind, &command) {
            let flaw = Flaw::ToolUnsaid { known: tools(kind) };
            return Err(wrong(command_span.unwrap_or(name.span()), flaw));
        }
        let mut sections = BTreeMap::new();
        for (path, titles) in self.sections.map(Spanned::into_inner).into_iter().flatten() {
            sections.insert(repository_path("sections", path)?, lines("sections", Some(titles))?);
        }
        Ok(Check {
            name: name.into_inner(),
            kind,
            sets,
            setting: Setting {
                command,
                timeout_s,
                report: self.report.map(report).transpose()?,
                tool,
                tests: paths("tests", self.tests)?,
                sources: paths("sources", self.sources)?,
                known: lines("known", self.known)?.into_iter().collect(),
                sections,
                files_max: self
                    .files_max
                    .map(|it| count("files_max", it, COUNT_MAX))
                    .transpose()?,
                lines_max: self
                    .lines_max
                    .map(|it| count("lines_max", it, COUNT_MAX))
                    .transpose()?,
                ..Setting::default()
            },
        })
    }

    /// Checks that every key is one of this kind, and that no required key is missing.
    fn check_keys(&self, kind: &'static Kind, name: &Spanned<String>) -> Result<(), Wrong> {
        for key in Key::ALL {
            let written = match key {
                Key::Command => span(&self.command),
                Key::Report => span(&self.report),
                Key::Tool => span(&self.tool),
                Key::Tests => span(&self.tests),
                Key::Sources => span(&self.sources),
                Key::Known => span(&self.known),
                Key::Sections => span(&self.sections),
                Key::FilesMax => span(&self.files_max),
                Key::LinesMax => span(&self.lines_max),
            };
            match (kind.demand(key), written) {
                (None, Some(span)) => {
                    let takes = kind.takes.iter().map(|(key, _)| key.name()).collect();
                    let flaw = Flaw::NotTaken { kind: kind.key, key: key.name(), takes };
                    return Err(wrong(span, flaw));
                }
                (Some(Demand::Required), None) => {
                    let flaw = Flaw::CheckUnsaid { kind: kind.key, key: key.name() };
                    return Err(wrong(name.span(), flaw));
                }
                (None, None) | (Some(_), Some(_)) | (Some(Demand::Optional), None) => {}
            }
        }
        Ok(())
    }
}

fn span<T>(written: &Option<Spanned<T>>) -> Option<Range<usize>> {
    written.as_ref().map(Spanned::span)
}

fn kind(written: Option<&Spanned<String>>) -> Result<&'static Kind, Wrong> {
    let key = written.map_or(DEFAULT_KIND, |kind| kind.get_ref().as_str());
    Kind::of(key).ok_or_else(|| {
        let at = written.map_or(0..0, Spanned::span);
        wrong(at, Flaw::UnknownCheckKind { name: key.to_owned() })
    })
}

fn tool_of(kind: &Kind, written: &Spanned<String>) -> Result<Tool, Wrong> {
    let name = written.get_ref();
    let tool = Tool::of(name).filter(|tool| tools(kind).contains(&tool.name()));
    tool.ok_or_else(|| {
        let flaw = Flaw::UnknownTool { name: name.clone(), known: tools(kind) };
        wrong(written.span(), flaw)
    })
}

/// The tools whose reports a kind can read.
fn tools(kind: &Kind) -> Vec<&'static str> {
    let is_for = |tool: &Tool| match tool {
        Tool::Auditor(_) => kind.key == "audit",
        Tool::Scanner(_) => kind.key == "secrets",
    };
    Tool::all().filter(is_for).map(Tool::name).collect()
}

fn is_named(kind: &Kind, command: &[String]) -> bool {
    Tool::of_command(command).is_some_and(|tool| tools(kind).contains(&tool.name()))
}

fn report(written: Spanned<String>) -> Result<String, Wrong> {
    let name = written.get_ref();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_name = !name.is_empty()
        && name.len() <= LINE_BYTES_MAX
        && name.chars().all(is_plain)
        && !name.starts_with('.');
    if is_name { Ok(written.into_inner()) } else { Err(wrong(written.span(), Flaw::ReportName)) }
}

fn paths(key: &'static str, list: Option<WrittenList>) -> Result<Vec<String>, Wrong> {
    bounded(key, list)?.into_iter().map(|path| repository_path(key, path)).collect()
}

fn lines(key: &'static str, list: Option<WrittenList>) -> Result<Vec<String>, Wrong> {
    bounded(key, list)?.into_iter().map(|text| line(key, text)).collect()
}

fn bounded(key: &'static str, list: Option<WrittenList>) -> Result<Vec<Spanned<String>>, Wrong> {
    match list {
        Some(list) if list.get_ref().len() > ENTRIES_MAX => {
            Err(wrong(list.span(), Flaw::TooManyEntries { key, most: ENTRIES_MAX }))
        }
        list => Ok(list.map(Spanned::into_inner).unwrap_or_default()),
    }
}

fn repository_path(key: &'static str, written: Spanned<String>) -> Result<String, Wrong> {
    let path = written.get_ref().trim_end_matches('/');
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    let is_path = path.len() <= LINE_BYTES_MAX
        && path.split('/').all(is_part)
        && !path.contains(|c: char| c.is_control() || c == '\\');
    if is_path { Ok(path.to_owned()) } else { Err(wrong(written.span(), Flaw::NotAPath { key })) }
}

fn count(key: &'static str, number: Spanned<i64>, most: u32) -> Result<u32, Wrong> {
    Ok(u32::try_from(whole_number(key, number, u64::from(most))?).unwrap_or(most))
}

const DEFAULT_KIND: &str = "command";
/// As many as one task can name.
pub(super) const CHECKS_MAX: usize = 32;
const TIMEOUT_S: u32 = 1_800;
const TIMEOUT_S_MAX: u32 = 86_400;
const COUNT_MAX: u32 = 1_000_000;
const ENTRIES_MAX: usize = 256;

#[cfg(test)]
mod tests;

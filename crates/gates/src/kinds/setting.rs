//! Settings: everything a gate is told, by the project and by the task it is for.

use std::collections::{BTreeMap, BTreeSet};

use crate::kinds::{Declared, Expected};
use crate::reports::audit::Auditor;
use crate::reports::secrets::Scanner;
use crate::{Command, Step};

/// The settings of a gate. A kind ignores those it does not take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    pub command: Vec<String>,
    /// How long each command may take, in seconds.
    pub timeout_s: u32,
    /// The report that the command leaves in [`crate::REPORTS`], by name.
    pub report: Option<String>,
    /// The tool whose words the report is in, where they are not all alike.
    pub tool: Option<Tool>,
    pub tests: Vec<String>,
    /// Where that stands which is looked at.
    pub sources: Vec<String>,
    /// Known findings: advisories, fingerprints of leaks.
    pub known: BTreeSet<String>,
    /// Sections that a document must have, by its path.
    pub sections: BTreeMap<String, Vec<String>>,
    /// How many files a change may touch. None means [`Setting::FILES_MAX`].
    pub files_max: Option<u32>,
    /// How many lines a file may have. None means [`Setting::LINES_MAX`].
    pub lines_max: Option<u32>,
    pub expected: Expected,
    pub declared: Declared,
}

/// A setting of a kind, by its name in `sealwright.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Command,
    Report,
    Tool,
    Tests,
    Sources,
    Known,
    Sections,
    FilesMax,
    LinesMax,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    Required,
    Optional,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Auditor(Auditor),
    Scanner(Scanner),
}

impl Setting {
    pub const FILES_MAX: u32 = 50;
    pub const LINES_MAX: u32 = 300;

    /// These words with these to follow, or the command that was set in place of them.
    pub(crate) fn command_or(&self, default: &[&str]) -> Vec<String> {
        if self.command.is_empty() {
            default.iter().map(|word| (*word).to_owned()).collect()
        } else {
            self.command.clone()
        }
    }

    /// Runs the command that was set, and brings back its report.
    pub(crate) fn run(&self) -> Step {
        self.run_reporting(self.command.clone(), &[], self.report.iter().cloned().collect())
    }

    pub(crate) fn run_reporting(
        &self,
        argv: Vec<String>,
        environment: &[(&str, &str)],
        reports: Vec<String>,
    ) -> Step {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment = environment.iter().map(owned).collect();
        Step::Run(Command { argv, environment, reports, timeout_s: self.timeout_s })
    }

    /// The tool that was named, or that the command names.
    pub(crate) fn tool(&self) -> Option<Tool> {
        self.tool.or_else(|| Tool::of_command(&self.command))
    }
}

impl Key {
    pub const ALL: [Self; 9] = [
        Self::Command,
        Self::Report,
        Self::Tool,
        Self::Tests,
        Self::Sources,
        Self::Known,
        Self::Sections,
        Self::FilesMax,
        Self::LinesMax,
    ];

    /// Its name in `sealwright.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Report => "report",
            Self::Tool => "tool",
            Self::Tests => "tests",
            Self::Sources => "sources",
            Self::Known => "known",
            Self::Sections => "sections",
            Self::FilesMax => "files_max",
            Self::LinesMax => "lines_max",
        }
    }
}

impl Tool {
    pub fn all() -> impl Iterator<Item = Self> {
        let auditors = Auditor::ALL.into_iter().map(Self::Auditor);
        auditors.chain(Scanner::ALL.into_iter().map(Self::Scanner))
    }

    /// Its name in `sealwright.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auditor(auditor) => auditor.name(),
            Self::Scanner(scanner) => scanner.name(),
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::all().find(|tool| tool.name() == name)
    }

    /// The tool that a command starts: `pip-audit …`, `cargo deny …`, `npm audit …`.
    pub fn of_command(command: &[String]) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let program = words.first()?.rsplit('/').next()?;
        let follows = |word: &str| words.get(1).is_some_and(|second| *second == word);
        match program {
            "cargo" if follows("audit") => Some(Self::Auditor(Auditor::CargoAudit)),
            "cargo" if follows("deny") => Some(Self::Auditor(Auditor::CargoDeny)),
            "npm" if follows("audit") => Some(Self::Auditor(Auditor::NpmAudit)),
            _ => Self::of(program),
        }
    }
}

//! What came after `sealwright.toml` was written: agents that were installed, and projects in folders without a check.

use std::fmt::Write as _;
use std::path::Path;

use sealwright_config::Config;
use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::SuggestedCheck;
use sealwright_store::disk::{Disk as _, RealDisk};

use super::detect::Detected;
use super::template::{check, kind};
use crate::error::{CliError, CliResult};

#[derive(Debug, Default)]
pub(super) struct Later {
    pub(super) agents: Vec<&'static str>,
    pub(super) checks: Vec<(String, SuggestedCheck)>,
}

impl Later {
    /// Agents on `PATH` of whose kind none is configured, and folders with tests that no check runs, if there is a file
    /// and it can be read.
    pub(super) fn find(folder: &Path, detected: &Detected) -> CliResult<Self> {
        let config = Config::load(folder.join(sealwright_config::FILE_NAME))?;
        let is_configured = |name: &str| {
            config.agents().any(|agent| agent.name == name || agent.kind.name() == kind(name))
        };
        let agents = detected.agents.iter().copied().filter(|name| !is_configured(name)).collect();
        let checks = detected.tests.iter().filter(|(name, found)| is_new(&config, name, found));
        let checks = checks.map(|(name, found)| (name.clone(), found.clone())).collect();
        Ok(Self { agents, checks })
    }

    /// Adds a table for each at the end of the file, and changes nothing else in it.
    pub(super) fn add(&self, folder: &Path) -> CliResult {
        if self.agents.is_empty() && self.checks.is_empty() {
            return Ok(());
        }
        let failed =
            |source| CliError::NotWritten { file: sealwright_config::FILE_NAME.to_owned(), source };
        let path = folder.join(sealwright_config::FILE_NAME);
        let mut text = std::fs::read_to_string(&path).map_err(failed)?;
        for (name, found) in &self.checks {
            let _ = write!(text, "\n{}", check(name, found));
        }
        for name in &self.agents {
            let _ = write!(text, "\n[agents.{name}]\nkind = \"{}\"\n", kind(name));
        }
        // What would not be read back is not written.
        Config::parse(&text)?;
        RealDisk::new(folder).replace(&path, text.as_bytes()).map_err(failed)
    }
}

/// Whether no check runs the tests in the folder of this one. A check for the whole repository is left to its person:
/// what runs them may have another name by now.
fn is_new(config: &Config, name: &str, found: &SuggestedCheck) -> bool {
    let of_language = Toolchain::of_tests(found.kind);
    let runs = |place: &String, tests: &[String]| {
        tests.is_empty() || tests.iter().any(|it| Path::new(place).starts_with(it))
    };
    let is_covered = config.checks().iter().any(|it| {
        let is_alike = of_language.is_some() && Toolchain::of_tests(it.kind.key) == of_language;
        it.name == name || (is_alike && found.tests.iter().all(|at| runs(at, &it.setting.tests)))
    });
    !found.tests.is_empty() && !is_covered
}

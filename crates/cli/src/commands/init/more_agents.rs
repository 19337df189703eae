//! Agents that were installed after `sealwright.toml` was written.

use std::fmt::Write as _;
use std::path::Path;

use sealwright_config::Config;
use sealwright_store::disk::{Disk as _, RealDisk};

use super::detect::Detected;
use super::template::kind;
use crate::error::{CliError, CliResult};

/// The agents on `PATH` of whose kind none is configured, if there is a file and it can be read.
pub(super) fn missing(folder: &Path, detected: &Detected) -> CliResult<Vec<&'static str>> {
    let config = Config::load(folder.join(sealwright_config::FILE_NAME))?;
    let is_configured = |name: &str| {
        config.agents().any(|agent| agent.name == name || agent.kind.name() == kind(name))
    };
    Ok(detected.agents.iter().copied().filter(|name| !is_configured(name)).collect())
}

/// Adds a table for each at the end of the file, and changes nothing else in it.
pub(super) fn add(folder: &Path, agents: &[&'static str]) -> CliResult {
    if agents.is_empty() {
        return Ok(());
    }
    let failed =
        |source| CliError::NotWritten { file: sealwright_config::FILE_NAME.to_owned(), source };
    let path = folder.join(sealwright_config::FILE_NAME);
    let mut text = std::fs::read_to_string(&path).map_err(failed)?;
    for name in agents {
        let _ = write!(text, "\n[agents.{name}]\nkind = \"{}\"\n", kind(name));
    }
    // What would not be read back is not written.
    Config::parse(&text)?;
    RealDisk::new(folder).replace(&path, text.as_bytes()).map_err(failed)
}

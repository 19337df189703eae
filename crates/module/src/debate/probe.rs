//! `run_probe`: a challenger supplies inputs of the contract, the harness calls the public surface, and only the
//! observable result comes back.

use alloc::format;
use alloc::string::{String, ToString as _};

use serde::{Deserialize, Serialize};

use super::answer::Defect;
use super::charter::Charter;
use super::dossier::is_name;

/// One probe of a round, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// Counted from 1 in its round.
    pub nth: u32,
    /// A JSON object: the contract's inputs by name.
    pub arguments: String,
    /// Absent while it runs.
    pub result: Option<ProbeResult>,
}

/// The observable result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ProbeResult {
    /// It returned this value, as JSON, filtered and cut by the harness.
    Returned {
        value: String,
    },
    /// It failed with this error surface. Only its name is told.
    Raised {
        surface: String,
    },
    TimedOut,
    /// The harness could not run it; this says nothing about the module.
    NotRun {
        why: String,
    },
}

impl ProbeRecord {
    /// Its name in citations: `probe-1`.
    pub fn id(&self) -> String {
        format!("probe-{}", self.nth)
    }
}

/// Whether a probe may run: an object of the contract's inputs, inside its bounds.
pub(super) fn check_arguments(charter: &Charter, arguments: &str) -> Result<(), Defect> {
    if arguments.len() > ARGUMENTS_BYTES_MAX {
        let wrong = format!("it has {} bytes", arguments.len());
        return Err(Defect::new("input", wrong, format!("use at most {ARGUMENTS_BYTES_MAX}")));
    }
    let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments)
        .map_err(|error| {
            Defect::new("input", error.to_string(), "give a JSON object of the contract's inputs")
        })?;
    match object.keys().find(|key| !charter.inputs.contains(key)) {
        Some(unknown) => {
            let unknown: String = unknown.chars().take(64).collect();
            let wrong = format!("`{unknown}` is no input of the contract");
            Err(Defect::new("input", wrong, format!("use only {}", charter.inputs.join(", "))))
        }
        None => Ok(()),
    }
}

impl ProbeResult {
    /// Whether the harness bounded it.
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Self::Returned { value } => value.len() <= RESULT_BYTES_MAX,
            Self::Raised { surface } => is_name(surface),
            Self::TimedOut => true,
            Self::NotRun { why } => why.len() <= RESULT_BYTES_MAX,
        }
    }
}

/// Probes of one round.
pub const PROBES_MAX: usize = 16;
pub const ARGUMENTS_BYTES_MAX: usize = 16 << 10;
pub const RESULT_BYTES_MAX: usize = 8 << 10;

//! What can keep a run from happening.

use std::io;

use sealwright_kernel::Level;

/// Why nothing was run.
///
/// Messages read well after "cannot run it confined:".
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A place to run in could not be had.
    #[error("cannot prepare a sandbox slot")]
    SandboxSlot { source: io::Error },
    /// Every place is in use.
    #[error("all {most} sandbox slots are in use")]
    Full { most: u32 },
    /// The process that puts the walls up could not be started.
    #[error("cannot start the sandbox launcher")]
    Start { source: io::Error },
    /// A wall could not be put up, or the command could not be started behind them.
    #[error("cannot {step}: {why}")]
    Isolation { step: String, why: String },
    /// The walls are weaker than was asked for.
    #[error("the sandbox reaches `{}` here, but `{}` is required", found.name(), least.name())]
    TooWeak { found: Level, least: Level },
    /// The run was watched, and the watch failed.
    #[error("cannot watch the run")]
    Watch { source: io::Error },
}

impl SandboxError {
    pub(crate) fn slot(source: io::Error) -> Self {
        Self::SandboxSlot { source }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::SandboxSlot { .. } => Some("see that the state folder can be written to".to_owned()),
            Self::Full { .. } => Some("wait until other runs have ended".to_owned()),
            Self::Isolation { step, .. } if step == "start the command" => {
                Some("see that the program exists inside; `sealwright sandbox explain` shows what does".to_owned())
            }
            Self::TooWeak { .. } => Some(
                "`sealwright doctor` says what keeps the walls down and how to lift it; `[sandbox]` in \
                 sealwright.toml says what a lane asks for"
                    .to_owned(),
            ),
            Self::Isolation { .. } => Some("`sealwright doctor` says which walls can be put up here".to_owned()),
            Self::Start { .. } | Self::Watch { .. } => None,
        }
    }
}

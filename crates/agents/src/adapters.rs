//! The kinds of agents there are, one file each. A new one that is a program is a file here and a line in [`DRIVERS`].

pub mod acp;
pub mod api;
pub mod claude_code;
pub mod codex;
mod events;
pub mod human;
mod kept_outside;
mod reading;
#[cfg(test)]
pub(crate) mod recorded;
pub mod script;
mod words;

use crate::program::Driver;
use acp::Acp;
use acp::profiles::{copilot, gemini, goose, opencode};

pub const DRIVERS: &[&dyn Driver] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &Acp(&copilot::PROFILE),
    &Acp(&gemini::PROFILE),
    &Acp(&goose::PROFILE),
    &Acp(&opencode::PROFILE),
];

/// The name of our tool_server among an agent's servers of tools.
pub(crate) const DESK: &str = "sealwright";
/// What agents are given in place of a key or a login. The real one is added where their requests leave the sandbox.
pub(crate) const NO_KEY: &str = "kept-outside";

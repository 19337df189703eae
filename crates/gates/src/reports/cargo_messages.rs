//! What cargo prints for programs while it builds: one message on each line, and how it ended.

use serde::Deserialize;

use crate::reports::{Unreadable, bounded, short};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// How many targets it made, or found made.
    pub artifacts: usize,
    /// What it complains about as errors, each cut short.
    pub errors: Vec<String>,
    pub finished: Finished,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finished {
    /// It does not.
    #[default]
    Unsaid,
    Well,
    Badly,
}

/// Reads all messages. Lines of build scripts and others are passed over: cargo's own are what counts.
pub fn read(bytes: &[u8]) -> Result<Build, Unreadable> {
    let mut build = Build::default();
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(message) = serde_json::from_str::<Message>(line) else { continue };
        match (message.reason.as_str(), message.success, message.message) {
            ("compiler-artifact", _, _) => build.artifacts += 1,
            ("compiler-message", _, Some(said)) if said.level.starts_with("error") => {
                bounded(build.errors.len() + 1)?;
                build.errors.push(short(said.rendered.as_deref().unwrap_or(&said.message)));
            }
            ("build-finished", Some(success), _) => {
                if build.finished != Finished::Unsaid {
                    return Err(Unreadable::malformed("the build ends twice"));
                }
                build.finished = if success { Finished::Well } else { Finished::Badly };
            }
            _ => {}
        }
    }
    Ok(build)
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    success: Option<bool>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    rendered: Option<String>,
}

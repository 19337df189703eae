//! A trial of an agent: one small assignment of at most a minute, judged from outside.
//!
//! ```text
//! scratch folder ──▶ slot ──▶ agent: write a file, read it, submit a word
//!        │                      │
//!        └── file content ──────┴── submitted word ──▶ claims, each with what was expected and found
//! ```
//!
//! The agent's own report is not trusted: the file is read from the folder, and the word arrives through the role
//! tools.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sealwright_agents::login::LoginKind;
use sealwright_agents::{
    AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Deed, End, Event, Failure, Key,
    Limit,
};
use sealwright_factory::agent_setup::{ConfiguredAgent, Hands};
use sealwright_factory::confined::ConfinedError;
use sealwright_kernel::{Level, Role};
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::probe::Report;
use sealwright_sandbox::{
    Cancel, Mechanism, SandboxError, SandboxSlot, SandboxSlots, system, view,
};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug)]
pub(super) struct Trial {
    pub(super) outcome: CallOutcome,
    pub(super) written: Written,
    /// Commands the agent reports.
    pub(super) commands_told: u32,
    /// The login that signed its requests.
    login: Option<LoginKind>,
    word: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// No file was requested.
    Unasked,
    Right,
    /// Another content, or not a regular file.
    Other,
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Claim {
    pub(super) about: &'static str,
    pub(super) expected: String,
    /// What was found. May contain the agent's own words.
    pub(super) found: String,
    pub(super) holds: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Held,
    /// The agent ran, but a claim does not hold.
    NotProven,
    /// This machine or the provider kept the agent from running.
    Environment,
}

/// Runs the trial in a scratch folder with at least this isolation, and passes on the agent's events.
pub(super) fn attempt(
    configured: &ConfiguredAgent,
    word: &str,
    slots: &SandboxSlots,
    isolation: (&Report, Level),
    hear: &mut dyn FnMut(&Event),
) -> Result<Trial, ConfinedError> {
    let (report, least) = isolation;
    // Agents without hands run nothing, so no isolation is needed.
    if configured.hands == Hands::Both && report.level() < least {
        return Err(SandboxError::TooWeak { found: report.level(), least }.into());
    }
    let slot = slots.take()?;
    let scratch = Scratch::make(&slot)?;
    let mounts = [Mount {
        source: scratch.folder.canonicalize()?,
        at: system::WORK.to_owned(),
        access: Access::ReadWrite,
        need: Need::Required,
    }];
    let cancel = Cancel::new()?;
    let place = AgentSandbox {
        slot: &slot,
        mechanism: report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone()),
        least,
        mounts: &mounts,
        environment: &[],
        folder: system::WORK,
        tools: &[],
        conversation: None,
        cancel: &cancel,
    };
    let mut commands_told = 0_u32;
    let outcome =
        configured.agent.carry_out(&assignment(configured, word)?, &place, &mut |event| {
            if matches!(event, Event::ToolUse { deed: Deed::Command, .. }) {
                commands_told = commands_told.saturating_add(1);
            }
            hear(&event);
        });
    let written = match configured.hands {
        Hands::Both => scratch.written(word)?,
        Hands::None => Written::Unasked,
    };
    let login = match &configured.endpoint.key {
        Key::Login(login) => Some(login.kind),
        Key::None | Key::Secret(_) => None,
    };
    Ok(Trial { outcome, written, commands_told, login, word: word.to_owned() })
}

impl Trial {
    pub(super) fn claims(&self) -> Vec<Claim> {
        let claim = |about, expected: &str, found: String, holds| Claim {
            about,
            expected: expected.to_owned(),
            found,
            holds,
        };
        let started = match &self.outcome.end {
            End::Failed { failure: Failure::NotStarted | Failure::Isolation, why } => Err(why),
            End::Answered { .. }
            | End::GaveUp { .. }
            | End::OutOfBudget { .. }
            | End::RateLimited { .. }
            | End::Cancelled
            | End::Failed { .. } => Ok(()),
        };
        let found = started.map_or_else(Clone::clone, |()| "started".to_owned());
        let mut claims = vec![claim("starts", "started", found, started.is_ok())];
        let file = match self.written {
            Written::Unasked => None,
            Written::Right => Some((self.word.as_str(), true)),
            Written::Other => Some(("something else", false)),
            Written::Missing => Some(("no file", false)),
        };
        if let Some((found, holds)) = file {
            claims.push(claim("writes hello.txt", &self.word, found.to_owned(), holds));
        }
        let (found, holds) = match &self.outcome.end {
            End::Answered { answer } => {
                let said = answer.get("word").and_then(Value::as_str).unwrap_or_default();
                (said.to_owned(), said == self.word)
            }
            end => (end_text(end), false),
        };
        claims.push(claim("answers", &self.word, found, holds));
        claims
    }

    pub(super) fn verdict(&self) -> Verdict {
        match &self.outcome.end {
            End::Answered { .. } if self.claims().iter().all(|claim| claim.holds) => Verdict::Held,
            End::Answered { .. }
            | End::GaveUp { .. }
            | End::OutOfBudget { .. }
            | End::Cancelled => Verdict::NotProven,
            End::RateLimited { .. } => Verdict::Environment,
            End::Failed { failure, .. } => match failure {
                Failure::NotStarted
                | Failure::Isolation
                | Failure::Unauthorised
                | Failure::Unreachable => Verdict::Environment,
                Failure::Refused
                | Failure::Truncated
                | Failure::WrongShape
                | Failure::BadStream
                | Failure::Died => Verdict::NotProven,
            },
        }
    }

    pub(super) fn hint(&self) -> Option<String> {
        let hint = match &self.outcome.end {
            End::Answered { .. } => match (self.verdict(), self.written) {
                (Verdict::Held, _) => return None,
                (_, Written::Missing | Written::Other) => {
                    "the agent answers but does not do the work; try another `model`"
                }
                (_, Written::Right | Written::Unasked) => {
                    "the agent does not follow a short brief; try another `model`"
                }
            },
            End::GaveUp { .. } => {
                "the agent ended without submitting a result; try a `model` that can call tools"
            }
            End::OutOfBudget { limit } => match limit {
                Limit::Minutes => {
                    "the trial took longer than a minute; check whether the model answers at all"
                }
                Limit::Turns => "the agent did not finish in eight turns; try another `model`",
                Limit::Dollars | Limit::Tokens => "the agent exceeded its budget",
            },
            End::RateLimited { retry_after_s: Some(seconds) } => {
                return Some(format!("the provider asks to wait {seconds} s; try again then"));
            }
            End::RateLimited { retry_after_s: None } => {
                "the provider asks to wait; try again later, or check the limits of your plan"
            }
            End::Cancelled => "cancelled; try again",
            End::Failed { failure: Failure::Unauthorised, .. } if self.login.is_some() => {
                let sign_in = self.login.map_or("", LoginKind::sign_in);
                return Some(format!(
                    "`{sign_in}` signs in again; `sealwright login` shows whether the login works"
                ));
            }
            End::Failed { failure, .. } => what_to_do(*failure),
        };
        Some(hint.to_owned())
    }
}

fn what_to_do(failure: Failure) -> &'static str {
    match failure {
        Failure::NotStarted => {
            "run the program by hand with `--version`; `sealwright doctor` shows what it needs"
        }
        Failure::Isolation => {
            "`sealwright doctor` shows the available isolation and how to improve it"
        }
        Failure::Unauthorised => {
            "the key was rejected: check that the variable named by `key_env` holds a key of this provider, \
             and that the key has access to the model"
        }
        Failure::Unreachable => {
            "check `base_url`, which does not end with a version, and that this machine can reach it; \
             `sealwright doctor --online` tests it"
        }
        Failure::Refused => "the model refused; try another `model`",
        Failure::Truncated => "the model stops too early; try one with a larger output limit",
        Failure::WrongShape => "the model does not follow the schema; try another `model`",
        Failure::BadStream => {
            "check that `protocol` is right, and that the program is not newer than this version supports"
        }
        Failure::Died => "try again; if it fails again, run the program by hand",
    }
}

fn end_text(end: &End) -> String {
    match end {
        End::Answered { .. } => "an answer".to_owned(),
        End::GaveUp { why } => format!("nothing: the agent ended with \"{why}\""),
        End::OutOfBudget { limit } => match limit {
            Limit::Dollars => "nothing: dollar budget reached",
            Limit::Tokens => "nothing: token budget reached",
            Limit::Turns => "nothing: turn limit reached",
            Limit::Minutes => "nothing: time limit reached",
        }
        .to_owned(),
        End::RateLimited { .. } => "nothing: rate-limited".to_owned(),
        End::Cancelled => "nothing: cancelled".to_owned(),
        End::Failed { why, .. } => format!("nothing: {why}"),
    }
}

/// The schema of the answer.
const SHAPE: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "required": ["word"],
    "properties": {"word": {"type": "string"}}
}"#;

fn assignment(configured: &ConfiguredAgent, word: &str) -> io::Result<Assignment> {
    let shape = serde_json::from_str(SHAPE).map_err(io::Error::other)?;
    let brief = match configured.hands {
        Hands::Both => format!(
            "This is a short trial. You work in the current folder. Do three things, in this order, and nothing else:\n\
             1. Write a file `{FILE}` that holds the one word `{word}`.\n\
             2. Run `cat {FILE}` in a shell.\n\
             3. Submit `{{\"word\": \"{word}\"}}` with the tool `submit_result`.\n"
        ),
        Hands::None => {
            format!(
                "This is a short trial. Answer with `{{\"word\": \"{word}\"}}` and nothing else.\n"
            )
        }
    };
    Ok(Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief,
        access: match configured.hands {
            Hands::Both => sealwright_kernel::Access::Write,
            Hands::None => sealwright_kernel::Access::ReadOnly,
        },
        schema: AnswerSchema::new(shape).map_err(io::Error::other)?,
        budget: Budget {
            wall_ms_max: WALL_MS_MAX,
            turns_max: Some(TURNS_MAX),
            ..Budget::default()
        },
        model: configured.model.clone(),
        endpoint: configured.endpoint.clone(),
    })
}

struct Scratch {
    folder: std::path::PathBuf,
}

impl Scratch {
    fn make(slot: &SandboxSlot) -> io::Result<Self> {
        let folder = slot.folder().join("trial");
        if folder.exists() {
            view::discard(&folder).map_err(io::Error::other)?;
        }
        std::fs::create_dir(&folder)?;
        let scratch = Self { folder };
        if let Some(user) = slot.run_as() {
            std::os::unix::fs::chown(&scratch.folder, Some(user), Some(user))?;
        }
        Ok(scratch)
    }

    /// Compares the file with `word`. The agent has ended; links are still not followed.
    fn written(&self, word: &str) -> io::Result<Written> {
        let path = self.folder.join(FILE);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Ok(Written::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::Missing),
            Err(error) => return Err(error),
        }
        Ok(if first_bytes(&path)?.trim_ascii() == word.as_bytes() {
            Written::Right
        } else {
            Written::Other
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed with the slot.
        let _ = view::discard(&self.folder);
    }
}

fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?,
        // The agent may have removed its own read permission; such a file does not hold the word.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => 0,
        Err(error) => return Err(error),
    };
    Ok(bytes)
}

const FILE: &str = "hello.txt";
const FILE_BYTES_MAX: u64 = 4 << 10;
const WALL_MS_MAX: u64 = 60_000;
const TURNS_MAX: u32 = 8;

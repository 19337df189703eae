//! A trial: one small assignment of a minute at most, and what was seen of it from outside.
//!
//! ```text
//! scratch folder ──▶ slot ──▶ agent: write a file, look at it, hand a word in
//!        │                      │
//!        └── what lies there ───┴── what was handed in ──▶ claims, each with what was expected and found
//! ```
//!
//! What the agent says of itself is not believed: the file is read from the folder, the word comes by the role tools.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sealwright_agents::{
    AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Deed, End, Event, Failure, Limit,
};
use sealwright_kernel::{Level, Role, invocation};
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::probe::Report;
use sealwright_sandbox::{
    Cancel, Mechanism, SandboxError, SandboxSlot, SandboxSlots, system, view,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{ConfiguredAgent, Hands};
use crate::confined::ConfinedError;

/// What was seen of a trial.
#[derive(Debug)]
pub struct Trial {
    /// How it ended, and what it cost.
    pub outcome: CallOutcome,
    /// What lay in the folder afterwards.
    pub written: Written,
    /// Commands that the agent says it ran.
    pub commands_told: u32,
    word: String,
}

/// What lay in the folder after a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing was asked for.
    Unasked,
    /// The file, with the word.
    Right,
    /// The file, with something else, or something that is no file.
    Other,
    /// No file.
    Missing,
}

/// One thing that a trial shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// What it is about.
    pub about: &'static str,
    /// What was expected.
    pub expected: String,
    /// What was found. Part of it may be the agent's own words.
    pub found: String,
    /// Whether the two agree.
    pub holds: bool,
}

/// What a trial comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything held.
    Held,
    /// It ran, and something is missing.
    NotProven,
    /// The machine around it, or the model's owner, did not let it run.
    Environment,
}

/// Tries somebody in a scratch folder, behind walls that are at least so strong, and tells what they do.
pub fn attempt(
    hired: &ConfiguredAgent,
    word: &str,
    slots: &SandboxSlots,
    walls: (&Report, Level),
    hear: &mut dyn FnMut(&Event),
) -> Result<Trial, ConfinedError> {
    let (report, least) = walls;
    // Where nothing is run, nothing has to be held.
    if hired.hands == Hands::Both && report.level() < least {
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
        cancel: &cancel,
    };
    let mut commands_told = 0_u32;
    let outcome = hired.agent.carry_out(&assignment(hired, word)?, &place, &mut |event| {
        if matches!(event, Event::ToolUse { deed: Deed::Command, .. }) {
            commands_told = commands_told.saturating_add(1);
        }
        hear(&event);
    });
    let written = match hired.hands {
        Hands::Both => scratch.written(word)?,
        Hands::None => Written::Unasked,
    };
    Ok(Trial { outcome, written, commands_told, word: word.to_owned() })
}

impl Trial {
    /// What was expected and what was found, one thing after the other.
    pub fn claims(&self) -> Vec<Claim> {
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
        let found = started.map_or_else(Clone::clone, |()| "it did".to_owned());
        let mut claims = vec![claim("starts", "it does", found, started.is_ok())];
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
            end => (told(end), false),
        };
        claims.push(claim("answers", &self.word, found, holds));
        claims
    }

    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
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

    /// What a person can do about what did not hold.
    pub fn hint(&self) -> Option<String> {
        let hint = match &self.outcome.end {
            End::Answered { .. } => match (self.verdict(), self.written) {
                (Verdict::Held, _) => return None,
                (_, Written::Missing | Written::Other) => {
                    "it answers and does not do the work; try another `model`"
                }
                (_, Written::Right | Written::Unasked) => {
                    "it does not follow a short brief; try another `model`"
                }
            },
            End::GaveUp { .. } => {
                "it ended without handing anything in; try a `model` that can call tools"
            }
            End::OutOfBudget { limit } => match limit {
                Limit::Minutes => {
                    "a minute was not enough; see whether the model answers at all, or is only slow"
                }
                Limit::Turns => "it did not come to an end in eight turns; try another `model`",
                Limit::Dollars | Limit::Tokens => "it used up more than it may",
            },
            End::RateLimited { retry_after_s: Some(seconds) } => {
                return Some(format!("its owner asks to wait {seconds} s; try again then"));
            }
            End::RateLimited { retry_after_s: None } => {
                "its owner asks to wait; try again later, or see what your plan allows"
            }
            End::Cancelled => "it was called off; try again",
            End::Failed { failure, .. } => what_to_do(*failure),
        };
        Some(hint.to_owned())
    }
}

/// What a person can do about a failure.
fn what_to_do(failure: Failure) -> &'static str {
    match failure {
        Failure::NotStarted => {
            "run the program by hand with `--version`; `sealwright doctor` says what it needs"
        }
        Failure::Isolation => {
            "`sealwright doctor` says which walls there are, and how to have better ones"
        }
        Failure::Unauthorised => {
            "the key was not accepted: see that the variable `key_env` names holds a key of this owner, \
             and that it may ask this model"
        }
        Failure::Unreachable => {
            "see that `base_url` is right, without the version at its end, and that this machine may go \
             there; `sealwright doctor --online` tries"
        }
        Failure::Refused => "the model would not do it; try another `model`",
        Failure::Truncated => "the model stops too early; try one that may write more",
        Failure::WrongShape => "the model does not hold to a schema; try another `model`",
        Failure::BadStream => {
            "see that `protocol` is what is spoken there, and that the program is not newer than what is known"
        }
        Failure::Died => {
            "try again; if it dies once more, run the program by hand and see what it says"
        }
    }
}

/// An end in a few words.
fn told(end: &End) -> String {
    match end {
        End::Answered { .. } => "an answer".to_owned(),
        End::GaveUp { why } => format!("nothing: it ended with \"{why}\""),
        End::OutOfBudget { limit } => match limit {
            Limit::Dollars => "nothing: no money was left",
            Limit::Tokens => "nothing: no tokens were left",
            Limit::Turns => "nothing: no turns were left",
            Limit::Minutes => "nothing: no time was left",
        }
        .to_owned(),
        End::RateLimited { .. } => "nothing: it has to wait".to_owned(),
        End::Cancelled => "nothing: it was called off".to_owned(),
        End::Failed { why, .. } => format!("nothing: {why}"),
    }
}

fn assignment(hired: &ConfiguredAgent, word: &str) -> io::Result<Assignment> {
    let shape = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["word"],
        "properties": {"word": {"type": "string"}},
    });
    let brief = match hired.hands {
        Hands::Both => format!(
            "This is a short trial. You work in the current folder. Do three things, in this order, and nothing else:\n\
             1. Write a file `{FILE}` that holds the one word `{word}`.\n\
             2. Run `cat {FILE}` in a shell.\n\
             3. Hand in `{{\"word\": \"{word}\"}}` with the tool `submit_result`.\n"
        ),
        Hands::None => {
            format!(
                "This is a short trial. Answer with `{{\"word\": \"{word}\"}}` and nothing else.\n"
            )
        }
    };
    Ok(Assignment {
        role: Role::Builder,
        brief,
        access: match hired.hands {
            Hands::Both => invocation::Access::Write,
            Hands::None => invocation::Access::ReadOnly,
        },
        schema: AnswerSchema::new(shape).map_err(io::Error::other)?,
        budget: Budget {
            wall_ms_max: WALL_MS_MAX,
            turns_max: Some(TURNS_MAX),
            ..Budget::default()
        },
        model: hired.model.clone(),
        endpoint: hired.endpoint.clone(),
    })
}

/// A folder for one trial.
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

    /// What lies there. Whoever could change it is dead by now; links are not followed all the same.
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
        // What cannot be taken away now goes with the slot.
        let _ = view::discard(&self.folder);
    }
}

fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?,
        // A file that its owner closed to everybody holds nothing that was asked for.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => 0,
        Err(error) => return Err(error),
    };
    Ok(bytes)
}

const FILE: &str = "hello.txt";
/// More than any word has.
const FILE_BYTES_MAX: u64 = 4 << 10;
const WALL_MS_MAX: u64 = 60_000;
const TURNS_MAX: u32 = 8;

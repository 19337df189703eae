//! A person: the brief is written down for them, and their answer is waited for.
//!
//! ```text
//! brief.md, schema.json ──▶ person ──▶ result.json ──▶ schema ──▶ answer
//!                             ▲                          │
//!                             └────── problems.txt ◀─────┘
//! ```
//!
//! They work where the view is, with whatever they like, so there are no walls around them and nothing is counted but
//! time.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::reading::{Unreadable, read};
use crate::agent_error::Trouble;
use crate::outcome::Cut;
use crate::{Agent, AgentSandbox, Assignment, CallOutcome, Event, Limit, Said, Spent, conclude};

/// A person who is asked through files in a folder.
pub struct Human {
    key: String,
    folder: PathBuf,
}

impl Human {
    /// A person who looks into this folder, and answers there.
    pub fn new(key: &str, folder: &Path) -> Self {
        Self { key: key.to_owned(), folder: folder.to_owned() }
    }

    fn attempt(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Result<CallOutcome, Trouble> {
        let began = now();
        self.prepare(assignment)?;
        hear(Event::Text { text: self.told(place) });
        let until = began + Duration::from_millis(assignment.budget.wall_ms_max.min(WALL_MS_MAX));
        let mut tray = Tray { folder: &self.folder, last: Vec::new(), objected: false };
        let end = loop {
            let left = until.saturating_duration_since(now());
            if place.cancel.is_cancelled_within(left.min(LOOK)) {
                break conclude(Some(Cut::Cancelled), None, Said::Nothing);
            }
            if let Some(answer) = tray.look(assignment, hear)? {
                break conclude(None, Some(answer), Said::Nothing);
            }
            if now() >= until {
                break conclude(Some(Cut::Budget(Limit::Minutes)), None, Said::Nothing);
            }
        };
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(CallOutcome {
            spent: Spent { wall_ms, ..Spent::default() },
            ..CallOutcome::unspent(end)
        })
    }

    /// Writes the question down, and takes away what is left of another.
    fn prepare(&self, assignment: &Assignment) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        for name in [RESULT, PROBLEMS] {
            remove(&self.folder.join(name))?;
        }
        fs::write(self.folder.join("brief.md"), &assignment.brief)?;
        let schema = serde_json::to_string_pretty(assignment.schema.value())?;
        fs::write(self.folder.join("schema.json"), schema + "\n")
    }

    fn told(&self, place: &AgentSandbox<'_>) -> String {
        let folder = self.folder.display();
        let work = place
            .mounts
            .iter()
            .find(|mount| mount.at == place.folder)
            .map(|mount| format!(" The work lies in {}.", mount.source.display()))
            .unwrap_or_default();
        format!(
            "Read {folder}/brief.md.{work} When you are done, write {folder}/{RESULT} in the shape of \
             {folder}/schema.json. If something is wrong with it, {folder}/{PROBLEMS} says what."
        )
    }
}

impl Agent for Human {
    fn key(&self) -> &str {
        &self.key
    }

    fn family(&self) -> &str {
        "human"
    }

    fn carry_out(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome {
        self.attempt(assignment, place, hear).unwrap_or_else(CallOutcome::from)
    }
}

/// Where the answer is handed in.
struct Tray<'t> {
    folder: &'t Path,
    /// What lay there at the last look.
    last: Vec<u8>,
    /// Whether it was objected to already.
    objected: bool,
}

impl Tray<'_> {
    /// The answer, if a right one lies there. What is wrong with another is written beside it, once.
    fn look(
        &mut self,
        assignment: &Assignment,
        hear: &mut dyn FnMut(Event),
    ) -> io::Result<Option<serde_json::Value>> {
        let Some(found) = contents(&self.folder.join(RESULT))? else { return Ok(None) };
        let problem = match read(&String::from_utf8_lossy(&found), &assignment.schema) {
            Ok(answer) => {
                remove(&self.folder.join(PROBLEMS))?;
                return Ok(Some(answer));
            }
            Err(problem) => problem,
        };
        if self.last != found {
            (self.last, self.objected) = (found, false);
            // It may be half written; what is no JSON yet gets until the next look.
            if matches!(problem, Unreadable::NotJson { .. }) {
                return Ok(None);
            }
        }
        if !self.objected {
            self.objected = true;
            let told = problem.told();
            fs::write(self.folder.join(PROBLEMS), format!("{told}\n"))?;
            hear(Event::Warning { text: told });
        }
        Ok(None)
    }
}

/// What a file says, up to a bound; nothing if there is none. What is no file could keep us waiting for ever.
fn contents(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut found = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(RESULT_BYTES_MAX).read_to_end(&mut found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(found))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "patience with a person needs a clock")]
fn now() -> Instant {
    Instant::now()
}

const RESULT: &str = "result.json";
const PROBLEMS: &str = "problems.txt";
const LOOK: Duration = Duration::from_millis(200);
const RESULT_BYTES_MAX: u64 = 1 << 20;
/// Longer than any wait for a person, and short of what a clock can count to.
const WALL_MS_MAX: u64 = 365 * 24 * 3_600_000;

//! A visit to a clean room: frozen tests over a candidate's plain source.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::random_word;
use sealwright_gates::{Canary, Room, Said, Seen, Toolchain, Visited};
use sealwright_kernel::{Confinement, Digest, Hasher};
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{
    self, Cargo, CargoParts, Conditions, Language, Pytest, RoomError, RoomOutcome, Sources,
};
use sealwright_sandbox::{Cancel, RunOutcome};

use super::run::seen;
use super::{Candidate, Command, Frozen, GateRunner, GateRunnerError};
use crate::error::whole;

impl GateRunner {
    pub(super) async fn visit(
        self: &Arc<Self>,
        room: Room,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<(Seen, Vec<Command>), GateRunnerError> {
        let toolchain = room.toolchain;
        let checked = self.in_room(room, candidate, cancel, |gates, room, conditions| {
            room.check(&gates.slots, conditions)
        });
        Ok(match checked.await? {
            Ok(outcome) => facts(toolchain, outcome),
            Err(why) => (Seen::Nothing { why }, Vec::new()),
        })
    }

    /// Prepares a room for a candidate, and does something in it. Where there can be no such room, it says why.
    pub(super) async fn in_room<T: Send + 'static>(
        self: &Arc<Self>,
        room: Room,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
        act: impl FnOnce(&Self, &room::Room<'_>, &Conditions<'_>) -> Result<T, RoomError>
        + Send
        + 'static,
    ) -> Result<Result<T, String>, GateRunnerError> {
        let Candidate { trees, base, tree, frozen, .. } = candidate;
        let place = tempfile::tempdir_in(&self.scratch)?;
        let (work, laid) = (place.path().join("work"), place.path().join("frozen"));
        trees.write(base, tree, &work).await?;
        frozen.write(&laid)?;
        let (gates, frozen, cancel) = (self.clone(), frozen.clone(), cancel.clone());
        let acted = tokio::task::spawn_blocking(move || {
            let mut conditions = Conditions::new(gates.mechanism.clone(), gates.least);
            conditions.cancel = Some(&cancel);
            let nonce = nonce()?;
            let tests: Vec<&str> = room.tests.iter().map(String::as_str).collect();
            let acted = match gates.language(room.toolchain, &laid, &conditions) {
                Ok(None) => return Ok(Err(format!("no {} was found here", name(room.toolchain)))),
                Err(error) => Err(error),
                Ok(Some(language)) => {
                    let wall_ms = u64::from(room.timeout_s) * 1000;
                    let room = room::Room {
                        work_tree: &work,
                        sources: sources(room.toolchain, &frozen),
                        frozen: &laid,
                        tests: &tests,
                        witnesses: &frozen.witnesses,
                        nonce: &nonce,
                        language: &language,
                        limits: Limits { wall_ms, ..Limits::default() },
                    };
                    act(&gates, &room, &conditions)
                }
            };
            drop(place);
            match acted {
                Ok(acted) => Ok(Ok(acted)),
                Err(RoomError::Sandbox { source }) => Err(source.into()),
                Err(error) => Ok(Err(whole(&error))),
            }
        });
        acted.await.map_err(|_| GateRunnerError::Died)?
    }

    /// What builds and runs tests: found out once for each lock, because all of it is read and hashed.
    fn language(
        &self,
        toolchain: Toolchain,
        frozen: &Path,
        conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError> {
        let key = (toolchain, manifests(toolchain, frozen)?);
        let known = |languages: &BTreeMap<_, Language>| languages.get(&key).cloned();
        if let Some(language) = self.languages.lock().ok().and_then(|it| known(&it)) {
            return Ok(Some(language));
        }
        let found = self.find(toolchain, frozen, conditions)?;
        if let (Some(language), Ok(mut languages)) = (&found, self.languages.lock()) {
            if languages.len() >= LANGUAGES_MAX {
                languages.clear();
            }
            languages.insert(key, language.clone());
        }
        Ok(found)
    }

    fn find(
        &self,
        toolchain: Toolchain,
        frozen: &Path,
        conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError> {
        match toolchain {
            Toolchain::Rust => {
                let (Some(rust), Some(cargo_home)) = (&self.tools.rust, &self.tools.cargo_home)
                else {
                    return Ok(None);
                };
                let parts = CargoParts { toolchain: rust, cargo_home, frozen };
                let slot = self.slots.take()?;
                Cargo::provide(&self.cache, parts, &slot, conditions)
                    .map(|cargo| Some(Language::Rust(cargo)))
            }
            Toolchain::Python => {
                let Some(python) = &self.tools.python else { return Ok(None) };
                Pytest::provide(&python.interpreter, &python.site)
                    .map(|pytest| Some(Language::Python(pytest)))
            }
        }
    }
}

/// Everything a language is provided from.
fn manifests(toolchain: Toolchain, frozen: &Path) -> Result<Digest, RoomError> {
    let mut hasher = Hasher::default();
    let mut open = match toolchain {
        Toolchain::Rust => vec![frozen.to_owned()],
        Toolchain::Python => Vec::new(),
    };
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|it| it != "rs") || path.ends_with("build.rs") {
                hasher.update(
                    path.strip_prefix(frozen).unwrap_or(&path).as_os_str().as_encoded_bytes(),
                );
                hasher.update(&Digest::of(&std::fs::read(&path)?).hex());
            }
        }
    }
    Ok(hasher.finish())
}

fn sources(toolchain: Toolchain, frozen: &Frozen) -> Sources {
    let folders: Vec<&str> = frozen.sources.iter().map(String::as_str).collect();
    let data: Vec<&str> = frozen.data.iter().map(String::as_str).collect();
    let sources = match toolchain {
        Toolchain::Rust => Sources::rust(&folders),
        Toolchain::Python => Sources::python(&folders),
    };
    sources.with_files(&data)
}

fn facts(toolchain: Toolchain, outcome: RoomOutcome) -> (Seen, Vec<Command>) {
    let around = outcome.digest.whole();
    let mut runs = Vec::new();
    let mut told = |argv: Vec<String>, outcome: RunOutcome| {
        let confinement: Confinement = outcome.confinement.clone();
        let ran = seen(outcome);
        runs.push(Command { argv, ran: ran.clone(), confinement, around });
        ran
    };
    let reports = outcome.reports;
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let build = outcome.build.map(|build| told(words("cargo test --no-run"), build));
    let mut ran = Vec::new();
    for (name, outcome) in outcome.runs {
        let argv = match toolchain {
            Toolchain::Rust => vec!["cargo".to_owned(), "test".to_owned(), name.clone()],
            Toolchain::Python => words("python3 -m pytest"),
        };
        let mut one = told(argv, outcome);
        for report in reports.iter().filter(|report| report.run == name) {
            let said = Said { bytes: report.kept.clone(), total: report.total };
            one.reports.insert(report.name.clone(), said);
        }
        ran.push((name, one));
    }
    let canary = match outcome.canary {
        room::Canary::Failed => Canary::Failed,
        room::Canary::Passed { test, why } => Canary::Passed { what: format!("{test}: {why}") },
        room::Canary::NotNeeded => Canary::NotNeeded,
    };
    let tampering = outcome.tampering.into_iter().map(|it| (it.path, it.why)).collect();
    (Seen::Visited(Visited { tampering, build, runs: ran, canary }), runs)
}

/// What a canary is called.
fn nonce() -> std::io::Result<String> {
    Ok(format!("n{}", &random_word::word()?[..NONCE_LETTERS]))
}

pub(super) fn name(toolchain: Toolchain) -> &'static str {
    match toolchain {
        Toolchain::Rust => "Rust toolchain",
        Toolchain::Python => "Python with pytest",
    }
}

/// Repositories are few; whoever has more locks than this pays for reading them again.
const LANGUAGES_MAX: usize = 64;
/// As many as nobody guesses, and a test may be called by.
const NONCE_LETTERS: usize = 24;

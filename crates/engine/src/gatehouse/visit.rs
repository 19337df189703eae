//! A visit to a clean room: frozen tests over a candidate's plain source.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::{Canary, Room, Said, Seen, Toolchain, Visited};
use sealwright_kernel::{Confinement, Digest, Hasher};
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{
    self, Cargo, CargoParts, Conditions, Language, Pytest, RoomError, RoomOutcome, Sources,
};
use sealwright_sandbox::{Cancel, Outcome};

use super::run::seen;
use super::{Candidate, Command, Frozen, Gatehouse, GatehouseError};

impl Gatehouse {
    pub(super) async fn visit(
        self: &Arc<Self>,
        room: Room,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<(Seen, Vec<Command>), GatehouseError> {
        let Candidate { trees, base, tree, frozen, .. } = candidate;
        let place = tempfile::tempdir_in(&self.scratch)?;
        trees.write(base, tree, &place.path().join("work")).await?;
        frozen.write(&place.path().join("frozen"))?;
        let (house, frozen, cancel) = (self.clone(), frozen.clone(), cancel.clone());
        let visited =
            tokio::task::spawn_blocking(move || house.enter(&room, &frozen, place.path(), &cancel));
        visited.await.map_err(|_| GatehouseError::Died)?
    }

    fn enter(
        &self,
        room: &Room,
        frozen: &Frozen,
        place: &Path,
        cancel: &Cancel,
    ) -> Result<(Seen, Vec<Command>), GatehouseError> {
        let mut conditions = Conditions::new(self.mechanism.clone(), self.least);
        conditions.cancel = Some(cancel);
        let nothing = |why: String| Ok((Seen::Nothing { why }, Vec::new()));
        let language = match self.language(room.toolchain, &place.join("frozen"), &conditions) {
            Ok(Some(language)) => language,
            Ok(None) => return nothing(format!("no {} was found here", name(room.toolchain))),
            Err(error) => return nothing(told(&error)),
        };
        let tests: Vec<&str> = room.tests.iter().map(String::as_str).collect();
        let outcome = room::Room {
            work_tree: &place.join("work"),
            sources: sources(room.toolchain, frozen),
            frozen: &place.join("frozen"),
            tests: &tests,
            witnesses: &frozen.witnesses,
            nonce: &nonce()?,
            language: &language,
            limits: Limits { wall_ms: u64::from(room.timeout_s) * 1000, ..Limits::default() },
        }
        .check(&self.seats, &conditions);
        match outcome {
            Ok(outcome) => Ok(facts(room.toolchain, outcome)),
            Err(RoomError::Sandbox { source }) => Err(source.into()),
            Err(error) => nothing(told(&error)),
        }
    }

    /// What builds and runs tests: found out once for each lock, because all of it is read and hashed.
    pub(super) fn language(
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
                let seat = self.seats.take()?;
                Cargo::provide(&self.cache, parts, &seat, conditions)
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

pub(super) fn sources(toolchain: Toolchain, frozen: &Frozen) -> Sources {
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
    let mut told = |argv: Vec<String>, outcome: Outcome| {
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

/// A name that nobody can guess.
pub(super) fn nonce() -> std::io::Result<String> {
    let mut bytes = [0; 12];
    let mut random = std::fs::File::open("/dev/urandom")?;
    std::io::Read::read_exact(&mut random, &mut bytes)?;
    Ok(bytes.iter().fold("n".to_owned(), |nonce, byte| format!("{nonce}{byte:02x}")))
}

fn name(toolchain: Toolchain) -> &'static str {
    match toolchain {
        Toolchain::Rust => "Rust toolchain",
        Toolchain::Python => "Python with pytest",
    }
}

pub(super) fn told(error: &RoomError) -> String {
    let mut told = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        told = format!("{told}: {error}");
        source = error.source();
    }
    told
}

/// Repositories are few; whoever has more locks than this pays for reading them again.
const LANGUAGES_MAX: usize = 64;

//! A visit to a clean room: frozen tests over a candidate's plain source.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::random_word;
use sealwright_gates::{Canary, Room, Said, Seen, Toolchain, Visited};
use sealwright_kernel::Confinement;
use sealwright_kernel::task::slice::is_below;
use sealwright_repo::trees::{Base, write_files};
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{self, Conditions, Language, RoomError, RoomOutcome, Sources};
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
        let checked = self.in_room(room, candidate, cancel, |gates, room, conditions| {
            room.check(&gates.slots, conditions)
        });
        Ok(match checked.await? {
            Ok(outcome) => facts(outcome),
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
        let place = self.scratch.new_folder()?;
        let (work, laid) = (place.path().join("work"), place.path().join("frozen"));
        trees.write_without_old_links(base, tree, &work).await?;
        write_files(&laid, &trees.without_old_links(base, tree, &frozen.files).await?)?;
        let (gates, frozen, cancel) = (self.clone(), frozen.clone(), cancel.clone());
        let packages = packages(room.toolchain, base);
        let acted = tokio::task::spawn_blocking(move || {
            let mut conditions = Conditions::new(gates.mechanism.clone(), gates.least);
            conditions.cancel = Some(&cancel);
            let nonce = nonce()?;
            let tests: Vec<&str> = room.tests.iter().map(String::as_str).collect();
            let known = room.known_failing.iter();
            let known_failing: Vec<(String, String)> =
                known.map(|id| (id.suite.clone(), id.name.clone())).collect();
            let acted = match gates.language(room.toolchain, &laid, &conditions) {
                Ok(None) => {
                    let tool = room.toolchain.language().facts().room_tool.name;
                    return Ok(Err(format!("no {tool} was found here")));
                }
                Err(error) => Err(error),
                Ok(Some(language)) => {
                    let wall_ms = u64::from(room.timeout_s) * 1000;
                    let room = room::Room {
                        work_tree: &work,
                        sources: sources(&language, &frozen, packages),
                        frozen: &laid,
                        tests: &tests,
                        witnesses: &frozen.witnesses,
                        known_failing: &known_failing,
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
                // A full disk says nothing of the candidate.
                Err(RoomError::Write { source })
                    if matches!(
                        source.kind(),
                        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                    ) =>
                {
                    Err(source.into())
                }
                Err(error) => {
                    let hint = error.hint().map(|hint| format!("; {hint}"));
                    Ok(Err(format!("{}{}", whole(&error), hint.unwrap_or_default())))
                }
            }
        });
        acted.await.map_err(|_| GateRunnerError::Died)?
    }

    /// What builds and runs tests: found out once for each lock, because all of it is read and hashed.
    pub(super) fn language(
        &self,
        toolchain: Toolchain,
        frozen: &Path,
        conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError> {
        let Some(tools) = self.tools.of(toolchain) else { return Ok(None) };
        let key = (toolchain, tools.inputs(frozen)?);
        let known = |languages: &BTreeMap<_, Language>| languages.get(&key).cloned();
        if let Some(language) = self.languages.lock().ok().and_then(|it| known(&it)) {
            return Ok(Some(language));
        }
        let found = tools.provide(frozen, &self.cache, &self.slots, conditions)?;
        if let (Some(language), Ok(mut languages)) = (&found, self.languages.lock()) {
            if languages.len() >= LANGUAGES_MAX {
                languages.clear();
            }
            languages.insert(key, language.clone());
        }
        Ok(found)
    }
}

/// The folders of the packages that the project had before any role worked on it.
fn packages(toolchain: Toolchain, base: &Base) -> Vec<String> {
    let paths = base.leaves().keys().map(String::as_str).collect();
    toolchain.language().sources(&paths).folders
}

/// What is configured, and the packages below it: a folder such as `src` is none itself.
fn sources(language: &Language, frozen: &Frozen, packages: Vec<String>) -> Sources {
    let is_configured = |folder: &&String| frozen.sources.iter().any(|it| is_below(folder, it));
    let below = packages.iter().filter(|it| !frozen.sources.contains(*it)).filter(is_configured);
    let folders: Vec<&str> = frozen.sources.iter().chain(below).map(String::as_str).collect();
    let data: Vec<&str> = frozen.data.iter().map(String::as_str).collect();
    let names = packages.iter().map(|folder| folder.rsplit('/').next().unwrap_or_default());
    let own: Vec<String> = names.map(str::to_owned).collect();
    language.sources(&folders).with_files(&data).with_own(own)
}

fn facts(outcome: RoomOutcome) -> (Seen, Vec<Command>) {
    let around = outcome.digest.whole();
    let mut runs = Vec::new();
    let mut told = |outcome: RunOutcome| {
        let confinement: Confinement = outcome.confinement.clone();
        let argv = outcome.argv.clone();
        let ran = seen(outcome);
        runs.push(Command { argv, ran: ran.clone(), confinement, around });
        ran
    };
    let reports = outcome.reports;
    let build = outcome.build.map(&mut told);
    let mut all = |runs: Vec<(String, RunOutcome)>| {
        let mut ran = Vec::new();
        for (name, outcome) in runs {
            let mut one = told(outcome);
            for report in reports.iter().filter(|report| report.run == name) {
                let said = Said { bytes: report.kept.clone(), total: report.total };
                one.reports.insert(report.name.clone(), said);
            }
            ran.push((name, one));
        }
        ran
    };
    let (ran, known_failing) = (all(outcome.runs), all(outcome.known_failing));
    let canary = match outcome.canary {
        room::Canary::Failed => Canary::Failed,
        room::Canary::Passed { test, why } => Canary::Passed { what: format!("{test}: {why}") },
        room::Canary::Unseen { test, why } => Canary::Unseen { what: format!("{test}: {why}") },
        room::Canary::NotNeeded => Canary::NotNeeded,
    };
    let tampering = outcome.tampering.into_iter().map(|it| (it.path, it.why)).collect();
    let RoomOutcome { left_out, not_run, without_harness, .. } = outcome;
    let visited = Visited {
        tampering,
        build,
        runs: ran,
        known_failing,
        left_out,
        not_run,
        without_harness,
        canary,
    };
    (Seen::Visited(visited), runs)
}

fn nonce() -> std::io::Result<String> {
    Ok(format!("n{}", &random_word::word()?[..NONCE_LETTERS]))
}

/// A machine with more lock files than this reads them again.
const LANGUAGES_MAX: usize = 64;
/// Too many to guess, and few enough for the name of a test.
const NONCE_LETTERS: usize = 24;

//! The tests of a task across the boundary, in a language that is compiled: its library is called by a program in
//! another room.

use std::collections::BTreeMap;
use std::sync::Arc;

use sealwright_gates::toolchain::Part;
use sealwright_gates::{Status, TestId, TestResult, Toolchain};
use sealwright_judge::rust::{End, Files, Pair, RustTests, RustTrial, TestEnd};
use sealwright_judge::{OTHER, Rooms, TrialError, USUAL};
use sealwright_repo::trees::{LeafKind, Tree, write_files};
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::Conditions;
use sealwright_sandbox::{Cancel, Mechanism};

use super::across::{Across, Apart};
use super::apart::TEST_SECONDS;
use super::guarded_files::part;
use super::{Candidate, GateRunner, GateRunnerError};
use crate::error::whole;

impl GateRunner {
    pub(super) async fn across_compiled(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        (tests, seconds): (&[String], u32),
        cancel: &Arc<Cancel>,
    ) -> Result<Across, GateRunnerError> {
        let shared = |why: &str| Ok(Across::Shared { why: why.to_owned() });
        if self.mechanism != Mechanism::Namespaces {
            return shared("this machine's sandbox cannot keep two rooms apart");
        }
        let Candidate { trees, base, tree, before, frozen, .. } = candidate;
        let frozen = trees.without_old_links(base, tree, &frozen.files).await?;
        let now = sources(candidate, toolchain, tree, &frozen).await?;
        let was = sources(candidate, toolchain, before, &frozen).await?;
        let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for test in tests {
            let package = package(test, &frozen);
            packages.entry(package).or_default().push(test.clone());
        }
        let (gates, cancel) = (self.clone(), cancel.clone());
        let tried = tokio::task::spawn_blocking(move || -> Result<Across, TrialError> {
            let place = gates.scratch.new_folder()?;
            let laid = place.path().join("frozen");
            write_files(&laid, &frozen)?;
            let Self { slots, mechanism, least, .. } = &*gates;
            let rooms = Rooms { slots, mechanism, least: *least };
            let mut conditions = Conditions::new(mechanism.clone(), *least);
            conditions.cancel = Some(&cancel);
            let language = gates.language(toolchain, &laid, &conditions)?;
            let Some(cargo) = language.as_ref().and_then(|it| it.cargo()) else {
                let why = format!("there is no boundary for {}", toolchain.language().name());
                return Ok(Across::Shared { why });
            };
            let mut apart = Apart::default();
            for (package, tests) in &packages {
                let wanted: Vec<&str> = tests.iter().map(String::as_str).collect();
                let trial = RustTrial {
                    cargo,
                    candidate: &now,
                    frozen: &frozen,
                    package,
                    wanted: &wanted,
                    limits: Limits { wall_ms: u64::from(seconds) * 1000, ..Limits::default() },
                    seconds: TEST_SECONDS.min(seconds),
                    cancel: Some(&cancel),
                };
                if !trial.has_subject() {
                    let why = "the package has neither a library nor a program".to_owned();
                    return Ok(Across::Shared { why });
                }
                match add(&mut apart, &trial, &was, rooms) {
                    Ok(None) => {}
                    Ok(Some(why)) => return Ok(Across::Failed { why }),
                    // What could not be taken apart before either is nobody's doing.
                    Err(TrialError::Unread { why }) if !could_be_judged(&trial, &was, rooms) => {
                        return Ok(Across::Shared { why });
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(Across::Tried(apart))
        });
        match tried.await.map_err(|_| GateRunnerError::Died)? {
            Ok(across) => Ok(across),
            Err(TrialError::Sandbox(error)) => Err(error.into()),
            Err(TrialError::Io(error)) => Err(error.into()),
            Err(error @ (TrialError::Unread { .. } | TrialError::Room(_))) => {
                Ok(Across::Failed { why: whole(&error) })
            }
        }
    }
}

/// Judges one package in both rooms. Says what the candidate did that no candidate may do.
fn add(
    apart: &mut Apart,
    trial: &RustTrial<'_>,
    was: &Files,
    rooms: Rooms<'_>,
) -> Result<Option<String>, TrialError> {
    let pair = trial.pair()?;
    let tests = trial.tests(rooms, &pair)?;
    if let Some(why) = withdrawn(trial, was, (&pair, &tests), rooms)? {
        return Ok(Some(why));
    }
    apart.claims.extend(pair.claims.iter().cloned());
    for ((file, name), why) in &tests.shared {
        let suite = format!("test {}", target(file));
        apart.shared.insert((suite, name.clone()), vec![why.clone()]);
    }
    for (surroundings, is_first) in [(&USUAL, true), (&OTHER, false)] {
        let (ends, malformed) = trial.run(rooms, &pair, &tests, surroundings)?;
        if let Some(malformed) = malformed {
            return Ok(Some(malformed.to_string()));
        }
        for TestEnd { suite, name, end } in ends {
            let status = match end {
                End::Passed => Status::Passed,
                End::Failed(why) => Status::Failed { why },
                End::Ignored => Status::Skipped { why: "it is ignored".to_owned() },
                End::Silent => {
                    let why = "it asks nothing that is answered elsewhere".to_owned();
                    apart.shared.insert((suite.clone(), name.clone()), vec![why]);
                    Status::Passed
                }
            };
            let result = TestResult { id: TestId { suite, name }, status, millis: None };
            if is_first { &mut apart.results } else { &mut apart.elsewhere }.push(result);
        }
    }
    Ok(None)
}

/// Whether the code as it was before anything was built can be judged from another room.
fn could_be_judged(trial: &RustTrial<'_>, was: &Files, rooms: Rooms<'_>) -> bool {
    let earlier = RustTrial { candidate: was, ..*trial };
    let judged = || -> Result<(), TrialError> {
        let pair = earlier.pair()?;
        let tests = earlier.tests(rooms, &pair)?;
        earlier.run(rooms, &pair, &tests, &USUAL).map(|_| ())
    };
    judged().is_ok()
}

/// What tests could see from another room before the candidate was built, and cannot any more.
fn withdrawn(
    trial: &RustTrial<'_>,
    was: &Files,
    (now, tests): (&Pair, &RustTests),
    rooms: Rooms<'_>,
) -> Result<Option<String>, TrialError> {
    let before = RustTrial::pair_of(was, trial.frozen, trial.package);
    let is_hidden = |name: &&String| now.staying.contains(name);
    if let Some(name) = before.crossing.iter().find(is_hidden) {
        return Ok(Some(format!("all of a `{name}` could be seen before, and parts cannot now")));
    }
    let of = |derived: &str| derived.split(':').next().unwrap_or_default().to_owned();
    let is_claimed = |it: &&String| !now.derived.contains(it) && now.staying.contains(&of(it));
    if let Some(derived) = before.derived.iter().find(is_claimed) {
        return Ok(Some(format!("`{derived}` was the compiler's before, and is its own word now")));
    }
    if tests.shared.is_empty() {
        return Ok(None);
    }
    let earlier = RustTrial { candidate: was, ..*trial };
    let Ok(earlier) = earlier.tests(rooms, &before) else { return Ok(None) };
    let mut lost = tests.shared.iter().filter(|(test, _)| !earlier.shared.contains_key(*test));
    Ok(lost.next().map(|((_, name), why)| {
        format!("{name} could be built apart from the code before, and cannot now: {why}")
    }))
}

/// The plain files of a tree without its tests, with what is frozen over them.
async fn sources(
    candidate: &Candidate,
    toolchain: Toolchain,
    tree: &Tree,
    frozen: &Files,
) -> Result<Files, GateRunnerError> {
    let Candidate { trees, base, .. } = candidate;
    let is_test = |path: &str| part(&[toolchain], path) == Some(Part::Test);
    let own = frozen.iter().filter(|(path, _)| !is_test(path));
    let mut files: Files = own.map(|(path, content)| (path.clone(), content.clone())).collect();
    for (path, leaf) in tree.leaves(base) {
        let is_plain = leaf.kind != LeafKind::Link;
        let is_out = is_test(path) || candidate.frozen.absent.contains(path);
        if is_plain && !is_out && !files.contains_key(path) {
            let content = trees.read(base, tree, path).await?.unwrap_or_default();
            files.insert(path.to_owned(), content);
        }
    }
    Ok(files)
}

/// The folder of the package that a test file is of, with a slash behind it.
fn package(test: &str, frozen: &Files) -> String {
    let above = test.match_indices('/').map(|(at, _)| &test[..=at]).rev();
    let mut above = above.filter(|folder| frozen.contains_key(&format!("{folder}Cargo.toml")));
    above.next().unwrap_or_default().to_owned()
}

/// What cargo calls the tests of a file.
fn target(file: &str) -> &str {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let stem = stem.strip_suffix("/main").unwrap_or(stem);
    stem.rsplit('/').next().unwrap_or_default()
}

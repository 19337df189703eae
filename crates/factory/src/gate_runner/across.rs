//! The tests of a task across the boundary: they are run in one room, the code they judge in another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::reports::junit;
use sealwright_gates::toolchain::Part;
use sealwright_gates::{TestId, TestResult, Toolchain};
use sealwright_judge::{Judgement, OTHER, Rooms, Trial, TrialError, USUAL};
use sealwright_repo::trees::write_files;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::{Cancel, Mechanism};

use super::guarded_files::part;
use super::{Candidate, GateRunner, GateRunnerError};
use crate::error::whole;

/// How tests end where only values pass between them and the code.
#[derive(Clone, Debug)]
pub enum Across {
    /// They can only share a process, whatever the code is: machine, language or project have nothing else.
    Shared {
        why: String,
    },
    /// The code is such that nothing could be tried.
    Failed {
        why: String,
    },
    Tried(Apart),
}

#[derive(Clone, Debug)]
pub struct Apart {
    pub results: Vec<TestResult>,
    /// How they end in another room, which differs in everything an honest program does not care about.
    pub elsewhere: Vec<TestResult>,
    /// Tests that need the process of the code, by suite and name, with the reasons.
    pub shared: BTreeMap<(String, String), Vec<String>>,
}

impl Apart {
    /// Why a test needs the process of the code.
    pub fn reasons(&self, test: &TestId) -> Option<&[String]> {
        let name = test.name.split('[').next().unwrap_or_default().to_owned();
        self.shared.get(&(test.suite.clone(), name)).map(Vec::as_slice)
    }
}

impl GateRunner {
    /// Runs these test files of a candidate in one room, and its packages in another, as somebody would install them.
    pub async fn across(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        (tests, seconds): (&[String], u32),
        cancel: &Arc<Cancel>,
    ) -> Result<Across, GateRunnerError> {
        let language = toolchain.language();
        let found = self.tools.of(toolchain).and_then(|tools| tools.interpreter());
        let Some((interpreter, site)) = found else {
            let why = format!("there is no boundary for {}", language.name());
            return Ok(Across::Shared { why });
        };
        // Files are exchanged where links of one room lead nowhere in the other; that needs walls of our own.
        if self.mechanism != Mechanism::Namespaces {
            let why = "this machine's sandbox cannot keep two rooms apart".to_owned();
            return Ok(Across::Shared { why });
        }
        let Candidate { trees, base, tree, before, frozen } = candidate;
        let place = self.scratch.new_folder()?;
        let [work, code, laid] = ["work", "code", "tests"].map(|name| place.path().join(name));
        trees.write_without_old_links(base, tree, &work).await?;
        let is_test = |path: &str| part(&[toolchain], path) == Some(Part::Test);
        let own = frozen.files.iter().filter(|(path, _)| is_test(path));
        let own = own.map(|(path, content)| (path.clone(), content.clone())).collect();
        write_files(&laid, &trees.without_old_links(base, tree, &own).await?)?;
        let paths: BTreeSet<&str> = tree.leaves(base).map(|(path, _)| path).collect();
        for path in paths.iter().filter(|path| is_test(path)) {
            let _ = fs::remove_file(work.join(path));
        }
        let places = language.sources(&paths);
        let packages = install(&work, &code, places.folders.iter().chain(&places.files))?;
        if packages.is_empty() {
            let before = language.sources(&before.leaves(base).map(|(path, _)| path).collect());
            return Ok(if before.folders.is_empty() && before.files.is_empty() {
                let why = "the project has no package that could be installed".to_owned();
                Across::Shared { why }
            } else {
                Across::Failed { why: "no package is left that could be installed".to_owned() }
            });
        }
        open(&laid)?;
        open(&code)?;
        let (gates, cancel) = (self.clone(), cancel.clone());
        let (tests, interpreter, site) = (tests.to_vec(), interpreter.to_owned(), site.to_owned());
        let tried = tokio::task::spawn_blocking(move || {
            let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
            let wanted: Vec<&str> = tests.iter().map(String::as_str).collect();
            let trial = Trial {
                interpreter: &interpreter,
                site: &site,
                candidate: &code,
                packages: &packages,
                tests: &laid,
                wanted: &wanted,
                options: &[],
                limits: Limits { wall_ms: u64::from(seconds) * 1000, ..Limits::default() },
                seconds: TEST_SECONDS.min(seconds),
                cancel: Some(&cancel),
            };
            let Self { slots, mechanism, least, .. } = &*gates;
            let rooms = Rooms { slots, mechanism, least: *least };
            let (shared, surface) = (trial.shared(rooms)?, trial.surface(rooms)?);
            let judgement = trial.run(rooms, &surface, &USUAL)?;
            let elsewhere = trial.run(rooms, &surface, &OTHER)?;
            drop(place);
            Ok::<_, TrialError>((shared, judgement, elsewhere))
        });
        match tried.await.map_err(|_| GateRunnerError::Died)? {
            Ok((shared, judgement, elsewhere)) => Ok(told(&shared, &judgement, &elsewhere)),
            Err(TrialError::Sandbox(error)) => Err(error.into()),
            Err(TrialError::Io(error)) => Err(error.into()),
            Err(error @ TrialError::Unread { .. }) => Ok(Across::Failed { why: whole(&error) }),
        }
    }
}

fn told(
    shared: &BTreeMap<String, Vec<String>>,
    judgement: &Judgement,
    elsewhere: &Judgement,
) -> Across {
    let results = |judgement: &Judgement| -> Result<Vec<TestResult>, String> {
        if let Some(Ok(tests)) = judgement.report.as_deref().map(junit::read) {
            return Ok(tests.results);
        }
        let said = String::from_utf8_lossy(&judgement.judge.stdout.kept).into_owned();
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Err(format!("the tests wrote no report; the last line says: {last}"))
    };
    let (results, elsewhere) = match (results(judgement), results(elsewhere)) {
        (Ok(results), Ok(elsewhere)) => (results, elsewhere),
        (Err(why), _) | (_, Err(why)) => return Across::Failed { why },
    };
    let named = |(test, why): (&String, &Vec<String>)| {
        let mut parts = test.split("::");
        let file = parts.next()?.strip_suffix(".py")?.replace('/', ".");
        let parts: Vec<&str> = parts.collect();
        let (name, classes) = parts.split_last()?;
        let suite = [&[file.as_str()], classes].concat().join(".");
        Some(((suite, (*name).to_owned()), why.clone()))
    };
    let shared = shared.iter().filter_map(named).collect();
    Across::Tried(Apart { results, elsewhere, shared })
}

/// Puts packages and modules where an installer would: side by side. The names they are imported by.
fn install<'p>(
    work: &Path,
    code: &Path,
    places: impl Iterator<Item = &'p String>,
) -> io::Result<Vec<String>> {
    fs::create_dir(code)?;
    let mut names = Vec::new();
    for place in places {
        let name = place.rsplit('/').next().unwrap_or_default();
        let (from, to) = (work.join(place), code.join(name));
        if fs::symlink_metadata(&from).is_err() || fs::symlink_metadata(&to).is_ok() {
            continue;
        }
        fs::rename(from, to)?;
        names.push(name.strip_suffix(".py").unwrap_or(name).to_owned());
    }
    Ok(names)
}

/// Lets every user read a folder and what is in it. Links stay as they are.
fn open(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            open(&entry.path())?;
        } else if kind.is_file() {
            let mode = entry.metadata()?.permissions().mode() | 0o444;
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// The most that one test may take.
const TEST_SECONDS: u32 = 60;

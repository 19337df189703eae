//! Tests and the code they judge, laid out for two rooms.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::Part;
use sealwright_judge::{Rooms, Trial, TrialError};
use sealwright_repo::trees::write_files;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::{Cancel, Mechanism};
use tempfile::TempDir;

use super::guarded_files::part;
use super::{Candidate, GateRunner, GateRunnerError};
use crate::error::whole;

/// Folders for both rooms. They are removed with it.
pub(super) struct Laid {
    _place: TempDir,
    interpreter: PathBuf,
    site: PathBuf,
    code: PathBuf,
    tests: PathBuf,
    /// The names that packages and modules of the code are imported by.
    pub(super) packages: Vec<String>,
}

impl GateRunner {
    /// Holds a trial of these test files. Says why, where code or tests cannot be read.
    pub(super) async fn held<T: Send + 'static>(
        self: &Arc<Self>,
        laid: Laid,
        (tests, seconds): (&[String], u32),
        cancel: &Arc<Cancel>,
        hold: impl FnOnce(&Trial<'_>, Rooms<'_>) -> Result<T, TrialError> + Send + 'static,
    ) -> Result<Result<T, String>, GateRunnerError> {
        let (gates, cancel, tests) = (self.clone(), cancel.clone(), tests.to_vec());
        let held = tokio::task::spawn_blocking(move || {
            let packages: Vec<&str> = laid.packages.iter().map(String::as_str).collect();
            let wanted: Vec<&str> = tests.iter().map(String::as_str).collect();
            let trial = Trial {
                interpreter: &laid.interpreter,
                site: &laid.site,
                candidate: &laid.code,
                packages: &packages,
                tests: &laid.tests,
                wanted: &wanted,
                options: &[],
                limits: Limits { wall_ms: u64::from(seconds) * 1000, ..Limits::default() },
                seconds: TEST_SECONDS.min(seconds),
                cancel: Some(&cancel),
            };
            let Self { slots, mechanism, least, .. } = &*gates;
            hold(&trial, Rooms { slots, mechanism, least: *least })
        });
        match held.await.map_err(|_| GateRunnerError::Died)? {
            Ok(held) => Ok(Ok(held)),
            Err(TrialError::Sandbox(error)) => Err(error.into()),
            Err(TrialError::Io(error)) => Err(error.into()),
            Err(error @ (TrialError::Unread { .. } | TrialError::Room(_))) => {
                Ok(Err(whole(&error)))
            }
        }
    }

    /// Puts the tests of a candidate into one folder, and its packages into another, as somebody would install them. Says
    /// why, where machine or language have nothing for that.
    pub(super) async fn laid(
        &self,
        candidate: &Candidate,
        toolchain: Toolchain,
    ) -> Result<Result<Laid, String>, GateRunnerError> {
        let language = toolchain.language();
        let found = self.tools.of(toolchain).and_then(|tools| tools.interpreter());
        let Some((interpreter, site)) = found else {
            return Ok(Err(format!("there is no boundary for {}", language.name())));
        };
        // Files are exchanged where links of one room lead nowhere in the other; that needs walls of our own.
        if self.mechanism != Mechanism::Namespaces {
            return Ok(Err("this machine's sandbox cannot keep two rooms apart".to_owned()));
        }
        let Candidate { trees, base, tree, frozen, .. } = candidate;
        let place = self.scratch.new_folder()?;
        let [work, code, tests] = ["work", "code", "tests"].map(|name| place.path().join(name));
        trees.write_without_old_links(base, tree, &work).await?;
        let is_test = |path: &str| part(&[toolchain], path) == Some(Part::Test);
        let own = frozen.files.iter().filter(|(path, _)| is_test(path));
        let own = own.map(|(path, content)| (path.clone(), content.clone())).collect();
        write_files(&tests, &trees.without_old_links(base, tree, &own).await?)?;
        let paths: BTreeSet<&str> = tree.leaves(base).map(|(path, _)| path).collect();
        for path in paths.iter().filter(|path| is_test(path)) {
            let _ = fs::remove_file(work.join(path));
        }
        let places = language.sources(&paths);
        let packages = install(&work, &code, places.folders.iter().chain(&places.files))?;
        open(&tests)?;
        open(&code)?;
        let (interpreter, site) = (interpreter.to_owned(), site.to_owned());
        Ok(Ok(Laid { _place: place, interpreter, site, code, tests, packages }))
    }
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
pub(super) const TEST_SECONDS: u32 = 60;

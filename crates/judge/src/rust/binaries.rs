//! Programs of a candidate: tests start others in their place, which have them run where the candidate is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sealwright_sandbox::plan::{Access, Mount};
use sealwright_sandbox::room::Order;
use sealwright_sandbox::{Ended, SandboxSlot};
use toml::Value;

use super::judged::{Files, OURS, RustTrial};
use super::mended::Errors;
use super::{SHARED_FILES, STARTER, WIRE};
use crate::rooms::{Rooms, Surroundings, folder};
use crate::trial::TrialError;

impl RustTrial<'_> {
    /// The programs of the package, by name, with the source of each.
    pub(super) fn binaries(&self) -> Result<BTreeMap<String, String>, TrialError> {
        let manifest = self.manifest()?;
        let mut found = BTreeMap::new();
        let looks = manifest.get("package").and_then(|it| it.get("autobins")?.as_bool());
        if looks != Some(false) {
            for path in self.candidate.keys().filter_map(|it| it.strip_prefix(self.package)) {
                let inside = path.strip_prefix("src/bin/").and_then(|it| it.strip_suffix(".rs"));
                let inside = inside.map(|it| it.strip_suffix("/main").unwrap_or(it));
                if path == MAIN {
                    found.insert(self.name()?, path.to_owned());
                } else if let Some(name) = inside.filter(|it| !it.contains('/')) {
                    found.insert(name.to_owned(), path.to_owned());
                }
            }
        }
        let listed = manifest.get("bin").and_then(Value::as_array);
        for binary in listed.into_iter().flatten() {
            let Some(name) = binary.get("name").and_then(Value::as_str) else { continue };
            let path = binary.get("path").and_then(Value::as_str).map(str::to_owned);
            let is_of_package = self.name().is_ok_and(|it| it == name);
            let of_package = || is_of_package.then(|| MAIN.to_owned());
            let usual = || of_package().unwrap_or_else(|| format!("src/bin/{name}.rs"));
            let path = path.or_else(|| found.remove(name)).unwrap_or_else(usual);
            found.retain(|_, it| *it != path);
            found.insert(name.to_owned(), path);
        }
        found.retain(|_, path| self.candidate.contains_key(&format!("{}{path}", self.package)));
        Ok(found)
    }

    /// What tests start in their place.
    pub(super) fn add_starters(&self, files: &mut Files) -> Result<(), TrialError> {
        let starter = format!(
            "#![allow(warnings)]\nmod wire {{\n{WIRE}}}\nmod shared_files {{\n{SHARED_FILES}}}\n\
             mod starter {{\n{STARTER}}}\nfn main() {{\n    starter::main();\n}}\n"
        );
        for path in self.binaries()?.into_values() {
            files.insert(format!("{}{path}", self.package), starter.clone().into_bytes());
        }
        Ok(())
    }

    /// Builds them as somebody would who installs them, into a folder.
    pub(super) fn built_binaries(
        &self,
        rooms: Rooms<'_>,
        slot: &SandboxSlot,
        source: &Path,
        surroundings: &Surroundings,
    ) -> Result<Option<PathBuf>, TrialError> {
        let names: Vec<String> = self.binaries()?.into_keys().collect();
        if names.is_empty() {
            return Ok(None);
        }
        let mut words = vec!["build", "--bins", "--offline", "--frozen"];
        let profile = self.profile(surroundings);
        words.extend(profile.iter().map(String::as_str));
        let mounts = [Mount::required(source, surroundings.source, Access::ReadOnly)];
        let at = format!("{}/{}", surroundings.source, self.package);
        let order = Order {
            mounts: &mounts,
            at: at.trim_end_matches('/'),
            words: &words,
            unset: if surroundings.is_optimised { &OURS } else { &[] },
            limits: self.limits,
        };
        let name = "build-of-programs";
        let built = self.cargo.built((slot, name), order, &self.conditions(rooms))?;
        if built.outcome.ended != Ended::Exited(0) {
            let why = Errors::reason(&built.outcome);
            return Err(TrialError::Unread { why: format!("its programs cannot be built: {why}") });
        }
        let place = slot.folder().join("programs");
        folder(&place)?;
        for made in built.executables.iter().filter(|it| names.contains(&it.name)) {
            // Copied with its rights.
            fs::copy(built.kept.join(&made.inside), place.join(&made.name))?;
        }
        Ok(Some(place))
    }
}

const MAIN: &str = "src/main.rs";

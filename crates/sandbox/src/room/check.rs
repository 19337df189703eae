//! One check: two rooms from the same material, one of them with a canary, and what was found in both.

use std::collections::BTreeMap;
use std::path::Path;

use crate::plan::Limits;
use crate::room::canary;
use crate::room::error::RoomError;
use crate::room::language::Language;
use crate::room::material::{self, Material};
use crate::room::outcome::{Canary, RoomDigest, RoomOutcome, Tampering, ended_well};
use crate::room::sources::Sources;
use crate::room::visit::{Conditions, Run, Selection, Site, Visit};
use crate::{Ended, SandboxSlot, SandboxSlots};

#[derive(Clone, Debug)]
pub struct Room<'r> {
    pub work_tree: &'r Path,
    pub sources: Sources,
    /// The harness's own files, by their place in the work tree: manifest, lock, configuration, tests.
    pub frozen: &'r Path,
    /// Which of them are test files. The canary is added to each.
    pub tests: &'r [&'r str],
    /// Tests that are known to be in them, by file. One of each runs beside the canary, so that the code is used; of a
    /// file without a known test, all run.
    pub witnesses: &'r BTreeMap<String, Vec<String>>,
    /// Tests that failed before the change, by suite and name. They run apart, after all others.
    pub known_failing: &'r [(String, String)],
    /// The name of the canary. Random: code that guesses it could pretend that it failed.
    pub nonce: &'r str,
    pub language: &'r Language,
    pub limits: Limits,
}

impl Room<'_> {
    /// Builds two rooms, checks in them at the same time, and says what was found.
    pub fn check(
        &self,
        slots: &SandboxSlots,
        conditions: &Conditions<'_>,
    ) -> Result<RoomOutcome, RoomError> {
        let frozen = material::frozen(self.frozen)?;
        self.validate(&frozen.files)?;
        let sources = self.language.runner().protect(self.sources.clone())?;
        let (material, mut tampering) = Material::gather(self.work_tree, frozen, &sources)?;
        if material.holds(self.nonce) {
            return Err(RoomError::Nonce);
        }
        let with = canary::add(&material, self.tests, &self.language.runner().canary(self.nonce));
        let name = self.language.runner().canary_name(self.nonce);
        let only = canary::beside(self.tests, self.witnesses, &name, self.nonce);
        let known_failing = self.known_failing;
        let all = Selection { only: None, known_failing, runs_known_failing: true };
        let beside = Selection { only: Some(&only), known_failing, runs_known_failing: false };
        let (slot, other) = (slots.take()?, slots.take()?);
        let (visit, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| self.visit(&other, conditions, &with, beside));
            (self.visit(&slot, conditions, &material, all), second.join())
        });
        let visit = visit?;
        tampering.extend(visit.tampering.iter().cloned());
        let has_passed = ended_well(visit.outcomes()) && !visit.runs.is_empty();
        let is_built = visit.build.as_ref().is_none_or(|build| build.ended == Ended::Exited(0));
        let left_out = self.language.runner().left_out(&visit);
        let canary = if is_built && !visit.runs.is_empty() {
            let second = second.map_err(|_| RoomError::Died)??;
            let judge = |tests: &[&str]| {
                canary::judge(&second, tests, |outcome, test| {
                    self.language.runner().has_failed(outcome, test, self.nonce)
                })
            };
            if has_passed {
                let runner = self.language.runner();
                let skipped = runner.all_skipped(&visit);
                let can_fail = |test: &&&str| {
                    !runner.is_without_canary(&material, test, self.known_failing)
                        && !left_out.iter().chain(&skipped).any(|it| it == *test)
                };
                let has_tests = |test: &&str| {
                    let mut own =
                        visit.runs.iter().filter(|run| run.tests.iter().any(|it| it == test));
                    !own.any(|run| runner.has_no_tests(&run.outcome))
                };
                let able: Vec<&str> = self.tests.iter().filter(can_fail).copied().collect();
                let tried: Vec<&str> = able.iter().copied().filter(has_tests).collect();
                // Where all tests stand among the sources, the canary stands alone in its file.
                match (tried.is_empty(), able.is_empty()) {
                    (true, true) => Canary::NotNeeded,
                    (true, false) => judge(&able),
                    (false, _) => judge(&tried),
                }
            } else if self.tests.iter().any(|test| judge(&[*test]) == Canary::Failed) {
                // What makes a test fail may keep the canary of its file from running.
                Canary::Failed
            } else {
                Canary::NotNeeded
            }
        } else {
            Canary::NotNeeded
        };
        if let Canary::Passed { test, why } = &canary {
            tampering.push(Tampering::new(test, &format!("the canary passed: {why}")));
        }
        let digest = RoomDigest {
            sources: material::digest(&material.sources),
            frozen: material::digest(&material.frozen),
            packages: self.language.runner().packages(),
            toolchain: self.language.runner().toolchain(),
            plans: visit.plans,
        };
        let (known_failing, runs): (Vec<Run>, Vec<Run>) =
            visit.runs.into_iter().partition(|run| run.is_known_failing);
        let named = |runs: Vec<Run>| runs.into_iter().map(|run| (run.name, run.outcome)).collect();
        Ok(RoomOutcome {
            digest,
            tampering,
            build: visit.build,
            runs: named(runs),
            known_failing: named(known_failing),
            reports: visit.reports,
            artifacts: visit.artifacts,
            not_run: self.language.runner().not_run(&material),
            left_out,
            without_harness: visit.without_harness,
            canary,
        })
    }

    pub(crate) fn validate(&self, frozen: &material::Files) -> Result<(), RoomError> {
        if self.tests.is_empty() {
            return Err(RoomError::NoTests);
        }
        if let Some(test) = self.tests.iter().find(|test| !frozen.contains_key(**test)) {
            return Err(RoomError::NotFrozen { path: (*test).to_owned() });
        }
        let is_name = (16..=64).contains(&self.nonce.len())
            && self.nonce.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && self.nonce.starts_with(|first: char| first.is_ascii_lowercase());
        if is_name { Ok(()) } else { Err(RoomError::Nonce) }
    }

    /// One room from first to last. Both are built at the same place inside, so nothing there tells them apart.
    pub(crate) fn visit(
        &self,
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
        material: &Material,
        selected: Selection<'_>,
    ) -> Result<Visit, RoomError> {
        let place = slot.folder().join("room");
        crate::slot::remove(&place)?;
        crate::readable::make_folder(&place)?;
        let site = Site { slot, conditions, place: &place, limits: self.limits };
        let visit = self.language.runner().visit(
            &site,
            material,
            self.tests,
            self.sources.folders(),
            selected,
        );
        crate::slot::remove(&place)?;
        visit
    }
}

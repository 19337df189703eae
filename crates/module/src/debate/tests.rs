#![allow(clippy::wildcard_enum_match_arm, reason = "a test speaks of few cases of many")]

mod context;
mod rules;

use std::format;
use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use sealwright_kernel::{Digest, Effect as _, Machine as _, scripted};
use serde_json::Value;

use super::explore::answers::{Sample, proposal, sample};
use super::explore::{careless, explore};
use super::guards::Guard;
use super::ship::TestResult;
use super::vocabulary::{Effect, Event, Input, Rejected, Report, Want};
use super::{Module, Stage};

/// Proves: F-DEBATE-001
#[test]
fn every_run_keeps_the_rules() {
    let explored = explore(None).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((explored.states, explored.steps, explored.rounds), (STATES, STEPS, 4));
    assert!(explored.shipped > 0 && explored.halted > 0 && explored.refused > 0);
}

#[test]
fn a_missing_guard_is_noticed() {
    let is_noticed = |guard: &Guard| explore(Some(*guard)).is_err();
    let survivors: Vec<Guard> = Guard::ALL.into_iter().filter(|it| !is_noticed(it)).collect();
    assert_eq!(survivors, []);
}

#[test]
fn a_careless_world_breaks_nothing() {
    let (mut shipped, mut refused) = (0, 0);
    for seed in 0..SEEDS {
        let run = careless(seed, 80).unwrap_or_else(|why: String| panic!("{why}"));
        shipped += usize::from(run.is_shipped);
        refused += run.refused;
    }
    assert!(shipped > 50 && refused > 1_000, "{shipped} shipped, {refused} refused");
}

/// A debate that is played by hand.
struct Play {
    sample: Sample,
    module: Module,
}

impl Play {
    /// All slices are delivered, and a proposal is due.
    fn new() -> Self {
        let mut play = Self { sample: sample(), module: Module::default() };
        play.tell(&Input::Create { charter: play.sample.charter.clone() });
        while let Some(Effect::Slice { effect }) = play.module.owed().into_iter().next() {
            let input = scripted::slice_answers(&effect).remove(0);
            play.tell(&Input::Slice { input });
        }
        play
    }

    fn tell(&mut self, input: &Input) -> Vec<Event> {
        let events = self.module.decide(input).unwrap_or_else(|why| panic!("{why}: {input:?}"));
        events.iter().for_each(|event| self.module.evolve(event));
        events
    }

    fn asked(&self) -> (Input, Want) {
        match self.module.owed().into_iter().next() {
            Some(owed @ Effect::Module { .. }) => {
                let effect = owed.id();
                let Effect::Module { round, attempt, want, .. } = owed else { unreachable!() };
                (Input::Report { effect, round, attempt, report: Report::Told }, want)
            }
            other => panic!("{other:?}"),
        }
    }

    fn input(&self, told: Report) -> Input {
        let (Input::Report { effect, round, attempt, .. }, _) = self.asked() else {
            unreachable!()
        };
        Input::Report { effect, round, attempt, report: told }
    }

    fn report(&mut self, report: Report) -> Vec<Event> {
        let input = self.input(report);
        self.tell(&input)
    }

    fn refuses(&self, report: Report) -> Rejected {
        self.module.decide(&self.input(report)).unwrap_err()
    }

    fn tree(&self) -> Digest {
        self.module.data().unwrap().round().unwrap().deliverable()
    }

    fn propose(&mut self) -> &mut Self {
        let (_, want) = self.asked();
        let tree = match want {
            Want::Propose { tree, .. } => tree,
            _ => Digest::of(format!("{:?}", self.asked()).as_bytes()),
        };
        self.report(Report::Proposed { tree, answer: proposal().to_string() });
        self
    }

    fn examine(&mut self) -> &mut Self {
        let mut dossier = self.sample.dossier(self.tree());
        dossier.fingerprint = self.module.data().unwrap().locked();
        self.report(Report::Dossier { dossier, files: vec!["src/lib.rs".to_string()] });
        self
    }

    fn challenge(&mut self, answer: &Value) -> &mut Self {
        self.report(Report::Challenged { answer: answer.to_string() });
        self
    }

    fn adjudicate(&mut self, answer: &Value) -> &mut Self {
        self.report(Report::Adjudicated { answer: answer.to_string() });
        self
    }

    fn surface(&mut self, fingerprint: Digest) -> &mut Self {
        let differing = vec!["inputs".to_string()];
        let tree = self.tree();
        self.report(Report::SurfaceRead { tree, fingerprint, differing, observed: vec![] });
        self
    }

    fn tests(&mut self, results: &[TestResult]) -> &mut Self {
        let log = self.sample.log(results);
        let tree = self.tree();
        self.report(Report::TestsRun { tree, log });
        self
    }

    fn stage(&self) -> &Stage {
        self.module.stage()
    }
}

/// What there is to reach; a change of the rules shows here.
const STATES: usize = 2_012;
const STEPS: usize = 17_610;
const SEEDS: u64 = 1_000;

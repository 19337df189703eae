//! The tests of a task across the boundary: they are run in one room, the code they judge in another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_gates::red::IdleProgram;
use sealwright_gates::reports::junit;
use sealwright_gates::{TestId, TestResult, Toolchain};
use sealwright_judge::{Judgement, OTHER, USUAL};
use sealwright_sandbox::Cancel;

use super::{Candidate, GateRunner, GateRunnerError};

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

#[derive(Clone, Debug, Default)]
pub struct Apart {
    pub results: Vec<TestResult>,
    /// How they end in another room, which differs in everything an honest program does not care about.
    pub elsewhere: Vec<TestResult>,
    /// Tests that need the process of the code, by suite and name, with the reasons.
    pub shared: BTreeMap<(String, String), Vec<String>>,
    /// Types of which only the code says whether two of them are equal.
    pub claims: Vec<String>,
}

impl Apart {
    /// Why a test needs the process of the code.
    pub fn reasons(&self, test: &TestId) -> Option<&[String]> {
        let name = test.name.split('[').next().unwrap_or_default().to_owned();
        self.shared.get(&(test.suite.clone(), name)).map(Vec::as_slice)
    }
}

/// What was seen of tests on programs that work nothing out.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    pub programs: Vec<IdleProgram>,
    /// What the tests of each file ask.
    pub questions: BTreeMap<String, BTreeSet<String>>,
}

impl GateRunner {
    /// Runs these test files of a candidate in one room, and its packages in another, as somebody would install them.
    pub async fn across(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        tests: (&[String], u32),
        cancel: &Arc<Cancel>,
    ) -> Result<Across, GateRunnerError> {
        if toolchain.language().facts().is_compiled {
            return self.across_compiled(candidate, toolchain, tests, cancel).await;
        }
        let laid = match self.laid(candidate, toolchain).await? {
            Ok(laid) => laid,
            Err(why) => return Ok(Across::Shared { why }),
        };
        if laid.packages.is_empty() {
            let Candidate { base, before, .. } = candidate;
            let before = before.leaves(base).map(|(path, _)| path).collect();
            let before = toolchain.language().sources(&before);
            return Ok(if before.folders.is_empty() && before.files.is_empty() {
                let why = "the project has no package that could be installed".to_owned();
                Across::Shared { why }
            } else {
                Across::Failed { why: "no package is left that could be installed".to_owned() }
            });
        }
        let tried = self.held(laid, tests, cancel, |trial, rooms| {
            let (shared, surface) = (trial.shared(rooms)?, trial.surface(rooms)?);
            let judgement = trial.run(rooms, &surface, &USUAL)?;
            let elsewhere = trial.run(rooms, &surface, &OTHER)?;
            Ok((shared, judgement, elsewhere))
        });
        Ok(match tried.await? {
            Ok((shared, judgement, elsewhere)) => told(&shared, &judgement, &elsewhere),
            Err(why) => Across::Failed { why },
        })
    }

    /// What programs that work nothing out pass of these test files, before anything is built. Nothing, where they cannot be
    /// run apart from the code. `under_test` names modules that are still to be written.
    pub async fn idle(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        tests: (&[String], u32),
        under_test: &[String],
        cancel: &Arc<Cancel>,
    ) -> Result<Option<Idle>, GateRunnerError> {
        let Ok(laid) = self.laid(candidate, toolchain).await? else { return Ok(None) };
        let new: BTreeSet<String> =
            under_test.iter().filter_map(|it| Some(it.split('.').next()?.to_owned())).collect();
        let tried = self.held(laid, tests, cancel, move |trial, rooms| {
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            trial.idle(rooms, &trial.surface(rooms)?, &new)
        });
        // What is wrong with the code or the tests shows where they are run.
        let Ok(idle) = tried.await? else { return Ok(None) };
        Ok(idle.map(|idle| {
            let program = |(does, passed): (&String, &BTreeSet<String>)| {
                let passes = |test: &&String| passed.contains(*test);
                let (passed, failed) = idle.tests.iter().partition::<Vec<_>, _>(passes);
                let ids =
                    |tests: Vec<&String>| tests.into_iter().filter_map(|it| named(it)).collect();
                IdleProgram { does: does.clone(), passed: ids(passed), failed: ids(failed) }
            };
            Idle { programs: idle.passed.iter().map(program).collect(), questions: idle.questions }
        }))
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
    let shared = shared.iter().filter_map(|(test, why)| {
        let id = named(test)?;
        Some(((id.suite, id.name), why.clone()))
    });
    let shared = shared.collect();
    Across::Tried(Apart { results, elsewhere, shared, claims: Vec::new() })
}

/// A test that pytest names `path::Class::name`, as reports do.
fn named(test: &str) -> Option<TestId> {
    // What stands in brackets may hold anything.
    let (whole, case) = test.split_at(test.find('[').unwrap_or(test.len()));
    let mut parts: Vec<&str> = whole.split("::").collect();
    let name = parts.pop().filter(|_| !parts.is_empty())?;
    let file = parts.remove(0).strip_suffix(".py")?.replace('/', ".");
    let suite = [&[file.as_str()], parts.as_slice()].concat().join(".");
    Some(TestId { suite, name: format!("{name}{case}") })
}

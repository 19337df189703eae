//! The overhead of a gate: the same suite as a bare command and in a clean room.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sealwright_factory::gate_runner::{Candidate, Frozen, GateRunner};
use sealwright_gates::kinds::{Kind, Setting};
use sealwright_kernel::Verdict;
use sealwright_repo::trees::Trees;
use sealwright_sandbox::Cancel;
use sealwright_store::{Blobs, Layout};

use crate::process::{self, Place};
use crate::project::write_files;

#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// As a bare command.
    pub bare: Duration,
    /// With the gate, until its verdict.
    pub gate: Duration,
}

/// Measures a suite of so many tests of so many seconds each; the better of several rounds counts on both sides.
pub fn measure(gates: &Arc<GateRunner>, tests: u32, seconds: f64, rounds: u32) -> Result<Cost> {
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    let suite = suite(tests, seconds);
    write_files(&tree, [("calc/__init__.py", SOURCE), (TESTS, &suite)])?;
    std::fs::create_dir_all(&home)?;
    let place = Place { folder: &tree, home: &home, limit_s: 300 };
    let began = process::shell(place, "git init -q . && git add -A . && git commit -qm begin")?;
    ensure!(began.is_well(), "{}", began.said);
    let names: Vec<String> = (0..tests).map(|nth| format!("test_{nth}")).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut bare, mut gate) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        let place = Place { folder: &tree, home: &home, limit_s: 300 };
        let start = now();
        let ran = process::run(place, &["python3", "-m", "pytest", "-q"])?;
        bare = bare.min(start.elapsed());
        ensure!(ran.is_well(), "{}", ran.said);
        let start = now();
        runtime.block_on(behind(gates, folder.path(), &suite, &names))?;
        gate = gate.min(start.elapsed());
    }
    Ok(Cost { bare, gate })
}

async fn behind(
    gates: &Arc<GateRunner>,
    folder: &Path,
    suite: &str,
    names: &[String],
) -> Result<()> {
    let blobs = Blobs::local(&Layout::new(folder.join("store")))?;
    let trees = Trees::new(&folder.join("tree"), &folder.join("trees"), blobs);
    let base = trees.base("HEAD")?;
    let tree = trees.start(&base);
    let frozen = Frozen {
        files: BTreeMap::from([(TESTS.to_owned(), suite.as_bytes().to_vec())]),
        tests: vec![TESTS.to_owned()],
        witnesses: BTreeMap::from([(TESTS.to_owned(), names.to_vec())]),
        sources: vec!["calc".to_owned()],
        ..Frozen::default()
    };
    let candidate = Candidate { trees, base, before: tree.clone(), tree, frozen: Arc::new(frozen) };
    let kind = Kind::of("pytest").context("there is such a kind")?;
    let setting = Setting { tests: vec![TESTS.to_owned()], timeout_s: 300, ..Setting::default() };
    let cancel = Arc::new(Cancel::new()?);
    let performed = gates.perform(&*kind.gate(setting), &candidate, &cancel).await?;
    let judgement = performed.judgement;
    ensure!(judgement.verdict == Verdict::Pass, "{:?}", judgement.because);
    ensure!(judgement.tests.len() == names.len(), "{} tests were seen", judgement.tests.len());
    Ok(())
}

fn suite(tests: u32, seconds: f64) -> String {
    let mut text = "import time\n\nimport calc\n".to_owned();
    for nth in 0..tests {
        text.push_str(&format!(
            "\n\ndef test_{nth}():\n    time.sleep({seconds})\n    assert calc.add({nth}, 1) == {nth} + 1\n"
        ));
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "time is what is measured")]
fn now() -> Instant {
    Instant::now()
}

const TESTS: &str = "tests/test_calc.py";
const SOURCE: &str = "def add(a, b):\n    return a + b\n";

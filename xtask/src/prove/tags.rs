//! `prove tags`: a test that claims a requirement fails when the requirement is broken.
//!
//! Each break of the catalogue is planted in a copy of the repository, one at a time, and the test that claims the
//! requirement is built and run there. The product has no switches for it.

pub(crate) mod breaks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::named_tests::{self, NamedTest};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::requirements::tags::tags;
use crate::sample::Sample;
use crate::workspace::{cargo_in, copy_to, output_of, root, say, scratch};

use breaks::Break;

pub(crate) fn run(size: Size) -> Result<()> {
    let all = breaks::all();
    let (sample, chosen) = match size {
        // One that is built in seconds.
        Size::Quick(sample) => {
            let is_quick = |it: &&Break| it.test.starts_with(QUICK_CRATE);
            let quick: Vec<Break> = all.iter().filter(is_quick).copied().collect();
            (sample, sample.of(&quick, QUICK))
        }
        Size::Full => {
            let sample = Sample::of_commit()?;
            say(&sample.told());
            (sample, sample.of(&all, FULL))
        }
    };
    let mut figures = Figures::new("tags", size);
    let claims = chosen.iter().map(Claim::of).collect::<Result<Vec<_>>>()?;
    let tests: BTreeSet<NamedTest> = claims.iter().map(|claim| claim.test.clone()).collect();
    let failed = named_tests::run(&tests, &[])?;
    figures.hold(
        format!("{} tests of {} breaks, {} fail unbroken", tests.len(), all.len(), failed.len()),
        failed.is_empty(),
    );
    let mut noticed = 0;
    for claim in &claims {
        let has_failed = claim.is_noticed()?;
        noticed += usize::from(has_failed);
        let sign = if has_failed { "✓" } else { "✗" };
        say(&format!("  {sign} {}: {}", claim.planted.id, claim.test));
    }
    let count = claims.len();
    figures.hold(
        format!(
            "{count} planted breaks, {noticed} made the tagged test fail, seed {}",
            sample.number()
        ),
        noticed == count,
    );
    figures.close()
}

/// A break and the test that claims what it breaks.
struct Claim {
    planted: Break,
    test: NamedTest,
}

impl Claim {
    fn of(planted: &Break) -> Result<Self> {
        let Break { id, test, bug } = *planted;
        let test = NamedTest::find(test)?;
        let source = std::fs::read_to_string(root().join(&test.file))?;
        let is_claimed = tags(&source)
            .iter()
            .any(|tag| tag.id == id && tag.is_whole && tag.test == test.function);
        ensure!(is_claimed, "{test} does not claim {id}");
        ensure!(is_product(bug.file), "{}: a test is no product", bug.file);
        Ok(Self { planted: *planted, test })
    }

    /// Plants the break, builds the test and runs it. Whether it failed.
    fn is_noticed(&self) -> Result<bool> {
        let program =
            self.build().with_context(|| format!("{} does not compile", self.planted.id))?;
        let folder = tempfile::tempdir()?;
        let said = folder.path().join("said");
        let mut child = Command::new(&program)
            .args(["--exact", self.test.name()])
            .current_dir(scratch(COPY).join(self.test.folder()))
            .stdout(std::fs::File::create(&said)?)
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} could not be started", program.display()))?;
        let mut waited = Duration::ZERO;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if waited > WAIT_MAX => {
                    child.kill()?;
                    bail!("{}: {} does not end", self.planted.id, self.test);
                }
                None => std::thread::sleep(STEP),
            }
            waited += STEP;
        };
        let said = std::fs::read_to_string(&said)?;
        match (
            status.success(),
            said.contains("; 1 failed;"),
            said.contains(" 1 passed; 0 failed;"),
        ) {
            (false, true, false) => Ok(true),
            (true, false, true) => Ok(false),
            _ => bail!("{}: {} was not run:\n{said}", self.planted.id, self.test),
        }
    }

    /// The program of the test, built in a copy of the repository that is kept between runs.
    fn build(&self) -> Result<PathBuf> {
        let copy = scratch(COPY);
        let bug = &self.planted.bug;
        let changed = BTreeMap::from([(bug.file.to_owned(), bug.planted_in(&root())?)]);
        copy_to(&copy, &changed)?;
        let mut cargo = cargo_in(&copy, &scratch("planted-programs"));
        // Only what a break changes is compiled again.
        cargo.env("CARGO_INCREMENTAL", "1");
        cargo.args(["test", "--quiet", "--locked", "--no-run", "--message-format", "json"]);
        // Building takes longer than running.
        cargo.args(["--config", "profile.dev.package.sealwright-kernel.opt-level=0"]);
        let told = output_of(cargo.args(self.test.cargo_args()))?;
        let mut programs = told.lines().filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_test = message["profile"]["test"] == true;
            message["executable"].as_str().filter(|_| is_test).map(PathBuf::from)
        });
        programs.next_back().context("cargo names no program")
    }
}

/// Whether a file is part of the product and not of its tests.
fn is_product(file: &str) -> bool {
    file.starts_with("crates/")
        && !file
            .split('/')
            .any(|part| matches!(part, "tests" | "tests.rs" | "scripted" | "scripted.rs"))
}

const COPY: &str = "planted";
const QUICK_CRATE: &str = "crates/kernel/";
/// How many breaks are planted with every change; building them is most of the time.
const QUICK: usize = 1;
const FULL: usize = 60;
/// Longer than any of the tests takes.
const WAIT_MAX: Duration = Duration::from_secs(300);
const STEP: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_break_can_be_planted_and_breaks_what_a_test_claims() {
        let all = breaks::all();
        assert!(all.len() > FULL, "{}", all.len());
        for planted in &all {
            Claim::of(planted).unwrap();
            planted.bug.planted_in(&root()).unwrap();
        }
    }
}

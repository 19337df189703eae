//! Tries the checks of a new `sealwright.toml` on the last commit, so that nobody works with a check that never passes.

use std::path::Path;

use sealwright_config::{Check, Config};
use sealwright_factory::gate_runner::gate_preview::GatePreviewError;
use sealwright_gates::TestResult;
use sealwright_gates::kinds::Unpassed;
use sealwright_kernel::Verdict;
use sealwright_views::wire::TriedCheck;

use crate::args::Format;
use crate::commands::gates::{judged, trial};
use crate::error::{CliError, CliResult};
use crate::output::{Output, say};

/// `is_wanted` says by its name whether a check is tried.
pub(super) fn those(
    folder: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
    output: &mut Output,
) -> CliResult<Vec<TriedCheck>> {
    let config = Config::load(folder.join(sealwright_config::FILE_NAME))?;
    let mut tried = Vec::new();
    for check in config.checks().iter().filter(|check| is_wanted(&check.name)) {
        let mut check = check.clone();
        check.setting.timeout_s = check.setting.timeout_s.min(SECONDS_MAX);
        match one(folder, &check, &config, output)? {
            Some(result) => tried.push(result),
            None => break,
        }
    }
    Ok(tried)
}

/// How a check ends; nothing if there is no commit to try it on.
fn one(
    folder: &Path,
    check: &Check,
    config: &Config,
    output: &mut Output,
) -> CliResult<Option<TriedCheck>> {
    let name = &check.name;
    say(&format!("• trying check `{name}` on the last commit, for {SECONDS_MAX} s at the most"));
    let judgement = match trial(check, (folder, "HEAD"), config) {
        Ok(trial) => trial.performed.judgement,
        Err(CliError::Gate(GatePreviewError::NoCommit { .. })) => {
            say("• no commit yet: the checks were not tried");
            return Ok(None);
        }
        Err(error) => {
            let because = error.to_string();
            say(&format!("• check `{name}` was not tried: {because}"));
            error.hint().iter().for_each(|hint| say(&format!("• {hint}")));
            let verdict = Verdict::CannotTell.into();
            return Ok(Some(TriedCheck { name: name.clone(), verdict, because: vec![because] }));
        }
    };
    if output.format == Format::Human {
        judged::lines(name, &judgement).iter().try_for_each(|line| output.line(line))?;
        match judgement.verdict {
            Verdict::Pass => {}
            Verdict::Fail if judgement.tests.iter().any(has_failed) => say(&format!(
                "• tests that fail now are set aside in tasks; `sealwright gates try {name}` shows them again"
            )),
            Verdict::Fail => {
                say(&format!(
                    "• a task would stop at this; `sealwright gates try {name}` shows it again"
                ));
            }
            Verdict::CannotTell => say("• no task can be proven by a check that cannot tell"),
        }
    }
    let (verdict, because) = (judgement.verdict.into(), judgement.because);
    Ok(Some(TriedCheck { name: name.clone(), verdict, because }))
}

fn has_failed(test: &TestResult) -> bool {
    Unpassed::of(&test.status) == Some(Unpassed::Failed)
}

/// Whoever sets up a repository does not wait longer for each command.
const SECONDS_MAX: u32 = 300;

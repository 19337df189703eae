//! Rules of projects made wrong, one at a time: the careless worlds have to notice each of them.

use anyhow::Result;

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let (tried, build) = match size {
        Size::Quick(sample) => (sample.of(BUGS, 1), Build::Quick),
        Size::Full => (BUGS.to_vec(), Build::Release),
    };
    let hunt = Hunt { program: "sealwright-model-check", build };
    let found = hunt.count(&tried, &[&["--projects", "10000"]])?;
    let text = format!("{found} of {} planted bugs found by careless worlds", tried.len());
    figures.hold(text, found == tried.len());
    Ok(())
}

const STEPS: &str = "crates/kernel/src/project/run/steps.rs";
const TURNS: &str = "crates/kernel/src/project/turns.rs";

#[rustfmt::skip] // One line each.
const BUGS: &[Bug] = &[
    Bug { name: "something is built that nobody approved", file: STEPS, right: "Kind::Passed(Phase::Analyze) if !run.is_frozen() => None,", wrong: "Kind::Passed(Phase::Analyze) if false => None," },
    Bug { name: "a gate is left before it is a commit", file: STEPS, right: "Kind::Passed(_) if run.must_keep => None,", wrong: "Kind::Passed(_) if false => None," },
    Bug { name: "a verdict on other documents counts", file: STEPS, right: "if self.run.change_under(job, report) != Change::Nothing {", wrong: "if false {" },
    Bug { name: "a task begins although another one is halted", file: TURNS, right: "if after.is_planning || after.counts.halted > 0 || !after.lets_build {", wrong: "if after.is_planning || !after.lets_build {" },
    Bug { name: "a task begins outside of the build", file: TURNS, right: "if after.is_planning || after.counts.halted > 0 || !after.lets_build {", wrong: "if after.is_planning || after.counts.halted > 0 {" },
    Bug { name: "a project that is stuck tells nobody", file: TURNS, right: "if is_stuck && !has_ready && after.freed.is_empty() && !self.is_stranded {", wrong: "if is_stuck && has_ready && after.freed.is_empty() && !self.is_stranded {" },
    Bug { name: "three lost calls ask nobody", file: STEPS, right: "if self.run.aborted >= ABORTS_MAX { self.stop_for_aborts(&why) } else { Ok(()) }", wrong: "if self.run.aborted > 200 { self.stop_for_aborts(&why) } else { Ok(()) }" },
];

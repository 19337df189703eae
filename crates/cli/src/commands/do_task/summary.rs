//! The summary at the end of `do`.

use sealwright_config::FILE_NAME;
use sealwright_factory::task_runner::Signed;
use sealwright_factory::tasks::Tasks;
use sealwright_host::{Ended, Stalled};
use sealwright_kernel::task::{Completion, Stage, Task, TaskData};
use sealwright_kernel::{TaskId, Timestamp, Verdict};
use sealwright_repo::git::uncommitted::{is_taken_along, uncommitted};
use sealwright_views::OpenQuestion;
use sealwright_views::cost_report::bill;
use sealwright_views::wire::{RunEnd, RunReport, StalledEffect};

use super::Run;
use super::notify::notify;
use crate::args::Format;
use crate::commands::keys::private_keys;
use crate::commands::{inbox, show};
use crate::error::{CliError, CliResult};
use crate::output::{Output, bad, good, sanitize, say, say_whole, timestamp, warn};
use crate::task_names::TaskNames;

pub(super) struct Summary {
    task: TaskId,
    machine: Task,
    how: How,
}

enum How {
    Kept(Signed),
    Abandoned,
    Asked,
    Parked,
    RateLimited { until: Timestamp, why: String },
    Stalled(Vec<Stalled>),
}

impl Summary {
    pub(super) async fn of(run: &Run<'_>, task: &TaskId, ended: Ended) -> CliResult<Self> {
        let machine = Tasks::of(run.journal).look(task).await?.machine;
        let how = match ended {
            Ended::Over(_) if matches!(machine.stage(), Stage::Done) => {
                How::Kept(run.runner.sign(task, private_keys())?)
            }
            Ended::Over(_) => How::Abandoned,
            Ended::Waiting(_) => How::Asked,
            Ended::Stopped => How::Parked,
            Ended::Parked { until, why } => How::RateLimited { until, why },
            Ended::Stalled(stalled) => How::Stalled(stalled),
        };
        Ok(Self { task: task.clone(), machine, how })
    }

    pub(super) fn tell(self, run: &Run<'_>, output: &mut Output) -> CliResult {
        match output.format {
            Format::Json => output.json(&self.wire())?,
            Format::Human => {
                self.people(run, output)?;
                if self.cheats() > 0 {
                    let counted = format!("confirmed cheats: {}", self.cheats());
                    let page = format!(".sealwright/tasks/{}/EVIDENCE.md", self.task);
                    output.line(&format!("  {}, see {page}", warn(&counted)))?;
                }
                for line in bill(&self.machine).summary() {
                    output.line(&format!("  {}", sanitize(&line)))?;
                }
            }
        }
        if let Some(matter) = self.matter() {
            notify(&self.task, &matter);
        }
        let task = self.task.to_string();
        match self.how {
            How::Kept(_) => Ok(()),
            How::Abandoned => Err(CliError::Abandoned { task }),
            How::Parked | How::RateLimited { .. } => Err(CliError::Parked { task }),
            How::Stalled(stalled) => {
                let why = stalled.first().map(|it| it.why.clone()).unwrap_or_default();
                Err(CliError::Stalled { task, why })
            }
            How::Asked => {
                let is_halted = self.is_halted();
                // In human format the question is printed already.
                let question = match output.format {
                    Format::Human => None,
                    Format::Json => OpenQuestion::of(&self.machine).map(|open| open.text),
                };
                Err(CliError::Asked { task, question, is_halted })
            }
        }
    }

    fn is_halted(&self) -> bool {
        matches!(self.machine.stage(), Stage::Halted { .. })
    }

    fn matter(&self) -> Option<String> {
        match &self.how {
            How::Asked => OpenQuestion::of(&self.machine).map(|open| open.text),
            How::Stalled(stalled) => stalled.first().map(|it| it.why.clone()),
            How::RateLimited { why, .. } => Some(why.clone()),
            // No notification: the person pressed Ctrl-C, or the task is finished.
            How::Kept(_) | How::Abandoned | How::Parked => None,
        }
    }

    fn people(&self, run: &Run<'_>, output: &mut Output) -> CliResult {
        let (task, names) = (&self.task, TaskNames::of(run.journal));
        match &self.how {
            How::Kept(signed) => {
                let branch = task.branch();
                let record = self.machine.data().and_then(|data| data.record.as_ref());
                let said = match record.map(|record| record.outcome) {
                    Some(Completion::RiskAccepted) => {
                        format!(
                            "{} not proven: risk accepted by a person, on branch {branch}",
                            warn("!")
                        )
                    }
                    Some(Completion::Pass) | None => {
                        format!("{} proven, on branch {branch}", good("✓"))
                    }
                };
                output.line(&said)?;
                let passed = self.passed();
                output.line(&format!("  gates: {passed} passed on the committed tree"))?;
                let page = run.root.join(".sealwright/tasks").join(task.as_str());
                let page = page.join("evidence.html");
                output.line(&format!("  evidence: {}", sanitize(&page.display().to_string())))?;
                match signed {
                    Signed::With { key } => output.line(&format!("  signed with {key}"))?,
                    Signed::Unsigned { hint } => output.line(&format!("  not signed: {hint}"))?,
                }
                self.say_next(run);
                Ok(())
            }
            How::Abandoned => output.line(&format!("· {task} was abandoned")),
            How::Asked => {
                let Some(open) = OpenQuestion::of(&self.machine) else { return Ok(()) };
                let plain = sanitize(&open.plain());
                if self.is_halted() {
                    output.line(&format!("{} {task} halted: {plain}", bad("✗")))?;
                    show::failing(&self.machine, output)?;
                } else {
                    output.line(&format!("{} {task} asks: {plain}", warn("?")))?;
                    inbox::findings(&self.machine, &names, output)?;
                }
                inbox::commands(&self.machine, &names, output)
            }
            How::Parked => output.line(&format!("· {task} is paused; no work is lost")),
            How::RateLimited { until, why } => {
                let until = timestamp(*until);
                output.line(&format!("· {task} is paused until {until}: {}", sanitize(why)))
            }
            How::Stalled(stalled) => {
                output.line(&format!("{} {task} stalled", warn("!")))?;
                for it in stalled {
                    output.line(&format!("  {}: {}", it.effect, sanitize(&it.why)))?;
                }
                Ok(())
            }
        }
    }

    /// How to merge. Work that was taken along is in the branch, so its copy in the work tree is in the way.
    fn say_next(&self, run: &Run<'_>) {
        let (task, branch) = (&self.task, self.task.branch());
        let is_dirty = uncommitted(run.root, FILE_NAME).is_ok_and(|changed| changed.count > 0);
        let base = self.machine.data().and_then(|data| data.charter.base.as_deref());
        let is_taken =
            base.is_some_and(|base| is_taken_along(run.root, base).is_ok_and(|is_taken| is_taken));
        if !is_taken || !is_dirty {
            if is_dirty {
                say("• there is work that is not committed; commit or stash it before you merge");
            }
            let names = TaskNames::of(run.journal);
            let task = names.short(task.as_str());
            say(&format!("next: `git merge {branch}`, or `sealwright pr {task}`"));
            return;
        }
        say(
            "• your uncommitted work is in the branch's first commit; put your copy away, then merge",
        );
        say("next:");
        say_whole(&format!("  {STASH}"));
        say_whole(&format!("  git merge {branch}"));
        say_whole("  git stash drop    # once the merge is as it should be");
    }

    fn wire(&self) -> RunReport {
        let ended = match &self.how {
            How::Kept(_) => RunEnd::Kept,
            How::Abandoned => RunEnd::GivenUp,
            How::Asked if self.is_halted() => RunEnd::Halted,
            How::Asked => RunEnd::Asked,
            How::Parked | How::RateLimited { .. } => RunEnd::Parked,
            How::Stalled(_) => RunEnd::Stalled,
        };
        let signed = match &self.how {
            How::Kept(Signed::With { key }) => Some(key),
            _ => None,
        };
        let stalled = match &self.how {
            How::Stalled(stalled) => &stalled[..],
            _ => &[],
        };
        let stalled = stalled
            .iter()
            .map(|it| StalledEffect { effect: it.effect.to_string(), why: it.why.clone() });
        RunReport {
            task: (&self.task).into(),
            ended,
            status: self.machine.status().into(),
            phase: self.machine.phase().map(Into::into),
            branch: matches!(self.how, How::Kept(_)).then(|| self.task.branch().into()),
            gates_passed: self.passed() as u64,
            cheats: self.cheats(),
            signed: signed.cloned(),
            question: OpenQuestion::of(&self.machine).map(Into::into),
            stalled: stalled.collect(),
            until: match &self.how {
                How::RateLimited { until, .. } => Some((*until).into()),
                _ => None,
            },
            bill: bill(&self.machine).into(),
        }
    }

    /// The number of confirmed cheats, in all attempts.
    fn cheats(&self) -> u32 {
        self.machine.data().map_or(0, |known| known.heals)
    }

    /// The number of gates that passed on the verified tree.
    fn passed(&self) -> usize {
        let known = self.machine.data();
        let (tree, evidence) = known
            .map_or((None, &[][..]), |TaskData { verified, evidence, .. }| (*verified, evidence));
        let is_passed = |verdict: Verdict| verdict == Verdict::Pass;
        let on_it = evidence.iter().filter(|it| Some(it.evidence.tree) == tree);
        on_it.filter(|it| is_passed(it.verdict)).count()
    }
}

/// Sealwright's records stay where they are: they are in no commit of the branch, and `git stash drop` would lose them.
const STASH: &str = "git stash push -u -- :/ ':(top,exclude,glob)**/.sealwright/**'";

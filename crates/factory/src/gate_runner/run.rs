//! One command on a candidate, over which everything frozen was laid.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use sealwright_gates::{REPORTS, Ran, Said, Seen};
use sealwright_sandbox::plan::{Access, Mount, Need, Plan};
use sealwright_sandbox::{
    Cancel, Captured, RunOutcome, SandboxError, SandboxSlot, Terms, system, tools,
};

use super::{Candidate, Command, GateRunner, GateRunnerError, ended};

impl GateRunner {
    pub(super) async fn run(
        self: &Arc<Self>,
        command: sealwright_gates::Command,
        candidate: &Candidate,
        cancel: &Arc<Cancel>,
    ) -> Result<(Seen, Vec<Command>), GateRunnerError> {
        let Candidate { trees, base, tree, frozen, .. } = candidate;
        let place = self.scratch.new_folder()?;
        let laid = frozen.over(trees, base, tree).await?;
        trees.write(base, &laid, &place.path().join("work")).await?;
        let (gates, cancel) = (self.clone(), cancel.clone());
        let ran =
            tokio::task::spawn_blocking(move || gates.command(&command, place.path(), &cancel));
        ran.await.map_err(|_| GateRunnerError::Died)?
    }

    fn command(
        &self,
        command: &sealwright_gates::Command,
        place: &Path,
        cancel: &Cancel,
    ) -> Result<(Seen, Vec<Command>), GateRunnerError> {
        let slot = self.slots.take()?;
        let (work, reports) = (place.join("work"), place.join("reports"));
        fs::create_dir(&reports)?;
        if let Some(user) = slot.run_as() {
            give(&work, user)?;
            std::os::unix::fs::chown(&reports, Some(user), Some(user))?;
        }
        let mut plan = plan(&slot, command, &work, &reports)?;
        let packages = self.packages();
        plan.mounts.extend(packages.mounts);
        plan.environment.extend(packages.environment);
        let mut terms = Terms::new(self.mechanism.clone(), self.least);
        terms.cancel = Some(cancel);
        let outcome = match slot.run(&plan, terms) {
            Ok(outcome) => outcome,
            // A program that is not there is no fault of the machine's.
            Err(error @ SandboxError::Isolation { .. }) => {
                return Ok((Seen::Nothing { why: error.to_string() }, Vec::new()));
            }
            Err(error) => return Err(error.into()),
        };
        let confinement = outcome.confinement.clone();
        let mut ran = seen(outcome);
        for name in &command.reports {
            if let Some(report) = report(&reports, name)? {
                ran.reports.insert(name.clone(), report);
            }
        }
        let run = Command {
            argv: command.argv.clone(),
            ran: ran.clone(),
            confinement,
            around: plan.shape(),
        };
        Ok((Seen::Ran(ran), vec![run]))
    }
}

fn plan(
    slot: &SandboxSlot,
    command: &sealwright_gates::Command,
    work: &Path,
    reports: &Path,
) -> Result<Plan, GateRunnerError> {
    let words: Vec<&str> = command.argv.iter().map(String::as_str).collect();
    let mut plan = system::plan(slot, &words)?;
    for tool in tools::found() {
        system::add_tool(&mut plan, &tool.source, tool.at)?;
    }
    let mount = |source: &Path, at: &str| Mount {
        source: source.to_owned(),
        at: at.to_owned(),
        access: Access::ReadWrite,
        need: Need::Required,
    };
    plan.mounts.push(mount(&work.canonicalize()?, system::WORK));
    plan.mounts.push(mount(&reports.canonicalize()?, REPORTS));
    plan.folder = system::WORK.to_owned();
    plan.environment.extend(command.environment.iter().cloned());
    plan.limits.wall_ms = u64::from(command.timeout_s) * 1000;
    Ok(plan)
}

pub(super) fn seen(outcome: RunOutcome) -> Ran {
    Ran {
        ended: ended(outcome.ended),
        stdout: said(outcome.stdout),
        stderr: said(outcome.stderr),
        reports: BTreeMap::new(),
        millis: u64::try_from(outcome.wall.as_millis()).unwrap_or(u64::MAX),
    }
}

fn said(captured: Captured) -> Said {
    let total = captured.kept.len() as u64 + captured.dropped;
    Said { bytes: captured.kept, total }
}

/// A report that was left, whatever else lies there. A link is not followed, and a pipe is not waited for.
fn report(folder: &Path, name: &str) -> Result<Option<Said>, GateRunnerError> {
    let is_plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(flags.cast_signed());
    let Ok(file) = options.open(folder.join(name)) else { return Ok(None) };
    let found = file.metadata()?;
    if !is_plain || !found.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(REPORT_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(Some(Said { total: found.len().max(bytes.len() as u64), bytes }))
}

/// Gives a tree to the user that works in it.
fn give(path: &Path, user: u32) -> std::io::Result<()> {
    std::os::unix::fs::lchown(path, Some(user), Some(user))?;
    if path.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user)?;
        }
    }
    Ok(())
}

const REPORT_BYTES_MAX: u64 = 32 << 20;

//! The probe: which walls can be put up here, found by putting them up and trying to get through.
//!
//! Versions and settings are not asked. Every mechanism runs the same trial, and what the trial could do decides.

use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use sealwright_kernel::{ConfinementFact, Level};
use serde::Serialize;

use crate::launcher::{self, Trial};
use crate::plan::{Access, Mount, Plan};
use crate::readable;
use crate::{Ended, Mechanism, SandboxError, SandboxSlot, SandboxSlots, Terms, bubblewrap, system};

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Every mechanism, in the order they are preferred.
    pub tried: Vec<Tried>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    pub mechanism: Mechanism,
    /// How strong its walls are; nothing if they cannot be put up.
    pub level: Option<Level>,
    pub why: Option<String>,
    pub facts: Vec<ConfinementFact>,
}

impl Report {
    /// The strongest walls there are; of two that are equal, the preferred.
    pub fn best(&self) -> Option<&Tried> {
        // `max_by_key` takes the last of equals, and the preferred come first.
        self.tried
            .iter()
            .rev()
            .filter(|tried| tried.level.is_some())
            .max_by_key(|tried| tried.level)
    }

    pub fn level(&self) -> Level {
        self.best().and_then(|best| best.level).unwrap_or(Level::Advisory)
    }
}

pub fn every(slots: &SandboxSlots) -> Result<Report, SandboxError> {
    let tried: Result<_, _> =
        candidates().into_iter().map(|mechanism| try_one(slots, mechanism)).collect();
    Ok(Report { tried: tried? })
}

/// Tries mechanisms until one gives the strongest walls there can be.
pub fn first_good(slots: &SandboxSlots) -> Result<Report, SandboxError> {
    let mut tried = Vec::new();
    for mechanism in candidates() {
        tried.push(try_one(slots, mechanism)?);
        if tried.last().is_some_and(|tried| tried.level == Some(Level::KernelIsolated)) {
            break;
        }
    }
    Ok(Report { tried })
}

pub fn try_one(slots: &SandboxSlots, mechanism: Mechanism) -> Result<Tried, SandboxError> {
    if let Some(why) = unfit(&mechanism) {
        return Ok(Tried { mechanism, level: None, why: Some(why), facts: Vec::new() });
    }
    let slot = slots.take()?;
    let host = Host::make(&slot).map_err(SandboxError::slot)?;
    let plan = host.plan(&slot, &mechanism).map_err(SandboxError::slot)?;
    let outcome = match slot.run(&plan, Terms::new(mechanism.clone(), Level::Advisory)) {
        Ok(outcome) => outcome,
        Err(error) => {
            let why = Some(error.to_string());
            return Ok(Tried { mechanism, level: None, why, facts: Vec::new() });
        }
    };
    let mut facts = outcome.confinement.facts;
    let mut tried: Vec<ConfinementFact> =
        serde_json::from_slice(&outcome.stdout.kept).unwrap_or_default();
    let is_apart =
        |fact: &ConfinementFact| fact.name == "processes-namespace" && fact.value == "its own";
    if facts.iter().any(is_apart) {
        // Among other processes the number means another process, most often the trial itself.
        tried.retain(|fact| fact.name != "signal a process of the host");
    }
    if outcome.ended != Ended::Exited(0) || tried.is_empty() {
        let said =
            String::from_utf8_lossy(&outcome.stderr.kept).lines().next().unwrap_or("").to_owned();
        let why = Some(format!("the trial did not end well: {:?} {said}", outcome.ended));
        return Ok(Tried { mechanism, level: None, why, facts });
    }
    let level = outcome.confinement.level.min(allowed_by(&tried));
    let why = (level == Level::Advisory).then(|| betrayal(&tried));
    facts.extend(tried);
    Ok(Tried { mechanism, level: Some(level).filter(|level| *level > Level::Advisory), why, facts })
}

/// The strongest level that a trial which could do this leaves.
fn allowed_by(tried: &[ConfinementFact]) -> Level {
    let could = |name: &str| tried.iter().any(|fact| fact.name == name && fact.value == "yes");
    if !could("write its own files")
        || could("read what is outside")
        || could("write what is read-only")
        || could("reach a service of the host")
        || could("make namespaces")
    {
        Level::Advisory
    } else if could("see what is outside")
        || could("change the mode of what is read-only")
        || could("signal a process of the host")
    {
        Level::KernelRestricted
    } else {
        Level::KernelIsolated
    }
}

/// What a trial could do that it must not, or could not do that it must.
fn betrayal(tried: &[ConfinementFact]) -> String {
    let expected =
        |fact: &&ConfinementFact| (fact.name == "write its own files") != (fact.value == "yes");
    let wrong: Vec<&str> = tried.iter().filter(expected).map(|fact| fact.name.as_str()).collect();
    match wrong.as_slice() {
        ["write its own files"] => "a run could not write its own files".to_owned(),
        [] => "not all walls were found standing".to_owned(),
        wrong => format!("a run could {}", wrong.join(", ")),
    }
}

fn candidates() -> Vec<Mechanism> {
    vec![
        Mechanism::Namespaces,
        Mechanism::Bubblewrap { program: bubblewrap::usual_place() },
        Mechanism::Landlock,
    ]
}

/// Why a mechanism is not even tried.
fn unfit(mechanism: &Mechanism) -> Option<String> {
    let Mechanism::Bubblewrap { program } = mechanism else { return None };
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the sandbox, asking a program of the system"
    )]
    let version = std::process::Command::new(program).arg("--version").output();
    let Ok(version) = version else { return Some("not installed".to_owned()) };
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let (major, minor, _) = bubblewrap::OLDEST;
    (!bubblewrap::is_new_enough(&version)).then(|| {
        format!("{version} follows planted links; {major}.{minor} is the oldest that does not")
    })
}

struct Host {
    outside: PathBuf,
    own: PathBuf,
    read_only: PathBuf,
    service: TcpListener,
}

impl Host {
    fn make(slot: &SandboxSlot) -> io::Result<Self> {
        let [own, read_only] = ["own", "read-only"].map(|name| slot.folder().join(name));
        for folder in [&own, &read_only] {
            readable::make_folder(folder)?;
        }
        readable::make_file(&read_only.join("file"), b"as it was\n")?;
        slot.give(&own)?;
        let outside = slot.canary().to_owned();
        Ok(Self { outside, own, read_only, service: TcpListener::bind("127.0.0.1:0")? })
    }

    fn plan(&self, slot: &SandboxSlot, mechanism: &Mechanism) -> io::Result<Plan> {
        // The user of the run may not be able to reach the program where it is: root's home is closed to others.
        let program = slot.folder().join("trial-stage");
        std::fs::copy(slot.launcher(), &program)?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        let (own, read_only) = if mechanism.has_root() {
            (PathBuf::from("/trial/own"), PathBuf::from("/trial/read-only"))
        } else {
            (self.own.clone(), self.read_only.clone())
        };
        let trial = Trial {
            outside: self.outside.clone(),
            own,
            read_only: read_only.join("file"),
            service: self.service.local_addr()?,
            process: std::process::id().cast_signed(),
        };
        let argv =
            ["/trial/stage", launcher::WORD, launcher::TRIAL, &serde_json::to_string(&trial)?];
        let mut plan = system::plan(slot, &argv)?;
        plan.limits.wall_ms = 20_000;
        plan.mounts.extend([
            Mount::required(&program, "/trial/stage", Access::ReadOnly),
            Mount::required(&self.own, "/trial/own", Access::ReadWrite),
            Mount::required(&self.read_only, "/trial/read-only", Access::ReadOnly),
        ]);
        Ok(plan)
    }
}

//! The proof: every attack in every kind of sandbox, and with one barrier removed at a time.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use sealwright_attacks::attack::Attack;
use sealwright_attacks::barrier;
use sealwright_attacks::confined::{Confined, Host, Setup};
use sealwright_attacks::confinement::{Confinement, run_attack};
use sealwright_attacks::ended::Ended;
use sealwright_kernel::Level;
use sealwright_sandbox::{Barrier, Mechanism};

use crate::{chosen, exit, say};

/// Runs it and returns whether everything held.
pub(crate) fn run(quick: bool, bubblewrap: Option<PathBuf>, keys: &[String]) -> Result<ExitCode> {
    let chosen = chosen(keys)?;
    let program = std::env::current_exe()?;
    let mut broken = Vec::new();
    let mut held = Vec::new();
    // On every change only the preferred sandbox; all kinds in the full proof.
    let most = if quick { 1 } else { usize::MAX };
    for (setup, expected) in setups(bubblewrap).into_iter().take(most) {
        let confined = Confined::new(program.clone(), setup.clone());
        say(&format!("\n{}, expected {}", confined.name(), expected.name()))?;
        let (mut through, mut unclear) = (Vec::new(), Vec::new());
        for attack in &chosen {
            let ended = ends(&confined, attack);
            let level = confined.level();
            if level.is_some_and(|level| level != expected) {
                broken.push(format!("{} was {level:?} in {}", attack.key, confined.name()));
            }
            let (word, what) = match ended {
                Ended::Stopped { by } => ("stopped", by),
                Ended::Succeeded { what } => {
                    through.push(attack.key);
                    ("SUCCEEDED", what)
                }
                Ended::Void { why } => {
                    unclear.push(attack.key);
                    ("void", why)
                }
            };
            let barrier = attack.barrier.name();
            say(&format!("  {word:10} {:28} {barrier:20} {what}", attack.key))?;
        }
        let stopped = chosen.len() - through.len() - unclear.len();
        say(&format!(
            "{}: {stopped} of {} stopped; through: {}; unclear: {}",
            confined.name(),
            chosen.len(),
            listed(&through),
            listed(&unclear)
        ))?;
        if expected == Level::KernelIsolated {
            let unexpected: Vec<_> = through
                .iter()
                .chain(&unclear)
                .filter(|key| !is_tolerated(key, setup.host))
                .collect();
            if !unexpected.is_empty() {
                broken.push(format!("{}: {unexpected:?} were not stopped", confined.name()));
            }
        }
        if held.is_empty() {
            held.clone_from(&chosen);
            held.retain(|attack| !through.contains(&attack.key) && !unclear.contains(&attack.key));
        }
    }
    for (key, _, why) in TOLERATED {
        say(&format!("tolerated: {key}: {why}"))?;
    }
    ablate(&program, quick, &held, &mut broken)?;
    for line in &broken {
        say(&format!("BROKEN: {line}"))?;
    }
    Ok(exit(broken.is_empty()))
}

/// Removes one barrier at a time and shows which attacks succeed.
fn ablate(
    program: &Path,
    quick: bool,
    held: &[&'static Attack],
    broken: &mut Vec<String>,
) -> Result<()> {
    let host = if sealwright_sandbox::is_root() { Host::Root } else { Host::User };
    say("")?;
    for barrier in Barrier::ALL {
        let mut without = vec![barrier];
        // The next barrier would cover for it.
        without.extend(together(barrier));
        let setup = Setup { mechanism: Mechanism::Namespaces, host, without };
        let confined = Confined::new(program.to_owned(), setup);
        let through: Vec<&str> = held
            .iter()
            .filter(|attack| !quick || is_for(attack.barrier) == Some(barrier))
            .filter(|attack| matches!(ends(&confined, attack), Ended::Succeeded { .. }))
            .map(|attack| attack.key)
            .collect();
        say(&format!(
            "without {}: {} get through: {}",
            barrier.name(),
            through.len(),
            listed(&through)
        ))?;
        if through.is_empty() && !IN_DEPTH.contains(&barrier) && !held.is_empty() {
            broken.push(format!("no attack succeeds without {}", barrier.name()));
        }
    }
    Ok(())
}

fn ends(confined: &Confined, attack: &Attack) -> Ended {
    run_attack(confined, attack).unwrap_or_else(|error| Ended::Void { why: format!("{error:#}") })
}

fn setups(bubblewrap: Option<PathBuf>) -> Vec<(Setup, Level)> {
    let setup = |mechanism, host| Setup { mechanism, host, without: Vec::new() };
    let mut setups = Vec::new();
    if sealwright_sandbox::is_root() {
        setups.push((setup(Mechanism::Namespaces, Host::Root), Level::KernelIsolated));
    }
    setups.push((setup(Mechanism::Namespaces, Host::User), Level::KernelIsolated));
    if let Some(program) = bubblewrap {
        setups.push((setup(Mechanism::Bubblewrap { program }, Host::User), Level::KernelIsolated));
    }
    if sealwright_sandbox::is_root() {
        setups.push((setup(Mechanism::Landlock, Host::Root), Level::KernelRestrictedUid));
    }
    setups.push((setup(Mechanism::Landlock, Host::User), Level::KernelRestricted));
    setups
}

/// The barrier of the sandbox for one that an attack names.
fn is_for(barrier: barrier::Barrier) -> Option<Barrier> {
    use barrier::Barrier as Named;
    Some(match barrier {
        Named::MountNamespace => Barrier::Root,
        Named::ReadOnlyMounts => Barrier::ReadOnlyMounts,
        Named::PidNamespace | Named::PidTreeKill | Named::NotDumpable => Barrier::Processes,
        Named::NetNamespace => Barrier::Network,
        Named::IpcNamespace => Barrier::Ipc,
        Named::Seccomp => Barrier::Seccomp,
        Named::Landlock => Barrier::Landlock,
        Named::NoCapabilities | Named::OtherUid => Barrier::Privileges,
        Named::NoNewPrivs => Barrier::NoNewPrivileges,
        Named::CleanEnvironment => Barrier::Environment,
        Named::ClosedDescriptors => Barrier::Descriptors,
        Named::NewSession => Barrier::Session,
        Named::Rlimits => Barrier::Rlimits,
        Named::Cgroup => Barrier::Cgroup,
        Named::ResultChannel | Named::Egress | Named::Materialiser => return None,
        Named::Harvest | Named::OutputBound | Named::WorkTreeBound => return None,
    })
}

/// The barriers to remove together, so that the effect shows.
fn together(barrier: Barrier) -> &'static [Barrier] {
    match barrier {
        // Landlock and the limits of each process cover the same things.
        Barrier::Root
        | Barrier::ReadOnlyMounts
        | Barrier::Processes
        | Barrier::Network
        | Barrier::Ipc
        | Barrier::Session => &[Barrier::Landlock, Barrier::Seccomp],
        Barrier::Privileges => &[Barrier::Seccomp, Barrier::Landlock, Barrier::NoNewPrivileges],
        Barrier::NoNewPrivileges => &[Barrier::Seccomp, Barrier::Landlock],
        Barrier::Seccomp
        | Barrier::Landlock
        | Barrier::Environment
        | Barrier::Descriptors
        | Barrier::Rlimits
        | Barrier::Cgroup => &[],
    }
}

fn is_tolerated(key: &str, host: Host) -> bool {
    TOLERATED.iter().any(|(known, hosts, _)| *known == key && hosts.contains(&host))
}

fn listed(keys: &[&str]) -> String {
    if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
}

/// Known attacks that still succeed at the strongest level, and why they are tolerated.
const TOLERATED: &[(&str, &[Host], &str)] = &[
    (
        "proc-mounts",
        &[Host::Root, Host::User],
        "the list of mounts names the folders they come from; those of a view are in the sandbox slot and reveal nothing",
    ),
    (
        "much-memory",
        &[Host::User],
        "without delegated control groups an ordinary user cannot bound memory; the record says so",
    ),
];

/// Defence in depth: no known attack succeeds without one of these alone.
const IN_DEPTH: &[Barrier] = &[Barrier::Landlock, Barrier::NoNewPrivileges, Barrier::Session];

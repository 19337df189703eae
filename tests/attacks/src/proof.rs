//! The proof: every attack behind every kind of walls, and without one wall after the other.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use sealwright_attacks::attack::Attack;
use sealwright_attacks::attacks;
use sealwright_attacks::confined::{Confined, Host, Setup};
use sealwright_attacks::confinement::{Confinement, play};
use sealwright_attacks::ended::Ended;
use sealwright_attacks::wall;
use sealwright_kernel::Level;
use sealwright_sandbox::{Barrier, Mechanism};

use crate::{find, say};

/// Runs it, and says whether everything held.
pub(crate) fn run(quick: bool, bubblewrap: Option<PathBuf>, keys: &[String]) -> Result<ExitCode> {
    let chosen: Vec<&'static Attack> = if keys.is_empty() {
        attacks::all().collect()
    } else {
        keys.iter().map(|key| find(key)).collect::<Result<_>>()?
    };
    let program = std::env::current_exe()?;
    let mut broken = Vec::new();
    let mut held = Vec::new();
    // With every change only the walls that are preferred; the others in full.
    let most = if quick { 1 } else { usize::MAX };
    for (setup, expected) in setups(bubblewrap).into_iter().take(most) {
        let confined = Confined::new(program.clone(), setup.clone());
        say(&format!("\n{}, expected {}", confined.name(), expected.name()))?;
        let (mut through, mut unclear, mut stopped) = (Vec::new(), Vec::new(), 0_usize);
        for attack in &chosen {
            let ended = ends(&confined, attack);
            let level = confined.level();
            if level.is_some_and(|level| level != expected) {
                broken.push(format!("{} was {level:?} in {}", attack.key, confined.name()));
            }
            match ended {
                Ended::Stopped { by } => {
                    stopped += 1;
                    say(&format!("  stopped    {:28} {:20} {by}", attack.key, attack.wall.name()))?;
                }
                Ended::Succeeded { what } => {
                    say(&format!(
                        "  SUCCEEDED  {:28} {:20} {what}",
                        attack.key,
                        attack.wall.name()
                    ))?;
                    through.push(attack.key);
                }
                Ended::Void { why } => {
                    say(&format!(
                        "  void       {:28} {:20} {why}",
                        attack.key,
                        attack.wall.name()
                    ))?;
                    unclear.push(attack.key);
                }
            }
        }
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
            held = chosen
                .iter()
                .filter(|attack| !through.contains(&attack.key) && !unclear.contains(&attack.key))
                .copied()
                .collect();
        }
    }
    for (key, _, why) in TOLERATED {
        say(&format!("tolerated: {key}: {why}"))?;
    }
    ablate(&program, quick, &held, &mut broken)?;
    for line in &broken {
        say(&format!("BROKEN: {line}"))?;
    }
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Takes one wall away at a time and shows what gets through.
fn ablate(
    program: &Path,
    quick: bool,
    held: &[&'static Attack],
    broken: &mut Vec<String>,
) -> Result<()> {
    let host = if sealwright_sandbox::is_root() { Host::Root } else { Host::User };
    say("")?;
    for wall in Barrier::ALL {
        let mut without = vec![wall];
        // Alone it would be covered by the next one.
        without.extend(together(wall));
        let setup = Setup { mechanism: Mechanism::Namespaces, host, without };
        let confined = Confined::new(program.to_owned(), setup);
        let tried: Vec<_> =
            held.iter().filter(|attack| !quick || is_for(attack.wall) == Some(wall)).collect();
        let mut through = Vec::new();
        for attack in tried {
            if let Ended::Succeeded { .. } = ends(&confined, attack) {
                through.push(attack.key);
            }
        }
        say(&format!(
            "without {}: {} get through: {}",
            wall.name(),
            through.len(),
            listed(&through)
        ))?;
        if through.is_empty() && !IN_DEPTH.contains(&wall) && !held.is_empty() {
            broken.push(format!("nothing gets through without {}", wall.name()));
        }
    }
    Ok(())
}

fn ends(confined: &Confined, attack: &Attack) -> Ended {
    play(confined, attack).unwrap_or_else(|error| Ended::Void { why: format!("{error:#}") })
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

/// Which wall of the sandbox stands for one that an attack names.
fn is_for(wall: wall::Barrier) -> Option<Barrier> {
    match wall {
        wall::Barrier::MountNamespace => Some(Barrier::Root),
        wall::Barrier::ReadOnlyMounts => Some(Barrier::ReadOnlyMounts),
        wall::Barrier::PidNamespace | wall::Barrier::PidTreeKill | wall::Barrier::NotDumpable => {
            Some(Barrier::Processes)
        }
        wall::Barrier::NetNamespace => Some(Barrier::Network),
        wall::Barrier::IpcNamespace => Some(Barrier::Ipc),
        wall::Barrier::Seccomp => Some(Barrier::Seccomp),
        wall::Barrier::Landlock => Some(Barrier::Landlock),
        wall::Barrier::NoCapabilities | wall::Barrier::OtherUid => Some(Barrier::Privileges),
        wall::Barrier::NoNewPrivs => Some(Barrier::NoNewPrivileges),
        wall::Barrier::CleanEnvironment => Some(Barrier::Environment),
        wall::Barrier::ClosedDescriptors => Some(Barrier::Descriptors),
        wall::Barrier::NewSession => Some(Barrier::Session),
        wall::Barrier::Rlimits => Some(Barrier::Rlimits),
        wall::Barrier::Cgroup => Some(Barrier::Cgroup),
        wall::Barrier::ResultChannel
        | wall::Barrier::Egress
        | wall::Barrier::Materialiser
        | wall::Barrier::Harvest
        | wall::Barrier::OutputBound
        | wall::Barrier::WorkTreeBound => None,
    }
}

/// What else has to go for a wall to be missed.
fn together(wall: Barrier) -> &'static [Barrier] {
    match wall {
        // Landlock and the bounds of each process look at the same things.
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

/// What is known to get through at the strongest level, and why that is lived with.
const TOLERATED: &[(&str, &[Host], &str)] = &[
    (
        "proc-mounts",
        &[Host::Root, Host::User],
        "the list of mounts names the folders they come from; a view's lie in the seat and tell nothing",
    ),
    (
        "much-memory",
        &[Host::User],
        "without control groups of its own an ordinary user cannot bound memory; the record says so",
    ),
];

/// Isolation behind walls: nothing is known to get through without them alone.
const IN_DEPTH: &[Barrier] = &[Barrier::Landlock, Barrier::NoNewPrivileges, Barrier::Session];

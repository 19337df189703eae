//! Sandboxed runs outside of tasks: the slots and state folder of this machine, the strength of its isolation, and one
//! command run in a role's view.

use std::io;
use std::path::{Path, PathBuf};

use sealwright_kernel::pack::{Occasion, PackReader, Writes, writes};
use sealwright_kernel::{ContextPack, Lane, Level};
use sealwright_sandbox::plan::{Network, Plan};
use sealwright_sandbox::probe::{self, Report};
use sealwright_sandbox::view::{
    self, Allowance, Bounds, Cap, Hand, Harvest, Layout, Listing, Owner, Request, View, ViewError,
    ViewTarget, WorkTree, WriteLease, Writer,
};
use sealwright_sandbox::{
    Ended, Mechanism, RunOutcome, SandboxError, SandboxSlot, SandboxSlots, Terms, system, tools,
};

use sealwright_config::Sandbox;

/// Why a command cannot run in a role's view.
#[derive(Debug, thiserror::Error)]
pub enum ConfinedError {
    #[error("cannot build the view")]
    View(#[from] ViewError),
    #[error("cannot set up the sandbox")]
    Sandbox(#[from] SandboxError),
    #[error("cannot prepare the run")]
    Io(#[from] io::Error),
}

#[derive(Debug)]
pub struct ConfinedRun {
    pub outcome: RunOutcome,
    /// What the command would have changed.
    pub harvest: Harvest,
}

impl ConfinedError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::View(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Io(_) => None,
        }
    }
}

/// The view layout of this pack's role, with `tree` as the work tree of its open module.
pub fn layout(pack: &ContextPack, store: &Path, tree: &Path) -> Result<Layout, ConfinedError> {
    let listing =
        if store.is_dir() { Listing::read(store, Bounds::default())? } else { Listing::default() };
    let work = pack.open_module().map(|module| WorkTree {
        module: module.clone(),
        root: tree.to_owned(),
        hand: match pack.reader() {
            PackReader::Role(role) if writes(role) == Writes::WorkTree => Hand::Builds,
            PackReader::Role(_) | PackReader::Orchestrator => Hand::Tries,
        },
        cap: Cap::WholeTree,
        leave_out: LEFT_OUT.iter().map(|name| (*name).to_owned()).collect(),
    });
    Ok(view::lay_out(&Request {
        pack,
        occasion: Occasion::Begin,
        listing: &listing,
        brief: &[],
        work: work.as_ref(),
        network: Network::Off,
    })?)
}

/// Runs one command in a layout with the strongest isolation available. Its changes are harvested, not applied.
pub fn run(
    layout: &Layout,
    store: &Path,
    argv: &[&str],
    least: Level,
) -> Result<ConfinedRun, ConfinedError> {
    let slots = slots()?;
    let report = probe::first_good(&slots)?;
    let mechanism = report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone());
    if report.level() < least {
        return Err(SandboxError::TooWeak { found: report.level(), least }.into());
    }
    let slot = slots.take()?;
    // A repository without sealed modules has no store yet.
    let empty = slot.folder().join("empty-store");
    let store = if store.is_dir() {
        store
    } else {
        std::fs::create_dir(&empty)?;
        &empty
    };
    let lease = match layout.work() {
        Some(work) => {
            let leases = state_folder().join("leases");
            std::fs::create_dir_all(&leases)?;
            Some(WriteLease::take(&work.root, &leases, "sealwright sandbox run")?)
        }
        None => None,
    };
    let view = view::materialise(
        layout,
        &ViewTarget {
            store,
            into: &slot.folder().join("view"),
            owner: slot
                .run_as()
                .map_or(Owner::Harness, |user| Owner::Role { uid: user, gid: user }),
            writer: lease.as_ref().map_or(Writer::Nobody, Writer::Holds),
            bounds: Bounds::default(),
        },
    )?;
    if layout.work().is_some() {
        for words in view::fresh_repository(view::WORK) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let plan = plan(&slot, &view, layout, &words)?;
            // Without git there is no repository in the view, and the command's git calls say so.
            match slot.run(&plan, Terms::new(mechanism.clone(), least)) {
                Ok(RunOutcome { ended: Ended::Exited(0), .. }) => {}
                Ok(_) | Err(SandboxError::Isolation { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    let outcome = slot.run(&plan(&slot, &view, layout, argv)?, Terms::new(mechanism, least))?;
    let harvest = view.harvest(&Allowance::Anywhere)?;
    Ok(ConfinedRun { outcome, harvest })
}

fn plan(slot: &SandboxSlot, view: &View, layout: &Layout, argv: &[&str]) -> io::Result<Plan> {
    let mut plan = system::plan(slot, argv)?;
    for tool in tools::found() {
        system::add_tool(&mut plan, &tool.source, tool.at)?;
    }
    plan.mounts.extend_from_slice(view.mounts());
    plan.folder = if layout.work().is_some() { view::WORK } else { view::HOME }.to_owned();
    plan.network = layout.network();
    Ok(plan)
}

/// The sandbox slots of this user. Root keeps them in a folder that an unprivileged user can pass through.
pub fn slots() -> Result<SandboxSlots, SandboxError> {
    let state = state_folder();
    if sealwright_sandbox::is_root() {
        // Other commands may have made it under a umask that closes it.
        sealwright_sandbox::let_pass(&state)
            .map_err(|source| SandboxError::SandboxSlot { source })?;
    }
    SandboxSlots::open(&state.join("seats"))
}

/// Whether the isolation is strong enough for each lane.
pub fn lanes(report: &Report, asked: &Sandbox) -> [(Lane, Level, bool); 3] {
    [Lane::Quick, Lane::Factory, Lane::Strict].map(|lane| {
        let least = asked.least(lane);
        (lane, least, report.level() >= least)
    })
}

/// How to get stronger isolation than was found.
pub fn remedies(report: &Report) -> Vec<String> {
    let mut remedies = Vec::new();
    if report.level() == Level::KernelIsolated {
        return remedies;
    }
    for tried in &report.tried {
        let Some(why) = &tried.why else { continue };
        remedies.push(match tried.mechanism {
            Mechanism::Namespaces if why.contains("make namespaces") => {
                "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on Debian also \
                 `kernel.unprivileged_userns_clone=1`, on Ubuntu an AppArmor profile with `userns`; \
                 in a container `--security-opt seccomp=unconfined --security-opt \
                 apparmor=unconfined --security-opt systempaths=unconfined`"
                    .to_owned()
            }
            Mechanism::Namespaces => format!("cannot use namespaces: {why}"),
            Mechanism::Bubblewrap { .. } => {
                "install bubblewrap 0.12 or newer; some systems grant it what they refuse other \
                 programs"
                    .to_owned()
            }
            Mechanism::Landlock => {
                "use a kernel with Landlock (5.13 or newer, `lsm=landlock,…`)".to_owned()
            }
            Mechanism::Nothing => continue,
        });
    }
    remedies
}

/// The state folder: `SEALWRIGHT_STATE`, or the user's own.
pub fn state_folder() -> PathBuf {
    // A path that is not whole would lead into whatever folder the program was started in, such as a repository.
    let named = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    if let Some(named) = named("SEALWRIGHT_STATE") {
        return named;
    }
    let of_user = || {
        let home = || Some(named("HOME")?.join(".local/state"));
        named("XDG_STATE_HOME").or_else(home).unwrap_or_else(std::env::temp_dir)
    };
    let base = if sealwright_sandbox::is_root() { PathBuf::from("/var/lib") } else { of_user() };
    base.join("sealwright")
}

/// Never part of a role's work tree: build output.
const LEFT_OUT: &[&str] = &["target", "node_modules", "__pycache__"];

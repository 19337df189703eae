//! Confined runs: where they happen on this machine, what is known of the walls there, and one command run where a
//! role would stand.

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

use crate::config::Sandbox;

/// What keeps a command from being run where a role would stand.
#[derive(Debug, thiserror::Error)]
pub enum ConfinedError {
    /// There can be no such view.
    #[error("there can be no such view")]
    View(#[from] ViewError),
    /// It could not be run.
    #[error("it cannot be run confined")]
    Sandbox(#[from] SandboxError),
    /// The system did not let it be prepared.
    #[error("it could not be prepared")]
    Io(#[from] io::Error),
}

/// What came of a command that was run where a role would stand.
#[derive(Debug)]
pub struct Stood {
    /// How it ended.
    pub outcome: RunOutcome,
    /// What it would have changed.
    pub harvest: Harvest,
}

impl ConfinedError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::View(error) => error.hint(),
            Self::Sandbox(error) => error.hint(),
            Self::Io(_) => None,
        }
    }
}

/// What the role of this pack sees, with `tree` as the work tree of the module it opens.
pub fn stand(pack: &ContextPack, store: &Path, tree: &Path) -> Result<Layout, ConfinedError> {
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

/// Runs one command in a layout, behind the strongest walls there are. Nothing it changes comes back by itself.
pub fn run(
    layout: &Layout,
    store: &Path,
    argv: &[&str],
    least: Level,
) -> Result<Stood, ConfinedError> {
    let slots = slots()?;
    let report = probe::first_good(&slots)?;
    let mechanism = report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone());
    if report.level() < least {
        return Err(SandboxError::TooWeak { found: report.level(), least }.into());
    }
    let slot = slots.take()?;
    // A repository in which nothing was ever sealed has no store yet.
    let empty = slot.folder().join("empty-store");
    let store = if store.is_dir() {
        store
    } else {
        std::fs::create_dir(&empty)?;
        &empty
    };
    let lease = match layout.work() {
        Some(work) => {
            Some(WriteLease::take(&work.root, &leases_folder()?, "sealwright sandbox run")?)
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
            // Without git there is no repository, and whoever asks for one is told by git's absence.
            match slot.run(&plan, Terms::new(mechanism.clone(), least)) {
                Ok(RunOutcome { ended: Ended::Exited(0), .. }) => {}
                Ok(_) | Err(SandboxError::Isolation { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    let outcome = slot.run(&plan(&slot, &view, layout, argv)?, Terms::new(mechanism, least))?;
    let harvest = view.harvest(&Allowance::Anywhere)?;
    Ok(Stood { outcome, harvest })
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

/// The slots of this user. Root keeps them where a user without rights can pass through.
pub fn slots() -> Result<SandboxSlots, SandboxError> {
    SandboxSlots::open(&seats_folder())
}

/// Whether the walls that were found are strong enough for each lane.
pub fn lanes(report: &Report, asked: &Sandbox) -> [(Lane, Level, bool); 3] {
    [Lane::Quick, Lane::Factory, Lane::Strict].map(|lane| {
        let least = asked.least(lane);
        (lane, least, report.level() >= least)
    })
}

/// What a person can do to have stronger walls than were found.
pub fn remedies(report: &Report) -> Vec<String> {
    let mut remedies = Vec::new();
    if report.level() == Level::KernelIsolated {
        return remedies;
    }
    for tried in &report.tried {
        let Some(why) = &tried.why else { continue };
        if tried.mechanism.name() == "namespaces" {
            remedies.push(match why {
                why if why.contains("make namespaces") => {
                    "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on Debian also \
                     `kernel.unprivileged_userns_clone=1`, on Ubuntu an AppArmor profile with `userns`; in a \
                     container `--security-opt seccomp=unconfined --security-opt apparmor=unconfined \
                     --security-opt systempaths=unconfined`"
                        .to_owned()
                }
                why => format!("namespaces could not be used: {why}"),
            });
        }
        if tried.mechanism.name() == "bubblewrap" {
            remedies.push("install bubblewrap 0.12 or newer, which some systems allow what they refuse to others".to_owned());
        }
        if tried.mechanism.name() == "landlock" {
            remedies
                .push("use a kernel with Landlock (5.13 or newer, `lsm=landlock,…`)".to_owned());
        }
    }
    remedies
}

fn leases_folder() -> io::Result<PathBuf> {
    let folder = state_folder().join("leases");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn seats_folder() -> PathBuf {
    state_folder().join("seats")
}

/// Where runs happen: the folder `SEALWRIGHT_STATE` names, or the user's own for state.
pub fn state_folder() -> PathBuf {
    if let Some(named) = std::env::var_os("SEALWRIGHT_STATE").filter(|folder| !folder.is_empty()) {
        return PathBuf::from(named);
    }
    let of_user = || {
        let given = std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty());
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
        given.map(PathBuf::from).or_else(home).unwrap_or_else(std::env::temp_dir)
    };
    let base = if sealwright_sandbox::is_root() { PathBuf::from("/var/lib") } else { of_user() };
    base.join("sealwright")
}

/// What is never part of a work tree that a role sees: the machine's own records, and what builds leave behind.
const LEFT_OUT: &[&str] = &["target", "node_modules", "__pycache__"];

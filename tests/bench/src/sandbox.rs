//! The overhead of the sandbox: builds a small view and runs `true` in it.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use sealwright_kernel::pack::{CreatedFor, Draft, Inclusion, Occasion, PackId, PackReader};
use sealwright_kernel::{ContextPack, Permission, Ref, Role, StreamId, TaskId, Timestamp};
use sealwright_sandbox::plan::Network;
use sealwright_sandbox::view::{
    self, Bounds, Cap, Hand, Layout, Listing, Owner, Request, View, ViewTarget, WorkTree,
    WriteLease, Writer,
};
use sealwright_sandbox::{Ended, Mechanism, SandboxSlot, SandboxSlots, Terms, probe, system};
use serde_json::{Value, json};

use crate::stopwatch::{spread, timed};

/// Builds a view of fifty files and runs `true` in it, `runs` times.
pub(crate) fn measure(runs: usize) -> Result<Value> {
    let slots = SandboxSlots::open(&std::env::temp_dir().join("sealwright-bench-seats"))?;
    let report = probe::first_good(&slots)?;
    let best = report.best().context("no walls can be put up here")?;
    let (mechanism, level) = (best.mechanism.clone(), report.level());
    let slot = slots.take()?;
    let folder = tempfile::tempdir()?;
    let (tree, store) = (folder.path().join("tree"), folder.path().join("store"));
    let leases = folder.path().join("leases");
    for folder in [&store, &leases] {
        std::fs::create_dir(folder)?;
    }
    plant(&tree)?;
    let layout = layout(&tree)?;
    let lease = WriteLease::take(&tree, &leases, "pace")?;
    let (mut built, mut ran) = (Vec::new(), Vec::new());
    // The first run is a warm-up and does not count.
    for nth in 0..=runs {
        let (view, building) = timed(|| view_of(&layout, &slot, &store, &lease));
        let view = view?;
        let (outcome, running) = timed(|| run(&slot, &view, &mechanism));
        outcome?;
        view.discard()?;
        if nth > 0 {
            built.push(building);
            ran.push(running);
        }
    }
    Ok(json!({
        "files": FILES, "mechanism": mechanism.name(), "level": level,
        "view": spread(built), "sandbox": spread(ran),
    }))
}

fn view_of(layout: &Layout, slot: &SandboxSlot, store: &Path, lease: &WriteLease) -> Result<View> {
    let owner = slot.run_as().map_or(Owner::Harness, |user| Owner::Role { uid: user, gid: user });
    Ok(view::materialise(
        layout,
        &ViewTarget {
            store,
            into: &slot.folder().join("view"),
            owner,
            writer: Writer::Holds(lease),
            bounds: Bounds::default(),
        },
    )?)
}

fn run(slot: &SandboxSlot, view: &View, mechanism: &Mechanism) -> Result<()> {
    let mut plan = system::plan(slot, &["/bin/true"])?;
    plan.mounts.extend_from_slice(view.mounts());
    plan.folder = view::WORK.to_owned();
    let terms = Terms::new(mechanism.clone(), sealwright_kernel::Level::Advisory);
    let outcome = slot.run(&plan, terms)?;
    ensure!(outcome.ended == Ended::Exited(0), "`true` did not end well: {:?}", outcome.ended);
    Ok(())
}

/// The view of a builder: one writable tree.
fn layout(tree: &Path) -> Result<Layout> {
    let module = Ref::new("MM-pace@0.1.0")?;
    let (task, run) = (TaskId::new("T-pace")?, StreamId::new("INV-000001")?);
    let pack = ContextPack::new(Draft {
        context_pack_id: PackId::of(&task, &run),
        created_for: CreatedFor {
            role: PackReader::Role(Role::Builder),
            run_id: run,
            task_ref: task,
        },
        included_refs: vec![Inclusion {
            reference: module.clone(),
            permission: Permission::Full,
            reason: "it is measured how long the view takes".to_owned(),
        }],
        excluded_refs: vec![],
        default_permission: Permission::ContractOnly,
        created_at: Timestamp::from_millis(0),
    })?;
    let work = WorkTree {
        module,
        root: tree.to_owned(),
        hand: Hand::Builds,
        cap: Cap::WholeTree,
        leave_out: vec![],
    };
    Ok(view::lay_out(&Request {
        pack: &pack,
        occasion: Occasion::Begin,
        listing: &Listing::default(),
        brief: &[],
        work: Some(&work),
        network: Network::Off,
    })?)
}

/// A tree like a small project: ten folders with five files of some kilobytes each.
fn plant(tree: &Path) -> Result<()> {
    for nth in 0..FILES {
        let folder = tree.join(format!("part_{}", nth % 10));
        std::fs::create_dir_all(&folder)?;
        let text = "a line of a file like any other in a small project\n".repeat(40 + nth);
        std::fs::write(folder.join(format!("file_{nth}.txt")), text)?;
    }
    Ok(())
}

const FILES: usize = 50;

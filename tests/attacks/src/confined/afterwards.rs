//! What the host does after a run: it takes permitted changes out through the harvest and touches nothing else.

use std::path::Path;

use anyhow::{Context, Result};
use sealwright_kernel::TreePath;
use sealwright_kernel::pack::Occasion;
use sealwright_kernel::{ContextPack, Level};
use sealwright_sandbox::plan::{Access, Network, Plan};
use sealwright_sandbox::view::{
    Allowance, Bounds, Cap, Hand, Harvest, Listing, Owner, Request, View, ViewTarget, WorkTree,
    WriteLease, Writer, lay_out, materialise,
};
use sealwright_sandbox::{SandboxSlot, Terms};

use super::{Setup, mount};
use crate::attack::{Attack, Follow};
use crate::fixture::Fixture;
use crate::fixture_setup::taken;

/// A view of the work tree, for attacks whose changes are taken out.
pub(super) fn view(attack: &Attack, fixture: &Fixture, slot: &SandboxSlot) -> Result<Option<View>> {
    match attack.then {
        Follow::Nothing | Follow::RunAgain | Follow::MountTests => return Ok(None),
        Follow::Collect
        | Follow::Commit
        | Follow::CommitApart
        | Follow::StatusBelow
        | Follow::Materialise => {}
    }
    let pack: ContextPack = serde_json::from_value(serde_json::json!({
        "context_pack_id": "CP-0123abcd",
        "created_for": {"role": "builder", "run_id": "INV-000001", "task_ref": "T-attack"},
        "included_refs": [{"ref": "MM-own@1.0.0", "permission": "FULL", "reason": "it is being built"}],
        "excluded_refs": [],
        "default_permission": "CONTRACT_ONLY",
        "created_at": "2026-01-01T00:00:00Z",
    }))?;
    let module = pack.open_module().context("the pack opens a module")?.clone();
    let work = WorkTree {
        module,
        root: fixture.inside.work.clone(),
        hand: Hand::Builds,
        cap: Cap::WholeTree,
        leave_out: Vec::new(),
    };
    let layout = lay_out(&Request {
        pack: &pack,
        occasion: Occasion::Begin,
        listing: &Listing::default(),
        brief: &[],
        work: Some(&work),
        network: Network::Off,
    })?;
    let leases = slot.folder().join("leases");
    let store = slot.folder().join("store");
    for folder in [&leases, &store] {
        std::fs::create_dir(folder)?;
    }
    let lease = WriteLease::take(&work.root, &leases, "attacks")?;
    let place = ViewTarget {
        store: &store,
        into: &slot.folder().join("view"),
        owner: slot.run_as().map_or(Owner::Harness, |user| Owner::Role { uid: user, gid: user }),
        writer: Writer::Holds(&lease),
        bounds: Bounds { file_bytes_max: fixture.bounds.taken_bytes, ..Bounds::default() },
    };
    Ok(Some(materialise(&layout, &place)?))
}

/// Takes the changes out, or says why not.
pub(super) fn take(view: &View, fixture: &Fixture) -> Result<Option<String>> {
    // The scope cap of the builder.
    let cap =
        ["src", "module", "tests"].map(TreePath::new).into_iter().collect::<Result<_, _>>()?;
    match view.harvest(&Allowance::Below(cap))? {
        Harvest::Refused(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
            Ok(Some(reasons.join("; ")))
        }
        Harvest::Taken { patch, kept } => {
            for change in &patch.changes {
                let Some(after) = change.after else { continue };
                let to = taken(fixture).join(change.path.as_str());
                std::fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
                std::fs::write(to, kept.content(after.content)?)?;
            }
            git(&taken(fixture))?;
            Ok(None)
        }
    }
}

/// Commits the changes in a repository of the host.
#[expect(
    clippy::disallowed_methods,
    reason = "the host runs git over what was taken, and over nothing else"
)]
fn git(folder: &Path) -> Result<()> {
    for words in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "work"],
        &["status"],
    ] {
        std::process::Command::new("git")
            .args(["-c", "user.name=host", "-c", "user.email=host@host"])
            .args(words)
            .current_dir(folder)
            .output()
            .context("cannot run git")?;
    }
    Ok(())
}

/// Mounts frozen tests over those of the work tree, or says why it cannot.
pub(super) fn mount_tests(
    plan: &Plan,
    fixture: &Fixture,
    setup: &Setup,
    slot: &SandboxSlot,
) -> Option<String> {
    let mut plan = plan.clone();
    plan.argv = vec!["/bin/true".to_owned()];
    plan.mounts.push(mount(&fixture.inside.frozen, "/work/tests", Access::ReadOnly));
    let ran = slot.run(&plan, Terms::new(setup.mechanism.clone(), Level::Advisory));
    ran.err().map(|error| error.to_string())
}

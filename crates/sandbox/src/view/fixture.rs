//! A small world for tests: a store with one sealed module, a work tree, and packs to look at them with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use sealwright_kernel::pack::{
    CreatedFor, Draft, Exclusion, Inclusion, Occasion, PackId, PackReader,
};
use sealwright_kernel::{ContextPack, Permission, Ref, Role, StreamId, TaskId, Timestamp};
use tempfile::TempDir;

use super::{
    Bounds, Cap, Hand, Layout, Listing, Owner, Request, View, ViewError, ViewTarget, WorkTree,
    WriteLease, Writer, discard, lay_out, materialise,
};
use crate::plan::Network;

/// Stands in every sealed file, and must never stand in a view.
pub(super) const SECRET: &str = "the sealed source of the rate limiter";
pub(super) const SEALED: &str = "MM-sealed@1.0.0";
pub(super) const OPEN: &str = "MM-open@0.1.0";

/// Everything on disk, taken away at the end.
pub(super) struct World {
    folder: TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        let world = Self { folder: TempDir::new().unwrap() };
        let module = world.module();
        for folder in ["implementation", "tests"] {
            fs::create_dir_all(module.join(folder)).unwrap();
            fs::write(module.join(folder).join("lib.rs"), SECRET).unwrap();
        }
        fs::write(module.join("contract.json"), CONTRACT).unwrap();
        fs::write(module.join("examples.md"), "# Examples\n").unwrap();
        fs::write(module.join("ship.json"), "{}\n").unwrap();
        for folder in [world.tree(), world.leases(), world.path("views")] {
            fs::create_dir_all(folder).unwrap();
        }
        world
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) fn store(&self) -> PathBuf {
        self.path("store")
    }

    /// The folder of the sealed module.
    pub(super) fn module(&self) -> PathBuf {
        self.store().join("modules/MM-sealed/1.0.0")
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.path("tree")
    }

    pub(super) fn leases(&self) -> PathBuf {
        self.path("leases")
    }

    /// Puts a file into the work tree.
    pub(super) fn plant(&self, path: &str, content: &str) {
        let file = self.tree().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(super) fn listing(&self) -> Listing {
        Listing::read(&self.store(), Bounds::default()).unwrap()
    }

    pub(super) fn lease(&self) -> WriteLease {
        WriteLease::take(&self.tree(), &self.leases(), "a test").unwrap()
    }

    /// A layout for `role` with the work tree in `hand`.
    pub(super) fn layout_of_tree(&self, role: Role, hand: Hand, leave_out: &[&str]) -> Layout {
        let pack = pack(role, &[(OPEN, Permission::Full)], &[]);
        let tree = WorkTree {
            module: named(OPEN),
            root: self.tree(),
            hand,
            cap: Cap::WholeTree,
            leave_out: leave_out.iter().map(ToString::to_string).collect(),
        };
        let listing = self.listing();
        lay_out(&Request { work: Some(&tree), ..request(&pack, &listing) }).unwrap()
    }

    /// Makes a view called `name`.
    pub(super) fn make(
        &self,
        layout: &Layout,
        writer: Writer<'_>,
        name: &str,
    ) -> Result<View, ViewError> {
        let (store, into) = (self.store(), self.path("views").join(name));
        let owner = Owner::Harness;
        materialise(
            layout,
            &ViewTarget { store: &store, into: &into, owner, writer, bounds: Bounds::default() },
        )
    }

    /// A view in which a builder may change the work tree.
    pub(super) fn builder_view(&self, lease: &WriteLease, name: &str) -> View {
        let layout = self.layout_of_tree(Role::Builder, Hand::Builds, &["target"]);
        self.make(&layout, Writer::Holds(lease), name).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Views hold folders without write permission; an ordinary user cannot just delete them.
        let _ = discard(self.folder.path());
    }
}

pub(super) fn request<'a>(pack: &'a ContextPack, listing: &'a Listing) -> Request<'a> {
    let (occasion, network) = (Occasion::Begin, Network::Off);
    Request { pack, occasion, listing, brief: &[], work: None, network }
}

pub(super) fn pack(role: Role, included: &[(&str, Permission)], excluded: &[&str]) -> ContextPack {
    let include = |(reference, permission): &(&str, Permission)| Inclusion {
        reference: named(reference),
        permission: *permission,
        reason: "the task needs it".to_owned(),
    };
    let exclude = |reference: &&str| Exclusion {
        reference: named(reference),
        reason: "no part of the task".to_owned(),
    };
    ContextPack::new(Draft {
        context_pack_id: PackId::try_from("CP-1a2b3c4d".to_owned()).unwrap(),
        created_for: CreatedFor {
            role: PackReader::Role(role),
            run_id: StreamId::new("INV-000001").unwrap(),
            task_ref: TaskId::new("T-limits").unwrap(),
        },
        included_refs: included.iter().map(include).collect(),
        excluded_refs: excluded.iter().map(exclude).collect(),
        default_permission: Permission::ContractOnly,
        created_at: Timestamp::from_millis(0),
    })
    .unwrap()
}

pub(super) fn named(reference: &str) -> Ref {
    Ref::new(reference).unwrap()
}

/// Every file below a folder and what it holds, without following links.
pub(super) fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.insert(name, fs::read(path).unwrap());
            } else {
                found.insert(name, b"<no file>".to_vec());
            }
        }
    }
    found
}

/// Whether the secret stands anywhere below a folder.
pub(super) fn leaks(folder: &Path) -> bool {
    contents(folder).values().any(|bytes| String::from_utf8_lossy(bytes).contains(SECRET))
}

/// Tells a thread that works against a test to stop, also when the test fails.
pub(super) struct StopsWithMe<'a>(pub(super) &'a AtomicBool);

impl Drop for StopsWithMe<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) const CONTRACT: &str = r#"{
  "module_id": "MM-sealed", "module_version": "1.0.0", "name": "limiter", "purpose": "limits rates",
  "tags": ["rate", "tenant"],
  "inputs": [{ "name": "tenant", "type": "string", "constraints": ["not empty"] }],
  "outputs": [{ "name": "allowed", "type": "bool", "invariants": [] }],
  "error_surfaces": [{ "name": "UnknownTenant", "when": "no such tenant", "surface": "variant" }],
  "effects": [{ "type": "WRITE", "target": "counters", "description": "counts a call" }],
  "modes": { "sync": true, "async": false, "notes": "" },
  "error_cases": ["unknown tenant: refused with UnknownTenant"],
  "dependencies": [], "compatibility": { "backward_compatible_with": [], "breaking_change_policy": "major" }
}
"#;

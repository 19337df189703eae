//! What `Cargo.toml` asks for.

use toml::{Table, Value};

use crate::toolchain::manifests::{Manifest, Read, Requests, plain, toml};

pub(super) fn manifest(name: &str) -> Option<Manifest> {
    let read: Read = |text| Ok(requests(&toml(text)?));
    let manifest = Manifest { requests: Some(read), locks: &["Cargo.lock"] };
    (name == "Cargo.toml").then_some(manifest)
}

/// The names of the library that a manifest describes.
pub(super) fn module_names(text: &str) -> Vec<String> {
    let Ok(manifest) = toml(text) else { return Vec::new() };
    let name = |table: &str| manifest.get(table)?.get("name")?.as_str();
    let names = [name("package"), name("lib")].into_iter().flatten();
    names.map(|name| name.replace('-', "_")).collect()
}

fn requests(manifest: &Table) -> Requests {
    let mut requests = Requests::new();
    take(&mut requests, "", manifest, &TABLES);
    if let Some(workspace) = manifest.get("workspace").and_then(Value::as_table) {
        take(&mut requests, "workspace.", workspace, &["dependencies"]);
    }
    let targets = manifest.get("target").and_then(Value::as_table);
    for (target, tables) in targets.into_iter().flatten() {
        if let Some(tables) = tables.as_table() {
            take(&mut requests, &format!("target.{target}."), tables, &TABLES);
        }
    }
    // A patch replaces a package wherever it is asked for.
    let patches = manifest.get("patch").and_then(Value::as_table);
    for (source, patched) in patches.into_iter().flatten() {
        for (name, how) in patched.as_table().into_iter().flatten() {
            requests.insert((format!("patch.{source}"), name.clone()), plain(how));
        }
    }
    take(&mut requests, "", manifest, &["replace"]);
    requests
}

fn take(requests: &mut Requests, before: &str, manifest: &Table, tables: &[&str]) {
    for table in tables {
        for (name, how) in manifest.get(*table).and_then(Value::as_table).into_iter().flatten() {
            requests.insert((format!("{before}{table}"), name.clone()), plain(how));
        }
    }
}

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

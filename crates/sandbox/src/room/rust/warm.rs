//! The warm target: the packages of others, built once, with nothing of any role in it.
//!
//! They are built from the harness's manifests with empty sources in place of the workspace's own, behind walls,
//! because build scripts and macros of packages run there. What belongs to the workspace itself is removed again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use toml::{Table, Value};

use crate::plan::{Access, Mount};
use crate::readable::make_folder;
use crate::room::error::RoomError;
use crate::room::material::{self, Files};
use crate::room::rust::kit::Kit;
use crate::room::visit::Conditions;
use crate::{Ended, SandboxSlot, system};

/// A workspace with manifests and nothing to compile.
pub(crate) struct Stubs {
    pub(crate) files: Files,
    packages: Vec<String>,
    pub(crate) scripts: Vec<String>,
}

/// Empty sources for every target the manifests name.
pub(crate) fn stubs(frozen: &Files) -> Result<Stubs, RoomError> {
    let mut files: Files = frozen
        .iter()
        .filter(|(path, _)| is_configuration(path))
        .map(|(path, content)| (path.clone(), content.clone()))
        .collect();
    let (mut packages, mut scripts) = (Vec::new(), Vec::new());
    for (path, content) in frozen.iter().filter(|(path, _)| is_manifest(path)) {
        let odd = |why: String| RoomError::Manifest { path: path.clone(), why };
        let text = std::str::from_utf8(content).map_err(|error| odd(error.to_string()))?;
        let manifest: Table =
            text.parse().map_err(|error: toml::de::Error| odd(error.message().to_owned()))?;
        let Some(name) = manifest.get("package").and_then(|package| package.get("name")?.as_str())
        else {
            continue;
        };
        packages.push(name.to_owned());
        let folder = path.strip_suffix("Cargo.toml").unwrap_or_default();
        for target in targets(&manifest, name) {
            if !target.split('/').any(|name| matches!(name, "" | "." | "..")) {
                let stub = if target == lib(&manifest) { "" } else { "fn main() {}\n" };
                files.insert(format!("{folder}{target}"), stub.into());
            }
        }
        let script = manifest.get("package").and_then(|package| package.get("build")?.as_str());
        let script = format!("{folder}{}", script.unwrap_or("build.rs"));
        if let Some(content) = frozen.get(&script) {
            files.insert(script.clone(), content.clone());
            scripts.push(script);
        }
    }
    Ok(Stubs { files, packages, scripts })
}

/// Builds them into `target`, and leaves there only what is not the workspace's.
pub(crate) fn build(
    kit: &Kit,
    stubs: &Stubs,
    target: &Path,
    slot: &SandboxSlot,
    conditions: &Conditions<'_>,
) -> Result<(), RoomError> {
    let place = slot.folder().join("warming");
    crate::slot::remove(&place)?;
    make_folder(&place)?;
    let work = place.join("work");
    make_folder(&work)?;
    for (path, content) in &stubs.files {
        material::put(&work, path, content)?;
    }
    slot.give(target)?;
    let mut words = vec!["/bin/sh", "-c", WARM, "warm"];
    words.extend(stubs.packages.iter().map(String::as_str));
    let mut plan = system::plan(slot, &words)?;
    kit.add(&mut plan, &work, &place)?;
    plan.mounts.push(Mount::required(target, "/target", Access::ReadWrite));
    let outcome = conditions.run(slot, &plan)?;
    crate::slot::remove(&place)?;
    if outcome.ended != Ended::Exited(0) {
        let said = String::from_utf8_lossy(&outcome.stderr.kept);
        let is_noise = |line: &&str| {
            ["Compiling ", "Downloaded ", "Locking "]
                .iter()
                .any(|it| line.trim_start().starts_with(it))
        };
        let mut said: Vec<_> = said.lines().filter(|line| !is_noise(line)).collect();
        // What failed is named at the beginning; why a build script failed stands at the end.
        if said.len() > 2 * LINES_MAX {
            said.drain(LINES_MAX..said.len() - LINES_MAX);
        }
        return Err(RoomError::Warming {
            said: format!("{:?}\n{}", outcome.ended, said.join("\n")),
        });
    }
    hand_over(target)?;
    Ok(())
}

/// Gives a tree back to the harness, and lets a run change its copy-on-write copy.
fn hand_over(path: &Path) -> std::io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    let found = path.symlink_metadata()?;
    std::os::unix::fs::lchown(path, Some(own), Some(rustix::process::getegid().as_raw()))?;
    if found.is_dir() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777))?;
        for entry in fs::read_dir(path)? {
            hand_over(&entry?.path())?;
        }
    } else if found.is_file() {
        let is_program = found.permissions().mode() & 0o100 != 0;
        let mode = if is_program { 0o777 } else { 0o666 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

fn is_configuration(path: &str) -> bool {
    is_manifest(path) || path == "Cargo.lock" || path.starts_with(".cargo/")
}

fn lib(manifest: &Table) -> &str {
    manifest.get("lib").and_then(|lib| lib.get("path")?.as_str()).unwrap_or("src/lib.rs")
}

/// The paths of all targets: those a manifest names, and a library in any case.
fn targets(manifest: &Table, package: &str) -> Vec<String> {
    let mut targets = vec![lib(manifest).to_owned()];
    for (kind, folder) in
        [("bin", "src/bin"), ("test", "tests"), ("bench", "benches"), ("example", "examples")]
    {
        let named = manifest.get(kind).and_then(Value::as_array).into_iter().flatten();
        for target in named {
            let path = target.get("path").and_then(Value::as_str);
            let name = target.get("name").and_then(Value::as_str).unwrap_or_default();
            targets.push(match path {
                Some(path) => path.to_owned(),
                None if kind == "bin" && name == package => "src/main.rs".to_owned(),
                None => format!("{folder}/{name}.rs"),
            });
        }
    }
    targets
}

/// Builds everything, then removes what was made of the stubs. A package that the workspace leaves out was not built.
const WARM: &str = "\
cargo build --tests --offline --frozen --workspace || exit
for package; do
    said=$(cargo clean --offline --frozen -p \"$package\" 2>&1) && continue
    case $said in
    *'did not match any packages'*) ;;
    *) echo \"$said\" >&2; exit 1 ;;
    esac
done";
const LINES_MAX: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_manifests_and_empty_sources_are_warmed() {
        let frozen: Files = [
            ("Cargo.toml", "[workspace]\nmembers = ['one', 'two']\n"),
            ("Cargo.lock", "version = 4\n"),
            (".cargo/config.toml", "[build]\n"),
            (
                "one/Cargo.toml",
                "[package]\nname = 'one'\nbuild = 'make.rs'\n[lib]\npath = 'one.rs'\n\
                 [[bin]]\nname = 'one'\n[[bin]]\nname = 'other'\n[[test]]\nname = 't'\nharness = false\n",
            ),
            ("one/make.rs", "fn main() { one() }"),
            ("one/one.rs", "mod role;"),
            ("one/tests/t.rs", "fn main() { one::one() }"),
            ("two/Cargo.toml", "[package]\nname = 'two'\n[[example]]\nname = 'e'\npath = '../out.rs'\n"),
            ("two/tests/it.rs", "#[test] fn t() { two::two() }"),
        ]
        .map(|(path, text)| (path.to_owned(), text.into()))
        .into();
        let stubs = stubs(&frozen).unwrap();
        assert_eq!(stubs.packages, ["one", "two"]);
        let sources = stubs.files.iter().filter(|(path, _)| path.ends_with(".rs"));
        let sources: Vec<_> =
            sources.map(|(path, text)| (path.as_str(), str::from_utf8(text).unwrap())).collect();
        assert_eq!(
            sources,
            [
                ("one/make.rs", "fn main() { one() }"),
                ("one/one.rs", ""),
                ("one/src/bin/other.rs", "fn main() {}\n"),
                ("one/src/main.rs", "fn main() {}\n"),
                ("one/tests/t.rs", "fn main() {}\n"),
                ("two/src/lib.rs", ""),
            ]
        );
        assert_eq!(stubs.files.len(), sources.len() + 5);
    }
}

//! Rust rooms: cargo builds in one sandbox, and each test executable runs in another.
//!
//! The build sees the toolchain, the vendored packages and a warm target that is thrown away after it; what it
//! made is kept apart. A run sees that, read-only, and what of the work tree is not Rust: no cargo, no toolchain,
//! and not the text of the tests, from which the code under test could tell which room it is in.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sealwright_kernel::{Digest, Hasher};
use serde::Deserialize;

use crate::plan::{Access, Plan};
use crate::room::material::{Material, make_folder, put};
use crate::room::tree::Tree;
use crate::room::{
    Cache, Conditions, Only, RoomError, Run, Site, Tampering, Visit, identity, material, mount,
    reading, vendor, warm,
};
use crate::system::{WORK, add_tool};
use crate::{Ended, RunOutcome, SandboxSlot};

/// What a Rust room needs and no role ever wrote: toolchain, packages, a warm target.
#[derive(Clone, Debug)]
pub struct Cargo {
    pub(crate) folder: PathBuf,
    identity: Digest,
    pub(crate) vendor: PathBuf,
    packages: Digest,
    pub(crate) warm: PathBuf,
}

/// What those are made from.
#[derive(Clone, Copy, Debug)]
pub struct CargoParts<'p> {
    /// The toolchain: what `rustc --print sysroot` says.
    pub toolchain: &'p Path,
    /// Whose archives are used, once they are checked. Its unpacked sources are not.
    pub cargo_home: &'p Path,
    /// The harness's own files: manifests and lock are read here.
    pub frozen: &'p Path,
}

impl Cargo {
    /// The trusted step: checks and unpacks the locked packages and builds them, once for each lock and toolchain.
    pub fn provide(
        cache: &Cache,
        parts: CargoParts<'_>,
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
    ) -> Result<Self, RoomError> {
        let files = material::frozen(parts.frozen)?;
        let lock = files
            .get("Cargo.lock")
            .ok_or_else(|| RoomError::NotFrozen { path: "Cargo.lock".to_owned() })?;
        let (folder, identity) = reading(parts.toolchain, |toolchain| {
            let folder = toolchain.canonicalize()?;
            let identity = identity::toolchain(&folder, &["cargo", "rustc"], |_| true)?;
            Ok((folder, identity))
        })?;
        let locked = vendor::locked(lock)?;
        let key = key(&[LAYOUT, lock, &identity.hex()]);
        let vendor = cache
            .folder("vendor", &key, |folder| vendor::unpack(&locked, parts.cargo_home, folder))?;
        let mut cargo =
            Self { folder, identity, vendor, packages: Digest::of(lock), warm: PathBuf::new() };
        let stubs = warm::stubs(&files)?;
        let key = self::key(&[&key.hex(), &material::digest(&stubs.files).hex()]);
        cargo.warm = cache
            .folder("warm", &key, |target| warm::build(&cargo, &stubs, target, slot, conditions))?;
        Ok(cargo)
    }

    pub(crate) fn packages(&self) -> Digest {
        self.packages
    }

    pub(crate) fn toolchain(&self) -> Digest {
        self.identity
    }

    pub(crate) fn visit(
        &self,
        site: &Site<'_>,
        material: &Material,
        tests: &[&str],
        only: Option<&Only>,
    ) -> Result<Visit, RoomError> {
        let mut visit = Visit::default();
        let (work, kept) = (site.place.join("work"), site.place.join("kept"));
        material.put(&work, |_| true)?;
        own_folder(site.slot, &kept)?;
        put(&kept, BEGAN, b"")?;
        let mut plan = site.plan(&["/bin/sh", "-c", BUILD])?;
        self.add(&mut plan, &work, site.place)?;
        plan.mounts.push(mount(&self.warm, TARGET, Access::CopyOnWrite));
        plan.mounts.push(mount(&kept, KEPT, Access::ReadWrite));
        let build = site.run(&plan, &mut visit.plans)?;
        let is_built = build.ended == Ended::Exited(0);
        visit.build = Some(build);
        if is_built {
            let executables = executables(&kept, &mut visit.artifacts)?;
            for test in tests {
                if !executables.iter().any(|executable| executable.is_from(test)) {
                    visit.tampering.push(Tampering::new(test, "no test was built from it"));
                }
            }
            let data = site.place.join("data");
            material.put(&data, |path| !path.ends_with(".rs"))?;
            for executable in executables {
                let Some(words) = executable.words(only) else { continue };
                let run = run(site, &executable, &words, &kept, &data, &mut visit.plans)?;
                visit.runs.push(run);
            }
        }
        Ok(visit)
    }

    /// Toolchain, packages and configuration, for whatever cargo is to do in `work`.
    pub(crate) fn add(&self, plan: &mut Plan, work: &Path, place: &Path) -> Result<(), RoomError> {
        let home = place.join("cargo");
        make_folder(&home)?;
        put(&home, "config.toml", CONFIGURATION.as_bytes())?;
        add_tool(plan, &self.folder, "/opt/rust")?;
        plan.mounts.push(mount(work, WORK, Access::ReadOnly));
        plan.mounts.push(mount(&self.vendor, "/vendor", Access::ReadOnly));
        plan.mounts.push(mount(&home, "/cargo", Access::ReadOnly));
        plan.folder = WORK.to_owned();
        for (name, value) in ENVIRONMENT {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
        Ok(())
    }
}

/// A test that must fail.
pub(crate) fn canary(nonce: &str) -> String {
    format!("\n\n#[test]\nfn {nonce}() {{\n    panic!(\"as it must\");\n}}\n")
}

pub(crate) fn has_failed(outcome: &RunOutcome, nonce: &str) -> bool {
    let said = String::from_utf8_lossy(&outcome.stdout.kept);
    // Tests that write past the harness may have begun the line.
    let is_said = said.contains(&format!("test {nonce} ... FAILED"));
    outcome.ended == Ended::Exited(LIBTEST_FAILED) && is_said
}

/// A folder that whoever runs in `slot` may write to.
pub(crate) fn own_folder(slot: &SandboxSlot, folder: &Path) -> Result<(), RoomError> {
    make_folder(folder)?;
    if let Some(user) = slot.run_as() {
        std::os::unix::fs::chown(folder, Some(user), Some(user))?;
    }
    Ok(())
}

/// A test executable, as cargo told of it.
struct Executable {
    name: String,
    /// Where it is, inside.
    path: String,
    /// What it was made from, inside.
    source: String,
    /// The folder of its package, inside.
    package: String,
}

impl Executable {
    fn is_from(&self, test: &str) -> bool {
        self.source.strip_prefix("/work/").is_some_and(|source| source == test)
    }

    /// What it is told to run; nothing, if it is not to be run at all.
    fn words<'o>(&self, only: Option<&'o Only>) -> Option<Vec<&'o str>> {
        let Some(only) = only else { return Some(Vec::new()) };
        let (_, names) = only.iter().find(|(test, _)| self.is_from(test))?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(if names.is_empty() { names } else { [vec!["--exact"], names].concat() })
    }
}

/// The test executables, with digests. Only what lies in the target and is a plain file is believed.
fn executables(
    kept: &Path,
    artifacts: &mut BTreeMap<String, Digest>,
) -> Result<Vec<Executable>, RoomError> {
    let odd = |why: &str| RoomError::Manifest { path: MESSAGES.to_owned(), why: why.to_owned() };
    let tree = Tree::open(kept)?;
    let messages = tree.file(MESSAGES)?.take(MESSAGES_BYTES_MAX);
    let mut found = BTreeMap::new();
    for line in BufReader::new(messages).split(b'\n') {
        let line = line.map_err(|source| RoomError::Read { path: MESSAGES.to_owned(), source })?;
        let Ok(Message { target, profile, executable: Some(path), manifest_path }) =
            serde_json::from_slice(&line)
        else {
            continue;
        };
        if !profile.test {
            continue;
        }
        let inside = path
            .strip_prefix("/target/")
            .filter(|inside| is_plain(inside))
            .ok_or_else(|| odd("an executable outside the target"))?;
        let package = manifest_path
            .strip_suffix("/Cargo.toml")
            .filter(|folder| *folder == WORK || folder.strip_prefix("/work/").is_some_and(is_plain))
            .ok_or_else(|| odd("a package outside the work tree"))?;
        if found.len() >= EXECUTABLES_MAX {
            return Err(odd("too many executables"));
        }
        let digest = identity::reader(tree.file(inside)?)
            .map_err(|source| RoomError::Read { path: path.clone(), source })?;
        artifacts.insert(path.clone(), digest);
        let kind = target.kind.first().map_or("", String::as_str);
        let executable = Executable {
            name: format!("{kind} {}", target.name),
            path: path.clone(),
            source: target.src_path,
            package: package.to_owned(),
        };
        found.insert(path, executable);
    }
    Ok(found.into_values().collect())
}

fn is_plain(path: &str) -> bool {
    path.split('/').all(|name| {
        !matches!(name, "" | "." | "..") && !name.chars().any(|letter| letter.is_control())
    })
}

fn run(
    site: &Site<'_>,
    executable: &Executable,
    words: &[&str],
    kept: &Path,
    data: &Path,
    plans: &mut Vec<Digest>,
) -> Result<Run, RoomError> {
    let mut plan = site.plan(&[&[executable.path.as_str()], words].concat())?;
    plan.mounts.push(mount(data, WORK, Access::ReadOnly));
    plan.mounts.push(mount(kept, TARGET, Access::ReadOnly));
    // A package without data of its own has no folder among the data.
    let inside = executable.package.strip_prefix(WORK).unwrap_or_default().trim_start_matches('/');
    fs::create_dir_all(data.join(inside))?;
    plan.folder.clone_from(&executable.package);
    plan.environment.insert("CARGO_MANIFEST_DIR".to_owned(), executable.package.clone());
    let outcome = site.run(&plan, plans)?;
    let tests = executable.source.strip_prefix("/work/").map(str::to_owned).into_iter().collect();
    Ok(Run { name: executable.name.clone(), tests, outcome })
}

fn key(parts: &[&[u8]]) -> Digest {
    let mut hasher = Hasher::default();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finish()
}

#[derive(Deserialize)]
struct Message {
    target: Target,
    profile: Profile,
    executable: Option<String>,
    manifest_path: String,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Changes whenever paths inside, the configuration or the environment of a build do.
const LAYOUT: &[u8] = b"room 1";

const TARGET: &str = "/target";
const KEPT: &str = "/kept";
const BEGAN: &str = "began";
const MESSAGES: &str = "messages";

/// Builds all tests, then keeps the executables it made: the target itself is thrown away. Where nothing can be built,
/// it says what the compiler says, a line of JSON each: others have to know what exactly is missing.
const BUILD: &str = "\
cargo test --no-run --offline --frozen --workspace --message-format=json > /kept/messages || {
    code=$?
    grep '^{\"reason\":\"compiler-message\"' /kept/messages
    exit $code
}
cd /target && find debug -newer /kept/began -type f -perm -u=x \
! -path 'debug/build/*' ! -path 'debug/incremental/*' -exec cp --parents -pt /kept {} +
";

const CONFIGURATION: &str = r#"[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "/vendor"

[net]
offline = true
"#;

const ENVIRONMENT: &[(&str, &str)] = &[
    ("CARGO_HOME", "/cargo"),
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_NET_OFFLINE", "true"),
    ("CARGO_TARGET_DIR", TARGET),
    ("CARGO_TERM_COLOR", "never"),
];

/// What a test executable exits with when a test failed.
const LIBTEST_FAILED: i32 = 101;
const MESSAGES_BYTES_MAX: u64 = 64 << 20;
const EXECUTABLES_MAX: usize = 512;

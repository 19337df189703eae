//! Rust rooms: cargo builds in one sandbox, and each test executable runs in another.
//!
//! The build sees the toolchain, the vendored packages and a warm target that is thrown away after it; what it
//! made is kept apart. A run sees that, read-only, and what of the work tree is not Rust: no cargo, no toolchain,
//! and not the text of the tests, from which the code under test could tell which room it is in.

mod built;
mod documented;
mod harness;
mod kit;
mod resolve;
mod vendor;
mod warm;

pub use built::{Built, Made, Order};
pub use documented::examples;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_kernel::{Digest, Hasher};

use crate::plan::{Access, Mount, Plan};
use crate::readable::{self, make_folder};
use crate::room::cache::Cache;
use crate::room::error::RoomError;
use crate::room::identity;
use crate::room::language::{Language, LanguageTools, Project, RoomLanguage, Runner};
use crate::room::material::{self, Material, own_folder, put};
use crate::room::outcome::Tampering;
use crate::room::rust::harness::Manifests;
use crate::room::rust::kit::{Kit, TARGET};
use crate::room::sources::{Sources, name_of};
use crate::room::visit::{Conditions, Run, Selection, Site, Visit, reading};
use crate::system::WORK;
use crate::{Ended, RunOutcome, SandboxSlot, SandboxSlots, tools};

pub(super) const LANGUAGE: RoomLanguage = RoomLanguage { name: "Rust", find };

/// What a Rust room needs and no role ever wrote: toolchain, packages, a warm target.
#[derive(Clone, Debug)]
pub struct Cargo {
    kit: Kit,
    identity: Digest,
    packages: Digest,
    warm: PathBuf,
    /// The lock that was made, for a project without one.
    made_lock: Option<Vec<u8>>,
    mutants: Option<PathBuf>,
}

/// The parts of a [`Cargo`].
#[derive(Clone, Copy, Debug)]
pub struct CargoParts<'p> {
    /// The toolchain: the output of `rustc --print sysroot`.
    pub toolchain: &'p Path,
    /// Whose archives are used, once they are checked. Its unpacked sources are not.
    pub cargo_home: &'p Path,
    /// The harness's own files: manifests and lock are read here.
    pub frozen: &'p Path,
}

#[derive(Debug)]
struct Found {
    toolchain: Option<PathBuf>,
    cargo_home: Option<PathBuf>,
    mutants: Option<PathBuf>,
}

fn find(_project: &Project<'_>) -> Arc<dyn LanguageTools> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    Arc::new(Found {
        toolchain: tools::answer("rustc", &["--print", "sysroot"]).map(PathBuf::from),
        cargo_home: named.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))),
        mutants: tools::on_path("cargo-mutants"),
    })
}

impl LanguageTools for Found {
    fn can_make_rooms(&self) -> bool {
        self.toolchain.is_some() && self.cargo_home.is_some()
    }

    fn can_list_mutants(&self) -> bool {
        self.mutants.is_some()
    }

    /// Every frozen file but plain source.
    fn inputs(&self, frozen: &Path) -> Result<Digest, RoomError> {
        let mut hasher = Hasher::default();
        let mut open = vec![frozen.to_owned()];
        while let Some(folder) = open.pop() {
            let mut entries: Vec<_> = fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let path = entry.path();
                let is_source = path.extension().is_some_and(|it| it == "rs");
                if path.is_dir() {
                    open.push(path);
                } else if !is_source || path.ends_with("build.rs") {
                    let inside = path.strip_prefix(frozen).unwrap_or(&path);
                    hasher.update(inside.as_os_str().as_encoded_bytes());
                    hasher.update(&Digest::of(&fs::read(&path)?).hex());
                }
            }
        }
        Ok(hasher.finish())
    }

    fn provide(
        &self,
        frozen: &Path,
        cache: &Cache,
        slots: &SandboxSlots,
        conditions: &Conditions<'_>,
    ) -> Result<Option<Language>, RoomError> {
        let (Some(toolchain), Some(cargo_home)) = (&self.toolchain, &self.cargo_home) else {
            return Ok(None);
        };
        let parts = CargoParts { toolchain, cargo_home, frozen };
        let cargo = Cargo::provide(cache, parts, &slots.take()?, conditions)?;
        Ok(Some(cargo.with_mutants(self.mutants.clone()).into()))
    }
}

impl From<Cargo> for Language {
    fn from(cargo: Cargo) -> Self {
        Self(Arc::new(cargo))
    }
}

impl Cargo {
    fn run(
        &self,
        site: &Site<'_>,
        executable: &Executable,
        words: &[&str],
        (kept, data): (&Path, &Path),
        plans: &mut Vec<Digest>,
    ) -> Result<Run, RoomError> {
        let mut plan = site.plan(&[&[executable.path.as_str()], words].concat())?;
        plan.mounts.push(Mount::required(data, WORK, Access::ReadOnly));
        plan.mounts.push(Mount::required(kept, TARGET, Access::ReadOnly));
        // Cargo promises tests a folder of their own, `CARGO_TARGET_TMPDIR`. Every run has an empty one.
        let promised = kept.join("tmp");
        if fs::symlink_metadata(&promised).is_err() {
            make_folder(&promised)?;
        }
        if fs::symlink_metadata(&promised)?.is_dir() {
            let own = site.place.join("tests-tmp");
            crate::slot::remove(&own)?;
            own_folder(site.slot, &own)?;
            plan.mounts.push(Mount::required(&own, TESTS_TMP, Access::ReadWrite));
        }
        // A package without data of its own has no folder among the data.
        let inside =
            executable.package.strip_prefix(WORK).unwrap_or_default().trim_start_matches('/');
        readable::make_folders(data, Path::new(inside))?;
        plan.folder.clone_from(&executable.package);
        plan.environment.insert("CARGO_MANIFEST_DIR".to_owned(), executable.package.clone());
        // Tests of macros are linked with the compiler's library, as macros are.
        if executable.name.starts_with("proc-macro ")
            && let Some(library) = self.kit.shared_library()
        {
            plan.mounts.push(Mount::required(library, RUST_LIBRARY, Access::ReadOnly));
            plan.environment.insert("LD_LIBRARY_PATH".to_owned(), RUST_LIBRARY.to_owned());
        }
        let outcome = site.run(&plan, plans)?;
        let tests =
            executable.source.strip_prefix("/work/").map(str::to_owned).into_iter().collect();
        Ok(Run { name: executable.name.clone(), tests, outcome, is_known_failing: false })
    }

    /// The trusted step: checks and unpacks the locked packages and builds them, once for each lock and toolchain.
    pub fn provide(
        cache: &Cache,
        parts: CargoParts<'_>,
        slot: &SandboxSlot,
        conditions: &Conditions<'_>,
    ) -> Result<Self, RoomError> {
        let files = material::frozen(parts.frozen)?.files;
        let (folder, identity) = reading(parts.toolchain, |toolchain| {
            let folder = toolchain.canonicalize()?;
            let identity = identity::toolchain(&folder, &["cargo", "rustc"], |_| true)?;
            Ok((folder, identity))
        })?;
        let mut stubs = warm::stubs(&files)?;
        let made = match files.get(resolve::LOCK) {
            Some(_) => None,
            None => {
                let key = key(&[LAYOUT, &material::digest(&stubs.files).hex(), &identity.hex()]);
                let tools = (folder.as_path(), parts.cargo_home);
                let made = cache.folder("locks", &key, |into| {
                    resolve::lock(&stubs.files, tools, into, slot, conditions)
                })?;
                Some(fs::read(made.join(resolve::LOCK))?)
            }
        };
        if let Some(lock) = &made {
            stubs.files.insert(resolve::LOCK.to_owned(), lock.clone());
        }
        let lock = made.as_ref().or_else(|| files.get(resolve::LOCK));
        let lock = lock.ok_or_else(|| RoomError::NotFrozen { path: resolve::LOCK.to_owned() })?;
        let locked = vendor::locked(lock)?;
        let key = key(&[LAYOUT, lock, &identity.hex()]);
        let vendor = cache
            .folder("packages", &key, |folder| vendor::unpack(&locked, parts.cargo_home, folder))?;
        let kit = Kit { toolchain: folder, vendor };
        let key = self::key(&[&key.hex(), &material::digest(&stubs.files).hex()]);
        let warm = cache
            .folder("warm", &key, |target| warm::build(&kit, &stubs, target, slot, conditions))?;
        let packages = Digest::of(lock);
        Ok(Self { kit, identity, packages, warm, made_lock: made, mutants: None })
    }

    fn add_lock(&self, work: &Path) -> Result<(), RoomError> {
        match &self.made_lock {
            Some(lock) => Ok(put(work, resolve::LOCK, lock)?),
            None => Ok(()),
        }
    }

    /// The same, with the program cargo-mutants, to list mutants with.
    #[must_use]
    pub fn with_mutants(self, mutants: Option<PathBuf>) -> Self {
        Self { mutants, ..self }
    }
}

impl Runner for Cargo {
    fn sources(&self, folders: &[&str]) -> Sources {
        Sources::new(folders, "rs", forbidden)
    }

    fn packages(&self) -> Digest {
        self.packages
    }

    fn toolchain(&self) -> Digest {
        self.identity
    }

    fn canary_name(&self, nonce: &str) -> String {
        nonce.to_owned()
    }

    fn canary(&self, nonce: &str) -> String {
        format!("\n\n#[test]\nfn {nonce}() {{\n    panic!(\"as it must\");\n}}\n")
    }

    fn has_failed(&self, outcome: &RunOutcome, _test: &str, nonce: &str) -> bool {
        let said = String::from_utf8_lossy(&outcome.stdout.kept);
        // A test that writes past the harness may have begun the line.
        let is_said = said.contains(&format!("test {nonce} ... FAILED"));
        outcome.ended == Ended::Exited(LIBTEST_FAILED) && is_said
    }

    /// A file may be there for a feature that is not built.
    fn has_no_tests(&self, outcome: &RunOutcome) -> bool {
        let said = String::from_utf8_lossy(&outcome.stdout.kept);
        said.trim_start().starts_with("running 0 tests\n")
    }

    fn is_without_canary(
        &self,
        material: &Material,
        test: &str,
        _known_failing: &[(String, String)],
    ) -> bool {
        let manifests = Manifests::of(&material.frozen);
        manifests.without_harness().contains(test) || manifests.is_left_out(test)
    }

    fn not_run(&self, material: &Material) -> Vec<String> {
        let files = documented::files(&material.sources);
        let more = match files.len() {
            0 | 1 => String::new(),
            many => format!(" and {} more", many - 1),
        };
        files.first().map(|first| format!("doc tests, in {first}{more}")).into_iter().collect()
    }

    fn visit(
        &self,
        site: &Site<'_>,
        material: &Material,
        tests: &[&str],
        _folders: &[String],
        selected: Selection<'_>,
    ) -> Result<Visit, RoomError> {
        let mut visit = Visit::default();
        let (work, kept) = (site.place.join("work"), site.place.join("kept"));
        material.put(&work, |_| true)?;
        self.add_lock(&work)?;
        let mut plan = site.plan(&[])?;
        self.kit.add(&mut plan, &work, site.place)?;
        self.add_build(&mut plan, site.slot, &kept, ALL_TESTS)?;
        let build = site.run(&plan, &mut visit.plans)?;
        let is_built = build.ended == Ended::Exited(0);
        visit.build = Some(build);
        if is_built {
            let manifests = Manifests::of(&material.frozen);
            let executables = executables(&kept, &mut visit.artifacts)?;
            for test in tests {
                let is_built = executables.iter().any(|executable| executable.is_from(test));
                if !is_built && !manifests.is_left_out(test) {
                    visit.tampering.push(Tampering::new(test, "no test was built from it"));
                }
            }
            let data = site.place.join("data");
            material.put(&data, |path| !path.ends_with(".rs"))?;
            let bare = manifests.without_harness();
            for executable in executables {
                if bare.iter().any(|test| executable.is_from(test)) {
                    // There is no test in it that could be chosen.
                    if selected.only.is_none() {
                        let run =
                            self.run(site, &executable, &[], (&kept, &data), &mut visit.plans)?;
                        visit.without_harness.push(run.name.clone());
                        visit.runs.push(run);
                    }
                    continue;
                }
                let Some(words) = executable.words(selected) else { continue };
                let run = self.run(site, &executable, &words, (&kept, &data), &mut visit.plans)?;
                visit.runs.push(run);
                let known = executable.known_failing(selected);
                if selected.runs_known_failing && !known.is_empty() {
                    let words = [&["--exact"], &known[..]].concat();
                    let mut run =
                        self.run(site, &executable, &words, (&kept, &data), &mut visit.plans)?;
                    run.is_known_failing = true;
                    visit.runs.push(run);
                }
            }
        }
        Ok(visit)
    }

    fn cargo(&self) -> Option<&Cargo> {
        Some(self)
    }

    fn add_lister(&self, plan: &mut Plan, work: &Path, place: &Path) -> Result<(), RoomError> {
        let program = self.mutants.as_ref().ok_or(RoomError::NoLister)?.canonicalize()?;
        self.add_lock(work)?;
        self.kit.add(plan, work, place)?;
        plan.mounts.push(Mount::required(&program, "/opt/mutants/cargo-mutants", Access::ReadOnly));
        let path = plan.environment.entry("PATH".to_owned()).or_default();
        *path = format!("/opt/mutants:{path}");
        Ok(())
    }
}

pub(crate) fn forbidden(sources: &Sources, path: &str) -> Option<&'static str> {
    match name_of(path) {
        _ if path.split('/').any(|name| name == ".cargo") => Some("cargo's configuration"),
        "Cargo.toml" => Some("a manifest"),
        "Cargo.lock" => Some("a lock"),
        "rust-toolchain" | "rust-toolchain.toml" => Some("a choice of toolchain"),
        // Below the sources it is a module like any other: only a manifest could say otherwise.
        "build.rs" if !sources.is_inside(path) => Some("a build script"),
        _ => None,
    }
}

struct Executable {
    name: String,
    path: String,
    /// Its source file, inside.
    source: String,
    /// The folder of its package, inside.
    package: String,
}

impl Executable {
    fn known_failing<'o>(&self, selected: Selection<'o>) -> Vec<&'o str> {
        let own = selected.known_failing.iter().filter(|(suite, _)| *suite == self.name);
        own.map(|(_, name)| name.as_str()).collect()
    }

    fn is_from(&self, test: &str) -> bool {
        self.source.strip_prefix("/work/").is_some_and(|source| source == test)
    }

    /// Its arguments. None if it is not to be run.
    fn words<'o>(&self, selected: Selection<'o>) -> Option<Vec<&'o str>> {
        let Some(only) = selected.only else {
            let known = self.known_failing(selected);
            let skipped: Vec<&str> = known.into_iter().flat_map(|name| ["--skip", name]).collect();
            return Some(if skipped.is_empty() {
                skipped
            } else {
                [vec!["--exact"], skipped].concat()
            });
        };
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
    let mut found = BTreeMap::new();
    for made in built::made(kept)?.into_iter().filter(|it| it.is_test) {
        let package = made
            .package
            .strip_suffix("/Cargo.toml")
            .filter(|folder| *folder == WORK || folder.strip_prefix("/work/").is_some_and(is_plain))
            .ok_or_else(|| built::odd("a package outside the work tree"))?;
        let path = format!("{TARGET}/{}", made.inside);
        artifacts.insert(path.clone(), made.digest);
        let executable = Executable {
            name: format!("{} {}", made.kind, made.name),
            path: path.clone(),
            source: made.source,
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

fn key(parts: &[&[u8]]) -> Digest {
    let mut hasher = Hasher::default();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finish()
}

/// Changes whenever paths inside, the configuration or the environment of a build do.
const LAYOUT: &[u8] = b"room 2";

/// What `CARGO_TARGET_TMPDIR` names inside.
const TESTS_TMP: &str = "/target/tmp";
/// Where the toolchain's shared library is, for tests that are linked with it.
const RUST_LIBRARY: &str = "/opt/rust-library";
/// Builds all tests. Every target is tried: one that does not compile hides no other.
const ALL_TESTS: &[&str] =
    &["build", "--tests", "--keep-going", "--offline", "--frozen", "--workspace"];

/// The exit code of a test executable when a test failed.
const LIBTEST_FAILED: i32 = 101;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::sources::Judged;

    #[test]
    fn only_plain_source_is_taken() {
        let rust = Sources::new(&["src"], "rs", forbidden)
            .with_extensions(&["json"])
            .with_files(&["words.txt"]);
        for taken in ["src/lib.rs", "src/deep/er.rs", "src/table.json", "src/build.rs", "words.txt"]
        {
            assert_eq!(rust.judge(taken), Judged::Taken, "{taken}");
        }
        for left in
            ["lib.rs", "src/.hidden.rs", "src/.x/a.rs", "src/a.so", "tests/a.rs", "srcs/a.rs"]
        {
            assert_eq!(rust.judge(left), Judged::LeftOut, "{left}");
        }
        for told in [
            ".cargo/config.toml",
            "src/.cargo/config",
            "build.rs",
            "Cargo.toml",
            "src/x/Cargo.lock",
            "rust-toolchain",
            "rust-toolchain.toml",
        ] {
            assert!(matches!(rust.judge(told), Judged::Forbidden(_)), "{told}");
        }
    }
}

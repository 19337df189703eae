//! Rooms around cargo projects.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use sealwright_kernel::Digest;
use sealwright_sandbox::Ended;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{
    Cache, Canary, Cargo, CargoParts, Language, Room, RoomError, RoomOutcome,
};

use crate::lab::{Lab, NONCE, Project, conditions, ended, is_green, output, story, told, tool};

#[test]
fn an_honest_implementation_passes() {
    let lab = Lab::open();
    let tree = lab.tree(HONEST, &[]);
    assert!(naive(&tree), "the control: an honest tree is green");
    let outcome = lab.check(&tree);
    assert!(outcome.passed(), "{}", story(&outcome));
    let names: Vec<_> = outcome.runs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["lib calc", "test it"]);
    assert_eq!(outcome.artifacts.len(), 2);
    assert_eq!(outcome.canary, Canary::Failed);
    let said = String::from_utf8_lossy(&outcome.build.as_ref().unwrap().stderr.kept).into_owned();
    assert!(said.contains("Compiling calc") && !said.contains("Compiling itoa"), "{said}");
}

#[test]
fn a_broken_implementation_fails_and_is_not_accused() {
    let lab = Lab::open();
    let tree = lab.tree(BROKEN, &[]);
    assert!(!naive(&tree), "the control: a broken tree is red");
    let outcome = lab.check(&tree);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101), "{}", story(&outcome));
    assert!(outcome.is_honest() && !outcome.passed());
    // What does not compile fails before anything runs.
    let outcome = lab.check(&lab.tree("pub fn add(", &[]));
    assert!(outcome.runs.is_empty() && outcome.is_honest() && !outcome.passed());
}

#[test]
fn what_the_compiler_misses_is_said_in_its_own_words() {
    let lab = Lab::open();
    let outcome = lab.check(&lab.tree("pub fn other() {}", &[]));
    assert!(outcome.runs.is_empty() && outcome.is_honest() && !outcome.passed());
    let said = String::from_utf8_lossy(&outcome.build.as_ref().unwrap().stdout.kept).into_owned();
    let errors: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let error = errors.iter().find(|it| it["message"]["code"]["code"] == "E0425").unwrap();
    assert_eq!(error["message"]["spans"][0]["file_name"], "tests/it.rs", "{said}");
}

#[test]
fn a_runner_in_a_configuration_file_runs_nothing() {
    let runner = "[target.'cfg(all())']\nrunner = '/bin/true'\n";
    let outcome = fooled(BROKEN, &[(".cargo/config.toml", runner)]);
    assert_eq!(told(&outcome), [".cargo/config.toml: cargo's configuration"]);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101));
}

#[test]
fn a_constructor_that_exits_is_betrayed_by_the_canary() {
    let outcome = fooled(CONSTRUCTOR, &[]);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(0));
    assert_eq!(told(&outcome), ["tests/it.rs: the canary passed: `test it` ended with Exited(0)"]);
}

#[test]
fn an_implementation_that_exits_is_betrayed_by_the_canary() {
    let outcome = fooled("pub fn add(_: i64, _: i64) -> String { std::process::exit(0) }", &[]);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(0));
    assert!(matches!(outcome.canary, Canary::Passed { .. }));
    assert!(!outcome.is_honest());
}

#[test]
fn a_build_script_is_not_run() {
    let script =
        "fn main() { std::fs::write(\"tests/it.rs\", \"#[test] fn fine() {}\").unwrap(); }";
    let outcome = fooled(BROKEN, &[("build.rs", script)]);
    // The control has run it, and it did its work on the tree.
    assert_eq!(told(&outcome), ["build.rs: a build script", "tests/it.rs: not what was frozen"]);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101));
}

/// Proves in part: A-014
#[test]
fn tests_cannot_be_switched_off_in_a_manifest() {
    let manifest = manifest().replace("edition", "autotests = false\nedition");
    let outcome = fooled(BROKEN, &[("Cargo.toml", &manifest)]);
    assert_eq!(told(&outcome), ["Cargo.toml: not what was frozen"]);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101));
}

#[test]
fn an_old_time_beside_a_warm_target_hides_nothing() {
    let lab = Lab::open();
    let tree = lab.tree(HONEST, &[]);
    assert!(naive(&tree), "the tree is built once while it is honest");
    fs::write(tree.join("src/lib.rs"), BROKEN).unwrap();
    let year_2020 = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
    File::open(tree.join("src/lib.rs")).unwrap().set_modified(year_2020).unwrap();
    assert!(naive(&tree), "the control: cargo believes the time");
    let outcome = lab.check(&tree);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101), "{}", story(&outcome));
    assert!(!outcome.passed());
}

#[test]
fn an_executable_swapped_in_a_target_is_not_run() {
    let lab = Lab::open();
    let tree = lab.tree(BROKEN, &[]);
    assert!(!naive(&tree), "the tree is built once, and is red");
    let executables = fs::read_dir(tree.join("target/debug/deps")).unwrap().flatten();
    let swapped = executables
        .map(|entry| entry.path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("it-"))
        .filter(|path| path.extension().is_none());
    for path in swapped {
        fs::remove_file(&path).unwrap();
        fs::copy("/bin/true", &path).unwrap();
    }
    assert!(naive(&tree), "the control: cargo runs what it finds");
    let outcome = lab.check(&tree);
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101), "{}", story(&outcome));
    assert!(!outcome.passed());
}

#[test]
fn poisoned_packages_are_not_compiled() {
    let lab = Lab::open();
    let home = lab.folder("home");
    let tree = lab.tree(BROKEN, &[]);
    copy_of_home(&home);
    assert!(!naive_with(&tree, &home), "the tree is red, and cargo has unpacked the package");
    let sources = only_entry(&home.join("registry/src"));
    let poisoned = sources.join(format!("itoa-{}/src/lib.rs", itoa().0));
    let text = fs::read_to_string(&poisoned).unwrap();
    let place = "pub fn format<I: Integer>(&mut self, i: I) -> &str {";
    assert!(text.contains(place), "the package has changed; choose another place");
    fs::write(&poisoned, text.replace(place, &format!("{place} return \"5\";"))).unwrap();
    fs::remove_dir_all(tree.join("target")).unwrap();
    assert!(naive_with(&tree, &home), "the control: cargo does not look at unpacked sources again");

    let outcome = lab.check_with(&tree, &lab.cargo(&lab.cache(), &home).unwrap());
    assert_eq!(ended(&outcome, "test it"), Ended::Exited(101), "{}", story(&outcome));
    assert!(!outcome.passed());

    // An archive that is not what was locked is not even unpacked.
    let archive = only_entry(&home.join("registry/cache")).join(format!("itoa-{}.crate", itoa().0));
    let mut content = fs::read(&archive).unwrap();
    *content.last_mut().unwrap() ^= 1;
    fs::write(&archive, content).unwrap();
    let other = Cache::open(&lab.folder("other cache")).unwrap();
    let refused = lab.cargo(&other, &home).unwrap_err();
    assert!(matches!(refused, RoomError::Poisoned { .. }), "{refused}");
    fs::remove_file(&archive).unwrap();
    assert!(matches!(lab.cargo(&other, &home), Err(RoomError::Missing { .. })));
}

#[test]
fn two_folders_of_the_host_build_the_same_bytes() {
    let build = || {
        let lab = Lab::open();
        let cargo = lab.cargo(&lab.cache(), &cargo_home()).unwrap();
        lab.check_with(&lab.tree(HONEST, &[("notes.txt", "left out")]), &cargo)
    };
    let (one, other) = (build(), build());
    assert_eq!(one.artifacts.len(), 2);
    assert_eq!(one.artifacts, other.artifacts);
    assert_eq!(one.digest, other.digest);
    let lab = Lab::open();
    let different = lab.check(&lab.tree(BROKEN, &[]));
    assert_ne!(one.digest.sources, different.digest.sources);
    assert_ne!(one.digest.whole(), different.digest.whole());
    assert_eq!(one.digest.packages, different.digest.packages);
}

#[test]
fn a_room_leaves_its_cache_as_it_was() {
    let lab = Lab::open();
    let cargo = lab.cargo(&lab.cache(), &cargo_home()).unwrap();
    let before = digest_of(&lab.folder("cache"));
    let outcome = lab.check_with(&lab.tree(VANDAL, &[]), &cargo);
    assert!(outcome.passed(), "the vandal is refused everywhere: {}", story(&outcome));
    assert_eq!(digest_of(&lab.folder("cache")), before);
    assert!(!before.keys().any(|path| path.contains("calc")), "only packages of others are warm");
    assert!(before.keys().any(|path| path.contains("libitoa")), "packages of others are warm");
}

#[test]
fn a_room_without_frozen_tests_or_with_a_known_canary_is_refused() {
    let lab = Lab::open();
    let tree = lab.tree(&format!("{HONEST}// {NONCE}"), &[]);
    let refused = lab.try_check(&tree, lab.shared(), &["tests/it.rs"], NONCE).unwrap_err();
    assert!(matches!(refused, RoomError::Nonce), "{refused}");
    for nonce in ["short", "UPPERCASEUPPERCASE", "9startswithadigit9", "has space in the middle"] {
        let refused = lab.try_check(&tree, lab.shared(), &["tests/it.rs"], nonce).unwrap_err();
        assert!(matches!(refused, RoomError::Nonce), "{refused}");
    }
    let refused = lab.try_check(&tree, lab.shared(), &[], NONCE).unwrap_err();
    assert!(matches!(refused, RoomError::NoTests), "{refused}");
    let refused = lab.try_check(&tree, lab.shared(), &["tests/other.rs"], NONCE).unwrap_err();
    assert!(matches!(refused, RoomError::NotFrozen { .. }), "{refused}");
}

/// The naive check is fooled by this tree, the room is not.
fn fooled(library: &str, role: Project<'_>) -> RoomOutcome {
    let lab = Lab::open();
    let tree = lab.tree(library, role);
    assert!(naive(&tree), "the control: the naive check is fooled");
    let outcome = lab.check(&tree);
    assert!(!outcome.passed(), "{}", story(&outcome));
    outcome
}

impl Lab {
    /// A work tree: what was given, then what the role made of it.
    pub(crate) fn tree(&self, library: &str, role: Project<'_>) -> PathBuf {
        let (manifest, lock) = (manifest(), lock());
        let given: Project<'_> =
            &[("Cargo.toml", &manifest), ("Cargo.lock", &lock), ("tests/it.rs", TEST)];
        self.write("frozen", &[given]);
        self.write("tree", &[given, &[("src/lib.rs", library)], role])
    }

    fn check(&self, tree: &Path) -> RoomOutcome {
        self.check_with(tree, self.shared())
    }

    fn check_with(&self, tree: &Path, cargo: &Cargo) -> RoomOutcome {
        self.try_check(tree, cargo, &["tests/it.rs"], NONCE).unwrap()
    }

    fn try_check(
        &self,
        tree: &Path,
        cargo: &Cargo,
        tests: &[&str],
        nonce: &str,
    ) -> Result<RoomOutcome, RoomError> {
        let language = Language::from(cargo.clone());
        let room = Room {
            work_tree: tree,
            sources: language.sources(&["src"]),
            frozen: &self.folder("frozen"),
            tests,
            witnesses: &BTreeMap::new(),
            known_failing: &[],
            nonce,
            language: &language,
            limits: Limits { wall_ms: 120_000, ..Limits::default() },
        };
        room.check(&self.slots, &conditions())
    }

    fn cache(&self) -> Cache {
        Cache::open(&self.folder("cache")).unwrap()
    }

    fn cargo(&self, cache: &Cache, cargo_home: &Path) -> Result<Cargo, RoomError> {
        let frozen = self.folder("frozen");
        if !frozen.exists() {
            self.tree(HONEST, &[]);
        }
        let parts = CargoParts { toolchain: toolchain(), cargo_home, frozen: &frozen };
        Cargo::provide(cache, parts, &self.slots.take().unwrap(), &conditions())
    }

    /// What most tests share: the packages, made once for each build of these tests.
    pub(crate) fn shared(&self) -> &'static Cargo {
        static SHARED: OnceLock<Cargo> = OnceLock::new();
        SHARED.get_or_init(|| {
            let built = fs::metadata(std::env::current_exe().unwrap()).unwrap().modified().unwrap();
            let built = built.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
            let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("room");
            let own = base.join(built.to_string());
            for stale in fs::read_dir(&base).into_iter().flatten().flatten() {
                if stale.path() != own {
                    let _ = fs::remove_dir_all(stale.path());
                }
            }
            self.cargo(&Cache::open(&own).unwrap(), &cargo_home()).unwrap()
        })
    }
}

/// The naive check: cargo, in the tree, as it was left.
fn naive(tree: &Path) -> bool {
    naive_with(tree, &cargo_home())
}

fn naive_with(tree: &Path, cargo_home: &Path) -> bool {
    let bin = toolchain().join("bin");
    let mut cargo = tool(&bin.join("cargo"));
    cargo.args(["test", "--offline", "--frozen"]).current_dir(tree);
    cargo.env("CARGO_HOME", cargo_home).env("RUSTC", bin.join("rustc"));
    is_green(cargo.env("CARGO_TARGET_DIR", tree.join("target")))
}

fn toolchain() -> &'static Path {
    static TOOLCHAIN: OnceLock<PathBuf> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| output(tool(Path::new("rustc")).args(["--print", "sysroot"])).into())
}

fn cargo_home() -> PathBuf {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(".cargo"))
}

/// A home of cargo that knows one package, which it has not unpacked yet.
fn copy_of_home(home: &Path) {
    let index = fs::read_dir(cargo_home().join("registry/index")).unwrap().flatten();
    for registry in index {
        let archive =
            format!("registry/cache/{}/itoa-{}.crate", registry.file_name().display(), itoa().0);
        if !cargo_home().join(&archive).exists() {
            continue;
        }
        let index = format!("registry/index/{}", registry.file_name().display());
        let entry = format!("{index}/.cache/it/oa/itoa");
        for path in [archive, entry, format!("{index}/config.json")] {
            fs::create_dir_all(home.join(&path).parent().unwrap()).unwrap();
            fs::copy(cargo_home().join(&path), home.join(&path)).unwrap();
        }
    }
}

fn only_entry(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap().flatten();
    let only = entries.next().unwrap().path();
    assert!(entries.next().is_none(), "{} holds more than one", folder.display());
    only
}

fn digest_of(folder: &Path) -> std::collections::BTreeMap<String, Digest> {
    let mut all = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let content = fs::read(entry.path()).unwrap();
                all.insert(entry.path().display().to_string(), Digest::of(&content));
            }
        }
    }
    all
}

/// The package these projects depend on, as this repository has locked it: version and checksum.
fn itoa() -> (String, String) {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = fs::read_to_string(lock).unwrap();
    let (_, package) = lock.split_once("name = \"itoa\"\n").unwrap();
    let value = |name: &str| {
        let (_, rest) = package.split_once(&format!("{name} = \"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    (value("version"), value("checksum"))
}

fn manifest() -> String {
    format!(
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nitoa = \"={}\"\n\n[profile.dev]\ndebug = false\n",
        itoa().0
    )
}

fn lock() -> String {
    let (version, checksum) = itoa();
    format!(
        "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\ndependencies = [\n \"itoa\",\n]\n\n\
         [[package]]\nname = \"itoa\"\nversion = \"{version}\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{checksum}\"\n"
    )
}

const TEST: &str = "#[test]
fn two_and_three_are_five() {
    assert_eq!(calc::add(2, 3), \"5\");
}
";

const HONEST: &str =
    "pub fn add(a: i64, b: i64) -> String { itoa::Buffer::new().format(a + b).to_owned() }\n";

const BROKEN: &str =
    "pub fn add(a: i64, b: i64) -> String { itoa::Buffer::new().format(a - b).to_owned() }\n";

const CONSTRUCTOR: &str = r#"
pub fn add(_: i64, _: i64) -> String { String::new() }

#[used]
#[unsafe(link_section = ".init_array")]
static FIRST: extern "C" fn() = first;

extern "C" fn first() {
    println!("\nrunning 1 test\ntest two_and_three_are_five ... ok\n\ntest result: ok. 1 passed");
    std::process::exit(0);
}
"#;

/// Right in what it answers, and writes wherever it can.
const VANDAL: &str = r#"
pub fn add(a: i64, b: i64) -> String {
    for folder in ["/target", "/target/debug/deps", "/vendor", "/cargo", "/work", "/opt/rust", "/etc"] {
        assert!(std::fs::write(format!("{folder}/planted"), "x").is_err(), "{folder}");
    }
    assert!(!std::path::Path::new("/opt/rust").exists(), "no toolchain");
    assert!(!std::path::Path::new("/work/tests/it.rs").exists(), "no text of the tests");
    itoa::Buffer::new().format(a + b).to_owned()
}
"#;

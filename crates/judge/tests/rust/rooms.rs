//! A candidate in one room, its tests in another.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use sealwright_judge::rust::{End, Files, RustTrial};
use sealwright_judge::{Rooms, Surroundings};
use sealwright_kernel::Level;
use sealwright_sandbox::plan::Limits;
use sealwright_sandbox::room::{Cache, Cargo, CargoParts, Conditions};
use sealwright_sandbox::{Mechanism, SandboxSlots};

/// How the tests end that judge a candidate in another room, and which of them need its process.
pub(crate) fn judged_in(
    surroundings: &Surroundings,
    candidate: &[(&str, &str)],
    tests: &[(&str, &str)],
) -> (BTreeMap<String, End>, Vec<String>) {
    let folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir().unwrap();
    let launcher = Path::new(env!("CARGO_BIN_EXE_judge-launcher"));
    let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), launcher).unwrap();
    let files = |files: &[(&str, &str)]| -> Files {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    };
    let lock = "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n";
    let configuration = [("Cargo.toml", MANIFEST), ("Cargo.lock", lock)];
    let frozen = files(&[&configuration[..], tests].concat());
    let candidate = files(&[&configuration[..], candidate].concat());
    let laid = folder.path().join("frozen");
    for (path, content) in &frozen {
        fs::create_dir_all(laid.join(path).parent().unwrap()).unwrap();
        fs::write(laid.join(path), content).unwrap();
    }
    let mechanism = &Mechanism::Namespaces;
    let rooms = Rooms { slots: &slots, mechanism, least: Level::KernelIsolated };
    let conditions = Conditions::new(mechanism.clone(), rooms.least);
    let cache = Cache::open(&folder.path().join("cache")).unwrap();
    let home = std::env::home_dir().unwrap().join(".cargo");
    let parts = CargoParts { toolchain: toolchain(), cargo_home: &home, frozen: &laid };
    let cargo = Cargo::provide(&cache, parts, &slots.take().unwrap(), &conditions).unwrap();
    let trial = RustTrial {
        cargo: &cargo,
        candidate: &candidate,
        frozen: &frozen,
        package: "",
        wanted: &["tests/it.rs"],
        limits: Limits { wall_ms: 60_000, ..Limits::default() },
        seconds: 4,
        cancel: None,
    };
    let pair = trial.pair().unwrap();
    let tests = trial.tests(rooms, &pair).unwrap();
    let (ends, malformed) = trial.run(rooms, &pair, &tests, surroundings).unwrap();
    assert_eq!(malformed, None, "the candidate kept to the protocol");
    assert!(ends.iter().all(|it| it.suite == "test it"));
    let shared = tests.shared.keys().map(|(_, name)| name.clone()).collect();
    (ends.into_iter().map(|it| (it.name, it.end)).collect(), shared)
}

pub(crate) fn why<'e>(ends: &'e BTreeMap<String, End>, test: &str) -> &'e str {
    match ends.get(test) {
        Some(End::Failed(why)) => why,
        other => panic!("{test} did not fail: {other:?}"),
    }
}

fn toolchain() -> &'static Path {
    static TOOLCHAIN: OnceLock<PathBuf> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| {
        #[expect(
            clippy::disallowed_methods,
            reason = "the compiler of this machine is asked as it is"
        )]
        let output = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    })
}

pub(crate) const MANIFEST: &str =
    "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

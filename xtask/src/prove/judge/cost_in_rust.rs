//! What the boundary costs in Rust: a library and its tests are there, nothing of them is built.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};
use sealwright_judge::USUAL;
use sealwright_judge::rust::{End, Files, RustTrial};
use sealwright_sandbox::plan::Limits;

use super::cost::TESTS;
use super::{SECONDS, WALL_MS, fresh, in_rust_rooms, lay};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::reality::repositories::cargo;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let mut suite = String::new();
    for nth in 0..TESTS {
        let _ = write!(suite, "#[test]\nfn t{nth}() {{ assert_eq!(shop::slow({nth}), {nth}); }}\n");
    }
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let (manifest, lock) = (file("Cargo.toml", MANIFEST), file("Cargo.lock", LOCK));
    let frozen = Files::from([manifest.clone(), lock.clone(), file("tests/suite.rs", &suite)]);
    let candidate = Files::from([manifest, lock, file("src/lib.rs", LIBRARY)]);
    figures.hold_measured(|| {
        let place = fresh("cost-of-rust")?;
        lay(&place, &frozen)?;
        lay(&place, &candidate)?;
        let bare = |words: &[&str]| -> Result<f64> {
            let target = fresh("cost-of-rust-target")?;
            let began = Instant::now();
            let mut bare = cargo(&place)?;
            bare.args(["test", "--offline", "--test", "suite", "--"]).args(words);
            bare.env("CARGO_TARGET_DIR", target).stdout(Stdio::null()).stderr(Stdio::null());
            ensure!(bare.status()?.success(), "the bare suite did not pass");
            Ok(began.elapsed().as_secs_f64())
        };
        let (one_s, all_s) = (bare(&["--test-threads=1"])?, bare(&[])?);
        let across_s = in_rust_rooms(&frozen, size, |cargo, rooms| {
            let trial = RustTrial {
                cargo,
                candidate: &candidate,
                frozen: &frozen,
                package: "",
                wanted: &["tests/suite.rs"],
                limits: Limits { wall_ms: WALL_MS, ..Limits::default() },
                seconds: SECONDS,
                cancel: None,
            };
            let began = Instant::now();
            let pair = trial.pair()?;
            let tests = trial.tests(rooms, &pair)?;
            let (ends, _) = trial.run(rooms, &pair, &tests, &USUAL)?;
            let passed = ends.iter().filter(|it| it.end == End::Passed).count();
            ensure!(passed == TESTS, "{passed} of {TESTS} tests pass across");
            Ok(began.elapsed().as_secs_f64())
        })?;
        let times = across_s / one_s;
        let text = format!(
            "{TESTS} tests in Rust, built and run: {one_s:.1} s in one process one by one ({all_s:.1} s at once), \
             {across_s:.1} s across one by one, {times:.1} × (at most 2)"
        );
        Ok((text, times <= 2.0))
    })
}

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n";
const LIBRARY: &str = "pub fn slow(value: u64) -> u64 {\n    \
                       std::thread::sleep(std::time::Duration::from_millis(30));\n    value\n}\n";

//! `init` writes a check, and what it runs in a clean room ends as it does natively, test by test.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, Result};
use sealwright_gates::Status;
use sealwright_gates::reports::junit;
use serde_json::Value;

use super::known::reasons;
use super::repositories::{Ready, cargo, git};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{say, scratch};

/// How often the tests of a repository are repeated where one differs.
const AGAIN: usize = 2;

/// How often tests of a name ended in which way. Two tests may have one name in two suites.
type Ends = BTreeMap<(String, &'static str), usize>;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let known = reasons("test")?;
    let repositories = super::ready(size, figures)?;
    let (mut tests, mut explained, mut unsteady, mut open, mut unchecked) = (0, 0, 0, 0, 0);
    say("  repository      tests  differ  natively  in the room");
    for repository in &repositories {
        let (told, _) = repository.sealwright(&["init", "--format", "json", "--no-try"])?;
        let report: Value = serde_json::from_str(&told).context("init printed no report")?;
        if report["detected"]["kinds"]["tests"].is_null() {
            unchecked += 1;
            say(&format!("  ✗ {}: init wrote no check", repository.name));
            continue;
        }
        git(&repository.folder, &["add", "--all"])?;
        git(&repository.folder, &["commit", "--quiet", "--message", "set up"])?;
        let (native, natively_s) = timed(|| native(repository))?;
        let (room, in_room_s) = timed(|| room(repository))?;
        let native = renamed(native, &room);
        let differ = differing(&native, &room);
        let is_known =
            |test: &String| known.contains_key(&(repository.name.to_owned(), test.clone()));
        let again = if differ.iter().all(is_known) { None } else { Some(again(repository)?) };
        let count: usize = native.values().sum();
        tests += count;
        let name = repository.name;
        let figures = format!("{count:6}  {:6}  {natively_s:7} s  {in_room_s:9} s", differ.len());
        say(&format!("  {name:14} {figures}"));
        for test in differ {
            match known.get(&(name.to_owned(), test.clone())) {
                Some(reason) => {
                    explained += 1;
                    say(&format!("    · {test}: {reason}"));
                }
                None if again.as_ref().is_some_and(|it| is_unsteady(&test, &native, &room, it)) => {
                    unsteady += 1;
                    say(&format!(
                        "    · {test}: {}, and otherwise when repeated",
                        ends(&native, &room, &test)
                    ));
                }
                None => {
                    open += 1;
                    say(&format!("    ✗ {test}: {}", ends(&native, &room, &test)));
                }
            }
        }
    }
    figures.hold(
        format!("{} repositories, {unchecked} without a check", repositories.len()),
        unchecked == 0,
    );
    figures.hold(
        format!(
            "{tests} tests, {explained} end otherwise in the room for a reason, {unsteady} end otherwise \
             when repeated, {open} for none"
        ),
        open == 0,
    );
    Ok(())
}

/// The same ends, with a number in a name replaced by the path that the room has in it: pytest numbers a value whose text
/// is long, and a path of this machine may be.
fn renamed(native: Ends, room: &Ends) -> Ends {
    let stem = |name: &str| name.split_once('[').map(|(stem, _)| stem.to_owned());
    let pathed = |key: &&(String, &'static str)| key.0.contains("[/") && !native.contains_key(*key);
    let pathed: Vec<_> = room.keys().filter(pathed).collect();
    let mut renamed = Ends::new();
    for ((name, end), times) in &native {
        let is_lost = name.contains('[') && !room.contains_key(&(name.clone(), *end));
        let alike = |key: &&&(String, &str)| key.1 == *end && stem(&key.0) == stem(name);
        let mut found = pathed.iter().filter(alike);
        let name = match (is_lost, found.next(), found.next()) {
            (true, Some(only), None) => only.0.clone(),
            _ => name.clone(),
        };
        *renamed.entry((name, *end)).or_default() += times;
    }
    renamed
}

fn differing(native: &Ends, room: &Ends) -> BTreeSet<String> {
    let keys = native.keys().chain(room.keys());
    keys.filter(|key| native.get(key) != room.get(key)).map(|key| key.0.clone()).collect()
}

/// The same tests twice more on both sides, natively first.
fn again(repository: &Ready) -> Result<[Vec<Ends>; 2]> {
    let native = (0..AGAIN).map(|_| native(repository)).collect::<Result<_>>()?;
    let room = (0..AGAIN).map(|_| room(repository)).collect::<Result<_>>()?;
    Ok([native, room])
}

/// Whether a test ends in more than one way on one side, where nothing differs but the moment.
fn is_unsteady(test: &str, native: &Ends, room: &Ends, again: &[Vec<Ends>; 2]) -> bool {
    let of = |ends: &Ends| -> Vec<_> {
        ends.iter()
            .filter(|((name, _), _)| name == test)
            .map(|(key, times)| (key.1, *times))
            .collect()
    };
    [native, room].iter().zip(again).any(|(first, more)| more.iter().any(|it| of(it) != of(first)))
}

fn ends(native: &Ends, room: &Ends, test: &str) -> String {
    let of = |ends: &Ends| {
        let own = ends.iter().filter(|((name, _), _)| name == test);
        own.map(|((_, end), times)| format!("{times} {end}")).collect::<Vec<_>>().join(", ")
    };
    format!("natively {}, in the room {}", of(native), of(room))
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
    let began = Instant::now();
    let done = run()?;
    Ok((done, began.elapsed().as_secs()))
}

/// How the tests end as a developer runs them.
fn native(repository: &Ready) -> Result<Ends> {
    match &repository.python {
        Some(_) => {
            let tests = junit::read(&repository.pytest(&[])?)?;
            let mut ends = Ends::new();
            for result in tests.results {
                let name = format!("{}::{}", result.id.suite, result.id.name);
                let end = match result.status {
                    Status::Passed => "passed",
                    Status::Failed { .. } => "failed",
                    Status::Broken { .. } => "broken",
                    Status::Skipped { .. } => "skipped",
                };
                *ends.entry((plain(repository, &name), end)).or_default() += 1;
            }
            Ok(ends)
        }
        None => {
            let mut cargo = cargo(&repository.folder)?;
            cargo.args([
                "test",
                "--offline",
                "--workspace",
                "--no-fail-fast",
                "--tests",
                "--quiet",
            ]);
            cargo.args(["--", "--format", "pretty"]).env_remove("RUST_BACKTRACE");
            cargo.env(
                "CARGO_TARGET_DIR",
                scratch("reality").join(format!("{}-target", repository.name)),
            );
            let output = cargo.stdin(Stdio::null()).output()?;
            let mut ends = Ends::new();
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                let Some((name, end)) =
                    line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
                else {
                    continue;
                };
                let end = match end.split(',').next().unwrap_or_default() {
                    "ok" => "passed",
                    "FAILED" => "failed",
                    "ignored" => "skipped",
                    _ => continue,
                };
                let name = name.trim_end_matches(" - should panic").to_owned();
                *ends.entry((name, end)).or_default() += 1;
            }
            // A lock that cargo made is not part of the repository.
            git(&repository.folder, &["clean", "--quiet", "-fd"])?;
            Ok(ends)
        }
    }
}

/// How they end in the clean room of the check that `init` wrote.
fn room(repository: &Ready) -> Result<Ends> {
    let (told, _) = repository.sealwright(&["gates", "try", "tests", "--format", "json"])?;
    let report: Value = serde_json::from_str(&told).context("the gate printed no report")?;
    let mut ends = Ends::new();
    for test in report["tests"].as_array().context("the report has no tests")? {
        let text = |key: &str| test[key].as_str().unwrap_or_default();
        let name = match &repository.python {
            Some(_) => plain(repository, &format!("{}::{}", text("suite"), text("name"))),
            None => text("name").to_owned(),
        };
        let end = match text("status") {
            "passed" => "passed",
            "failed" => "failed",
            "broken" => "broken",
            _ => "skipped",
        };
        *ends.entry((name, end)).or_default() += 1;
    }
    Ok(ends)
}

/// A name without the places of this machine or of the room, which some tests have in their names.
fn plain(repository: &Ready, name: &str) -> String {
    let mut name = name.to_owned();
    if let Some(python) = &repository.python {
        let packages = python.join("lib").display().to_string();
        if let Some((before, rest)) = name.split_once(&packages)
            && let Some((_, rest)) = rest.split_once("/site-packages")
        {
            name = format!("{before}/site{rest}");
        }
    }
    name.replace(&repository.folder.display().to_string(), "/work")
}

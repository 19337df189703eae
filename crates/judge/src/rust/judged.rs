//! A trial in Rust: test executables in one room judge a program in another that was built with the candidate.
//!
//! ```text
//! frozen tests + stand-in ──cargo──▶ test executables ── frames ──▶ program ◀──cargo── candidate, without tests
//! ```
//!
//! The tests are built where nothing of the candidate is but its declarations, the candidate where there is no test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::rust_api::Api;
use sealwright_gates::toolchain::{Function, Kind};
use sealwright_sandbox::plan::{Access, Limits, Mount, Plan};
use sealwright_sandbox::room::{Built, Cargo, Conditions, Made, Order};
use sealwright_sandbox::{Cancel, Ended, SandboxSlot, system};

use super::Pair;
use super::mended::{Errors, TakenOut, outlined};
use crate::Malformed;
use crate::rooms::{Rooms, Surroundings, folder};
use crate::trial::TrialError;

/// Files by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What is judged, by which tests.
pub struct RustTrial<'t> {
    pub cargo: &'t Cargo,
    /// The candidate, without its tests.
    pub candidate: &'t Files,
    /// What nobody could write to: manifests, lock, tests and what they read.
    pub frozen: &'t Files,
    /// The folder of the package that the tests are of, with a slash behind it; nothing, if it is the whole.
    pub package: &'t str,
    /// The files whose tests are run.
    pub wanted: &'t [&'t str],
    pub limits: Limits,
    /// The most that one test may take.
    pub seconds: u32,
    pub cancel: Option<&'t Cancel>,
}

/// Test executables with a stand-in for the candidate.
#[derive(Debug)]
pub struct RustTests {
    /// Holds them.
    _slot: SandboxSlot,
    kept: PathBuf,
    executables: Vec<Made>,
    /// Tests that need the process of the candidate, by file and name, with the reason.
    pub shared: BTreeMap<(String, String), String>,
}

/// How one test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEnd {
    /// As a runner names it: `test acceptance`.
    pub suite: String,
    pub name: String,
    pub end: End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    /// It passed without asking the candidate anything.
    Silent,
    Ignored,
    Failed(String),
}

impl RustTrial<'_> {
    /// Whether there is something to call or to start.
    pub fn has_subject(&self) -> bool {
        self.has_library() || self.binaries().is_ok_and(|it| !it.is_empty())
    }

    fn has_library(&self) -> bool {
        let library = self.library().map(|path| format!("{}{path}", self.package));
        library.is_ok_and(|path| self.candidate.contains_key(&path))
    }

    /// The two programs for the candidate as it is.
    pub fn pair(&self) -> Result<Pair, TrialError> {
        let pair = Self::pair_of(self.candidate, self.frozen, self.package);
        if pair.library.is_empty() && self.has_library() {
            return Err(TrialError::Unread { why: "the library cannot be read".to_owned() });
        }
        Ok(pair)
    }

    /// The two programs for a package, with or without a library.
    pub fn pair_of(sources: &Files, frozen: &Files, package: &str) -> Pair {
        let own = |(path, content): (&String, &Vec<u8>)| {
            let inside = path.strip_prefix(package)?;
            let is_read = inside == MANIFEST || is_source(inside);
            is_read.then(|| (inside.to_owned(), String::from_utf8_lossy(content).into_owned()))
        };
        let mut files: BTreeMap<String, String> = sources.iter().filter_map(own).collect();
        let manifest = frozen.get(&format!("{package}{MANIFEST}"));
        if let Some(manifest) = manifest {
            let text = String::from_utf8_lossy(manifest).into_owned();
            files.insert(MANIFEST.to_owned(), text);
        }
        Api::of(&files).map_or_else(Pair::without_library, |api| Pair::of(&api))
    }

    /// Builds the tests with a stand-in. What cannot be compiled with it needs the process of the candidate.
    pub fn tests(&self, rooms: Rooms<'_>, pair: &Pair) -> Result<RustTests, TrialError> {
        let slot = rooms.slots.take()?;
        let mut files = self.cargo.shell(self.frozen)?;
        let library = self.library()?;
        if !pair.library.is_empty() {
            files.insert(format!("{}{library}", self.package), pair.stand_in.clone().into());
        }
        self.add_starters(&mut files)?;
        let is_wanted = |path: &str| self.wanted.contains(&path);
        let helps =
            |path: &str| !is_source(path) || (path.contains("tests/") && !Self::is_test_file(path));
        let own = self.frozen.iter().filter(|(path, _)| is_wanted(path) || helps(path));
        files.extend(own.map(|(path, content)| (path.clone(), content.clone())));
        files.iter_mut().for_each(|(path, content)| without_lints(path, content));
        let mut taken = self.by_their_text(&files);
        for round in 0..ROUNDS_MAX {
            let work = slot.folder().join(format!("work-{round}"));
            write(&work, &files)?;
            let mounts = [Mount::required(&work, system::WORK, Access::ReadOnly)];
            let at = format!("{}/{}", system::WORK, self.package);
            let order = Order {
                mounts: &mounts,
                at: at.trim_end_matches('/'),
                words: &["build", "--test", "*", "--keep-going", "--offline", "--frozen"],
                unset: &[],
                limits: self.limits,
            };
            let name = format!("build-{round}");
            let built = self.cargo.built((&slot, &name), order, &self.conditions(rooms))?;
            if built.outcome.ended == Ended::Exited(0) {
                return Ok(self.told(slot, built, taken));
            }
            let known = |path: &str| {
                let in_package = format!("{}{path}", self.package);
                let whole = path.strip_prefix("/work/").unwrap_or(path);
                [in_package.as_str(), whole]
                    .into_iter()
                    .find(|it| files.contains_key(*it))
                    .map(str::to_owned)
            };
            let known =
                |path: &str| known(path).filter(|it| *it != format!("{}{library}", self.package));
            let errors = Errors::read(&built.outcome.stdout.kept, known);
            if !errors.elsewhere.is_empty() || errors.is_empty() {
                let said = String::from_utf8_lossy(&built.outcome.stderr.kept).into_owned();
                let why = errors.elsewhere.first().cloned().unwrap_or(said);
                return Err(TrialError::Unread { why: format!("no stand-in can be built: {why}") });
            }
            errors.take_out(&mut files, &mut taken, round + 2 >= ROUNDS_MAX);
        }
        let why = "the tests cannot be compiled with a stand-in".to_owned();
        Err(TrialError::Unread { why })
    }

    /// Builds the candidate with a program that answers for it, and runs the tests.
    pub fn run(
        &self,
        rooms: Rooms<'_>,
        pair: &Pair,
        tests: &RustTests,
        surroundings: &Surroundings,
    ) -> Result<(Vec<TestEnd>, Option<Malformed>), TrialError> {
        let (judge, candidate) = (rooms.slots.take()?, rooms.slots.take()?);
        let source = candidate.folder().join("source");
        let mut files = self.candidate.clone();
        let lock = self.cargo.shell(self.frozen)?.remove(LOCK);
        if let Some(lock) = &lock {
            files.insert(LOCK.to_owned(), lock.clone());
        }
        write(&source, &files)?;
        let built = (source.as_path(), lock.unwrap_or_default());
        let program = self.program(rooms, &candidate, built, pair, surroundings)?;
        let reports = judge.folder().join("reports");
        let mut judge_plan = self.judge_plan(&judge, tests, surroundings, &reports)?;
        let mut plan = system::plan(&candidate, &[surroundings.program])?;
        plan.limits = self.limits;
        plan.mounts.push(Mount::required(&program, surroundings.program, Access::ReadOnly));
        // A library may read what lies beside its source.
        let data = candidate.folder().join("data");
        let beside = self.candidate.iter().filter(|(path, _)| !is_source(path));
        write(&data, &beside.map(|(path, content)| (path.clone(), content.clone())).collect())?;
        plan.mounts.push(Mount::required(&data, surroundings.source, Access::ReadOnly));
        if let Some(programs) = self.built_binaries(rooms, &candidate, &source, surroundings)? {
            plan.mounts.push(Mount::required(&programs, surroundings.programs, Access::ReadOnly));
        }
        surroundings.add_for_candidate(&mut plan);
        rooms.exchange(&judge, &mut judge_plan, &mut plan)?;
        let ends = ((&judge, &judge_plan), (&candidate, &plan));
        let (outcome, _, malformed) = rooms.face_to_face(ends, self.cancel)?;
        let ends = fs::read_to_string(reports.join(ENDS)).unwrap_or_default();
        let mut told = Vec::new();
        for line in ends.lines() {
            let mut words = line.splitn(4, ' ');
            let number = words.next().and_then(|it| it.parse::<usize>().ok());
            let executable = number.and_then(|it| tests.executables.get(it));
            let (Some(number), Some(executable), Some(code), Some(asked), Some(name)) =
                (number, executable, words.next(), words.next(), words.next())
            else {
                continue;
            };
            let end = match (code, asked) {
                ("ignored", _) => End::Ignored,
                ("0", "asked") => End::Passed,
                ("0", _) => End::Silent,
                (code, _) => {
                    let said =
                        fs::read(reports.join(format!("{number}.{name}"))).unwrap_or_default();
                    End::Failed(reason(code, &String::from_utf8_lossy(&said)))
                }
            };
            let suite = format!("{} {}", executable.kind, executable.name);
            told.push(TestEnd { suite, name: name.to_owned(), end });
        }
        if told.is_empty() && outcome.ended != Ended::Exited(0) {
            let said = String::from_utf8_lossy(&outcome.stderr.kept).into_owned();
            return Err(TrialError::Unread { why: format!("no test was run: {said}") });
        }
        Ok((told, malformed))
    }

    /// The program that calls the candidate.
    fn program(
        &self,
        rooms: Rooms<'_>,
        slot: &SandboxSlot,
        (source, lock): (&Path, Vec<u8>),
        pair: &Pair,
        surroundings: &Surroundings,
    ) -> Result<PathBuf, TrialError> {
        // It is built as a program that uses the library.
        let at = format!("{}/{}", surroundings.source, self.package);
        let name = surroundings.program.rsplit('/').next().unwrap_or_default();
        let mut manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\n"
        );
        if !pair.library.is_empty() {
            let package = self.name()?;
            let _ =
                writeln!(manifest, "{} = {{ path = {at:?}, package = {package:?} }}", pair.library);
        }
        let main = format!("{}const PROGRAMS: &str = {:?};\n", pair.program, surroundings.programs);
        let service = slot.folder().join("service");
        let files = [
            (MANIFEST.to_owned(), manifest.into_bytes()),
            (LOCK.to_owned(), lock),
            ("src/main.rs".to_owned(), main.into_bytes()),
        ];
        write(&service, &files.into())?;
        slot.give(&service)?;
        slot.give(&service.join(LOCK))?;
        let mounts = [
            Mount::required(source, surroundings.source, Access::ReadOnly),
            Mount::required(&service, SERVICE, Access::ReadWrite),
        ];
        let mut words = vec!["build", "--offline"];
        let profile = self.profile(surroundings);
        words.extend(profile.iter().map(String::as_str));
        let order = Order {
            mounts: &mounts,
            at: SERVICE,
            words: &words,
            // A build of somebody else has none of these.
            unset: if surroundings.is_optimised { &OURS } else { &[] },
            limits: self.limits,
        };
        let built = self.cargo.built((slot, "build"), order, &self.conditions(rooms))?;
        let made = built.executables.iter().find(|it| it.name == name);
        let Some(made) = made.filter(|_| built.outcome.ended == Ended::Exited(0)) else {
            let why = Errors::reason(&built.outcome);
            return Err(TrialError::Unread { why: format!("it cannot be called: {why}") });
        };
        Ok(built.kept.join(&made.inside))
    }

    fn judge_plan(
        &self,
        slot: &SandboxSlot,
        tests: &RustTests,
        surroundings: &Surroundings,
        reports: &Path,
    ) -> Result<Plan, TrialError> {
        folder(reports)?;
        slot.give(reports)?;
        let seconds = self.seconds.to_string();
        let order = if surroundings.is_reversed { "tac" } else { "cat" };
        let paths: Vec<String> =
            tests.executables.iter().map(|it| format!("/target/{}", it.inside)).collect();
        let mut argv = vec!["/bin/sh", "-c", RUN, "tests", &seconds, order];
        argv.extend(paths.iter().map(String::as_str));
        let mut plan = system::plan(slot, &argv)?;
        plan.limits = self.limits;
        let data = slot.folder().join("data");
        let beside = self.frozen.iter().filter(|(path, _)| !is_source(path));
        write(&data, &beside.map(|(path, content)| (path.clone(), content.clone())).collect())?;
        let promised = slot.folder().join("tests-tmp");
        folder(&promised)?;
        slot.give(&promised)?;
        plan.mounts.push(Mount::required(&data, system::WORK, Access::ReadOnly));
        plan.mounts.push(Mount::required(&tests.kept, "/target", Access::ReadOnly));
        plan.mounts.push(Mount::required(&promised, "/target/tmp", Access::ReadWrite));
        plan.mounts.push(Mount::required(reports, "/reports", Access::ReadWrite));
        let at = format!("{}/{}", system::WORK, self.package);
        at.trim_end_matches('/').clone_into(&mut plan.folder);
        plan.environment.insert("CARGO_MANIFEST_DIR".to_owned(), plan.folder.clone());
        surroundings.add_for_tests(&mut plan);
        Ok(plan)
    }

    /// Tests that need the process of the candidate by what they say, themselves or in a function they call.
    fn by_their_text(&self, files: &Files) -> TakenOut {
        let mut taken = TakenOut::new();
        let starts = |(path, content): (&String, &Vec<u8>)| {
            let text = String::from_utf8_lossy(content);
            is_source(path) && STARTS.iter().any(|word| text.contains(word))
        };
        let starts = files.iter().filter(|(path, _)| path.contains("tests/")).any(starts);
        for path in self.wanted {
            let text = files.get(*path).map(|it| String::from_utf8_lossy(it).into_owned());
            let text = text.unwrap_or_default();
            let Some(outline) = outlined(path, &text) else { continue };
            let lines: Vec<&str> = text.lines().collect();
            let own = |it: &Function| {
                let (from, to) = (it.first.saturating_sub(1) as usize, it.last as usize);
                let said = lines.get(from..to.min(lines.len())).unwrap_or_default().join("\n");
                let mut needs = NEEDS.iter().filter(|(_, why)| !(starts && *why == FILES));
                needs.find(|(word, _)| said.contains(word)).map(|(_, why)| *why)
            };
            let helpers = outline.functions.iter().filter(|it| it.kind != Kind::Test);
            let helpers: Vec<(&str, &str)> =
                helpers.filter_map(|it| Some((it.name.rsplit("::").next()?, own(it)?))).collect();
            for test in outline.tests() {
                let called = || helpers.iter().find(|(name, _)| test.mentions.contains(*name));
                if let Some(why) = own(test).or_else(|| called().map(|(_, why)| *why)) {
                    taken.insert(((*path).to_owned(), test.name.clone()), why.to_owned());
                }
            }
        }
        taken
    }

    fn told(&self, slot: SandboxSlot, built: Built, shared: TakenOut) -> RustTests {
        let is_wanted = |it: &Made| {
            let source = it.source.strip_prefix("/work/").unwrap_or_default();
            it.is_test && self.wanted.contains(&source)
        };
        let executables = built.executables.into_iter().filter(is_wanted).collect();
        // What it promises tests is a folder.
        let _ = folder(&built.kept.join("tmp"));
        RustTests { _slot: slot, kept: built.kept, executables, shared }
    }

    pub(super) fn conditions(&self, rooms: Rooms<'_>) -> Conditions<'_> {
        let mut conditions = Conditions::new(rooms.mechanism.clone(), rooms.least);
        conditions.cancel = self.cancel;
        conditions
    }

    fn is_test_file(path: &str) -> bool {
        Toolchain::of_file(path).is_some_and(|it| it.language().is_test_file(path))
    }

    pub(super) fn manifest(&self) -> Result<toml::Table, TrialError> {
        let path = format!("{}{MANIFEST}", self.package);
        let content = self.frozen.get(&path).or_else(|| self.candidate.get(&path));
        let text = content.map(|it| String::from_utf8_lossy(it).into_owned()).unwrap_or_default();
        text.parse().map_err(|_| TrialError::Unread { why: format!("{path} is no manifest") })
    }

    /// The name of the package.
    pub(super) fn name(&self) -> Result<String, TrialError> {
        let manifest = self.manifest()?;
        let name = manifest.get("package").and_then(|it| it.get("name")?.as_str());
        let none = || TrialError::Unread { why: "the package has no name".to_owned() };
        name.map(str::to_owned).ok_or_else(none)
    }

    /// The path of its library, inside of it.
    fn library(&self) -> Result<String, TrialError> {
        let manifest = self.manifest()?;
        let path = manifest.get("lib").and_then(|it| it.get("path")?.as_str());
        Ok(path.unwrap_or("src/lib.rs").to_owned())
    }

    /// What tells cargo to build the candidate as it is released, if it has to be.
    pub(super) fn profile(&self, surroundings: &Surroundings) -> Vec<String> {
        let mut words = Vec::new();
        for name in self.names().into_iter().filter(|_| surroundings.is_optimised) {
            for setting in ["opt-level=3", "debug-assertions=false", "overflow-checks=false"] {
                words.push("--config".to_owned());
                words.push(format!("profile.dev.package.{name}.{setting}"));
            }
        }
        words
    }

    /// The names of all packages of the candidate.
    fn names(&self) -> BTreeSet<String> {
        let manifests = self
            .candidate
            .iter()
            .filter(|(path, _)| path.as_str() == MANIFEST || path.ends_with("/Cargo.toml"));
        let name = |(_, content): (&String, &Vec<u8>)| {
            let manifest: toml::Table = String::from_utf8_lossy(content).parse().ok()?;
            Some(manifest.get("package")?.get("name")?.as_str()?.to_owned())
        };
        manifests.filter_map(name).collect()
    }
}

fn is_source(path: &str) -> bool {
    path.ends_with(".rs")
}

/// Takes lints out of a manifest: what stands in for the candidate is nobody's style.
fn without_lints(path: &str, content: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(content);
    if !path.ends_with(MANIFEST) || !text.contains("lints") {
        return;
    }
    let Ok(mut manifest) = text.parse::<toml::Table>() else { return };
    manifest.remove("lints");
    if let Some(toml::Value::Table(workspace)) = manifest.get_mut("workspace") {
        workspace.remove("lints");
    }
    *content = manifest.to_string().into_bytes();
}

/// Why a test failed, in a line.
fn reason(code: &str, said: &str) -> String {
    match code {
        "124" | "137" => return "it took too long".to_owned(),
        "broken" => return "a program could not be run".to_owned(),
        "none" => return "it ended before its runner did".to_owned(),
        _ => {}
    }
    let mut lines = said.lines().skip_while(|it| !it.contains("panicked at"));
    let after = lines.by_ref().skip(1).take_while(|it| !it.starts_with("note:"));
    let text = after.collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { format!("it ended with {code}") } else { text };
    text.chars().take(REASON_MAX).collect()
}

/// Writes files below a new folder that every user may read.
pub(super) fn write(folder: &Path, files: &Files) -> io::Result<()> {
    crate::rooms::folder(folder)?;
    for (path, content) in files {
        let mut at = folder.to_owned();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            if matches!(name, "" | "." | "..") {
                return Err(io::Error::other("a path that leads elsewhere"));
            }
            at.push(name);
            if names.peek().is_some() && !at.is_dir() {
                crate::rooms::folder(&at)?;
            }
        }
        fs::write(&at, content)?;
        crate::rooms::open_file(&at)?;
    }
    Ok(())
}

const MANIFEST: &str = "Cargo.toml";
pub(super) const LOCK: &str = "Cargo.lock";
const SERVICE: &str = "/opt/service";
/// Variables that tell that something is built for tests.
pub(super) const OURS: [&str; 4] =
    ["CARGO_NET_OFFLINE", "CARGO_INCREMENTAL", "CARGO_TERM_COLOR", "SOURCE_DATE_EPOCH"];
/// Words of tests that the process of the code is needed for, each with the reason.
const NEEDS: [(&str, &str); 24] = [
    ("thread::", "it uses threads"),
    ("spawn(", "it uses threads"),
    ("set_var(", "it sets the environment"),
    ("remove_var(", "it sets the environment"),
    ("CARGO_MANIFEST_DIR", "it looks into the folder of the package"),
    ("CARGO_TARGET_TMPDIR", "it uses files"),
    ("temp_dir(", FILES),
    ("tempdir(", FILES),
    ("tempfile", FILES),
    ("fs::", FILES),
    ("File::", FILES),
    ("permissions(", "it looks at who may do what with a file"),
    ("size_of", "it looks into memory"),
    ("as_ptr", "it looks into memory"),
    ("ptr::", "it looks into memory"),
    ("ptr_eq", "it looks into memory"),
    ("downcast", "it asks for the type of an error"),
    (".is::<", "it asks for the type of an error"),
    ("debug_assert", "it depends on how it is built"),
    ("{:>", "it looks at how a text is padded"),
    ("{:<", "it looks at how a text is padded"),
    ("{:^", "it looks at how a text is padded"),
    ("{:0", "it looks at how a text is padded"),
    ("{:+", "it looks at how a text is padded"),
];
/// Programs that tests start find the same files.
const FILES: &str = "it uses files";
const STARTS: [&str; 2] = ["CARGO_BIN_EXE_", "cargo_bin"];
/// How often tests are built once more without what did not compile.
const ROUNDS_MAX: usize = 6;
const REASON_MAX: usize = 300;
/// How each test ended, in `/reports`: the number of its executable, its exit code, whether it asked anything, its name.
const ENDS: &str = "ends";

/// Runs each test of each executable in a process of its own: the stand-in in it has the candidate begin anew.
const RUN: &str = "\
seconds=$1 order=$2; shift 2
number=-1
exec 9<&0
env -0 > /tmp/environment
for executable; do
    number=$((number + 1))
    \"$executable\" --list --format terse < /dev/null | sed -n 's/: test$//p' | $order > /tmp/all || exit
    \"$executable\" --list --format terse --ignored < /dev/null | sed -n 's/: test$//p' > /tmp/ignored
    while read -r name <&4; do
        if grep -qxF -e \"$name\" /tmp/ignored; then
            echo \"$number ignored silent $name\" >> /reports/ends
            continue
        fi
        rm -f /tmp/asked /tmp/broken
        chmod -R u+rwx /var/tmp 2> /dev/null; find /var/tmp -mindepth 1 -delete 2> /dev/null
        JUDGE_ASKED=/tmp/asked timeout -k 2 \"$seconds\" \"$executable\" --exact \"$name\" --test-threads=1 > /tmp/said 2>&1
        code=$?
        asked=silent; [ -e /tmp/asked ] && asked=asked
        grep -q '^test result: ok\\. 1 passed;' /tmp/said || [ $code != 0 ] || code=none
        [ ! -e /tmp/broken ] || code=broken
        [ $code = 0 ] || head -c 20000 /tmp/said > \"/reports/$number.$name\"
        echo \"$number $code $asked $name\" >> /reports/ends
    done 4< /tmp/all
done
";

//! A trial: tests in one room judge a candidate in another.
//!
//! The candidate's room holds what a user would install: an interpreter, packages, the candidate. It has no tests, and
//! nothing that runs tests. The judge's room holds the tests and stand-ins for the candidate, and nothing of its code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sealwright_sandbox::plan::{Access, Limits, Mount, Plan};
use sealwright_sandbox::room::RoomError;
use sealwright_sandbox::{Cancel, Ended, RunOutcome, SandboxError, SandboxSlot, Terms, system};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Malformed;
use crate::programs::{CROSSING, JUDGE, LAZY, SHARED, SUBJECT, SURFACE};
use crate::rooms::{Rooms, Surroundings, USUAL, folder};

/// What is judged, by which tests, and with what around both.
pub struct Trial<'t> {
    /// The interpreter whose `sys.base_prefix` this is.
    pub interpreter: &'t Path,
    /// Packages of others, with pytest among them.
    pub site: &'t Path,
    /// The folder that the candidate's packages are imported from.
    pub candidate: &'t Path,
    pub packages: &'t [&'t str],
    /// A folder that holds the tests, and those of its files that are run.
    pub tests: &'t Path,
    pub wanted: &'t [&'t str],
    /// Options of pytest that select among them.
    pub options: &'t [&'t str],
    pub limits: Limits,
    /// The most that one test may take.
    pub seconds: u32,
    /// Ends it early.
    pub cancel: Option<&'t Cancel>,
}

/// What a candidate offers: its modules, and what can be imported from each.
#[derive(Clone, Debug)]
pub struct Surface(String);

/// What came of a trial.
#[derive(Debug)]
pub struct Judgement {
    pub judge: RunOutcome,
    pub candidate: RunOutcome,
    /// The JUnit report that the judge wrote, if it did.
    pub report: Option<Vec<u8>>,
    /// What the candidate sent that no candidate may send.
    pub malformed: Option<Malformed>,
}

impl Judgement {
    /// Whether all tests passed, and the candidate kept to the protocol.
    pub fn is_green(&self) -> bool {
        self.judge.ended == Ended::Exited(0) && self.malformed.is_none() && self.report.is_some()
    }
}

/// What was seen of tests on programs that work nothing out.
#[derive(Debug, Default, Deserialize)]
pub struct Idle {
    /// All tests, as pytest names them.
    pub tests: Vec<String>,
    /// Those that each program passes, by what it does.
    pub passed: BTreeMap<String, BTreeSet<String>>,
    /// What the tests of each file ask, as digests.
    pub questions: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("the rooms of a trial could not be set up")]
    Io(#[from] io::Error),
    /// Nothing can be built here.
    #[error(transparent)]
    Room(#[from] RoomError),
    /// What the candidate offers, or what the tests need, cannot be listed.
    #[error("the code and its tests cannot be taken apart: {why}")]
    Unread { why: String },
}

impl Trial<'_> {
    /// Runs the tests, with stand-ins for what the candidate offers.
    pub fn run(
        &self,
        rooms: Rooms<'_>,
        surface: &Surface,
        surroundings: &Surroundings,
    ) -> Result<Judgement, TrialError> {
        let (judge, candidate) = (rooms.slots.take()?, rooms.slots.take()?);
        let reports = judge.folder().join("reports");
        let at = (surroundings, reports.as_path());
        let mut judge_plan = self.judge_plan(&judge, surface, at, "judge_plugin")?;
        let mut candidate_plan = self.candidate_plan(&candidate, surroundings)?;
        rooms.exchange(&judge, &mut judge_plan, &mut candidate_plan)?;
        let ends = ((&judge, &judge_plan), (&candidate, &candidate_plan));
        let (judge, candidate, malformed) = rooms.face_to_face(ends, self.cancel)?;
        let report = fs::read(reports.join(REPORT)).ok();
        Ok(Judgement { judge, candidate, report, malformed })
    }

    /// Runs the tests with programs in the candidate's place that work nothing out: one hands back what it is given, others
    /// answer with something empty, or refuse. Packages may be named that are not written yet. Nothing, if the tests cannot
    /// be run with them.
    pub fn idle(
        &self,
        rooms: Rooms<'_>,
        surface: &Surface,
        packages: &[&str],
    ) -> Result<Option<Idle>, TrialError> {
        let slot = rooms.slots.take()?;
        let reports = slot.folder().join("reports");
        let mut plan = self.judge_plan(&slot, surface, (&USUAL, &reports), "lazy")?;
        for (name, value) in
            [("JUDGE_PACKAGES", packages.join(",")), ("JUDGE_SEEN", format!("/reports/{SEEN}"))]
        {
            plan.environment.insert(name.to_owned(), value);
        }
        slot.run(&plan, Terms { cancel: self.cancel, ..rooms.terms() })?;
        let seen = fs::read(reports.join(SEEN)).ok();
        Ok(seen.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    /// The tests that need the process of the candidate, as `path::name`, with the reasons. The candidate has no say in it.
    pub fn shared(&self, rooms: Rooms<'_>) -> Result<BTreeMap<String, Vec<String>>, TrialError> {
        let packages = self.packages.join(",");
        let words = [&[system::WORK, &packages], self.wanted].concat();
        self.listed(rooms, CROSSING, &words, (self.tests, system::WORK))
    }

    /// What the candidate offers, listed in a room by a program that only reads it.
    pub fn surface(&self, rooms: Rooms<'_>) -> Result<Surface, TrialError> {
        let words = [&[USUAL.at], self.packages].concat();
        let modules: BTreeMap<String, Value> =
            self.listed(rooms, SURFACE, &words, (self.candidate, USUAL.at))?;
        Ok(Surface(serde_json::to_string(&modules).expect("text and lists")))
    }

    /// What a program lists of a folder that it only reads.
    fn listed<T: DeserializeOwned>(
        &self,
        rooms: Rooms<'_>,
        program: (&str, &str),
        words: &[&str],
        (folder, at): (&Path, &str),
    ) -> Result<BTreeMap<String, T>, TrialError> {
        let slot = &rooms.slots.take()?;
        let programs = self.programs(slot, "lister", &[program])?;
        let program = format!("{PROGRAMS}/{}", program.0);
        let python = ["/opt/python/bin/python3", "-I", "-S", "-B", &program];
        let mut plan = self.plan(slot, &[&python[..], words].concat())?;
        plan.limits.output_bytes = SURFACE_BYTES_MAX;
        plan.mounts.push(Mount::required(programs, PROGRAMS, Access::ReadOnly));
        plan.mounts.push(Mount::required(folder, at, Access::ReadOnly));
        let outcome = slot.run(&plan, rooms.terms())?;
        let read = || {
            if outcome.ended != Ended::Exited(0) || outcome.stdout.dropped > 0 {
                return Err(String::from_utf8_lossy(&outcome.stderr.kept).into_owned());
            }
            serde_json::from_slice(&outcome.stdout.kept).map_err(|error| error.to_string())
        };
        read().map_err(|why| TrialError::Unread { why })
    }

    fn judge_plan(
        &self,
        slot: &SandboxSlot,
        Surface(surface): &Surface,
        (surroundings, reports): (&Surroundings, &Path),
        plugin: &str,
    ) -> Result<Plan, TrialError> {
        let programs = [&SHARED[..], &JUDGE, &[LAZY, ("surface.json", surface)]].concat();
        let programs = self.programs(slot, "judge", &programs)?;
        folder(reports)?;
        slot.give(reports)?;
        let report = format!("--junitxml=/reports/{REPORT}");
        let mut argv = vec!["/opt/python/bin/python3", "-P", "-s", "-S", "-B", "-m", "pytest"];
        argv.extend(["-p", plugin, "-p", "no:cacheprovider", "--rootdir=/work", "-rfE"]);
        argv.extend(["--color=no", &report, "-o", "junit_family=xunit2"]);
        if has_equal_names(self.wanted) {
            argv.push("--import-mode=importlib");
        }
        argv.extend(self.options);
        argv.push("--");
        argv.extend(self.wanted);
        let mut plan = self.plan(slot, &argv)?;
        plan.folder = system::WORK.to_owned();
        plan.mounts.push(Mount::required(programs, PROGRAMS, Access::ReadOnly));
        plan.mounts.push(Mount::required(self.site, SITE, Access::ReadOnly));
        plan.mounts.push(Mount::required(self.tests, system::WORK, Access::ReadOnly));
        plan.mounts.push(Mount::required(reports, "/reports", Access::ReadWrite));
        if surroundings.is_reversed {
            plan.environment.insert("JUDGE_REVERSED".to_owned(), "1".to_owned());
        }
        surroundings.add_for_tests(&mut plan);
        for (name, value) in [
            ("PYTHONPATH", format!("{PROGRAMS}:{SITE}")),
            ("PYTHONHASHSEED", "0".to_owned()),
            // A plugin might import what is judged.
            ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1".to_owned()),
            ("JUDGE_STREAM", "0".to_owned()),
            ("JUDGE_SURFACE", format!("{PROGRAMS}/surface.json")),
            ("JUDGE_SECONDS", self.seconds.to_string()),
        ] {
            plan.environment.insert(name.to_owned(), value);
        }
        Ok(plan)
    }

    fn candidate_plan(
        &self,
        slot: &SandboxSlot,
        surroundings: &Surroundings,
    ) -> Result<Plan, TrialError> {
        let programs = self.programs(slot, "service", &[&SHARED[..], &[SUBJECT]].concat())?;
        let program = format!("{PROGRAMS}/{}", SUBJECT.0);
        let (at, access) = (surroundings.at, surroundings.access);
        let options: &[&str] = if surroundings.is_optimised { &["-O"] } else { &[] };
        let words = [&["/opt/python/bin/python3"], options, &[&program, "0"]].concat();
        let mut plan = self.plan(slot, &[&words[..], self.packages].concat())?;
        plan.mounts.push(Mount::required(programs, PROGRAMS, Access::ReadOnly));
        plan.mounts.push(Mount::required(self.candidate, at, access));
        plan.mounts.extend(self.packages_of_others()?);
        plan.environment.insert("PYTHONPATH".to_owned(), format!("{at}:{SITE}"));
        if surroundings.is_optimised {
            plan.environment.insert("PYTHONHASHSEED".to_owned(), "4242".to_owned());
        }
        surroundings.add_for_candidate(&mut plan);
        Ok(plan)
    }

    /// Packages of others without those that are there to test.
    fn packages_of_others(&self) -> io::Result<Vec<Mount>> {
        let mut mounts = Vec::new();
        for entry in fs::read_dir(self.site)?.take(ENTRIES_MAX) {
            let path = entry?.path().canonicalize()?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let stem = name.split(['.', '-']).next().unwrap_or_default();
            let is_own = self.packages.contains(&stem);
            if !is_own && !TESTING.iter().any(|it| stem.to_lowercase().starts_with(it)) {
                mounts.push(Mount::required(&path, &format!("{SITE}/{name}"), Access::ReadOnly));
            }
        }
        Ok(mounts)
    }

    fn plan(&self, slot: &SandboxSlot, argv: &[&str]) -> io::Result<Plan> {
        let mut plan = system::plan(slot, argv)?;
        plan.limits = self.limits;
        system::add_python(&mut plan, self.interpreter)?;
        Ok(plan)
    }

    /// Programs in a folder of the slot.
    fn programs(
        &self,
        slot: &SandboxSlot,
        name: &str,
        programs: &[(&str, &str)],
    ) -> io::Result<PathBuf> {
        let place = slot.folder().join(name);
        folder(&place)?;
        for (name, text) in programs {
            let path = place.join(name);
            fs::write(&path, text)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
        }
        Ok(place)
    }
}

/// Whether files of two folders have one name, so that pytest would take one for the other.
fn has_equal_names(files: &[&str]) -> bool {
    let mut names = BTreeSet::new();
    let mut file_names = files.iter().filter_map(|file| Path::new(file).file_name());
    file_names.any(|name| !names.insert(name))
}

const PROGRAMS: &str = "/opt/programs";
const SITE: &str = "/site";
/// The name of the report, in `/reports`.
const REPORT: &str = "pytest.xml";
/// What was seen of them, in `/reports`.
const SEEN: &str = "seen.json";
const SURFACE_BYTES_MAX: u64 = 16 << 20;
const ENTRIES_MAX: usize = 2000;
/// How names of packages begin that only tests need.
const TESTING: [&str; 11] = [
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "hypothesis",
    "freezegun",
    "coverage",
    "cosmic_ray",
    "tox",
    "nose",
    "trustme",
];

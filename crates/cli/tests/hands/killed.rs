//! A project that is killed with -9 again and again while it is built.
//!
//! `cargo xtask prove project` runs this with twelve tasks and fifty kills; in the tests it is a small one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::projects::{id, product, scripts_of};
use crate::rehearsal::Rehearsal;

/// Proves: F-RECOV-001
#[test]
fn a_project_that_is_killed_ends_with_the_same_work_and_nothing_twice() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    let tasks = u32::try_from(number("SEALWRIGHT_PROJECT_TASKS", 2)).unwrap();
    let kills = number("SEALWRIGHT_PROJECT_KILLS", 2);
    let mut dice = Dice(number("SEALWRIGHT_PROJECT_SEED", 1) | 1);
    let undisturbed = planned(tasks);
    let began = Instant::now();
    undisturbed.see(&["run"]);
    let whole = began.elapsed();
    let wanted = ended(&undisturbed, tasks);
    let killed = planned(tasks);
    let mut done = 0;
    let mut struck: BTreeMap<String, u64> = BTreeMap::new();
    // Kills are spread over the run, wherever it is.
    let longest = (whole / u32::try_from(kills.max(1)).unwrap()).max(SHORTEST) * 2;
    while done < kills {
        let mut run = start(&killed, &["run"]);
        let waits = SHORTEST + dice.part_of(longest);
        if ends_within(&mut run, waits) {
            break;
        }
        *struck.entry(at_work(&killed)).or_default() += 1;
        kill(&mut run);
        done += 1;
    }
    let mut last = start(&killed, &["run"]);
    assert!(last.wait().unwrap().success(), "{}", said(&killed));
    let got = ended(&killed, tasks);
    assert_eq!(wanted.files, got.files, "the same files, whatever was killed");
    assert_eq!(wanted.commits, got.commits, "the same commits in the same order");
    assert_eq!(got.twice, Vec::<String>::new(), "nothing happens twice");
    assert!(killed.see(&["verify"]).contains("proven"));
    assert!(kills == 0 || done > 0, "the run was over before the first kill");
    if let Ok(file) = std::env::var("SEALWRIGHT_PROJECT_TELLS") {
        let struck: Vec<String> =
            struck.iter().map(|(task, times)| format!("{times} in {task}")).collect();
        let told = format!(
            "undisturbed: {:.0} s for {tasks} tasks, {} records\nkilled: {}\n{tasks} tasks by scripts, killed {done} times \
             with -9: the same {} files and {} commits, {} events that may happen once happened once",
            whole.as_secs_f64(),
            wanted.records,
            struck.join(", "),
            got.files.lines().count(),
            got.commits.lines().count(),
            got.once,
        );
        fs::write(file, told).unwrap();
    }
}

/// What a project left when it had ended.
struct End {
    /// The files of its branch with their digests, records and settings apart.
    files: String,
    commits: String,
    records: usize,
    /// How many events were looked at that may happen once.
    once: usize,
    twice: Vec<String>,
}

fn ended(rehearsal: &Rehearsal, tasks: u32) -> End {
    let files = rehearsal.git(&["ls-tree", "-r", "sealwright/project"]);
    // Settings name the folder of the scripts, which is another one.
    let files = files
        .lines()
        .filter(|it| !it.contains("\t.sealwright/") && !it.contains("\tsealwright.toml"));
    let (mut records, mut once, mut twice) = (0, 0, Vec::new());
    for task in (1..=tasks).map(id) {
        records += rehearsal.records(&task).len();
        for name in ONCE {
            let times = rehearsal.events(&task).iter().filter(|it| is(it, name)).count();
            once += times;
            if times != 1 {
                twice.push(format!("{task}: {times} times {name}"));
            }
        }
        // An answer of a role is paid for once.
        let mut answers: Vec<Value> = rehearsal.all(&task, "spent");
        let all = answers.len();
        answers.dedup_by_key(|it| it["receipt"]["invocation"].clone());
        if answers.len() != all {
            twice.push(format!("{task}: {} answers, {all} paid for", answers.len()));
        }
    }
    let told = rehearsal.events("project");
    for task in (1..=tasks).map(id) {
        for name in ["admitted", "opened", "turn_given", "dispatched"] {
            let is_it = |it: &&Value| {
                let event = &it[name];
                event["task"] == task || event["charter"]["id"] == task
            };
            let times = told.iter().filter(is_it).count();
            once += times;
            if times != 1 {
                twice.push(format!("project: {times} times {name} of {task}"));
            }
        }
    }
    End {
        files: files.map(|it| format!("{it}\n")).collect(),
        commits: rehearsal.git(&["log", "--format=%s", "sealwright/project"]),
        records,
        once,
        twice,
    }
}

fn is(event: &Value, name: &str) -> bool {
    event == name || event.get(name).is_some()
}

/// The task that was worked on last.
fn at_work(rehearsal: &Rehearsal) -> String {
    let status = rehearsal.see(&["status", "--all", "--format", "json"]);
    let mut rows = status.lines().rev().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let open = rows.find(|it| it["status"] == "in_progress");
    let of = |it: Value| {
        format!("{} ({})", it["task"].as_str().unwrap_or("?"), it["phase"].as_str().unwrap_or("?"))
    };
    open.map_or_else(|| "between two tasks".to_owned(), of)
}

/// The program in a group of its own, so that everything it started dies with it.
pub(crate) fn start(rehearsal: &Rehearsal, words: &[&str]) -> Child {
    let mut command = rehearsal.command(rehearsal.path(), words);
    let told = fs::File::create(rehearsal.path().join(".git/run.txt")).unwrap();
    command.stdout(Stdio::null()).stderr(told).process_group(0);
    command.spawn().unwrap()
}

fn said(rehearsal: &Rehearsal) -> String {
    rehearsal.file(".git/run.txt")
}

pub(crate) fn ends_within(run: &mut Child, waits: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < waits {
        if run.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

pub(crate) fn kill(run: &mut Child) {
    let group = format!("-{}", run.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
    run.wait().unwrap();
}

/// A planned project whose contracts are approved in advance.
fn planned(tasks: u32) -> Rehearsal {
    let rehearsal = Rehearsal::with(&[]);
    for nth in 1..=tasks {
        for (call, text) in scripts_of(1, nth) {
            rehearsal.rewrite(&format!("{}/{call}", id(nth)), &text);
        }
    }
    let mut spec = product(tasks);
    // Every third one also depends on the first.
    let own = &mut spec["pillars"][0]["epics"][0]["stories"][0]["tasks"];
    for nth in (3..tasks as usize).step_by(3) {
        own[nth]["depends_on"].as_array_mut().unwrap().insert(0, "TSK-001".into());
    }
    let file = rehearsal.path().join(".git/spec.json");
    fs::write(&file, spec.to_string()).unwrap();
    rehearsal.says(11, &["plan", "--from", file.to_str().unwrap()]);
    rehearsal.see(&["plan", "--approve", "--yes"]);
    rehearsal
}

struct Dice(u64);

impl Dice {
    fn part_of(&mut self, longest: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let millis = u64::try_from(longest.as_millis()).unwrap().max(1);
        Duration::from_millis(self.0 % millis)
    }
}

/// Events of a task that nothing but another decision of a person would repeat.
const ONCE: [&str; 6] = ["created", "dispatched", "based", "frozen", "verified", "shipped"];
const SHORTEST: Duration = Duration::from_millis(150);

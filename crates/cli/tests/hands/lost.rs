//! A version whose sessions are lost: the process is killed in every state in which a role works, and in every one where a
//! gate has passed and is not a commit yet.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::killed::{kill, start};
use crate::phases::{
    DESIGN, PREFERENCES, PROPOSAL, READINESS, SCOPE, build_facts, deploy_facts, plan, ready,
    reconcile_facts, review_facts, state, told_of_run, verify_facts,
};
use crate::rehearsal::{Rehearsal, script};

/// Scripts write every document. A session that is lost is taken up in the state where it was, without a reconcile that
/// nobody asked for; a state without a session is just read again; three lost sessions in a row ask a person.
///
/// Proves: L-130, L-154, L-220, L-232
/// Proves in part: L-219
#[test]
fn a_lost_session_is_taken_up_where_it_was_and_nothing_else_is_lost() {
    let rehearsal = ready();
    fs::write(rehearsal.path().join("preferences.md"), PREFERENCES).unwrap();
    let document = |name: &str, text: &str| {
        format!("documents = [{{ name = \"{name}\", text = '''\n{text}''' }}]")
    };
    let said =
        |phase: &str, facts: &Value| document(&format!("facts/{phase}.json"), &facts.to_string());
    let mut unready = verify_facts();
    unready["deploy_config"] = json!(false);
    let works = [
        Work::of("Expanding", "expand", document("scope.md", SCOPE)).passes(),
        Work::of("Designing", "design", document("design.md", DESIGN)).passes(),
        Work::of("Analyzing", "analyze", document("readiness.md", READINESS)).passes(),
        Work::of("Building", "build", said("build", &build_facts())).passes(),
        Work::of("Reviewing", "review", said("review", &review_facts("critical"))),
        Work::of("ReviewFixing", "fix-review", said("review", &review_facts("optional"))),
        Work::of("Reviewing", "review-2", said("review", &review_facts("optional"))).passes(),
        Work::of("Reconciling", "reconcile", said("reconcile", &reconcile_facts())),
        Work::of("Verifying", "verify", said("verify", &unready)),
        Work::of("VerifyFixing", "fix-verify", said("verify", &verify_facts())),
        Work::of("Verifying", "verify-2", said("verify", &verify_facts())).passes(),
        Work::of("Deploying", "deploy", said("deploy", &deploy_facts())).passes(),
    ];
    let mut words = vec!["run", "Sums of parking for residents"];
    for work in &works {
        if work.state == "Deploying" {
            rehearsal.says(11, &["run"]);
            rehearsal.see(&["continue", "--rollback", "pip install parking==0"]);
        }
        lose(&rehearsal, &words, work);
        words = vec!["run"];
        if work.state == "Designing" {
            three_in_a_row_ask(&rehearsal, work);
        }
        if work.state == "Deploying" {
            // Another attempt is another deployment.
            assert!(rehearsal.says(11, &["run"]).contains("its deployment"));
            rehearsal.see(&["continue", "--rollback", "pip install parking==0"]);
        }
        rehearsal.rewrite(&work.script(), &script("", &work.answer));
        if work.passes {
            // Where a person spoke after the session was lost, it is not lost again.
            let is_taken_up = matches!(work.state, "Designing" | "Deploying");
            stop_before_the_commit(&rehearsal, usize::from(!is_taken_up));
        }
        if work.state == "Analyzing" {
            rehearsal.says(11, &["run"]);
            assert_eq!(state(&rehearsal), "AnalyzeGatePassed");
            plan(&rehearsal);
            words = vec!["continue"];
        }
    }
    assert!(rehearsal.see(&["run"]).contains("FULL PIPELINE COMPLETE"));
    let expected = [
        "Expanding",
        "Designing",
        "Designing",
        "Analyzing",
        "Building",
        "Reviewing",
        "ReviewFixing",
        "Reviewing",
        "Reconciling",
        "Verifying",
        "VerifyFixing",
        "Verifying",
        "Deploying",
    ];
    assert_eq!(taken_up(&rehearsal), expected);
    // Documents and code were compared once, in turn; no lost session had them compared.
    let steps = told_of_run(&rehearsal, "stepped");
    let into = steps.iter().filter(|it| it["to"]["state"] == "Reconciling");
    let into: Vec<&str> = into.map(|it| it["step"]["action"].as_str().unwrap()).collect();
    assert_eq!(into, ["AutoContinueToReconcile", "RecoverToReconcile"]);
    // What lies beside the phases goes on there, too.
    let distill = Work::of("Distilling", "distill", document("distilled.md", "Fees by hand."));
    lose(&rehearsal, &["continue", "--first", "distill"], &distill);
    rehearsal.rewrite(&distill.script(), &script("", &distill.answer));
    let propose = Work::of("Iterating", "propose", document("proposal.md", PROPOSAL));
    lose(&rehearsal, &["run"], &propose);
    rehearsal.rewrite(&propose.script(), &script("", &propose.answer));
    rehearsal.says(11, &["run"]);
    assert_eq!(state(&rehearsal), "IterationProposed");
    assert_eq!(taken_up(&rehearsal)[expected.len()..], ["Distilling", "Iterating"]);
}

/// What a script does in a state.
struct Work {
    state: &'static str,
    name: &'static str,
    answer: String,
    /// Its gate passes, and has a state of its own before it is a commit.
    passes: bool,
}

impl Work {
    fn of(state: &'static str, name: &'static str, answer: String) -> Self {
        Self { state, name, answer, passes: false }
    }

    fn passes(self) -> Self {
        Self { passes: true, ..self }
    }

    fn script(&self) -> String {
        format!("project/{}", self.name)
    }
}

/// Begins the work of a script that takes for ever, and kills the process in it.
fn lose(rehearsal: &Rehearsal, words: &[&str], work: &Work) {
    rehearsal.rewrite(&work.script(), &script("sleep 300", &work.answer));
    let before = recorded(rehearsal, "work_begun");
    let mut run = start(rehearsal, words);
    // The script before it may be played first.
    let is_begun = || {
        let is_last = run_so_far(rehearsal).last().is_some_and(|it| it.get("work_begun").is_some());
        is_last && last_state(rehearsal) == work.state && recorded(rehearsal, "work_begun") > before
    };
    wait(rehearsal, &mut run, is_begun);
    kill(&mut run);
    let last = told_of_run(rehearsal, "stepped").pop().unwrap();
    assert_eq!(last["to"]["state"], work.state);
}

/// The session is lost twice more.
fn three_in_a_row_ask(rehearsal: &Rehearsal, work: &Work) {
    lose(rehearsal, &["run"], work);
    lose(rehearsal, &["run"], work);
    for _ in 0..2 {
        let told = rehearsal.says(11, &["run"]);
        let why = "BLOCKED: design: three calls in a row were cut off: the process ended";
        assert!(told.contains(why), "{told}");
        assert_eq!(state(rehearsal), "BlockedOnGate");
    }
    fs::remove_file(rehearsal.scripts().join(format!("{}.toml", work.script()))).unwrap();
    rehearsal.says(11, &["continue", "--because", "the machine is back"]);
}

/// Lets the work be done, and kills the process when its gate has passed and its commit is being made. Nothing was in flight,
/// so the next process just goes on.
fn stop_before_the_commit(rehearsal: &Rehearsal, lost: usize) {
    let drops = recorded(rehearsal, "DropSession");
    let programs = tempfile::tempdir().unwrap();
    let git = programs.path().join("git");
    let text = "#!/bin/sh\ncase \" $* \" in *\" commit-tree \"*) sleep 300;; esac\n\
                PATH=${PATH#*:}; export PATH; exec git \"$@\"\n";
    fs::write(&git, text).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let mut command = rehearsal.command(rehearsal.path(), &["run"]);
    command.env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut run = command.spawn().unwrap();
    let is_passed = || {
        let last = last_state(rehearsal);
        last.ends_with("GatePassed") || last == "PipelineComplete"
    };
    wait(rehearsal, &mut run, is_passed);
    kill(&mut run);
    let kept = recorded(rehearsal, "kept");
    // The sleeping script of the next phase is not there yet, so a person is waited for.
    rehearsal.sealwright(&["run"]);
    assert_eq!(recorded(rehearsal, "kept"), kept + 1);
    assert_eq!(recorded(rehearsal, "DropSession"), drops + lost, "only that of the work before");
}

/// Where each lost session was taken up; it is where it was lost.
fn taken_up(rehearsal: &Rehearsal) -> Vec<String> {
    let steps = told_of_run(rehearsal, "stepped");
    let drops = steps.iter().enumerate().filter(|(_, it)| it["step"]["action"] == "DropSession");
    let taken = drops.map(|(nth, drop)| {
        assert_eq!(drop["to"]["state"], "SessionDropped");
        assert_eq!(steps[nth + 1]["step"]["action"], "StartContextRecovery");
        let (lost, back) = (&drop["to"]["history"]["interrupted"], &steps[nth + 2]["to"]["state"]);
        assert_eq!(lost, back);
        back.as_str().unwrap().to_owned()
    });
    taken.collect()
}

/// How often something is recorded so far, or a step of this name.
fn recorded(rehearsal: &Rehearsal, what: &str) -> usize {
    let is_it = |it: &Value| it.get(what).is_some() || it["stepped"]["step"]["action"] == what;
    run_so_far(rehearsal).iter().filter(|it| is_it(it)).count()
}

/// The state that the last recorded step leads to.
fn last_state(rehearsal: &Rehearsal) -> String {
    let events = run_so_far(rehearsal);
    let mut states = events.iter().filter_map(|it| it["stepped"]["to"]["state"].as_str());
    states.next_back().unwrap_or_default().to_owned()
}

/// The events of the run. A record that is being written is no JSON yet.
fn run_so_far(rehearsal: &Rehearsal) -> Vec<Value> {
    let folder = fs::read_dir(rehearsal.path().join(".sealwright/journal/project"));
    let mut files: Vec<_> = folder.into_iter().flatten().flatten().map(|it| it.path()).collect();
    files.sort();
    let text = |it| String::from_utf8_lossy(&fs::read(it).unwrap_or_default()).into_owned();
    let text: String = files.into_iter().map(text).collect();
    let records = text.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let events = records.flat_map(|it| it["events"].as_array().cloned().unwrap_or_default());
    events.filter_map(|it| it.get("run").cloned()).collect()
}

fn wait(rehearsal: &Rehearsal, run: &mut Child, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        let is_late = began.elapsed() > Duration::from_secs(600);
        let has_ended = run.try_wait().unwrap().is_some() && !is_there();
        assert!(!is_late && !has_ended, "{:?}", told_of_run(rehearsal, "stepped").last());
        std::thread::sleep(Duration::from_millis(20));
    }
}

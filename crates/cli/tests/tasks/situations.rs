//! Real situations, and everything that every command prints in them for programs.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use sealwright_kernel::pipeline::State;
use sealwright_kernel::project::{Effect, Input, Project, run};
use sealwright_kernel::task::{Status, Want};
use sealwright_kernel::{
    Actor, Cost, Effect as _, InvocationId, Machine as _, Role, StreamId, TaskId, Timestamp,
    Verdict, scripted,
};
use sealwright_store::{Draft, Head};
use serde_json::{Value, json};

use crate::task_performer::{ASKS_BACK, TestRepo, edit, is_check};

/// One value that a command printed.
#[derive(Debug)]
pub(crate) struct Heard {
    /// Where it was printed.
    pub(crate) situation: &'static str,
    /// What printed it.
    pub(crate) command: String,
    /// What it is.
    pub(crate) value: Value,
}

/// Everything that was printed in every situation.
pub(crate) fn hear_all() -> Vec<Heard> {
    let mut all = Vec::new();
    for (situation, live) in SITUATIONS {
        let mut ear = Ear { shop: TestRepo::new(), situation, heard: vec![] };
        live(&mut ear);
        assert!(!ear.heard.is_empty(), "{situation} was silent");
        all.extend(ear.heard);
    }
    all
}

type Situation = (&'static str, fn(&mut Ear));

const SITUATIONS: &[Situation] = &[
    ("a repository without tasks", empty),
    ("repositories of several languages", languages),
    ("a fresh task", fresh),
    ("a parked task", parked),
    ("a declined contract", declined),
    ("finished work that a person owns", owned),
    ("a halted task that is given up", given_up),
    ("a halted task that is resolved", resolved),
    ("a judgement that is overridden", overridden),
    ("a task that was healed too often", escalated),
    ("a task that is done", done),
    ("a task that is signed", signed),
    ("a budget that is reached", spent),
    ("hand edits", hand_edited),
    ("files that cannot be written", unwritten),
    ("a damaged stream", damaged),
    ("a torn stream", torn),
    ("streams of other machines", other_streams),
    ("a role's place", stood),
    ("a request that can mean two things", ambiguous),
    ("a project", project),
    ("a version in its phases", phases),
    ("a demonstration", shown),
    ("mistakes", mistaken),
];

/// Runs commands in one repository and keeps what they print.
struct Ear {
    shop: TestRepo,
    situation: &'static str,
    heard: Vec<Heard>,
}

impl Ear {
    /// Runs a command that succeeds.
    fn hear(&mut self, args: &[&str]) {
        self.hear_until(0, args);
    }

    /// Runs a command that ends with `exit`. Every line it prints is a JSON value.
    fn hear_until(&mut self, exit: i32, args: &[&str]) {
        // What comes after two dashes is somebody else's.
        let own = args.iter().position(|word| *word == "--").unwrap_or(args.len());
        let mut command = self.shop.sealwright(&args[..own]);
        let output = command.args(["--format", "json"]).args(&args[own..]).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(exit), "{}, {args:?}: {told}", self.situation);
        let text = String::from_utf8(output.stdout).unwrap();
        // Who was misunderstood, refused or stopped gets no data.
        let is_told = matches!(exit, 0 | 10) || RUNS.contains(&args[0]);
        assert!(is_told || text.is_empty(), "{args:?}: {text}");
        for line in text.lines() {
            let value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {line}"));
            let command = args[0].to_owned();
            self.heard.push(Heard { situation: self.situation, command, value });
        }
    }

    /// Looks at a task with everything that only looks.
    fn look(&mut self, task: &TaskId) {
        let id = task.as_str();
        for args in [
            &["status"][..],
            &["watch"],
            &["watch", id],
            &["show", id],
            &["inbox"],
            &["log", id],
            &["journal"],
            &["journal", id],
            &["journal", id, "--last", "1"],
            &["replay", id],
            &["replay", id, "--at", "1"],
            &["verify", "--allow-changes"],
        ] {
            self.hear(args);
        }
    }
}

fn empty(ear: &mut Ear) {
    for args in
        [&["status"][..], &["watch"], &["inbox"], &["journal"], &["verify", "--allow-changes"]]
    {
        ear.hear(args);
    }
    // Everything is there already.
    ear.hear(&["init"]);
    let checks = "[checks.tests]\nkind = \"cargo-test\"\nsources = [\"src\"]\n\
                  [checks.lint]\nkind = \"lint\"\nsets = [\"exit\"]\ncommand = [\"make\", \"lint\"]\n";
    fs::write(ear.shop.folder().join("sealwright.toml"), checks).unwrap();
    ear.hear(&["gates", "list"]);
}

/// An agent is asked to do something, and asks back.
fn ambiguous(ear: &mut Ear) {
    with_an_agent_that_asks(ear);
    ear.hear_until(11, &["do", "make it better"]);
}

/// A spec with errors, one with warnings, its tasks, and a run that ends with a question.
fn project(ear: &mut Ear) {
    with_an_agent_that_asks(ear);
    let path = ear.shop.folder().join("spec.json");
    let sketch = json!({
        "inputs": "hours", "outputs": "cents", "error_surfaces": "some", "effects": "pure: no side effects",
        "modes": "one call and nothing else",
    });
    let task = |nth: u32, depends_on: &[&str]| {
        json!({
            "task_id": format!("TSK-00{nth}"), "name": format!("Part {nth}"), "description": "short",
            "subtasks": ["one thing", "another thing"], "acceptance_criteria": ["returns one", "is good"],
            "io_contract_sketch": sketch, "depends_on": depends_on,
        })
    };
    let mut spec = json!({
        "spec_id": "SPEC-001", "spec_version": "1.0.0", "title": "Parking", "description": "short",
        "created_at": "2026-11-18T12:00:00Z", "updated_at": "2026-11-18T12:00:00Z",
        "pillars": [{
            "pillar_id": "PIL-001", "name": "Sums", "description": "short", "rationale": "asked for",
            "epics": [{
                "epic_id": "EPC-001", "name": "Parts", "description": "short",
                "success_criteria": ["every part returns its amount"],
                "stories": [{
                    "story_id": "STR-001", "name": "Counting", "description": "short",
                    "user_facing_behavior": "a person sees the amount",
                    "tasks": [task(1, &[]), task(2, &["TSK-001"])],
                }],
            }],
        }],
    });
    fs::write(&path, "{}").unwrap();
    ear.hear_until(10, &["spec", "check", "spec.json"]);
    fs::write(&path, spec.to_string()).unwrap();
    ear.hear(&["spec", "check", "spec.json"]);
    ear.hear_until(11, &["plan", "--from", "spec.json"]);
    ear.hear(&["plan", "--amend", "say more"]);
    spec["title"] = json!("Parking for all");
    fs::write(&path, spec.to_string()).unwrap();
    ear.hear(&["plan", "--from", "spec.json", "--approve", "--yes"]);
    ear.hear(&["graph"]);
    ear.hear_until(11, &["run"]);
    ear.hear(&["graph"]);
    ear.hear(&["verify", "--allow-changes"]);
}

/// What runs and prints how it ended, whatever that was.
const RUNS: [&str; 7] = ["do", "doctor", "plan", "run", "continue", "iterate", "stop"];

/// A version is asked for, paused, given up, delivered and followed by the next one.
fn phases(ear: &mut Ear) {
    with_an_agent_that_asks(ear);
    let root = ear.shop.folder().to_owned();
    ear.shop.git(&["branch", "sealwright/project"]);
    let quality = "- shed: one person\n- house: a team\n- skyscraper: customers\n";
    let parts = ["Stack\n\n- Rust", "Deploy Target\n\na crate", "Conventions\n\n- short names"];
    let text = format!(
        "# Preferences\n\n## {}\n\n## Security Baseline\n\n- no secrets\n\n## Quality Bar\n\n{quality}",
        parts.join("\n\n## ")
    );
    fs::write(root.join("preferences.md"), text).unwrap();
    ear.hear_until(11, &["run", "Parking", "--stepped"]);
    ear.hear_until(11, &["continue"]);
    ear.hear_until(11, &["stop", "unsafe", "--because", "it shows the fees of others"]);
    ear.hear_until(11, &["continue", "--because", "it does not"]);
    lead(ear, State::SteppedModePaused);
    ear.hear(&["abandon", "--because", "it was a trial"]);
    ear.hear_until(11, &["run", "Parking"]);
    lead(ear, State::PipelineComplete);
    ear.hear(&["run"]);
    ear.hear(&["validate"]);
    ear.hear(&["validate", "--holds"]);
    ear.hear_until(11, &["iterate"]);
}

/// Leads a version to a state, as if everything had been done and found in order.
fn lead(ear: &Ear, to: State) {
    let by = Actor::Human("ada".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let blobs = sealwright_store::Blobs::local(ear.shop.journal().layout()).unwrap();
        blobs.put(REPORT).await.unwrap();
        let performer = std::sync::Arc::new(sealwright_host::NoPerformer);
        let (clock, limits) = (sealwright_host::SystemClock, sealwright_host::Limits::default());
        let stream: StreamId = "project".parse().unwrap();
        let mut host: sealwright_host::Host<Project, _, _, _> =
            sealwright_host::Host::open(ear.shop.journal(), &stream, performer, clock, limits)
                .await
                .unwrap();
        if host.machine().is_empty() {
            for input in scripted::project::approval() {
                host.tell(by.clone(), input, vec![]).await.unwrap();
            }
            let tasks = vec![scripted::project::planned("T-1", None, vec![])];
            let plan = Input::Plan { by: by.clone(), tasks, is_last: true };
            host.tell(by.clone(), plan, vec![]).await.unwrap();
        }
        while host.machine().run().pipeline.state != to || !host.machine().owed().is_empty() {
            if to == State::SteppedModePaused && host.machine().run().pipeline.state == to {
                break;
            }
            let (actor, input) = next(host.machine(), &by);
            host.tell(actor, input, vec![]).await.unwrap();
        }
    });
}

/// What an examination finds where nothing is wrong.
const REPORT: &str = r#"{"evaluation":{"conditions":[],"findings":[]},"brakes":[]}"#;

/// What is told next to a project in which everything goes well.
fn next(project: &Project, by: &Actor) -> (Actor, Input) {
    let seen = run::Documents::new();
    let said = |input: run::Input| (by.clone(), Input::Run(input));
    let owed = project.owed();
    let Some(owed) = owed.first() else {
        return said(run::Input::Freeze {
            by: by.clone(),
            documents: project.run().frozen_part(),
            spec: project.product().approved().unwrap().text,
        });
    };
    let effect = owed.id();
    let input = match owed {
        Effect::Open { .. } => Input::Opened { effect },
        Effect::Dispatch { task } => {
            if project.task(task).unwrap().status == Status::Pending {
                let (task, status) = (task.clone(), Status::Shipped);
                Input::Heard { task, news: 1, status, phase: None }
            } else {
                Input::Dispatched { effect }
            }
        }
        Effect::Run(run::Effect::Work { .. }) => {
            let (run, command) = (project.run(), "undo".to_owned());
            let is_deployed = run.pipeline.state == State::Deploying && run.rollback.is_none();
            return said(match is_deployed {
                true => run::Input::Rollback { by: by.clone(), command },
                false => run::Input::HandIn { by: by.clone() },
            });
        }
        Effect::Run(run::Effect::Examine { .. }) => {
            let report = sealwright_kernel::Digest::of(REPORT.as_bytes());
            Input::Run(run::Input::Examined {
                effect,
                report: run::Examination {
                    verdict: Verdict::Pass,
                    read: seen,
                    report,
                    findings: 0,
                    first: String::new(),
                    brakes: BTreeSet::new(),
                    said: BTreeSet::new(),
                    tells: run::Tells::Nothing,
                },
            })
        }
        Effect::Run(run::Effect::Keep { .. }) => {
            Input::Run(run::Input::Kept { effect, commit: "0".repeat(40), seen })
        }
        Effect::Run(run::Effect::Restore { .. } | run::Effect::Recover { .. }) => {
            unreachable!("everything goes well")
        }
    };
    (Actor::Machine, input)
}

/// A repository with a clean room, and one agent for every role.
fn with_an_agent_that_asks(ear: &mut Ear) {
    let root = ear.shop.folder().to_owned();
    let config = "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n\
                  [checks.make]\ncommand = [\"make\"]\n\
                  [agents.rehearsed]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n";
    fs::write(root.join("sealwright.toml"), config).unwrap();
    fs::write(root.join("steps.toml"), ASKS_BACK).unwrap();
    // Without a project that has a clean room nobody would be asked.
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/lib.rs"), "").unwrap();
    let manifest = "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2024\"\n";
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    ear.shop.git(&["add", "--all"]);
    ear.shop.git(&["commit", "--quiet", "--message", "it"]);
}

/// An honest builder and a cheat, in a folder of their own.
fn shown(ear: &mut Ear) {
    ear.hear(&["demo", "shown"]);
    let root = ear.shop.folder().join("shown");
    let task = ear.heard[0].value["honest"]["task"].as_str().unwrap().to_owned();
    let branch = format!("sealwright/{task}");
    let root_text = root.to_str().unwrap().to_owned();
    ear.hear(&["restore", &task, "--repository", &root_text]);
    // It is what was kept, as a commit of its own.
    let restored = ear.heard[1].value["branch"].as_str().unwrap().to_owned();
    let differs = git_in(&root, &["diff", "--name-only", &branch, &restored]);
    assert_eq!(differs, format!(".sealwright/proofs/{task}.jsonl\n"));
    ear.hear_until(12, &["restore", &task, "--at", "1", "--repository", &root_text]);
    ear.hear_until(2, &["restore", &task, "--at", "100000", "--repository", &root_text]);
}

fn git_in(folder: &Path, words: &[&str]) -> String {
    let output =
        std::process::Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Where a role would stand, on whatever machine this is.
fn stood(ear: &mut Ear) {
    let root = ear.shop.folder().to_owned();
    let lanes = "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n";
    fs::write(root.join("sealwright.toml"), lanes).unwrap();
    // Nobody is there who could build.
    ear.hear_until(20, &["doctor", "--repository", root.to_str().unwrap()]);
    for subject in ["first words", "more words"] {
        fs::write(root.join("README.md"), subject).unwrap();
        ear.shop.git(&["add", "README.md"]);
        ear.shop.git(&["commit", "--quiet", "--message", subject]);
    }
    ear.hear(&["evaluate"]);
    let script = "[agents.rehearsed]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n\
                  [agents.local]\nkind = \"api\"\nmodel = \"m\"\nprotocol = \"ollama\"\n";
    fs::write(root.join("sealwright.toml"), format!("{lanes}{script}")).unwrap();
    let submit = "[[step]]\ndo = \"submit\"\nanswer = { word = \"marigold-71\" }\n";
    let write = "[[step]]\ndo = \"write\"\npath = \"hello.txt\"\ntext = \"marigold-71\"\n";
    fs::write(root.join("steps.toml"), format!("{write}{submit}")).unwrap();
    // Where no test could be run nobody is ready.
    ear.hear_until(20, &["doctor", "--repository", root.to_str().unwrap()]);
    fs::write(root.join("setup.py"), "").unwrap();
    ear.shop.git(&["add", "setup.py"]);
    ear.shop.git(&["commit", "--quiet", "--message", "a language"]);
    ear.hear(&["doctor", "--repository", root.to_str().unwrap()]);
    ear.hear(&["allow", "--show", "--repository", root.to_str().unwrap()]);
    ear.hear(&["login"]);
    ear.hear(&["login", "claude-code", "--list"]);
    ear.hear(&["logout", "codex"]);
    ear.hear(&["agents", "try", "rehearsed"]);
    fs::write(root.join("steps.toml"), submit).unwrap();
    ear.hear_until(10, &["agents", "try", "rehearsed"]);
    fs::write(root.join("lib.rs"), "pub fn add() {}\n").unwrap();
    let pack = |role: &str| {
        json!({
            "context_pack_id": "CP-0123abcd",
            "created_for": {"role": role, "run_id": "INV-000001", "task_ref": "T-here"},
            "included_refs": [{"ref": "MM-here@1.0.0", "permission": "FULL", "reason": "it is being built"}],
            "excluded_refs": [],
            "default_permission": "CONTRACT_ONLY",
            "created_at": "2026-11-15T09:00:00Z",
        })
    };
    let builder = root.join("pack.json");
    fs::write(&builder, pack("builder").to_string()).unwrap();
    let builder = builder.to_str().unwrap();
    ear.hear(&["sandbox", "explain", builder]);
    ear.hear(&[
        "sandbox",
        "run",
        "--pack",
        builder,
        "--",
        "sh",
        "-c",
        "echo x > new; echo out; echo err >&2",
    ]);
    ear.hear_until(
        10,
        &["sandbox", "run", "--pack", builder, "--", "sh", "-c", "ln -s /etc/passwd here; exit 3"],
    );
    let ran = ear.heard.iter().filter_map(|heard| heard.value.get("ended"));
    assert_eq!(ran.collect::<Vec<_>>(), ["exited with 0", "exited with 3"]);
    let last = &ear.heard.last().unwrap().value;
    assert_eq!(last["changes"], json!([]));
    assert_ne!(last["refused"], json!([]));
}

fn languages(ear: &mut Ear) {
    let tsconfig = ("tsconfig.json", "{}");
    let package = ("package.json", r#"{"scripts": {"test": "node --test"}}"#);
    let others = [("Cargo.toml", "[package]\n"), ("go.mod", "module x\n"), ("pytest.ini", "")];
    let python = ("pyproject.toml", "[project]\n");
    let one = [package].to_vec();
    let all = [&others[..], &[package, tsconfig, python]].concat();
    for (name, files) in [("none", vec![]), ("one", one), ("all", all)] {
        let folder = ear.shop.path(name);
        fs::create_dir(&folder).unwrap();
        for (file, content) in files {
            fs::write(folder.join(file), content).unwrap();
        }
        ear.hear(&["init", "--repository", name, "--dry-run"]);
        ear.hear(&["init", "--repository", name]);
    }
}

fn fresh(ear: &mut Ear) {
    ear.hear(&["new", "limits per tenant", "--lane", "factory"]);
    ear.hear(&["new", "limits per user", "--yes"]);
    let task = ear.shop.create(&["--risk", "high"]);
    ear.look(&task);
    ear.hear(&["check", task.as_str()]);
    ear.hear(&["note", task.as_str(), "mind the clock"]);
}

fn parked(ear: &mut Ear) {
    let task = ear.shop.parked();
    ear.look(&task);
    ear.hear(&["check", task.as_str()]);
    ear.hear(&["note", task.as_str(), "mind the clock \u{1b}[2J\u{202e}"]);
    ear.hear(&["approve", task.as_str()]);
    ear.look(&task);
}

fn declined(ear: &mut Ear) {
    let task = ear.shop.parked();
    ear.hear(&["decline", task.as_str(), "--because", "tenants have groups"]);
    ear.shop.run_honestly(&task);
    ear.hear(&["decline", task.as_str(), "--because", "call it a quota", "--amend"]);
    ear.shop.run_honestly(&task);
    ear.hear(&["answer", task.as_str(), "a tenant is a company"]);
    ear.look(&task);
}

fn owned(ear: &mut Ear) {
    let task = ear.shop.create(&["--autonomy", "manual"]);
    ear.shop.run_honestly(&task);
    ear.hear(&["approve", task.as_str()]);
    ear.shop.run_honestly(&task);
    ear.look(&task);
    ear.hear(&["decline", task.as_str(), "--because", "the header is missing"]);
    ear.shop.run_honestly(&task);
    ear.hear(&["approve", task.as_str(), "--because", "I tried it"]);
}

fn given_up(ear: &mut Ear) {
    let task = ear.shop.halted();
    ear.look(&task);
    ear.hear_until(12, &["resolve", task.as_str(), "amend-spec", "--because", ""]);
    ear.hear(&["resolve", task.as_str(), "abandon-task", "--because", "not worth it"]);
    ear.look(&task);
    let cancelled = ear.shop.parked();
    ear.hear(&["inbox", cancelled.as_str()]);
    ear.hear(&["cancel", cancelled.as_str(), "--because", "not wanted any more"]);
}

fn resolved(ear: &mut Ear) {
    let task = ear.shop.halted();
    let id = task.as_str();
    // The scripted world has no trees, so the fix is given as a whole resolution.
    let patch = sealwright_kernel::Digest::of(b"a patch");
    let payload = serde_json::json!({"action": "PROVIDE_FIX", "payload": {
        "fix_description": "key it", "fix_patch": patch, "fix_places": ["src/limiter.rs"],
    }});
    fs::write(ear.shop.path("fix.json"), payload.to_string()).unwrap();
    ear.hear(&["resolve", id, "--payload", "fix.json"]);
    ear.shop.run(&task, |want| usize::from(is_check(want)));
    ear.look(&task);
    let criterion = "one tenant is limited (verify: tests)";
    ear.hear(&["resolve", id, "amend-spec", "--because", "enough", "--criterion", criterion]);
    ear.look(&task);
}

fn overridden(ear: &mut Ear) {
    let task = ear.shop.parked();
    ear.hear(&["approve", task.as_str()]);
    ear.shop.run(&task, |want| usize::from(matches!(want, Want::Challenge { .. })));
    ear.look(&task);
    ear.hear(&["resolve", task.as_str(), "approve-override", "--because", "I take it"]);
    ear.look(&task);
}

fn escalated(ear: &mut Ear) {
    let task = ear.shop.create(&["--autonomy", "manual"]);
    let id = task.as_str();
    ear.shop.run_honestly(&task);
    ear.hear(&["approve", id]);
    for _ in 0..4 {
        ear.shop.run_honestly(&task);
        ear.hear(&["heal", id, "--cheat", "overfit", "--reason", "it knows the fixture"]);
    }
    ear.look(&task);
}

fn done(ear: &mut Ear) {
    let task = ear.shop.parked();
    ear.hear(&["approve", task.as_str()]);
    let ended = ear.shop.run_honestly(&task);
    let sealwright_host::Ended::Over(anchor) = ended else { panic!("{ended:?}") };
    ear.shop.git(&["add", "--all"]);
    let message = format!("limits\n\n{}", anchor.trailer());
    ear.shop.git(&["commit", "--quiet", "--message", &message]);
    ear.look(&task);
    ear.hear(&["pr", task.as_str()]);
    ear.hear(&["pr", task.as_str(), "--base", "main"]);
    called(ear, &task);
    ear.hear(&["check", task.as_str()]);
    ear.hear_until(12, &["note", task.as_str(), "one more thing"]);
}

fn spent(ear: &mut Ear) {
    let config = ear.shop.path("sealwright.toml");
    let checks = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{checks}[budget]\ndollars = 0.05\nminutes = 60\n")).unwrap();
    let task = ear.shop.create(&[]);
    let id = task.as_str();
    ear.hear(&["budget", id]);
    let price = Cost { millis: 61_000, tokens: 1_500, micro_dollars: 30_000 };
    ear.shop.run_paying(&task, price);
    ear.look(&task);
    ear.hear(&["approve", id]);
    ear.shop.run_paying(&task, price);
    ear.look(&task);
    ear.hear_until(12, &["approve", id]);
    ear.hear_until(12, &["budget", id, "--dollars", "0.06"]);
    ear.hear(&["budget", id, "--dollars", "5", "--tokens", "9000"]);
    ear.shop.run_paying(&task, price);
    ear.hear(&["budget", id]);
    ear.hear(&["resolve", id, "abandon-task", "--because", "not worth it"]);
    ear.hear(&["budget", id]);
    ear.look(&task);
}

/// Agents were called: one ended, one broke off.
fn called(ear: &mut Ear, task: &TaskId) {
    let folder = ear.shop.path(".sealwright/work").join(task.as_str());
    fs::create_dir_all(&folder).unwrap();
    let begun = json!({"at": 1, "begun": {"part": "edit", "role": "builder", "agent": "codex", "model": "m", "effect": "x"}});
    let said = json!({"at": 2, "event": {"kind": "text", "text": "I look first \u{1b}[2J"}});
    let ended = json!({"at": 3, "ended": {"end": "answered", "micro_dollars": 1, "tokens": 2, "turns": 3, "wall_ms": 4}});
    fs::write(folder.join("0001-edit.jsonl"), format!("{begun}\n{said}\n")).unwrap();
    fs::write(folder.join("0002-edit.jsonl"), format!("{begun}\n{said}\n{ended}\n")).unwrap();
    ear.hear(&["watch", task.as_str()]);
}

fn signed(ear: &mut Ear) {
    let (task, anchor) = ear.shop.finished();
    ear.hear(&["keys", "list"]);
    ear.hear(&["keys", "new"]);
    ear.hear(&["keys", "sign", task.as_str()]);
    ear.hear(&["keys", "sign", task.as_str()]);
    ear.hear(&["keys", "new", "--rotate"]);
    ear.hear(&["keys", "list"]);
    ear.hear(&["keys", "export"]);
    ear.shop.commit(Some(&anchor));
    for _ in 0..2 {
        ear.hear(&["hooks", "install"]);
    }
    ear.hear(&["hooks", "uninstall"]);
    ear.hear(&["hooks", "uninstall"]);
    ear.hear(&["evidence", task.as_str()]);
    ear.hear(&["evidence", task.as_str(), "--as", "json"]);
    let keys = ear.heard.iter().rev().find(|it| it.command == "keys").unwrap();
    let exported = keys.value["key"].as_str().unwrap().to_owned();
    ear.hear(&["verify", "--allow-changes"]);
    ear.hear(&["verify", "--allow-changes", "--trust", &exported]);
    let (key, signers) = crate::signed::key(&ear.shop, "ada", "ed25519");
    ear.hear(&["log", task.as_str()]);
    for _ in 0..2 {
        ear.hear(&["sign", "--key", &key]);
    }
    ear.hear(&["verify", "--allow-changes"]);
    ear.hear(&["verify", "--allow-changes", "--signers", &signers]);
    ear.hear(&["log", task.as_str()]);
    ear.hear_until(2, &["verify", "--trust", "nowhere"]);
    ear.hear_until(2, &["keys", "retire", "f00"]);
    ear.hear_until(12, &["keys", "sign", ear.shop.parked().as_str()]);
    let statement = ear.shop.path(".sealwright/store/attestations").join(task.as_str());
    edit(&statement.join("EV-000001.json"), "payload", "pay1oad");
    ear.hear_until(10, &["verify", "--allow-changes"]);
}

fn hand_edited(ear: &mut Ear) {
    let task = ear.shop.halted();
    let id = task.as_str();
    let text = ear.shop.read(&task, "TASK.md");
    let bent = format!("{text}\n- and fast\n");
    ear.shop.edit(&task, "STATE.md", "- **Phase:**", "- **Phase:** done, really;");
    ear.shop.edit(&task, "STATE.md", "## Notes\n", "## Notes\n\n- mind the clock\n");
    fs::write(ear.shop.file(&task, "context/iter-0001.md"), "all is well\n").unwrap();
    fs::write(ear.shop.file(&task, "TASK.md"), &bent).unwrap();
    ear.hear_until(10, &["check", id]);
    ear.look(&task);
    ear.hear(&["acknowledge", id, "iter-0001.md"]);
    fs::write(ear.shop.file(&task, "TASK.md"), &text).unwrap();
    ear.hear(&["check", id]);
    fs::write(ear.shop.file(&task, "TASK.md"), &bent).unwrap();
    ear.hear(&["adopt", id]);
    ear.look(&task);
}

fn unwritten(ear: &mut Ear) {
    let task = ear.shop.parked();
    let state = ear.shop.file(&task, "STATE.md");
    fs::remove_file(&state).unwrap();
    std::os::unix::fs::symlink(ear.shop.path("elsewhere.md"), &state).unwrap();
    ear.hear_until(12, &["check", task.as_str()]);
    // A file stands where the folder of all tasks belongs.
    let other = ear.shop.path("other");
    fs::create_dir(&other).unwrap();
    fs::copy(ear.shop.path("sealwright.toml"), other.join("sealwright.toml")).unwrap();
    ear.hear(&["init", "--repository", "other"]);
    fs::write(other.join(".sealwright/tasks"), "in the way").unwrap();
    ear.hear(&["new", "limits per tenant", "--repository", "other"]);
    let new = &ear.heard.last().unwrap().value;
    assert!(new["unwritten"].is_string(), "{new}");
}

fn damaged(ear: &mut Ear) {
    let task = ear.shop.parked();
    let whole = ear.shop.parked();
    ear.hear(&["status"]);
    ear.hear(&["watch"]);
    edit(&segment(ear, &task), "limits per tenant", "limits per TENANT");
    ear.hear(&["status"]);
    ear.hear(&["watch"]);
    ear.hear(&["watch", task.as_str()]);
    ear.hear(&["journal"]);
    ear.hear(&["inbox"]);
    ear.hear(&["show", whole.as_str()]);
    for args in [
        &["verify", "--allow-changes"][..],
        &["show", task.as_str()],
        &["log", task.as_str()],
        &["replay", task.as_str()],
        &["journal", task.as_str()],
        &["approve", task.as_str()],
    ] {
        ear.hear_until(10, args);
    }
}

fn torn(ear: &mut Ear) {
    let task = ear.shop.parked();
    let path = segment(ear, &task);
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"{\"actor\":").unwrap();
    ear.look(&task);
}

/// Streams that no machine of this version keeps.
fn other_streams(ear: &mut Ear) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/0.1.0/invocation");
    let stream = ".sealwright/journal/INV-000001";
    fs::create_dir_all(ear.shop.path(stream)).unwrap();
    let file = "000000000001.jsonl";
    fs::copy(recorded.join(stream).join(file), ear.shop.path(stream).join(file)).unwrap();
    let unheard: StreamId = "X-new-001".parse().unwrap();
    let folder = ear.shop.journal().layout().stream(&unheard);
    fs::create_dir_all(&folder).unwrap();
    let draft = Draft {
        at: Timestamp::from_millis(1),
        actor: Actor::Role(Role::Scout, InvocationId::new(7)),
        cause: json!({ "future": [1, null] }),
        events: vec![json!("nothing_heard"), json!({ "unheard_of": {} })],
        blobs: vec![],
    };
    let (line, _) = draft.seal(&unheard, &Head::START).unwrap();
    fs::write(folder.join(file), line).unwrap();
    ear.hear(&["journal"]);
    ear.hear(&["journal", "INV-000001"]);
    ear.hear(&["journal", unheard.as_str()]);
    ear.hear(&["status"]);
    ear.hear_until(12, &["replay", "INV-000001"]);
    ear.hear_until(12, &["replay", unheard.as_str()]);
    ear.hear(&["verify", "--allow-changes"]);
}

/// Errors are talk: they go to standard error, and a program reads the exit code.
fn mistaken(ear: &mut Ear) {
    let task = ear.shop.create(&[]);
    let id = task.as_str();
    for (exit, args) in [
        (2, &["show", "T-nothing"][..]),
        (2, &["watch", "T-nothing"]),
        (2, &["pr", "T-nothing"]),
        (12, &["pr", id]),
        (2, &["note"]),
        (2, &["journal", "../../etc"]),
        (2, &["replay", id, "--at", "99"]),
        (2, &["new", "--file", "nowhere.md"]),
        (12, &["approve", id]),
        (12, &["decline", id, "--because", "x"]),
        (12, &["resolve", id, "abandon-task", "--because", "x"]),
        (12, &["heal", id, "--cheat", "overfit", "--reason", "x"]),
        (12, &["acknowledge", id, "iter-0001.md"]),
        (20, &["status", "--repository", "nowhere"]),
    ] {
        ear.hear_until(exit, args);
    }
    ear.hear(&["show", id]);
}

fn segment(ear: &Ear, task: &TaskId) -> std::path::PathBuf {
    ear.shop.path(".sealwright/journal").join(task.as_str()).join("000000000001.jsonl")
}

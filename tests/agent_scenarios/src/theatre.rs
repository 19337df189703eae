//! The theatre: one assignment, played by one agent to one scripted model, and everything that was seen of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sealwright_agents::tools::{Effect, Reply, Tool};
use sealwright_agents::{
    AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Endpoint, Event, Key,
};
use sealwright_kernel::{Level, Role, invocation};
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlots, system};
use sealwright_scripted_model::{Model, Script, Seen};
use serde_json::{Value, json};

use crate::route::Route;

/// What is to be played.
pub struct Act<'a> {
    /// What the model does.
    pub script: Script,
    /// Whether the tree may be changed.
    pub access: Access,
    /// What may be used up.
    pub budget: Budget,
    /// Calls it off when a process with this word among its words is seen.
    pub cancel_at: Option<&'a str>,
}

/// What was seen.
#[derive(Debug)]
pub struct Performance {
    /// How it ended.
    pub outcome: CallOutcome,
    /// What the agent told of itself.
    pub events: Vec<Event>,
    /// What stands in the tree afterwards.
    pub files: BTreeMap<String, String>,
    /// What the model was asked.
    pub asked: Vec<Seen>,
    /// How long it took.
    pub took: Duration,
}

impl Act<'_> {
    /// A script played by somebody who may write, for a minute and a half at most.
    pub fn of(script: Script) -> Self {
        let budget = Budget { wall_ms_max: 90_000, ..Budget::default() };
        Self { script, access: Access::ReadWrite, budget, cancel_at: None }
    }
}

/// Plays an act on a route, to a scripted model.
pub fn perform(route: &Route, act: Act<'_>) -> Result<Performance> {
    let model = Model::start(act.script)?;
    let assignment = Assignment {
        role: Role::Builder,
        brief: BRIEF.to_owned(),
        access: match act.access {
            Access::ReadOnly => invocation::Access::ReadOnly,
            Access::ReadWrite | Access::CopyOnWrite => invocation::Access::Write,
        },
        schema: AnswerSchema::new(shape())?,
        budget: act.budget,
        model: route.model().to_owned(),
        endpoint: Endpoint {
            base: format!("http://{}", model.address()),
            protocol: route.protocol,
            key: Key::Secret(Secret::new(KEY)),
        },
    };
    let mut performance = carry_out(route, &assignment, act.access, act.cancel_at)?;
    performance.asked = model.requests();
    Ok(performance)
}

/// Carries an assignment out on a route, in a folder of its own behind walls.
pub fn carry_out(
    route: &Route,
    assignment: &Assignment,
    access: Access,
    cancel_at: Option<&str>,
) -> Result<Performance> {
    let folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir()?;
    let slot = SandboxSlots::open(&folder.path().join("seats"))?.take()?;
    let work = folder.path().join("work");
    fs::create_dir(&work)?;
    fs::write(work.join(STANDING), STANDING_TEXT)?;
    if let Some(user) = slot.run_as() {
        for path in [&work, &work.join(STANDING)] {
            std::os::unix::fs::chown(path, Some(user), Some(user))?;
        }
    }
    let mounts = [Mount {
        source: work.canonicalize()?,
        at: system::WORK.to_owned(),
        access,
        need: Need::Required,
    }];
    let cancel = Cancel::new()?;
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(Inspection)];
    let place = AgentSandbox {
        slot: &slot,
        mechanism: Mechanism::Namespaces,
        least: Level::KernelIsolated,
        mounts: &mounts,
        environment: &[],
        folder: system::WORK,
        tools: &tools,
        cancel: &cancel,
    };
    let agent = route.agent()?;
    let mut events = Vec::new();
    let began = now();
    let outcome = std::thread::scope(|scope| {
        let (running, over) = mpsc::channel::<()>();
        if let Some(word) = cancel_at {
            let cancel = &cancel;
            scope.spawn(move || {
                while over.recv_timeout(GLANCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                    if processes_with(word) > 0 {
                        cancel.cancel();
                        break;
                    }
                }
            });
        }
        let outcome = agent.carry_out(assignment, &place, &mut |event| events.push(event));
        drop(running);
        outcome
    });
    let (took, files) = (began.elapsed(), files(&work)?);
    Ok(Performance { outcome, events, files, asked: Vec::new(), took })
}

/// How many processes have this word among their words.
pub fn processes_with(word: &str) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let has_word = |folder: &Path| {
        let words = fs::read(folder.join("cmdline")).unwrap_or_default();
        words.starts_with(b"sleep\0")
            && words.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
    };
    entries.filter(|entry| has_word(&entry.path())).count()
}

fn files(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { bail!("a name is no text") };
        if entry.file_type()?.is_file() {
            files.insert(name, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
        }
    }
    Ok(files)
}

/// A tool of the work itself: the harness looks at the tree. Here it only says that it did.
struct Inspection;

impl Tool for Inspection {
    fn name(&self) -> &'static str {
        INSPECTION
    }

    fn about(&self) -> &'static str {
        "Runs the checks on the work tree and says what they found."
    }

    fn input(&self) -> Value {
        json!({"type": "object", "additionalProperties": false, "required": [], "properties": {}})
    }

    fn effect(&self) -> Effect {
        Effect::None
    }

    fn calls_max(&self) -> u32 {
        5
    }

    fn call(&self, _: &Value) -> Reply {
        Reply::Done(json!({"passed": true, "summary": INSPECTED}))
    }
}

fn shape() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", "reasons", "confidence"],
        "properties": {
            "verdict": {"type": "string", "enum": ["accept", "reject"]},
            "reasons": {"type": "array", "items": {"type": "string"}},
            "confidence": {"type": "integer"},
        },
    })
}

/// An answer of that shape.
pub fn answer() -> Value {
    json!({"verdict": "accept", "reasons": ["it does what was asked", "nothing else changed"], "confidence": 90})
}

#[expect(clippy::disallowed_methods, reason = "how long a rehearsal takes is told")]
fn now() -> Instant {
    Instant::now()
}

/// The name of the tool of the work.
pub const INSPECTION: &str = "check_workspace";
/// What it says.
pub const INSPECTED: &str = "inspected-4c1d";
/// A file that stands in the tree from the beginning.
pub const STANDING: &str = "standing.txt";
/// What it says.
pub const STANDING_TEXT: &str = "as it was\n";
/// The key of the model, which nobody inside may ever see.
pub const KEY: &str = "sk-outside-only-77e1";
const BRIEF: &str = "You work in the current folder. Write `made.txt`, have a look at it with a shell, have the work tree checked, \
                     and hand the result in with the tool `submit_result`.\n";
const GLANCE: Duration = Duration::from_millis(20);

//! Runs one assignment with one agent and one scripted model, and records the result.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sealwright_agents::login::LoginWay;
use sealwright_agents::tools::{Effect, Reply, Tool};
use sealwright_agents::{
    AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Endpoint, Event, Key,
};
use sealwright_kernel::{Level, Role};
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlots, system};
use sealwright_scripted_model::{Model, Script, Seen, Settings};
use serde_json::{Value, json};

use crate::maker_file::{MakerFile, Session};
use crate::route::Route;

pub struct RunSpec<'a> {
    pub script: Script,
    pub access: Access,
    pub budget: Budget,
    /// Cancels the call when a `sleep` process with this argument exists.
    pub cancel_at: Option<&'a str>,
    /// More files of the tree: a path and a text.
    pub files: Vec<(&'a str, String)>,
    pub brief: &'a str,
    /// The folder of the conversation it belongs to.
    pub conversation: Option<&'a Path>,
    /// The port of its model; a conversation is of one address. Zero selects a free one.
    pub port: u16,
    pub way: LoginWay,
    /// What the login of the route holds at the beginning.
    pub session: Session,
    /// What happens to it while the agent works, asked again and again with the folder of the tree.
    pub meanwhile: Meanwhile,
}

pub type Meanwhile = fn(&MakerFile, &Path);

#[derive(Debug)]
pub struct RunResult {
    pub outcome: CallOutcome,
    pub events: Vec<Event>,
    /// The files in the tree afterwards.
    pub files: BTreeMap<String, String>,
    pub asked: Vec<Seen>,
    pub took: Duration,
}

impl RunSpec<'_> {
    /// A run with write access and a limit of 90 seconds.
    pub fn of(script: Script) -> Self {
        let budget = Budget { wall_ms_max: 90_000, ..Budget::default() };
        Self {
            script,
            access: Access::ReadWrite,
            budget,
            cancel_at: None,
            files: Vec::new(),
            brief: BRIEF,
            conversation: None,
            port: 0,
            way: LoginWay::Host,
            session: Session::default(),
            meanwhile: |_, _| {},
        }
    }
}

/// Runs `spec` on a route with a scripted model.
pub fn execute(route: &Route, spec: RunSpec<'_>) -> Result<RunResult> {
    let settings = Settings { port: spec.port, ..Settings::default() };
    let model = Model::start_with(spec.script, &settings)?;
    let address = format!("http://{}", model.address());
    let maker_file = match route.login() {
        Some(kind) => Some(MakerFile::new(kind, spec.way, address.clone(), &spec.session)?),
        None => None,
    };
    let endpoint = match &maker_file {
        Some(file) => Endpoint {
            base: file.login.base.clone(),
            protocol: route.protocol,
            key: Key::Login(file.login.clone()),
        },
        None => {
            Endpoint { base: address, protocol: route.protocol, key: Key::Secret(Secret::new(KEY)) }
        }
    };
    let assignment = Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief: spec.brief.to_owned(),
        access: match spec.access {
            Access::ReadOnly => sealwright_kernel::Access::ReadOnly,
            Access::ReadWrite | Access::ReadWriteNoLinks | Access::CopyOnWrite => {
                sealwright_kernel::Access::Write
            }
        },
        schema: AnswerSchema::new(shape())?,
        budget: spec.budget,
        model: route.model().to_owned(),
        endpoint,
    };
    let meanwhile = |work: &Path| {
        if let Some(file) = &maker_file {
            (spec.meanwhile)(file, work);
        }
    };
    let around = Around {
        access: spec.access,
        files: &spec.files,
        cancel_at: spec.cancel_at,
        conversation: spec.conversation,
        meanwhile: &meanwhile,
    };
    let mut result = carry_out(route, &assignment, &around)?;
    result.asked = model.requests();
    Ok(result)
}

/// What an assignment finds around it.
pub struct Around<'a> {
    pub access: Access,
    /// More files of the tree: a path and a text.
    pub files: &'a [(&'a str, String)],
    pub cancel_at: Option<&'a str>,
    pub conversation: Option<&'a Path>,
    /// Asked again and again while the agent works, with the folder of the tree.
    pub meanwhile: &'a (dyn Fn(&Path) + Sync),
}

/// Runs an assignment on a route, in its own folder in the sandbox.
pub fn carry_out(route: &Route, assignment: &Assignment, around: &Around<'_>) -> Result<RunResult> {
    let folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir()?;
    let slot = SandboxSlots::open(&folder.path().join("slots"))?.take()?;
    let work = folder.path().join("work");
    fs::create_dir(&work)?;
    fs::write(work.join(EXISTING), EXISTING_TEXT)?;
    let mut made = vec![work.clone(), work.join(EXISTING)];
    for (path, text) in around.files {
        let path = work.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&work))?;
        fs::write(&path, text)?;
        made.extend(path.ancestors().take_while(|it| *it != work).map(Path::to_owned));
    }
    for path in &made {
        slot.give(path)?;
    }
    let mounts = [Mount {
        source: work.canonicalize()?,
        at: system::WORK.to_owned(),
        access: around.access,
        need: Need::Required,
    }];
    let cancel = Cancel::new()?;
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(CheckTool)];
    let place = AgentSandbox {
        slot: &slot,
        mechanism: Mechanism::Namespaces,
        least: Level::KernelIsolated,
        mounts: &mounts,
        environment: &[],
        folder: system::WORK,
        tools: &tools,
        conversation: around.conversation,
        cancel: &cancel,
    };
    let agent = route.agent()?;
    let mut events = Vec::new();
    let began = now();
    let outcome = std::thread::scope(|scope| {
        let (running, over) = mpsc::channel::<()>();
        let (cancel, work) = (&cancel, &work);
        scope.spawn(move || {
            while over.recv_timeout(POLL_INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                (around.meanwhile)(work);
                if around.cancel_at.is_some_and(|word| processes_with(word) > 0) {
                    cancel.cancel();
                    break;
                }
            }
        });
        let outcome = agent.carry_out(assignment, &place, &mut |event| events.push(event));
        drop(running);
        outcome
    });
    let (took, files) = (began.elapsed(), files(&work)?);
    Ok(RunResult { outcome, events, files, asked: Vec::new(), took })
}

/// The number of `sleep` processes with this argument.
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
        let Ok(name) = entry.file_name().into_string() else {
            bail!("a file name is not valid UTF-8")
        };
        if entry.file_type()?.is_file() {
            files.insert(name, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
        }
    }
    Ok(files)
}

/// A role tool with a fixed result.
struct CheckTool;

impl Tool for CheckTool {
    fn name(&self) -> &'static str {
        CHECK_TOOL
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
        Reply::Done(json!({"passed": true, "summary": CHECK_RESULT}))
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

pub fn answer() -> Value {
    json!({"verdict": "accept", "reasons": ["it does what was asked", "nothing else changed"], "confidence": 90})
}

#[expect(clippy::disallowed_methods, reason = "measures the duration of a run")]
fn now() -> Instant {
    Instant::now()
}

pub const CHECK_TOOL: &str = "check_workspace";
pub const CHECK_RESULT: &str = "inspected-4c1d";
/// A file that exists in the tree before the run.
pub const EXISTING: &str = "standing.txt";
pub const EXISTING_TEXT: &str = "as it was\n";
/// The key of the model, which must never be visible inside the sandbox.
pub const KEY: &str = "sk-outside-only-77e1";
const BRIEF: &str = "You work in the current folder. Write `made.txt`, have a look at it with a shell, have the work tree checked, \
                     and hand the result in with the tool `submit_result`.\n";
const POLL_INTERVAL: Duration = Duration::from_millis(20);

//! Drives one agent once, in a scratch folder behind walls, and prints what it does: an event a line, the outcome last.
//!
//! ```text
//! drive AGENT AGENTS_FOLDER MODEL_URL BRIEF_FILE [--model NAME] [--read-only] [--cancel-at WORDS]
//! ```
//!
//! `--cancel-at` calls the run off a second after a command with these words was begun. The last line also says what
//! stands in the scratch folder afterwards, which is what counts.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{fs, io};

use sealwright_agents::adapters::DRIVERS;
use sealwright_agents::program::Program;
use sealwright_agents::{
    Agent as _, AgentSandbox, AnswerSchema, Assignment, Budget, Endpoint, Event, Key, Prices,
};
use sealwright_kernel::{Level, Role};
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlots, launcher, system};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    launcher::take_over_if_asked();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [key, agents, base, brief, rest @ ..] = words.as_slice() else { return Err(USAGE.into()) };
    let after = |flag: &str| {
        let at = rest.iter().position(|word| word == flag)?;
        rest.get(at + 1).map(String::as_str)
    };
    let is_read_only = rest.iter().any(|word| word == "--read-only");
    let driver = DRIVERS.iter().find(|driver| driver.key() == key).ok_or("no such agent")?;

    let base_folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o711)).tempdir()?;
    let slot = SandboxSlots::open(&base_folder.path().join("seats"))?.take()?;
    let work = base_folder.path().join("work");
    fs::create_dir(&work)?;
    if let Some(user) = slot.run_as() {
        std::os::unix::fs::chown(&work, Some(user), Some(user))?;
    }
    let mounts = [Mount {
        source: work.canonicalize()?,
        at: system::WORK.to_owned(),
        access: if is_read_only { Access::ReadOnly } else { Access::ReadWrite },
        need: Need::Required,
    }];
    let assignment = Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief: fs::read_to_string(brief)?,
        access: if is_read_only {
            sealwright_kernel::Access::ReadOnly
        } else {
            sealwright_kernel::Access::Write
        },
        schema: AnswerSchema::new(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["done"],
            "properties": {"done": {"type": "boolean"}},
        }))?,
        budget: Budget { wall_ms_max: 180_000, ..Budget::default() },
        model: after("--model").unwrap_or("scripted").to_owned(),
        endpoint: Endpoint {
            base: base.clone(),
            protocol: *driver.protocols().first().ok_or("it speaks nothing")?,
            key: Key::None,
        },
    };
    let agent =
        Program::new(key, "scripted", *driver, Path::new(agents), Arc::new(Prices::built_in()));
    let cancel = Cancel::new()?;
    let place = AgentSandbox {
        slot: &slot,
        mechanism: Mechanism::Namespaces,
        least: Level::KernelIsolated,
        mounts: &mounts,
        environment: &[],
        folder: system::WORK,
        tools: &[],
        conversation: None,
        cancel: &cancel,
    };
    let outcome = std::thread::scope(|scope| {
        let (begun, heard) = mpsc::channel::<()>();
        let (over, running) = mpsc::channel::<()>();
        let cancel = &cancel;
        scope.spawn(move || {
            let is_begun = heard.recv().is_ok();
            // A second for the command to be at work, unless the run ends before.
            let still = running.recv_timeout(Duration::from_secs(1));
            if is_begun && still == Err(mpsc::RecvTimeoutError::Timeout) {
                cancel.cancel();
            }
        });
        let outcome = agent.carry_out(&assignment, &place, &mut |event| {
            say(&event);
            if let (Event::ToolUse { detail, .. }, Some(words)) = (&event, after("--cancel-at"))
                && detail.contains(words)
            {
                let _ = begun.send(());
            }
        });
        drop((begun, over));
        outcome
    });
    let mut left = BTreeMap::new();
    for entry in fs::read_dir(&work)? {
        let entry = entry?;
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        left.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    say(&json!({"outcome": outcome, "work": left}));
    Ok(())
}

fn say(what: &impl serde::Serialize) {
    let line = serde_json::to_string(what).unwrap_or_default();
    // Whoever stopped reading does not want to know.
    let _ = writeln!(io::stdout().lock(), "{line}");
}

const USAGE: &str = "drive AGENT AGENTS_FOLDER MODEL_URL BRIEF_FILE [--model NAME] [--read-only] \
                     [--cancel-at WORDS]";

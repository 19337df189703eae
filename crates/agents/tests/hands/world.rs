//! A place to work in, and an assignment.

use std::fs;
use std::path::{Path, PathBuf};

use sealwright_agents::{
    Agent, AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Endpoint, Event, Key,
    Protocol,
};
use sealwright_kernel::{Level, Role};
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlot, SandboxSlots, probe};
use serde_json::json;

/// A slot, and a folder that is seen as `/work`.
pub(crate) struct World {
    folder: tempfile::TempDir,
    slots: SandboxSlots,
    slot: SandboxSlot,
    pub(crate) cancel: Cancel,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let launcher = Path::new(env!("CARGO_BIN_EXE_agents-launcher"));
        let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), launcher).unwrap();
        let slot = slots.take().unwrap();
        let work = folder.path().join("work");
        fs::create_dir(&work).unwrap();
        if let Some(user) = slot.run_as() {
            std::os::unix::fs::chown(&work, Some(user), Some(user)).unwrap();
        }
        Self { folder, slots, slot, cancel: Cancel::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The best walls there are on this machine, with namespaces or without.
    pub(crate) fn mechanism(&self) -> Mechanism {
        let report = probe::first_good(&self.slots).unwrap();
        report.best().map_or(Mechanism::Nothing, |tried| tried.mechanism.clone())
    }

    pub(crate) fn carry_out(
        &self,
        agent: &dyn Agent,
        assignment: &Assignment,
        mechanism: Mechanism,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome {
        let mounts = [Mount {
            source: self.path("work"),
            at: "/work".to_owned(),
            access: Access::ReadWrite,
            need: Need::Required,
        }];
        let place = AgentSandbox {
            slot: &self.slot,
            mechanism,
            least: Level::Advisory,
            mounts: &mounts,
            environment: &[],
            folder: "/work",
            tools: &[],
            conversation: None,
            cancel: &self.cancel,
        };
        agent.carry_out(assignment, &place, hear)
    }
}

pub(crate) fn assignment(wall_ms_max: u64) -> Assignment {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["done"],
        "properties": {"done": {"type": "boolean"}},
    });
    Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief: "Build it.".to_owned(),
        access: sealwright_kernel::Access::Write,
        schema: AnswerSchema::new(schema).unwrap(),
        budget: Budget { wall_ms_max, ..Budget::default() },
        model: String::new(),
        endpoint: Endpoint { base: String::new(), protocol: Protocol::OpenaiChat, key: Key::None },
    }
}

fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

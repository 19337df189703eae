//! A place to work in, and an assignment.

use std::fs;
use std::path::{Path, PathBuf};

use sealwright_agents::{
    Agent, AnswerSchema, Assignment, Budget, Endpoint, Event, Key, Outcome, Place, Protocol,
};
use sealwright_kernel::{Level, Role, invocation};
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Cancel, Mechanism, Seat, Seats, probe};
use serde_json::json;

/// A seat, and a folder that is seen as `/work`.
pub(crate) struct World {
    folder: tempfile::TempDir,
    seats: Seats,
    seat: Seat,
    pub(crate) cancel: Cancel,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let stage = Path::new(env!("CARGO_BIN_EXE_agents-stage"));
        let seats = Seats::with_stage(&folder.path().join("seats"), stage).unwrap();
        let seat = seats.take().unwrap();
        let work = folder.path().join("work");
        fs::create_dir(&work).unwrap();
        if let Some(user) = seat.run_as() {
            std::os::unix::fs::chown(&work, Some(user), Some(user)).unwrap();
        }
        Self { folder, seats, seat, cancel: Cancel::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The best walls there are on this machine, with namespaces or without.
    pub(crate) fn mechanism(&self) -> Mechanism {
        let report = probe::first_good(&self.seats).unwrap();
        report.best().map_or(Mechanism::Nothing, |tried| tried.mechanism.clone())
    }

    pub(crate) fn carry_out(
        &self,
        agent: &dyn Agent,
        assignment: &Assignment,
        mechanism: Mechanism,
        hear: &mut dyn FnMut(Event),
    ) -> Outcome {
        let mounts = [Mount {
            source: self.path("work"),
            at: "/work".to_owned(),
            access: Access::ReadWrite,
            need: Need::Required,
        }];
        let place = Place {
            seat: &self.seat,
            mechanism,
            least: Level::Advisory,
            mounts: &mounts,
            environment: &[],
            folder: "/work",
            tools: &[],
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
        role: Role::Builder,
        brief: "Build it.".to_owned(),
        access: invocation::Access::Write,
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

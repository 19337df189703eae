//! Whoever plays in the demonstration: scripts, behind the same walls as any agent.

use sealwright_engine::agents::adapters::script::Script;
use sealwright_engine::agents::{
    Agent as _, Assignment, Budget, End, Endpoint, Failure, Key, Outcome, Place, Protocol,
};
use sealwright_engine::workshop::{Cast, Part, Performance};

use super::project::{Builder, Project};

/// Scripts for every part of one project.
pub(super) struct Scripts {
    pub(super) project: &'static Project,
    pub(super) builder: Builder,
}

impl Cast for Scripts {
    fn play(&self, part: &Part, place: &Place<'_>) -> Performance {
        let agent = "script".to_owned();
        let outcome = self.outcome(part, place);
        Performance { agent, model: String::new(), outcome }
    }
}

impl Scripts {
    fn outcome(&self, part: &Part, place: &Place<'_>) -> Outcome {
        let text = self.project.script(part.key, self.builder);
        let script = text.and_then(|text| Script::parse(part.key.name(), text).ok());
        let Some(script) = script else {
            let why = format!("nobody plays the part `{}` here", part.key.name());
            return Outcome::unspent(End::Failed { failure: Failure::NotStarted, why });
        };
        let assignment = Assignment {
            role: part.role,
            brief: String::new(),
            access: part.access,
            schema: part.schema.clone(),
            budget: Budget { wall_ms_max: WALL_MS_MAX, ..Budget::default() },
            model: String::new(),
            // A script asks no model, so nothing is ever sent there.
            endpoint: Endpoint {
                base: String::new(),
                protocol: Protocol::OpenaiChat,
                key: Key::None,
            },
        };
        script.carry_out(&assignment, place, &mut |_| {})
    }
}

const WALL_MS_MAX: u64 = 60_000;

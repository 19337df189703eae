//! The agents of the demonstration: scripts, in the same sandbox as any agent.

use sealwright_agents::adapters::script::Script;
use sealwright_agents::{
    Agent as _, AgentSandbox, Assignment, Budget, CallOutcome, End, Endpoint, Failure, Key,
    Protocol,
};
use sealwright_factory::task_performer::{AgentCaller, CallRequest, CallResult};

use super::project::{Builder, Project};

pub(super) struct Scripts {
    pub(super) project: &'static Project,
    pub(super) builder: Builder,
}

impl AgentCaller for Scripts {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult {
        let agent = "script".to_owned();
        let outcome = self.outcome(request, sandbox);
        CallResult { agent, model: String::new(), outcome }
    }
}

impl Scripts {
    fn outcome(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallOutcome {
        let text = self.project.script(request.key, self.builder);
        let script = text.and_then(|text| Script::parse(request.key.name(), text).ok());
        let Some(script) = script else {
            let why = format!("the demonstration has no script for `{}`", request.key.name());
            return CallOutcome::unspent(End::Failed { failure: Failure::NotStarted, why });
        };
        let assignment = Assignment {
            task: String::new(),
            call: request.key.name().to_owned(),
            nth: 1,
            role: request.role,
            brief: String::new(),
            access: request.access,
            schema: request.schema.clone(),
            budget: Budget { wall_ms_max: WALL_MS_MAX, ..Budget::default() },
            model: String::new(),
            // A script calls no model.
            endpoint: Endpoint {
                base: String::new(),
                protocol: Protocol::OpenaiChat,
                key: Key::None,
            },
        };
        script.carry_out(&assignment, sandbox, &mut |_| {})
    }
}

const WALL_MS_MAX: u64 = 60_000;

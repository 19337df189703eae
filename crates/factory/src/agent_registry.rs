//! The agent registry: the available agents and the agent assigned to each role. It calls agents for the task
//! performer.
//!
//! ```text
//! request ──▶ role assignment ──▶ brief ──▶ agent in a sandbox ──▶ outcome
//!                                               └── every event ──▶ transcript, listener
//! ```
//!
//! The registry decides nothing: the caller finds out what a call changed.

mod error;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::{
    AgentSandbox, Assignment, BriefError, Briefs, CallOutcome, End, Failure, Key as Signing, find,
};
use sealwright_kernel::{Lane, Role};
use sealwright_sandbox::{Mechanism, SandboxSlots};
use sealwright_store::Layout;

use crate::agent_setup::{self, AgentSetupError, Around, ConfiguredAgent};
use crate::logins::{self, Logins};
use crate::progress::{Call, ProgressEvent, ProgressListener};
use crate::role_calls::Key;
use crate::task_performer::{AgentCaller, CallRequest, CallResult};
use sealwright_config::Config;

pub use error::AgentRegistryError;
use transcript::Transcripts;

pub struct AgentRegistry {
    agents: BTreeMap<String, ConfiguredAgent>,
    assignments: BTreeMap<&'static str, RoleAssignment>,
    briefs: Briefs,
    transcripts: Transcripts,
    listener: Arc<dyn ProgressListener>,
}

/// Whether tasks will be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agents {
    /// A required role without an agent is an error.
    Needed,
    /// No task may be run; what a project does besides needs no agent.
    IfThere,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleAssignment {
    pub role: Role,
    pub agent: String,
    /// The model; empty for agents without one.
    pub model: String,
}

pub struct RegistryInputs<'s> {
    pub config: &'s Config,
    /// The repository; paths in the configuration are relative to it.
    pub root: &'s Path,
    pub layout: &'s Layout,
    /// The templates of what roles are told.
    pub briefs: Briefs,
    /// The sandbox slots in which agent programs are asked for their version.
    pub slots: &'s SandboxSlots,
    pub mechanism: &'s Mechanism,
    /// Overrides the configured builder.
    pub builder: Option<&'s str>,
    pub agents: Agents,
    pub listener: Arc<dyn ProgressListener>,
}

/// The templates of what roles are told, with those that the repository replaces.
pub fn briefs_of(layout: &Layout) -> Result<Briefs, BriefError> {
    let calls = Key::ALL.map(|key| key.call(Lane::default()).brief_input());
    Briefs::with_own(&layout.briefs(), &calls)
}

impl AgentRegistry {
    /// Sets up every configured agent that is available, and assigns one to each role.
    pub fn open(inputs: RegistryInputs<'_>) -> Result<Self, AgentRegistryError> {
        let RegistryInputs {
            config,
            root,
            layout,
            briefs,
            slots,
            mechanism,
            builder,
            agents: need,
            listener,
        } = inputs;
        let names: BTreeSet<&str> =
            config.agents().map(|agent| agent.name.as_str()).chain(builder).collect();
        let mut agents: BTreeMap<String, ConfiguredAgent> = BTreeMap::new();
        let mut absent = BTreeMap::new();
        let found = found(&names, config, slots, mechanism)?;
        let logins = Logins::open().map_err(AgentSetupError::from)?;
        let variable = &agent_setup::variable;
        let around = Around { found: &found, root, variable, logins: &logins };
        for name in names {
            match agent_setup::agent(name, config, &around) {
                Ok(agent) => drop(agents.insert(name.to_owned(), agent)),
                Err(error) => drop(absent.insert(name.to_owned(), error)),
            }
        }
        // A builder asked for by name is not replaced by another agent.
        if let Some((name, error)) = builder.and_then(|name| absent.remove_entry(name)) {
            return Err(AgentRegistryError::Builder { name, source: Box::new(error) });
        }
        let available = agents.keys().cloned().collect();
        let mut assignments = BTreeMap::new();
        for role in Role::ALL {
            let agent = match builder {
                Some(name) if role == Role::Builder || config.agents().next().is_none() => Ok(name),
                _ => sealwright_config::assign(role, config, &available)
                    .map(|it| it.agent.name.as_str()),
            };
            let assignment = agent.map(|name| RoleAssignment {
                role,
                agent: name.to_owned(),
                model: agents.get(name).map(|it| it.model.clone()).unwrap_or_default(),
            });
            match assignment {
                Ok(assignment) => drop(assignments.insert(role.name(), assignment)),
                Err(none) if NEEDED.contains(&role) && need == Agents::Needed => {
                    let absent = absent.into_iter().collect();
                    let installed = agent_setup::installed_kinds();
                    return Err(AgentRegistryError::Empty { role, none, absent, installed });
                }
                Err(_) => {}
            }
        }
        let transcripts = Transcripts::of(layout);
        Ok(Self { agents, assignments, briefs, transcripts, listener })
    }

    /// Whether an agent uses the login of its person.
    pub(crate) fn uses_a_login(&self) -> bool {
        let mut assigned = self.assignments.values().filter_map(|it| self.agents.get(&it.agent));
        assigned.any(|agent| matches!(agent.endpoint.key, Signing::Login(_)))
    }

    /// Whether every role that a task needs has an agent.
    pub fn is_whole(&self) -> bool {
        NEEDED.iter().all(|role| self.assignments.contains_key(role.name()))
    }

    pub fn role_assignments(&self) -> impl Iterator<Item = &RoleAssignment> {
        Role::ALL.iter().filter_map(|role| self.assignments.get(role.name()))
    }

    fn called(&self, request: &CallRequest) -> Result<(&ConfiguredAgent, Call, String), String> {
        let unassigned = || format!("no agent for the role {}", request.role.name());
        let assignment = self.assignments.get(request.role.name()).ok_or_else(unassigned)?;
        let agent = self.agents.get(&assignment.agent).ok_or_else(unassigned)?;
        if let Signing::Login(login) = &agent.endpoint.key {
            // Asked before each call: what was taken back is not used by a task that goes on.
            let allowed = Logins::open().map_err(|error| error.to_string())?.login(login.kind);
            if allowed.as_ref() != Some(login) {
                let name = login.kind.name();
                return Err(format!(
                    "the login of {name} is not used any more; `sealwright login {name}` allows it"
                ));
            }
        }
        let brief =
            self.briefs.write(&request.brief).map_err(|error: BriefError| error.to_string())?;
        let call = Call {
            task: request.task.clone(),
            effect: request.effect.clone(),
            again: request.again,
            part: request.key.name(),
            role: request.role,
            agent: assignment.agent.clone(),
            model: agent.model.clone(),
        };
        Ok((agent, call, brief))
    }
}

impl AgentCaller for AgentRegistry {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult {
        let (agent, call, brief) = match self.called(request) {
            Ok(called) => called,
            Err(why) => {
                let end = End::Failed { failure: Failure::NotStarted, why };
                let (agent, model) = (String::new(), String::new());
                return CallResult { agent, model, outcome: CallOutcome::unspent(end) };
            }
        };
        let (mut transcript, nth) = self.transcripts.begin(request, &call);
        let assignment = Assignment {
            task: request.task.to_string(),
            call: request.key.name().to_owned(),
            nth,
            role: request.role,
            brief,
            access: request.access,
            schema: request.schema.clone(),
            budget: request.budget,
            model: agent.model.clone(),
            endpoint: agent.endpoint.clone(),
        };
        self.listener.on_event(&ProgressEvent::CallStarted { call: &call });
        let outcome = agent.agent.carry_out(&assignment, sandbox, &mut |event| {
            transcript.event(&event);
            self.listener.on_event(&ProgressEvent::CallEvent { call: &call, event: &event });
        });
        transcript.end(&outcome);
        if let Signing::Login(login) = &agent.endpoint.key {
            logins::note_windows(login.kind, &outcome.windows);
        }
        self.listener.on_event(&ProgressEvent::CallEnded { call: &call, outcome: &outcome });
        CallResult { agent: call.agent, model: call.model, outcome }
    }
}

/// The installed programs among the named agents.
fn found(
    names: &BTreeSet<&str>,
    config: &Config,
    slots: &SandboxSlots,
    mechanism: &Mechanism,
) -> Result<Vec<find::Found>, AgentSetupError> {
    let mut kinds = BTreeSet::new();
    for name in names {
        kinds.insert(agent_setup::meant(name, config)?.kind.name());
    }
    let known = kinds.into_iter().filter_map(find::Known::of);
    Ok(agent_setup::look(known, config, slots, mechanism))
}

/// No task can run without these roles.
const NEEDED: [Role; 3] = [Role::Builder, Role::TestAuthor, Role::Challenger];

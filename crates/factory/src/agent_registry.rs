//! The company: everybody who was hired, each in the slot that the configuration gives them. It plays the parts of a
//! task for the workshop.
//!
//! ```text
//! part ──▶ slot (who plays this role) ──▶ brief ──▶ agent, behind walls ──▶ outcome
//!                                                     └── every event ──▶ transcript, listener
//! ```
//!
//! Nothing is decided here: what came of a part is found out by whoever asked for it.

mod error;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::{
    AgentSandbox, Assignment, BriefError, Briefs, CallOutcome, End, Failure, find,
};
use sealwright_kernel::Role;
use sealwright_sandbox::{Mechanism, SandboxSlots};
use sealwright_store::Layout;

use crate::agent_setup::{self, AgentSetupError, Around, ConfiguredAgent};
use crate::config::{self, Config, Why};
use crate::progress::{Call, ProgressEvent, ProgressListener};
use crate::task_performer::{AgentCaller, CallRequest, CallResult};

pub use error::AgentRegistryError;
use transcript::Transcripts;

/// Everybody who can be asked, and who plays what.
pub struct AgentRegistry {
    agents: BTreeMap<String, ConfiguredAgent>,
    slots: BTreeMap<&'static str, RoleAssignment>,
    briefs: Briefs,
    transcripts: Transcripts,
    listener: Arc<dyn ProgressListener>,
}

/// Who plays a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleAssignment {
    /// The role.
    pub role: Role,
    /// Who, by the name the configuration has for them.
    pub agent: String,
    /// The model that is asked; empty for those who ask none.
    pub model: String,
    /// Whose models they run on.
    pub family: String,
    /// Why it is them, in words.
    pub why: String,
}

/// Where a company works.
pub struct RegistryInputs<'s> {
    /// What people decided.
    pub config: &'s Config,
    /// The repository that paths in the configuration begin at.
    pub root: &'s Path,
    /// Where its records are.
    pub layout: &'s Layout,
    /// The slots in which programs are asked what they are.
    pub slots: &'s SandboxSlots,
    /// What the walls around them are made of.
    pub mechanism: &'s Mechanism,
    /// Who builds, if not whom the configuration names.
    pub builder: Option<&'s str>,
    /// Who watches.
    pub listener: Arc<dyn ProgressListener>,
}

impl AgentRegistry {
    /// Hires everybody whom the configuration names and who is there, and gives them their slots. It is an error if a
    /// role that every task needs stays empty.
    pub fn open(inputs: RegistryInputs<'_>) -> Result<Self, AgentRegistryError> {
        let RegistryInputs { config, root, layout, slots, mechanism, builder, listener } = inputs;
        let names: BTreeSet<&str> =
            config.agents().map(|agent| agent.name.as_str()).chain(builder).collect();
        let (mut agents, mut absent) = (BTreeMap::new(), BTreeMap::new());
        let found = found(&names, config, slots, mechanism)?;
        let around = Around { found: &found, root, variable: &agent_setup::variable };
        for name in names {
            match agent_setup::agent(name, config, &around) {
                Ok(hired) => drop(agents.insert(name.to_owned(), hired)),
                Err(error) => drop(absent.insert(name.to_owned(), error)),
            }
        }
        // Who was asked for by name is not replaced by somebody else.
        if let Some((name, error)) = builder.and_then(|name| absent.remove_entry(name)) {
            return Err(AgentRegistryError::Builder { name, source: Box::new(error) });
        }
        let seating = Seating { config, agents: &agents, builder };
        let mut slots = BTreeMap::new();
        for role in Role::ALL {
            match seating.of(role) {
                Ok(seated) => drop(slots.insert(role.name(), seated)),
                Err(source) if NEEDED.contains(&role) => {
                    let absent = absent.into_iter().collect();
                    return Err(AgentRegistryError::Empty { role, source, absent });
                }
                Err(_) => {}
            }
        }
        let briefs = Briefs::with_own(&layout.briefs())?;
        let transcripts = Transcripts::of(layout);
        Ok(Self { agents, slots, briefs, transcripts, listener })
    }

    /// Who plays what, in the order of the roles.
    pub fn role_assignments(&self) -> impl Iterator<Item = &RoleAssignment> {
        Role::ALL.iter().filter_map(|role| self.slots.get(role.name()))
    }

    fn called(&self, request: &CallRequest) -> Result<(&ConfiguredAgent, Call, String), String> {
        let unseated = || format!("nobody plays the {}", request.role.name());
        let seated = self.slots.get(request.role.name()).ok_or_else(unseated)?;
        let hired = self.agents.get(&seated.agent).ok_or_else(unseated)?;
        let brief =
            self.briefs.write(&request.brief).map_err(|error: BriefError| error.to_string())?;
        let call = Call {
            part: request.key.name(),
            role: request.role,
            agent: seated.agent.clone(),
            model: hired.model.clone(),
        };
        Ok((hired, call, brief))
    }
}

impl AgentCaller for AgentRegistry {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult {
        let (hired, call, brief) = match self.called(request) {
            Ok(called) => called,
            Err(why) => {
                let end = End::Failed { failure: Failure::NotStarted, why };
                let (agent, model) = (String::new(), String::new());
                return CallResult { agent, model, outcome: CallOutcome::unspent(end) };
            }
        };
        let assignment = Assignment {
            role: request.role,
            brief,
            access: request.access,
            schema: request.schema.clone(),
            budget: request.budget,
            model: hired.model.clone(),
            endpoint: hired.endpoint.clone(),
        };
        let mut transcript = self.transcripts.begin(request, &call);
        self.listener.on_event(&ProgressEvent::CallStarted { call: &call });
        let outcome = hired.agent.carry_out(&assignment, sandbox, &mut |event| {
            transcript.hears(&event);
            self.listener.on_event(&ProgressEvent::CallEvent { event: &event });
        });
        transcript.ends(&outcome);
        self.listener.on_event(&ProgressEvent::CallEnded { call: &call, outcome: &outcome });
        CallResult { agent: call.agent, model: call.model, outcome }
    }
}

/// Who could take which slot.
struct Seating<'s> {
    config: &'s Config,
    agents: &'s BTreeMap<String, ConfiguredAgent>,
    builder: Option<&'s str>,
}

impl Seating<'_> {
    fn of(&self, role: Role) -> Result<RoleAssignment, config::NoAssignment> {
        if let Some(name) = self.builder
            && (role == Role::Builder || self.config.agents().next().is_none())
        {
            return Ok(self.seated(role, name, "it was asked for by name".to_owned()));
        }
        let available: BTreeSet<String> = self.agents.keys().cloned().collect();
        let choice = config::slot(role, self.config, &available)?;
        let why = match choice.why {
            Why::Named
            | Why::NamedForOthers
            | Why::FirstByName
            | Why::OtherFamily { .. }
            | Why::NoOtherFamily { .. } => choice.why.to_string(),
        };
        Ok(self.seated(role, &choice.agent.name, why))
    }

    fn seated(&self, role: Role, name: &str, why: String) -> RoleAssignment {
        let hired = self.agents.get(name);
        RoleAssignment {
            role,
            agent: name.to_owned(),
            model: hired.map(|it| it.model.clone()).unwrap_or_default(),
            family: hired.map(|it| it.agent.family().to_owned()).unwrap_or_default(),
            why,
        }
    }
}

/// What is there of the programs among those who are named.
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

/// Without these no task can be carried out.
const NEEDED: [Role; 2] = [Role::Builder, Role::Challenger];

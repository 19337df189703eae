//! The company: everybody who was hired, each in the seat that the configuration gives them. It plays the parts of a
//! task for the workshop.
//!
//! ```text
//! part ──▶ seat (who plays this role) ──▶ brief ──▶ agent, behind walls ──▶ outcome
//!                                                     └── every event ──▶ transcript, onlooker
//! ```
//!
//! Nothing is decided here: what came of a part is found out by whoever asked for it.

mod error;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::{Assignment, BriefError, Briefs, End, Failure, Outcome, Place, find};
use sealwright_kernel::Role;
use sealwright_sandbox::{Mechanism, Seats};
use sealwright_store::Layout;

use crate::config::{self, Config, Why};
use crate::crew::{self, Around, HireError, Hired};
use crate::onlooker::{Call, Onlooker, Sight};
use crate::workshop::{Cast, Part, Performance};

pub use error::CompanyError;
use transcript::Transcripts;

/// Everybody who can be asked, and who plays what.
pub struct Company {
    players: BTreeMap<String, Hired>,
    seats: BTreeMap<&'static str, Seated>,
    briefs: Briefs,
    transcripts: Transcripts,
    onlooker: Arc<dyn Onlooker>,
}

/// Who plays a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
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
pub struct Stage<'s> {
    /// What people decided.
    pub config: &'s Config,
    /// The repository that paths in the configuration begin at.
    pub root: &'s Path,
    /// Where its records are.
    pub layout: &'s Layout,
    /// The seats in which programs are asked what they are.
    pub seats: &'s Seats,
    /// What the walls around them are made of.
    pub mechanism: &'s Mechanism,
    /// Who builds, if not whom the configuration names.
    pub builder: Option<&'s str>,
    /// Who watches.
    pub onlooker: Arc<dyn Onlooker>,
}

impl Company {
    /// Hires everybody whom the configuration names and who is there, and gives them their seats. It is an error if a
    /// role that every task needs stays empty.
    pub fn gather(stage: Stage<'_>) -> Result<Self, CompanyError> {
        let Stage { config, root, layout, seats, mechanism, builder, onlooker } = stage;
        let names: BTreeSet<&str> =
            config.agents().map(|agent| agent.name.as_str()).chain(builder).collect();
        let (mut players, mut absent) = (BTreeMap::new(), BTreeMap::new());
        let found = found(&names, config, seats, mechanism)?;
        let around = Around { found: &found, root, variable: &crew::variable };
        for name in names {
            match crew::agent(name, config, &around) {
                Ok(hired) => drop(players.insert(name.to_owned(), hired)),
                Err(error) => drop(absent.insert(name.to_owned(), error)),
            }
        }
        // Who was asked for by name is not replaced by somebody else.
        if let Some((name, error)) = builder.and_then(|name| absent.remove_entry(name)) {
            return Err(CompanyError::Builder { name, source: Box::new(error) });
        }
        let seating = Seating { config, players: &players, builder };
        let mut seats = BTreeMap::new();
        for role in Role::ALL {
            match seating.of(role) {
                Ok(seated) => drop(seats.insert(role.name(), seated)),
                Err(source) if NEEDED.contains(&role) => {
                    let absent = absent.into_iter().collect();
                    return Err(CompanyError::Empty { role, source, absent });
                }
                Err(_) => {}
            }
        }
        let briefs = Briefs::with_own(&layout.briefs())?;
        let transcripts = Transcripts::of(layout);
        Ok(Self { players, seats, briefs, transcripts, onlooker })
    }

    /// Who plays what, in the order of the roles.
    pub fn seated(&self) -> impl Iterator<Item = &Seated> {
        Role::ALL.iter().filter_map(|role| self.seats.get(role.name()))
    }

    fn call(&self, part: &Part) -> Result<(&Hired, Call, String), String> {
        let unseated = || format!("nobody plays the {}", part.role.name());
        let seated = self.seats.get(part.role.name()).ok_or_else(unseated)?;
        let hired = self.players.get(&seated.agent).ok_or_else(unseated)?;
        let brief =
            self.briefs.write(&part.brief).map_err(|error: BriefError| error.to_string())?;
        let call = Call {
            part: part.key.name(),
            role: part.role,
            agent: seated.agent.clone(),
            model: hired.model.clone(),
        };
        Ok((hired, call, brief))
    }
}

impl Cast for Company {
    fn play(&self, part: &Part, place: &Place<'_>) -> Performance {
        let (hired, call, brief) = match self.call(part) {
            Ok(called) => called,
            Err(why) => {
                let end = End::Failed { failure: Failure::NotStarted, why };
                let (agent, model) = (String::new(), String::new());
                return Performance { agent, model, outcome: Outcome::unspent(end) };
            }
        };
        let assignment = Assignment {
            role: part.role,
            brief,
            access: part.access,
            schema: part.schema.clone(),
            budget: part.budget,
            model: hired.model.clone(),
            endpoint: hired.endpoint.clone(),
        };
        let mut transcript = self.transcripts.begin(part, &call);
        self.onlooker.sees(&Sight::Called { call: &call });
        let outcome = hired.agent.carry_out(&assignment, place, &mut |event| {
            transcript.hears(&event);
            self.onlooker.sees(&Sight::Does { event: &event });
        });
        transcript.ends(&outcome);
        self.onlooker.sees(&Sight::Played { call: &call, outcome: &outcome });
        Performance { agent: call.agent, model: call.model, outcome }
    }
}

/// Who could take which seat.
struct Seating<'s> {
    config: &'s Config,
    players: &'s BTreeMap<String, Hired>,
    builder: Option<&'s str>,
}

impl Seating<'_> {
    fn of(&self, role: Role) -> Result<Seated, config::NoSeat> {
        if let Some(name) = self.builder
            && (role == Role::Builder || self.config.agents().next().is_none())
        {
            return Ok(self.seated(role, name, "it was asked for by name".to_owned()));
        }
        let available: BTreeSet<String> = self.players.keys().cloned().collect();
        let choice = config::seat(role, self.config, &available)?;
        let why = match choice.why {
            Why::Named
            | Why::NamedForOthers
            | Why::FirstByName
            | Why::OtherFamily { .. }
            | Why::NoOtherFamily { .. } => choice.why.to_string(),
        };
        Ok(self.seated(role, &choice.agent.name, why))
    }

    fn seated(&self, role: Role, name: &str, why: String) -> Seated {
        let hired = self.players.get(name);
        Seated {
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
    seats: &Seats,
    mechanism: &Mechanism,
) -> Result<Vec<find::Found>, HireError> {
    let mut kinds = BTreeSet::new();
    for name in names {
        kinds.insert(crew::meant(name, config)?.kind.name());
    }
    let known = kinds.into_iter().filter_map(find::Known::of);
    Ok(crew::look(known, config, seats, mechanism))
}

/// Without these no task can be carried out.
const NEEDED: [Role; 2] = [Role::Builder, Role::Challenger];

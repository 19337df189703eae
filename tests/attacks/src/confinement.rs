//! The interface of a confinement, and the run of one attack in it.
//!
//! `control` has a confinement without a sandbox; the real ones implement the same trait.

use std::path::Path;

use anyhow::Result;

use crate::attack::{AGENT_EXIT, Attack, Follow, Judge};
use crate::ended::Ended;
use crate::fixture::Round;
use crate::fixture_setup::{FixtureSetup, Ownership};

/// Runs an attack as an agent and handles the agent's files.
///
/// `run` starts a separate launcher process that calls [`crate::surroundings::let_slip`] before it confines anything,
/// so that there is something to leak.
pub trait Confinement {
    /// Its name in tables.
    fn name(&self) -> String;

    /// The `attacks` program, which is copied into every fixture.
    fn program(&self) -> &Path;

    /// The owner of the files that the agent must not touch: the worst case, unless the confinement separates users.
    fn ownership(&self) -> Ownership {
        Ownership::Agent
    }

    /// Runs the attack once in its setting, and returns when the run is over.
    fn run(&self, set: &FixtureSetup, attack: &Attack, round: Round) -> Result<Ran>;

    /// Does what the host does after a run. Files taken out go to [`FixtureSetup::taken`].
    fn afterwards(&self, set: &FixtureSetup, attack: &Attack) -> Result<Took>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The kept output.
    pub stdout: Vec<u8>,
    /// Its end as the confinement reports it.
    pub exit: Exit,
    pub timed_out: bool,
    pub truncated: bool,
    /// Processes of the run that survived it.
    pub survivors: usize,
}

/// The end of a run as its launcher reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    Unknown,
}

/// How the host handled the agent's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Took {
    Done,
    /// It refused something with this message.
    Refused(String),
    /// It did not finish in time.
    Hung,
}

/// Runs one attack from a new fixture to the verdict.
pub fn run_attack(confinement: &dyn Confinement, attack: &Attack) -> Result<Ended> {
    let set = FixtureSetup::build(attack, confinement.program(), confinement.ownership())?;
    let mut ran = confinement.run(&set, attack, Round::First)?;
    let took = match attack.then {
        Follow::Nothing => Took::Done,
        Follow::RunAgain => {
            ran = confinement.run(&set, attack, Round::Second)?;
            Took::Done
        }
        Follow::Collect
        | Follow::Commit
        | Follow::CommitApart
        | Follow::StatusBelow
        | Follow::Materialise
        | Follow::MountTests => confinement.afterwards(&set, attack)?,
    };
    Ok(verdict(attack, &set, &ran, &took))
}

/// Asks the judge of the attack; a run without output proves nothing.
fn verdict(attack: &Attack, set: &FixtureSetup, ran: &Ran, took: &Took) -> Ended {
    let said = said_inside(ran);
    let Judge::Outside(look) = attack.judge else { return said };
    if *took == Took::Hung {
        return Ended::Succeeded {
            what: "the host is stuck with what was left for it".to_string(),
        };
    }
    match (look(set, ran), said, took) {
        (Some(what), _, _) => Ended::Succeeded { what },
        (None, Ended::Void { why }, _) => Ended::Void { why },
        (None, Ended::Stopped { by }, _) => Ended::Stopped { by },
        (None, Ended::Succeeded { .. }, Took::Refused(why)) => {
            Ended::Stopped { by: format!("refused: {why}") }
        }
        (None, Ended::Succeeded { what }, Took::Done | Took::Hung) => {
            Ended::Stopped { by: format!("nothing came of it outside ({what})") }
        }
    }
}

fn said_inside(ran: &Ran) -> Ended {
    if let Some(ended) = Ended::find(&ran.stdout) {
        return ended;
    }
    match ran.exit {
        _ if ran.timed_out => Ended::Stopped { by: "the time limit".to_string() },
        Exit::Signal(signal) => Ended::Stopped { by: format!("killed by signal {signal}") },
        // The line may be in the dropped part of the output.
        Exit::Code(AGENT_EXIT) if ran.truncated => {
            Ended::Stopped { by: "its output was cut".to_string() }
        }
        Exit::Code(code) => Ended::Void { why: format!("it said nothing and exited with {code}") },
        Exit::Unknown => {
            Ended::Void { why: "it said nothing, and how it ended is not known".to_string() }
        }
    }
}

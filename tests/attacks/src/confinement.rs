//! What a confinement has to offer, and how one attack is played in it.
//!
//! A confinement is what stands between the agent and the host. `control` has one that builds no walls at all; the
//! real ones are plugged in here.

use std::path::Path;

use anyhow::Result;

use crate::attack::{AGENT_EXIT, Attack, Follow, Judge};
use crate::ended::Ended;
use crate::scene::Round;
use crate::stage_set::{Ownership, StageSet};

/// Something that runs an attack as an agent and deals with what it left behind.
///
/// `run` starts a launcher process of its own that calls [`crate::surroundings::let_slip`] before it confines
/// anything, so that there is something to leak; the harness itself would have to be clean again for the next run.
pub trait Confinement {
    /// Its name in tables.
    fn name(&self) -> String;

    /// The `attacks` program, of which every set gets a copy.
    fn program(&self) -> &Path;

    /// To whom the things belong that the agent must not touch. The worst case, unless the confinement is one that
    /// separates users and says so.
    fn ownership(&self) -> Ownership {
        Ownership::Agent
    }

    /// Runs the attack once, in the setting it asks for, and returns when the run is over by its own rules.
    fn run(&self, set: &StageSet, attack: &Attack, round: Round) -> Result<Ran>;

    /// Does what the host does after a run. What is taken out goes to [`StageSet::taken`].
    fn afterwards(&self, set: &StageSet, attack: &Attack) -> Result<Took>;
}

/// What was seen of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// What was kept of its output.
    pub stdout: Vec<u8>,
    /// How it ended, as the confinement reports it.
    pub exit: Exit,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Whether output was dropped.
    pub truncated: bool,
    /// Processes of the run that were still there after it.
    pub survivors: usize,
}

/// How a run ended, as its launcher reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Nobody can say.
    Unknown,
}

/// How the host fared with what the agent left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Took {
    /// It did what it does.
    Done,
    /// It refused something, and said this.
    Refused(String),
    /// It was still busy when its time was over.
    Hung,
}

/// Plays one attack from an empty stage to the verdict.
pub fn play(confinement: &dyn Confinement, attack: &Attack) -> Result<Ended> {
    let set = StageSet::build(attack, confinement.program(), confinement.ownership())?;
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

/// Who is asked whether it worked depends on the attack; a run that said nothing proves nothing.
fn verdict(attack: &Attack, set: &StageSet, ran: &Ran, took: &Took) -> Ended {
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
        // The line may be in the part of the output that was dropped.
        Exit::Code(AGENT_EXIT) if ran.truncated => {
            Ended::Stopped { by: "its output was cut".to_string() }
        }
        Exit::Code(code) => Ended::Void { why: format!("it said nothing and exited with {code}") },
        Exit::Unknown => {
            Ended::Void { why: "it said nothing, and how it ended is not known".to_string() }
        }
    }
}

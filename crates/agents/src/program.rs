//! Agents that are programs: started inside walls, read line by line, and watched from outside.
//!
//! ```text
//! driver.launch ──▶ plan ──▶ seat.run ──▶ lines ──▶ reader ──▶ events
//!                               │
//!                               └──▶ egress ──▶ /model: the model, signed by the host
//!                                          └──▶ /tools: the desk, where the answer is handed in
//! ```
//!
//! A driver is one file and pure: how its agent is started, and what its lines mean. Turns are counted where they
//! pass, at the egress proxy, because not every agent tells.

mod lines;
mod watch;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use sealwright_sandbox::egress::Policy;
use sealwright_sandbox::plan::{EGRESS_PORT, Network, Plan};
use sealwright_sandbox::{Ended, Terms, system};

pub use lines::{LINE_BYTES_MAX, Lines};
use watch::{Ear, Guard};

use crate::home::Home;
use crate::outcome::Cut;
use crate::tools::{SubmitResult, Tool};
use crate::trouble::Trouble;
use crate::{
    Agent, Assignment, Desk, Endpoint, Event, Failure, Outcome, Place, Prices, Protocol, Said,
    conclude, trail, way_out,
};

/// How one kind of agent is started, and what its lines mean. Pure.
pub trait Driver: Send + Sync {
    /// The name of the kind.
    fn key(&self) -> &'static str;

    /// What it can speak to a model; the first is what it speaks best.
    fn protocols(&self) -> &'static [Protocol];

    /// How it is started.
    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch;

    /// Reads what it says.
    fn reader(&self) -> Box<dyn Reader>;
}

/// What one agent says, line by line. Whatever comes in, it neither panics nor grows without bound.
pub trait Reader: Send {
    /// Takes the next line.
    fn line(&mut self, line: &str, hear: &mut dyn FnMut(Event));

    /// What the agent says of its end; `complaints` is the end of its standard error.
    fn said(&mut self, complaints: &str) -> Said;
}

/// The addresses an agent finds inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Where the model answers, without the version.
    pub model: String,
    /// Where the role tools are, as streamable HTTP.
    pub tools: String,
}

/// How an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its words.
    pub argv: Vec<String>,
    /// What it finds in its environment, beside what everybody finds.
    pub environment: BTreeMap<String, String>,
    /// Files in its home, by path.
    pub files: Vec<(String, String)>,
    /// What it reads.
    pub input: String,
}

/// An agent that is a program of this machine.
pub struct Program {
    key: String,
    family: String,
    driver: Box<dyn Driver>,
    /// The folder that holds it, with its program in `bin`.
    installed: PathBuf,
    prices: Arc<Prices>,
}

impl Program {
    /// An agent of this kind, installed in this folder.
    pub fn new(
        key: &str,
        family: &str,
        driver: Box<dyn Driver>,
        installed: &Path,
        prices: Arc<Prices>,
    ) -> Self {
        Self {
            key: key.to_owned(),
            family: family.to_owned(),
            driver,
            installed: installed.to_owned(),
            prices,
        }
    }

    fn attempt(
        &self,
        assignment: &Assignment,
        place: &Place<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Result<Outcome, Trouble> {
        if !place.mechanism.has_own_network() {
            return Err(Trouble::Walls(
                "agents that are programs need walls with a network of their own".to_owned(),
            ));
        }
        let (submit, answer) = SubmitResult::new(assignment.schema.clone());
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(submit)];
        tools.extend(place.tools.iter().cloned());
        let desk = Desk::open(tools)?;
        let launch = self.driver.launch(assignment, &Ways::inside());
        let home = Home::make(place, &launch.files)?;
        let plan = self.plan(assignment, place, &launch, &home)?;
        let policy = policy(&assignment.endpoint, &desk);
        let guard = Guard::new(assignment.budget, place.cancel);
        let mut ear = Ear::new(&guard, assignment, &self.prices, self.driver.reader(), hear);
        let mut terms = Terms::new(place.mechanism.clone(), place.least);
        terms.cancel = Some(place.cancel);
        terms.input = Some(input(&launch.input)?);
        terms.way_out = Some(Box::new(|listener| guard.open(listener, &policy)));
        terms.listener = Some(Box::new(|piece| ear.take(piece)));
        let ran = std::thread::scope(|scope| {
            let (running, over) = mpsc::channel();
            let (guard, answer) = (&guard, &answer);
            scope.spawn(move || guard.look_after(&over, answer));
            let ran = place.seat.run(&plan, terms);
            drop(running);
            ran
        })?;
        let complaints = String::from_utf8_lossy(&ran.stderr.kept).into_owned();
        let said = match (ran.ended, ear.said(&complaints)) {
            (Ended::OutOfRoom, _) => died("it wrote more than it may"),
            (Ended::Vanished, Said::Nothing) => {
                died("the kernel ended it, most often for want of memory")
            }
            (_, said) => said,
        };
        let mut spent = ear.spent;
        let calls = desk.close();
        let (cut, turns, way_out, trouble) = guard.end();
        if let Some(trouble) = trouble {
            return Err(Trouble::NotStarted(trouble));
        }
        (spent.turns, spent.wall_ms) =
            (turns, u64::try_from(ran.wall.as_millis()).unwrap_or(u64::MAX));
        Ok(Outcome {
            // What was seen at the way out counts more than what the agent makes of it.
            end: conclude(
                cut.or(Cut::of(ran.ended)),
                answer.get(),
                trail::last_refusal(&way_out, MODEL).unwrap_or(said),
            ),
            spent,
            confinement: Some(ran.confinement),
            leftovers: ran.leftovers,
            calls,
            way_out,
        })
    }

    fn plan(
        &self,
        assignment: &Assignment,
        place: &Place<'_>,
        launch: &Launch,
        home: &Home,
    ) -> io::Result<Plan> {
        let mut plan = home.plan(place, &assignment.budget, &launch.argv)?;
        system::add_tool(&mut plan, &self.installed, INSTALLED)?;
        plan.network = Network::Egress;
        // What is asked of the way out itself does not go through a proxy.
        for name in ["NO_PROXY", "no_proxy"] {
            plan.environment.insert(name.to_owned(), "127.0.0.1,localhost,::1".to_owned());
        }
        plan.environment.extend(launch.environment.clone());
        Ok(plan)
    }
}

impl Agent for Program {
    fn key(&self) -> &str {
        &self.key
    }

    fn family(&self) -> &str {
        &self.family
    }

    fn carry_out(
        &self,
        assignment: &Assignment,
        place: &Place<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Outcome {
        self.attempt(assignment, place, hear).unwrap_or_else(Outcome::from)
    }
}

impl Ways {
    /// Where they are behind the egress proxy.
    pub(crate) fn inside() -> Self {
        let at = |name: &str| format!("http://127.0.0.1:{EGRESS_PORT}/{name}");
        Self { model: at(MODEL), tools: at(TOOLS) + "/mcp" }
    }
}

fn died(why: &str) -> Said {
    Said::Failed { failure: Failure::Died, why: why.to_owned() }
}

/// A pipe that holds the whole text, or a thread that feeds it.
fn input(text: &str) -> io::Result<std::os::fd::OwnedFd> {
    use std::io::Write as _;
    let (reader, mut writer) = io::pipe()?;
    let text = text.to_owned();
    // An agent that does not read does not hold anybody up: the pipe breaks when it is gone.
    std::thread::Builder::new().name("brief".to_owned()).spawn(move || {
        let _ = writer.write_all(text.as_bytes());
    })?;
    Ok(reader.into())
}

/// What an agent may reach: its model and its desk.
fn policy(endpoint: &Endpoint, desk: &Desk) -> Policy {
    let upstreams = vec![way_out::to_model(MODEL, endpoint), way_out::to_desk(TOOLS, desk)];
    Policy { upstreams, ..Policy::default() }
}

/// Where an agent is installed, inside.
const INSTALLED: &str = "/opt/agent";
/// What is asked of the model passes under this name.
const MODEL: &str = "model";
const TOOLS: &str = "tools";

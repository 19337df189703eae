//! Agents that are programs: started inside walls, talked with line by line, and watched from outside.
//!
//! ```text
//!                             ┌──◀── mouth ◀── answers ──┐
//! driver.launch ──▶ plan ──▶ slot.run ──▶ lines ──▶ driver.talk ──▶ events
//!                               │
//!                               └──▶ egress ──▶ /model: the model, signed by the host
//!                                          └──▶ /tools: the tool server, where the answer is handed in
//! ```
//!
//! A driver is one file and pure: how its agent is started, and what its lines mean. There are two ways to talk: an
//! agent is told everything at once and then only heard, or it is answered line by line. Turns are counted where they
//! pass, at the egress proxy, because not every agent tells.

#[cfg(test)]
mod hostile;
mod lines;
mod mouth;
mod watch;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use sealwright_sandbox::egress::Policy;
use sealwright_sandbox::plan::{Access, EGRESS_PORT, Mount, Network, Plan};
use sealwright_sandbox::{Ended, Terms, system};

pub use lines::{LINE_BYTES_MAX, Lines};
use mouth::Mouth;
use watch::{Ear, Guard, Parting};

use crate::agent_error::Trouble;
use crate::conversation::{self, Kept, Storage, Whose};
use crate::home::{HOME, Home};
use crate::login::{Handed, LoginSigner};
use crate::outcome::Cut;
use crate::tools::{SubmitResult, Tool, allowance};
use crate::{
    Agent, AgentSandbox, Assignment, CallOutcome, End, Event, Failure, Prices, Protocol, Said,
    ToolServer, conclude, egress_policy, egress_record,
};

/// How one kind of agent is started, and what its lines mean. Pure.
pub trait Driver: Send + Sync {
    fn key(&self) -> &'static str;

    /// What its program is called; the first that is installed is taken.
    fn programs(&self) -> &'static [&'static str];

    /// What it can speak to a model; the first is what it speaks best.
    fn protocols(&self) -> &'static [Protocol];

    /// Folders and files at the top of the tree that it would take settings or instructions from, and in no other way can be
    /// kept from. It sees them empty.
    fn hides(&self) -> &'static [&'static str] {
        &[]
    }

    /// Where its home holds a conversation; nothing if it cannot go on with one.
    fn storage(&self) -> Option<Storage> {
        None
    }

    fn launch(&self, assignment: &Assignment, ways: &Ways) -> Launch;

    fn talk(&self, assignment: &Assignment, ways: &Ways) -> Talk;
}

pub enum Talk {
    /// It is told everything at once, and then only heard.
    Told { input: String, reader: Box<dyn Reader> },
    /// It asks and is answered until its turn is over.
    Dialogue(Box<dyn Dialogue>),
}

/// What one agent says, line by line. Whatever comes in, it neither panics nor grows without bound.
pub trait Reader: Send {
    fn line(&mut self, line: &str, hear: &mut dyn FnMut(Event));

    /// What the agent says of its end; `complaints` is the end of its standard error.
    fn said(&mut self, complaints: &str) -> Said;

    /// The name that the agent has for this conversation, if it told one.
    fn session(&self) -> Option<&str>;
}

/// Our side of a conversation with one agent. Whatever comes in, it neither panics nor grows without bound, and it
/// says no more than a line for a line.
pub trait Dialogue: Send {
    /// The first thing that is said, with its line break.
    fn opening(&mut self) -> String;

    fn line(&mut self, line: &str, hear: &mut dyn FnMut(Event)) -> Course;

    /// What the agent says of its end; `complaints` is the end of its standard error.
    fn said(&mut self, complaints: &str, hear: &mut dyn FnMut(Event)) -> Said;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    Listen,
    /// Something has to be said, with its line break.
    Say(String),
    /// The conversation is over; the agent may go.
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Where the model answers, without the version.
    pub model: String,
    /// Where the role tools are, as streamable HTTP.
    pub tools: String,
    pub folder: String,
    /// Its home, which is its own for this run.
    pub home: String,
    pub talks: Talks,
    /// The token of a login that it signs its requests with itself.
    pub handed: Option<Handed>,
}

/// How this call belongs to others of the same role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talks {
    /// It does not.
    Once,
    /// Others may follow, so what is said is stored.
    Begins,
    /// It goes on where an earlier one ended.
    GoesOn(Box<Kept>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The words after the program.
    pub words: Vec<String>,
    /// What it finds in its environment, beside the variables of every run.
    pub environment: BTreeMap<String, String>,
    /// Files in its home, by path.
    pub files: Vec<(String, String)>,
}

pub struct Program {
    key: String,
    family: String,
    driver: &'static dyn Driver,
    /// The folder that holds it, with its program in `bin`.
    installed: PathBuf,
    prices: Arc<Prices>,
}

impl Program {
    /// An agent of this kind, installed in this folder.
    pub fn new(
        key: &str,
        family: &str,
        driver: &'static dyn Driver,
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

    /// Carries an assignment out in the role's conversation, if there is one, or else in a new one.
    fn attempt(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Result<CallOutcome, Trouble> {
        let Some((file, _)) = place.conversation.zip(self.driver.storage()) else {
            return self.run(assignment, place, Talks::Once, hear);
        };
        let whose = Whose::of(&self.key, self.driver.key(), assignment);
        let Some(kept) = Kept::of(file, &whose) else {
            return self.run(assignment, place, Talks::Begins, hear);
        };
        hear(Event::GoesOn { bytes: kept.text.len() as u64, digest: kept.digest().to_string() });
        let mut again = assignment.clone();
        again.brief = format!("{GOES_ON}\n\n{}", assignment.brief);
        let outcome = self.run(&again, place, Talks::GoesOn(Box::new(kept)), hear)?;
        if !is_lost(&outcome) {
            return Ok(outcome);
        }
        conversation::forget(file);
        let left = assignment.budget.wall_ms_max.saturating_sub(outcome.spent.wall_ms);
        if outcome.spent.turns > 0 || left == 0 {
            return Ok(outcome);
        }
        // It asked its model nothing, so the conversation is what it could not go on with.
        again.brief.clone_from(&assignment.brief);
        again.budget.wall_ms_max = left;
        Ok(self.run(&again, place, Talks::Begins, hear)?.after(outcome))
    }

    fn run(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        talks: Talks,
        hear: &mut dyn FnMut(Event),
    ) -> Result<CallOutcome, Trouble> {
        if !place.mechanism.has_own_network() {
            return Err(Trouble::Isolation(
                "agents that are programs need walls with a network of their own".to_owned(),
            ));
        }
        let (submit, answer) = SubmitResult::new(assignment.schema.clone());
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(submit)];
        tools.extend(allowance::of(assignment.role, place.tools));
        let tool_server = ToolServer::open(tools)?;
        let login = assignment.endpoint.key.login();
        let signer = login.map(|login| LoginSigner::new(login.clone()));
        let handed = match signer.as_ref().map(|signer| signer.hand()).transpose() {
            Ok(handed) => handed.flatten(),
            Err(error) => return Ok(CallOutcome::without_login(&error)),
        };
        let ways = Ways { talks, handed: handed.clone(), ..Ways::inside(place.folder) };
        let launch = self.driver.launch(assignment, &ways);
        let mut files = launch.files.clone();
        if let Talks::GoesOn(kept) = &ways.talks {
            files.push((kept.path.clone(), kept.text.clone()));
        }
        let home = Home::make(place, &files)?;
        let plan = self.plan(assignment, place, &launch, &home)?;
        let policy = policy(assignment, &tool_server, signer.as_ref());
        if let Some(login) = login
            && plan.mounts.iter().any(|mount| login.file.starts_with(&mount.source))
        {
            return Err(Trouble::Isolation(format!(
                "`{}` is in a folder that the agent sees; keep the login apart from its program",
                login.file.display()
            )));
        }
        let is_said = Cell::new(false);
        let hear = &mut |event: Event| {
            let Some(handed) = &handed else { return hear(event) };
            let plain = handed.hidden_event(event.clone());
            is_said.set(is_said.get() || plain != event);
            hear(plain);
        };
        let guard = Guard::new(assignment.budget, place.cancel);
        let (input, mouth) = Mouth::open()?;
        let talk = self.driver.talk(assignment, &ways);
        let mut ear = Ear::new(&guard, assignment, &self.prices, talk, mouth, hear);
        let mut terms = Terms::new(place.mechanism.clone(), place.least);
        terms.cancel = Some(place.cancel);
        terms.input = Some(input);
        terms.way_out = Some(Box::new(|listener| guard.open(listener, &policy)));
        terms.listener = Some(Box::new(|piece| ear.take(piece)));
        let ran = std::thread::scope(|scope| {
            let (running, over) = mpsc::channel();
            let (guard, answer) = (&guard, &answer);
            scope.spawn(move || guard.look_after(&over, answer));
            let ran = place.slot.run(&plan, terms);
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
        let (mut spent, session) = (ear.spent, ear.session());
        let calls = tool_server.close();
        let ending = guard.end();
        if let Some(trouble) = ending.trouble {
            return Err(Trouble::NotStarted(trouble));
        }
        let said = match (egress_record::last_refusal(&ending.way_out, MODEL), ending.is_hopeless) {
            // What was seen at the way out counts more than what the agent makes of it.
            (Some(seen), _) => seen,
            (None, true) if answer.is_hopeless() => Said::Failed {
                failure: Failure::WrongShape,
                why: "what it handed in never had the shape that was asked for".to_owned(),
            },
            (None, true) => Said::Failed {
                failure: Failure::BadStream,
                why: "it asked the model the same thing again and again".to_owned(),
            },
            (None, false) => said,
        };
        let said = match &signer {
            Some(signer) => signer.explained(said),
            None => said,
        };
        spent.turns = ending.turns;
        spent.wall_ms = u64::try_from(ran.wall.as_millis()).unwrap_or(u64::MAX);
        let end = conclude(ending.cut.or(cut(ran.ended, ending.parting)), answer.get(), said);
        let mut outcome = CallOutcome {
            end,
            spent,
            confinement: Some(ran.confinement),
            leftovers: ran.leftovers,
            calls,
            way_out: ending.way_out,
            windows: signer.map(|signer| signer.windows()).unwrap_or_default(),
        };
        if let Some(handed) = &handed {
            outcome = handed.checked(outcome, is_said.get(), (place.mounts, place.cancel));
        }
        if ways.talks != Talks::Once && is_whole(&outcome.end) {
            self.keep(assignment, place, session, (&home, handed.as_ref()));
        }
        Ok(outcome)
    }

    /// Keeps the conversation. One that cannot be kept is none to go on with; the answer counts all the same.
    fn keep(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        session: Option<String>,
        (home, handed): (&Home, Option<&Handed>),
    ) {
        let (Some(file), Some(storage)) = (place.conversation, self.driver.storage()) else {
            return;
        };
        let whose = Whose::of(&self.key, self.driver.key(), assignment);
        let left = session.and_then(|it| Kept::left(whose, &storage, it, home.folder()));
        // With a token in it, it is none to keep.
        let left = left.filter(|kept| {
            let has = |text: &str| handed.is_some_and(|handed| handed.hidden(text) != text);
            !has(&kept.text) && !has(&kept.path)
        });
        if left.is_none_or(|kept| kept.keep(file).is_err()) {
            conversation::forget(file);
        }
    }

    fn plan(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        launch: &Launch,
        home: &Home,
    ) -> io::Result<Plan> {
        let words: Vec<String> =
            std::iter::once(self.program().to_owned()).chain(launch.words.clone()).collect();
        let mut plan = home.plan(place, &assignment.budget, &words)?;
        system::add_tool(&mut plan, &self.installed, INSTALLED)?;
        let tree = place.mounts.iter().find(|mount| mount.at == place.folder);
        for name in self.driver.hides() {
            let Some(found) = tree.and_then(|tree| tree.source.join(name).metadata().ok()) else {
                continue;
            };
            let empty = if found.is_dir() { home.empty_folder()? } else { home.empty_file()? };
            let at = format!("{}/{name}", place.folder);
            plan.mounts.push(Mount::required(empty, &at, Access::ReadOnly));
        }
        plan.network = Network::Egress;
        // What is asked of the way out itself does not go through a proxy.
        for name in ["NO_PROXY", "no_proxy"] {
            plan.environment.insert(name.to_owned(), "127.0.0.1,localhost,::1".to_owned());
        }
        plan.environment.extend(launch.environment.clone());
        Ok(plan)
    }

    /// What the program is called where it is installed.
    fn program(&self) -> &'static str {
        let names = self.driver.programs();
        let is_there = |name: &&&str| self.installed.join("bin").join(name).exists();
        // Where none is there, starting the first one fails and says so.
        names.iter().find(is_there).or(names.first()).copied().unwrap_or("")
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
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome {
        self.attempt(assignment, place, hear).unwrap_or_else(CallOutcome::from)
    }
}

impl Ways {
    pub(crate) fn inside(folder: &str) -> Self {
        let at = |name: &str| format!("http://127.0.0.1:{EGRESS_PORT}/{name}");
        Self {
            model: at(MODEL),
            tools: at(TOOLS) + "/mcp",
            folder: folder.to_owned(),
            home: HOME.to_owned(),
            talks: Talks::Once,
            handed: None,
        }
    }
}

/// Whether a conversation came to its own end, so that another call can go on with it.
fn is_whole(end: &End) -> bool {
    match end {
        End::Answered { .. } | End::GaveUp { .. } => true,
        End::Failed { failure, .. } => *failure == Failure::WrongShape,
        End::OutOfBudget { .. } | End::RateLimited { .. } | End::Cancelled => false,
    }
}

/// Whether a call that went on ended so that another one had better begin anew.
fn is_lost(outcome: &CallOutcome) -> bool {
    match &outcome.end {
        End::GaveUp { .. } => outcome.spent.turns == 0,
        End::Failed { failure, .. } => match failure {
            Failure::NotStarted
            | Failure::Refused
            | Failure::Truncated
            | Failure::BadStream
            | Failure::Died => true,
            Failure::Isolation
            | Failure::Unauthorised
            | Failure::Unreachable
            | Failure::WrongShape => false,
        },
        End::Answered { .. }
        | End::OutOfBudget { .. }
        | End::RateLimited { .. }
        | End::Cancelled => false,
    }
}

/// What the end of the process says of the run. An agent that was sent home after its turn was not called off.
fn cut(ended: Ended, parting: Parting) -> Option<Cut> {
    match (ended, parting) {
        (Ended::Cancelled, Parting::Enforced) => None,
        (ended, Parting::NotYet | Parting::Since(_) | Parting::Enforced) => Cut::of(ended),
    }
}

fn died(why: &str) -> Said {
    Said::Failed { failure: Failure::Died, why: why.to_owned() }
}

/// What an agent may reach: its model and its tool_server, both signed by the host.
fn policy(
    assignment: &Assignment,
    tool_server: &ToolServer,
    signer: Option<&Arc<LoginSigner>>,
) -> Policy {
    let mut model = egress_policy::to_model_within(MODEL, &assignment.endpoint, &assignment.budget);
    if let Some(signer) = signer {
        model.credential = signer.credential();
    }
    let account = egress_policy::to_account(&assignment.endpoint, &model.credential);
    let mut upstreams = vec![model, egress_policy::to_desk(TOOLS, tool_server)];
    upstreams.extend(account);
    Policy { upstreams, ..Policy::default() }
}

/// Said before a brief where it is not the first of its conversation.
const GOES_ON: &str = "You go on with this conversation. Files may be other than you left them: what you see now counts, and the \
                       brief below stands in place of the earlier one.";
const INSTALLED: &str = "/opt/agent";
/// What is asked of the model passes under this name.
const MODEL: &str = "model";
const TOOLS: &str = "tools";

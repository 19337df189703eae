//! What is seen of a running agent, and when it has to be stopped.
//!
//! Its lines are heard, and answered, on the thread that runs it. Its turns are counted beside that, at the egress
//! proxy, by a thread that also sees to it that an agent which is done comes to an end.

use std::net::TcpListener;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sealwright_sandbox::Cancel;
use sealwright_sandbox::egress::{Egress, Log, Policy};

use super::mouth::{Mouth, Spoken};
use super::{Course, Lines, MODEL, Talk};
use crate::conversation;
use crate::egress_record::{self, is_turn};
use crate::outcome::Cut;
use crate::tools::Answer;
use crate::{Assignment, Budget, Event, Failure, Limit, Prices, Said, Spent};

/// Ends a run early, and remembers why. The first reason counts.
pub(crate) struct Guard<'g> {
    budget: Budget,
    cancel: &'g Cancel,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cut: Option<Cut>,
    parting: Parting,
    egress: Option<Egress>,
    trouble: Option<String>,
    tells_usage: bool,
    is_hopeless: bool,
}

/// Whether an agent may go, because the conversation with it is over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Parting {
    #[default]
    NotYet,
    /// It may go by itself.
    Since(Instant),
    /// It was made to go. That is a normal end.
    Enforced,
}

pub(crate) struct Ending {
    pub(crate) cut: Option<Cut>,
    pub(crate) parting: Parting,
    pub(crate) turns: u32,
    /// Whether it was given up, because its questions came to nothing.
    pub(crate) is_hopeless: bool,
    pub(crate) way_out: Log,
    /// What kept the way out from opening.
    pub(crate) trouble: Option<String>,
}

impl<'g> Guard<'g> {
    pub(crate) fn new(budget: Budget, cancel: &'g Cancel) -> Self {
        Self { budget, cancel, state: Mutex::default() }
    }

    /// Opens the way out; a run without one is ended.
    pub(crate) fn open(&self, listener: TcpListener, policy: &Policy) {
        match Egress::start(listener, policy) {
            Ok(egress) => self.state().egress = Some(egress),
            Err(error) => {
                self.state().trouble = Some(error.to_string());
                self.cancel.cancel();
            }
        }
    }

    pub(crate) fn cut(&self, why: Cut) {
        self.state().cut.get_or_insert(why);
        self.cancel.cancel();
    }

    /// Lets the agent go. It has a little time to do that by itself.
    fn part(&self) {
        let mut state = self.state();
        if let Parting::NotYet = state.parting {
            state.parting = Parting::Since(now());
        }
    }

    fn send_home(&self) {
        self.state().parting = Parting::Enforced;
        self.cancel.cancel();
    }

    /// Looks after a run until the other end of `over` is dropped.
    pub(crate) fn look_after(&self, over: &Receiver<()>, answer: &Answer) {
        let mut answered: Option<Instant> = None;
        while over.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
            let course = self.seen();
            if course.is_spent {
                self.cut(Cut::Budget(Limit::Turns));
            }
            if self.budget.tokens_max.is_some_and(|most| course.tokens_sent() > most)
                && self.is_silent()
            {
                self.cut(Cut::Budget(Limit::Tokens));
            }
            if (course.is_hopeless() || answer.is_hopeless()) && !answer.is_there() {
                self.give_up();
            }
            if answer.is_there() && answered.get_or_insert_with(now).elapsed() > GRACE {
                self.cut(Cut::Answered);
            }
            let parting = self.state().parting;
            match parting {
                Parting::Since(then) if then.elapsed() > FAREWELL => self.send_home(),
                Parting::Since(_) | Parting::NotYet | Parting::Enforced => {}
            }
        }
    }

    pub(crate) fn end(self) -> Ending {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let way_out = state.egress.map(Egress::stop).unwrap_or_default();
        let turns = way_out.entries.iter().filter(|entry| is_turn(entry, MODEL)).count();
        let step = |course: egress_record::Course, entry| course.and(entry, MODEL);
        let course = way_out.entries.iter().fold(egress_record::Course::default(), step);
        // An agent that is turned away may be gone before the next look.
        let spent = course.is_spent.then_some(Cut::Budget(Limit::Turns));
        Ending {
            cut: state.cut.or(spent),
            parting: state.parting,
            turns: u32::try_from(turns).unwrap_or(u32::MAX),
            is_hopeless: state.is_hopeless,
            way_out,
            trouble: state.trouble,
        }
    }

    /// How questions follow each other so far.
    fn seen(&self) -> egress_record::Course {
        let begin = egress_record::Course::default();
        let state = self.state();
        let Some(egress) = &state.egress else { return begin };
        egress.fold(begin, |course, entry| course.and(entry, MODEL))
    }

    /// Whether the agent has not told what it uses; then what it sends is counted in its place.
    fn is_silent(&self) -> bool {
        !self.state().tells_usage
    }

    fn is_told(&self) {
        self.state().tells_usage = true;
    }

    /// Makes an agent go that comes to nothing.
    fn give_up(&self) {
        self.state().is_hopeless = true;
        self.send_home();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears what an agent says, answers it, counts what it uses, and stops it when that is too much.
pub(crate) struct Ear<'e> {
    guard: &'e Guard<'e>,
    lines: Lines,
    talk: Talk,
    mouth: Mouth,
    /// Whether the agent asks without hearing the answers.
    is_deaf: bool,
    tally: Tally<'e>,
    pub(crate) spent: Spent,
}

/// Passes events on, and keeps count.
struct Tally<'e> {
    model: &'e str,
    prices: &'e Prices,
    hear: &'e mut dyn FnMut(Event),
}

impl<'e> Ear<'e> {
    /// Begins the conversation: what is said first waits for the agent.
    pub(crate) fn new(
        guard: &'e Guard<'e>,
        assignment: &'e Assignment,
        prices: &'e Prices,
        mut talk: Talk,
        mut mouth: Mouth,
        hear: &'e mut dyn FnMut(Event),
    ) -> Self {
        match &mut talk {
            Talk::Told { input, .. } => {
                mouth.say(std::mem::take(input));
                mouth.close();
            }
            Talk::Dialogue(dialogue) => {
                mouth.say(dialogue.opening());
            }
        }
        let tally = Tally { model: assignment.model.as_str(), prices, hear };
        let (lines, spent) = (Lines::default(), Spent::default());
        Self { guard, lines, talk, mouth, is_deaf: false, tally, spent }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) {
        let Self { guard, lines, talk, mouth, is_deaf, tally, spent } = self;
        lines.take(piece, |line| {
            let mut hear = |event| tally.count(event, spent);
            let course = match talk {
                Talk::Told { reader, .. } => {
                    reader.line(line, &mut hear);
                    Course::Listen
                }
                Talk::Dialogue(dialogue) => dialogue.line(line, &mut hear),
            };
            match course {
                Course::Listen => {}
                Course::Say(words) => match mouth.say(words) {
                    Spoken::OnItsWay | Spoken::ToNobody => {}
                    Spoken::TooMuch => {
                        *is_deaf = true;
                        guard.send_home();
                    }
                },
                Course::Over => {
                    mouth.close();
                    guard.part();
                }
            }
        });
        if spent.usage.total() > 0 {
            guard.is_told();
        }
        if let Some(limit) = guard.budget.exceeded(spent) {
            guard.cut(Cut::Budget(limit));
        }
    }

    pub(crate) fn said(&mut self, complaints: &str) -> Said {
        let Self { lines, talk, tally, spent, .. } = self;
        let mut hear = |event| tally.count(event, spent);
        lines.finish(|line| match talk {
            Talk::Told { reader, .. } => reader.line(line, &mut hear),
            // The agent has ended; an answer would not be read.
            Talk::Dialogue(dialogue) => drop(dialogue.line(line, &mut hear)),
        });
        if lines.dropped > 0 {
            let text = format!("{} lines were too long and were not read", lines.dropped);
            hear(Event::Warning { text });
        }
        let said = match talk {
            Talk::Told { reader, .. } => reader.said(complaints),
            Talk::Dialogue(dialogue) => dialogue.said(complaints, &mut hear),
        };
        if self.is_deaf {
            let why = "it asks for more than it reads the answers to".to_owned();
            return Said::Failed { failure: Failure::BadStream, why };
        }
        said
    }

    /// The name of the conversation, if it can be one.
    pub(crate) fn session(&self) -> Option<String> {
        let session = match &self.talk {
            Talk::Told { reader, .. } => reader.session(),
            Talk::Dialogue(_) => None,
        };
        session.filter(|name| conversation::is_name(name)).map(str::to_owned)
    }
}

impl Tally<'_> {
    fn count(&mut self, event: Event, spent: &mut Spent) {
        if let Event::Usage { usage } = &event {
            spent.usage = *usage;
            spent.micro_dollars = self.prices.micro_dollars(self.model, usage);
        }
        (self.hear)(event);
    }
}

#[expect(clippy::disallowed_methods, reason = "patience with a process needs a clock")]
fn now() -> Instant {
    Instant::now()
}

/// How often turns are counted.
const GLANCE: Duration = Duration::from_millis(50);
/// How long an agent may go on after its answer was taken, for its last words.
const GRACE: Duration = Duration::from_secs(20);
/// How long an agent may take to go once the conversation is over.
const FAREWELL: Duration = Duration::from_secs(3);

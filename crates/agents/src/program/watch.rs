//! What is seen of a running agent, and when it has to be stopped.
//!
//! Its lines are heard on the thread that runs it. Its turns are counted beside that, at the egress proxy, by a thread
//! that also sees to it that an agent which has handed its answer in comes to an end.

use std::net::TcpListener;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sealwright_sandbox::Cancel;
use sealwright_sandbox::egress::{Egress, Log, Policy};

use super::{Lines, MODEL, Reader};
use crate::outcome::Cut;
use crate::tools::Answer;
use crate::trail::is_turn;
use crate::{Assignment, Budget, Event, Limit, Prices, Said, Spent};

/// Ends a run early, and remembers why. The first reason counts.
pub(crate) struct Guard<'g> {
    budget: Budget,
    cancel: &'g Cancel,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cut: Option<Cut>,
    egress: Option<Egress>,
    trouble: Option<String>,
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

    /// Looks after a run until the other end of `over` is dropped.
    pub(crate) fn look_after(&self, over: &Receiver<()>, answer: &Answer) {
        let mut answered: Option<Instant> = None;
        while over.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
            let turns = self.turns();
            if self.budget.turns_max.is_some_and(|most| turns > most) {
                self.cut(Cut::Budget(Limit::Turns));
            }
            if answer.is_there() && answered.get_or_insert_with(now).elapsed() > GRACE {
                self.cut(Cut::Answered);
            }
        }
    }

    /// What cut the run short, how many turns it took, what passed the way out, and what kept it from opening.
    pub(crate) fn end(self) -> (Option<Cut>, u32, Log, Option<String>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let log = state.egress.map(Egress::stop).unwrap_or_default();
        let turns = log.entries.iter().filter(|entry| is_turn(entry, MODEL)).count();
        (state.cut, u32::try_from(turns).unwrap_or(u32::MAX), log, state.trouble)
    }

    fn turns(&self) -> u32 {
        let turns = self
            .state()
            .egress
            .as_ref()
            .map_or(0, |egress| egress.count(|entry| is_turn(entry, MODEL)));
        u32::try_from(turns).unwrap_or(u32::MAX)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears what an agent says, counts what it uses, and stops it when that is too much.
pub(crate) struct Ear<'e> {
    guard: &'e Guard<'e>,
    model: &'e str,
    prices: &'e Prices,
    lines: Lines,
    reader: Box<dyn Reader>,
    hear: &'e mut dyn FnMut(Event),
    pub(crate) spent: Spent,
}

impl<'e> Ear<'e> {
    pub(crate) fn new(
        guard: &'e Guard<'e>,
        assignment: &'e Assignment,
        prices: &'e Prices,
        reader: Box<dyn Reader>,
        hear: &'e mut dyn FnMut(Event),
    ) -> Self {
        let spent = Spent::default();
        let model = assignment.model.as_str();
        Self { guard, model, prices, lines: Lines::default(), reader, hear, spent }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) {
        let Self { guard, model, prices, lines, reader, hear, spent } = self;
        lines.take(piece, |line| {
            reader.line(line, &mut |event| {
                if let Event::Usage { usage } = &event {
                    spent.usage = *usage;
                    spent.micro_dollars = prices.micro_dollars(model, usage);
                }
                hear(event);
            });
        });
        if let Some(limit) = guard.budget.exceeded(spent) {
            guard.cut(Cut::Budget(limit));
        }
    }

    /// What the agent says of its end.
    pub(crate) fn said(&mut self, complaints: &str) -> Said {
        let Self { lines, reader, hear, .. } = self;
        lines.finish(|line| reader.line(line, hear));
        if self.lines.dropped > 0 {
            let text = format!("{} lines were too long and were not read", self.lines.dropped);
            (self.hear)(Event::Warning { text });
        }
        self.reader.said(complaints)
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

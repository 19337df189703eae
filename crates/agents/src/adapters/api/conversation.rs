//! One conversation with a model: the brief, its answer, and what is wrong with it, until the answer is right or
//! something is used up.
//!
//! What became of a question is read from the books of the way out, which saw it, and not from the client.

use std::time::Duration;

use sealwright_sandbox::egress::Egress;
use sealwright_sandbox::egress::log::{Entry, RequestOutcome as Passed};
use serde_json::Value;

use super::client::{Finish, Message, ModelClient, Question, Reply, Unanswered};
use super::patience::{Patience, Verdict, judge};
use crate::adapters::reading::{Unreadable, read};
use crate::adapters::words::brief;
use crate::egress_record::{is_question, is_turn};
use crate::outcome::{Cut, shortened};
use crate::{Assignment, Event, Failure, Prices, Said, Spent, Usage};

pub(super) struct Conversation<'c> {
    pub(super) client: &'c dyn ModelClient,
    pub(super) assignment: &'c Assignment,
    pub(super) prices: &'c Prices,
    pub(super) patience: &'c Patience,
    pub(super) egress: &'c Egress,
    /// What the model is called in the books of the way out.
    pub(super) name: &'c str,
    /// Where it answers, there.
    pub(super) at: String,
    pub(super) hear: &'c mut dyn FnMut(Event),
    /// For how long it was waited between attempts so far.
    pub(super) waited_ms: u64,
    /// What it took so far. The caller counts the time.
    pub(super) spent: Spent,
}

#[derive(Debug, PartialEq)]
pub(super) enum Close {
    Answered(Value),
    Cut(Cut),
    Said(Said),
}

impl Conversation<'_> {
    /// Holds it. An answer that came counts, even where it took more than was left.
    pub(super) async fn hold(&mut self) -> Close {
        let mut said = vec![Message::Ours(self.assignment.brief.clone())];
        let (mut corrections, mut unparsed) = (0, 0);
        loop {
            let reply = match self.put(&said).await {
                Ok(reply) => reply,
                Err(close) => return close,
            };
            match reply.finish {
                Finish::Complete => {}
                Finish::CutOff => {
                    return failed(Failure::Truncated, "the model had no tokens left");
                }
                Finish::Refused { why } => return failed(Failure::Refused, &why),
            }
            let problem = match read(&reply.text, &self.assignment.schema) {
                Ok(answer) => return Close::Answered(answer),
                Err(problem) => problem,
            };
            corrections += 1;
            unparsed += u32::from(matches!(problem, Unreadable::NotJson { .. }));
            let told = problem.told();
            if corrections > CORRECTIONS_MAX || unparsed > UNPARSED_MAX {
                return failed(Failure::WrongShape, &told);
            }
            self.warn(&format!("asked for another answer: {told}"));
            // A provider takes no empty message.
            if !reply.text.trim().is_empty() {
                said.push(Message::Theirs(reply.text));
            }
            said.push(Message::Ours(format!("{told}\n\nGive the whole answer again, mended.")));
        }
    }

    fn questions(&self) -> usize {
        self.egress.fold(0, |sum, entry| sum + usize::from(is_question(entry, self.name)))
    }

    /// Puts one question until there is a reply.
    async fn put(&mut self, said: &[Message]) -> Result<Reply, Close> {
        let mut failed = 0;
        loop {
            if let Some(limit) = self.assignment.budget.exceeded(&self.with_one_more_turn()) {
                return Err(Close::Cut(Cut::Budget(limit)));
            }
            let before = self.questions();
            let unanswered = match self.client.ask(self.question(said)).await {
                Ok(reply) => {
                    self.settle().await;
                    self.take(&reply);
                    return Ok(reply);
                }
                Err(unanswered) => unanswered,
            };
            let question = self.last_question().filter(|_| self.questions() > before);
            if question.as_ref().is_some_and(|entry| is_turn(entry, self.name)) {
                self.spent.turns += 1;
            }
            failed += 1;
            let wait = self.wait_for(question.as_ref(), &unanswered, failed)?;
            self.waited_ms = self.waited_ms.saturating_add(millis(wait));
            tokio::time::sleep(wait).await;
        }
    }

    /// How long to wait before the question is put again, or what it comes to if it is not.
    fn wait_for(
        &mut self,
        question: Option<&Entry>,
        unanswered: &Unanswered,
        failed: usize,
    ) -> Result<Duration, Close> {
        let (said, after_s) = match judge(question, unanswered) {
            Verdict::Final(said) => return Err(Close::Said(said)),
            Verdict::Again { said, after_s } => (said, after_s),
        };
        let Some(wait) = self.patience.delay(failed, after_s, self.waited_ms) else {
            return Err(Close::Said(said));
        };
        let why = match said {
            Said::RateLimited { .. } => "the model's owner asks for patience".to_owned(),
            Said::Failed { why, .. } => why,
            Said::Nothing | Said::Finished { .. } | Said::OutOfBudget { .. } => {
                unanswered.to_string()
            }
        };
        self.warn(&format!("asked again after {} ms: {why}", wait.as_millis()));
        Ok(wait)
    }

    fn question(&self, said: &[Message]) -> Question {
        let schema = self.assignment.schema.value();
        Question {
            at: self.at.clone(),
            protocol: self.assignment.endpoint.protocol,
            model: self.assignment.model.clone(),
            rules: format!("{RULES}{schema}"),
            said: said.to_vec(),
            schema: schema.clone(),
        }
    }

    fn take(&mut self, reply: &Reply) {
        self.spent.turns += 1;
        let usage: Usage = self.spent.usage.and(reply.usage);
        self.spent.usage = usage;
        self.spent.micro_dollars = self.prices.micro_dollars(&self.assignment.model, &usage);
        if !reply.text.is_empty() {
            (self.hear)(Event::Text { text: brief(&reply.text) });
        }
        (self.hear)(Event::Usage { usage });
    }

    /// What will have been spent, at the least, after another turn.
    fn with_one_more_turn(&self) -> Spent {
        let one = Usage { output: 1, ..Usage::default() };
        let turns = self.spent.turns.saturating_add(1);
        Spent { turns, usage: self.spent.usage.and(one), ..self.spent }
    }

    /// Waits until the exchange is written down as a whole one. The last word of an answer is often read before the
    /// end of the body has passed, and hanging up then would look as if the client had left in the middle.
    async fn settle(&self) {
        for _ in 0..SETTLE_LOOKS {
            if self.last_question().is_none_or(|entry| entry.outcome != Passed::Open) {
                return;
            }
            tokio::time::sleep(SETTLE_PAUSE).await;
        }
    }

    fn last_question(&self) -> Option<Entry> {
        self.egress.last(|entry| is_question(entry, self.name))
    }

    fn warn(&mut self, text: &str) {
        (self.hear)(Event::Warning { text: shortened(text) });
    }
}

fn failed(failure: Failure, why: &str) -> Close {
    Close::Said(Said::Failed { failure, why: why.to_owned() })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Not every provider enforces a schema, and none explains it to the model.
const RULES: &str = "Answer with one JSON value that has the shape of this JSON Schema, and with nothing else: no \
                     words before or after it, no code fence.\n";
/// Answers of the wrong shape that are sent back.
const CORRECTIONS_MAX: u32 = 2;
/// Of those, the ones that are no JSON at all.
const UNPARSED_MAX: u32 = 1;
const SETTLE_LOOKS: u32 = 50;
const SETTLE_PAUSE: Duration = Duration::from_millis(5);

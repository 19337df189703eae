//! Models without an agent around them, for roles that only judge: a brief goes in, one JSON answer comes out.
//!
//! ```text
//! brief ──▶ conversation ──▶ client ── http ──▶ egress ── https, signed ──▶ model
//!               ▲   │                             │
//!               │   └── answer ──▶ schema         └── log: what really happened
//!               └── what is wrong with it ──┘
//! ```
//!
//! Nothing is run, so there are no walls. The way out is the same as that of every agent: an egress proxy that holds
//! the key and keeps the books. It listens on the host's loopback, which other users share, so the model is there
//! under a random name.

mod client;
mod conversation;
mod patience;
mod wire;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use sealwright_sandbox::Cancel;
use sealwright_sandbox::egress::policy::Bounds;
use sealwright_sandbox::egress::{Egress, EgressError, Policy};
use tokio::time::Instant;

pub use client::{Asking, Finish, Line, Message, ModelClient, Question, Reply, Unanswered};
use conversation::{Close, Conversation};
pub use patience::Patience;
pub use wire::Wire;

use crate::agent_error::Trouble;
use crate::outcome::Cut;
use crate::{
    Agent, AgentSandbox, Assignment, CallOutcome, Endpoint, Event, Limit, Prices, Said, Spent,
    conclude, egress_policy, random_word,
};

pub struct Api {
    key: String,
    family: String,
    prices: Arc<Prices>,
    patience: Patience,
    client: Box<dyn ModelClient>,
}

impl Api {
    pub fn new(key: &str, family: &str, prices: Arc<Prices>) -> Self {
        Self {
            key: key.to_owned(),
            family: family.to_owned(),
            prices,
            patience: Patience::default(),
            client: Box::new(Wire),
        }
    }

    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    #[must_use]
    pub fn with_client(self, client: Box<dyn ModelClient>) -> Self {
        Self { client, ..self }
    }

    fn attempt(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Result<CallOutcome, Trouble> {
        let name = random_word::word()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let at = format!("http://{}/{name}", listener.local_addr()?);
        let policy = policy(&name, &assignment.endpoint);
        let egress = Egress::start(listener, &policy).map_err(|error| unopened(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut conversation = Conversation {
            client: self.client.as_ref(),
            assignment,
            prices: &self.prices,
            patience: &self.patience,
            egress: &egress,
            name: &name,
            at,
            hear,
            waited_ms: 0,
            spent: Spent::default(),
        };
        let (close, wall) = runtime.block_on(async {
            let began = Instant::now();
            let time = Duration::from_millis(assignment.budget.wall_ms_max);
            let close = tokio::select! {
                biased;
                () = called_off(place.cancel) => Close::Cut(Cut::Cancelled),
                () = tokio::time::sleep(time) => Close::Cut(Cut::Budget(Limit::Minutes)),
                close = conversation.hold() => close,
            };
            (close, began.elapsed())
        });
        let mut spent = conversation.spent;
        spent.wall_ms = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
        let end = match close {
            Close::Answered(answer) => conclude(None, Some(answer), Said::Nothing),
            Close::Cut(cut) => conclude(Some(cut), None, Said::Nothing),
            Close::Said(said) => conclude(None, None, said),
        };
        // Whatever still runs is cut before the books are closed.
        drop(runtime);
        let way_out = egress.stop();
        Ok(CallOutcome { spent, way_out, ..CallOutcome::unspent(end) })
    }
}

impl Agent for Api {
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

/// Why the way out could not be opened, and what to do about it.
fn unopened(error: &EgressError) -> Trouble {
    let cause = match error {
        EgressError::Policy(error) => error.to_string(),
        EgressError::Listener(error) | EgressError::Start(error) => error.to_string(),
    };
    Trouble::NotStarted(format!("{error}: {cause}; {}", error.hint()))
}

async fn called_off(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(GLANCE).await;
    }
}

/// What may be reached: the model, by questions.
fn policy(name: &str, endpoint: &Endpoint) -> Policy {
    let model = egress_policy::to_model(name, endpoint);
    let bounds = Bounds { response_bytes_max: RESPONSE_BYTES_MAX, ..Bounds::default() };
    Policy { upstreams: vec![model], bounds, ..Policy::default() }
}

/// What is read of one response. A stream wraps every few letters in a frame of a few hundred bytes, and some repeat
/// the whole at the end.
const RESPONSE_BYTES_MAX: u64 = 16 << 20;
/// How often cancellation is checked.
const GLANCE: Duration = Duration::from_millis(20);

//! A sample machine for tests of the host, the store and the simulation. The product does not use it.
//!
//! An errand asks one role for one result, which counts only after it was inspected.
//!
//! A call that returned something unreadable may be repeated twice. A call that died may
//! be repeated until three in a row have died; then the step stops, because a fourth would
//! die too. A writing role's work tree is kept by a checkpoint when the result is accepted
//! and put back when it is not, before anything else happens.
//!
//! ```text
//!         request
//!  Idle ──────────▶ Requested ──context──▶ ContextBuilt ──started──▶ Running ──answered──▶ Captured
//!                    ▲   │                      │                       │                   │    │
//!                    │   └──────────────────────┴──────aborted──────────┘           findings│    │none
//!                    │                          ▼                                           ▼    ▼
//!                    ├──── tree restored ── Aborted                                  Rejected  Accepted
//!                    │                          └─ third in a row, or cancelled: over    │       └─ tree kept: over
//!                    └──── tree restored, unreadable, a retry left ──────────────────────┤
//!                                                                   tree restored: over ─┘
//! ```

use sealwright_kernel::{Access, Actor, Digest, EffectId, InvocationId, Machine, Role, StreamId};
use serde::{Deserialize, Serialize};

/// One errand, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errand {
    state: State,
    schema_retries: u32,
    aborts_in_a_row: u32,
}

/// What is fixed when an errand is requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    pub id: InvocationId,
    /// The part to be played.
    pub role: Role,
    /// Whether the role holds the write lease of a work tree.
    pub access: Access,
    /// The text of the task, in the store.
    pub task: Digest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing was requested.
    #[default]
    Idle,
    /// The view and the context pack have to be built.
    Requested { brief: Brief, attempt: u32 },
    /// The role can be called.
    ContextBuilt { brief: Brief, attempt: u32, context: Digest },
    /// The role is at work.
    Running { brief: Brief, attempt: u32, context: Digest },
    /// The role has answered; the answer is not inspected yet.
    Captured { brief: Brief, attempt: u32, capture: Capture },
    /// The result counts.
    Accepted { brief: Brief, attempt: u32, capture: Capture, tree: Tree },
    /// The result does not count.
    Rejected { brief: Brief, attempt: u32, findings: Vec<Finding>, next: Next, tree: Tree },
    /// There is no result.
    Aborted { brief: Brief, attempt: u32, why: Abort, next: Next, tree: Tree },
}

/// The captured result of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The structured answer, in the store.
    pub output: Digest,
    /// The patch computed from the work tree, in the store; never the role's own account.
    pub changes: Digest,
}

/// The state of the work tree after a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tree {
    /// The role could not write.
    Untouched,
    /// It has to be kept or put back first.
    Unsettled,
    /// It is the tree of this digest.
    Settled { at: Digest },
}

/// What follows a rejected or aborted attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    Again,
    Stop,
}

/// Something wrong with a captured result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The answer does not have the shape that was asked for.
    SchemaInvalid { why: String },
    /// The patch leaves the role's allowance.
    WroteOutside { place: String },
    /// A tool was used that the role does not have.
    ToolOutside { tool: String },
    /// The call changed nothing and found nothing.
    NoProgress,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abort {
    /// The call died.
    Died(Fault),
    /// A person cancelled it. No report can do that.
    Cancelled { by: Actor, reason: String },
}

/// How a call can die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The process or the connection was lost.
    Dropped,
    TimedOut,
    OverBudget,
}

/// An input to an errand. Every report names the effect it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A step wants a result.
    Request { brief: Brief },
    /// The view stands.
    ContextBuilt { effect: EffectId, context: Digest },
    /// The role has begun.
    Started { effect: EffectId },
    /// The role has answered.
    Answered { effect: EffectId, capture: Capture },
    /// The view could not be built, or the role will not answer any more.
    Aborted { effect: EffectId, why: Fault },
    /// The machine looked at the result.
    Inspected { effect: EffectId, findings: Vec<Finding> },
    /// The tree was kept or put back.
    TreeSettled { effect: EffectId, at: Digest },
    /// A person cancels it.
    Cancel { errand: InvocationId, by: Actor, reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Requested { brief: Brief },
    ContextBuilt { context: Digest },
    Started { context: Digest },
    Captured { capture: Capture },
    Accepted { capture: Capture },
    Rejected { findings: Vec<Finding>, next: Next },
    Aborted { why: Abort, next: Next },
    TreeSettled { at: Digest },
    Retried { attempt: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Build the view and the context pack.
    BuildContext { brief: Brief, attempt: u32 },
    /// Call the role, or go on waiting for the call that was made under this id.
    Invoke { brief: Brief, attempt: u32, context: Digest },
    /// Hold the captured result against its schema and the role's allowance.
    Inspect { brief: Brief, attempt: u32, capture: Capture },
    /// Keep the work tree as it is.
    Checkpoint { brief: Brief, attempt: u32 },
    /// Park the work tree aside and put the last checkpoint back.
    Restore { brief: Brief, attempt: u32 },
}

/// Why an input was rejected. The errand is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// There is nothing yet that this could be about.
    #[error("no errand was requested")]
    NotRequested,
    /// One errand serves one request.
    #[error("{errand} has been requested already")]
    AlreadyRequested { errand: InvocationId },
    /// The report answers an effect that is not, or no longer, owed.
    #[error("{effect} is not owed")]
    NotOwed { effect: EffectId },
    /// The effect is owed, but this is no answer to it.
    #[error("the report does not answer {effect}")]
    NoAnswer { effect: EffectId },
    /// The role has been reported at work before.
    #[error("{effect} has started already")]
    AlreadyStarted { effect: EffectId },
    /// The command names another errand.
    #[error("the input names {named}, but this is {here}")]
    OtherErrand { here: InvocationId, named: InvocationId },
    /// Only a person may call an errand off.
    #[error("only a person may cancel")]
    NotAPerson,
    /// The result has been judged; it can no longer be called off.
    #[error("{errand} has its result already")]
    TooLate { errand: InvocationId },
    /// A reason is part of the record.
    #[error("a cancellation needs a reason")]
    NoReason,
}

impl Machine for Errand {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        // The whole table, without a wildcard: a new state or input will not compile until
        // someone has decided what it means in every row.
        match (&self.state, input) {
            (State::Idle, Input::Request { brief }) => {
                Ok(vec![Event::Requested { brief: brief.clone() }])
            }
            (
                State::Idle,
                Input::ContextBuilt { .. }
                | Input::Started { .. }
                | Input::Answered { .. }
                | Input::Aborted { .. }
                | Input::Inspected { .. }
                | Input::TreeSettled { .. }
                | Input::Cancel { .. },
            ) => Err(Rejected::NotRequested),
            (
                State::Requested { brief, .. }
                | State::ContextBuilt { brief, .. }
                | State::Running { brief, .. }
                | State::Captured { brief, .. }
                | State::Accepted { brief, .. }
                | State::Rejected { brief, .. }
                | State::Aborted { brief, .. },
                Input::Request { .. },
            ) => Err(Rejected::AlreadyRequested { errand: brief.id }),

            (State::Requested { .. }, Input::ContextBuilt { effect, context }) => {
                self.expect(effect)?;
                Ok(vec![Event::ContextBuilt { context: *context }])
            }
            (
                State::Requested { .. } | State::ContextBuilt { .. } | State::Running { .. },
                Input::Aborted { effect, why },
            ) => {
                self.expect(effect)?;
                Ok(self.abort(*why))
            }
            (State::ContextBuilt { context, .. }, Input::Started { effect }) => {
                self.expect(effect)?;
                Ok(vec![Event::Started { context: *context }])
            }
            (State::Running { .. }, Input::Started { effect }) => {
                self.expect(effect)?;
                Err(Rejected::AlreadyStarted { effect: effect.clone() })
            }
            // A host that died after calling the role may learn of the answer first.
            (State::ContextBuilt { context, .. }, Input::Answered { effect, capture }) => {
                self.expect(effect)?;
                let started = Event::Started { context: *context };
                Ok(vec![started, Event::Captured { capture: capture.clone() }])
            }
            (State::Running { .. }, Input::Answered { effect, capture }) => {
                self.expect(effect)?;
                Ok(vec![Event::Captured { capture: capture.clone() }])
            }
            (State::Captured { capture, .. }, Input::Inspected { effect, findings }) => {
                self.expect(effect)?;
                Ok(self.judge(capture, findings))
            }
            (State::Accepted { .. }, Input::TreeSettled { effect, at }) => {
                self.expect(effect)?;
                Ok(vec![Event::TreeSettled { at: *at }])
            }
            (
                State::Rejected { next, .. } | State::Aborted { next, .. },
                Input::TreeSettled { effect, at },
            ) => {
                self.expect(effect)?;
                Ok(self.follow(Event::TreeSettled { at: *at }, *next))
            }

            (
                State::Requested { brief, .. }
                | State::ContextBuilt { brief, .. }
                | State::Running { brief, .. }
                | State::Captured { brief, .. },
                Input::Cancel { errand, by, reason },
            ) => {
                cancel_is_due(brief.id, *errand, by, reason)?;
                let why = Abort::Cancelled { by: by.clone(), reason: reason.clone() };
                Ok(vec![Event::Aborted { why, next: Next::Stop }])
            }
            (
                State::Accepted { brief, .. }
                | State::Rejected { brief, .. }
                | State::Aborted { brief, .. },
                Input::Cancel { errand, by, reason },
            ) => {
                cancel_is_due(brief.id, *errand, by, reason)?;
                Err(Rejected::TooLate { errand: brief.id })
            }

            (
                State::Requested { .. },
                Input::Started { effect }
                | Input::Answered { effect, .. }
                | Input::Inspected { effect, .. }
                | Input::TreeSettled { effect, .. },
            )
            | (
                State::ContextBuilt { .. } | State::Running { .. },
                Input::ContextBuilt { effect, .. }
                | Input::Inspected { effect, .. }
                | Input::TreeSettled { effect, .. },
            )
            | (
                State::Captured { .. },
                Input::ContextBuilt { effect, .. }
                | Input::Started { effect }
                | Input::Answered { effect, .. }
                | Input::Aborted { effect, .. }
                | Input::TreeSettled { effect, .. },
            )
            | (
                State::Accepted { .. } | State::Rejected { .. } | State::Aborted { .. },
                Input::ContextBuilt { effect, .. }
                | Input::Started { effect }
                | Input::Answered { effect, .. }
                | Input::Aborted { effect, .. }
                | Input::Inspected { effect, .. },
            ) => {
                self.expect(effect)?;
                Err(Rejected::NoAnswer { effect: effect.clone() })
            }
        }
    }

    fn evolve(&mut self, event: &Event) {
        // The first event is always a request; `decide` sees to that.
        let (brief, attempt) = match (event, self.state.subject()) {
            (Event::Requested { brief }, _) => (brief.clone(), 1),
            (_, Some((brief, attempt))) => (brief.clone(), attempt),
            (_, None) => return,
        };
        let tree = Tree::after(brief.access);
        self.state = match event.clone() {
            Event::Requested { .. } => State::Requested { brief, attempt },
            Event::ContextBuilt { context } => State::ContextBuilt { brief, attempt, context },
            Event::Started { context } => State::Running { brief, attempt, context },
            Event::Captured { capture } => {
                self.aborts_in_a_row = 0;
                State::Captured { brief, attempt, capture }
            }
            Event::Accepted { capture } => State::Accepted { brief, attempt, capture, tree },
            Event::Rejected { findings, next } => {
                self.schema_retries += u32::from(next == Next::Again);
                State::Rejected { brief, attempt, findings, next, tree }
            }
            Event::Aborted { why, next } => {
                self.aborts_in_a_row += 1;
                State::Aborted { brief, attempt, why, next, tree }
            }
            Event::TreeSettled { at } => self.state.clone().with_tree(Tree::Settled { at }),
            Event::Retried { attempt } => State::Requested { brief, attempt },
        };
    }

    fn owed(&self) -> Vec<Effect> {
        match self.state.clone() {
            State::Idle => vec![],
            State::Requested { brief, attempt } => vec![Effect::BuildContext { brief, attempt }],
            State::ContextBuilt { brief, attempt, context }
            | State::Running { brief, attempt, context } => {
                vec![Effect::Invoke { brief, attempt, context }]
            }
            State::Captured { brief, attempt, capture } => {
                vec![Effect::Inspect { brief, attempt, capture }]
            }
            State::Accepted { brief, attempt, tree: Tree::Unsettled, .. } => {
                vec![Effect::Checkpoint { brief, attempt }]
            }
            State::Rejected { brief, attempt, tree: Tree::Unsettled, .. }
            | State::Aborted { brief, attempt, tree: Tree::Unsettled, .. } => {
                vec![Effect::Restore { brief, attempt }]
            }
            State::Accepted { tree: Tree::Untouched | Tree::Settled { .. }, .. }
            | State::Rejected { tree: Tree::Untouched | Tree::Settled { .. }, .. }
            | State::Aborted { tree: Tree::Untouched | Tree::Settled { .. }, .. } => vec![],
        }
    }

    fn is_over(&self) -> bool {
        match &self.state {
            State::Idle
            | State::Requested { .. }
            | State::ContextBuilt { .. }
            | State::Running { .. }
            | State::Captured { .. } => false,
            State::Accepted { tree, .. }
            | State::Rejected { tree, .. }
            | State::Aborted { tree, .. } => *tree != Tree::Unsettled,
        }
    }
}

impl Errand {
    pub fn state(&self) -> &State {
        &self.state
    }

    fn expect(&self, effect: &EffectId) -> Result<(), Rejected> {
        if self.owes(effect) {
            return Ok(());
        }
        Err(Rejected::NotOwed { effect: effect.clone() })
    }

    fn judge(&self, capture: &Capture, findings: &[Finding]) -> Vec<Event> {
        if findings.is_empty() {
            return vec![Event::Accepted { capture: capture.clone() }];
        }
        let only_unreadable = findings.iter().all(|it| matches!(it, Finding::SchemaInvalid { .. }));
        let next = if only_unreadable && self.schema_retries < SCHEMA_RETRIES_MAX {
            Next::Again
        } else {
            Next::Stop
        };
        self.fall(Event::Rejected { findings: findings.to_vec(), next }, next)
    }

    fn abort(&self, why: Fault) -> Vec<Event> {
        let next =
            if self.aborts_in_a_row + 1 < ABORTS_IN_A_ROW_MAX { Next::Again } else { Next::Stop };
        self.fall(Event::Aborted { why: Abort::Died(why), next }, next)
    }

    /// A tree that could be written is put back first; otherwise what is next happens now.
    fn fall(&self, event: Event, next: Next) -> Vec<Event> {
        match self.state.subject().map(|(brief, _)| brief.access) {
            Some(Access::ReadOnly) => self.follow(event, next),
            Some(Access::Write) | None => vec![event],
        }
    }

    fn follow(&self, event: Event, next: Next) -> Vec<Event> {
        match (next, self.state.subject()) {
            (Next::Again, Some((_, attempt))) => {
                vec![event, Event::Retried { attempt: attempt + 1 }]
            }
            (Next::Again, None) | (Next::Stop, _) => vec![event],
        }
    }
}

/// The stream of the errand with this id.
pub fn stream_of(id: InvocationId) -> StreamId {
    StreamId::new(id.to_string()).expect("a number behind a prefix is a stream's name")
}

impl State {
    fn subject(&self) -> Option<(&Brief, u32)> {
        match self {
            Self::Idle => None,
            Self::Requested { brief, attempt }
            | Self::ContextBuilt { brief, attempt, .. }
            | Self::Running { brief, attempt, .. }
            | Self::Captured { brief, attempt, .. }
            | Self::Accepted { brief, attempt, .. }
            | Self::Rejected { brief, attempt, .. }
            | Self::Aborted { brief, attempt, .. } => Some((brief, *attempt)),
        }
    }

    fn with_tree(mut self, settled: Tree) -> Self {
        if let Self::Accepted { tree, .. }
        | Self::Rejected { tree, .. }
        | Self::Aborted { tree, .. } = &mut self
        {
            *tree = settled;
        }
        self
    }
}

impl Tree {
    fn after(access: Access) -> Self {
        match access {
            Access::ReadOnly => Self::Untouched,
            Access::Write => Self::Unsettled,
        }
    }
}

impl sealwright_kernel::Input for Input {
    fn signed_by(&self) -> Option<&Actor> {
        match self {
            Self::Cancel { by, .. } => Some(by),
            Self::Request { .. }
            | Self::ContextBuilt { .. }
            | Self::Started { .. }
            | Self::Answered { .. }
            | Self::Aborted { .. }
            | Self::Inspected { .. }
            | Self::TreeSettled { .. } => None,
        }
    }

    fn answers(&self) -> Option<&EffectId> {
        match self {
            Self::Request { .. } | Self::Cancel { .. } => None,
            Self::ContextBuilt { effect, .. }
            | Self::Started { effect }
            | Self::Answered { effect, .. }
            | Self::Aborted { effect, .. }
            | Self::Inspected { effect, .. }
            | Self::TreeSettled { effect, .. } => Some(effect),
        }
    }
}

impl sealwright_kernel::Effect for Effect {
    fn id(&self) -> EffectId {
        let (brief, what, attempt) = match self {
            Self::BuildContext { brief, attempt } => (brief, "context", attempt),
            Self::Invoke { brief, attempt, .. } => (brief, "invoke", attempt),
            Self::Inspect { brief, attempt, .. } => (brief, "inspect", attempt),
            Self::Checkpoint { brief, attempt } => (brief, "checkpoint", attempt),
            Self::Restore { brief, attempt } => (brief, "restore", attempt),
        };
        EffectId::of(brief.id, what, *attempt)
    }
}

fn cancel_is_due(
    here: InvocationId,
    named: InvocationId,
    by: &Actor,
    reason: &str,
) -> Result<(), Rejected> {
    match by {
        Actor::Human(_) if here != named => Err(Rejected::OtherErrand { here, named }),
        Actor::Human(_) if reason.trim().is_empty() => Err(Rejected::NoReason),
        Actor::Human(_) => Ok(()),
        Actor::Role(..) | Actor::Machine | Actor::Environment => Err(Rejected::NotAPerson),
    }
}

/// How often an unreadable answer may be asked for again.
pub const SCHEMA_RETRIES_MAX: u32 = 2;
/// How many calls in a row may die before the step stops.
pub const ABORTS_IN_A_ROW_MAX: u32 = 3;

#[cfg(test)]
mod tests;

//! Onlookers: whoever watches work being done. They are told, they can change nothing, and nothing waits for them.

use std::sync::Arc;
use std::time::Duration;

use sealwright_agents::{CallOutcome, Event};
use sealwright_kernel::Role;
use sealwright_kernel::task::slice::{self, GateKind};
use sealwright_kernel::task::{Effect, Input, Probe, Task, Want};

use sealwright_host::{Answer, NotPerformed, Performer, ReportHandle};

/// Watches work being done.
pub trait ProgressListener: Send + Sync + 'static {
    /// Something is seen. It is called from the threads that work, so it should not take long.
    fn on_event(&self, sight: &ProgressEvent<'_>);
}

/// Something that can be seen while work is done.
#[derive(Clone, Copy, Debug)]
pub enum ProgressEvent<'s> {
    /// An effect is begun.
    EffectStarted {
        /// Which.
        effect: &'s Effect,
    },
    /// An effect was performed, or was not.
    EffectEnded {
        /// Which.
        effect: &'s Effect,
        /// What will be reported, or why nothing is.
        came: Result<&'s Input, &'s NotPerformed>,
    },
    /// What came of an effect could not be recorded. It is kept in mind, and tried again a little later.
    NotDurable {
        /// Which.
        effect: &'s Effect,
        /// Why.
        why: &'s str,
    },
    /// Somebody is called to play a part.
    CallStarted {
        /// Who, and as what.
        call: &'s Call,
    },
    /// They do something, or say so.
    CallEvent {
        /// What.
        event: &'s Event,
    },
    /// They are done.
    CallEnded {
        /// Who, and as what.
        call: &'s Call,
        /// How it ended.
        outcome: &'s CallOutcome,
    },
}

/// One call of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The part, by its name.
    pub part: &'static str,
    /// As whom.
    pub role: Role,
    /// Who, by the name the configuration has for them.
    pub agent: String,
    /// The model that is asked.
    pub model: String,
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;

impl ProgressListener for NoListener {
    fn on_event(&self, _sight: &ProgressEvent<'_>) {}
}

/// A performer that somebody watches.
pub struct Watched<P> {
    performer: Arc<P>,
    listener: Arc<dyn ProgressListener>,
}

impl<P> Watched<P> {
    /// Has `listener` told of every effect that `performer` performs.
    pub fn new(performer: Arc<P>, listener: Arc<dyn ProgressListener>) -> Arc<Self> {
        Arc::new(Self { performer, listener })
    }
}

impl<P: Performer<Task>> Performer<Task> for Watched<P> {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        self.listener.on_event(&ProgressEvent::EffectStarted { effect: &effect });
        let answer = self.performer.perform(effect.clone(), reports).await;
        let came = answer.as_ref().map(|answer| &answer.input);
        self.listener.on_event(&ProgressEvent::EffectEnded { effect: &effect, came });
        answer
    }

    fn limit(&self, effect: &Effect) -> Duration {
        self.performer.limit(effect)
    }

    fn not_durable(&self, effect: &Effect, why: &str) {
        self.listener.on_event(&ProgressEvent::NotDurable { effect, why });
        self.performer.not_durable(effect, why);
    }
}

/// What is being done about an effect, in a few words.
pub fn doing(effect: &Effect) -> String {
    match effect {
        Effect::Task { want, .. } => match want {
            Want::Lease => "taking its turn".to_owned(),
            Want::Frame => "putting into words what is wanted".to_owned(),
            Want::Shape { .. } => "drafting the contract and the plan".to_owned(),
            Want::Ask { .. } => "asking a person".to_owned(),
            Want::WriteTests { .. } => "writing the acceptance tests".to_owned(),
            Want::RunRed { .. } => "seeing the tests fail first".to_owned(),
            Want::ApplyFix { .. } => "putting a person's fix in".to_owned(),
            Want::Probe { probe, .. } => match probe {
                Probe::Tripwire => "looking whether everything frozen is as it was".to_owned(),
                Probe::Check(name) => format!("checking `{name}`"),
                Probe::Read(role) => format!("having it read by the {}", role.name()),
            },
            Want::Challenge { .. } => "having it challenged".to_owned(),
            Want::Adjudicate { .. } => "having it judged".to_owned(),
            Want::CheckAmendments { .. } => "looking for the amendments".to_owned(),
            Want::Repair { .. } => "mending what failed".to_owned(),
            Want::Ship { .. } => "keeping it as a commit".to_owned(),
            Want::Tell { .. } => "telling the project".to_owned(),
        },
        Effect::Slice { effect } => match &effect.want {
            slice::Want::Scout { .. } => "finding out what is not known".to_owned(),
            slice::Want::Consolidate { .. } => "weighing what was found".to_owned(),
            slice::Want::Plan => "planning the smallest change".to_owned(),
            slice::Want::Edit { .. } => "changing the code".to_owned(),
            slice::Want::RunGate { gate: GateKind::Iteration, .. } => {
                "running the gate of every step".to_owned()
            }
            slice::Want::RunGate { gate: GateKind::Exit, .. } => {
                "running the gate a slice leaves by".to_owned()
            }
            slice::Want::Audit => "finding out why it is stuck".to_owned(),
            slice::Want::ChooseRung => "choosing another way".to_owned(),
        },
    }
}

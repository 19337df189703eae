//! Progress listeners: they are told what the task runner does. They cannot change it, and it does not wait for them.

use std::sync::Arc;
use std::time::Duration;

use sealwright_agents::{CallOutcome, Event};
use sealwright_kernel::task::slice::{self, GateKind};
use sealwright_kernel::task::{Effect, Input, Probe, Task, Want};
use sealwright_kernel::{EffectId, Role, TaskId};

use sealwright_host::{Answer, NotPerformed, Performer, ReportHandle};

pub trait ProgressListener: Send + Sync + 'static {
    /// Called from worker threads, so it must return quickly.
    fn on_event(&self, event: &ProgressEvent<'_>);
}

/// Something that happens while tasks run. Every event names its task, and events of a call name the call, so that a
/// listener can show several at once.
#[derive(Clone, Copy, Debug)]
pub enum ProgressEvent<'s> {
    /// An effect is performed now.
    EffectStarted { effect: &'s Effect },
    /// An effect was performed, or failed: the input to report, or why there is none.
    EffectEnded { effect: &'s Effect, result: Result<&'s Input, &'s NotPerformed> },
    /// The journal could not record an answer. The host keeps the answer and tries again later.
    NotDurable { effect: &'s Effect, why: &'s str },
    /// An agent is called.
    CallStarted { call: &'s Call },
    /// The called agent does or says something.
    CallEvent { call: &'s Call, event: &'s Event },
    /// The call ended.
    CallEnded { call: &'s Call, outcome: &'s CallOutcome },
}

/// One call of an agent. Task, effect and try together name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub task: TaskId,
    pub effect: EffectId,
    /// How often the same call was made before, because its answer could not be used.
    pub again: u32,
    /// The kind of call, by name.
    pub part: &'static str,
    pub role: Role,
    pub agent: String,
    pub model: String,
}

pub struct Watched<P> {
    performer: Arc<P>,
    listener: Arc<dyn ProgressListener>,
}

impl<P> Watched<P> {
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
        let result = answer.as_ref().map(|answer| &answer.input);
        self.listener.on_event(&ProgressEvent::EffectEnded { effect: &effect, result });
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

/// What is being done for an effect, in a few words.
pub fn doing(effect: &Effect) -> String {
    match effect {
        Effect::Task { want, .. } => match want {
            Want::Lease => "waiting for a turn".to_owned(),
            Want::Frame => "stating the objective".to_owned(),
            Want::Shape { .. } => "drafting the contract and the plan".to_owned(),
            Want::Ask { .. } => "asking a person".to_owned(),
            Want::WriteTests { .. } => "writing the acceptance tests".to_owned(),
            Want::RunRed { .. } => "running the tests before the change".to_owned(),
            Want::ApplyFix { .. } => "applying a person's fix".to_owned(),
            Want::Probe { probe, .. } => match probe {
                Probe::Tripwire => "checking frozen files".to_owned(),
                Probe::Check(name) => format!("running check `{name}`"),
                Probe::Read(role) => format!("review by the {}", role.name()),
            },
            Want::Challenge { .. } => "challenging the change".to_owned(),
            Want::Adjudicate { .. } => "adjudicating the challenge".to_owned(),
            Want::CheckAmendments { .. } => "checking the amendments".to_owned(),
            Want::Repair { .. } => "fixing what failed".to_owned(),
            Want::Ship { .. } => "writing the commit".to_owned(),
            Want::Tell { .. } => "reporting to the project".to_owned(),
        },
        Effect::Slice { effect } => match &effect.want {
            slice::Want::Scout { .. } => "answering open questions".to_owned(),
            slice::Want::Consolidate { .. } => "evaluating the findings".to_owned(),
            slice::Want::Plan => "planning the smallest change".to_owned(),
            slice::Want::Edit { .. } => "changing the code".to_owned(),
            slice::Want::RunGate { gate: GateKind::Iteration, .. } => {
                "running the iteration gate".to_owned()
            }
            slice::Want::RunGate { gate: GateKind::Exit, .. } => "running the exit gate".to_owned(),
            slice::Want::Audit => "diagnosing the stuck slice".to_owned(),
            slice::Want::ChooseRung => "choosing another approach".to_owned(),
        },
    }
}

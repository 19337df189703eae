//! A performer for tests: it answers each effect with a function and records the effects.

use std::sync::Mutex;
use std::time::Duration;

use sealwright_kernel::{Actor, Effect as _, EffectId, Machine};

use crate::{Answer, NotPerformed, Performer, ReportHandle};

pub struct Recording<M: Machine, F> {
    answer: F,
    performed: Mutex<Vec<Performed<M>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed<M: Machine> {
    pub id: EffectId,
    pub effect: M::Effect,
}

impl<M, F> Recording<M, F>
where
    M: Machine,
    F: Fn(&M::Effect) -> Result<M::Input, NotPerformed> + Send + Sync + 'static,
{
    pub fn new(answer: F) -> Self {
        Self { answer, performed: Mutex::new(Vec::new()) }
    }

    /// All effects performed so far, in order.
    pub fn performed(&self) -> Vec<Performed<M>> {
        self.performed.lock().expect("no panic while the lock is held").clone()
    }
}

impl<M, F> Performer<M> for Recording<M, F>
where
    M: Machine,
    F: Fn(&M::Effect) -> Result<M::Input, NotPerformed> + Send + Sync + 'static,
{
    async fn perform(
        &self,
        effect: M::Effect,
        _reports: ReportHandle<M>,
    ) -> Result<Answer<M>, NotPerformed> {
        let performed = Performed { id: effect.id(), effect: effect.clone() };
        self.performed.lock().expect("no panic while the lock is held").push(performed);
        let input = (self.answer)(&effect)?;
        Ok(Answer { input, actor: Actor::Environment, blobs: Vec::new() })
    }

    fn limit(&self, _effect: &M::Effect) -> Duration {
        Duration::from_secs(60)
    }
}

impl<M: Machine, F> std::fmt::Debug for Recording<M, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recording({:?})", self.performed)
    }
}

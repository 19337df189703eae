//! A performer for tests: it answers by a script and remembers what it was asked.

use std::sync::Mutex;
use std::time::Duration;

use sealwright_kernel::{Actor, Effect as _, EffectId, Machine};

use crate::{Answer, NotPerformed, Performer, ReportHandle};

/// Answers every effect by a function and records it.
pub struct Recording<M: Machine, F> {
    answer: F,
    performed: Mutex<Vec<Performed<M>>>,
}

/// One performance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed<M: Machine> {
    /// The effect's name.
    pub id: EffectId,
    /// The effect.
    pub effect: M::Effect,
}

impl<M, F> Recording<M, F>
where
    M: Machine,
    F: Fn(&M::Effect) -> Result<M::Input, NotPerformed> + Send + Sync + 'static,
{
    /// A performer that answers by `answer`.
    pub fn new(answer: F) -> Self {
        Self { answer, performed: Mutex::new(Vec::new()) }
    }

    /// Everything performed so far, in order.
    pub fn performed(&self) -> Vec<Performed<M>> {
        self.performed.lock().expect("nobody panics while recording").clone()
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
        _desk: ReportHandle<M>,
    ) -> Result<Answer<M>, NotPerformed> {
        let performed = Performed { id: effect.id(), effect: effect.clone() };
        self.performed.lock().expect("nobody panics while recording").push(performed);
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

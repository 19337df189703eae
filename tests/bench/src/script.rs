//! One whole task of the quick lane with precomputed answers.
//!
//! No person is asked: the contract is approved in advance and the evidence is complete. All answers are made before
//! the measurement starts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sealwright_host::{Answer, NotPerformed, Performer, ReportHandle};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Charter, Effect, Event, Freeze, Input, Task};
use sealwright_kernel::{Actor, Effect as _, EffectId, Lane, Machine, StreamId, scripted};
use sealwright_store::{FileJournal, Head, Layout};
use serde_json::{Value, json};

use crate::live::{ProgressListener, live, runtime};
use crate::memory::MemoryDisk;

pub(crate) struct Script {
    charter: Charter,
    /// Each is used once.
    answers: Mutex<BTreeMap<EffectId, Input>>,
}

impl Script {
    pub(crate) fn of(name: &str) -> Result<Arc<Self>> {
        let charter = scripted::charter(name, Lane::Quick, Header::default());
        let charter = Charter { freeze: Freeze::InAdvance, ..charter };
        let mut task = Task::default();
        let mut answers = BTreeMap::new();
        let mut next = Some(scripted::create(charter.clone()));
        while let Some(input) = next {
            ensure!(answers.len() < STEPS_MAX, "the task does not end");
            task.decide(&input)?.iter().for_each(|event| task.evolve(event));
            next = match task.owed().first() {
                None => None,
                Some(effect) => {
                    let input = scripted::honest(effect).context("no scripted answer")?;
                    answers.insert(effect.id(), input.clone());
                    Some(input)
                }
            };
        }
        ensure!(task.is_over(), "the task owes nothing and is not over");
        Ok(Arc::new(Self { charter, answers: Mutex::new(answers) }))
    }

    pub(crate) fn stream(&self) -> &StreamId {
        self.charter.id.stream()
    }

    pub(crate) fn begins(&self) -> Input {
        scripted::create(self.charter.clone())
    }

    pub(crate) fn charter(&self) -> &Charter {
        &self.charter
    }
}

impl<M> Performer<M> for Script
where
    M: Machine<Input = Input, Event = Event, Effect = Effect>,
{
    async fn perform(
        &self,
        effect: Effect,
        _desk: ReportHandle<M>,
    ) -> Result<Answer<M>, NotPerformed> {
        let mut answers = self.answers.lock().expect("no panic while the lock is held");
        let input = answers
            .remove(&effect.id())
            .ok_or_else(|| NotPerformed::Failed { why: "no scripted answer".to_owned() })?;
        Ok(Answer { input, actor: Actor::Environment, blobs: Vec::new() })
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(60)
    }
}

pub(crate) struct Step {
    pub(crate) name: String,
    /// The line in the stream, with its line feed.
    pub(crate) line: Vec<u8>,
}

/// The records of one task as in its stream.
pub(crate) fn steps() -> Result<Vec<Step>> {
    let script = Script::of("T-pace-000000")?;
    let journal = FileJournal::on(MemoryDisk::default(), Layout::new("/pace"));
    runtime()?.block_on(live::<Task, _>(journal.clone(), &script, ProgressListener::Nobody))?;
    let mut steps = Vec::new();
    journal.read_blocking(script.stream(), Head::START, &mut |entry| {
        let (name, line) = (name(&entry.record()?.cause), [entry.line(), b"\n"].concat());
        steps.push(Step { name, line });
        Ok(())
    })?;
    Ok(steps)
}

impl Step {
    /// The step for the comparison program.
    pub(crate) fn to_json(&self) -> Result<Value> {
        Ok(json!({ "step": self.name, "record": serde_json::from_slice::<Value>(&self.line)? }))
    }
}

/// The step name in the effect that a cause answers: `T-…/write-tests/try-1`.
fn name(cause: &Value) -> String {
    match (cause, effect_in(cause)) {
        (Value::Null, _) => "ended".to_owned(),
        (_, Some(effect)) => effect.rsplit('/').nth(1).unwrap_or(effect).to_owned(),
        (_, None) => "create".to_owned(),
    }
}

/// The effect that a cause names, at any depth.
fn effect_in(cause: &Value) -> Option<&str> {
    let members = cause.as_object()?;
    let named = members.get("effect").and_then(Value::as_str);
    named.or_else(|| members.values().find_map(effect_in))
}

/// More steps than any honest task has.
const STEPS_MAX: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_task_of_the_quick_lane_goes_from_its_creation_to_its_end_without_a_person() {
        let steps = steps().unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!((names.first(), names.last()), (Some(&"create"), Some(&"ended")));
        for name in ["frame", "shape", "write-tests", "red-run", "edit", "challenge", "ship"] {
            assert!(names.contains(&name), "{name} is missing in {names:?}");
        }
        assert!(!names.contains(&"ask"), "{names:?}");
    }
}

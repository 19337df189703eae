//! A task that the scripted world drives, with the records of its journal.

use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{
    Effect, Input, PersonInput, Probe, Residue, ResidueKind, Status, Task, Want, slice,
};
use sealwright_kernel::{
    Actor, Digest, Input as _, Lane, Machine as _, Seq, StreamId, Timestamp, scripted,
};
use sealwright_store::{BlobRef, Head, Record};
use sealwright_views::{Chronicle, View, ViewInput, render};
use serde_json::Value;

pub(crate) struct Scenario {
    pub(crate) task: Task,
    pub(crate) chronicle: Chronicle,
    pub(crate) records: Vec<Record>,
    suffix: &'static str,
}

impl Scenario {
    /// A new task.
    pub(crate) fn created() -> Self {
        Self::with_suffix("")
    }

    /// A new task; every sentence of the scripted world ends in `suffix`.
    pub(crate) fn with_suffix(suffix: &'static str) -> Self {
        Self::under(suffix, Header::default())
    }

    pub(crate) fn under(suffix: &'static str, header: Header) -> Self {
        let mut scenario = Self {
            task: Task::default(),
            chronicle: Chronicle::default(),
            records: vec![],
            suffix,
        };
        scenario.hear(scripted::create(scripted::charter("T-limits", Lane::Factory, header)));
        scenario
    }

    /// Answers what the task owes, with the answer that `pick` selects, until `is_end`.
    pub(crate) fn until(
        mut self,
        is_end: impl Fn(&Task) -> bool,
        pick: impl Fn(&Effect) -> usize,
    ) -> Self {
        for _ in 0..400 {
            if is_end(&self.task) {
                return self;
            }
            let owed = self.task.owed();
            let effect = owed.first().expect("nothing is owed before the end of the scenario");
            let input = scripted::answers(effect).swap_remove(pick(effect));
            self.hear(input);
        }
        panic!("the scenario does not end");
    }

    pub(crate) fn hear(&mut self, input: Input) {
        let input = self.suffixed(serde_json::to_value(&input).unwrap());
        let input: Input = serde_json::from_value(input).expect("a longer text is still a text");
        let events = self.task.decide(&input).expect("the scripted world is honest");
        for event in &events {
            self.task.evolve(event);
        }
        let seq = Seq::new(self.records.len() as u64 + 1);
        self.record(Record {
            stream: StreamId::new("T-limits").unwrap(),
            seq,
            at: Timestamp::from_millis(1_700_000_000_000 + seq.get() * 61_000),
            actor: input.signed_by().cloned().unwrap_or(Actor::Machine),
            cause: serde_json::to_value(&input).unwrap(),
            events: events.iter().map(|event| serde_json::to_value(event).unwrap()).collect(),
            blobs: vec![BlobRef { sha256: Digest::of(b"running 3 tests"), size: 15 }],
            prev: Digest::ZERO,
            hash: Digest::of(&seq.get().to_be_bytes()),
        });
    }

    /// Replays the records and calls `look` after each.
    pub(crate) fn each_step(&self, mut look: impl FnMut(&Self)) {
        let mut step = Self {
            task: Task::default(),
            chronicle: Chronicle::default(),
            records: vec![],
            suffix: self.suffix,
        };
        for record in &self.records {
            for event in &record.events {
                step.task.evolve(&serde_json::from_value(event.clone()).unwrap());
            }
            step.record(record.clone());
            look(&step);
        }
    }

    pub(crate) fn record(&mut self, record: Record) {
        self.chronicle.add(&record);
        self.records.push(record);
    }

    pub(crate) fn note(&mut self, text: &str) {
        let says = PersonInput::Note { text: text.to_owned() };
        self.hear(Input::Person { by: scripted::ada(), says });
    }

    pub(crate) fn views(&self) -> Vec<View> {
        self.views_with(&|_| Some("running 3 tests\ntest limits::two_tenants ... ok\n".to_owned()))
    }

    pub(crate) fn views_with(&self, outputs: &dyn Fn(&Digest) -> Option<String>) -> Vec<View> {
        let last = self.records.last().expect("a scenario has a record");
        let head = Head { seq: last.seq, hash: last.hash };
        let (task, chronicle) = (&self.task, &self.chronicle);
        render(&ViewInput { task, chronicle, head, at: last.at, outputs })
    }

    pub(crate) fn view(&self, name: &str) -> String {
        let views = self.views();
        views.into_iter().find(|view| view.name == name).expect("there is such a view").content
    }

    /// Appends the suffix to every sentence, but not to names, digests and keywords.
    fn suffixed(&self, value: Value) -> Value {
        match value {
            Value::String(text) if text.contains(' ') || text == "ada" => {
                Value::String(format!("{text}{}", self.suffix))
            }
            Value::Array(values) => values.into_iter().map(|value| self.suffixed(value)).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(name, value)| (name, self.suffixed(value))).collect()
            }
            other => other,
        }
    }
}

/// A view without its footer.
pub(crate) fn body(content: &str) -> &str {
    let (body, _) = content.trim_end().rsplit_once('\n').expect("a view has a footer");
    body
}

pub(crate) fn honest(_: &Effect) -> usize {
    0
}

/// Every check fails.
pub(crate) fn failing(effect: &Effect) -> usize {
    match effect {
        Effect::Task { want: Want::Probe { probe: Probe::Check(_), .. }, .. } => 1,
        _ => 0,
    }
}

/// A task whose builder says what no test can settle, and what later tasks should know.
pub(crate) fn learned(found: &[(ResidueKind, &str)]) -> Scenario {
    let is_editing = |task: &Task| {
        let wants = |effect: &Effect| matches!(effect, Effect::Slice { effect } if matches!(effect.want, slice::Want::Edit { .. }));
        task.owed().iter().any(wants)
    };
    let mut scenario = Scenario::created().until(is_editing, honest);
    let mut input = scripted::answers(&scenario.task.owed().remove(0)).remove(0);
    if let Input::Slice { input: slice::Input::Edited { edit, .. } } = &mut input {
        let residue = |(kind, what): &(_, &str)| Residue { kind: *kind, what: (*what).to_owned() };
        edit.pass.residue = found.iter().map(residue).collect();
        edit.pass.lessons = vec!["the clock is read once".to_owned()];
    }
    scenario.hear(input);
    scenario
}

pub(crate) fn parked() -> Scenario {
    Scenario::created().until(|task| task.status() == Status::Parked, honest)
}

pub(crate) fn halted() -> Scenario {
    Scenario::created().until(|task| task.status() == Status::Halted, failing)
}

pub(crate) fn done() -> Scenario {
    Scenario::created().until(|task| task.status() == Status::Shipped, honest)
}

//! The machines of the simulation, and the world's answers to each.

use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::{self, Freeze, Task};
use sealwright_kernel::{
    Access, Actor, Cost, Digest, Effect as _, InvocationId, Lane, Machine, Role, StreamId, scripted,
};
use sealwright_model_check::tasks::Watch;
use sealwright_sample_machine::{
    self as sample, Brief, Capture, Errand, Fault, Finding, stream_of,
};

/// A machine that the world can drive.
pub trait Part: Machine {
    /// The independent checker of a path.
    type Watch: Default;

    fn stream() -> StreamId;

    /// The distance of its snapshots in records, if it has any: `drawn`, unless it is always folded from the start.
    fn snapshot_every(drawn: u64) -> Option<u64> {
        Some(drawn)
    }

    /// The input that starts it.
    fn begin(dice: &mut fastrand::Rng) -> (Actor, Self::Input);

    fn has_begun(&self) -> bool;

    /// An answer to `effect`, good or bad.
    fn answer(effect: &Self::Effect, dice: &mut fastrand::Rng) -> Self::Input;

    /// An answer that settles its effect.
    fn final_answer(effect: &Self::Effect, dice: &mut fastrand::Rng) -> Self::Input;

    /// A report during the performance of an effect.
    fn on_the_way(_effect: &Self::Effect) -> Option<Self::Input> {
        None
    }

    /// The report of a timeout.
    fn out_of_time(_effect: &Self::Effect) -> Option<Self::Input> {
        None
    }

    /// A person's answer to `effect`, if it asks one. After some tries the answer ends the machine.
    fn person(
        _effect: &Self::Effect,
        _patience: Patience,
        _dice: &mut fastrand::Rng,
    ) -> Option<(Actor, Self::Input)> {
        None
    }

    /// An unsolicited input of a person.
    fn whim(dice: &mut fastrand::Rng) -> (Actor, Self::Input);

    fn watch(
        _watch: &mut Self::Watch,
        _before: &Self,
        _input: &Self::Input,
        _events: &[Self::Event],
        _after: &Self,
    ) -> Result<(), String> {
        Ok(())
    }
}

/// Whether a person still tries things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Left,
    /// The person ends it; the number counts how often the same question was asked.
    Out(u32),
}

impl Part for Errand {
    type Watch = ();

    fn stream() -> StreamId {
        stream_of(InvocationId::new(1))
    }

    fn begin(dice: &mut fastrand::Rng) -> (Actor, sample::Input) {
        let (id, task) = (InvocationId::new(1), Digest::of(b"task"));
        let access = if dice.bool() { Access::Write } else { Access::ReadOnly };
        let brief = Brief { id, role: Role::Builder, access, task };
        (scripted::ada(), sample::Input::Request { brief })
    }

    fn has_begun(&self) -> bool {
        *self.state() != sample::State::Idle
    }

    fn answer(effect: &sample::Effect, dice: &mut fastrand::Rng) -> sample::Input {
        use sample::{Effect, Input};
        let id = effect.id();
        // Honest answers to one effect vary between tries, as those of a model do.
        let digest = Digest::of(format!("{id} {}", dice.u8(0..3)).as_bytes());
        let die = dice.u8(0..8);
        match effect {
            Effect::BuildContext { .. } | Effect::Invoke { .. } if die == 0 => {
                Input::Aborted { effect: id, why: Fault::Dropped }
            }
            Effect::BuildContext { .. } => Input::ContextBuilt { effect: id, context: digest },
            Effect::Invoke { .. } if die == 1 => Input::Started { effect: id },
            Effect::Invoke { .. } => {
                let capture = Capture { output: digest, changes: digest };
                Input::Answered { effect: id, capture }
            }
            Effect::Inspect { .. } => {
                let findings = match die {
                    0..=2 => vec![Finding::SchemaInvalid { why: "no verdict".to_owned() }],
                    3 => vec![Finding::NoProgress],
                    _ => vec![],
                };
                Input::Inspected { effect: id, findings }
            }
            Effect::Checkpoint { .. } | Effect::Restore { .. } => {
                Input::TreeSettled { effect: id, at: digest }
            }
        }
    }

    fn final_answer(effect: &sample::Effect, dice: &mut fastrand::Rng) -> sample::Input {
        loop {
            let answer = Self::answer(effect, dice);
            if !matches!(answer, sample::Input::Started { .. }) {
                return answer;
            }
        }
    }

    fn on_the_way(effect: &sample::Effect) -> Option<sample::Input> {
        Some(sample::Input::Started { effect: effect.id() })
    }

    fn out_of_time(effect: &sample::Effect) -> Option<sample::Input> {
        let late = || sample::Input::Aborted { effect: effect.id(), why: Fault::TimedOut };
        matches!(effect, sample::Effect::Invoke { .. }).then(late)
    }

    fn whim(dice: &mut fastrand::Rng) -> (Actor, sample::Input) {
        let (errand, reason) = (InvocationId::new(1), "enough".to_owned());
        let cancel = sample::Input::Cancel { errand, by: scripted::ada(), reason };
        match dice.u8(0..4) {
            0 => (scripted::ada(), cancel),
            _ => Self::begin(dice),
        }
    }
}

impl Part for Task {
    type Watch = Watch;

    fn stream() -> StreamId {
        scripted::charter("T-sim", Lane::Quick, Header::default()).id.stream().clone()
    }

    fn snapshot_every(_: u64) -> Option<u64> {
        // A task has no cache.
        None
    }

    fn begin(dice: &mut fastrand::Rng) -> (Actor, task::Input) {
        let lane = Lane::ALL[dice.usize(0..3)];
        let autonomy = [Autonomy::Auto, Autonomy::Conservative, Autonomy::Manual][dice.usize(0..3)];
        let risk = if dice.u8(0..4) == 0 { Risk::High } else { Risk::Normal };
        let charter = scripted::charter("T-sim", lane, Header { autonomy, risk });
        let in_advance = lane == Lane::Quick && risk == Risk::Normal && dice.bool();
        let freeze = if in_advance { Freeze::InAdvance } else { Freeze::Asked };
        let micro_dollars = Some(dice.u64(1..5));
        let budget = task::Budget { micro_dollars, ..task::Budget::default() };
        let budget = (dice.u8(0..4) == 0).then_some(budget);
        (scripted::ada(), scripted::create(task::Charter { freeze, budget, ..charter }))
    }

    fn has_begun(&self) -> bool {
        self.data().is_some()
    }

    fn answer(effect: &task::Effect, dice: &mut fastrand::Rng) -> task::Input {
        let (answers, lies) = (scripted::answers(effect), scripted::lies(effect));
        // Mostly the honest answer, or no task would reach its end.
        match dice.u8(0..8) {
            0 if !lies.is_empty() => lies[dice.usize(0..lies.len())].clone(),
            1..=2 if !answers.is_empty() => answers[dice.usize(0..answers.len())].clone(),
            _ => answers.into_iter().next().unwrap_or(task::Input::Dispatch),
        }
    }

    fn final_answer(effect: &task::Effect, dice: &mut fastrand::Rng) -> task::Input {
        let answers = scripted::answers(effect);
        let nth = if dice.bool() { 0 } else { dice.usize(0..answers.len()) };
        answers[nth].clone()
    }

    fn person(
        effect: &task::Effect,
        patience: Patience,
        dice: &mut fastrand::Rng,
    ) -> Option<(Actor, task::Input)> {
        let task::Effect::Task { want: task::Want::Ask { question }, .. } = effect else {
            return None;
        };
        let answers = scripted::answers(effect);
        let nth = match (patience, &question.about) {
            (Patience::Left, _) => dice.usize(0..answers.len()),
            // Abandoning is always admitted.
            (Patience::Out(_), task::QuestionSubject::Halt { .. }) => answers.len() - 1,
            // High risk at `auto` is never frozen; a person must lower the autonomy.
            (Patience::Out(times), task::QuestionSubject::Freeze) if times % 2 == 0 => {
                return Some((scripted::ada(), lower_the_rung()));
            }
            (
                Patience::Out(_),
                task::QuestionSubject::Freeze
                | task::QuestionSubject::Done { .. }
                | task::QuestionSubject::Budget { .. },
            ) => 0,
        };
        Some((scripted::ada(), answers[nth].clone()))
    }

    fn whim(dice: &mut fastrand::Rng) -> (Actor, task::Input) {
        use task::{Input, Notice, PersonInput};
        let says = |says| (scripted::ada(), Input::Person { by: scripted::ada(), says });
        let notice = |notice| (Actor::Machine, Input::Notice { notice });
        let cheat = sealwright_kernel::Cheat::Overfit;
        match dice.u8(0..8) {
            0 => says(PersonInput::Heal { cheat, reason: "it knows the fixture".to_owned() }),
            1 => notice(Notice::TextDrifted { found: Digest::of(b"an edited text") }),
            2 => notice(Notice::TextRestored),
            3 => says(PersonInput::Note { text: format!("note {}", dice.u32(..)) }),
            4 => (Actor::Machine, Input::Dispatch),
            5 => (Actor::Machine, spend(dice)),
            6 => {
                let micro_dollars = Some(dice.u64(0..9));
                says(PersonInput::RaiseBudget {
                    budget: task::Budget { micro_dollars, ..task::Budget::default() },
                })
            }
            _ => Self::begin(dice),
        }
    }

    fn watch(
        watch: &mut Watch,
        before: &Self,
        input: &task::Input,
        events: &[task::Event],
        after: &Self,
    ) -> Result<(), String> {
        watch.see(before, input, events, after)
    }
}

/// The receipt of a role call, sometimes reported twice.
fn spend(dice: &mut fastrand::Rng) -> task::Input {
    let charter = scripted::charter("T-sim", Lane::Quick, Header::default());
    let effect = task::Effect::Task { task: charter.id, visit: 1, want: task::Want::Frame };
    let cost = Cost { micro_dollars: dice.u64(0..4), ..Cost::default() };
    scripted::spend(&effect, dice.u32(1..9), cost)
}

fn lower_the_rung() -> task::Input {
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::High };
    let charter = scripted::charter("T-sim", Lane::Quick, header);
    let task::Charter { text, title, criteria, lane, .. } = charter;
    let says = task::PersonInput::Adopt { text, title, criteria, lane, header };
    task::Input::Person { by: scripted::ada(), says }
}

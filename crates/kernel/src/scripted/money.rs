//! What the scripted world costs, and lies about money that must be turned away.

use alloc::string::ToString as _;
use alloc::vec;
use alloc::vec::Vec;

use super::ada;
use crate::task::{Budget, CallEnd, Choice, Effect, Input, PersonInput, Question, Receipt, Task};
use crate::{Actor, Cost, Effect as _, EffectId, InvocationId, Role};

/// What the `nth` call of a task cost that served `effect`.
pub fn spend(effect: &Effect, nth: u32, cost: Cost) -> Input {
    let end = CallEnd::Answered;
    Input::Spend { receipt: Receipt { end, ..receipt(effect.id(), nth, cost) } }
}

/// A budget that goes further than `spent`, in every bound that `budget` sets.
pub fn more_than(budget: Budget, spent: Cost) -> Budget {
    let more = |most: Option<u64>, spent: u64| {
        most.map(|most| most.max(spent).saturating_mul(2).saturating_add(1))
    };
    Budget {
        micro_dollars: more(budget.micro_dollars, spent.micro_dollars),
        tokens: more(budget.tokens, spent.tokens),
        millis: more(budget.millis, spent.millis),
    }
}

/// Invalid receipts and budgets for a task whose calls are numbered from one.
pub fn money_lies(task: &Task) -> Vec<Input> {
    let Some(known) = task.data() else { return vec![] };
    let all = known.spending.all();
    let elsewhere = receipt(EffectId::of("T-another", "frame", 1), all.calls + 1, Cost::default());
    let mut lies = vec![Input::Spend { receipt: elsewhere }];
    if all.calls > 0 {
        let own = EffectId::of(&known.charter.id, "frame", 1);
        lies.push(Input::Spend { receipt: receipt(own, all.calls, Cost::default()) });
    }
    let raise = |by: Actor, budget| Input::Person { by, says: PersonInput::RaiseBudget { budget } };
    let role = Actor::Role(Role::Builder, InvocationId::new(1));
    let strangers = [role, Actor::Machine, Actor::Environment, Actor::Human(" ".to_string())];
    lies.extend(strangers.map(|by| raise(by, Budget::default())));
    let spent = all.cost;
    lies.extend([
        raise(ada(), Budget { micro_dollars: Some(spent.micro_dollars), ..Budget::default() }),
        raise(ada(), Budget { tokens: Some(spent.tokens), ..Budget::default() }),
        raise(ada(), Budget { millis: Some(spent.millis), ..Budget::default() }),
    ]);
    lies
}

/// What a person may answer once the budget is reached: pay on, or give it up.
pub(super) fn answers(
    id: &EffectId,
    question: &Question,
    budget: Budget,
    spent: Cost,
) -> Vec<Input> {
    let budget = more_than(budget, spent);
    let person = |says| Input::Person { by: ada(), says };
    let reject = decide(id, question, Choice::Reject);
    vec![person(PersonInput::RaiseBudget { budget }), person(reject)]
}

/// A yes without an amount.
pub(super) fn blank_answers(id: &EffectId, question: &Question) -> [Input; 2] {
    [Choice::Approve, Choice::Amend]
        .map(|choice| Input::Person { by: ada(), says: decide(id, question, choice) })
}

fn decide(id: &EffectId, question: &Question, choice: Choice) -> PersonInput {
    let rationale = "it costs too much".to_string();
    PersonInput::Decide { question: id.clone(), item: question.item, choice, rationale }
}

fn receipt(effect: EffectId, nth: u32, cost: Cost) -> Receipt {
    Receipt {
        invocation: InvocationId::new(nth),
        effect,
        part: "edit".to_string(),
        role: Role::Builder,
        agent: "main".to_string(),
        model: "a-model".to_string(),
        cost,
        turns: 3,
        end: CallEnd::GaveUp,
        way_out: None,
    }
}

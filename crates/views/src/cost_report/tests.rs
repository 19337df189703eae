use sealwright_kernel::task::{Charter, Input, Receipt};
use sealwright_kernel::{Lane, Machine as _, scripted};

use super::*;

#[test]
fn a_bill_has_a_line_for_each_role_and_counts_the_gates() {
    let mut task = Task::default();
    let header = sealwright_kernel::owner::Header::default();
    let budget = Some(Budget { micro_dollars: Some(5_000_000), ..Budget::default() });
    let charter = Charter { budget, ..scripted::charter("T-x", Lane::Quick, header) };
    put(&mut task, scripted::create(charter));
    let mut calls = 0;
    while !task.is_over() {
        let effect = task.owed().remove(0);
        if effect.asks_a_role() {
            calls += 1;
            let cost = Cost { millis: 61_000, tokens: 1_500, micro_dollars: 30_000 };
            let Input::Spend { receipt } = scripted::spend(&effect, calls, cost) else {
                unreachable!("spend gives a receipt")
            };
            let role = if calls % 2 == 0 { Role::Builder } else { Role::Planner };
            put(&mut task, Input::Spend { receipt: Receipt { role, ..receipt } });
        }
        put(&mut task, scripted::honest(&effect).unwrap());
    }
    insta::assert_snapshot!(bill(&task).lines().join("\n"), @"
    builder: 3 calls, $0.09, 4,500 tokens, 3 min 3 s, 9 turns
    planner: 4 calls, $0.12, 6,000 tokens, 4 min 4 s, 12 turns
    all roles: 7 calls, $0.21, 10,500 tokens, 7 min 7 s, 21 turns
    budget: $0.21 of $5.00
    gates: 5 passed, 0 failed
    agent turns spent on the engine: 0 (each turn belongs to the receipt of a role)
    ");
    assert_eq!(bill(&task).engine_turns, 0);
    insta::assert_snapshot!(bill(&task).summary().join("\n"), @"
    builder: 3 calls, $0.09, 4,500 tokens, 3 min 3 s, 9 turns
    planner: 4 calls, $0.12, 6,000 tokens, 4 min 4 s, 12 turns
    all roles: 7 calls, $0.21, 10,500 tokens, 7 min 7 s, 21 turns
    budget: $0.21 of $5.00
    ");
    // Calls of an agent without a model use nothing.
    let mut free = bill(&task);
    free.roles.iter_mut().for_each(|(_, total)| total.cost = Cost::default());
    free.all.cost = Cost::default();
    assert_eq!(free.summary(), ["builder: 3 calls, planner: 4 calls; no tokens"]);
    assert_eq!(Bill::default().summary(), [""; 0]);
}

#[test]
fn a_task_that_cost_nothing_has_a_bill() {
    insta::assert_snapshot!(bill(&Task::default()).lines().join("\n"), @"
    all roles: 0 calls, $0.00, 0 tokens, 0.0 s, 0 turns
    gates: 0 passed, 0 failed
    agent turns spent on the engine: 0 (each turn belongs to the receipt of a role)
    ");
}

#[test]
fn an_offer_names_the_command_and_the_number_of_calls() {
    let budget =
        Budget { micro_dollars: Some(5_000_000), tokens: Some(9_000_000), millis: Some(3_600_000) };
    let spent = Cost { millis: 3_700_000, tokens: 1_000_000, micro_dollars: 5_020_000 };
    let lines: Vec<String> = offers(budget, spent, 20).iter().map(Offer::line).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    budget --dollars 7.53 --minutes 93 (raise to $7.53, 93 min: about 10 more calls at the mean price so far)
    budget --dollars 10.04 --minutes 124 (raise to $10.04, 124 min: about 20 more calls at the mean price so far)
    ");
    for offer in offers(budget, spent, 20) {
        assert_eq!(offer.budget.reached(spent), None);
        assert_eq!(
            offer.budget.tokens, budget.tokens,
            "a bound that is not reached does not change"
        );
    }
}

#[test]
fn an_offer_without_priced_calls_names_no_number() {
    let budget = Budget { tokens: Some(1), ..Budget::default() };
    let offered = offers(budget, Cost { tokens: 1, ..Cost::default() }, 0);
    assert!(offered.iter().all(|offer| offer.calls.is_none()), "{offered:?}");
    // The largest amounts do not overflow.
    let most = Cost { tokens: u64::MAX, millis: u64::MAX, micro_dollars: u64::MAX };
    let budget = Budget { tokens: Some(1), micro_dollars: Some(1), millis: Some(1) };
    assert!(!offers(budget, most, u32::MAX).is_empty());
}

fn put(task: &mut Task, input: Input) {
    let events = task.decide(&input).unwrap();
    events.iter().for_each(|event| task.evolve(event));
}

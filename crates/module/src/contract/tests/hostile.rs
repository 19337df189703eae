//! Whatever text comes in, reading it ends with problems that name their places.

use std::string::{String, ToString as _};
use std::vec::Vec;

use proptest::prelude::*;
use serde_json::Value;

use crate::contract::*;
use crate::testing::contract_json;

/// Every reader of the crate, on one text. Each refusal names a place and a fix.
fn read_all(text: &[u8]) -> Vec<Problems> {
    let refused = [
        MicroModuleContract::parse(text).err(),
        ContractDelta::parse(text).err(),
        CoverageClaim::parse(text).err(),
        ShipEvidence::parse(text).err(),
        ExecutionLog::parse(text).err(),
        crate::plan::ReuseSearchReport::parse(text).err(),
        crate::plan::MicroPlan::parse(text).err(),
        crate::plan::MicroPlan::check(text, &crate::testing::plan_facts()).err(),
    ];
    refused.into_iter().flatten().collect()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("MM-limiter@1.0.0")),
        Just(Value::from("MM-window")),
    ];
    let name = prop_oneof![
        any::<String>(),
        Just("inputs".to_string()),
        Just("modules".to_string()),
        Just("name".to_string()),
        Just("depends_on".to_string()),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

/// Puts `new` somewhere into `value`: `steps` choose where.
fn planted(value: &mut Value, steps: &[usize], new: Value) {
    let Some((step, rest)) = steps.split_first() else {
        *value = new;
        return;
    };
    let child = match value {
        Value::Array(list) => {
            let at = step % list.len().max(1);
            list.get_mut(at)
        }
        Value::Object(map) => {
            let at = step % map.len().max(1);
            map.values_mut().nth(at)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    match child {
        Some(child) => planted(child, rest, new),
        None => *value = new,
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in any::<Vec<u8>>()) {
        prop_assert_eq!(read_all(&text).len(), 8);
    }

    #[test]
    fn a_refusal_names_a_place_and_a_fix(
        new in values(),
        steps in prop::collection::vec(any::<usize>(), 0..7),
        of_plan in any::<bool>(),
    ) {
        let mut value = if of_plan { crate::testing::plan_json() } else { contract_json() };
        planted(&mut value, &steps, new);
        for problems in read_all(value.to_string().as_bytes()) {
            prop_assert!(!problems.list().is_empty() && problems.list().len() <= PROBLEMS_MAX + 1);
            for problem in problems.list() {
                prop_assert!(problem.path.starts_with('$'), "{:?}", problem);
                prop_assert!(!problem.what.is_empty() && !problem.fix.is_empty(), "{:?}", problem);
                prop_assert!(!problem.what.contains(char::is_control), "{:?}", problem);
                prop_assert!(problem.what.len() < 2000 && problem.fix.len() < 6000, "{:?}", problem);
            }
        }
    }

    /// A contract that is accepted reads back from its own bytes as itself.
    #[test]
    fn an_accepted_contract_is_a_fixed_point(
        new in values(),
        steps in prop::collection::vec(any::<usize>(), 1..6),
    ) {
        let mut value = contract_json();
        planted(&mut value, &steps, new);
        if let Ok(contract) = MicroModuleContract::parse(value.to_string().as_bytes()) {
            let again = MicroModuleContract::parse(&contract.canonical());
            prop_assert_eq!(again, Ok(contract));
        }
    }
}

proptest! {
    /// So does a plan, and it is locked as the same.
    #[test]
    fn an_accepted_plan_is_a_fixed_point(
        new in values(),
        steps in prop::collection::vec(any::<usize>(), 1..7),
    ) {
        let mut value = crate::testing::plan_json();
        planted(&mut value, &steps, new);
        let facts = crate::testing::plan_facts();
        if let Ok(checked) = crate::plan::MicroPlan::check(value.to_string().as_bytes(), &facts) {
            let stored = serde_json::to_vec(&checked.plan).unwrap();
            let again = crate::plan::MicroPlan::check(&stored, &facts).unwrap();
            prop_assert_eq!(again.plan.digest(), checked.plan.digest());
            prop_assert_eq!(again, checked);
        }
    }
}

#[test]
fn a_bottomless_document_is_refused() {
    let deep = "[".repeat(100_000);
    assert_eq!(read_all(deep.as_bytes()).len(), 8);
    let deep = std::format!("{{\"inputs\":{}{}}}", "[".repeat(120), "]".repeat(120));
    assert_eq!(read_all(deep.as_bytes()).len(), 8);
}

//! The order in which modules can be built, and what a halt stops.

use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::contract::ModuleId;
use crate::plan::graph::order;
use crate::plan::{AfterHalt, MicroPlan, PlanModule};
use crate::testing::{ids, plan_json};

/// A plan of modules `MM-0`, `MM-1`, … that depend on each other as the table says.
fn planned(depends_on: &[&[usize]]) -> MicroPlan {
    let used: BTreeSet<usize> = depends_on.iter().flat_map(|it| it.iter().copied()).collect();
    let facade = (0..depends_on.len()).find(|nth| !used.contains(nth));
    let module = |(nth, on): (usize, &&[usize])| {
        let mut it = plan_json()["modules"][1].clone();
        it["module_id"] = json!(format!("MM-{nth}"));
        it["contract"]["module_id"] = it["module_id"].clone();
        it["facade"] = json!(facade == Some(nth));
        it["depends_on"] = on.iter().map(|on| json!(format!("MM-{on}@1.0.0"))).collect();
        let dependency = |on: &usize| json!({"ref": format!("MM-{on}@^1"), "why": "it is used"});
        it["contract"]["dependencies"] = on.iter().map(dependency).collect();
        it
    };
    let mut value = plan_json();
    value["modules"] = depends_on.iter().enumerate().map(module).collect::<Value>();
    MicroPlan::parse(value.to_string().as_bytes()).unwrap()
}

fn names(modules: Vec<&PlanModule>) -> Vec<String> {
    modules.iter().map(|it| it.module_id.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<ModuleId> {
    ids(names).into_iter().collect()
}

/// Proves: F-PLAN-017
#[test]
fn roots_come_first_and_ties_follow_the_declaration() {
    let table: [(&[&[usize]], &[&str]); 5] = [
        (&[&[]], &["MM-0"]),
        (&[&[], &[]], &["MM-0", "MM-1"]),
        (&[&[2], &[2], &[]], &["MM-2", "MM-0", "MM-1"]),
        // Both roots come before the module that the first of them frees.
        (&[&[], &[0], &[]], &["MM-0", "MM-2", "MM-1"]),
        (&[&[3], &[0], &[3], &[]], &["MM-3", "MM-0", "MM-1", "MM-2"]),
    ];
    for (depends_on, expected) in table {
        assert_eq!(names(planned(depends_on).order()), expected, "{depends_on:?}");
    }
}

#[test]
fn a_module_is_ready_when_what_it_needs_is_shipped() {
    let plan = planned(&[&[], &[0], &[], &[1, 2]]);
    let ready = |shipped: &[&str]| names(plan.ready(&set(shipped)));
    assert_eq!(ready(&[]), ["MM-0", "MM-2"]);
    assert_eq!(ready(&["MM-0"]), ["MM-2", "MM-1"]);
    assert_eq!(ready(&["MM-0", "MM-1"]), ["MM-2"]);
    assert_eq!(ready(&["MM-0", "MM-1", "MM-2"]), ["MM-3"]);
    assert_eq!(ready(&["MM-0", "MM-1", "MM-2", "MM-3"]), [""; 0]);
}

#[test]
fn a_halt_stops_its_dependents_and_no_other_module() {
    let plan = planned(&[&[], &[0], &[], &[1], &[2], &[3, 4]]);
    let after = |halted: &[&str]| plan.after_halt(&set(halted));
    let expected = |blocked: &[&str], buildable: &[&str]| AfterHalt {
        blocked: ids(blocked),
        buildable: ids(buildable),
    };
    assert_eq!(after(&["MM-0"]), expected(&["MM-1", "MM-3", "MM-5"], &["MM-2", "MM-4"]));
    assert_eq!(after(&["MM-5"]), expected(&[], &["MM-0", "MM-2", "MM-1", "MM-3", "MM-4"]));
    assert_eq!(after(&["MM-1", "MM-2"]), expected(&["MM-3", "MM-4", "MM-5"], &["MM-0"]));
    assert_eq!(after(&[]).blocked, []);
    // Nothing is built for a reused module, and it blocks nothing.
    let after = crate::testing::plan().after_halt(&set(&["MM-window"]));
    assert_eq!(after, expected(&["MM-limiter"], &[]));
}

/// Random graphs; edges may go anywhere.
fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1..12_usize)
        .prop_flat_map(|count| prop::collection::vec(prop::collection::vec(0..count, 0..3), count))
}

proptest! {
    #[test]
    fn an_order_puts_each_node_behind_its_needs_and_a_cycle_is_one(graph in graphs()) {
        match order(&graph) {
            Ok(order) => {
                let place = |nth: usize| order.iter().position(|it| *it == nth).unwrap();
                prop_assert_eq!(order.len(), graph.len());
                for (nth, on) in graph.iter().enumerate() {
                    prop_assert!(on.iter().all(|on| place(*on) < place(nth)));
                }
            }
            Err(cycle) => {
                prop_assert!(cycle.len() >= 2 && cycle.first() == cycle.last());
                prop_assert!(cycle.windows(2).all(|it| graph[it[0]].contains(&it[1])));
                let inner: BTreeSet<_> = cycle[1..].iter().collect();
                prop_assert_eq!(inner.len(), cycle.len() - 1);
            }
        }
    }

    /// Blocked, buildable and halted are everything, once, and a buildable module needs none of the others.
    #[test]
    fn a_halt_parts_the_plan(graph in graphs(), halted in prop::collection::btree_set(0..12_usize, 0..4)) {
        let forward: Vec<Vec<usize>> = graph.iter().enumerate().map(|(nth, on)| {
            let below: BTreeSet<usize> = on.iter().copied().filter(|it| *it < nth).collect();
            below.into_iter().collect()
        }).collect();
        let slices: Vec<&[usize]> = forward.iter().map(Vec::as_slice).collect();
        let plan = planned(&slices);
        let halted: BTreeSet<ModuleId> = halted.iter().filter(|nth| **nth < graph.len())
            .map(|nth| format!("MM-{nth}").parse().unwrap()).collect();
        let AfterHalt { blocked, buildable } = plan.after_halt(&halted);
        let all: BTreeSet<&ModuleId> = blocked.iter().chain(&buildable).chain(&halted).collect();
        prop_assert_eq!(all.len(), graph.len());
        prop_assert_eq!(blocked.len() + buildable.len() + halted.len(), graph.len());
        for id in &buildable {
            prop_assert!(plan.module(id).unwrap().depends_on.iter().all(|on| buildable.contains(&on.id)));
        }
        for id in &blocked {
            let on = &plan.module(id).unwrap().depends_on;
            prop_assert!(on.iter().any(|on| blocked.contains(&on.id) || halted.contains(&on.id)));
        }
    }
}

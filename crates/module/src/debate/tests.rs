use std::println;
use std::string::String;
use std::vec::Vec;

use super::explore::{careless, explore};
use super::guards::Guard;

#[test]
fn every_run_keeps_the_rules() {
    let explored = explore(None).unwrap_or_else(|why| panic!("{why}"));
    println!("{explored:?}");
    assert!(explored.shipped > 0 && explored.halted > 0);
}

#[test]
fn a_missing_guard_is_noticed() {
    for guard in Guard::ALL {
        println!(
            "{guard:?} {}",
            explore(Some(guard)).err().map_or(String::from("SURVIVES"), |it| it
                .lines()
                .next()
                .unwrap()
                .into())
        );
    }
    let survivors: Vec<Guard> =
        Guard::ALL.into_iter().filter(|guard| explore(Some(*guard)).is_ok()).collect();
    assert_eq!(survivors, []);
}

#[test]
fn a_careless_world_breaks_nothing() {
    let mut shipped = 0;
    let mut steps = 0;
    for seed in 0..2_000 {
        let run = careless(seed, 80).unwrap_or_else(|why: String| panic!("{why}"));
        shipped += usize::from(run.is_shipped);
        steps += run.steps;
    }
    println!("{shipped} shipped, {steps} steps");
}

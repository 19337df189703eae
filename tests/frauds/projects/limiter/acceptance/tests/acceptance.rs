//! Several tokens at once.

use limiter::{Bucket, Refused};

/// C1
#[test]
fn several_tokens_are_taken_together() {
    let mut bucket = Bucket::new(10, 1);
    assert_eq!(bucket.take_many(4, 0), Ok(()));
    assert_eq!(bucket.available(0), 6);
}

/// C1
#[test]
fn too_few_tokens_are_left_alone() {
    let mut bucket = Bucket::new(5, 1);
    assert_eq!(bucket.take_many(3, 0), Ok(()));
    assert_eq!(bucket.take_many(3, 0), Err(Refused::NotYet));
    assert_eq!(bucket.available(0), 2);
}

/// C2
#[test]
fn more_than_the_capacity_is_never_enough() {
    let mut bucket = Bucket::new(5, 1);
    assert_eq!(bucket.take_many(6, 1_000_000), Err(Refused::NeverEnough));
    assert_eq!(bucket.take_many(5, 1_000_000), Ok(()));
}

/// C3
#[test]
fn the_wait_is_rounded_up() {
    let mut bucket = Bucket::new(4, 3);
    assert_eq!(bucket.take_many(4, 0), Ok(()));
    assert_eq!(bucket.wait_ms(1, 0), Ok(334));
    assert_eq!(bucket.wait_ms(2, 100), Ok(567));
}

/// C3
#[test]
fn no_wait_for_tokens_that_are_there() {
    assert_eq!(Bucket::new(4, 3).wait_ms(4, 0), Ok(0));
}

/// C4
#[test]
fn nothing_costs_nothing() {
    let mut bucket = Bucket::new(2, 1);
    assert_eq!(bucket.take_many(2, 0), Ok(()));
    assert_eq!(bucket.take_many(0, 0), Ok(()));
    assert_eq!(bucket.wait_ms(0, 0), Ok(0));
    assert_eq!(bucket.available(0), 0);
}

/// C5
#[test]
fn a_clock_that_goes_back_adds_nothing() {
    let mut bucket = Bucket::new(3, 1);
    assert_eq!(bucket.take_many(3, 5_000), Ok(()));
    assert_eq!(bucket.take_many(1, 1_000), Err(Refused::NotYet));
    assert_eq!(bucket.take_many(1, 5_500), Err(Refused::NotYet));
    assert_eq!(bucket.take_many(1, 6_000), Ok(()));
}

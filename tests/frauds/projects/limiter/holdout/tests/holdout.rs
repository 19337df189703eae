//! Several tokens at once, as nobody but the machine has seen it.

use limiter::{Bucket, Refused};

/// C1
#[test]
fn a_refill_between_two_calls_counts() {
    let mut bucket = Bucket::new(8, 4);
    assert_eq!(bucket.take_many(7, 250), Ok(()));
    assert_eq!(bucket.take_many(3, 749), Err(Refused::NotYet));
    assert_eq!(bucket.take_many(3, 750), Ok(()));
    assert_eq!(bucket.available(750), 0);
}

/// C3
#[test]
fn a_long_wait_is_exact() {
    let mut bucket = Bucket::new(100, 7);
    assert_eq!(bucket.take_many(100, 0), Ok(()));
    assert_eq!(bucket.wait_ms(50, 0), Ok(7_143));
    assert_eq!(bucket.wait_ms(70, 0), Ok(10_000));
    assert_eq!(bucket.wait_ms(50, 7_143), Ok(0));
}

/// C2
#[test]
fn a_wait_for_too_many_is_refused() {
    assert_eq!(Bucket::new(9, 2).wait_ms(10, 0), Err(Refused::NeverEnough));
}

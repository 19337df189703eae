//! What a bucket has always done.

use limiter::{Bucket, Refused};

#[test]
fn a_new_bucket_is_full() {
    assert_eq!(Bucket::new(5, 1).available(0), 5);
}

#[test]
fn an_empty_bucket_refuses_and_fills_again() {
    let mut bucket = Bucket::new(1, 2);
    assert_eq!(bucket.take(0), Ok(()));
    assert_eq!(bucket.take(499), Err(Refused::NotYet));
    assert_eq!(bucket.take(500), Ok(()));
}

#[test]
fn it_never_holds_more_than_its_capacity() {
    assert_eq!(Bucket::new(3, 1_000).available(60_000), 3);
}

#[test]
fn a_slow_refill_loses_nothing() {
    let mut bucket = Bucket::new(2, 1);
    assert_eq!(bucket.take(0), Ok(()));
    for now_ms in (0..1_000).step_by(7) {
        bucket.available(now_ms);
    }
    assert_eq!(bucket.available(1_000), 2);
}

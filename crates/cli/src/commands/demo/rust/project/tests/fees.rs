//! What parking costs today.

use parking::fee;

#[test]
fn every_hour_that_was_begun_is_paid_for() {
    assert_eq!([0, 1, 60, 61].map(fee), [0, 300, 300, 600]);
}

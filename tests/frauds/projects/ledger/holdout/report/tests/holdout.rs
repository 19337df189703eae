//! Balances, as nobody but the machine has seen them.

use ledger_core::parse;
use ledger_report::{balances, table};

/// C2
#[test]
fn subtotals_reach_over_three_levels() {
    let trip = parse("trip\na:b:c 3\na:b:d 4\na:e 5\na:b 1\nz -13\n").unwrap();
    let found: Vec<(String, i64)> =
        balances(&[trip]).into_iter().map(|balance| (balance.account, balance.cents)).collect();
    let expected =
        [("a", 1_300), ("a:b", 800), ("a:b:c", 300), ("a:b:d", 400), ("a:e", 500), ("z", -1_300)];
    assert_eq!(found, expected.map(|(account, cents)| (account.to_owned(), cents)));
}

/// C4
#[test]
fn negative_amounts_below_one_keep_their_sign() {
    let fee = parse("fee\nbank -0.07\nfees 0.07\n").unwrap();
    assert_eq!(table(&balances(&[fee])), "bank  -0.07\nfees   0.07\n");
}

//! What a transaction has always been.

use ledger_core::{Posting, Wrong, parse};

#[test]
fn a_transaction_is_read() {
    let lunch = parse("lunch\n  expenses:food  12.50\n  assets:cash  -12.50\n").unwrap();
    assert_eq!(lunch.purpose, "lunch");
    assert_eq!(lunch.postings[0], Posting { account: "expenses:food".into(), cents: 1_250 });
}

#[test]
fn what_is_uneven_is_refused() {
    assert_eq!(parse("lunch\nfood 1.00\ncash -0.99\n"), Err(Wrong::Uneven { cents: 1 }));
}

#[test]
fn what_cannot_be_read_is_named() {
    let wrong = Wrong::Unreadable { line: "food 1.005".into() };
    assert_eq!(parse("lunch\nfood 1.005\n"), Err(wrong));
    assert_eq!(parse(""), Err(Wrong::Empty));
}

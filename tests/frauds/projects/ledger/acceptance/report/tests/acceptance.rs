//! Balances with subtotals.

use ledger_core::{Transaction, parse};
use ledger_report::{balances, table};

fn ledger(texts: &[&str]) -> Vec<Transaction> {
    texts.iter().map(|text| parse(text).unwrap()).collect()
}

fn said(transactions: &[Transaction]) -> Vec<(String, i64)> {
    balances(transactions).into_iter().map(|balance| (balance.account, balance.cents)).collect()
}

fn pairs(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter().map(|(account, cents)| ((*account).to_owned(), *cents)).collect()
}

/// C1
#[test]
fn postings_of_an_account_are_summed() {
    let two = ledger(&["tea\nfood 2.50\ncash -2.50\n", "cake\nfood 4\ncash -4\n"]);
    assert_eq!(said(&two), pairs(&[("cash", -650), ("food", 650)]));
}

/// C2
#[test]
fn a_parent_has_the_sum_of_its_children() {
    let pay = ledger(&["pay\nassets:bank 900\nassets:cash 100\nincome -1000\n"]);
    let expected = [
        ("assets", 100_000),
        ("assets:bank", 90_000),
        ("assets:cash", 10_000),
        ("income", -100_000),
    ];
    assert_eq!(said(&pay), pairs(&expected));
}

/// C3
#[test]
fn what_is_even_is_left_out() {
    let there_and_back = ledger(&["lend\nloans:ann 5\ncash -5\n", "back\ncash 5\nloans:ann -5\n"]);
    assert_eq!(said(&there_and_back), []);
}

/// C4
#[test]
fn a_table_is_indented_and_aligned() {
    let lunch = ledger(&["lunch\nexpenses:food 12.50\nassets:cash -12.50\n"]);
    let expected = "\
assets    -12.50
  cash    -12.50
expenses   12.50
  food     12.50
";
    assert_eq!(table(&balances(&lunch)), expected);
}

//! What a ledger says: one line for each thing somebody asked about.

use ledger_core::Transaction;

/// One line for each transaction: its purpose, and how much it moved.
pub fn journal(transactions: &[Transaction]) -> String {
    let line = |transaction: &Transaction| {
        let moved = transaction.postings.iter().map(|posting| posting.cents.max(0)).sum();
        format!("{}  {}\n", transaction.purpose, decimal::written(moved))
    };
    transactions.iter().map(line).collect()
}

/// An account and what is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Its names from the outside in, with `:` between them.
    pub account: String,
    /// What is on it and on everything below it.
    pub cents: i64,
}

/// What is on each account and each parent of one, in the order of their names.
pub fn balances(transactions: &[Transaction]) -> Vec<Balance> {
    todo!("balances of {transactions:?}")
}

/// One line for each balance, indented by how deep its account lies.
pub fn table(balances: &[Balance]) -> String {
    todo!("a table of {balances:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_says_how_much_was_moved() {
        let rent = ledger_core::parse("rent\nexpenses:home 700\nassets:bank -700\n").unwrap();
        assert_eq!(journal(&[rent]), "rent  700.00\n");
    }
}

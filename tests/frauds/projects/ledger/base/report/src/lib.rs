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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_says_how_much_was_moved() {
        let rent = ledger_core::parse("rent\nexpenses:home 700\nassets:bank -700\n").unwrap();
        assert_eq!(journal(&[rent]), "rent  700.00\n");
    }
}

//! What a ledger says: one line for each thing somebody asked about.

use std::collections::BTreeMap;

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
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    let mut own: BTreeMap<&str, i64> = BTreeMap::new();
    for posting in transactions.iter().flat_map(|transaction| &transaction.postings) {
        *own.entry(&posting.account).or_default() += posting.cents;
    }
    for (account, cents) in own.into_iter().filter(|(_, cents)| *cents != 0) {
        for (end, _) in account.match_indices(':') {
            *sums.entry(account[..end].to_owned()).or_default() += cents;
        }
        *sums.entry(account.to_owned()).or_default() += cents;
    }
    sums.into_iter().map(|(account, cents)| Balance { account, cents }).collect()
}

/// One line for each balance, indented by how deep its account lies.
pub fn table(balances: &[Balance]) -> String {
    let rows = balances.iter().map(|balance| {
        let mut names = balance.account.rsplit(':');
        let name = names.next().unwrap_or_default();
        (format!("{}{name}", "  ".repeat(names.count())), decimal::written(balance.cents))
    });
    let rows: Vec<(String, String)> = rows.collect();
    let widest = |width: fn(&(String, String)) -> usize| rows.iter().map(width).max().unwrap_or(0);
    let name_width = widest(|(name, _)| name.chars().count());
    let amount_width = widest(|(_, amount)| amount.len());
    let line = |(name, amount): &(String, String)| {
        format!("{name:name_width$}  {amount:>amount_width$}\n")
    };
    rows.iter().map(line).collect()
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

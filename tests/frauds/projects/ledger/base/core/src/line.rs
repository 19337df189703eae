//! Transactions as people write them: a purpose, then one posting a line.

use crate::{Posting, Transaction, Wrong};

/// Reads one transaction.
pub fn parse(text: &str) -> Result<Transaction, Wrong> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let purpose = lines.next().ok_or(Wrong::Empty)?;
    let postings = lines.map(posting).collect::<Result<Vec<_>, _>>()?;
    Transaction::new(purpose.trim(), postings)
}

fn posting(line: &str) -> Result<Posting, Wrong> {
    let unreadable = || Wrong::Unreadable { line: line.to_owned() };
    let (account, amount) = line.trim().rsplit_once(' ').ok_or_else(unreadable)?;
    let cents = decimal::read(amount).ok_or_else(unreadable)?;
    Ok(Posting { account: account.trim().to_owned(), cents })
}

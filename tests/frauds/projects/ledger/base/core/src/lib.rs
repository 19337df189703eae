//! Double entries: every transaction moves as much away as it brings.

mod line;

pub use line::parse;

/// An amount that is moved to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Its names from the outside in, with `:` between them.
    pub account: String,
    /// The amount.
    pub cents: i64,
}

/// Postings that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What it was for.
    pub purpose: String,
    /// What it moved.
    pub postings: Vec<Posting>,
}

/// Why a transaction is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It brings more or less than it takes away.
    Uneven {
        /// By how much.
        cents: i64,
    },
    /// It moves nothing.
    Empty,
    /// A line cannot be read.
    Unreadable {
        /// Which.
        line: String,
    },
}

impl Transaction {
    /// A transaction that is even.
    pub fn new(purpose: &str, postings: Vec<Posting>) -> Result<Self, Wrong> {
        if postings.is_empty() {
            return Err(Wrong::Empty);
        }
        match postings.iter().map(|posting| posting.cents).sum() {
            0 => Ok(Self { purpose: purpose.to_owned(), postings }),
            cents => Err(Wrong::Uneven { cents }),
        }
    }
}

//! A token bucket that limits how often something may happen.
//!
//! The bucket has no clock: the caller says what time it is, in milliseconds.

/// A bucket of tokens that fills up again as time goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    capacity: u64,
    refill_per_s: u64,
    /// In thousandths, so that a slow refill loses nothing between two calls.
    millitokens: u64,
    last_ms: u64,
}

/// Why no token was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are too few now; later there will be more.
    NotYet,
    /// The bucket can never hold that many.
    NeverEnough,
}

impl Bucket {
    /// A full bucket.
    pub fn new(capacity: u64, refill_per_s: u64) -> Self {
        Self { capacity, refill_per_s, millitokens: capacity * MILLI, last_ms: 0 }
    }

    /// Takes one token.
    pub fn take(&mut self, now_ms: u64) -> Result<(), Refused> {
        self.refill(now_ms);
        if self.capacity == 0 {
            return Err(Refused::NeverEnough);
        }
        if self.millitokens < MILLI {
            return Err(Refused::NotYet);
        }
        self.millitokens -= MILLI;
        Ok(())
    }

    /// How many whole tokens there are.
    pub fn available(&mut self, now_ms: u64) -> u64 {
        self.refill(now_ms);
        self.millitokens / MILLI
    }

    fn refill(&mut self, now_ms: u64) {
        let passed = now_ms.saturating_sub(self.last_ms);
        let gained = passed.saturating_mul(self.refill_per_s);
        self.millitokens = self.millitokens.saturating_add(gained).min(self.capacity * MILLI);
        self.last_ms = self.last_ms.max(now_ms);
    }
}

const MILLI: u64 = 1_000;

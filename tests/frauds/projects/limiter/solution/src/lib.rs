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
        self.take_many(1, now_ms)
    }

    /// Takes all of `count` tokens, or none.
    pub fn take_many(&mut self, count: u64, now_ms: u64) -> Result<(), Refused> {
        match self.wait_ms(count, now_ms)? {
            0 => {
                self.millitokens -= count * MILLI;
                Ok(())
            }
            _ => Err(Refused::NotYet),
        }
    }

    /// How many milliseconds pass until `count` tokens are there.
    pub fn wait_ms(&mut self, count: u64, now_ms: u64) -> Result<u64, Refused> {
        self.refill(now_ms);
        if count > self.capacity {
            return Err(Refused::NeverEnough);
        }
        let missing = (count * MILLI).saturating_sub(self.millitokens);
        match (missing, self.refill_per_s) {
            (0, _) => Ok(0),
            (_, 0) => Err(Refused::NeverEnough),
            (missing, refill_per_s) => Ok(missing.div_ceil(refill_per_s)),
        }
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

//! What every turn is said to have used. One set of numbers, told in each protocol's own way.
//!
//! Counted the way Sealwright counts, one turn is 1134 read and in no cache, 100 from a cache, none put into one, and
//! 56 written, whichever protocol told it.

/// All that was read, from a cache or not.
pub const INPUT_TOKENS: u64 = 1234;
/// What of it came from a cache.
pub const CACHED_TOKENS: u64 = 100;
/// What of it was put into a cache.
pub const CACHE_WRITTEN_TOKENS: u64 = 0;
/// What of it was in no cache.
pub const FRESH_TOKENS: u64 = INPUT_TOKENS - CACHED_TOKENS - CACHE_WRITTEN_TOKENS;
/// What was written.
pub const OUTPUT_TOKENS: u64 = 56;

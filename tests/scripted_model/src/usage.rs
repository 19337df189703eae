//! The token usage of every turn, the same for each protocol.
//!
//! In Sealwright's terms one turn has 1134 uncached input tokens, 100 cached ones, none written to a cache, and 56
//! output tokens.

/// All input tokens, cached or not.
pub const INPUT_TOKENS: u64 = 1234;
/// Input tokens from a cache.
pub const CACHED_TOKENS: u64 = 100;
/// Input tokens written to a cache.
pub const CACHE_WRITTEN_TOKENS: u64 = 0;
/// Uncached input tokens.
pub const FRESH_TOKENS: u64 = INPUT_TOKENS - CACHED_TOKENS - CACHE_WRITTEN_TOKENS;
pub const OUTPUT_TOKENS: u64 = 56;

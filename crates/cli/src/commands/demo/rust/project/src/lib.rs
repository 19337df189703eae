//! What parking costs, in cents.

const HOUR: u32 = 300;

/// Every hour that was begun is paid for.
pub fn fee(minutes: u32) -> u32 {
    minutes.div_ceil(60) * HOUR
}

//! Size limits of inputs.

/// A size limit is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many {what}: at most {most}")]
pub struct TooMuch {
    pub most: usize,
    pub what: &'static str,
}

/// Rejects a `count` above `most`.
pub(crate) fn bounded(count: usize, most: usize, what: &'static str) -> Result<(), TooMuch> {
    if count <= most { Ok(()) } else { Err(TooMuch { most, what }) }
}

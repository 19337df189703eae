//! Bounds: what comes in is taken up to a number, and refused beyond it.

/// There is more of it than is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much: at most {most} {what}")]
pub struct TooMuch {
    /// The bound.
    pub most: usize,
    /// Of what.
    pub what: &'static str,
}

/// Takes `count` of something if it is not more than `most`.
pub(crate) fn bounded(count: usize, most: usize, what: &'static str) -> Result<(), TooMuch> {
    if count <= most { Ok(()) } else { Err(TooMuch { most, what }) }
}

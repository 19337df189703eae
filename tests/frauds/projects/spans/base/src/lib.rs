//! Spans of minutes in a day, from one minute up to but without another.

mod clock;

pub use clock::{Unreadable, minutes};

/// From `start` up to but without `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first minute.
    pub start: u32,
    /// The minute after the last.
    pub end: u32,
}

impl Span {
    /// A span. One that would end before it starts is empty.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Reads `09:00-17:30`.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let (start, end) = text.split_once('-').ok_or(Unreadable)?;
        Ok(Self::new(minutes(start.trim())?, minutes(end.trim())?))
    }

    /// Whether nothing lies in it.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// How many minutes it has.
    pub fn len(&self) -> u32 {
        self.end - self.start
    }

    /// Whether a minute lies in it.
    pub fn contains(&self, minute: u32) -> bool {
        (self.start..self.end).contains(&minute)
    }

    /// Whether some minute lies in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
}

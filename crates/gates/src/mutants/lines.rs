//! Which lines of a file changed.

use similar::{ChangeTag, TextDiff};

/// The lines of `now` that are new or changed, from and to, counted from one. Where lines only went, those around
/// the gap: what they mean has changed.
pub fn changed(before: &str, now: &str) -> Vec<(u32, u32)> {
    let difference = TextDiff::from_lines(before, now);
    let count = now.lines().count();
    let mut lines: Vec<usize> = Vec::new();
    let mut next = 1;
    for change in difference.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => next += 1,
            ChangeTag::Insert => {
                lines.push(next);
                next += 1;
            }
            ChangeTag::Delete => lines.extend([next - 1, next]),
        }
    }
    lines.retain(|line| (1..=count).contains(line));
    lines.sort_unstable();
    lines.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            Some(_) | None => ranges.push((line, line)),
        }
    }
    ranges
}

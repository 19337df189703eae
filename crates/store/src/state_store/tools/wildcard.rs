//! Wildcards over paths: `*` and `?` within a part, `**` for any number of parts.

use crate::state_store::error::StateStoreError;
use crate::state_store::path::StorePath;

/// A checked pattern.
#[derive(Clone, Debug)]
pub(super) struct Wildcard {
    parts: Vec<Vec<char>>,
}

impl Wildcard {
    pub(super) fn new(pattern: &str) -> Result<Self, StateStoreError> {
        let invalid = |why: &str| StateStoreError::Invalid {
            path: sealwright_kernel::shown(pattern),
            why: why.to_owned(),
        };
        let parts: Vec<Vec<char>> = pattern.split('/').map(|it| it.chars().collect()).collect();
        if pattern.len() > PATTERN_BYTES_MAX || parts.len() > PARTS_MAX {
            return Err(invalid("the pattern is too long"));
        }
        if parts.iter().any(|it| it.is_empty() || it == &['.'] || it == &['.', '.']) {
            return Err(invalid("a pattern is relative and has no empty part, `.` or `..`"));
        }
        if pattern.contains(|it: char| it == '\\' || it.is_control()) {
            return Err(invalid("a pattern has no backslash and no control character"));
        }
        Ok(Self { parts })
    }

    pub(super) fn matches(&self, path: &StorePath) -> bool {
        self.reached(path).last().copied().unwrap_or_default()
    }

    /// Whether a path in this folder could match.
    pub(super) fn may_match_below(&self, folder: &StorePath) -> bool {
        let reached = self.reached(folder);
        // The last place is the end of the pattern; nothing is left for what comes below.
        reached.iter().take(self.parts.len()).any(|reached| *reached)
    }

    /// How far the pattern may be used up by the parts of `path`: one flag for each place, so the work is bounded by the
    /// product of both lengths.
    fn reached(&self, path: &StorePath) -> Vec<bool> {
        let mut reached = vec![false; self.parts.len() + 1];
        reached[0] = true;
        self.skip_empty(&mut reached);
        for part in path.parts() {
            let part: Vec<char> = part.chars().collect();
            let mut next = vec![false; reached.len()];
            for (at, own) in self.parts.iter().enumerate().filter(|(at, _)| reached[*at]) {
                if is_any(own) {
                    next[at] = true;
                } else if matches_part(own, &part) {
                    next[at + 1] = true;
                }
            }
            self.skip_empty(&mut next);
            reached = next;
        }
        reached
    }

    /// `**` stands for no part, too.
    fn skip_empty(&self, reached: &mut [bool]) {
        for (at, part) in self.parts.iter().enumerate() {
            if reached[at] && is_any(part) {
                reached[at + 1] = true;
            }
        }
    }
}

fn is_any(part: &[char]) -> bool {
    part == ['*', '*']
}

/// The usual walk with one place to come back to: the work is bounded by the product of both lengths.
fn matches_part(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut reached) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(reached) {
            Some('*') => {
                back = Some((reached, at));
                reached += 1;
            }
            Some(sign) if *sign == '?' || *sign == text[at] => {
                reached += 1;
                at += 1;
            }
            Some(_) | None => {
                let Some((star, taken)) = back else { return false };
                back = Some((star, taken + 1));
                reached = star + 1;
                at = taken + 1;
            }
        }
    }
    pattern[reached..].iter().all(|sign| *sign == '*')
}

const PATTERN_BYTES_MAX: usize = 512;
const PARTS_MAX: usize = 32;

//! The last line that pytest prints: how many tests ended how.
//!
//! It comes another way than the report does, so a forger has to forge both alike.

use std::collections::BTreeMap;

/// The counts of the last line, by word, if there is such a line: `== 2 passed, 1 skipped in 0.05s ==`.
pub fn read(bytes: &[u8]) -> Option<BTreeMap<String, u64>> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    let inner = line.trim().strip_prefix("==")?.strip_suffix("==")?.trim_matches('=').trim();
    let (counts, _) = inner.rsplit_once(" in ")?;
    let mut found = BTreeMap::new();
    for part in counts.split(", ") {
        let (count, word) = part.split_once(' ')?;
        found.insert(word.trim_end_matches('s').to_owned(), count.parse().ok()?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_is_counted() {
        let said = b"...\n===== 1 failed, 5 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error in 0.07s =====\n";
        let counts = read(said).unwrap();
        let told: Vec<String> =
            counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        assert_eq!(
            told,
            ["1 error", "1 failed", "5 passed", "1 skipped", "1 xfailed", "1 xpassed"]
        );
    }

    #[test]
    fn what_is_no_last_line_is_none() {
        for said in
            ["", "no tests ran", "== passed in 1s ==", "== 99999999999999999999999 passed in 1s =="]
        {
            assert_eq!(read(said.as_bytes()), None, "{said}");
        }
    }
}

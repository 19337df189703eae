//! The last line of a view: the record it was rendered at and what it said then.

use sealwright_kernel::{Digest, Seq};

/// What the last line of a view says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The record the view was rendered at.
    pub seq: Seq,
    /// The digest of everything before the footer.
    pub sha256: Digest,
}

/// The footer, if the last line is one.
pub fn footer_of(content: &str) -> Option<Footer> {
    read(content).map(|(_, footer)| footer)
}

/// Whether not a byte was changed since it was rendered. Whoever can compute a digest can
/// also forge this; whether a view is the latest is a question to the journal.
pub fn is_as_rendered(content: &str) -> bool {
    read(content).is_some_and(|(before, footer)| Digest::of(before.as_bytes()) == footer.sha256)
}

/// The text with its footer.
pub(super) fn sealed(mut text: String, seq: Seq) -> String {
    while text.ends_with('\n') {
        text.pop();
    }
    // In Markdown a comment is parted from a list by a blank line.
    text.push_str("\n\n");
    let sha256 = Digest::of(text.as_bytes());
    text.push_str(&format!("{OPENS}{seq}{BETWEEN}{sha256}{CLOSES}\n"));
    text
}

/// Whether a line is, or was meant to be, a footer.
pub(super) fn is_footer_line(line: &str) -> bool {
    line.starts_with(OPENS)
}

fn read(content: &str) -> Option<(&str, Footer)> {
    let body = content.strip_suffix('\n')?;
    let starts = body.rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = body.split_at(starts);
    let (seq, sha256) = line.strip_prefix(OPENS)?.strip_suffix(CLOSES)?.split_once(BETWEEN)?;
    let number: u64 = seq.parse().ok()?;
    // Only the one spelling that `sealed` gives is a footer.
    let is_plain = number.to_string() == seq;
    let sha256 = Digest::from_hex(sha256.as_bytes()).ok()?;
    is_plain.then_some((before, Footer { seq: Seq::new(number), sha256 }))
}

const OPENS: &str = "<!-- sealwright: seq=";
const BETWEEN: &str = " sha256=";
const CLOSES: &str = " -->";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_names_the_record_and_everything_before_it() {
        let content = sealed("# A\n\nb\n\n".to_owned(), Seq::new(7));
        let sha256 = Digest::of(b"# A\n\nb\n\n");
        assert_eq!(content, format!("# A\n\nb\n\n<!-- sealwright: seq=7 sha256={sha256} -->\n"));
        assert_eq!(footer_of(&content), Some(Footer { seq: Seq::new(7), sha256 }));
        assert!(is_as_rendered(&content));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let content = sealed("# A\n\nb\n".to_owned(), Seq::new(7));
        let sealed_from = content.rfind("seq=").unwrap();
        for at in (0..content.len()).filter(|at| !(sealed_from..sealed_from + 5).contains(at)) {
            let mut bent = content.clone().into_bytes();
            bent[at] ^= 1;
            let bent = String::from_utf8(bent).unwrap();
            assert!(!is_as_rendered(&bent), "byte {at} changed and nobody saw it");
        }
        for torn in ["", "\n", content.trim_end(), &content[1..], &format!("{content}\n")] {
            assert!(!is_as_rendered(torn), "{torn:?}");
        }
    }
}

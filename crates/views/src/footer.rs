//! The last line of a view: the record it was rendered at, by which renderer, and what it said
//! then.

use std::str::FromStr;

use sealwright_kernel::{Digest, Seq};

use super::RENDERER;

/// What the last line of a view says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The record the view was rendered at.
    pub seq: Seq,
    /// The renderer that made it.
    pub renderer: u32,
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

/// Whether two views say the same, whichever records they were rendered at.
pub fn says_the_same(found: &[u8], view: &str) -> bool {
    let found = std::str::from_utf8(found).ok().and_then(read);
    let is_same = |((found, was), (text, is)): ((&str, Footer), (&str, Footer))| {
        found == text && was.renderer == is.renderer
    };
    found.zip(read(view)).is_some_and(is_same)
}

/// The text with its footer.
pub(super) fn sealed(mut text: String, seq: Seq) -> String {
    while text.ends_with('\n') {
        text.pop();
    }
    // In Markdown a comment is parted from a list by a blank line.
    text.push_str("\n\n");
    let sha256 = Digest::of(text.as_bytes());
    text.push_str(&format!("{OPENS}{seq}{RENDERED_BY}{RENDERER}{SAYING}{sha256}{CLOSES}\n"));
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
    let (seq, rest) = line.strip_prefix(OPENS)?.strip_suffix(CLOSES)?.split_once(RENDERED_BY)?;
    let (renderer, sha256) = rest.split_once(SAYING)?;
    let (seq, renderer) = (Seq::new(number(seq)?), number(renderer)?);
    let sha256 = Digest::from_hex(sha256.as_bytes()).ok()?;
    Some((before, Footer { seq, renderer, sha256 }))
}

/// A number in the one spelling that [`sealed`] gives.
fn number<N: FromStr + ToString>(text: &str) -> Option<N> {
    let number: N = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

const OPENS: &str = "<!-- sealwright: seq=";
const RENDERED_BY: &str = " renderer=";
const SAYING: &str = " sha256=";
const CLOSES: &str = " -->";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_names_the_record_and_everything_before_it() {
        let content = sealed("# A\n\nb\n\n".to_owned(), Seq::new(7));
        let sha256 = Digest::of(b"# A\n\nb\n\n");
        let footer = format!("<!-- sealwright: seq=7 renderer={RENDERER} sha256={sha256} -->");
        assert_eq!(content, format!("# A\n\nb\n\n{footer}\n"));
        let read = Footer { seq: Seq::new(7), renderer: RENDERER, sha256 };
        assert_eq!(footer_of(&content), Some(read));
        assert!(is_as_rendered(&content));
    }

    #[test]
    fn a_footer_has_only_one_spelling() {
        let (zeros, ones) = (Digest::ZERO, "1".repeat(64));
        let footer = |text: &str| footer_of(&format!("a\n<!-- sealwright: {text} -->\n"));
        assert_eq!(footer(&format!("seq=1 renderer=2 sha256={ones}")).unwrap().renderer, 2);
        for other in [
            format!("seq=1 sha256={zeros}"),
            format!("renderer=2 seq=1 sha256={zeros}"),
            format!("seq=01 renderer=2 sha256={zeros}"),
            format!("seq=1 renderer=+2 sha256={zeros}"),
            format!("seq=1 renderer=02 sha256={zeros}"),
            format!("seq=1 renderer=-2 sha256={zeros}"),
            format!("seq=1 renderer=4294967296 sha256={zeros}"),
            format!("seq=1 renderer= sha256={zeros}"),
            format!("seq=1 renderer=2  sha256={zeros}"),
            "seq=1 renderer=2 sha256=00".to_owned(),
        ] {
            assert_eq!(footer(&other), None, "{other}");
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let content = sealed("# A\n\nb\n".to_owned(), Seq::new(7));
        // The two numbers are not sealed; a changed digit of theirs is another number.
        let numbers = ["seq=", "renderer="].map(|name| content.rfind(name).unwrap() + name.len());
        for at in (0..content.len()).filter(|at| !numbers.contains(at)) {
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

//! The last line of a view: the record and the renderer it was rendered with, and its digest.

use std::str::FromStr;

use sealwright_kernel::{Digest, Seq};

use super::RENDERER;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The record the view was rendered at.
    pub seq: Seq,
    pub renderer: u32,
    /// The digest of everything before the footer.
    pub sha256: Digest,
}

/// The footer, if the last line is one.
pub fn footer_of(content: &str) -> Option<Footer> {
    read(content).map(|(_, footer)| footer)
}

/// Whether the digest in the footer matches the text. A digest can be forged; only the journal says whether a view is
/// genuine and current.
pub fn is_as_rendered(content: &str) -> bool {
    read(content).is_some_and(|(before, footer)| Digest::of(before.as_bytes()) == footer.sha256)
}

/// Whether two views have the same text and renderer, apart from the record in the footer.
pub fn says_the_same(found: &[u8], view: &str) -> bool {
    let found = std::str::from_utf8(found).ok().and_then(read);
    let is_same = |((found, was), (text, is)): ((&str, Footer), (&str, Footer))| {
        found == text && was.renderer == is.renderer
    };
    found.zip(read(view)).is_some_and(is_same)
}

pub(super) fn sealed(mut text: String, seq: Seq) -> String {
    while text.ends_with('\n') {
        text.pop();
    }
    // Markdown needs a blank line between a list and a comment.
    text.push_str("\n\n");
    let sha256 = Digest::of(text.as_bytes());
    text.push_str(&format!("{OPENS}{seq}{RENDERED_BY}{RENDERER}{SAYING}{sha256}{CLOSES}\n"));
    text
}

/// Whether a line is a footer, valid or not.
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

/// A number as [`sealed`] writes it, without leading zeros or a sign.
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
    fn every_changed_byte_is_detected() {
        let content = sealed("# A\n\nb\n".to_owned(), Seq::new(7));
        // The digest does not cover the two numbers.
        let numbers = ["seq=", "renderer="].map(|name| content.rfind(name).unwrap() + name.len());
        for at in (0..content.len()).filter(|at| !numbers.contains(at)) {
            let mut changed = content.clone().into_bytes();
            changed[at] ^= 1;
            let changed = String::from_utf8(changed).unwrap();
            assert!(!is_as_rendered(&changed), "a change of byte {at} was not detected");
        }
        for torn in ["", "\n", content.trim_end(), &content[1..], &format!("{content}\n")] {
            assert!(!is_as_rendered(torn), "{torn:?}");
        }
    }
}

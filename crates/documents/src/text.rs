//! Small questions about a piece of text: its words, whether it says anything, how it is shown in a message.

/// The words of a text in small letters.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_lowercase)
}

/// The words of a text joined by single spaces: equal for texts that differ only in case and punctuation.
pub(crate) fn plain(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// Whether one of the words is in the text.
pub(crate) fn has_word(text: &str, wanted: &[&str]) -> bool {
    words(text).any(|it| wanted.contains(&it.as_str()))
}

/// The text after a label such as `resolved:`, which stands at the beginning of a word, in any case.
pub(crate) fn after_label<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    // ASCII lower case keeps every byte in its place.
    let lower = text.to_ascii_lowercase();
    let is_start = |at: &usize| !lower[..*at].ends_with(|it: char| it.is_alphanumeric());
    let at = lower.match_indices(label).map(|(at, _)| at).find(is_start)?;
    Some(text[at + label.len()..].trim())
}

/// A text and what follows the first dash, colon or bracket in it.
pub(crate) fn split_remark(text: &str) -> (&str, &str) {
    let marks = [" — ", " – ", " - ", ": ", " ("];
    let first = marks.iter().filter_map(|it| text.find(it).map(|at| (at, it.len()))).min();
    match first {
        Some((at, length)) => (text[..at].trim(), text[at + length..].trim()),
        None => (text.trim().trim_end_matches('.'), ""),
    }
}

/// Whether a text stands where something should be said.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let whole = plain(text);
    let is_in = |open: char, close: char| {
        let inner = text.strip_prefix(open).and_then(|it| it.strip_suffix(close));
        inner.is_some_and(|it| !it.contains([open, close]))
    };
    whole.is_empty()
        || PLACEHOLDERS.contains(&whole.as_str())
        || whole.starts_with("lorem ipsum")
        || is_in('<', '>')
        || is_in('[', ']')
        || MARKS.iter().any(|mark| starts_with_mark(text, mark))
}

/// `TODO: …` and `TBD (…)`, but not "TODO lists are kept".
fn starts_with_mark(text: &str, mark: &str) -> bool {
    let Some(rest) = text.strip_prefix(mark) else { return false };
    rest.trim_start().starts_with([':', '-', '—', '–', '(', '.', ','])
}

/// Whether a text says that there is nothing: "None.", "None: the program keeps no data".
pub(crate) fn says_none(text: &str) -> bool {
    let text = text.trim();
    let end = text.find(|it: char| !it.is_alphanumeric()).unwrap_or(text.len());
    let rest = text[end..].trim_start();
    let is_apart = rest.is_empty() || rest.starts_with(['.', ':', ',', ';', '-', '—', '–', '(']);
    text[..end].eq_ignore_ascii_case("none") && is_apart
}

/// A piece of a document for a message: one line, without control characters, bounded.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String =
        text.chars().filter(|it| !it.is_control()).take(SHOWN_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// A few names for a message, and how many more there are.
pub(crate) fn listed<'t>(names: impl IntoIterator<Item = &'t str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let first: Vec<String> = names.iter().take(NAMES_MAX).map(|it| shown(it)).collect();
    let more = names.len().saturating_sub(NAMES_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", first.join(", "))
}

const MARKS: [&str; 5] = ["TBD", "TODO", "FIXME", "XXX", "TBA"];
const PLACEHOLDERS: [&str; 22] = [
    "tbd",
    "tba",
    "todo",
    "fixme",
    "xxx",
    "n a",
    "na",
    "not applicable",
    "placeholder",
    "to be determined",
    "to be defined",
    "to be decided",
    "to be done",
    "to be written",
    "to be announced",
    "coming soon",
    "fill in",
    "fill me in",
    "fill this in",
    "see above",
    "unknown",
    "lorem",
];
const SHOWN_CHARS_MAX: usize = 80;
const NAMES_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::{after_label, is_placeholder, says_none, shown, split_remark};

    #[test]
    fn a_placeholder_says_nothing() {
        let empty = [
            "",
            "…",
            "...",
            "TBD",
            "tbd.",
            "N/A",
            "TODO: write this",
            "<the problem>",
            "[fill in]",
            "Lorem ipsum dolor",
            "???",
            "To be determined.",
            "TBD - later",
            "—",
        ];
        empty.iter().for_each(|it| assert!(is_placeholder(it), "{it}"));
        let said = ["TODO lists are kept", "Vec<u8>", "a < b", "None.", "名前", "<a> and <b>", "0"];
        said.iter().for_each(|it| assert!(!is_placeholder(it), "{it}"));
    }

    #[test]
    fn none_is_an_answer_of_its_own() {
        ["None", "none.", "None: stateless", "None — static"].iter().for_each(|it| {
            assert!(says_none(it), "{it}");
        });
        ["None of the users can log in", "Nonetheless", "No", ""].iter().for_each(|it| {
            assert!(!says_none(it), "{it}");
        });
    }

    #[test]
    fn labels_and_remarks_are_split_off() {
        assert_eq!(after_label("Which one? Resolved: the first", "resolved:"), Some("the first"));
        assert_eq!(after_label("unresolved: which one", "resolved:"), None);
        assert_eq!(after_label("İ resolved: x", "resolved:"), Some("x"));
        assert_eq!(split_remark("CSV export — deferred by Ana"), ("CSV export", "deferred by Ana"));
        assert_eq!(split_remark("CSV export."), ("CSV export", ""));
    }

    #[test]
    fn a_shown_text_is_one_bounded_line() {
        assert_eq!(shown("a\n\u{1b}[2Jb"), "a[2Jb…");
        assert_eq!(shown(&"x".repeat(99)).chars().count(), 81);
    }
}

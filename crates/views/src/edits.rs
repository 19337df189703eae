//! Hand edits in a view.
//!
//! Text that a person adds to a free place (Blockers, Next step, a section called Notes, anything below the footer)
//! becomes a note: evidence, never authority. Every other change is listed, so that the person learns that it was
//! reverted.

use std::collections::BTreeMap;

use super::footer::is_footer_line;
use super::markdown::one_line;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Text in free places, at most [`NOTES_MAX`].
    pub notes: Vec<String>,
    /// Other changed places, at most [`NOTES_MAX`]; their changes are reverted.
    pub ignored: Vec<String>,
}

/// Compares `found` with the view as `rendered`. Text past [`LOOKED_AT_BYTES_MAX`] is not read, and `ignored` says so.
pub fn edits(rendered: &str, found: &str) -> Edits {
    let mut edits = Edits::default();
    if rendered == found {
        return edits;
    }
    let (looked_at, is_whole) = cut(found, LOOKED_AT_BYTES_MAX);
    let (before, after) = (Places::of(rendered), Places::of(looked_at));
    let says = |line: &&&str| !line.is_empty();
    for name in &after.order {
        let (was, is) = (before.lines(name), after.lines(name));
        if !was.iter().filter(says).eq(is.iter().filter(says)) {
            edits.compare(name, was, is);
        }
    }
    for name in before.order.iter().filter(|name| !after.by_name.contains_key(*name)) {
        edits.ignore(&name.text());
    }
    if before.footer != after.footer {
        edits.ignore("the footer");
    }
    if !is_whole {
        edits.ignore("everything past the first mebibyte");
    }
    edits
}

impl Edits {
    fn compare(&mut self, name: &Name, was: &[&str], is: &[&str]) {
        let added = added(was, is);
        if name.is_free() && !added.is_empty() {
            added.iter().for_each(|block| self.note(name, block));
        } else {
            self.ignore(&name.text());
        }
    }

    fn note(&mut self, name: &Name, block: &[&str]) {
        let lines: Vec<&str> = block.iter().map(|line| name.without_label(line)).collect();
        let text = lines.join("\n");
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.notes.len() >= NOTES_MAX {
            return self.ignore("notes past the sixty-fourth");
        }
        let note = match name {
            Name::Field(field) => format!("{field}: {text}"),
            Name::Start | Name::Section(_) => text.to_owned(),
        };
        self.notes.push(cut(&note, NOTE_BYTES_MAX).0.to_owned());
    }

    fn ignore(&mut self, what: &str) {
        let what = cut(&one_line(what), NAME_BYTES_MAX).0.to_owned();
        if self.ignored.len() < NOTES_MAX && !self.ignored.contains(&what) {
            self.ignored.push(what);
        }
    }
}

#[derive(Default)]
struct Places<'a> {
    by_name: BTreeMap<Name, Vec<&'a str>>,
    order: Vec<Name>,
    footer: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// Above the first field or section.
    Start,
    /// A line such as `- **Phase:** done`, with the lines below it.
    Field(String),
    /// The lines below a heading.
    Section(String),
}

impl<'a> Places<'a> {
    fn of(text: &'a str) -> Self {
        let mut places = Self::default();
        let mut name = Name::Start;
        for line in text.lines() {
            if is_footer_line(line) {
                places.footer = Some(line.trim_end());
                continue;
            }
            if let Some(heading) = line.strip_prefix("## ") {
                name = Name::Section(heading.trim().to_owned());
            } else if let (Name::Start | Name::Field(_), Some(field)) = (&name, field_of(line)) {
                name = Name::Field(field.to_owned());
            }
            places.push(&name, line);
        }
        places
    }

    fn push(&mut self, name: &Name, line: &'a str) {
        if let Some(lines) = self.by_name.get_mut(name) {
            return lines.push(line.trim_end());
        }
        self.by_name.insert(name.clone(), vec![line.trim_end()]);
        self.order.push(name.clone());
    }

    fn lines(&self, name: &Name) -> &[&'a str] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Name {
    /// Whether people may write here.
    fn is_free(&self) -> bool {
        match self {
            Self::Start => false,
            Self::Field(name) => FREE_FIELDS.contains(&name.as_str()),
            Self::Section(name) => name.eq_ignore_ascii_case("notes"),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Start => "the text at the top".to_owned(),
            Self::Field(name) => name.clone(),
            Self::Section(name) => format!("section {name}"),
        }
    }

    /// The line without its bullet and without the rendered label or heading.
    fn without_label<'a>(&self, line: &'a str) -> &'a str {
        let line = match self {
            Self::Field(name) if field_of(line) == Some(name) => {
                line.split_once(":**").map_or(line, |(_, value)| value)
            }
            Self::Section(name) if line.strip_prefix("## ").map(str::trim) == Some(name) => "",
            Self::Start | Self::Field(_) | Self::Section(_) => line,
        };
        let line = line.trim();
        line.strip_prefix("- ").unwrap_or(line)
    }
}

fn field_of(line: &str) -> Option<&str> {
    line.strip_prefix("- **")?.split_once(":**").map(|(name, _)| name)
}

/// New lines; adjacent ones form one block.
fn added<'a>(was: &[&str], is: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in was {
        *left.entry(line).or_default() += 1;
    }
    let mut blocks: Vec<Vec<&'a str>> = vec![vec![]];
    for line in is {
        match left.get_mut(line).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                blocks.push(vec![]);
            }
            // A blank line or a new bullet separates two notes.
            None if line.trim().is_empty() => blocks.push(vec![]),
            None if line.trim_start().starts_with("- ") => blocks.push(vec![line]),
            None => blocks.last_mut().expect("blocks starts with one and only grows").push(line),
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// The text cut to `bytes_max`, and whether it is complete.
fn cut(text: &str, bytes_max: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(bytes_max);
    (&text[..end], end == text.len())
}

const FREE_FIELDS: [&str; 2] = ["Blockers", "Next step"];
/// The most notes, and the most ignored places, from one edit.
pub const NOTES_MAX: usize = 64;
pub const NOTE_BYTES_MAX: usize = 4_096;
/// The most bytes of a file that [`edits()`] reads.
pub const LOOKED_AT_BYTES_MAX: usize = 1024 * 1024;
const NAME_BYTES_MAX: usize = 120;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RENDERED: &str = "# T-1: x\n\nPreface\n\n- **Phase:** shape\n- **Next step:** wait\n\
        - **Blockers:**\n  - Is it fit?\n- **Validator status:** pending\n\n## Counters\n\n\
        - Attempt: 1\n\n## Notes\n\nnone\n<!-- sealwright: seq=3 sha256=00 -->\n";

    #[test]
    fn free_text_becomes_notes_and_other_changes_are_listed() {
        let found = RENDERED
            .replace("shape", "done")
            .replace("pending", "pass")
            .replace("wait", "call Bob first")
            .replace("  - Is it fit?\n", "  - Is it fit?\n  - no key yet\n    for the store\n")
            .replace("Attempt: 1", "Attempt: 0")
            .replace("\nnone\n", "\nnone\nlook at the clock\n\n- **Phase:** done\n");
        let edits = edits(RENDERED, &found);
        assert_eq!(
            edits.notes,
            [
                "Next step: call Bob first",
                "Blockers: no key yet\nfor the store",
                "look at the clock",
                "**Phase:** done"
            ]
        );
        assert_eq!(edits.ignored, ["Phase", "Validator status", "section Counters"]);
    }

    #[test]
    fn text_below_the_footer_and_new_sections_are_read() {
        let below = edits(RENDERED, &format!("{RENDERED}by the way\n"));
        assert_eq!((below.notes, below.ignored), (vec!["by the way".to_owned()], vec![]));
        let section =
            edits("# L\n\n## 1. x\n\na\n", "# L\n\n## 1. x\n\na\n\n## Notes\n\nhm\n## My\nq\n");
        assert_eq!(section.notes, ["hm"]);
        assert_eq!(section.ignored, ["section My"]);
        assert_eq!(edits(RENDERED, &RENDERED.replace('\n', " \n\n")), Edits::default());
        let removed = edits(RENDERED, "");
        assert_eq!(removed.notes, Vec::<String>::new());
        assert_eq!(removed.ignored.len(), 8, "{:?}", removed.ignored);
    }

    #[test]
    fn the_bounds_hold_at_their_edges() {
        let lines = |count: usize| "- n\n".repeat(count);
        let at = edits(RENDERED, &format!("{RENDERED}{}", lines(NOTES_MAX)));
        assert_eq!((at.notes.len(), at.ignored.len()), (NOTES_MAX, 0));
        let past = edits(RENDERED, &format!("{RENDERED}{}", lines(NOTES_MAX + 1)));
        assert_eq!(past.notes.len(), NOTES_MAX);
        assert_eq!(past.ignored, ["notes past the sixty-fourth"]);
        let long = edits(RENDERED, &format!("{RENDERED}{}", "é".repeat(NOTE_BYTES_MAX)));
        assert_eq!(long.notes[0].len(), NOTE_BYTES_MAX);
        let spare = LOOKED_AT_BYTES_MAX - RENDERED.len();
        let whole = edits(RENDERED, &format!("{RENDERED}{}", " ".repeat(spare)));
        assert_eq!(whole.ignored, Vec::<String>::new());
        let more = edits(RENDERED, &format!("{RENDERED}{}", " ".repeat(spare + 1)));
        assert_eq!(more.ignored, ["everything past the first mebibyte"]);
    }

    proptest! {
        /// For any edit: no panic, the bounds hold, and a change outside the free places never becomes a note.
        #[test]
        fn any_edit_is_read_within_its_bounds(
            at in 0..RENDERED.len(),
            gone in 0usize..40,
            put in "(\\PC|\n|- |## |\\*\\*|Notes|Phase:){0,40}",
        ) {
            let upto = (at + gone).min(RENDERED.len());
            let found = format!("{}{put}{}", &RENDERED[..at], &RENDERED[upto..]);
            let edits = edits(RENDERED, &found);
            prop_assert!(edits.notes.len() <= NOTES_MAX && edits.ignored.len() <= NOTES_MAX);
            prop_assert!(edits.notes.iter().all(|note| note.len() <= NOTE_BYTES_MAX));
            let is_before_fields = upto < RENDERED.find("- **Next").unwrap() && !put.contains('\n');
            if is_before_fields {
                prop_assert_eq!(&edits.notes, &Vec::<String>::new());
            }
            if found == RENDERED {
                prop_assert_eq!(edits, Edits::default());
            }
        }

        #[test]
        fn any_two_texts_can_be_compared(a in "(\\PC|\n){0,200}", b in "(\\PC|\n){0,200}") {
            let _ = edits(&a, &b);
        }
    }
}

//! Strict JSON: a tree that keeps fields that stand twice, and a reader that collects every problem with its path.
//!
//! The text comes from agents. A reader goes on behind a problem, so that one answer can name all of them, and stops at
//! its bounds.

mod tree;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use sealwright_kernel::product::is_placeholder;
use sealwright_kernel::shown;
use serde::{Deserialize, Serialize};

pub(crate) use tree::Tree;

/// One thing that is wrong with a JSON document, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The JSON path: `$.inputs[0].type`. The document itself is `$`.
    pub path: String,
    pub what: String,
    pub fix: String,
}

/// Everything that is wrong with a document, in the order of its schema. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

impl Problems {
    pub fn list(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return f.write_str("nothing is wrong") };
        write!(f, "{}: {}; {}", first.path, first.what, first.fix)?;
        match self.0.len() - 1 {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

/// A value and its path.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) path: String,
}

/// An object whose fields are all known and stand there once.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'t> {
    object: Node<'t>,
}

/// Collects problems.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    problems: Vec<Problem>,
    left_out: usize,
}

/// What a text may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// One line that names something.
    Line(usize),
    /// Sentences that say something.
    Prose(usize),
    /// Sentences, or nothing.
    Notes(usize),
}

impl<'t> Node<'t> {
    pub(crate) fn root(tree: &'t Tree) -> Self {
        Self { tree, path: "$".into() }
    }
}

impl<'t> Fields<'t> {
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.object.path)
    }

    /// Whether a list was written without an item, and not only read without one.
    pub(crate) fn is_empty_list(&self, name: &str) -> bool {
        self.optional(name).is_some_and(|it| *it.tree == Tree::List(Vec::new()))
    }

    /// A field that may be left out, or null.
    pub(crate) fn optional(&self, name: &str) -> Option<Node<'t>> {
        let tree = self.object.tree.field(name).filter(|it| **it != Tree::Null)?;
        Some(Node { tree, path: self.path(name) })
    }
}

impl Reader {
    pub(crate) fn add(&mut self, path: &str, what: impl Into<String>, fix: impl Into<String>) {
        if self.problems.len() >= PROBLEMS_MAX {
            self.left_out += 1;
            return;
        }
        self.problems.push(Problem { path: path.into(), what: what.into(), fix: fix.into() });
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// The value, unless something was wrong.
    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, Problems> {
        if self.left_out > 0 {
            let what = format!("{} more problems are not listed", self.left_out);
            let fix = "mend the listed problems first".into();
            self.problems.push(Problem { path: "$".into(), what, fix });
        }
        match value {
            Some(value) if self.problems.is_empty() => Ok(value),
            Some(_) | None => Err(Problems(self.problems)),
        }
    }

    fn wrong_kind(&mut self, node: &Node<'_>, needed: &str) {
        let what = format!("{needed} is needed here, not {}", node.tree.kind());
        self.add(&node.path, what, format!("write {needed}"));
    }

    /// The object at `node`. Unknown fields and fields that stand twice are problems.
    pub(crate) fn fields<'t>(&mut self, node: &Node<'t>, known: &[&str]) -> Option<Fields<'t>> {
        let Tree::Object(fields) = node.tree else {
            self.wrong_kind(node, "an object");
            return None;
        };
        for (nth, (name, _)) in fields.iter().enumerate().take(FIELDS_MAX) {
            if !known.contains(&name.as_str()) {
                let what = format!("there is no field `{}` here", shown(name));
                self.add(&node.path, what, format!("remove it; known are {}", known.join(", ")));
            } else if fields[..nth].iter().any(|(it, _)| it == name) {
                self.add(&node.path, format!("`{name}` stands here twice"), "keep one of the two");
            }
        }
        if fields.len() > FIELDS_MAX {
            let what = format!("{} fields, more than {FIELDS_MAX}", fields.len());
            self.add(&node.path, what, format!("keep {}", known.join(", ")));
        }
        Some(Fields { object: node.clone() })
    }

    pub(crate) fn need<'t>(&mut self, of: &Fields<'t>, name: &str) -> Option<Node<'t>> {
        let path = of.path(name);
        match of.object.tree.field(name) {
            Some(tree) => Some(Node { tree, path }),
            None => {
                self.add(&path, format!("`{name}` is missing"), format!("add the field `{name}`"));
                None
            }
        }
    }

    pub(crate) fn text(&mut self, node: &Node<'_>, kind: Text) -> Option<String> {
        let Tree::Text(text) = node.tree else {
            self.wrong_kind(node, "a text");
            return None;
        };
        let (Text::Line(bytes_max) | Text::Prose(bytes_max) | Text::Notes(bytes_max)) = kind;
        if text.len() > bytes_max {
            let what = format!("{} bytes of text, more than {bytes_max}", text.len());
            self.add(&node.path, what, "write it shorter");
            return None;
        }
        let is_foreign = |it: char| match kind {
            Text::Line(_) => it.is_control(),
            Text::Prose(_) | Text::Notes(_) => it.is_control() && it != '\n' && it != '\t',
        };
        if text.contains(is_foreign) {
            self.add(&node.path, "control characters in the text", "write plain text");
            return None;
        }
        let says_nothing = match kind {
            Text::Line(_) => text.trim().is_empty() || is_mark(text.trim()),
            Text::Prose(_) => is_mark(text.trim()) || is_placeholder(text),
            Text::Notes(_) => is_mark(text.trim()),
        };
        if says_nothing {
            let what = match text.trim() {
                "" => "the text is empty".into(),
                text => format!("`{}` is a placeholder", shown(text)),
            };
            self.add(&node.path, what, "write what holds");
            return None;
        }
        if matches!(kind, Text::Line(_)) && text.trim() != text {
            self.add(&node.path, "blanks around the text", "remove them");
            return None;
        }
        Some(text.clone())
    }

    pub(crate) fn need_text(&mut self, of: &Fields<'_>, name: &str, kind: Text) -> Option<String> {
        let node = self.need(of, name)?;
        self.text(&node, kind)
    }

    pub(crate) fn need_bool(&mut self, of: &Fields<'_>, name: &str) -> Option<bool> {
        let node = self.need(of, name)?;
        self.bool(&node)
    }

    pub(crate) fn bool(&mut self, node: &Node<'_>) -> Option<bool> {
        if let Tree::Bool(value) = node.tree {
            return Some(*value);
        }
        self.wrong_kind(node, "true or false");
        None
    }

    /// A whole number from 0 to `most`.
    pub(crate) fn count(&mut self, node: &Node<'_>, most: usize) -> Option<usize> {
        let number = match node.tree {
            Tree::Number(number) => number.as_u64().and_then(|it| usize::try_from(it).ok()),
            Tree::Null | Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_) => None,
        };
        let number = number.filter(|it| *it <= most);
        if number.is_none() {
            self.wrong_kind(node, &format!("a whole number from 0 to {most}"));
        }
        number
    }

    /// A text that parses as `T`; `kind` says what `T` is, such as "a version such as 1.0.0".
    pub(crate) fn parsed<T: core::str::FromStr>(
        &mut self,
        node: &Node<'_>,
        kind: &str,
    ) -> Option<T> {
        let Tree::Text(text) = node.tree else {
            self.wrong_kind(node, "a text");
            return None;
        };
        let parsed = text.parse().ok();
        if parsed.is_none() {
            let what = format!("`{}` is not {kind}", shown(text));
            self.add(&node.path, what, format!("write {kind}"));
        }
        parsed
    }

    pub(crate) fn need_parsed<T: core::str::FromStr>(
        &mut self,
        of: &Fields<'_>,
        name: &str,
        kind: &str,
    ) -> Option<T> {
        let node = self.need(of, name)?;
        self.parsed(&node, kind)
    }

    /// One of a closed set of names.
    pub(crate) fn need_one_of<T: Copy>(
        &mut self,
        of: &Fields<'_>,
        name: &str,
        all: &[(&str, T)],
    ) -> Option<T> {
        let node = self.need(of, name)?;
        let Tree::Text(text) = node.tree else {
            self.wrong_kind(&node, "a text");
            return None;
        };
        let found = all.iter().find(|(name, _)| name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let what = format!("`{}` is not known", shown(text));
            self.add(&node.path, what, format!("write one of {}", names.join(", ")));
        }
        found
    }

    /// The items of a list of at most `most`, each read by `read`. Items with problems are left out.
    pub(crate) fn list<T>(
        &mut self,
        node: &Node<'_>,
        most: usize,
        mut read: impl FnMut(&mut Self, &Node<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Tree::List(items) = node.tree else {
            self.wrong_kind(node, "a list");
            return None;
        };
        if items.len() > most {
            let what = format!("{} items, more than {most}", items.len());
            self.add(&node.path, what, format!("keep at most {most}"));
            return None;
        }
        let at = |nth| format!("{}[{nth}]", node.path);
        let items = items.iter().enumerate();
        Some(items.filter_map(|(nth, tree)| read(self, &Node { tree, path: at(nth) })).collect())
    }

    pub(crate) fn need_list<T>(
        &mut self,
        of: &Fields<'_>,
        name: &str,
        most: usize,
        read: impl FnMut(&mut Self, &Node<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let node = self.need(of, name)?;
        self.list(&node, most, read)
    }

    /// Texts that all differ.
    pub(crate) fn need_texts(
        &mut self,
        of: &Fields<'_>,
        name: &str,
        most: usize,
        kind: Text,
    ) -> Option<Vec<String>> {
        let texts = self.need_list(of, name, most, |reader, node| reader.text(node, kind))?;
        self.distinct(&of.path(name), texts.iter().map(String::as_str));
        Some(texts)
    }

    /// Reports every name that stands in a list more than once.
    pub(crate) fn distinct<'n>(&mut self, path: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = alloc::collections::BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                let what = format!("`{}` stands in the list twice", shown(name));
                self.add(path, what, "keep one of the two, or give it a name of its own");
            }
        }
    }
}

/// Whether a text is a mark that something is still to be written.
fn is_mark(text: &str) -> bool {
    let in_brackets = text.starts_with('<') && text.ends_with('>');
    in_brackets || MARKS.contains(&text)
}

const MARKS: [&str; 13] = [
    "TBD",
    "TBA",
    "TODO",
    "FIXME",
    "XXX",
    "N/A",
    "n/a",
    "...",
    "…",
    "?",
    "???",
    "-",
    "placeholder",
];
/// As many problems of one document are listed; one more says how many were left out.
pub const PROBLEMS_MAX: usize = 100;
/// No object of a schema has as many fields.
const FIELDS_MAX: usize = 64;

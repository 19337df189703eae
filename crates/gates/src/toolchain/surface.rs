//! Surfaces: the public items of a tree in a normal form, the same for every language, so that two trees can be
//! compared and a person can read the difference.
//!
//! ```text
//! base commit ──reader──▶ Surface ─┐
//!                                  ├─▶ difference ──▶ unannounced: changes of items that the contract does not name
//! candidate ────reader──▶ Surface ─┘
//! ```
//!
//! A reader takes names and signatures from text. Comments, layout, bodies and values are no part of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use crate::toolchain::language::Unread;

/// The public items of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// By the name under which another package reaches them: `package.module.function`, `crate::module::Type::method`.
    /// One name can be declared more than once: overloads, or one declaration for each platform.
    pub items: BTreeMap<String, BTreeSet<PublicItem>>,
    /// Files whose items are missing here, each with the reason.
    pub unread: Vec<Unread>,
}

/// One declaration of a public item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicItem {
    pub kind: ItemKind,
    pub signature: ItemSignature,
}

/// The kind of a public item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Function,
    Method,
    Property,
    Class,
    Struct,
    Union,
    Enum,
    Variant,
    Field,
    Trait,
    Constant,
    Static,
    Type,
    Macro,
    /// A name of another package or module, made public here.
    ReExport,
}

/// All that a user of an item depends on, as text in a normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ItemSignature {
    /// Words before it: `async`, `unsafe`, `staticmethod`, `#[cfg(unix)]`.
    pub qualifiers: Vec<String>,
    pub generics: String,
    /// None for an item that is not called.
    pub parameters: Option<Vec<Parameter>>,
    /// The type it returns or holds, the fields of a variant, the origin of a re-export.
    pub result: String,
    /// Base classes, supertraits, where clauses, the head of its `impl` block.
    pub bounds: String,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    pub kind: ParameterKind,
    /// Its type, as text.
    #[serde(default)]
    pub annotation: String,
    #[serde(default)]
    pub default: DefaultValue,
}

/// How an argument reaches a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// The object of a method: `self`, `&mut self`, `cls`.
    Receiver,
    PositionalOnly,
    Positional,
    /// All other arguments by position: `*args`.
    Variadic,
    KeywordOnly,
    /// All other arguments by name: `**options`.
    KeywordVariadic,
}

/// Whether a parameter has a default. Its value is no part of the signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultValue {
    #[default]
    Absent,
    Present,
}

/// One difference between two surfaces. It prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceChange {
    Added { name: String, after: BTreeSet<PublicItem> },
    Removed { name: String, before: BTreeSet<PublicItem> },
    Changed { name: String, before: BTreeSet<PublicItem>, after: BTreeSet<PublicItem> },
}

impl Surface {
    pub fn add(&mut self, name: impl Into<String>, item: PublicItem) {
        self.items.entry(name.into()).or_default().insert(item);
    }

    /// Adds everything of another language or package.
    pub fn merge(&mut self, other: Self) {
        for (name, items) in other.items {
            self.items.entry(name).or_default().extend(items);
        }
        self.unread.extend(other.unread);
    }

    pub fn text(&self) -> Vec<u8> {
        // Plain data of a bounded depth always has a canonical form.
        canonical_json(self).unwrap_or_default()
    }

    pub fn digest(&self) -> Digest {
        Digest::of(&self.text())
    }

    /// Whether an item of this last name exists.
    pub fn has(&self, last: &str) -> bool {
        self.items.keys().any(|name| segments(name).last() == Some(&last))
    }

    /// Files that cannot be read here and could be read, or did not exist, in `before`.
    pub fn unread_since(&self, before: &Self) -> Vec<&Unread> {
        let was_unread = |path: &str| before.unread.iter().any(|it| it.path == path);
        self.unread.iter().filter(|it| !was_unread(&it.path)).collect()
    }
}

/// Every difference, ordered by name.
pub fn difference(before: &Surface, after: &Surface) -> Vec<SurfaceChange> {
    let names: BTreeSet<&String> = before.items.keys().chain(after.items.keys()).collect();
    let change = |name: &String| match (before.items.get(name), after.items.get(name)) {
        (None, Some(after)) => {
            Some(SurfaceChange::Added { name: name.clone(), after: after.clone() })
        }
        (Some(before), None) => {
            Some(SurfaceChange::Removed { name: name.clone(), before: before.clone() })
        }
        (Some(before), Some(after)) if before != after => Some(SurfaceChange::Changed {
            name: name.clone(),
            before: before.clone(),
            after: after.clone(),
        }),
        (Some(_), Some(_)) | (None, None) => None,
    };
    names.into_iter().filter_map(change).collect()
}

/// The differences that no announced item explains. Additions need no announcement, nor does a condition that falls away:
/// nothing that is there can break by them.
///
/// An announced item explains a change of itself, of everything below it, and of the types it is in. `fee` means every
/// item of that last name; `Parking.fee` and `parking::fee` mean those that end so. If there is no such item, it means
/// modules of that name.
pub fn unannounced(
    before: &Surface,
    after: &Surface,
    announced: &BTreeSet<String>,
) -> Vec<SurfaceChange> {
    let names: BTreeSet<&str> =
        before.items.keys().chain(after.items.keys()).map(String::as_str).collect();
    let announced: Vec<Announced<'_>> =
        announced.iter().filter_map(|it| Announced::of(it, &names)).collect();
    let is_explained = |change: &SurfaceChange| match change {
        SurfaceChange::Added { .. } => true,
        SurfaceChange::Changed { before, after, .. } if is_wider(before, after) => true,
        SurfaceChange::Removed { name, .. } | SurfaceChange::Changed { name, .. } => {
            announced.iter().any(|it| it.explains(&segments(name)))
        }
    };
    difference(before, after).into_iter().filter(|change| !is_explained(change)).collect()
}

/// Whether every item is still there, under no condition that it did not have.
fn is_wider(before: &BTreeSet<PublicItem>, after: &BTreeSet<PublicItem>) -> bool {
    let parts = |item: &PublicItem| {
        let is_condition = |word: &String| word.starts_with("#[cfg");
        let words = item.signature.qualifiers.iter().cloned();
        let (conditions, qualifiers) = words.partition::<Vec<_>, _>(is_condition);
        let signature = ItemSignature { qualifiers, ..item.signature.clone() };
        (PublicItem { signature, ..item.clone() }, BTreeSet::from_iter(conditions))
    };
    let after: Vec<_> = after.iter().map(parts).collect();
    before.iter().map(parts).all(|(item, conditions)| {
        after.iter().any(|(other, fewer)| *other == item && fewer.is_subset(&conditions))
    })
}

/// The last part of an announced name: `fee` of `Parking.fee(minutes)`. None if it is no name at all.
pub fn last_segment(announced: &str) -> Option<&str> {
    segments(plain_name(announced)).last().copied()
}

/// An announced item, and the items it means.
struct Announced<'a> {
    segments: Vec<&'a str>,
    meant: Vec<Vec<&'a str>>,
}

impl<'a> Announced<'a> {
    fn of(announced: &'a str, names: &BTreeSet<&'a str>) -> Option<Self> {
        let segments = segments(plain_name(announced));
        if segments.is_empty() {
            return None;
        }
        let all = names.iter().map(|name| self::segments(name));
        let meant = all.filter(|name| name.ends_with(&segments)).collect();
        Some(Self { segments, meant })
    }

    fn explains(&self, name: &[&str]) -> bool {
        let is_itself_or_near =
            self.meant.iter().any(|it| name.starts_with(it) || is_type_above(name, it));
        // A field or a variant is announced, and the type it belongs to changes.
        let (_, above) = self.segments.split_last().unwrap_or((&"", &[]));
        let is_owner = !above.is_empty() && name.ends_with(above);
        // A module is announced: no item has this name, and everything below it has.
        let is_below_module = self.meant.is_empty()
            && name.windows(self.segments.len()).any(|part| part == self.segments);
        is_itself_or_near || is_owner || is_below_module
    }
}

/// Whether `name` is the type that `item` belongs to. A module is above an item too, but no item itself.
fn is_type_above(name: &[&str], item: &[&str]) -> bool {
    item.len() > name.len() && item.starts_with(name)
}

/// The parts of a name, in any language.
fn segments(name: &str) -> Vec<&str> {
    let parts = name.split([':', '.']).map(|part| part.trim_end_matches('!'));
    parts.filter(|part| !matches!(*part, "" | "crate" | "self" | "Self")).collect()
}

/// The name in an announcement such as `pub fn fee(minutes: u32) -> u32`.
fn plain_name(announced: &str) -> &str {
    let head = announced.trim().trim_matches('`');
    let head = head.split(['(', '<', '{', '=', '[', ';']).next().unwrap_or(head);
    let mut words = head.split_whitespace().filter(|word| !KEYWORDS.contains(word));
    words.next().unwrap_or_default().trim_end_matches([':', ',', '`'])
}

impl SurfaceChange {
    pub fn name(&self) -> &str {
        match self {
            Self::Added { name, .. } | Self::Removed { name, .. } | Self::Changed { name, .. } => {
                name
            }
        }
    }
}

impl fmt::Display for SurfaceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::Added { name, after } => format!("added: {}", shown(name, after)),
            Self::Removed { name, before } => format!("removed: {}", shown(name, before)),
            Self::Changed { name, before, after } => {
                format!("changed: {}, now {}", shown(name, before), shown(name, after))
            }
        };
        f.write_str(&line.chars().take(LINE_CHARS_MAX).collect::<String>())
    }
}

fn shown(name: &str, items: &BTreeSet<PublicItem>) -> String {
    items.iter().map(|item| item.shown(name)).collect::<Vec<_>>().join(" | ")
}

impl PublicItem {
    /// The item under its name, as a person writes it: `async fees.day(minutes, rate=…) -> int`.
    pub fn shown(&self, name: &str) -> String {
        let ItemSignature { qualifiers, generics, parameters, result, bounds } = &self.signature;
        let mut words: Vec<&str> = qualifiers.iter().map(String::as_str).collect();
        words.extend(self.kind.word());
        let mut text = words.into_iter().fold(String::new(), |text, word| text + word + " ");
        text.push_str(name);
        text.push_str(generics);
        if let Some(parameters) = parameters {
            text.push_str(&format!("({})", shown_parameters(parameters).join(", ")));
        }
        let mark = match self.kind {
            ItemKind::Function | ItemKind::Method | ItemKind::Property => " -> ",
            ItemKind::Field | ItemKind::Constant | ItemKind::Static => ": ",
            ItemKind::Type => " = ",
            ItemKind::ReExport => " of ",
            ItemKind::Class
            | ItemKind::Struct
            | ItemKind::Union
            | ItemKind::Enum
            | ItemKind::Variant
            | ItemKind::Trait
            | ItemKind::Macro => " ",
        };
        for (mark, part) in [(mark, result), (" ", bounds)] {
            if !part.is_empty() {
                text.push_str(mark);
                text.push_str(part);
            }
        }
        text
    }
}

impl ItemKind {
    /// The word before its name. Whatever has parentheses needs none.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Function | Self::Method => None,
            Self::Property => Some("property"),
            Self::Class => Some("class"),
            Self::Struct => Some("struct"),
            Self::Union => Some("union"),
            Self::Enum => Some("enum"),
            Self::Variant => Some("variant"),
            Self::Field => Some("field"),
            Self::Trait => Some("trait"),
            Self::Constant => Some("constant"),
            Self::Static => Some("static"),
            Self::Type => Some("type"),
            Self::Macro => Some("macro"),
            Self::ReExport => Some("re-export"),
        }
    }
}

/// Parameters with the marks between their kinds: `a, /, b, *, c`.
fn shown_parameters(parameters: &[Parameter]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut last = None;
    for parameter in parameters {
        let kind = parameter.kind;
        let was = last.replace(kind);
        if was == Some(ParameterKind::PositionalOnly) && kind != ParameterKind::PositionalOnly {
            shown.push("/".to_owned());
        }
        let follows_star =
            matches!(was, Some(ParameterKind::KeywordOnly | ParameterKind::Variadic));
        if kind == ParameterKind::KeywordOnly && !follows_star {
            shown.push("*".to_owned());
        }
        shown.push(parameter.shown());
    }
    if last == Some(ParameterKind::PositionalOnly) {
        shown.push("/".to_owned());
    }
    shown
}

impl Parameter {
    fn shown(&self) -> String {
        let Self { name, kind, annotation, default } = self;
        let stars = match kind {
            ParameterKind::Receiver
            | ParameterKind::Positional
            | ParameterKind::PositionalOnly
            | ParameterKind::KeywordOnly => "",
            ParameterKind::Variadic => "*",
            ParameterKind::KeywordVariadic => "**",
        };
        let annotation =
            if annotation.is_empty() { String::new() } else { format!(": {annotation}") };
        let default = match default {
            DefaultValue::Absent => "",
            DefaultValue::Present => " = …",
        };
        format!("{stars}{name}{annotation}{default}")
    }
}

/// Words that stand before a name in a declaration.
const KEYWORDS: &[&str] = &[
    "pub",
    "async",
    "unsafe",
    "extern",
    "const",
    "static",
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "type",
    "mod",
    "module",
    "macro",
    "macro_rules!",
    "function",
    "method",
    "field",
    "variant",
    "constant",
    "impl",
    "mut",
];
const LINE_CHARS_MAX: usize = 400;

#[cfg(test)]
mod tests;

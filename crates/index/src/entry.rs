//! One entry of the code index: a shipped module version, as a search reads it.

use sealwright_kernel::pack::RefKind;
use sealwright_kernel::{Digest, Ref, canonical_json};
use sealwright_module::contract::ModuleRange;
use serde::{Deserialize, Serialize};

/// A shipped module version. Its key is `module_id@version` and is never used again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeIndexEntry {
    pub module_id: String,
    pub version: String,
    pub name: String,
    pub purpose: String,
    pub tags: Vec<String>,
    pub contract_ref: Ref,
    pub examples_ref: Ref,
    pub ship_ref: Ref,
    pub io_summary: IoSummary,
    /// Each as `MM-name@range`.
    pub dependencies: Vec<ModuleRange>,
    pub status: Status,
    #[serde(default)]
    pub superseded_by: Option<Ref>,
    /// Lines that only grow.
    pub notes: String,
}

/// The five dimensions of the contract. Inputs and outputs begin with the type, then `: `.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoSummary {
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub error_surfaces: Vec<String>,
    pub effects: Vec<String>,
    pub modes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Shipped,
    Deprecated,
    Superseded,
}

/// Why an entry cannot be indexed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEntry {
    #[error("`{text}` is not a module version such as MM-limiter@1.0.0")]
    NotAModule { text: String },
    #[error("{field} is empty")]
    Empty { field: &'static str },
    #[error("{field} is too long: at most {most} bytes")]
    TooLong { field: &'static str, most: usize },
    #[error("too many {field}: at most {most}")]
    TooMany { field: &'static str, most: usize },
    #[error("{field} contains a control character")]
    ControlCharacter { field: &'static str },
    #[error("{field} is `{text}`, which names another kind of thing")]
    WrongKind { field: &'static str, text: String },
    #[error("the entry is {status} and superseded_by does not fit it")]
    Pointer { status: &'static str },
}

impl Status {
    pub const ALL: [Self; 3] = [Self::Shipped, Self::Deprecated, Self::Superseded];

    pub fn name(self) -> &'static str {
        match self {
            Self::Shipped => "SHIPPED",
            Self::Deprecated => "DEPRECATED",
            Self::Superseded => "SUPERSEDED",
        }
    }

    /// Both inactive states are terminal.
    pub fn may_become(self, next: Self) -> bool {
        matches!((self, next), (Self::Shipped, Self::Deprecated | Self::Superseded))
    }
}

impl CodeIndexEntry {
    /// Checks every field and names the module version.
    pub fn check(&self) -> Result<Ref, InvalidEntry> {
        let module = self.module_ref()?;
        line("name", &self.name, TEXT_BYTES_MAX)?;
        text("purpose", &self.purpose, PURPOSE_BYTES_MAX)?;
        for (field, value) in [("name", &self.name), ("purpose", &self.purpose)] {
            if value.trim().is_empty() {
                return Err(InvalidEntry::Empty { field });
            }
        }
        lines("tags", &self.tags)?;
        for (field, items) in self.io_summary.dimensions() {
            lines(field, items)?;
        }
        if self.dependencies.len() > ITEMS_MAX {
            return Err(InvalidEntry::TooMany { field: "dependencies", most: ITEMS_MAX });
        }
        text("notes", &self.notes, NOTES_BYTES_MAX)?;
        let kinds = [
            ("contract_ref", &self.contract_ref, RefKind::Contract),
            ("examples_ref", &self.examples_ref, RefKind::Examples),
            ("ship_ref", &self.ship_ref, RefKind::ShipEvidence),
        ];
        let pointer = self.superseded_by.as_ref().map(|it| ("superseded_by", it, RefKind::Module));
        for (field, reference, kind) in kinds.into_iter().chain(pointer) {
            if reference.kind() != kind {
                return Err(InvalidEntry::WrongKind { field, text: reference.to_string() });
            }
        }
        let pointer_fits = match self.status {
            Status::Shipped => self.superseded_by.is_none(),
            Status::Deprecated => true,
            Status::Superseded => self.superseded_by.is_some(),
        };
        if !pointer_fits {
            return Err(InvalidEntry::Pointer { status: self.status.name() });
        }
        Ok(module)
    }

    /// The text an embedder reads: purpose, tags and contract summary, and nothing else.
    pub fn embedding_input(&self) -> String {
        let summary = serde_json::to_string(&self.io_summary).expect("lists of text are JSON");
        format!("{}\n{}\n{summary}", self.purpose, self.tags.join(", "))
    }

    /// Names the content. A second append of the same content changes nothing.
    pub fn digest(&self) -> Digest {
        Digest::of(&canonical_json(self).expect("an entry is text and lists"))
    }

    pub(crate) fn module_ref(&self) -> Result<Ref, InvalidEntry> {
        let text = format!("{}@{}", self.module_id, self.version);
        match Ref::new(&text) {
            Ok(module) if module.kind() == RefKind::Module => Ok(module),
            Ok(_) | Err(_) => {
                Err(InvalidEntry::NotAModule { text: text.chars().take(SHOWN_MAX).collect() })
            }
        }
    }
}

impl IoSummary {
    pub(crate) fn dimensions(&self) -> [(&'static str, &[String]); 5] {
        [
            ("inputs", &self.inputs),
            ("outputs", &self.outputs),
            ("error_surfaces", &self.error_surfaces),
            ("effects", &self.effects),
            ("modes", &self.modes),
        ]
    }
}

/// A text of several lines.
fn text(field: &'static str, value: &str, most: usize) -> Result<(), InvalidEntry> {
    if value.len() > most {
        return Err(InvalidEntry::TooLong { field, most });
    }
    let is_control = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
    if value.chars().any(is_control) {
        return Err(InvalidEntry::ControlCharacter { field });
    }
    Ok(())
}

/// A text of one line.
pub(crate) fn line(field: &'static str, value: &str, most: usize) -> Result<(), InvalidEntry> {
    text(field, value, most)?;
    if value.contains(['\n', '\t']) {
        return Err(InvalidEntry::ControlCharacter { field });
    }
    Ok(())
}

fn lines(field: &'static str, values: &[String]) -> Result<(), InvalidEntry> {
    if values.len() > ITEMS_MAX {
        return Err(InvalidEntry::TooMany { field, most: ITEMS_MAX });
    }
    values.iter().try_for_each(|value| line(field, value, TEXT_BYTES_MAX))
}

/// Tags, items of each dimension, and dependencies of one entry.
pub const ITEMS_MAX: usize = 256;
/// A name, a tag, an item of a dimension, a range.
pub const TEXT_BYTES_MAX: usize = 512;
pub const PURPOSE_BYTES_MAX: usize = 8 * 1024;
pub const NOTES_BYTES_MAX: usize = 64 * 1024;
const SHOWN_MAX: usize = 80;

#[cfg(test)]
mod tests;

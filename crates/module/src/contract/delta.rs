//! A proposed change of a contract: additions, removals and modifications by name, applied mechanically.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize};

use super::json::{Fields, Node, Problems, Reader, Text, Tree};
use super::read::{NAME, effect, error_surface, no_mode, output, parameter};
use super::versions::{Bump, between};
use super::{
    ENTRIES_MAX, Effect, ErrorSurface, Interface, MicroModuleContract, Modes, Output, Parameter,
    TEXT_BYTES_MAX, TYPE_BYTES_MAX,
};

/// Whether callers of the old contract can use the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Compatibility {
    BackwardCompatible,
    Breaking,
}

/// What the author of a change expects of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Expectation {
    BackwardCompatible,
    Breaking,
    Unknown,
}

/// `proposed_contract_delta` of an interface change exception. At least one change is in it.
///
/// An effect is named by its type and target: `WRITE ledger`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContractDelta {
    pub added_inputs: Vec<Parameter>,
    pub removed_inputs: Vec<String>,
    pub modified_inputs: Vec<Modified<Parameter>>,
    pub added_outputs: Vec<Output>,
    pub removed_outputs: Vec<String>,
    pub modified_outputs: Vec<Modified<Output>>,
    pub added_error_surfaces: Vec<ErrorSurface>,
    pub removed_error_surfaces: Vec<String>,
    pub modified_error_surfaces: Vec<Modified<ErrorSurface>>,
    pub added_effects: Vec<Effect>,
    pub removed_effects: Vec<String>,
    pub modified_effects: Vec<Modified<Effect>>,
    pub mode_changes: Option<ModeChanges>,
}

/// An entry, and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Modified<T> {
    pub name: String,
    pub after: T,
}

/// The modes that change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModeChanges {
    #[serde(rename = "sync", skip_serializing_if = "Option::is_none")]
    pub is_sync: Option<bool>,
    #[serde(rename = "async", skip_serializing_if = "Option::is_none")]
    pub is_async: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A delta that does not fit its contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeltaRefused {
    #[error("{list}: there is no `{name}` in the contract")]
    Absent { list: &'static str, name: String },
    #[error("{list}: `{name}` is in the contract already")]
    Present { list: &'static str, name: String },
    #[error("{list}: `{name}` stays as it is")]
    Same { list: &'static str, name: String },
    #[error("the delta changes nothing")]
    Nothing,
    /// The contract would break a rule of its own.
    #[error("the changed contract does not hold: {problems}")]
    Unsound { problems: Problems },
    #[error("no version follows {version}")]
    UsedUp { version: sealwright_kernel::pack::Version },
}

impl DeltaRefused {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "name an entry of the contract, an effect as `TYPE target`",
            Self::Present { .. } => "modify the entry, or give the new one another name",
            Self::Same { .. } | Self::Nothing => "leave out entries that are as they were",
            Self::Unsound { .. } => "keep an input, an output and a mode",
            Self::UsedUp { .. } => "start a successor module",
        }
    }
}

impl Expectation {
    /// The stricter of what is claimed and what is `computed`.
    pub fn settled(self, computed: Compatibility) -> Compatibility {
        match self {
            Self::Breaking => Compatibility::Breaking,
            Self::BackwardCompatible | Self::Unknown => computed,
        }
    }

    /// Whether a change that is breaking was claimed to be compatible.
    pub fn is_refuted_by(self, computed: Compatibility) -> bool {
        self == Self::BackwardCompatible && computed == Compatibility::Breaking
    }
}

impl Compatibility {
    pub fn bump(self) -> Bump {
        match self {
            Self::BackwardCompatible => Bump::Minor,
            Self::Breaking => Bump::Major,
        }
    }
}

impl ContractDelta {
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        Self::of_tree(&Tree::parse(text, DELTA_BYTES_MAX)?)
    }

    fn of_tree(tree: &Tree) -> Result<Self, Problems> {
        let mut reader = Reader::default();
        let delta = read(&mut reader, &Node::root(tree));
        reader.finish(delta)
    }

    /// The contract with this change and the version that follows, and what the change does to callers.
    pub fn apply(
        &self,
        contract: &MicroModuleContract,
        expectation: Expectation,
    ) -> Result<(MicroModuleContract, Compatibility), DeltaRefused> {
        let interface = self.changed(&contract.interface)?;
        let Some(computed) = between(&contract.interface, &interface) else {
            return Err(DeltaRefused::Nothing);
        };
        let version = contract.module_version;
        let next = expectation.settled(computed).bump().next(version);
        let module_version = next.ok_or(DeltaRefused::UsedUp { version })?;
        let candidate = MicroModuleContract { interface, module_version, ..contract.clone() };
        // What was added was checked by itself; the bounds of the whole are checked here.
        match MicroModuleContract::parse(&candidate.canonical()) {
            Ok(candidate) => Ok((candidate, computed)),
            Err(problems) => Err(DeltaRefused::Unsound { problems }),
        }
    }

    fn changed(&self, old: &Interface) -> Result<Interface, DeltaRefused> {
        let mut it = old.clone();
        let name = |it: &Parameter| it.name.clone();
        let inputs = (&self.removed_inputs, &self.modified_inputs, &self.added_inputs);
        change(
            &mut it.inputs,
            inputs,
            name,
            ["removed_inputs", "modified_inputs", "added_inputs"],
        )?;
        let name = |it: &Output| it.name.clone();
        let outputs = (&self.removed_outputs, &self.modified_outputs, &self.added_outputs);
        let lists = ["removed_outputs", "modified_outputs", "added_outputs"];
        change(&mut it.outputs, outputs, name, lists)?;
        let name = |it: &ErrorSurface| it.name.clone();
        let errors = (
            &self.removed_error_surfaces,
            &self.modified_error_surfaces,
            &self.added_error_surfaces,
        );
        let lists = ["removed_error_surfaces", "modified_error_surfaces", "added_error_surfaces"];
        change(&mut it.error_surfaces, errors, name, lists)?;
        let effects = (&self.removed_effects, &self.modified_effects, &self.added_effects);
        let lists = ["removed_effects", "modified_effects", "added_effects"];
        change(&mut it.effects, effects, Effect::name, lists)?;
        if let Some(changes) = &self.mode_changes {
            let Modes { is_sync, is_async, notes } = &mut it.modes;
            *is_sync = changes.is_sync.unwrap_or(*is_sync);
            *is_async = changes.is_async.unwrap_or(*is_async);
            if let Some(changed) = &changes.notes {
                notes.clone_from(changed);
            }
        }
        Ok(it)
    }
}

/// Removes, then modifies in place, then adds at the end.
fn change<T: Clone + PartialEq>(
    list: &mut Vec<T>,
    (removed, modified, added): (&Vec<String>, &Vec<Modified<T>>, &Vec<T>),
    name: impl Fn(&T) -> String,
    [to_remove, to_modify, to_add]: [&'static str; 3],
) -> Result<(), DeltaRefused> {
    let position = |list: &[T], wanted: &str| list.iter().position(|it| name(it) == wanted);
    let absent = |list, name: &str| DeltaRefused::Absent { list, name: name.to_string() };
    for gone in removed {
        let at = position(list, gone).ok_or_else(|| absent(to_remove, gone))?;
        list.remove(at);
    }
    for Modified { name: old, after } in modified {
        let at = position(list, old).ok_or_else(|| absent(to_modify, old))?;
        let new = name(after);
        if position(list, &new).is_some_and(|it| it != at) {
            return Err(DeltaRefused::Present { list: to_modify, name: new });
        }
        if list[at] == *after {
            return Err(DeltaRefused::Same { list: to_modify, name: new });
        }
        list[at] = after.clone();
    }
    for new in added {
        if position(list, &name(new)).is_some() {
            return Err(DeltaRefused::Present { list: to_add, name: name(new) });
        }
        list.push(new.clone());
    }
    Ok(())
}

fn read(reader: &mut Reader, node: &Node<'_>) -> Option<ContractDelta> {
    let it = reader.fields(node, &FIELDS)?;
    let effect_name = Text::Line(TYPE_BYTES_MAX + 16);
    let modified_effects = modified(effect_name, effect);
    let delta = ContractDelta {
        added_inputs: list(reader, &it, "added_inputs", parameter),
        removed_inputs: list(reader, &it, "removed_inputs", named),
        modified_inputs: list(reader, &it, "modified_inputs", modified(NAME, parameter)),
        added_outputs: list(reader, &it, "added_outputs", output),
        removed_outputs: list(reader, &it, "removed_outputs", named),
        modified_outputs: list(reader, &it, "modified_outputs", modified(NAME, output)),
        added_error_surfaces: list(reader, &it, "added_error_surfaces", error_surface),
        removed_error_surfaces: list(reader, &it, "removed_error_surfaces", named),
        modified_error_surfaces: list(
            reader,
            &it,
            "modified_error_surfaces",
            modified(NAME, error_surface),
        ),
        added_effects: list(reader, &it, "added_effects", effect),
        removed_effects: list(reader, &it, "removed_effects", |it, node| {
            it.text(node, effect_name)
        }),
        modified_effects: list(reader, &it, "modified_effects", modified_effects),
        mode_changes: it.optional("mode_changes").and_then(|it| mode_changes(reader, &it)),
    };
    if reader.is_clean() && delta == ContractDelta::default() {
        reader.add(&node.path, "the delta is empty", "name at least one change");
    }
    Some(delta)
}

/// A list that may be left out. A broken one is a problem of the reader.
fn list<T>(
    reader: &mut Reader,
    of: &Fields<'_>,
    name: &str,
    read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
) -> Vec<T> {
    let node = of.optional(name);
    node.and_then(|it| reader.list(&it, ENTRIES_MAX, read)).unwrap_or_default()
}

fn named(reader: &mut Reader, node: &Node<'_>) -> Option<String> {
    reader.text(node, NAME)
}

fn modified<T>(
    name: Text,
    mut read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
) -> impl FnMut(&mut Reader, &Node<'_>) -> Option<Modified<T>> {
    move |reader, node| {
        let it = reader.fields(node, &["name", "after"])?;
        let name = reader.need_text(&it, "name", name);
        let after = reader.need(&it, "after").and_then(|it| read(reader, &it));
        Some(Modified { name: name?, after: after? })
    }
}

fn mode_changes(reader: &mut Reader, node: &Node<'_>) -> Option<ModeChanges> {
    let it = reader.fields(node, &["sync", "async", "notes"])?;
    let is_sync = it.optional("sync").and_then(|it| reader.bool(&it));
    let is_async = it.optional("async").and_then(|it| reader.bool(&it));
    let notes = it.optional("notes").and_then(|it| reader.text(&it, Text::Notes(TEXT_BYTES_MAX)));
    let changes = ModeChanges { is_sync, is_async, notes };
    if reader.is_clean() && changes == ModeChanges::default() {
        let fix = "name a mode that changes, or leave `mode_changes` out";
        reader.add(&node.path, "no mode changes", fix);
    }
    if let ModeChanges { is_sync: Some(is_sync), is_async: Some(is_async), .. } = changes {
        no_mode(reader, &node.path, &Modes { is_sync, is_async, notes: String::new() });
    }
    Some(changes)
}

impl<'de> Deserialize<'de> for ContractDelta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = Tree::deserialize(deserializer)?;
        Self::of_tree(&tree).map_err(|it| serde::de::Error::custom(it.to_string()))
    }
}

const FIELDS: [&str; 13] = [
    "added_inputs",
    "removed_inputs",
    "modified_inputs",
    "added_outputs",
    "removed_outputs",
    "modified_outputs",
    "added_error_surfaces",
    "removed_error_surfaces",
    "modified_error_surfaces",
    "added_effects",
    "removed_effects",
    "modified_effects",
    "mode_changes",
];
/// The largest delta that is read.
pub const DELTA_BYTES_MAX: usize = 256 << 10;

//! Reads a contract: every field, its grammar and its bounds.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Number;

use super::json::{Fields, Node, Reader, Text, Tree};
use super::names::{MODULE_ID, MODULE_RANGE, ModuleRange};
use super::{
    Binding, CONSTRAINTS_MAX, CompatibilityPolicy, DEPENDENCIES_MAX, Dependency, ENTRIES_MAX,
    ERROR_CASES_MAX, Effect, EffectKind, ErrorSurface, Interface, MicroModuleContract, Modes,
    NAME_BYTES_MAX, Output, Parameter, RuntimeBudgets, Surface, TAGS_MAX, TEXT_BYTES_MAX,
    TYPE_BYTES_MAX,
};

pub(crate) const NAME: Text = Text::Line(NAME_BYTES_MAX);
pub(crate) const PROSE: Text = Text::Prose(TEXT_BYTES_MAX);
const TYPE: Text = Text::Line(TYPE_BYTES_MAX);
pub(crate) const VERSION: &str = "a version such as 1.0.0";

pub(crate) fn contract(reader: &mut Reader, node: &Node<'_>) -> Option<MicroModuleContract> {
    let it = reader.fields(node, &FIELDS)?;
    let module_id = reader.need_parsed(&it, "module_id", MODULE_ID);
    let module_version = reader.need_parsed(&it, "module_version", VERSION);
    let name = reader.need_text(&it, "name", NAME);
    let purpose = reader.need_text(&it, "purpose", PROSE);
    let tags = reader.need_texts(&it, "tags", TAGS_MAX, Text::Line(TAG_BYTES_MAX));
    let interface = interface(reader, &it);
    let error_cases = reader.need_texts(&it, "error_cases", ERROR_CASES_MAX, PROSE);
    let dependencies = reader.need_list(&it, "dependencies", DEPENDENCIES_MAX, dependency);
    let compatibility = reader.need(&it, "compatibility").and_then(|it| policy(reader, &it));
    let runtime_budgets = it.optional("runtime_budgets").map(|it| budgets(reader, &it));
    let binding = it.optional("binding").map(|it| binding(reader, &it));
    let contract = MicroModuleContract {
        module_id: module_id?,
        module_version: module_version?,
        name: name?,
        purpose: purpose?,
        tags: tags?,
        interface: interface?,
        error_cases: error_cases?,
        dependencies: dependencies?,
        compatibility: compatibility?,
        runtime_budgets: some_whole(runtime_budgets)?,
        binding: some_whole(binding)?,
    };
    own_dependencies(reader, &it.path("dependencies"), &contract);
    Some(contract)
}

/// A part that may be left out, but not be broken.
fn some_whole<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        Some(Some(part)) => Some(Some(part)),
        Some(None) => None,
        None => Some(None),
    }
}

fn own_dependencies(reader: &mut Reader, path: &str, contract: &MicroModuleContract) {
    let ids = || contract.dependencies.iter().map(|it| it.range.id());
    reader.distinct(path, ids().map(|it| it.as_str()));
    if ids().any(|id| *id == contract.module_id) {
        let what = format!("{} depends on itself", contract.module_id);
        reader.add(path, what, "remove the entry");
    }
}

fn interface(reader: &mut Reader, of: &Fields<'_>) -> Option<Interface> {
    let inputs = some_entries(reader, of, "inputs", parameter, |it| it.name.clone());
    let outputs = some_entries(reader, of, "outputs", output, |it| it.name.clone());
    let errors = entries(reader, of, "error_surfaces", error_surface, |it| it.name.clone());
    let effects = entries(reader, of, "effects", effect, Effect::name);
    let modes = reader.need(of, "modes").and_then(|it| modes(reader, &it));
    Some(Interface {
        inputs: inputs?,
        outputs: outputs?,
        error_surfaces: errors?,
        effects: effects?,
        modes: modes?,
    })
}

/// A list whose entries have names of their own.
fn entries<T>(
    reader: &mut Reader,
    of: &Fields<'_>,
    name: &str,
    read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
    name_of: impl Fn(&T) -> String,
) -> Option<Vec<T>> {
    let list = reader.need_list(of, name, ENTRIES_MAX, read)?;
    let names: Vec<String> = list.iter().map(name_of).collect();
    reader.distinct(&of.path(name), names.iter().map(String::as_str));
    Some(list)
}

/// A list that is not empty either.
fn some_entries<T>(
    reader: &mut Reader,
    of: &Fields<'_>,
    name: &str,
    read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
    name_of: impl Fn(&T) -> String,
) -> Option<Vec<T>> {
    let list = entries(reader, of, name, read, name_of)?;
    if of.is_empty_list(name) {
        let what = format!("`{name}` is empty");
        reader.add(&of.path(name), what, "name at least one: a module maps an input to an output");
    }
    Some(list)
}

pub(crate) fn parameter(reader: &mut Reader, node: &Node<'_>) -> Option<Parameter> {
    let it = reader.fields(node, &["name", "type", "constraints"])?;
    let name = reader.need_text(&it, "name", NAME);
    let type_name = reader.need_text(&it, "type", TYPE);
    let constraints = reader.need_texts(&it, "constraints", CONSTRAINTS_MAX, PROSE);
    Some(Parameter { name: name?, type_name: type_name?, constraints: constraints? })
}

pub(crate) fn output(reader: &mut Reader, node: &Node<'_>) -> Option<Output> {
    let it = reader.fields(node, &["name", "type", "invariants"])?;
    let name = reader.need_text(&it, "name", NAME);
    let type_name = reader.need_text(&it, "type", TYPE);
    let invariants = reader.need_texts(&it, "invariants", CONSTRAINTS_MAX, PROSE);
    Some(Output { name: name?, type_name: type_name?, invariants: invariants? })
}

pub(crate) fn error_surface(reader: &mut Reader, node: &Node<'_>) -> Option<ErrorSurface> {
    let it = reader.fields(node, &["name", "when", "surface"])?;
    let name = reader.need_text(&it, "name", NAME);
    let when = reader.need_text(&it, "when", PROSE);
    let surface = reader.need_one_of(&it, "surface", &Surface::NAMED);
    Some(ErrorSurface { name: name?, when: when?, surface: surface? })
}

pub(crate) fn effect(reader: &mut Reader, node: &Node<'_>) -> Option<Effect> {
    let it = reader.fields(node, &["type", "target", "description"])?;
    let kind = reader.need_one_of(&it, "type", &EffectKind::NAMED);
    let target = reader.need_text(&it, "target", TYPE);
    let description = reader.need_text(&it, "description", PROSE);
    Some(Effect { kind: kind?, target: target?, description: description? })
}

fn modes(reader: &mut Reader, node: &Node<'_>) -> Option<Modes> {
    let it = reader.fields(node, &["sync", "async", "notes"])?;
    let is_sync = reader.need_bool(&it, "sync");
    let is_async = reader.need_bool(&it, "async");
    let notes = reader.need_text(&it, "notes", Text::Notes(TEXT_BYTES_MAX));
    let modes = Modes { is_sync: is_sync?, is_async: is_async?, notes: notes? };
    no_mode(reader, &node.path, &modes);
    Some(modes)
}

/// Reports modes in which the module cannot be called.
pub(crate) fn no_mode(reader: &mut Reader, path: &str, modes: &Modes) {
    if !modes.is_sync && !modes.is_async {
        reader.add(
            path,
            "neither sync nor async is true",
            "set the mode of the entry point to true",
        );
    }
}

fn dependency(reader: &mut Reader, node: &Node<'_>) -> Option<Dependency> {
    let it = reader.fields(node, &["ref", "why"])?;
    let range = reader.need_parsed(&it, "ref", MODULE_RANGE);
    let why = reader.need_text(&it, "why", PROSE);
    Some(Dependency { range: range?, why: why? })
}

fn policy(reader: &mut Reader, node: &Node<'_>) -> Option<CompatibilityPolicy> {
    let it = reader.fields(node, &["backward_compatible_with", "breaking_change_policy"])?;
    let read = |reader: &mut Reader, it: &Node<'_>| reader.parsed(it, MODULE_RANGE);
    let ranges: Option<Vec<ModuleRange>> =
        reader.need_list(&it, "backward_compatible_with", DEPENDENCIES_MAX, read);
    let breaking_change_policy = reader.need_text(&it, "breaking_change_policy", PROSE);
    Some(CompatibilityPolicy {
        backward_compatible_with: ranges?,
        breaking_change_policy: breaking_change_policy?,
    })
}

fn budgets(reader: &mut Reader, node: &Node<'_>) -> Option<RuntimeBudgets> {
    let it = reader.fields(node, &["latency_ms_p95", "memory_mb_max"])?;
    let latency = it.optional("latency_ms_p95").map(|it| budget(reader, &it));
    let memory = it.optional("memory_mb_max").map(|it| budget(reader, &it));
    Some(RuntimeBudgets {
        latency_ms_p95: some_whole(latency)?,
        memory_mb_max: some_whole(memory)?,
    })
}

fn budget(reader: &mut Reader, node: &Node<'_>) -> Option<Number> {
    let number = match node.tree {
        Tree::Number(number) => Some(number),
        Tree::Null | Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_) => None,
    };
    let is_sound = |it: &&Number| it.as_f64().is_some_and(|it| it > 0.0 && it <= BUDGET_MAX);
    let number = number.filter(is_sound);
    if number.is_none() {
        let fix = "write a number above 0 and at most 1000000000";
        reader.add(&node.path, "this is no budget", fix);
    }
    number.cloned()
}

fn binding(reader: &mut Reader, node: &Node<'_>) -> Option<Binding> {
    let it = reader.fields(node, &["language", "package", "entry_point", "signature"])?;
    let language = word(reader, &it, "language", "+#-_");
    let package = word(reader, &it, "package", "_.-/@");
    // A path has no blank or comma in it, so it cannot name two.
    let entry_point = word(reader, &it, "entry_point", "_:.-/$#");
    let signature = reader.need_text(&it, "signature", Text::Prose(TEXT_BYTES_MAX));
    Some(Binding {
        language: language?,
        package: package?,
        entry_point: entry_point?,
        signature: signature?,
    })
}

/// One word of ASCII letters, digits and `signs`.
fn word(reader: &mut Reader, of: &Fields<'_>, name: &str, signs: &str) -> Option<String> {
    let text = reader.need_text(of, name, NAME)?;
    let is_word = |it: char| it.is_ascii_alphanumeric() || signs.contains(it);
    if text.chars().all(is_word) && text.contains(|it: char| it.is_ascii_alphanumeric()) {
        return Some(text);
    }
    let what = format!("`{}` is not one name", sealwright_kernel::shown(&text));
    reader.add(&of.path(name), what, format!("write one word of letters, digits and {signs}"));
    None
}

const FIELDS: [&str; 15] = [
    "module_id",
    "module_version",
    "name",
    "purpose",
    "tags",
    "inputs",
    "outputs",
    "error_surfaces",
    "effects",
    "modes",
    "error_cases",
    "dependencies",
    "compatibility",
    "runtime_budgets",
    "binding",
];
const TAG_BYTES_MAX: usize = 64;
const BUDGET_MAX: f64 = 1e9;

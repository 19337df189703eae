//! What a library offers to those who call it, with its types understood as far as their values can be sent.
//!
//! The surface says what is there, to compare two trees; this says how it is called, to call it from another process.

use std::collections::BTreeMap;

use crate::toolchain::surface::{
    ItemKind, ItemSignature, Parameter, ParameterKind, PublicItem, Surface,
};

use super::declarations::{Declaration, Implementation};
use super::written_type::Type;
use super::{Crate, MANIFEST, Target, Walk, library};
use crate::toolchain::paths::name_of;

/// A library and its callable items.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// As other crates write it.
    pub name: String,
    pub types: Vec<OwnType>,
    pub functions: Vec<Callable>,
    pub constants: Vec<Constant>,
    /// Public items of other kinds, each with why it cannot be called from another process.
    pub left: Vec<(String, &'static str)>,
}

/// A type of the library.
#[derive(Clone, Debug)]
pub struct OwnType {
    /// Its own name.
    pub name: String,
    /// The names under which it is reached, without that of the crate. There is at least one.
    pub names: Vec<String>,
    pub shape: Shape,
    pub methods: Vec<Callable>,
    pub constants: Vec<Constant>,
    /// Traits that it has, derived or written, each with its types: `From<u8>`, `FromStr`.
    pub traits: Vec<(Type, Vec<(String, Type)>)>,
    pub derives: Vec<String>,
}

/// What of a type its users see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Some of it is private.
    Opaque,
    Struct(Vec<(String, Type)>),
    Tuple(Vec<Type>),
    Unit,
    Enum(Vec<Variant>),
    /// It has parameters of its own.
    Generic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    /// [`Shape::Struct`], [`Shape::Tuple`] or [`Shape::Unit`].
    pub fields: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    pub name: String,
    /// The names under which a function is reached, without that of the crate. None for methods.
    pub names: Vec<String>,
    pub receiver: Option<Receiver>,
    pub parameters: Vec<Type>,
    pub result: Type,
    /// Why it cannot be called from another process, as far as its head tells.
    pub obstacle: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    Value,
    Shared,
    Mutable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub name: String,
    pub names: Vec<String>,
    pub of: Type,
    /// Its value, if it is written without a computation.
    pub value: Option<String>,
}

impl Api {
    /// The library of the package whose manifest stands at the top.
    pub fn of(files: &BTreeMap<String, String>) -> Option<Self> {
        let (manifest, text) = files.iter().find(|(path, _)| name_of(path) == MANIFEST)?;
        let library = library(manifest, text, files).ok()??;
        let found = Crate::read(files, &library);
        Some(Builder::new(&found, &library.name).built())
    }
}

/// Whether a macro call makes it, of which only the name is known.
fn is_made(it: &Declaration) -> bool {
    it.item.signature.qualifiers.iter().any(|it| it.ends_with('!'))
}

struct Builder<'b> {
    found: &'b Crate,
    /// Items by module and name, with the names under which they are reached.
    reached: BTreeMap<(usize, String), Vec<String>>,
    numbers: BTreeMap<(usize, String), usize>,
    api: Api,
}

impl<'b> Builder<'b> {
    fn new(found: &'b Crate, name: &str) -> Self {
        let (methods, mut surface) = (found.methods(), Surface::default());
        let mut walk = Walk::new(found, &methods, &mut surface);
        walk.module(0, name, &mut Vec::new(), &[]);
        let mut reached: BTreeMap<_, Vec<String>> = BTreeMap::new();
        let prefix = format!("{name}::");
        for (module, item, path) in walk.reached {
            let path = path.strip_prefix(&prefix).unwrap_or(&path).to_owned();
            reached.entry((module, item)).or_default().push(path);
        }
        // The shortest name is the one people write.
        for names in reached.values_mut() {
            names.sort_by_key(|name| (name.matches("::").count(), name.clone()));
            names.dedup();
        }
        let api = Api { name: name.to_owned(), ..Api::default() };
        Self { found, reached, numbers: BTreeMap::new(), api }
    }

    fn built(mut self) -> Api {
        let found = self.found;
        let declared = |((module, item), names): ((usize, String), Vec<String>)| {
            let own = found.modules[module].declarations.iter();
            let own: Vec<&Declaration> = own.filter(|it| it.name == item).collect();
            (own, (module, item), names)
        };
        let reached = std::mem::take(&mut self.reached);
        let mut declared: Vec<_> = reached.into_iter().map(declared).collect();
        for (declarations, _, names) in &mut declared {
            if declarations.iter().any(|it| is_made(it)) {
                self.api.left.push((names[0].clone(), "a macro makes it"));
            }
            declarations.retain(|it| !is_made(it));
        }
        for (declarations, key, names) in &declared {
            let Some(it) = declarations.iter().find(|it| is_type(it.item.kind)) else { continue };
            self.numbers.insert(key.clone(), self.api.types.len());
            self.api.types.push(OwnType {
                name: key.1.clone(),
                names: names.clone(),
                shape: Shape::Opaque,
                methods: Vec::new(),
                constants: Vec::new(),
                traits: Vec::new(),
                derives: it.derives.clone(),
            });
        }
        for (declarations, (module, _), names) in &declared {
            for it in declarations {
                self.declaration(it, *module, names);
            }
        }
        self.methods();
        self.implementations();
        self.api
    }

    fn declaration(&mut self, it: &Declaration, module: usize, names: &[String]) {
        let Declaration { name, item, literal, .. } = it;
        let names = names.to_vec();
        match item.kind {
            ItemKind::Function => {
                let callable = self.callable(name, item, module, None);
                self.api.functions.push(Callable { names, ..callable });
            }
            ItemKind::Constant => {
                let of = self.read(&item.signature.result, module, None);
                let value = literal.clone().filter(|_| is_there(&item.signature));
                self.api.constants.push(Constant { name: name.clone(), names, of, value });
            }
            ItemKind::Struct | ItemKind::Enum => {
                let Some(&number) = self.numbers.get(&(module, name.clone())) else { return };
                self.api.types[number].shape = self.shape(it, module, number);
            }
            ItemKind::Trait => self.api.left.push((names[0].clone(), "a trait")),
            ItemKind::Macro => self.api.left.push((names[0].clone(), "a macro")),
            ItemKind::Union => self.api.left.push((names[0].clone(), "a union")),
            ItemKind::Static => self.api.left.push((names[0].clone(), "a static")),
            ItemKind::Method
            | ItemKind::Property
            | ItemKind::Class
            | ItemKind::Variant
            | ItemKind::Field
            | ItemKind::Type
            | ItemKind::ReExport => {}
        }
    }

    fn shape(&self, it: &Declaration, module: usize, number: usize) -> Shape {
        let ItemSignature { generics, result, qualifiers, .. } = &it.item.signature;
        if !generics.is_empty() {
            return Shape::Generic;
        }
        let read = |text: &str| self.read(text, module, Some(number));
        let members = || it.members.iter().map(|(name, item)| (name.clone(), item));
        // Whoever matches on it cannot know all of it.
        if qualifiers.iter().any(|it| it == "#[non_exhaustive]") && it.item.kind == ItemKind::Struct
        {
            return Shape::Opaque;
        }
        if it.item.kind == ItemKind::Enum {
            let variant = |(name, item): (String, &PublicItem)| {
                let fields = self.fields(&item.signature.result, module, number);
                Variant { name, fields }
            };
            return Shape::Enum(members().map(variant).collect());
        }
        match result.as_str() {
            "{}" => Shape::Struct(
                members().map(|(name, item)| (name, read(&item.signature.result))).collect(),
            ),
            "{ .. }" => Shape::Opaque,
            "" => Shape::Unit,
            fields if fields.contains('_') && has_private(fields) => Shape::Opaque,
            fields => self.fields(&fields.replace("pub ", ""), module, number),
        }
    }

    /// Fields as a variant has them: `(A, B)`, `{ a: A }` or nothing.
    fn fields(&self, text: &str, module: usize, number: usize) -> Shape {
        let read = |of: Type| self.resolved(of, module, Some(number), DEPTH_MAX);
        if text.is_empty() {
            return Shape::Unit;
        }
        if let Some(inner) = text.strip_prefix("{ ").and_then(|it| it.strip_suffix(" }")) {
            let fields = super::written_type::named_fields(inner);
            return Shape::Struct(fields.into_iter().map(|(name, of)| (name, read(of))).collect());
        }
        // A tuple of one is written like a type in brackets.
        let inner = text.trim_start_matches('(').trim_end_matches(')');
        match Type::read(&format!("({inner},)")) {
            Type::Tuple(types) if text.starts_with('(') => {
                Shape::Tuple(types.into_iter().map(read).collect())
            }
            _ => Shape::Opaque,
        }
    }

    fn methods(&mut self) {
        for ((module, of), methods) in self.found.methods() {
            let Some(&number) = self.numbers.get(&(module, of)) else { continue };
            for (name, item) in methods {
                if item.kind == ItemKind::Constant {
                    let of = self.read(&item.signature.result, module, Some(number));
                    let value = self.value(number, &name);
                    let constant = Constant { name, names: Vec::new(), of, value };
                    self.api.types[number].constants.push(constant);
                } else {
                    let callable = self.callable(&name, &item, module, Some(number));
                    self.api.types[number].methods.push(callable);
                }
            }
        }
    }

    /// The value of a constant of a type, if it is plain.
    fn value(&self, number: usize, name: &str) -> Option<String> {
        let is_it = |from: usize, of: &[String]| match self.found.resolve(from, of) {
            Some(Target::Items(at, of)) => self.numbers.get(&(at, of)) == Some(&number),
            Some(Target::Module(_)) | None => false,
        };
        self.found.modules.iter().enumerate().find_map(|(from, module)| {
            let own = module.values.iter().find(|it| it.name == name && is_it(from, &it.of));
            own.map(|it| it.text.clone())
        })
    }

    fn implementations(&mut self) {
        for (module, it) in self.found.modules.iter().enumerate() {
            for Implementation { qualifiers, generics, of, on, types } in &it.implementations {
                let Type::Own(number) = self.read(on, module, None) else { continue };
                let is_plain = generics.trim_matches(['<', '>', ' ']).split(',').all(is_lifetime);
                if !is_plain || !qualifiers.iter().all(|it| is_met(it)) {
                    continue;
                }
                let of = self.read(of, module, Some(number));
                let types = types
                    .iter()
                    .map(|(name, of)| (name.clone(), self.read(of, module, Some(number))));
                let types = types.collect();
                self.api.types[number].traits.push((of, types));
            }
        }
    }

    fn callable(
        &self,
        name: &str,
        item: &PublicItem,
        module: usize,
        of: Option<usize>,
    ) -> Callable {
        let signature = &item.signature;
        let chosen = super::written_type::parameters(&signature.generics, &signature.bounds);
        let read = |text: &str| {
            let mut substitute = |it: Type| match &it {
                Type::Named { path, of } if of.is_empty() => chosen
                    .iter()
                    .find(|(name, _)| name == path)
                    .map_or(it.clone(), |it| it.1.clone()),
                _ => it,
            };
            let read = Type::read(text).map(&mut substitute);
            self.resolved(read, module, of, DEPTH_MAX)
        };
        let parameters = signature.parameters.as_deref().unwrap_or_default();
        let receiver = parameters.iter().find(|it| it.kind == ParameterKind::Receiver);
        let others = parameters.iter().filter(|it| it.kind != ParameterKind::Receiver);
        let is = |word: &str| signature.qualifiers.iter().any(|it| it == word);
        let obstacle = match receiver.map(receiver_of) {
            Some(None) => Some("it takes `self` in a box or a pin"),
            _ if is("async") => Some("it is async"),
            _ if is("unsafe") => Some("it is unsafe"),
            _ if !is_there(signature) => Some("it is there only under a condition"),
            _ if signature.bounds.contains("in impl<") => Some("it is a method of a generic type"),
            _ if signature.generics.contains("const ") => Some("it has a constant as a parameter"),
            _ => None,
        };
        Callable {
            name: name.to_owned(),
            names: Vec::new(),
            receiver: receiver.and_then(receiver_of),
            parameters: others.map(|it| read(&it.annotation)).collect(),
            result: if signature.result.is_empty() {
                Type::Tuple(Vec::new())
            } else {
                read(&signature.result)
            },
            obstacle,
        }
    }

    fn read(&self, text: &str, module: usize, of: Option<usize>) -> Type {
        self.resolved(Type::read(text), module, of, DEPTH_MAX)
    }

    /// The type with every name of the crate followed to what it means.
    fn resolved(&self, it: Type, module: usize, of: Option<usize>, depth: u32) -> Type {
        let Some(depth) = depth.checked_sub(1) else { return Type::Other("an alias".to_owned()) };
        it.map(&mut |it| {
            let Type::Named { path, of: inner } = it else { return it };
            if path == "Self" {
                return of.map_or(Type::Other(path), Type::Own);
            }
            let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
            let Some(Target::Items(at, name)) = self.found.resolve(module, &segments) else {
                return Type::Named { path: self.full(&segments, module), of: inner };
            };
            if let Some(&number) = self.numbers.get(&(at, name.clone())) {
                let is_plain = inner.is_empty();
                return if is_plain { Type::Own(number) } else { Type::Other(path) };
            }
            let alias = self.found.modules[at].declarations.iter().find(|it| it.name == name);
            match alias {
                Some(it) if it.item.kind == ItemKind::Type => {
                    let signature = &it.item.signature;
                    let names = super::written_type::defaults(&signature.generics);
                    let mut inner = inner.into_iter();
                    let chosen: Vec<(String, Type)> = names
                        .into_iter()
                        .filter_map(|(name, default)| Some((name, inner.next().or(default)?)))
                        .collect();
                    let aliased = Type::read(&signature.result);
                    let aliased = self.resolved(aliased, at, of, depth);
                    aliased.map(&mut |it| match &it {
                        Type::Named { path, .. } => chosen
                            .iter()
                            .find(|(name, _)| name == path)
                            .map_or(it.clone(), |(_, to)| self.resolved(to.clone(), at, of, depth)),
                        _ => it,
                    })
                }
                Some(it) if it.item.kind == ItemKind::Trait => Type::Named { path, of: inner },
                _ => Type::Other(format!("{path}, which is private")),
            }
        })
    }

    /// A name of another crate with its whole path, as imports tell it.
    fn full(&self, segments: &[String], module: usize) -> String {
        let imports = &self.found.modules[module].imports;
        let imported = imports.iter().find(|it| Some(&it.name) == segments.first());
        match imported {
            Some(it) => [&it.path[..], &segments[1..]].concat().join("::"),
            None => segments.join("::"),
        }
    }
}

fn receiver_of(it: &Parameter) -> Option<Receiver> {
    if !it.annotation.is_empty() {
        return None;
    }
    match it.name.as_str() {
        "self" => Some(Receiver::Value),
        name if name.starts_with('&') && name.contains("mut ") => Some(Receiver::Mutable),
        name if name.starts_with('&') => Some(Receiver::Shared),
        _ => None,
    }
}

fn is_type(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Struct | ItemKind::Enum)
}

fn has_private(fields: &str) -> bool {
    fields.trim_matches(['(', ')']).split(", ").any(|field| field == "_")
}

fn is_lifetime(parameter: &str) -> bool {
    let parameter = parameter.trim();
    parameter.is_empty() || parameter.starts_with('\'')
}

/// Whether an item is there as libraries are commonly built: with their standard library.
fn is_there(signature: &ItemSignature) -> bool {
    signature.qualifiers.iter().all(|it| is_met(it))
}

fn is_met(qualifier: &str) -> bool {
    !qualifier.starts_with("#[cfg")
        || matches!(
            qualifier,
            "#[cfg(feature = \"std\")]" | "#[cfg(feature = \"alloc\")]" | "#[cfg(unix)]"
        )
}

/// How many aliases in a row are followed.
const DEPTH_MAX: u32 = 8;

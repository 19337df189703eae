//! The public items of Rust libraries, from the text of their files.
//!
//! Each library is read from its root along `mod`; then the reader walks what `pub` and `pub use` make reachable. Tokens
//! are enough for that, and hostile text cannot exhaust the stack of a parser (see `tokens`). Implementations of traits,
//! binaries and whatever `#[cfg(test)]` holds are no surface. Names that a macro call declares with `pub` are listed
//! without a signature.

mod api;
mod cursor;
mod declarations;
mod spelling;
mod written_type;

use std::collections::{BTreeMap, BTreeSet};

use crate::toolchain::language::{SurfaceBy, SurfaceReader, Unread};
use crate::toolchain::paths::{folder_of, name_of, resolve};
use crate::toolchain::surface::{ItemKind, ItemSignature, PublicItem, Surface};

use declarations::{Declaration, Import, Module, Parsed, Reach};

pub use api::{Api, Callable, Constant, OwnType, Receiver, Shape, Variant};
pub use written_type::Type;

pub(super) const READER: SurfaceReader = SurfaceReader { is_read, by: SurfaceBy::Text(of) };

fn is_read(path: &str) -> bool {
    let is_ours = |folder: &str| !matches!(folder, "tests" | "benches" | "examples" | "target");
    let is_source = path.ends_with(".rs") || name_of(path) == MANIFEST;
    is_source && folder_of(path).split('/').all(is_ours)
}

fn of(files: &BTreeMap<String, String>) -> Surface {
    let mut surface = Surface::default();
    for (manifest, text) in files.iter().filter(|(path, _)| name_of(path) == MANIFEST) {
        match library(manifest, text, files) {
            Ok(Some(library)) => surface.merge(Crate::read(files, &library).surface(&library.name)),
            Ok(None) => {}
            Err(unread) => surface.unread.push(unread),
        }
    }
    surface
}

/// A library of a package.
struct Library {
    /// As other crates write it.
    name: String,
    root: String,
}

fn library(
    manifest: &str,
    text: &str,
    files: &BTreeMap<String, String>,
) -> Result<Option<Library>, Unread> {
    let unread = |why: String| Unread { path: manifest.to_owned(), why };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        unread(error.message().lines().next().unwrap_or_default().to_owned())
    })?;
    let text_of = |table: &str, key: &str, from: &toml::Table| {
        from.get(table).and_then(|it| it.get(key)).and_then(|it| it.as_str()).map(str::to_owned)
    };
    let Some(package) = text_of("package", "name", &table) else { return Ok(None) };
    let named = text_of("lib", "path", &table);
    let is_named = named.is_some();
    let path = named.unwrap_or_else(|| "src/lib.rs".to_owned());
    let root = resolve(folder_of(manifest), &path).filter(|root| files.contains_key(root));
    let Some(root) = root else {
        return if is_named { Err(unread(format!("`{path}` does not exist"))) } else { Ok(None) };
    };
    let name = text_of("lib", "name", &table).unwrap_or_else(|| package.replace('-', "_"));
    Ok(Some(Library { name, root }))
}

/// The modules of one crate. The first is its root.
struct Crate {
    modules: Vec<Module>,
    unread: Vec<Unread>,
}

/// A module that is still to be read.
struct Pending {
    into: usize,
    path: String,
    /// The folder in which its own modules are looked for.
    folder: String,
}

impl Crate {
    fn read(files: &BTreeMap<String, String>, library: &Library) -> Self {
        let mut found = Self { modules: vec![Module::default()], unread: Vec::new() };
        let root = library.root.clone();
        let mut pending =
            vec![Pending { into: 0, folder: folder_of(&root).to_owned(), path: root }];
        let mut times_read: BTreeMap<String, u32> = BTreeMap::new();
        while let Some(next) = pending.pop() {
            // Modules can share a file, but a file that holds itself has no end.
            let times = times_read.entry(next.path.clone()).or_default();
            *times += 1;
            if *times > SHARED_MAX {
                continue;
            }
            let Some(text) = files.get(&next.path) else {
                let why = "the file of this module does not exist".to_owned();
                found.unread.push(Unread { path: next.path, why });
                continue;
            };
            match declarations::of(&next.path, text) {
                Ok(parsed) => found.take(parsed, &next, files, &mut pending),
                Err(why) => found.unread.push(why),
            }
        }
        found
    }

    /// Adds what a file or an inline module declares.
    fn take(
        &mut self,
        parsed: Parsed,
        at: &Pending,
        files: &BTreeMap<String, String>,
        pending: &mut Vec<Pending>,
    ) {
        let mut rest = vec![(parsed, at.into, at.folder.clone())];
        while let Some((parsed, into, folder)) = rest.pop() {
            self.modules[into].declarations.extend(parsed.declarations);
            self.modules[into].imports.extend(parsed.imports);
            self.modules[into].methods.extend(parsed.methods);
            self.modules[into].implementations.extend(parsed.implementations);
            self.modules[into].values.extend(parsed.values);
            for child in parsed.modules {
                let id = self.modules.len();
                self.modules.push(Module {
                    parent: Some(into),
                    qualifiers: child.qualifiers,
                    ..Module::default()
                });
                self.modules[into].children.push((child.name.clone(), child.reach, id));
                let below = join(&folder, &child.name);
                match (child.inline, child.path) {
                    (Some(inline), _) => rest.push((inline, id, below)),
                    (None, Some(path)) => {
                        let path = resolve(folder_of(&at.path), &path).unwrap_or(path);
                        let folder = folder_of(&path).to_owned();
                        pending.push(Pending { into: id, path, folder });
                    }
                    (None, None) => {
                        let nested = format!("{below}/mod.rs");
                        let flat = format!("{below}.rs");
                        let path = if files.contains_key(&nested) { nested } else { flat };
                        pending.push(Pending { into: id, path, folder: below });
                    }
                }
            }
        }
    }

    fn surface(self, name: &str) -> Surface {
        let mut surface = Surface { unread: self.unread.clone(), ..Surface::default() };
        let methods = self.methods();
        let mut walk = Walk::new(&self, &methods, &mut surface);
        walk.module(0, name, &mut Vec::new(), &[]);
        if walk.modules_left == 0 {
            let why = "it re-exports too many modules".to_owned();
            surface.unread.push(Unread { path: name.to_owned(), why });
        }
        for module in &self.modules {
            for it in module.declarations.iter().filter(|it| it.reach == Reach::Exported) {
                surface.add(format!("{name}::{}", it.name), it.item.clone());
            }
        }
        surface
    }

    /// Public methods of inherent implementations, by the module and name of their type.
    fn methods(&self) -> Methods {
        let mut methods = Methods::new();
        for (id, module) in self.modules.iter().enumerate() {
            for (of, method) in &module.methods {
                if let Some(Target::Items(at, name)) = self.resolve(id, of) {
                    methods.entry((at, name)).or_default().push(method.clone());
                }
            }
        }
        methods
    }

    /// What a path means, seen from a module. None for names of other crates.
    fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.follow(from, path, RENAMES_MAX, &mut { LOOKUPS_MAX })
    }

    fn follow(&self, from: usize, path: &[String], renames: u32, left: &mut u32) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules[from].parent?),
            name => self.child(from, name, renames, left)?,
        };
        for name in rest {
            at = match at {
                Target::Module(id) if name == "super" => Target::Module(self.modules[id].parent?),
                Target::Module(id) => self.child(id, name, renames, left)?,
                Target::Items(..) => return None,
            };
        }
        Some(at)
    }

    fn child(&self, module: usize, name: &str, renames: u32, left: &mut u32) -> Option<Target> {
        let Module { children, declarations, imports, .. } = &self.modules[module];
        if let Some((_, _, id)) = children.iter().find(|(child, ..)| child == name) {
            return Some(Target::Module(*id));
        }
        if declarations.iter().any(|it| it.name == name && it.reach != Reach::Exported) {
            return Some(Target::Items(module, name.to_owned()));
        }
        let renames = renames.checked_sub(1)?;
        *left = left.checked_sub(1)?;
        for import in imports.iter().filter(|it| it.name == name && it.path.len() > 1) {
            if let Some(target) = self.follow(module, &import.path, renames, left) {
                return Some(target);
            }
        }
        for glob in imports.iter().filter(|it| it.name == GLOB) {
            if let Some(Target::Module(id)) = self.follow(module, &glob.path, renames, left)
                && id != module
                && let Some(target) = self.child(id, name, renames, left)
            {
                return Some(target);
            }
        }
        None
    }
}

/// Public methods by the module and name of their type.
type Methods = BTreeMap<(usize, String), Vec<(String, PublicItem)>>;

/// What a path means.
#[derive(Clone, Debug)]
enum Target {
    Module(usize),
    /// The declarations of this name in a module.
    Items(usize, String),
}

/// Collects what can be reached from the root.
struct Walk<'w> {
    found: &'w Crate,
    methods: &'w Methods,
    surface: &'w mut Surface,
    /// How often a module may still be added under one more name.
    modules_left: u32,
    /// Items by module and name, each with a name under which it is reached.
    reached: Vec<(usize, String, String)>,
}

impl<'w> Walk<'w> {
    fn new(found: &'w Crate, methods: &'w Methods, surface: &'w mut Surface) -> Self {
        Self { found, methods, surface, modules_left: MODULES_MAX, reached: Vec::new() }
    }

    /// Adds a module under a name. `open` are the modules around it: a glob can lead back into one.
    fn module(&mut self, id: usize, name: &str, open: &mut Vec<usize>, around: &[String]) {
        if open.contains(&id) || open.len() > MODULES_DEEP_MAX || self.modules_left == 0 {
            return;
        }
        self.modules_left -= 1;
        open.push(id);
        let module = &self.found.modules[id];
        let around: Vec<String> = around.iter().chain(&module.qualifiers).cloned().collect();
        let names: BTreeSet<&str> = module
            .declarations
            .iter()
            .filter(|it| it.reach == Reach::Public)
            .map(|it| it.name.as_str())
            .collect();
        for item in names {
            self.items(id, item, &format!("{name}::{item}"), &around);
        }
        for (child, reach, child_id) in &module.children {
            if *reach == Reach::Public {
                self.module(*child_id, &format!("{name}::{child}"), open, &around);
            }
        }
        for import in module.imports.iter().filter(|it| it.reach == Reach::Public) {
            self.import(id, import, name, open, &around);
        }
        open.pop();
    }

    fn import(
        &mut self,
        from: usize,
        import: &Import,
        name: &str,
        open: &mut Vec<usize>,
        around: &[String],
    ) {
        let around: Vec<String> = around.iter().chain(&import.qualifiers).cloned().collect();
        let is_glob = import.name == GLOB;
        match self.found.resolve(from, &import.path) {
            Some(Target::Module(id)) if is_glob => self.module(id, name, open, &around),
            Some(Target::Module(id)) => {
                self.module(id, &format!("{name}::{}", import.name), open, &around);
            }
            Some(Target::Items(at, item)) if is_glob => self.variants(at, &item, name, &around),
            Some(Target::Items(at, item)) => {
                self.items(at, &item, &format!("{name}::{}", import.name), &around);
            }
            None => {
                let signature = ItemSignature {
                    qualifiers: around,
                    result: import.path.join("::"),
                    ..ItemSignature::default()
                };
                let item = PublicItem { kind: ItemKind::ReExport, signature };
                self.surface.add(format!("{name}::{}", import.name), item);
            }
        }
    }

    /// Adds the declarations of one name, with their fields, variants and methods.
    fn items(&mut self, module: usize, item: &str, name: &str, around: &[String]) {
        let found = self.found;
        self.reached.push((module, item.to_owned(), name.to_owned()));
        let own = found.modules[module].declarations.iter().filter(|it| it.name == item);
        for Declaration { item, members, .. } in own {
            self.surface.add(name, within(item, around));
            for (member, item) in members {
                self.surface.add(format!("{name}::{member}"), within(item, around));
            }
        }
        for (method, item) in self.methods.get(&(module, item.to_owned())).into_iter().flatten() {
            self.surface.add(format!("{name}::{method}"), within(item, around));
        }
    }

    /// `pub use Kind::*` makes the variants of an enum reachable.
    fn variants(&mut self, module: usize, item: &str, name: &str, around: &[String]) {
        let found = self.found;
        let own = found.modules[module].declarations.iter().filter(|it| it.name == item);
        for (member, item) in own.flat_map(|it| &it.members) {
            self.surface.add(format!("{name}::{member}"), within(item, around));
        }
    }
}

/// The item as it is reached through modules that are there only on some platforms.
fn within(item: &PublicItem, around: &[String]) -> PublicItem {
    let mut item = item.clone();
    item.signature.qualifiers.splice(0..0, around.iter().cloned());
    item
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

const MANIFEST: &str = "Cargo.toml";
/// The name of an import of everything.
const GLOB: &str = "*";
/// How many renames in a row are followed.
const RENAMES_MAX: u32 = 8;
/// How many lookups one path may take.
const LOOKUPS_MAX: u32 = 2_000;
/// How many modules may share one file.
const SHARED_MAX: u32 = 8;
const MODULES_MAX: u32 = 20_000;
const MODULES_DEEP_MAX: usize = 64;

#[cfg(test)]
mod tests;

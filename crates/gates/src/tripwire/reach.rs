//! Helpers of frozen tests: everything they reach that is neither the product nor guarded for its name.
//!
//! The closure is taken over text, so it is wide: a file that a test's text names is its fixture, whether it is
//! read or not. It stops at the product: what is under test has to change.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::Digest;

use crate::Toolchain;
use crate::toolchain::{Language, Module, Part, TEXT_MAX, folder_of, resolve};
use crate::tripwire::{Given, is_by_product};

/// A file that frozen tests reach.
pub(super) struct Found {
    /// Its content. Nothing, where it would stand in for another.
    pub(super) digest: Option<Digest>,
    pub(super) why: String,
}

pub(super) fn helpers(
    files: &BTreeMap<String, Digest>,
    given: &Given<'_>,
) -> BTreeMap<String, Found> {
    let folders: BTreeSet<&str> = files.keys().flat_map(|path| above(path)).collect();
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let mut to_read: Vec<String> = given.tests.to_vec();
    let mut was_read: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = to_read.pop() {
        if was_read.len() >= READ_MAX || !was_read.insert(path.clone()) {
            continue;
        }
        let Some(text) = given.texts.get(&path) else { continue };
        let mut add = |other: String, digest: Option<Digest>| {
            if is_by_product(&other) || given.tests.contains(&other) {
                return;
            }
            if digest.is_some() {
                to_read.push(other.clone());
            }
            let why = format!("reached from `{path}`");
            found.entry(other).or_insert(Found { digest, why });
        };
        for language in languages(given.toolchains, &path) {
            let reach = language.reach(&path, text);
            for module in &reach.modules {
                for (other, digest) in module_files(module, files, language, given) {
                    add(other, digest);
                }
            }
            for text in reach.texts.iter().filter(|text| may_name(text)) {
                for other in named(text, &path, files, &folders) {
                    if language.part(&other) != Part::Source && !is_prose(&other) {
                        let digest = files.get(&other).copied();
                        add(other, digest);
                    }
                }
            }
        }
    }
    found
}

fn languages(toolchains: &[Toolchain], path: &str) -> impl Iterator<Item = &'static dyn Language> {
    toolchains.iter().map(|one| one.language()).filter(|language| language.is_written(path))
}

/// The files of a module, and the places where another would be found before them.
fn module_files(
    module: &Module,
    files: &BTreeMap<String, Digest>,
    language: &dyn Language,
    given: &Given<'_>,
) -> Vec<(String, Option<Digest>)> {
    if given.under_test.contains(&module.root) {
        return Vec::new();
    }
    let is_product =
        |path: &&String| files.contains_key(*path) && language.part(path) == Part::Source;
    if module.paths.iter().any(|path| is_product(&path)) {
        return Vec::new();
    }
    module.paths.iter().map(|path| (path.clone(), files.get(path).copied())).collect()
}

/// The files that a text in a test may mean: beside the test, above it, or from the project's root; a folder means
/// all it holds.
fn named(
    text: &str,
    path: &str,
    files: &BTreeMap<String, Digest>,
    folders: &BTreeSet<&str>,
) -> Vec<String> {
    let text = text.trim_start_matches('/');
    let mut found = Vec::new();
    let mut bases = vec![folder_of(path), ""];
    bases.extend(above(folder_of(path)));
    for base in bases {
        let Some(place) = resolve(base, text) else { continue };
        if files.contains_key(&place) {
            found.push(place);
        } else if folders.contains(place.as_str()) && is_of_tests(&place) {
            let below = format!("{place}/");
            let inside =
                files.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
            found.extend(inside.take(FOLDER_MAX).map(|(path, _)| path.clone()));
        }
    }
    found
}

/// The folders a path is in, the nearest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[..at])
}

fn may_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= TEXT_MAX && !text.contains(['\n', '\0'])
}

/// A folder of any other name may be the product's (`data`, `src`), and a word that happens to be its name no path.
fn is_of_tests(folder: &str) -> bool {
    folder.split('/').any(|name| TEST_FOLDERS.contains(&name))
}

/// Prose changes with every honest task.
fn is_prose(path: &str) -> bool {
    let is_of_tests = is_of_tests(folder_of(path));
    !is_of_tests && [".md", ".rst", ".adoc"].iter().any(|ending| path.ends_with(ending))
}

const TEST_FOLDERS: &[&str] = &[
    "__snapshots__",
    "__tests__",
    "fixtures",
    "golden",
    "goldens",
    "snapshots",
    "test",
    "test-data",
    "test_data",
    "testdata",
    "tests",
];

const READ_MAX: usize = 2_000;
/// How many files one folder stands for.
const FOLDER_MAX: usize = 10_000;

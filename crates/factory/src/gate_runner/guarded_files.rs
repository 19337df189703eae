//! The ground a candidate stands on: the languages of a tree, and what in it decides how work is judged.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::Part;
use sealwright_gates::tripwire::{Declared, Given, Guarded};
use sealwright_kernel::Digest;

use sealwright_repo::trees::{Base, Tree, TreeError, Trees};

#[derive(Clone, Debug)]
pub struct GuardedFiles {
    pub toolchains: Vec<Toolchain>,
    /// The names under which tests import what they test.
    pub under_test: Vec<String>,
    pub guarded: Guarded,
}

/// Tests that are frozen by name. They need not be in the tree.
#[derive(Clone, Debug, Default)]
pub struct Named {
    pub files: BTreeMap<String, Digest>,
    /// The text of those that the tree does not hold.
    pub texts: BTreeMap<String, String>,
}

impl GuardedFiles {
    pub async fn of(
        trees: &Trees,
        base: &Base,
        tree: &Tree,
        commands: &[Vec<String>],
        named: Named,
    ) -> Result<Self, TreeError> {
        let files: BTreeMap<String, Digest> =
            tree.leaves(base).map(|(path, leaf)| (path.to_owned(), leaf.content)).collect();
        let paths: BTreeSet<&str> = files.keys().map(String::as_str).collect();
        let toolchains = Toolchain::found(paths.iter().copied());
        let mut under_test = under_test(&toolchains, &paths);
        for (path, leaf) in tree.leaves(base) {
            let name = path.rsplit('/').next().unwrap_or(path);
            for language in toolchains.iter().map(|it| it.language()) {
                let is_manifest = (language.ecosystem().manifest)(name).is_some();
                if is_manifest && leaf.bytes <= TEXT_BYTES_MAX as u64 {
                    let content = trees.read(base, tree, path).await?.unwrap_or_default();
                    under_test.extend(language.module_names(&text(content).unwrap_or_default()));
                }
            }
        }
        let mut texts = texts(trees, base, tree, &toolchains).await?;
        texts.extend(named.texts);
        let tests: Vec<String> = named.files.keys().cloned().collect();
        let mut known = files.clone();
        known.extend(named.files);
        let mut guarded = Guarded::of(
            &known,
            &Given {
                toolchains: &toolchains,
                tests: &tests,
                contract: &[],
                commands,
                under_test: &under_test,
                texts: &texts,
            },
        );
        // Tests that were there before are guarded like what tests are made of: a change of them can be declared.
        let by_name: BTreeSet<String> = guarded.files().map(|(path, _)| path.to_owned()).collect();
        for (path, digest) in &files {
            if !by_name.contains(path) && part(&toolchains, path) == Some(Part::Test) {
                let declared =
                    Declared { path: path.clone(), why: "a test that was there before".to_owned() };
                guarded.grant(&declared, Some(*digest)).map_err(std::io::Error::other)?;
            }
        }
        Ok(Self { toolchains, under_test, guarded })
    }
}

/// What a file is, for the language that takes it most seriously.
pub fn part(toolchains: &[Toolchain], path: &str) -> Option<Part> {
    toolchains.iter().map(|it| it.language().part(path)).min()
}

/// Whether a runner of this language is told of the file; helpers beside tests are not.
pub fn is_test_file(toolchain: Toolchain, path: &str) -> bool {
    toolchain.language().is_test_file(path)
}

/// The files that a runner of this language is told of.
pub fn test_files<'p>(
    toolchain: Toolchain,
    paths: impl IntoIterator<Item = &'p String>,
) -> Vec<String> {
    paths.into_iter().filter(|path| is_test_file(toolchain, path)).cloned().collect()
}

/// What a file says, if it is text of a length that anybody writes.
pub fn text(content: Vec<u8>) -> Option<String> {
    (content.len() <= TEXT_BYTES_MAX).then(|| String::from_utf8(content).ok())?
}

/// The text of every test that is there, and of what only tests use.
async fn texts(
    trees: &Trees,
    base: &Base,
    tree: &Tree,
    toolchains: &[Toolchain],
) -> Result<BTreeMap<String, String>, TreeError> {
    let mut texts = BTreeMap::new();
    for (path, leaf) in tree.leaves(base) {
        if part(toolchains, path) == Some(Part::Test) && leaf.bytes <= TEXT_BYTES_MAX as u64 {
            let content = trees.read(base, tree, path).await?.unwrap_or_default();
            texts.extend(text(content).map(|text| (path.to_owned(), text)));
        }
    }
    Ok(texts)
}

/// The names under which tests import what they test.
fn under_test(toolchains: &[Toolchain], paths: &BTreeSet<&str>) -> Vec<String> {
    let names = toolchains.iter().map(|it| it.language()).flat_map(|language| {
        let places = language.sources(paths);
        let suffix = language.facts().import_suffix;
        places.folders.into_iter().chain(places.files).map(move |path| {
            let name = path.rsplit('/').next().unwrap_or(&path);
            name.strip_suffix(suffix).unwrap_or(name).to_owned()
        })
    });
    names.collect()
}

const TEXT_BYTES_MAX: usize = 1 << 20;

//! Names that are guarded in every project, whatever its languages.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::Digest;

use crate::Toolchain;
use crate::guard::Guard;
use crate::toolchain::{Part, ecosystems, name_of, resolve};

/// What a file of this name is, if it is guarded. By-products of tools are not.
pub(super) fn guard(path: &str, toolchains: &[Toolchain]) -> Option<Guard> {
    if is_by_product(path) {
        return None;
    }
    own(path).or_else(|| toolchains.iter().find_map(|one| one.language().guard(path)))
}

/// Whether tools of honest roles leave this behind. It is never to be copied to where a check runs.
pub fn is_by_product(path: &str) -> bool {
    let is_left = |name: &str| ecosystems().any(|it| it.by_products.contains(&name));
    path.split('/').any(|name| name == ".git" || is_left(name))
}

/// The folders with a name of tools' leavings that hold `path`, which is a file of the repository, so they are none.
pub fn kept_folders(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
    ends.filter(|folder| is_by_product(name_of(folder)))
}

/// The same as [`is_by_product`] in a repository that keeps files in the folders `kept`.
pub fn is_by_product_beside(path: &str, kept: &BTreeSet<String>) -> bool {
    kept_folders(path).any(|folder| !kept.contains(folder)) || is_by_product(name_of(path))
}

/// Files that the words of checks lead to: what `make` and the like read, and scripts of the project.
pub(super) fn used_by(
    commands: &[Vec<String>],
    files: &BTreeMap<String, Digest>,
) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for words in commands {
        let read = words.first().map(|program| read_by(name_of(program))).unwrap_or_default();
        used.extend(read.iter().map(|path| (*path).to_owned()));
        // A word may hold a path behind a sign, as in `--config=ci/lint.toml`.
        let paths = words
            .iter()
            .flat_map(|word| [Some(word.as_str()), word.split_once('=').map(|it| it.1)]);
        let paths = paths.flatten().filter_map(|word| resolve("", word));
        used.extend(paths.filter(|path| files.contains_key(path) && is_script(path)));
    }
    used
}

/// What these programs read where they stand. A name that is free now stays free: the first that is found counts.
fn read_by(program: &str) -> &'static [&'static str] {
    match program {
        "make" | "gmake" => &["GNUmakefile", "makefile", "Makefile"],
        "just" => &["justfile", ".justfile", "Justfile"],
        "task" => &["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"],
        _ => &[],
    }
}

/// A word of a check may name the source it looks at (`ruff check src/app.py`). That is not what guards it.
fn is_script(path: &str) -> bool {
    let is_source = Toolchain::ALL.iter().any(|one| one.language().part(path) == Part::Source);
    let is_tool = path.split('/').any(|name| matches!(name, "scripts" | "tools" | "ci" | "bin"));
    is_tool || !is_source
}

fn own(path: &str) -> Option<Guard> {
    let lower = path.to_ascii_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    let name = name_of(&lower);
    match name {
        _ if lower == "sealwright.toml" => Some(Guard::GateConfiguration),
        _ if CI_FOLDERS.contains(&first) || CI_FILES.contains(&lower.as_str()) => {
            Some(Guard::ContinuousIntegration)
        }
        ".gitattributes" | ".gitmodules" | ".tool-versions" | "mise.toml" | ".mise.toml"
        | ".envrc" => Some(Guard::ToolConfiguration),
        // A file that is called a lock is not to be changed in passing.
        _ if name.ends_with(".lock") => Some(Guard::Lock),
        _ => ecosystems().find_map(|ecosystem| (ecosystem.guard)(name)),
    }
}

const CI_FOLDERS: &[&str] = &[
    ".github",
    ".gitlab",
    ".ci",
    ".circleci",
    ".buildkite",
    ".woodpecker",
    ".husky",
    ".forgejo",
    ".gitea",
];

const CI_FILES: &[&str] = &[
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "jenkinsfile",
    ".pre-commit-config.yaml",
    "lefthook.yml",
];

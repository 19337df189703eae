//! What nobody may change: contents of the store's own copy, and what has no business in a candidate at all.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::Part;
use sealwright_gates::tripwire::Guarded;
use sealwright_kernel::Digest;

use super::guarded_files::{part, test_files};
use sealwright_repo::trees::{Base, Changes, LeafKind, Tree, TreeError, Trees};

/// Everything that is laid over a candidate before it is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frozen {
    /// What stands there, whatever a role wrote.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is taken away: files of a guarded kind that nobody declared.
    pub absent: BTreeSet<String>,
    /// The test files that are run in a clean room.
    pub tests: Vec<String>,
    /// Tests that are known to be in them, by file.
    pub witnesses: BTreeMap<String, Vec<String>>,
    /// Folders whose plain source is the candidate's.
    pub sources: Vec<String>,
    /// Files beside them that come along as they are.
    pub data: Vec<String>,
}

impl Frozen {
    /// Says of the other files of a candidate what becomes of them: which are its plain source, which come along as
    /// they are, and which are taken away.
    pub fn surround(
        &mut self,
        paths: &BTreeSet<&str>,
        toolchains: &[Toolchain],
        guarded: &Guarded,
    ) {
        let kept: BTreeMap<&str, Option<Digest>> =
            guarded.files().map(|(path, kept)| (path, kept.digest)).collect();
        for path in paths.iter().copied() {
            match part(toolchains, path) {
                Some(Part::Source | Part::Other) if !kept.contains_key(path) => {
                    self.data.push(path.to_owned());
                }
                Some(Part::Test | Part::Source | Part::Other) | None => {}
            }
            let is_of_a_guarded_kind =
                toolchains.iter().any(|it| it.language().guard(path).is_some())
                    && kept.get(path).copied().flatten().is_none();
            if is_of_a_guarded_kind && !self.files.contains_key(path) {
                self.absent.insert(path.to_owned());
            }
        }
        for toolchain in toolchains {
            let places = toolchain.language().sources(paths);
            self.sources.extend(places.folders);
            self.data.extend(places.files);
        }
    }

    /// The test files that a runner of this language is told of.
    pub fn tests_of(&self, toolchain: Toolchain) -> Vec<String> {
        test_files(toolchain, &self.tests)
    }

    /// What stands beside them to help them, in this language.
    pub fn helpers_of(&self, toolchain: Toolchain) -> Vec<String> {
        let language = toolchain.language();
        let is_helper = |path: &&String| {
            language.is_written(path)
                && language.part(path) == Part::Test
                && !language.is_test_file(path)
        };
        self.files.keys().filter(is_helper).cloned().collect()
    }

    /// The candidate with all of it laid over.
    pub async fn over(&self, trees: &Trees, base: &Base, tree: &Tree) -> Result<Tree, TreeError> {
        let laid_over = |(path, content): (&String, &Vec<u8>)| {
            // What is frozen as the commit has it stays a program, or a link, if it was one there.
            let of_commit = base.leaves().get(path);
            let as_it_was = of_commit.filter(|leaf| leaf.content == Digest::of(content));
            let kind = as_it_was.map_or(LeafKind::Plain, |leaf| leaf.kind);
            (path.clone(), Some((kind, content.clone())))
        };
        let changes: Changes = self.files.iter().map(laid_over).collect();
        let (mut laid, _) = trees.after(base, tree, &changes).await?;
        for path in &self.absent {
            laid.without(base, path);
        }
        Ok(laid)
    }
}

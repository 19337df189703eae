//! Honesty: source that knows its tests, notices that it is tested, does nothing, or reads otherwise than it is run.

use std::collections::BTreeSet;

use sealwright_gates::disguise::disguised;
use sealwright_gates::overfit::{self, Look};
use sealwright_gates::toolchain::{Outline, Part};
use sealwright_gates::{Judgement, Toolchain};
use sealwright_kernel::Digest;
use sealwright_kernel::task::PartKind;

use super::bench::Bench;
use super::cast::Cast;
use super::{Case, Trouble, Workshop};
use crate::gatehouse::ground::part;
use crate::gatehouse::{Candidate, Performed};

impl<C: Cast> Workshop<C> {
    /// Looks at what a candidate added.
    pub(super) async fn honesty(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
    ) -> Result<Performed, Trouble> {
        let before = Candidate { tree: bench.before.clone(), ..candidate.clone() };
        let declared = self.said(case, bench).await?;
        let mut all = Vec::new();
        for toolchain in &bench.toolchains {
            let changed = self.changed(case, candidate, *toolchain);
            if changed.is_empty() {
                continue;
            }
            let disguised = self.disguised(candidate, &changed).await?;
            if !disguised.is_empty() {
                all.push(Judgement::fail(disguised));
            }
            let tests: Vec<String> = own(candidate.frozen.files.keys(), *toolchain, Part::Test);
            let (tests, _) = self.outlines(case, candidate, *toolchain, &tests).await?;
            let (after, unread) = self.outlines(case, candidate, *toolchain, &changed).await?;
            if let Some(unread) = unread.first() {
                all.push(Judgement::cannot_tell(unread.to_string()));
                continue;
            }
            let old: Vec<String> = bench
                .before
                .leaves(&case.base)
                .map(|(path, _)| path.to_owned())
                .filter(|path| part(&[*toolchain], path) == Some(Part::Source))
                .filter(|path| is_code(*toolchain, path))
                .collect();
            let (old, _): (Vec<Outline>, _) =
                self.outlines(case, &before, *toolchain, &old).await?;
            all.push(overfit::judge(&overfit::look(&Look {
                tests: &tests,
                fixtures: &fixtures(candidate),
                before: &old,
                after: &after,
                declared: &declared,
                items: &bench.contract.items,
            })));
        }
        let judgement = all.into_iter().reduce(Judgement::and).unwrap_or_else(Judgement::pass);
        Ok(Performed { judgement, runs: Vec::new(), environment: Digest::ZERO })
    }

    /// Lines that read otherwise than they are run.
    async fn disguised(
        &self,
        candidate: &Candidate,
        changed: &[String],
    ) -> Result<Vec<String>, Trouble> {
        let Candidate { trees, base, tree, before, .. } = candidate;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let mut found = Vec::new();
        for path in changed {
            let was = trees.read(base, before, path).await?.map(text);
            let now = trees.read(base, tree, path).await?.map(text).unwrap_or_default();
            found.extend(disguised(path, was.as_deref(), &now));
        }
        Ok(found)
    }

    /// The source files of a candidate that differ from what was there before anything was built.
    pub(super) fn changed(
        &self,
        case: &Case,
        candidate: &Candidate,
        toolchain: Toolchain,
    ) -> Vec<String> {
        let listing = candidate.tree.listing(&case.base, &candidate.before);
        let changed = listing.iter().filter(|it| it.is_changed() && it.now.is_some());
        own(changed.map(|it| &it.path), toolchain, Part::Source)
    }

    /// Everything that was said about what is wanted.
    async fn said(&self, case: &Case, bench: &Bench) -> Result<String, Trouble> {
        let mut said = case.criteria_text();
        said.push_str(&bench.contract.contract);
        let parts = case.known.bundle.iter().flat_map(|bundle| &bundle.parts);
        for one in parts.filter(|one| one.kind != PartKind::Contract) {
            said.push_str(&String::from_utf8_lossy(&self.blobs.find(&one.content).await?));
        }
        said.push_str(&String::from_utf8_lossy(&self.blobs.find(&case.known.charter.text).await?));
        Ok(said)
    }
}

/// Data that tests read.
fn fixtures(candidate: &Candidate) -> Vec<(String, String)> {
    let is_data = |path: &String| !Toolchain::ALL.iter().any(|it| is_code(*it, path));
    let files = candidate.frozen.files.iter().filter(|(path, content)| {
        is_data(path) && content.len() <= FIXTURE_BYTES_MAX && path.contains("test")
    });
    files
        .map(|(path, content)| (path.clone(), String::from_utf8_lossy(content).into_owned()))
        .collect()
}

fn own<'p>(
    paths: impl Iterator<Item = &'p String>,
    toolchain: Toolchain,
    wanted: Part,
) -> Vec<String> {
    let is_own =
        |path: &&String| part(&[toolchain], path) == Some(wanted) && is_code(toolchain, path);
    let found: BTreeSet<String> = paths.filter(is_own).cloned().collect();
    found.into_iter().collect()
}

fn is_code(toolchain: Toolchain, path: &str) -> bool {
    match toolchain {
        Toolchain::Rust => path.ends_with(".rs"),
        Toolchain::Python => path.ends_with(".py"),
    }
}

const FIXTURE_BYTES_MAX: usize = 1 << 20;

//! Honesty: source that knows its tests, notices that it is tested, does nothing, or reads otherwise than it is run.

use std::collections::BTreeSet;
use std::sync::Arc;

use sealwright_gates::disguise::disguised;
use sealwright_gates::overfit::{self, Look};
use sealwright_gates::toolchain::Part;
use sealwright_gates::{Judgement, Toolchain};
use sealwright_sandbox::Cancel;

use super::guarded_files::part;
use super::{Candidate, GateRunner, GateRunnerError};
use crate::gate_runner::listing;
use sealwright_repo::trees::TreeError;

#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// All of it: specification, scenarios, contract, criteria.
    pub said: &'w str,
    /// The items that are declared, by their own names.
    pub items: &'w BTreeSet<String>,
    /// Whether a test file was held out.
    pub is_held_out: &'w (dyn Fn(&str) -> bool + Sync),
}

impl GateRunner {
    pub async fn honesty(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchains: &[Toolchain],
        wanted: &Wanted<'_>,
        cancel: &Arc<Cancel>,
    ) -> Result<Judgement, GateRunnerError> {
        let before = Candidate { tree: candidate.before.clone(), ..candidate.clone() };
        let mut all = Vec::new();
        for toolchain in toolchains {
            let changed = changed(candidate, *toolchain);
            if changed.is_empty() {
                continue;
            }
            let hidden = hidden(candidate, &changed).await?;
            if !hidden.is_empty() {
                all.push(Judgement::fail(hidden));
            }
            let tests: Vec<String> = own(candidate.frozen.files.keys(), *toolchain, Part::Test);
            let (tests, _) = self.outlines(candidate, *toolchain, &tests, cancel).await?;
            let (held_out, tests): (Vec<_>, Vec<_>) =
                tests.into_iter().partition(|it| (wanted.is_held_out)(&it.path));
            let (after, unread) = self.outlines(candidate, *toolchain, &changed, cancel).await?;
            if let Some(unread) = unread.first() {
                all.push(Judgement::cannot_tell(unread.to_string()));
                continue;
            }
            let old: Vec<String> = candidate
                .before
                .leaves(&candidate.base)
                .map(|(path, _)| path.to_owned())
                .filter(|path| part(&[*toolchain], path) == Some(Part::Source))
                .filter(|path| is_code(*toolchain, path))
                .collect();
            let (old, _) = self.outlines(&before, *toolchain, &old, cancel).await?;
            all.push(overfit::judge(&overfit::look(&Look {
                tests: &tests,
                held_out: &held_out,
                fixtures: &fixtures(candidate),
                before: &old,
                after: &after,
                declared: wanted.said,
                items: wanted.items,
            })));
        }
        Ok(all.into_iter().reduce(Judgement::and).unwrap_or_else(Judgement::pass))
    }
}

/// Lines that read otherwise than they are run.
async fn hidden(candidate: &Candidate, changed: &[String]) -> Result<Vec<String>, TreeError> {
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
pub fn changed(candidate: &Candidate, toolchain: Toolchain) -> Vec<String> {
    let listing = listing(&candidate.tree, &candidate.base, &candidate.before);
    let changed = listing.iter().filter(|it| it.is_changed() && it.now.is_some());
    own(changed.map(|it| &it.path), toolchain, Part::Source)
}

/// Whether a file is written in this language.
pub fn is_code(toolchain: Toolchain, path: &str) -> bool {
    toolchain.language().is_written(path)
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

const FIXTURE_BYTES_MAX: usize = 1 << 20;

//! The interface check: the public items of a candidate, compared with those of the base commit and with the names that
//! the frozen contract announces.

use std::collections::BTreeSet;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::Part;
use sealwright_gates::toolchain::surface::{self, Surface};
use sealwright_kernel::Digest;
use sealwright_repo::trees::{LeafKind, Tree};

use super::acceptance::Contract;
use super::agent_caller::AgentCaller;
use super::{EffectContext, PerformError, TaskPerformer};
use crate::gate_runner::Surfaces;
use crate::gate_runner::guarded_files::part;
use crate::task_store::TaskStore;

/// The outcome of comparing a candidate with its contract.
pub(super) struct Interface {
    surfaces: Surfaces,
    /// Changes of public items that the contract does not announce, one line each.
    pub(super) unannounced: Vec<String>,
    /// Files whose public items cannot be read any more, one line each.
    pub(super) unread: Vec<String>,
}

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn interface(
        &self,
        context: &EffectContext,
        contract: &Contract,
        tree: &Tree,
    ) -> Result<Interface, PerformError> {
        let surfaces =
            self.gates.surfaces(&self.trees, &context.base, tree, &context.cancel).await?;
        let Surfaces { before, after, .. } = &surfaces;
        let unread: Vec<String> =
            after.unread_since(before).iter().map(ToString::to_string).collect();
        // Without those files, their items would only look removed.
        let unannounced = if unread.is_empty() {
            let texts = context.criteria().iter().chain([&contract.contract]);
            let mut announced = contract.items.clone();
            announced.extend(texts.flat_map(|text| qualified_names(text)).map(str::to_owned));
            let changes = surface::unannounced(before, after, &announced);
            changes.iter().map(ToString::to_string).collect()
        } else {
            Vec::new()
        };
        Ok(Interface { surfaces, unannounced, unread })
    }

    /// Announced names that occur nowhere in the candidate but in tests, one line each. A name of the base commit may
    /// be announced because it is removed.
    pub(super) async fn missing_items(
        &self,
        context: &EffectContext,
        contract: &Contract,
        tree: &Tree,
        interface: &Interface,
    ) -> Result<Vec<String>, PerformError> {
        let Surfaces { before, after, .. } = &interface.surfaces;
        let mut missing: Vec<(&String, &str)> = contract
            .items
            .iter()
            .filter_map(|item| Some((item, surface::last_segment(item).filter(|it| is_name(it))?)))
            .filter(|(_, last)| !before.has(last) && !after.has(last))
            .collect();
        let toolchains = Toolchain::found(tree.leaves(&context.base).map(|(path, _)| path));
        let is_searched = |path: &str| part(&toolchains, path) != Some(Part::Test);
        let mut paths: Vec<String> = tree
            .leaves(&context.base)
            .filter(|(path, leaf)| {
                is_searched(path) && leaf.kind != LeafKind::Link && leaf.bytes <= BYTES_MAX
            })
            .map(|(path, _)| path.to_owned())
            .collect();
        // A module is announced by its name, which is that of a file or a folder.
        let is_module = |name: &str| {
            let is_named = |part: &str| part.split('.').next() == Some(name);
            paths.iter().any(|path| path.split('/').any(is_named))
        };
        missing.retain(|(_, last)| !is_module(last));
        // What the change wrote comes first; most often that is enough.
        paths.sort_by_key(|path| !tree.changes.contains_key(path));
        for path in paths {
            if missing.is_empty() {
                break;
            }
            let content = self.trees.read(&context.base, tree, &path).await?.unwrap_or_default();
            let text = String::from_utf8_lossy(&content);
            let words: BTreeSet<&str> =
                text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
            missing.retain(|(_, last)| !words.contains(last));
        }
        let line = |(item, _): (&String, &str)| {
            format!("the contract declares `{item}`, the change has no such public item")
        };
        Ok(missing.into_iter().map(line).collect())
    }
}

impl Interface {
    pub(super) fn after(&self) -> &Surface {
        &self.surfaces.after
    }

    /// The planned fingerprint as long as the contract explains every change; otherwise that of the actual surface.
    pub(super) fn fingerprint(&self, planned: Digest) -> Digest {
        if self.unannounced.is_empty() { planned } else { self.after().digest() }
    }

    /// Lines for a person, with the evidence.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unannounced.is_empty() {
            notes.push("public items changed that the contract does not announce:".to_owned());
            notes.extend(self.unannounced.iter().take(LINES_MAX).cloned());
        }
        let more = self.unannounced.len().saturating_sub(LINES_MAX);
        if more > 0 {
            notes.push(format!("… and {more} more"));
        }
        let old = self.surfaces.after.unread.iter().map(ToString::to_string);
        notes.extend(old.filter(|it| !self.unread.contains(it)).take(LINES_MAX));
        let not_read = self.surfaces.not_read.iter();
        notes.extend(not_read.map(|it| format!("public items of {it} are not compared")));
        notes
    }

    /// Why the tree may not be shipped, if it may not.
    pub(super) fn refusal(&self) -> Option<String> {
        let lines: Vec<&str> =
            self.unannounced.iter().chain(&self.unread).map(String::as_str).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }
}

/// Names of several parts in a text, such as `parking.legacy` and `parking::fee`. A person approved the text.
fn qualified_names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
    let words = text.split(move |letter| !is_part(letter)).map(|it| it.trim_matches(['.', ':']));
    words.filter(|word| {
        let mut parts = word.split([':', '.']).filter(|part| !part.is_empty());
        parts.clone().count() > 1 && parts.all(is_name)
    })
}

fn is_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

const BYTES_MAX: u64 = 1 << 20;
const LINES_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::qualified_names;

    #[test]
    fn names_of_several_parts_are_found_in_a_sentence() {
        let text = "`parking.legacy` cannot be imported. Use parking::fee, e.g. for 2.5 hours.";
        let found: Vec<&str> = qualified_names(text).collect();
        assert_eq!(found, ["parking.legacy", "parking::fee", "e.g", "2.5"]);
    }
}

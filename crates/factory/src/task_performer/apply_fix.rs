//! Applies a person's fix to the candidate.

use std::collections::BTreeMap;

use sealwright_kernel::Digest;
use sealwright_kernel::task::Report;
use sealwright_repo::PatchError;
use sealwright_repo::trees::{Changes, LeafKind};

use super::agent_caller::AgentCaller;
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::fixes;
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// `patch` is a git patch in the store, which may change `places` only.
    pub(super) async fn apply_fix(
        &self,
        context: &EffectContext,
        patch: Digest,
        places: &[String],
    ) -> PerformResult {
        let patch = self.store.blobs().find(&patch).await?;
        let (start, changes) = if let Some(changes) = texts(&patch) {
            (self.tree(context, context.data.tree.unwrap_or(Digest::ZERO)).await?, changes)
        } else {
            let starts = fixes::starts(&self.trees, &context.data).await?;
            let (start, changes) = self.trees.patched(&starts, &patch).await.map_err(refused)?;
            (start.clone(), changes)
        };
        if let Some(path) = changes.keys().find(|path| !places.contains(path)) {
            let why = format!("the fix changes `{path}`, which its record does not name");
            return Err(PerformError::Impossible { why });
        }
        let (next, mut blobs) = self.trees.after(&context.base, &start, &changes).await?;
        blobs.push(self.trees.keep(&next).await?);
        Ok(EffectResult::machine(context, Report::FixApplied { tree: next.digest() })
            .resting_on(blobs))
    }
}

/// The form that the first release stored: a JSON object of paths and new texts; `null` deletes a file.
fn texts(fix: &[u8]) -> Option<Changes> {
    let files: BTreeMap<String, Option<String>> = serde_json::from_slice(fix).ok()?;
    let leaf = |text: String| (LeafKind::Plain, text.into_bytes());
    Some(files.into_iter().map(|(path, text)| (path, text.map(leaf))).collect())
}

fn refused(error: PatchError) -> PerformError {
    match error {
        PatchError::Git(error) => error.into(),
        PatchError::Io(error) => error.into(),
        PatchError::Empty
        | PatchError::TooLarge { .. }
        | PatchError::NotApplied { .. }
        | PatchError::Outside { .. }
        | PatchError::Link { .. }
        | PatchError::Unrelated
        | PatchError::NoBranch { .. } => PerformError::Impossible { why: error.to_string() },
    }
}

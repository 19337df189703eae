//! The challenge: another role tries to disprove the change from the diff and the evidence alone.

use std::collections::BTreeSet;

use sealwright_kernel::task::{Challenge, Compliance, Report};
use sealwright_kernel::{Digest, Role};

use crate::role_calls::{CHALLENGE, ChallengeAnswer};
use crate::task_store::TaskStore;

use super::agent_caller::AgentCaller;
use super::call::{CallSpec, RoleAnswer};
use super::read::word;
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use sealwright_repo::trees::Tree;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn challenge(&self, context: &EffectContext, digest: Digest) -> PerformResult {
        let tree = self.tree(context, digest).await?;
        let change = self.change(context, &tree).await?;
        let contract = self.contract(context).await?;
        let mut spec = CallSpec::new(context, CHALLENGE);
        spec.give("change.diff", change);
        spec.give_contract(context, &contract);
        spec.give("evidence.json", context.gate_results(digest));
        let answered: RoleAnswer<ChallengeAnswer> = self.call_role(context, spec, None).await?;
        let output = self.keep(answered.text.to_string()).await?;
        let compliance = compliance(&answered.answer, context, &tree);
        let excerpt = match (answered.answer.failures.first(), &compliance) {
            (Some(failure), _) => failure.as_str(),
            (None, Compliance::Kept) => "nothing was disproved",
            (None, _) => "it did not try to disprove every criterion",
        };
        let evidence = word(&answered, Role::Challenger, digest, &output, excerpt);
        let ChallengeAnswer { failures, unmet, residue, cheats, tradeoff, .. } = answered.answer;
        let challenge = Challenge {
            evidence,
            compliance,
            failures,
            unmet,
            residue: residue.into_iter().map(Into::into).collect(),
            cheats: cheats.into_iter().map(Into::into).collect(),
            tradeoff: tradeoff.into_option(),
        };
        let by = (Role::Challenger, answered.invocation);
        Ok(EffectResult::said(context, Report::Challenged { challenge }, by, output))
    }

    /// The diff since the commit the task starts from.
    pub(super) async fn change(
        &self,
        context: &EffectContext,
        tree: &Tree,
    ) -> PerformResult<String> {
        let start = self.trees.start(&context.base);
        let mut text = String::new();
        for path in tree.changes.keys() {
            let before = self.trees.read(&context.base, &start, path).await?;
            let now = self.trees.read(&context.base, tree, path).await?;
            text.push_str(&sealwright_repo::trees::diff(path, before.as_deref(), now.as_deref()));
            if text.len() > CHANGE_BYTES_MAX {
                return Err(PerformError::Impossible {
                    why: format!(
                        "the change is larger than the {CHANGE_BYTES_MAX} bytes a reviewer gets"
                    ),
                });
            }
        }
        Ok(text)
    }
}

/// A challenge counts if it tried to disprove every criterion at an existing place.
fn compliance(answer: &ChallengeAnswer, context: &EffectContext, tree: &Tree) -> Compliance {
    let is_place = |place: &str| {
        let path = place.split(':').next().unwrap_or_default();
        tree.leaf(&context.base, path).is_some()
    };
    let counts = |tried: &str| tried.split_whitespace().count() >= WORDS_MIN;
    let covered: BTreeSet<usize> = answer
        .looked_at
        .iter()
        .filter(|look| is_place(&look.place) && counts(&look.tried))
        .map(|look| look.criterion)
        .collect();
    let is_complete = (1..=context.criteria().len()).all(|criterion| covered.contains(&criterion));
    if is_complete { Compliance::Kept } else { Compliance::Mild }
}

/// A description of an attempt has at least this many words.
const WORDS_MIN: usize = 4;
const CHANGE_BYTES_MAX: usize = 4 << 20;

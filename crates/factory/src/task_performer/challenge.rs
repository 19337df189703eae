//! The challenge: another role tries to disprove the change from the diff and the evidence alone.

use std::collections::BTreeSet;

use sealwright_kernel::task::{Challenge, Compliance, Report};
use sealwright_kernel::{Actor, Digest, Evidence, Role, Source};
use serde_json::json;

use crate::role_calls::{CHALLENGE, ChallengeAnswer};
use crate::task_store::TaskStore;

use super::agent_caller::AgentCaller;
use super::call::{CallSpec, RoleAnswer};
use super::{EffectContext, EffectResult, PerformError, TaskPerformer};
use sealwright_repo::trees::Tree;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn challenge(
        &self,
        context: &EffectContext,
        digest: Digest,
    ) -> Result<EffectResult, PerformError> {
        let tree = self.tree(context, digest).await?;
        let change = self.change(context, &tree).await?;
        let contract = self.contract(context).await?;
        let mut spec = CallSpec::new(context, CHALLENGE);
        spec.give("change.diff", change);
        spec.give_contract(context, &contract);
        spec.give("evidence.json", self.results_of(context, digest));
        let answered: RoleAnswer<ChallengeAnswer> = self.call_role(context, spec, None).await?;
        let output = self.keep(answered.text.to_string()).await?;
        let compliance = compliance(&answered.answer, context, &tree);
        let ChallengeAnswer { failures, unmet, residue, cheats, tradeoff, .. } = answered.answer;
        let excerpt =
            failures.first().cloned().unwrap_or_else(|| "nothing was disproved".to_owned());
        let challenge = Challenge {
            evidence: Evidence {
                tree: digest,
                source: Source::Role { role: Role::Challenger, invocation: answered.invocation },
                output: output.sha256,
                excerpt: excerpt.chars().take(EXCERPT_CHARS_MAX).collect(),
                artifacts: Vec::new(),
                cost: answered.cost,
            },
            compliance,
            failures,
            unmet,
            residue: residue.into_iter().map(Into::into).collect(),
            cheats: cheats.into_iter().map(Into::into).collect(),
            tradeoff: tradeoff.into_option(),
        };
        let mut work =
            EffectResult::machine(context, Report::Challenged { challenge }).resting_on([output]);
        work.actor = Actor::Role(Role::Challenger, answered.invocation);
        Ok(work)
    }

    /// What checks said about a tree.
    pub(super) fn results_of(&self, context: &EffectContext, tree: Digest) -> String {
        let of_tree = context.data.evidence.iter().filter(|record| record.evidence.tree == tree);
        let results: Vec<_> = of_tree
            .map(|record| {
                json!({
                    "id": record.id, "subject": record.subject, "verdict": record.verdict,
                    "excerpt": record.evidence.excerpt,
                })
            })
            .collect();
        json!(results).to_string()
    }

    /// The diff since the commit the task starts from.
    pub(super) async fn change(
        &self,
        context: &EffectContext,
        tree: &Tree,
    ) -> Result<String, PerformError> {
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
const EXCERPT_CHARS_MAX: usize = 400;
const CHANGE_BYTES_MAX: usize = 4 << 20;

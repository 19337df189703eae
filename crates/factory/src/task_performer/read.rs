//! Readers and the arbiter. At higher risk, readers look for checks that passed without merit, and an arbiter decides
//! from the record whether the change ships. Their answers can stop a task; they prove nothing.

use std::sync::Arc;

use sealwright_kernel::task::{ProbeResult, Report};
use sealwright_kernel::{Digest, Evidence, Role, Source, Verdict};
use sealwright_store::BlobRef;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::role_calls::{
    ADJUDICATE, AdjudicateAnswer, INSPECT, REFUTE, ReadAnswer, prescribes_nothing,
};
use crate::task_store::TaskStore;

use super::agent_caller::AgentCaller;
use super::call::{CallSpec, RoleAnswer};
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn read(
        &self,
        context: &EffectContext,
        role: Role,
        digest: Digest,
    ) -> PerformResult {
        let call = match role {
            Role::Auditor => INSPECT,
            _ => REFUTE,
        };
        let mut spec = CallSpec::new(context, call);
        spec.give_contract(context, &self.contract(context).await?);
        let tree = if call.tree.is_some() {
            Some(self.laid_out(context, &self.tree(context, digest).await?).await?)
        } else {
            spec.give("gates.json", context.gate_results(digest));
            spec.is_usable = Box::new(prescribes_nothing);
            None
        };
        let answered: RoleAnswer<ReadAnswer> = self.call_role(context, spec, tree).await?;
        let output = self.keep(answered.text.to_string()).await?;
        let first = answered.answer.findings.first();
        let excerpt = first.map_or("nothing was found", String::as_str);
        let evidence = word(&answered, role, digest, &output, excerpt);
        let invocation = answered.invocation;
        let ReadAnswer { verdict, findings, cheats, residue, question } = answered.answer;
        let result = ProbeResult {
            // A reader who reports a finding does not pass the change, whatever verdict it gives.
            verdict: match verdict {
                Verdict::Pass if !findings.is_empty() => Verdict::Fail,
                verdict => verdict,
            },
            evidence,
            failed: findings.into_iter().take(FINDINGS_MAX).collect(),
            cheats: cheats.into_iter().take(FINDINGS_MAX).map(Into::into).collect(),
            frozen_edited: None,
            residue: residue.into_iter().take(FINDINGS_MAX).map(Into::into).collect(),
            ambiguity: question.into_option(),
        };
        Ok(EffectResult::said(context, Report::Probed { result }, (role, invocation), output))
    }

    /// The arbiter decides from the record.
    pub(super) async fn adjudicate(
        &self,
        context: &EffectContext,
        digest: Digest,
    ) -> PerformResult {
        let role = Role::Arbiter;
        let tree = self.tree(context, digest).await?;
        let change = self.change(context, &tree).await?;
        let contract = self.contract(context).await?;
        let challenges = context.data.evidence.iter().rev();
        let challenge = challenges.into_iter().find(|it| it.subject == CHALLENGE);
        let challenge = match challenge {
            Some(record) => self.store.blobs().find(&record.evidence.output).await?.to_vec(),
            None => Vec::new(),
        };
        let mut spec = CallSpec::new(context, ADJUDICATE);
        spec.give("change.diff", change);
        spec.give_contract(context, &contract);
        spec.give("challenge.json", challenge);
        let base = context.base.clone();
        let decided = Arc::new(move |answer: &Value| {
            let answer = AdjudicateAnswer::deserialize(answer).map_err(|it| it.to_string())?;
            answer.decided(|path| tree.leaf(&base, path).is_some())
        });
        spec.is_usable = Box::new({
            let decided = decided.clone();
            move |answer| decided(answer).map(drop)
        });
        let answered: RoleAnswer<AdjudicateAnswer> = self.call_role(context, spec, None).await?;
        let output = self.keep(answered.text.to_string()).await?;
        let evidence = word(&answered, role, digest, &output, &answered.answer.rationale);
        let unusable = |why| PerformError::Unusable { part: ADJUDICATE.key.name(), why };
        let decision = decided(&answered.text).map_err(unusable)?;
        let report = Report::Adjudicated { evidence, decision };
        Ok(EffectResult::said(context, report, (role, answered.invocation), output))
    }
}

/// A role's answer as evidence.
pub(super) fn word<A>(
    answered: &RoleAnswer<A>,
    role: Role,
    tree: Digest,
    output: &BlobRef,
    excerpt: &str,
) -> Evidence {
    Evidence {
        tree,
        source: Source::Role { role, invocation: answered.invocation },
        output: output.sha256,
        excerpt: excerpt.chars().take(EXCERPT_CHARS_MAX).collect(),
        artifacts: Vec::new(),
        cost: answered.cost,
    }
}

impl EffectContext {
    /// The evidence about a tree, as JSON.
    pub(super) fn gate_results(&self, tree: Digest) -> String {
        let of_tree = self.data.evidence.iter().filter(|record| record.evidence.tree == tree);
        let told = of_tree.map(|record| {
            json!({
                "id": record.id, "subject": record.subject, "verdict": record.verdict,
                "excerpt": record.evidence.excerpt,
            })
        });
        Value::from_iter(told).to_string()
    }
}

/// The subject of a challenge in the evidence.
const CHALLENGE: &str = "challenge";
const FINDINGS_MAX: usize = 50;
const EXCERPT_CHARS_MAX: usize = 400;

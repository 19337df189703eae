//! Readers and the arbiter. At higher risk, readers look for checks that passed without merit, and an arbiter decides
//! from the record whether the change ships. Their answers can stop a task; they prove nothing.

use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::{Adjudication, Phase, ProbeResult, Report};
use sealwright_kernel::{Digest, Evidence, Role, Source, Verdict};
use sealwright_sandbox::view::Hand;
use sealwright_store::BlobRef;
use serde_json::{Value, json};

use crate::task_store::TaskStore;

use super::agent_caller::{AgentCaller, Key};
use super::answers::{self, Decision, JudgeAnswer, ReadAnswer, ResidueAnswer};
use super::call::{CallSpec, RoleAnswer};
use super::shape::given;
use super::{EffectContext, EffectResult, PerformResult, TaskPerformer};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn read(
        &self,
        context: &EffectContext,
        role: Role,
        digest: Digest,
    ) -> PerformResult {
        let request = match role {
            Role::Auditor => AUDIT_REQUEST,
            _ => REFUTE_REQUEST,
        };
        let brief = context.brief(role, Phase::Verify, &answers::read_schema(), request);
        let criteria = given(InputKind::AcceptanceCriteria, "criteria.md", context.criteria_text());
        let (hand, files, tree) = match role {
            // An auditor gets the records and no tree.
            Role::Auditor => {
                let history = context.gate_results(digest);
                let history = given(InputKind::GateHistory, "gates.json", history);
                (None, vec![criteria, history], None)
            }
            _ => {
                let contract = self.contract(context).await?.contract;
                let contract = given(InputKind::ModuleContract, "contract.md", contract);
                let tree = self.tree(context, digest).await?;
                let tree = self.laid_out(context, &tree).await?;
                (Some(Hand::Tries), vec![contract, criteria], Some(tree))
            }
        };
        let spec = CallSpec::new(context, Key::Read, hand, files, brief);
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
            cheats: cheats.into_iter().take(FINDINGS_MAX).map(|it| (it.cheat, it.what)).collect(),
            frozen_edited: None,
            residue: residue.into_iter().take(FINDINGS_MAX).map(ResidueAnswer::kept).collect(),
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
        let contract = self.contract(context).await?.contract;
        let challenges = context.data.evidence.iter().rev();
        let challenge = challenges.into_iter().find(|it| it.subject == CHALLENGE);
        let challenge = match challenge {
            Some(record) => self.store.blobs().find(&record.evidence.output).await?.to_vec(),
            None => Vec::new(),
        };
        let brief = context.brief(role, Phase::Review, &answers::judge_schema(), JUDGE_REQUEST);
        let files = vec![
            given(InputKind::Proposal, "change.diff", change),
            given(InputKind::ModuleContract, "contract.md", contract),
            given(InputKind::AcceptanceCriteria, "criteria.md", context.criteria_text()),
            given(InputKind::Challenge, "challenge.json", challenge),
        ];
        let spec = CallSpec::new(context, Key::Adjudicate, None, files, brief);
        let answered: RoleAnswer<JudgeAnswer> = self.call_role(context, spec, None).await?;
        let output = self.keep(answered.text.to_string()).await?;
        let evidence = word(&answered, role, digest, &output, &answered.answer.rationale);
        let decision = match answered.answer.decision {
            Decision::Approve => Adjudication::Approve,
            Decision::Reject => Adjudication::Reject { rationale: answered.answer.rationale },
        };
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

const REFUTE_REQUEST: &str = "Read the change and its tests as a sceptic. Show, each with its `path:line`, where a check \
    passes without merit: an assertion that cannot fail, a case that is answered and not computed, logic that is \
    missing. You may run things; you change nothing. If you find nothing, say so.";
const AUDIT_REQUEST: &str = "Read the gate results. Say which criteria they do not show, and which of them contradict each \
    other. Prescribe nothing.";
const JUDGE_REQUEST: &str = "Decide from the record whether the change may ship: from the contract, the criteria, the change \
    and the challenge, and from nothing else. Give the reason.";
/// The subject of a challenge in the evidence.
const CHALLENGE: &str = "challenge";
const FINDINGS_MAX: usize = 50;
const EXCERPT_CHARS_MAX: usize = 400;

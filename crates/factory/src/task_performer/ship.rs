//! Ships a verified tree, with the proof of its task beside it, as one commit on a branch of its own. Nothing else in the
//! repository changes.

use sealwright_kernel::task::{Report, ShipRefusal, Task};
use sealwright_kernel::{Digest, EvidenceRecord, Verdict};
use sealwright_store::{Anchor, Head, ProofFile};

use super::agent_caller::AgentCaller;
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::task_store::TaskStore;
use sealwright_host::{Clock as _, SystemClock, replay};
use sealwright_repo::git::{commits, objects, prefix};

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn ship(&self, context: &EffectContext, digest: Digest) -> PerformResult {
        let tree = self.tree(context, digest).await?;
        if tree.digest() != digest {
            let why = ShipRefusal::TreeChanged { found: tree.digest() };
            return Ok(EffectResult::machine(context, Report::ShipRefused { why }));
        }
        let head = self.inspectable(context).await?;
        let name = context.task.branch();
        let place = format!("{}{}", prefix(&self.repository)?, ProofFile::path(&context.task));
        let shipped = objects::commit(&self.repository, &format!("refs/heads/{name}"));
        if let Ok(shipped) = shipped
            && commits::trailer(&self.repository, &name, TREE)?.as_deref()
                == Some(&*digest.to_string())
            && self.trees.is_at(&tree, &place, &shipped)?
        {
            // A process shipped it earlier and died before reporting.
            return Ok(EffectResult::machine(context, Report::Shipped { tree: digest }));
        }
        let contract = self.contract(context).await?;
        // Repairs change the tree after its exit gate.
        if let Some(what) = self.interface(context, &contract, &tree).await?.refusal() {
            let why = ShipRefusal::Fingerprint { what };
            return Ok(EffectResult::machine(context, Report::ShipRefused { why }));
        }
        let anchor = Anchor { stream: context.task.stream().clone(), head };
        let message = message(context, digest, &anchor);
        // A folder per task: two tasks can ship at the same time.
        let scratch = self.state.join("commits").join(context.task.as_str());
        let now = SystemClock.now().as_millis() / 1000;
        let proof = self.store.proof(&context.task, head);
        let proof = proof.map_err(|source| PerformError::Folder(Box::new(source)))?;
        let beside: Vec<(String, Vec<u8>)> =
            proof.map(|proof| (place, proof)).into_iter().collect();
        let commit = self.trees.commit(&tree, &beside, &scratch, &message, now).await?;
        if let Some(link) = self.trees.link_into_records(&commit)? {
            let why = format!("`{link}` is a link into `.sealwright`, which no gate sees");
            return Err(PerformError::Impossible { why });
        }
        commits::branch(&self.repository, &name, &commit)?;
        Ok(EffectResult::machine(context, Report::Shipped { tree: digest }))
    }

    /// Checks that all evidence is in the store, writes the task's views, and returns the record they show. If a person
    /// could not inspect the proof from files, the tree is not shipped.
    async fn inspectable(&self, context: &EffectContext) -> PerformResult<Head> {
        for record in &context.data.evidence {
            let artifacts = record.evidence.artifacts.iter().map(|artifact| artifact.content);
            for content in [record.evidence.output].into_iter().chain(artifacts) {
                self.store.blobs().find(&content).await?;
            }
        }
        let replayed = replay::<Task, _>(self.store.journal(), context.task.stream(), None).await?;
        let written = self.store.write_views(&context.task);
        written.map_err(|source| PerformError::Folder(Box::new(source)))?;
        Ok(replayed.head)
    }
}

fn message(context: &EffectContext, tree: Digest, anchor: &Anchor) -> String {
    let passed =
        |record: &&EvidenceRecord| record.verdict == Verdict::Pass && record.evidence.tree == tree;
    let evidence = context.data.evidence.iter().filter(passed);
    let evidence: String = evidence
        .map(|record| format!("Sealwright-Evidence: {} {}\n", record.id, record.subject))
        .collect();
    let title: String = context.data.charter.title.chars().filter(|it| !it.is_control()).collect();
    format!(
        "{title}\n\nSealwright-Task: {}\n{TREE}: {tree}\n{}\n{evidence}",
        context.task,
        anchor.trailer(),
    )
}

/// The commit trailer that names the tree.
const TREE: &str = "Sealwright-Tree";

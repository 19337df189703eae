//! What a role of the debate sees: a context pack, and what the machine extracts for it. There is no other source.
//!
//! The table of sights is the kernel's. Everything that is given here is held against it once more, so a slip in this
//! file refuses the call instead of showing something.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::pack::{
    ContextPack, CreatedFor, Draft, Exclusion, Inclusion, InputKind, Occasion, PackReader, Refused,
};
use sealwright_kernel::{
    Effect as _, EffectId, IdError, Machine as _, PackId, Permission, Ref, Role, StreamId,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use super::answer::Defect;
use super::challenge::Failure;
use super::dossier::Dossier;
use super::probe::ProbeRecord;
use super::round::Round;
use super::vocabulary::{Effect, Want};
use super::{Module, ModuleData};

/// Everything a role sees in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleContext {
    /// The effect that the call performs.
    pub effect: EffectId,
    pub occasion: Occasion,
    pub pack: ContextPack,
    pub extracts: Vec<Extract>,
    /// The kinds of input in pack and extracts, without repetition.
    pub kinds: Vec<InputKind>,
}

/// Something that the machine takes out of its records for one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "one at a time is made and written")]
pub enum Extract {
    /// The criteria of the task that belong to the module.
    AcceptanceCriteria { criteria: Vec<String> },
    /// What a builder has to mend: of a challenge only its failures.
    Failures { failures: Vec<Failure> },
    /// The machine's facts, and the probes so far.
    Dossier { dossier: Dossier, probes: Vec<ProbeRecord> },
    /// The name of the schema of the answer, and what was wrong with the last one.
    Answer { schema: String, defects: Vec<Defect> },
}

/// Why there is no context.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoContext {
    #[error("the {} is not called now", role.name())]
    NotCalled { role: Role },
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Name(#[from] IdError),
}

/// What `role` sees in the call that `module` waits for.
pub fn context_for(role: Role, module: &Module, at: Timestamp) -> Result<RoleContext, NoContext> {
    let not_called = || NoContext::NotCalled { role };
    let data = module.data().ok_or_else(not_called)?;
    let owed = module.owed();
    let calls = |effect: &&Effect| match effect {
        Effect::Slice { .. } => role == Role::Builder,
        Effect::Module { want, .. } => want.role() == Some(role),
    };
    let effect = owed.iter().find(calls).ok_or_else(not_called)?;
    let occasion = occasion(effect);
    let mut given = Given::default();
    match role {
        Role::Builder => data.for_builder(&mut given, occasion)?,
        Role::Challenger => data.for_challenger(&mut given)?,
        Role::Arbiter => data.for_arbiter(&mut given),
        Role::Scout
        | Role::Planner
        | Role::RefuteReader
        | Role::Auditor
        | Role::Reviewer
        | Role::Verifier
        | Role::Reconciler
        | Role::TestAuthor => return Err(not_called()),
    }
    given.extract(InputKind::AnswerSchema, answer(effect));
    let reader = PackReader::Role(role);
    for kind in &given.kinds {
        reader.may_have(*kind, occasion)?;
    }
    let run_id = run(data, effect)?;
    let task = data.charter.task.clone();
    let pack = ContextPack::new(Draft {
        context_pack_id: PackId::of(&task, &run_id),
        created_for: CreatedFor { role: reader, run_id, task_ref: task },
        included_refs: given.included,
        excluded_refs: given.excluded,
        default_permission: Permission::ContractOnly,
        created_at: at,
    })?;
    pack.fits(occasion)?;
    Ok(RoleContext {
        effect: effect.id(),
        occasion,
        pack,
        extracts: given.extracts,
        kinds: given.kinds,
    })
}

/// What is collected for one call.
#[derive(Default)]
struct Given {
    included: Vec<Inclusion>,
    excluded: Vec<Exclusion>,
    extracts: Vec<Extract>,
    kinds: Vec<InputKind>,
}

impl Given {
    fn show(&mut self, kind: InputKind, reference: Ref, permission: Permission, reason: &str) {
        self.of(kind);
        self.included.push(Inclusion { reference, permission, reason: reason.into() });
    }

    fn full(&mut self, kind: InputKind, reference: Ref, reason: &str) {
        self.show(kind, reference, Permission::Full, reason);
    }

    fn withhold(&mut self, reference: Ref, reason: &str) {
        self.excluded.push(Exclusion { reference, reason: reason.into() });
    }

    fn extract(&mut self, kind: InputKind, extract: Extract) {
        self.of(kind);
        self.extracts.push(extract);
    }

    fn of(&mut self, kind: InputKind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }
}

impl ModuleData {
    fn for_builder(&self, given: &mut Given, occasion: Occasion) -> Result<(), NoContext> {
        let charter = &self.charter;
        given.full(InputKind::TaskFile, charter.task_ref.clone(), "the task to work on");
        let why = "the contract to keep";
        given.full(InputKind::ModuleContract, charter.contract.clone(), why);
        given.full(InputKind::Workspace, charter.module.clone(), "the module being built");
        self.show_dependencies(given, "to be used by its contract");
        for report in &charter.index_results {
            given.full(InputKind::IndexResults, report.clone(), "modules that exist already");
        }
        for schema in SCHEMAS {
            let reference = Ref::new(&format!("SCHEMA-{schema}@1.0.0"))?;
            given.full(InputKind::HarnessSchemas, reference, "the form of what is exchanged");
        }
        if let Some(round) = self.round() {
            let why = "its own work";
            given.full(InputKind::ImplementationSource, round.implementation.clone(), why);
            if let (Occasion::Amend, Some((adjudication, _))) = (occasion, &round.adjudication) {
                let reference = Round::reference(&adjudication.adjudication_id);
                given.full(InputKind::Adjudication, reference, "the amendments to apply");
            }
        }
        let criteria = charter.criteria.clone();
        given.extract(InputKind::AcceptanceCriteria, Extract::AcceptanceCriteria { criteria });
        if occasion == Occasion::Revise {
            let failures = self.to_mend.clone();
            given.extract(InputKind::ChallengeFailures, Extract::Failures { failures });
        }
        Ok(())
    }

    fn for_challenger(&self, given: &mut Given) -> Result<(), NoContext> {
        let charter = &self.charter;
        let why = "the contract to hold the proposal against";
        given.full(InputKind::ModuleContract, charter.contract.clone(), why);
        self.show_dependencies(given, "dependencies are judged by their contracts");
        for (kind, rubric) in [
            (InputKind::EvaluationRubric, "RUBRIC-evaluation@1.0.0"),
            (InputKind::DecompositionRubric, "RUBRIC-decomposition@1.0.0"),
        ] {
            given.full(kind, Ref::new(rubric)?, "how to judge");
        }
        self.show_debate(given, InputKind::Proposal, |round| round.proposal_ref());
        self.show_debate(given, InputKind::Challenge, |round| round.challenge_ref());
        let criteria = charter.criteria.clone();
        given.extract(InputKind::AcceptanceCriteria, Extract::AcceptanceCriteria { criteria });
        if let Some(round) = self.round()
            && let Some(dossier) = round.dossier.clone()
        {
            let probes = round.probes.clone();
            given.extract(InputKind::Dossier, Extract::Dossier { dossier, probes });
        }
        given.withhold(charter.task_ref.clone(), "a challenger judges by contract and criteria");
        self.withhold_source(given);
        for adjudication in self.rounds.iter().filter_map(Round::adjudication_ref) {
            given.withhold(adjudication, "a challenger is not told what the arbiter decided");
        }
        Ok(())
    }

    fn for_arbiter(&self, given: &mut Given) {
        let charter = &self.charter;
        given.full(InputKind::TaskFile, charter.task_ref.clone(), "what was asked for");
        given.full(InputKind::ModuleContract, charter.contract.clone(), "what was promised");
        self.show_debate(given, InputKind::Proposal, |round| round.proposal_ref());
        self.show_debate(given, InputKind::Challenge, |round| round.challenge_ref());
        self.show_debate(given, InputKind::Adjudication, |round| round.adjudication_ref());
        for dependency in &charter.dependencies {
            given.withhold(dependency.reference.clone(), "an arbiter decides from the record");
        }
        self.withhold_source(given);
    }

    fn show_dependencies(&self, given: &mut Given, reason: &str) {
        for dependency in &self.charter.dependencies {
            let kind = InputKind::DependencyContracts;
            given.show(kind, dependency.reference.clone(), Permission::ContractOnly, reason);
        }
    }

    /// Shows one kind of debate artifact of every round. Those of earlier rounds are the trail.
    fn show_debate(&self, given: &mut Given, kind: InputKind, of: impl Fn(&Round) -> Option<Ref>) {
        let current = self.round_number();
        for round in &self.rounds {
            let Some(reference) = of(round) else { continue };
            if round.number == current {
                given.full(kind, reference, "the debate of this round");
            } else {
                given.full(InputKind::DebateTrail, reference, "the trail of earlier rounds");
            }
        }
    }

    fn withhold_source(&self, given: &mut Given) {
        given.withhold(self.charter.module.clone(), "its judges never see the work tree");
        for round in &self.rounds {
            let reason = "its judges never see the source";
            given.withhold(round.implementation.clone(), reason);
        }
    }
}

impl Round {
    fn proposal_ref(&self) -> Option<Ref> {
        self.proposal.as_ref().map(|it| Self::reference(&it.proposal_id))
    }

    fn challenge_ref(&self) -> Option<Ref> {
        self.challenge.as_ref().map(|(it, _)| Self::reference(&it.challenge_id))
    }

    fn adjudication_ref(&self) -> Option<Ref> {
        self.adjudication.as_ref().map(|(it, _)| Self::reference(&it.adjudication_id))
    }
}

fn occasion(effect: &Effect) -> Occasion {
    match effect {
        Effect::Module { want: Want::Revise { .. }, .. } => Occasion::Revise,
        Effect::Module { want: Want::Amend { .. }, .. } => Occasion::Amend,
        Effect::Module { .. } | Effect::Slice { .. } => Occasion::Begin,
    }
}

/// The schema of the answer, and the defects of the last try.
fn answer(effect: &Effect) -> Extract {
    let (schema, defects) = match effect {
        Effect::Slice { .. } => ("slice", vec![]),
        Effect::Module { want, .. } => match want {
            Want::Propose { defects, .. } | Want::Revise { defects, .. } => {
                ("proposal", defects.clone())
            }
            Want::Challenge { defects, .. } => ("challenge", defects.clone()),
            Want::Adjudicate { defects, .. } => ("adjudication", defects.clone()),
            Want::Amend { defects, .. } => ("amendments", defects.clone()),
            Want::Examine { .. }
            | Want::RunProbe { .. }
            | Want::SeeAmendments { .. }
            | Want::ReadSurface { .. }
            | Want::RunTests { .. }
            | Want::Promote { .. }
            | Want::Tell { .. } => ("none", vec![]),
        },
    };
    Extract::Answer { schema: schema.into(), defects }
}

/// The name of the run: always the same one for the same effect.
fn run(data: &ModuleData, effect: &Effect) -> Result<StreamId, IdError> {
    let stream = data.charter.stream()?;
    let digest = sealwright_kernel::Digest::of(effect.id().as_str().as_bytes());
    let hex = digest.hex();
    let short: String = hex[..16].iter().map(|digit| char::from(*digit)).collect();
    StreamId::new(format!("{stream}-{short}"))
}

/// The schemas that a builder gets. That of a challenge names its criteria without their words.
const SCHEMAS: [&str; 7] = [
    "proposal",
    "challenge",
    "adjudication",
    "contract",
    "micro_plan",
    "ship_evidence",
    "reuse_search_report",
];

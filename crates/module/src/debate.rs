//! The module machine: how one module version is built, argued over and shipped.
//!
//! A builder proposes, the machine finds out the facts, a challenger tries to disprove the proposal without reading its
//! source, and an arbiter decides from the record. A failed challenge, a rejection and a failed ship check share one
//! budget of two revisions; each opens a new round, and rounds are kept for ever. Roles answer in JSON, which is read
//! and checked here; an answer with defects goes back with them, twice at most.
//!
//! ```text
//!  Building ─▶ Proposing ─▶ Examining ─▶ Challenging ─▶ Adjudicating ─approve──────────────▶ ReadingSurface ─▶ Testing ─▶ Promoting ─▶ Shipped
//!  (slices)     ▲            (dossier)    (probes)  │        │  └─amend─▶ Amending ─▶ SeeingAmendments ─┘ │            │
//!               └── new round: two revisions ◀─FAIL─┴─REJECT─┴◀──────────────── mismatch, failed tests ◀──┴────────────┘
//!
//!  Halted: no revision left, an unusable answer, an unapplied amendment, a fault of the plan, a changed tree.
//!  A person approves in the arbiter's place, gives a tree (a new round, without revisions) or abandons the module.
//! ```

pub mod adjudication;
pub mod answer;
pub mod challenge;
pub mod charter;
pub mod context;
pub mod dossier;
pub mod escalation;
#[cfg(any(test, feature = "testing"))]
pub mod explore;
pub mod guards;
mod owed;
mod people;
pub mod probe;
pub mod proposal;
pub mod round;
pub mod ship;
mod steps;
pub mod vocabulary;

use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::task::slice::{self, Slice};
use sealwright_kernel::{Digest, EffectId, EscalationId, Machine};
use serde::{Deserialize, Serialize};

use answer::Defect;
use challenge::Failure;
use charter::Charter;
use escalation::{Cause, Escalation};
use guards::Rules;
use probe::ProbeRecord;
use round::{Proposer, Refusal, Round, RoundEnd};
use vocabulary::{Effect, Event, Input, Judge, Rejected, Standing};

/// One version of one module, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    stage: Stage,
    data: Option<ModuleData>,
}

/// The data of a module that outlives its stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleData {
    pub charter: Charter,
    /// The slice that is being built, or the last one.
    pub slice: Option<Slice>,
    pub slices_begun: u32,
    gate_runs: u32,
    /// The tree as it stands.
    pub tree: Digest,
    /// The locked fingerprint of the contract; an amendment of the contract sets a new one.
    pub locks: Vec<Digest>,
    /// Revisions used, of two.
    pub retry_count: u32,
    /// Trees that people gave.
    pub fixes: u32,
    /// What the next proposal has to mend.
    pub to_mend: Vec<Failure>,
    pub rounds: Vec<Round>,
    /// The try of the current effect, counted from 1.
    attempt: u32,
    /// What was wrong with the last answer to the current effect.
    defects: Vec<Defect>,
    escalations: u32,
    news: u32,
    told: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The module does not exist yet.
    #[default]
    Unborn,
    /// Its slices are being built.
    Building,
    /// The builder proposes, after a revision if there is something to mend.
    Proposing,
    /// The machine makes the dossier.
    Examining,
    /// The challenger judges.
    Challenging,
    /// The arbiter judges.
    Adjudicating,
    /// The builder applies amendments.
    Amending,
    /// The machine looks at what was amended.
    SeeingAmendments,
    /// Ship check: the surface of the tree.
    ReadingSurface,
    /// Ship check: the tests.
    Testing,
    /// It is stored, sealed and registered.
    Promoting,
    Shipped {
        tree: Digest,
        version: Digest,
    },
    /// A person has to decide how to go on.
    Halted {
        id: EscalationId,
        cause: Cause,
    },
    Abandoned,
}

impl Machine for Module {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        self.decide_by(input, Rules::ALL)
    }

    fn evolve(&mut self, event: &Event) {
        if let Event::Created { charter } = event {
            *self = Self { stage: Stage::Building, data: Some(ModuleData::new(charter.clone())) };
            return;
        }
        // The first event is always a creation; `decide` sees to that.
        let Some(data) = &mut self.data else { return };
        if let Some(stage) = data.evolve(event) {
            data.attempt = 1;
            data.defects.clear();
            let is_news =
                matches!(stage, Stage::Shipped { .. } | Stage::Halted { .. } | Stage::Abandoned);
            data.news += u32::from(is_news);
            self.stage = stage;
        }
    }

    fn owed(&self) -> Vec<Effect> {
        self.data.as_ref().map_or(vec![], |data| data.owed(&self.stage))
    }

    fn is_over(&self) -> bool {
        let is_told = self.data.as_ref().is_none_or(|data| data.told == data.news);
        matches!(self.stage, Stage::Shipped { .. } | Stage::Abandoned) && is_told
    }
}

impl Module {
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    pub fn data(&self) -> Option<&ModuleData> {
        self.data.as_ref()
    }

    /// The open escalation, with the whole trail.
    pub fn escalation(&self) -> Option<Escalation> {
        match (&self.stage, &self.data) {
            (Stage::Halted { id, cause }, Some(data)) => Some(data.escalation(id, cause)),
            (_, _) => None,
        }
    }

    fn asked(&self, id: &EffectId, rules: Rules) -> Result<Effect, Rejected> {
        let owed = self.owed();
        let asked = owed.iter().find(|effect| sealwright_kernel::Effect::id(*effect) == *id);
        let is_owed = rules.pass(guards::Guard::EffectOwed, asked.is_some());
        // Without the guard, any report is taken for an answer to the first effect.
        let asked = if is_owed { asked.or(owed.first()) } else { None };
        asked.cloned().ok_or_else(|| Rejected::NotOwed { effect: id.clone() })
    }
}

impl ModuleData {
    fn new(charter: Charter) -> Self {
        Self {
            slice: None,
            slices_begun: 0,
            gate_runs: 0,
            tree: charter.tree,
            locks: vec![charter.fingerprint],
            retry_count: 0,
            fixes: 0,
            to_mend: vec![],
            rounds: vec![],
            attempt: 1,
            defects: vec![],
            escalations: 0,
            news: 0,
            told: 0,
            charter,
        }
    }

    /// The newest lock of the contract.
    pub fn locked(&self) -> Digest {
        self.locks.last().copied().unwrap_or(self.charter.fingerprint)
    }

    pub fn round(&self) -> Option<&Round> {
        self.rounds.last()
    }

    /// The number of the current round; 0 before the first.
    pub fn round_number(&self) -> u32 {
        self.round().map_or(0, |round| round.number)
    }

    /// Applies an event and returns the next stage, if one is entered.
    fn evolve(&mut self, event: &Event) -> Option<Stage> {
        let Some(round) = self.rounds.last_mut() else { return self.evolve_before(event) };
        match event.clone() {
            Event::Created { .. } | Event::Slice { .. } | Event::Built { .. } => None,
            Event::AnswerRefused { role, attempt, defects } => {
                self.defects = defects.clone();
                self.attempt += 1;
                round.refusals.push(Refusal { role, attempt, defects });
                None
            }
            Event::Proposed { tree, proposal } => {
                round.tree = tree;
                round.proposal = Some(proposal);
                self.tree = tree;
                self.to_mend.clear();
                Some(Stage::Examining)
            }
            Event::Examined { dossier, files } => {
                round.dossier = Some(dossier);
                round.files = files;
                Some(Stage::Challenging)
            }
            Event::ProbeAsked { arguments } => {
                let nth = u32::try_from(round.probes.len()).unwrap_or(u32::MAX).saturating_add(1);
                round.probes.push(ProbeRecord { nth, arguments, result: None });
                None
            }
            Event::Probed { nth, result } => {
                let probe = round.probes.iter_mut().find(|it| it.nth == nth);
                if let Some(probe) = probe {
                    probe.result = Some(result);
                }
                None
            }
            Event::Challenged { challenge, origin } => {
                round.challenge = Some((challenge, origin));
                Some(Stage::Adjudicating)
            }
            Event::Adjudicated { adjudication, by } => {
                let amends = !adjudication.amendments.is_empty();
                round.adjudication = Some((adjudication, by));
                Some(if amends { Stage::Amending } else { Stage::ReadingSurface })
            }
            Event::Overridden { adjudication, by } => {
                round.adjudication = Some((adjudication, Judge::Person { name: by }));
                round.end = None;
                Some(Stage::ReadingSurface)
            }
            Event::Amended { tree, records } => {
                round.amended = Some((tree, records));
                self.tree = tree;
                Some(Stage::SeeingAmendments)
            }
            Event::AmendmentsVerified { lock } => {
                self.locks.extend(lock);
                Some(Stage::ReadingSurface)
            }
            Event::SurfaceVerified { fingerprint } => {
                round.surface = Some(fingerprint);
                Some(Stage::Testing)
            }
            Event::Tested { log } => {
                round.log = Some(log);
                Some(Stage::Promoting)
            }
            Event::SentBack { failures, by } => {
                round.end = Some(RoundEnd::SentBack(by));
                self.retry_count += 1;
                self.to_mend = failures;
                self.open_round(Proposer::Builder);
                Some(Stage::Proposing)
            }
            Event::Promoted { tree, version } => {
                round.end = Some(RoundEnd::Shipped);
                Some(Stage::Shipped { tree, version })
            }
            Event::Halted { .. }
            | Event::FixProvided { .. }
            | Event::Abandoned { .. }
            | Event::Told { .. } => self.evolve_halt(event),
        }
    }

    /// Before the first round only slices are built.
    fn evolve_before(&mut self, event: &Event) -> Option<Stage> {
        match event {
            Event::Slice { event } => {
                self.evolve_slice(event);
                None
            }
            Event::Built { tree } => {
                self.tree = *tree;
                self.open_round(Proposer::Builder);
                Some(Stage::Proposing)
            }
            Event::Halted { .. }
            | Event::FixProvided { .. }
            | Event::Abandoned { .. }
            | Event::Told { .. } => self.evolve_halt(event),
            Event::Created { .. }
            | Event::AnswerRefused { .. }
            | Event::Proposed { .. }
            | Event::Examined { .. }
            | Event::ProbeAsked { .. }
            | Event::Probed { .. }
            | Event::Challenged { .. }
            | Event::Adjudicated { .. }
            | Event::Amended { .. }
            | Event::AmendmentsVerified { .. }
            | Event::SurfaceVerified { .. }
            | Event::Tested { .. }
            | Event::SentBack { .. }
            | Event::Promoted { .. }
            | Event::Overridden { .. } => None,
        }
    }

    fn evolve_halt(&mut self, event: &Event) -> Option<Stage> {
        match event {
            Event::Halted { id, cause } => {
                self.escalations += 1;
                if let Some(round) = self.rounds.last_mut() {
                    let is_ice = matches!(cause, Cause::InterfaceChange { .. });
                    let end = if is_ice { RoundEnd::InterruptedByIce } else { RoundEnd::Halted };
                    round.end = Some(end);
                }
                Some(Stage::Halted { id: id.clone(), cause: cause.clone() })
            }
            Event::FixProvided { tree, proposal, by } => {
                self.tree = *tree;
                self.fixes += 1;
                self.to_mend.clear();
                self.open_round(Proposer::Person { name: by.clone() });
                if let Some(round) = self.rounds.last_mut() {
                    round.proposal = Some(proposal.clone());
                }
                Some(Stage::Examining)
            }
            Event::Abandoned { .. } => Some(Stage::Abandoned),
            Event::Told { news } => {
                self.told = *news;
                None
            }
            Event::Created { .. }
            | Event::Slice { .. }
            | Event::Built { .. }
            | Event::AnswerRefused { .. }
            | Event::Proposed { .. }
            | Event::Examined { .. }
            | Event::ProbeAsked { .. }
            | Event::Probed { .. }
            | Event::Challenged { .. }
            | Event::Adjudicated { .. }
            | Event::Amended { .. }
            | Event::AmendmentsVerified { .. }
            | Event::SurfaceVerified { .. }
            | Event::Tested { .. }
            | Event::SentBack { .. }
            | Event::Promoted { .. }
            | Event::Overridden { .. } => None,
        }
    }

    fn evolve_slice(&mut self, event: &slice::Event) {
        if let slice::Event::Begun { .. } = event {
            self.gate_runs += self.slice.as_ref().map_or(0, Slice::gate_runs);
            self.slice = Some(Slice::default());
            self.slices_begun += 1;
        }
        if let Some(slice) = &mut self.slice {
            slice.evolve(event);
            self.tree = slice.tree().unwrap_or(self.tree);
        }
    }

    fn open_round(&mut self, proposer: Proposer) {
        let number = self.round_number() + 1;
        let round = Round::new(&self.charter, number, proposer, self.rounds.last(), self.tree);
        self.rounds.push(round);
    }

    /// What the task has to hear.
    fn standing(&self, stage: &Stage) -> Option<Standing> {
        match stage {
            Stage::Shipped { tree, version } => {
                Some(Standing::Shipped { tree: *tree, version: *version })
            }
            Stage::Halted { id, cause } => {
                Some(Standing::Halted { escalation: id.clone(), reach: cause.reach() })
            }
            Stage::Abandoned => Some(Standing::Abandoned),
            Stage::Unborn
            | Stage::Building
            | Stage::Proposing
            | Stage::Examining
            | Stage::Challenging
            | Stage::Adjudicating
            | Stage::Amending
            | Stage::SeeingAmendments
            | Stage::ReadingSurface
            | Stage::Testing
            | Stage::Promoting => None,
        }
    }
}

/// The next step after a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Revise,
    Adjudicate,
}

/// Routes a challenge: a failed one is revised while there is a revision left, and anything else is adjudicated.
pub fn route(verdict: challenge::ChallengeVerdict, retry_count: u32) -> Next {
    match verdict {
        challenge::ChallengeVerdict::Fail if retry_count < REVISIONS_MAX => Next::Revise,
        challenge::ChallengeVerdict::Fail | challenge::ChallengeVerdict::Pass => Next::Adjudicate,
    }
}

/// Revisions of one module version, for whatever reason.
pub const REVISIONS_MAX: u32 = 2;
/// More tries of one call, after an answer with defects.
pub const RETRIES_MAX: u32 = 2;
/// Trees that people may give.
pub const FIXES_MAX: u32 = 8;

#[cfg(test)]
mod tests;

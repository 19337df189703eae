//! The task machine: whether a task may advance, and who owns its gate.
//!
//! Nothing is built before a person froze the contract and the tests were seen to fail;
//! nothing is done before the machine verified the very tree that was judged. A role may
//! propose the next phase; the proposal is checked and never obeyed. Work that cannot go on
//! halts with one question to a person, whose answer opens the next attempt.
//!
//! ```text
//!  Pending ─▶ intake ─▶ shape ──────────────▶ implement ─▶ verify ───▶ review ───────────▶ done
//!                       draft, freeze,        slices       probes │    challenge, arbiter,
//!                       tests, red run                      ▲     ▼    amendments, owner, ship
//!                                                           └─ repair ◀──┘
//!  Halted (blocked, needs_user_decision): a resolution reopens at intake, shape, verify or ship,
//!  or the task is abandoned. Parked: a question is open in shape or review, and nothing halts.
//! ```

mod bundle;
mod charter;
pub mod escalation;
mod owed;
mod people;
mod phase;
pub mod slice;
mod spending;
mod steps;
mod vocabulary;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use bundle::{
    Audience, Bundle, ChecklistLine, Feature, FeatureLabel, Frame, Missing, Part, PartKind,
    SLICES_MAX,
};
pub use charter::{CRITERIA_MAX, Charter, Freeze, Membership};
pub use phase::Phase;
pub use spending::{Bound, Budget, CallEnd, RECEIPTS_MAX, Receipt, Spending, Total, WayOut};
pub use vocabulary::{
    Adjudication, Challenge, Choice, Completion, Compliance, Effect, Event, GateRecord, Guarded,
    Input, Milestone, Notice, PersonInput, Probe, ProbeResult, Question, QuestionSubject,
    RecordOwner, Rejected, Report, Residue, ResidueKind, ReviewQuestion, SentBackBy, ShipRefusal,
    Want,
};

use crate::product::split::SplitPart;
use crate::{Digest, EffectId, EscalationId, EvidenceRecord, Iteration, Machine, SliceId};
use escalation::{Escalation, PostMortem, Resolution};
use slice::Slice;

/// One task, at rest between two inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    stage: Stage,
    #[serde(rename = "known")]
    data: Option<TaskData>,
}

/// The data of a task that outlives its stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskData {
    /// The terms, as amended since.
    pub charter: Charter,
    pub created_by: String,
    pub attempt: u32,
    pub frame: Option<Frame>,
    /// The drafted or frozen bundle.
    pub bundle: Option<Bundle>,
    /// The item a person froze, and who.
    pub frozen: Option<(Digest, String)>,
    /// What the tripwire guards, once the tests were seen red.
    pub guarded: Option<Guarded>,
    pub plan: Vec<(SliceId, slice::Planned)>,
    pub slices: Vec<Slice>,
    /// The tree that is to be proven.
    pub tree: Option<Digest>,
    /// The tree that passed verify.
    pub verified: Option<Digest>,
    /// Failed verifications in a row.
    pub verify_fails: u32,
    /// Failed challenges.
    pub revisions: u32,
    /// Confirmed cheats. Never cleared.
    pub heals: u32,
    /// Failures to repair.
    pub to_mend: Vec<String>,
    /// Amendments that the arbiter asked for.
    pub amendments: Vec<String>,
    /// Whether a person asked for the repair; what a person says is to be followed.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_sent_back_by_person: bool,
    /// Findings no test can settle.
    pub residue: Vec<Residue>,
    /// What the builder says no test can settle; it stays until a person decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_residue: Vec<Residue>,
    /// What roles say later tasks should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// The person whose fix is being judged.
    pub fix_by: Option<String>,
    pub evidence: Vec<EvidenceRecord>,
    /// Lessons of earlier attempts.
    pub post_mortems: Vec<PostMortem>,
    /// Criteria as they were before each amendment.
    pub amended: Vec<Vec<String>>,
    /// The person who amended the criteria last, to resolve a halt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amended_by: Option<String>,
    /// The tasks that a person put in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// Notes of people, with their authors.
    pub notes: Vec<(String, String)>,
    /// The digest of a hand-edited task file that was not adopted.
    pub drifted: Option<Digest>,
    /// Snapshots that were tampered with and not acknowledged.
    pub tampered: Vec<String>,
    /// The record of the last gate.
    pub record: Option<GateRecord>,
    /// Incomplete drafts of this attempt.
    pub drafts: u32,
    /// Tests that were sent back in this attempt.
    pub test_tries: u32,
    /// Challenges in a row that were too mild.
    pub mild: u32,
    /// The cost of calls of roles.
    #[serde(default, skip_serializing_if = "Spending::is_nothing")]
    pub spending: Spending,
    minted: u32,
    iteration: Option<Iteration>,
    escalations: u32,
    visit: u32,
    news: u32,
    told: u32,
}

/// The tasks that a person put in the place of one that halted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    pub into: Vec<SplitPart>,
    pub by: String,
}

/// The state of a task, finer than its phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The task does not exist yet.
    #[default]
    Unborn,
    /// It waits to be dispatched.
    Pending,
    /// The frame is being drafted.
    Intake,
    /// Shape: the contract and the plan are being drafted.
    Drafting { declined: Option<String>, missing: Vec<Missing> },
    /// Shape: a person has to freeze them.
    AwaitingFreeze { item: Digest },
    /// Shape: the tests are being written.
    WritingTests { vacuous: Vec<String> },
    /// Shape: the tests are run before anything is built.
    RedRun { tests: Digest, tree: Digest },
    /// The slices are being built.
    Implement,
    /// Verify: a person's fix is put into the tree.
    ApplyingFix {
        patch: Digest,
        /// The files that the fix changes. Older snapshots do not have them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        places: Vec<String>,
    },
    /// Verify: the candidate is being looked at.
    Probing { results: Vec<(Probe, ProbeResult)> },
    /// Review: the challenger judges.
    Challenging,
    /// Review: the arbiter judges.
    Adjudicating,
    /// Review: it is checked whether the amendments were applied.
    CheckingAmendments,
    /// Review: a person has to say whether it is done.
    AwaitingOwner { item: Digest },
    /// Review: the verified tree is being shipped.
    Shipping,
    /// Known failures are being repaired.
    Repair,
    /// A person has to decide how to go on.
    Halted { escalation: Escalation },
    /// It is proven and shipped.
    Done,
    /// A person abandoned it.
    Abandoned,
}

/// The status of a task for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pending,
    InProgress,
    /// A person owns its gate; other tasks go on.
    Parked,
    /// A person has to decide; nothing new is dispatched.
    Halted,
    Shipped,
    Abandoned,
}

impl Machine for Task {
    type Input = Input;
    type Event = Event;
    type Effect = Effect;
    type Rejected = Rejected;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Rejected> {
        let data = match (&self.data, input) {
            (None, Input::Create { by, charter }) => return people::create(by, charter),
            (None, _) => return Err(Rejected::NotCreated),
            (Some(_), Input::Create { .. }) => return Err(Rejected::AlreadyCreated),
            (Some(data), _) => data,
        };
        match (&self.stage, input) {
            (Stage::Pending, Input::Dispatch) => match data.charter.belongs {
                Membership::Project => Ok(steps::dispatch()),
                Membership::Alone => Err(Rejected::NotPending),
            },
            (_, Input::Dispatch) => Err(Rejected::NotPending),
            (Stage::Pending, Input::Base { commit }) => data.based(commit),
            (_, Input::Base { .. }) => Err(Rejected::NotPending),
            (_, Input::Create { .. }) => Err(Rejected::AlreadyCreated),
            (stage, Input::Report { effect, report }) => {
                let asked = self.asked(effect)?;
                match (asked, report) {
                    (Effect::Task { want: Want::Tell { news, .. }, .. }, Report::Told) => {
                        Ok(vec![Event::Told { news }])
                    }
                    // Telling the project settles nothing else; a slice has its own inputs, and
                    // so have people.
                    (
                        Effect::Task { want: Want::Tell { .. } | Want::Ask { .. }, .. }
                        | Effect::Slice { .. },
                        _,
                    ) => Err(Rejected::NoAnswer { effect: effect.clone() }),
                    (Effect::Task { want, .. }, report) => {
                        data.reported(stage, &want, effect, report)
                    }
                }
            }
            (Stage::Implement, Input::Slice { input }) => data.slice_told(input),
            (_, Input::Slice { .. }) => Err(Rejected::NoSlice),
            (
                Stage::Done | Stage::Abandoned,
                Input::Person { .. } | Input::Notice { .. } | Input::Spend { .. },
            ) => Err(Rejected::Over),
            (stage, Input::Person { by, says }) => {
                let by = people::person(by)?;
                data.person(self, stage, by, says)
            }
            (stage, Input::Notice { notice }) => data.noticed(stage, notice),
            // A finished call is recorded in every stage.
            (_, Input::Spend { receipt }) => data.spent(receipt),
        }
    }

    fn evolve(&mut self, event: &Event) {
        if let Event::Created { charter, by } = event {
            let data = TaskData::new(charter.clone(), by.clone());
            *self = Self { stage: Stage::Pending, data: Some(data) };
            return;
        }
        let before = self.status();
        // The first event is always a creation; `decide` sees to that.
        let Some(data) = &mut self.data else { return };
        if let Some(stage) = data.evolve(&mut self.stage, event) {
            data.visit += 1;
            self.stage = stage;
        }
        if before != self.status()
            && let Some(data) = &mut self.data
        {
            data.news += 1;
        }
    }

    fn owed(&self) -> Vec<Effect> {
        self.may_be_begun()
    }

    fn owes(&self, id: &EffectId) -> bool {
        self.asked(id).is_ok()
    }

    fn may_begin(&self, id: &EffectId) -> bool {
        self.may_be_begun().iter().any(|effect| crate::Effect::id(effect) == *id)
    }

    fn is_over(&self) -> bool {
        let is_told = self.data.as_ref().is_none_or(|data| data.tell(self).is_none());
        matches!(self.stage, Stage::Done | Stage::Abandoned) && is_told
    }
}

impl Task {
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    pub fn data(&self) -> Option<&TaskData> {
        self.data.as_ref()
    }

    /// The current phase; none before it is dispatched and after it is abandoned.
    pub fn phase(&self) -> Option<Phase> {
        self.stage.phase()
    }

    pub fn status(&self) -> Status {
        match &self.stage {
            Stage::Unborn | Stage::Pending => Status::Pending,
            Stage::Intake
            | Stage::Drafting { .. }
            | Stage::WritingTests { .. }
            | Stage::RedRun { .. }
            | Stage::Implement
            | Stage::ApplyingFix { .. }
            | Stage::Probing { .. }
            | Stage::Challenging
            | Stage::Adjudicating
            | Stage::CheckingAmendments
            | Stage::Shipping
            | Stage::Repair => Status::at_work(self),
            Stage::AwaitingFreeze { .. } | Stage::AwaitingOwner { .. } => Status::Parked,
            Stage::Halted { .. } => Status::Halted,
            Stage::Done => Status::Shipped,
            Stage::Abandoned => Status::Abandoned,
        }
    }
}

impl Stage {
    pub fn phase(&self) -> Option<Phase> {
        match self {
            Self::Unborn | Self::Pending | Self::Abandoned => None,
            Self::Intake => Some(Phase::Intake),
            Self::Drafting { .. }
            | Self::AwaitingFreeze { .. }
            | Self::WritingTests { .. }
            | Self::RedRun { .. } => Some(Phase::Shape),
            Self::Implement => Some(Phase::Implement),
            Self::ApplyingFix { .. } | Self::Probing { .. } => Some(Phase::Verify),
            Self::Challenging
            | Self::Adjudicating
            | Self::CheckingAmendments
            | Self::AwaitingOwner { .. }
            | Self::Shipping => Some(Phase::Review),
            Self::Repair => Some(Phase::Repair),
            Self::Halted { escalation } => Some(escalation.cause.phase()),
            Self::Done => Some(Phase::Done),
        }
    }

    /// Whether the last gate is open: the verified tree may be signed and shipped, or was.
    pub fn has_passed_last_gate(&self) -> bool {
        matches!(self, Self::Shipping | Self::Done)
    }
}

impl TaskData {
    fn new(charter: Charter, created_by: String) -> Self {
        Self {
            charter,
            created_by,
            attempt: 0,
            frame: None,
            bundle: None,
            frozen: None,
            guarded: None,
            plan: vec![],
            slices: vec![],
            tree: None,
            verified: None,
            verify_fails: 0,
            revisions: 0,
            heals: 0,
            to_mend: vec![],
            amendments: vec![],
            is_sent_back_by_person: false,
            residue: vec![],
            own_residue: vec![],
            lessons: vec![],
            fix_by: None,
            evidence: vec![],
            post_mortems: vec![],
            amended: vec![],
            amended_by: None,
            split: None,
            notes: vec![],
            drifted: None,
            tampered: vec![],
            record: None,
            drafts: 0,
            test_tries: 0,
            mild: 0,
            spending: Spending::default(),
            minted: 0,
            iteration: None,
            escalations: 0,
            visit: 1,
            news: 1,
            told: 0,
        }
    }

    /// Applies an event and returns the next stage, if it changes.
    fn evolve(&mut self, stage: &mut Stage, event: &Event) -> Option<Stage> {
        // Slice events are the most frequent and the largest; do not clone them.
        if let Event::Slice { slice, event } = event {
            self.evolve_slice(*slice, event);
            return None;
        }
        match event.clone() {
            Event::Created { .. } | Event::Slice { .. } | Event::Shipped { .. } => {}
            Event::Based { commit } => self.charter.base = Some(commit),
            Event::Dispatched => self.attempt = 1,
            Event::Entered { phase } => return Some(self.enter(phase)),
            Event::Framed { frame } => {
                self.frame = Some(frame);
                self.drafts = 0;
            }
            Event::DraftRefused { missing } => {
                self.drafts += 1;
                return Some(if let Stage::Drafting { .. } = stage {
                    Stage::Drafting { declined: None, missing }
                } else {
                    core::mem::take(stage)
                });
            }
            Event::Bundled { bundle, item } => {
                self.frame = Some(bundle.frame.clone());
                self.bundle = Some(bundle);
                return Some(Stage::AwaitingFreeze { item });
            }
            Event::Frozen { item, by, .. } => {
                self.frozen = Some((item, by));
                return Some(Stage::WritingTests { vacuous: vec![] });
            }
            Event::FreezeDeclined { rationale, .. } => {
                return Some(Stage::Drafting { declined: Some(rationale), missing: vec![] });
            }
            Event::PlanLocked { slices } => {
                self.minted = slices.last().map_or(self.minted, |(id, _)| id.number());
                self.plan = slices;
            }
            Event::TestsWritten { tests, tree } => return Some(Stage::RedRun { tests, tree }),
            Event::SeenRed { evidence, guarded } | Event::SeenKept { evidence, guarded } => {
                self.tree = Some(evidence.evidence.tree);
                self.evidence.push(evidence);
                self.guarded = Some(guarded);
            }
            Event::SeenGreen { evidence, tests } => {
                self.evidence.push(evidence);
                self.test_tries += 1;
                return Some(Stage::WritingTests { vacuous: tests });
            }
            Event::FixApplied { tree } => {
                self.tree = Some(tree);
                self.verified = None;
                return Some(Stage::Probing { results: vec![] });
            }
            Event::Probed { probe, evidence, result } => {
                self.evidence.push(evidence);
                self.residue.extend(result.residue.clone());
                if let Stage::Probing { results } = stage {
                    results.push((probe, result));
                }
            }
            Event::Verified { tree } => (self.verified, self.verify_fails) = (Some(tree), 0),
            Event::VerifyFailed { failed } => {
                self.verify_fails += 1;
                self.to_mend = failed;
                self.is_sent_back_by_person = false;
            }
            Event::CheatConfirmed { what, .. } => {
                self.heals += 1;
                (self.to_mend, self.amendments) = (vec![what], vec![]);
                self.is_sent_back_by_person = false;
            }
            Event::ChallengeDropped { evidence } => {
                self.evidence.push(evidence);
                self.mild += 1;
                return Some(Stage::Challenging);
            }
            Event::Challenged { evidence, residue, .. } => {
                self.evidence.push(evidence);
                self.residue.extend(residue);
                self.mild = 0;
                return Some(Stage::Adjudicating);
            }
            Event::Adjudicated { evidence, decision } => {
                self.evidence.push(evidence);
                if let Adjudication::ApproveWithAmendments { amendments } = decision {
                    self.amendments = amendments;
                }
            }
            Event::AmendmentsChecked { evidence } => self.evidence.push(evidence),
            Event::SentBack { items, by } => {
                // A repair for any other reason than amendments is judged anew.
                if by != SentBackBy::Amendments {
                    self.amendments = vec![];
                }
                if matches!(by, SentBackBy::Challenge | SentBackBy::Ship) {
                    self.revisions += 1;
                }
                self.to_mend = items;
                self.is_sent_back_by_person = by == SentBackBy::Person;
            }
            Event::Learned { residue, lessons } => {
                self.residue.extend(residue.iter().cloned());
                self.own_residue.extend(residue);
                self.lessons.extend(lessons);
            }
            Event::OwnerAsked { item } => return Some(Stage::AwaitingOwner { item }),
            Event::GatePassed { record } => {
                self.record = Some(record);
                return Some(Stage::Shipping);
            }
            Event::Repaired { tree } => {
                self.tree = Some(tree);
                // After a repair the tree is no longer the person's fix.
                (self.verified, self.fix_by) = (None, None);
            }
            Event::Halted { escalation } => {
                self.escalations += 1;
                self.record = None;
                return Some(Stage::Halted { escalation });
            }
            Event::Resolved { resolution, by, .. } => return self.resolved(&resolution, by),
            Event::Reopened { attempt, at, post_mortem } => self.reopen(attempt, at, post_mortem),
            Event::Abandoned { .. } => return Some(Stage::Abandoned),
            Event::Adopted { text, title, criteria, lane, header, .. } => {
                self.charter =
                    Charter { text, title, criteria, lane, header, ..self.charter.clone() };
                self.drifted = None;
                // An approval in advance was given for the old text, and a draft of the old text is
                // no longer awaited.
                self.charter.freeze = Freeze::Asked;
                let is_drafting = matches!(stage, Stage::Intake | Stage::Drafting { .. });
                return is_drafting.then(|| core::mem::take(stage));
            }
            Event::FreezeVoided { .. } => (self.frozen, self.guarded) = (None, None),
            Event::Noted { by, text } => self.notes.push((by, text)),
            Event::ViewEdited { view, notes, .. } => {
                self.notes.extend(notes.into_iter().map(|note| (view.clone(), note)));
            }
            Event::SnapshotTampered { snapshot, .. } => self.tampered.push(snapshot),
            Event::Acknowledged { what, .. } => self.tampered.retain(|it| *it != what),
            Event::TextDrifted { found } => self.drifted = Some(found),
            Event::TextRestored => self.drifted = None,
            Event::Told { news } => self.told = news,
            Event::Spent { receipt } => self.spending.add(&receipt),
            Event::BudgetRaised { budget, .. } => {
                self.charter.budget = (!budget.is_boundless()).then_some(budget);
            }
        }
        None
    }

    fn enter(&mut self, phase: Phase) -> Stage {
        match phase {
            Phase::Intake => Stage::Intake,
            Phase::Shape => Stage::Drafting { declined: None, missing: vec![] },
            Phase::Implement => Stage::Implement,
            Phase::Verify => {
                // Findings of the challenger stay as long as no challenger is called again.
                if self.amendments.is_empty() {
                    self.residue.clone_from(&self.own_residue);
                }
                Stage::Probing { results: vec![] }
            }
            // Amendments are checked; they are not debated a second time.
            Phase::Review if !self.amendments.is_empty() => Stage::CheckingAmendments,
            Phase::Review => Stage::Challenging,
            Phase::Repair => {
                self.record = None;
                Stage::Repair
            }
            Phase::Done => Stage::Done,
            // These are entered by halting, which says why.
            Phase::Blocked | Phase::NeedsUserDecision => Stage::Unborn,
        }
    }

    fn evolve_slice(&mut self, id: SliceId, event: &slice::Event) {
        if let slice::Event::Begun { .. } = event {
            self.slices.push(Slice::default());
        }
        if let slice::Event::GateRan { evidence, .. } = event {
            self.evidence.push(evidence.clone());
        }
        let is_it = |slice: &Slice| slice.charter().is_none_or(|charter| charter.id == id);
        let Some(slice) = self.slices.last_mut().filter(|slice| is_it(slice)) else { return };
        slice.evolve(event);
        if let Some(snapshot) = slice.snapshot() {
            self.iteration = Some(snapshot.header.iteration);
        }
        self.tree = slice.tree().or(self.tree);
    }

    fn resolved(&mut self, resolution: &Resolution, by: String) -> Option<Stage> {
        match resolution {
            Resolution::AmendSpec { amended_acceptance_criteria, .. } => {
                self.amended.push(self.charter.criteria.clone());
                self.amended_by = Some(by);
                self.charter.criteria.clone_from(amended_acceptance_criteria);
                Some(Stage::Intake)
            }
            Resolution::RevisePlan { .. } => {
                Some(Stage::Drafting { declined: None, missing: vec![] })
            }
            Resolution::ProvideFix { fix_patch, fix_places, .. } => {
                self.fix_by = Some(by);
                Some(Stage::ApplyingFix { patch: *fix_patch, places: fix_places.clone() })
            }
            Resolution::SplitTask { new_tasks, .. } => {
                self.split = Some(Split { into: new_tasks.clone(), by });
                None
            }
            // The event behind this one says where it leads.
            Resolution::ApproveOverride { .. } | Resolution::AbandonTask { .. } => None,
        }
    }

    /// Resets every counter but that of cheats.
    fn reopen(&mut self, attempt: u32, at: Phase, post_mortem: PostMortem) {
        self.attempt = attempt;
        self.post_mortems.push(post_mortem);
        (self.verify_fails, self.revisions, self.drafts) = (0, 0, 0);
        (self.test_tries, self.mild) = (0, 0);
        (self.to_mend, self.amendments, self.residue) = (vec![], vec![], vec![]);
        self.own_residue = vec![];
        self.verified = None;
        if at == Phase::Verify {
            return;
        }
        (self.frozen, self.guarded, self.fix_by) = (None, None, None);
        (self.plan, self.slices, self.tree) = (vec![], vec![], None);
        if at == Phase::Intake {
            (self.frame, self.bundle) = (None, None);
        }
    }

    fn next_escalation(&self) -> EscalationId {
        EscalationId::of(&self.charter.id, self.escalations + 1)
    }
}

/// Failed verifications in a row before a person decides.
pub const VERIFY_FAILS_MAX: u32 = 3;
/// Failed challenges that are sent to repair.
pub const REVISIONS_MAX: u32 = 2;
/// Cheats that are sent back for an honest redo; the next one is a hard stop.
pub const HEALS_MAX: u32 = 3;
/// Incomplete drafts before a person decides.
pub const DRAFTS_MAX: u32 = 3;
/// Challenges that were too mild before one counts as failed.
pub const MILD_MAX: u32 = 2;

#[cfg(test)]
mod tests;

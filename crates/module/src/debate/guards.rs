//! The guards of the module machine, by name, so that a proof can take one away and has to notice.

/// A guard of `decide`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// A report answers an effect that is owed.
    EffectOwed,
    /// A report names the round it was asked in.
    SameRound,
    /// A report names the attempt it was asked in.
    SameAttempt,
    /// Machine-made facts are about the tree that was asked about.
    SameTree,
    /// A mild challenge is sent back.
    ChallengeGate,
    /// A role gets two more tries, and no third.
    RetriesBounded,
    /// There are at most two revisions.
    RevisionsBounded,
    /// A fix of a person has no revisions.
    FixHasNoRevisions,
    /// A failure of the plan stops the module.
    PlanFaultStops,
    /// Decision, amendments and directive belong together.
    AdjudicationFields,
    /// Amendments are precise.
    AmendmentsPrecise,
    /// A failed challenge is not approved as it is.
    NoApproveAfterFail,
    /// Nothing is approved that no challenger tried to disprove.
    NeedsChallenge,
    /// A builder has to apply every amendment.
    EveryAmendmentApplied,
    /// The machine looks at what was amended.
    AmendmentsVerified,
    /// The contract changes only if an amendment says so.
    ContractUnchanged,
    /// The ship check is about the tree that was approved.
    ShipSameTree,
    /// The ship check looks at what was amended, again.
    ShipAmendments,
    /// The surface of the code is the locked contract's.
    FingerprintEqual,
    /// Something was tested.
    TestsExist,
    /// Every test passes.
    TestsPass,
    /// What was promoted is what was checked.
    PromotedTree,
    /// Only a judgement can be overridden.
    OverrideJudgement,
    /// Only a module that the machine found whole can be overridden.
    OverrideVerified,
    /// A resolution names the open escalation.
    SameEscalation,
    /// A resolution is a person's.
    PersonDecides,
}

/// Which guards hold. Outside of proofs, all of them do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    #[cfg(any(test, feature = "testing"))]
    without: Option<Guard>,
}

impl Rules {
    pub(crate) const ALL: Self = Self {
        #[cfg(any(test, feature = "testing"))]
        without: None,
    };

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn without(guard: Guard) -> Self {
        Self { without: Some(guard) }
    }

    /// Whether `guard` is satisfied: it holds here, or a proof took it away.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn pass(self, guard: Guard, holds: bool) -> bool {
        holds || self.without == Some(guard)
    }

    /// Whether `guard` is satisfied.
    #[cfg(not(any(test, feature = "testing")))]
    pub(crate) fn pass(self, _guard: Guard, holds: bool) -> bool {
        holds
    }
}

#[cfg(any(test, feature = "testing"))]
impl Guard {
    pub const ALL: [Self; 26] = [
        Self::EffectOwed,
        Self::SameRound,
        Self::SameAttempt,
        Self::SameTree,
        Self::ChallengeGate,
        Self::RetriesBounded,
        Self::RevisionsBounded,
        Self::FixHasNoRevisions,
        Self::PlanFaultStops,
        Self::AdjudicationFields,
        Self::AmendmentsPrecise,
        Self::NoApproveAfterFail,
        Self::NeedsChallenge,
        Self::EveryAmendmentApplied,
        Self::AmendmentsVerified,
        Self::ContractUnchanged,
        Self::ShipSameTree,
        Self::ShipAmendments,
        Self::FingerprintEqual,
        Self::TestsExist,
        Self::TestsPass,
        Self::PromotedTree,
        Self::OverrideJudgement,
        Self::OverrideVerified,
        Self::SameEscalation,
        Self::PersonDecides,
    ];
}

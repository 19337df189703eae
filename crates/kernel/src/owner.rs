//! Gate ownership: one function decides who may open a gate; the strictest reason wins.

use serde::{Deserialize, Serialize};

use crate::Lane;

/// How far a task may go without a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// A person owns every gate; the machine only proposes.
    Manual,
    /// All work is done, then a person looks.
    Conservative,
    /// A gate may open on complete evidence alone.
    #[default]
    Auto,
}

/// The risk, as a person declared it; it is never guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing out of the ordinary.
    #[default]
    Normal,
    /// Money, access, data that can be lost, or the rules themselves.
    High,
}

/// Whether a run stops at the gates of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Auto,
    /// A person confirms each gate of the pipeline.
    Stepped,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub autonomy: Autonomy,
    pub risk: Risk,
}

/// A kind of gate, as far as ownership depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Whether a contract is fit to be built.
    Freeze,
    /// Whether a verified and reviewed task is done.
    Review,
    /// A gate of the pipeline around the tasks.
    Pipeline,
    /// The work stopped.
    Stop,
    /// A finding about security is open.
    Security,
    /// A role has cheated once too often.
    CheatCap,
    /// Documents and code say different things.
    SpecDrift,
    /// Any other check a machine can make.
    Mechanical,
}

/// Everything that decides who owns a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    pub gate: Gate,
    pub mode: Mode,
    pub lane: Lane,
    pub header: Header,
    /// Whether a finding is left that no test can settle.
    pub residue: OpenFindings,
    /// Whether every check that is owed has evidence.
    pub evidence: Completeness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFindings {
    Empty,
    Left,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    Complete,
    Incomplete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The run itself, on evidence.
    Machine,
    Human,
    /// The gate stays closed: [`UNGUARDED`].
    Refused,
}

pub fn gate_owner(situation: Situation) -> Owner {
    let Situation { gate, mode, lane, header, residue, evidence } = situation;
    match gate {
        Gate::Freeze | Gate::Stop | Gate::Security | Gate::CheatCap | Gate::SpecDrift => {
            Owner::Human
        }
        Gate::Pipeline => match mode {
            Mode::Stepped => Owner::Human,
            Mode::Auto => Owner::Machine,
        },
        Gate::Mechanical => Owner::Machine,
        Gate::Review => match (header.is_guarded(), header.autonomy) {
            (Guard::Missing, _) => Owner::Refused,
            (Guard::Kept, Autonomy::Manual | Autonomy::Conservative) => Owner::Human,
            (Guard::Kept, Autonomy::Auto) => match (header.lane(lane), residue, evidence) {
                (Lane::Quick | Lane::Factory, OpenFindings::Empty, Completeness::Complete) => {
                    Owner::Machine
                }
                (Lane::Strict, _, _)
                | (_, OpenFindings::Left, _)
                | (_, _, Completeness::Incomplete) => Owner::Human,
            },
        },
    }
}

/// Whether a high risk comes with the lower autonomy it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The header keeps the rule.
    Kept,
    /// High risk, and no person would look.
    Missing,
}

impl Header {
    /// The lane of a task for which `asked` was asked: high risk leads to the strict one.
    pub fn lane(self, asked: Lane) -> Lane {
        match self.risk {
            Risk::High => Lane::Strict,
            Risk::Normal => asked,
        }
    }

    /// High risk needs a person at the gate.
    pub fn is_guarded(self) -> Guard {
        match (self.risk, self.autonomy) {
            (Risk::High, Autonomy::Auto) => Guard::Missing,
            (Risk::High, Autonomy::Manual | Autonomy::Conservative) | (Risk::Normal, _) => {
                Guard::Kept
            }
        }
    }
}

named! { Autonomy { Manual = "manual", Conservative = "conservative", Auto = "auto" } }

named! { Risk { Normal = "normal", High = "high" } }

/// The code of the refusal when a high risk runs at `auto`.
pub const UNGUARDED: &str = "unguarded_high_risk_auto";

#[cfg(test)]
mod tests {
    use super::*;

    const LANES: [Lane; 3] = [Lane::Quick, Lane::Factory, Lane::Strict];
    const RUNGS: [Autonomy; 3] = [Autonomy::Manual, Autonomy::Conservative, Autonomy::Auto];

    fn situations(gate: Gate) -> impl Iterator<Item = Situation> {
        let modes = [Mode::Auto, Mode::Stepped];
        let risks = [Risk::Normal, Risk::High];
        let left = [OpenFindings::Empty, OpenFindings::Left];
        let complete = [Completeness::Complete, Completeness::Incomplete];
        modes.into_iter().flat_map(move |mode| {
            LANES.into_iter().flat_map(move |lane| {
                RUNGS.into_iter().flat_map(move |autonomy| {
                    risks.into_iter().flat_map(move |risk| {
                        left.into_iter().flat_map(move |residue| {
                            complete.into_iter().map(move |evidence| {
                                let header = Header { autonomy, risk };
                                Situation { gate, mode, lane, header, residue, evidence }
                            })
                        })
                    })
                })
            })
        })
    }

    #[test]
    fn high_risk_leads_to_the_strict_lane_from_everywhere() {
        let at = |risk| Header { risk, ..Header::default() };
        assert!(Lane::ALL.into_iter().all(|lane| at(Risk::High).lane(lane) == Lane::Strict));
        assert!(Lane::ALL.into_iter().all(|lane| at(Risk::Normal).lane(lane) == lane));
    }

    /// Proves
    #[test]
    fn the_rungs_are_ordered_and_auto_is_where_one_starts() {
        assert!(
            Autonomy::Manual < Autonomy::Conservative && Autonomy::Conservative < Autonomy::Auto
        );
        assert_eq!(Header::default().autonomy, Autonomy::Auto);
        for rung in RUNGS {
            assert_eq!(serde_json::to_value(rung).unwrap(), rung.name());
        }
        assert!(serde_json::from_str::<Autonomy>("\"full\"").is_err());
    }

    /// Proves
    /// Proves in part: A-063
    #[test]
    fn the_run_opens_the_review_gate_in_one_case_only() {
        let mut opened = 0;
        for situation in situations(Gate::Review) {
            let Situation { lane, header, residue, evidence, .. } = situation;
            let all_hold = header.autonomy == Autonomy::Auto
                && header.risk == Risk::Normal
                && lane != Lane::Strict
                && residue == OpenFindings::Empty
                && evidence == Completeness::Complete;
            assert_eq!(gate_owner(situation) == Owner::Machine, all_hold, "{situation:?}");
            opened += usize::from(all_hold);
        }
        assert_eq!(opened, 4);
    }

    /// Proves
    #[test]
    fn high_risk_at_auto_is_refused_whatever_else_holds() {
        for situation in situations(Gate::Review) {
            let unguarded =
                situation.header == Header { autonomy: Autonomy::Auto, risk: Risk::High };
            assert_eq!(gate_owner(situation) == Owner::Refused, unguarded, "{situation:?}");
        }
        assert_eq!(UNGUARDED, "unguarded_high_risk_auto");
    }

    #[test]
    fn what_only_a_person_may_decide_is_a_persons_at_every_rung() {
        for gate in [Gate::Freeze, Gate::Stop, Gate::Security, Gate::CheatCap, Gate::SpecDrift] {
            assert!(situations(gate).all(|it| gate_owner(it) == Owner::Human), "{gate:?}");
        }
    }

    #[test]
    fn a_stepped_run_asks_at_the_gates_of_the_pipeline_and_nowhere_else() {
        for situation in situations(Gate::Pipeline) {
            let asks = situation.mode == Mode::Stepped;
            assert_eq!(gate_owner(situation) == Owner::Human, asks, "{situation:?}");
        }
        assert!(situations(Gate::Mechanical).all(|it| gate_owner(it) == Owner::Machine));
    }
}

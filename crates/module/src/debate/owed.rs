//! What a module is waiting for.

use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::Machine as _;

use super::vocabulary::{Effect, Want};
use super::{ModuleData, Stage};

impl ModuleData {
    pub(super) fn owed(&self, stage: &Stage) -> Vec<Effect> {
        let mut owed = vec![];
        let defects = || self.defects.clone();
        if let Stage::Building = stage {
            let slice = self.slice.as_ref().map_or(vec![], |slice| slice.owed());
            return slice.into_iter().map(|effect| Effect::Slice { effect }).collect();
        }
        let mut want = |attempt, want| {
            let (task, module) = (self.charter.task.clone(), self.charter.module.clone());
            let round = self.round_number();
            owed.push(Effect::Module { task, module, round, attempt, want });
        };
        if let Some(round) = self.round() {
            let (tree, attempt) = (round.tree, self.attempt);
            let amendments = || round.amendments().to_vec();
            let deliverable = round.deliverable();
            match stage {
                Stage::Proposing if self.to_mend.is_empty() => {
                    want(attempt, Want::Propose { tree, defects: defects() });
                }
                Stage::Proposing => {
                    let failures = self.to_mend.clone();
                    want(attempt, Want::Revise { tree, failures, defects: defects() });
                }
                Stage::Examining => want(attempt, Want::Examine { tree }),
                Stage::Challenging => {
                    want(attempt, Want::Challenge { tree, defects: defects() });
                    for probe in round.probes.iter().filter(|it| it.result.is_none()) {
                        let arguments = probe.arguments.clone();
                        want(probe.nth, Want::RunProbe { tree, arguments });
                    }
                }
                Stage::Adjudicating => want(attempt, Want::Adjudicate { tree, defects: defects() }),
                Stage::Amending => {
                    let amendments = amendments();
                    want(attempt, Want::Amend { tree, amendments, defects: defects() });
                }
                Stage::SeeingAmendments => {
                    let (before, after, amendments) = (tree, deliverable, amendments());
                    want(attempt, Want::SeeAmendments { before, after, amendments });
                }
                Stage::ReadingSurface => {
                    let (before, tree, amendments) = (tree, deliverable, amendments());
                    want(attempt, Want::ReadSurface { before, tree, amendments });
                }
                Stage::Testing => want(attempt, Want::RunTests { tree: deliverable }),
                Stage::Promoting => {
                    if let (Some(fingerprint), Some(log)) = (round.surface, round.log.clone()) {
                        want(attempt, Want::Promote { tree: deliverable, fingerprint, log });
                    }
                }
                Stage::Unborn
                | Stage::Building
                | Stage::Shipped { .. }
                | Stage::Halted { .. }
                | Stage::Abandoned => {}
            }
        }
        if let Some(standing) = self.standing(stage)
            && self.told < self.news
        {
            let news = self.news;
            want(news, Want::Tell { news, standing });
        }
        owed
    }
}

//! The proposal: what a builder claims of a deliverable, and the checks by which it may be disproved.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::Ref;
use serde::{Deserialize, Serialize};

use super::answer::{Defect, bounded_list, prose, read};

/// A builder's answer. Ids are minted by the machine, so it names none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProposalAnswer {
    pub claim: String,
    pub acceptance_checks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    pub proposal_id: String,
    /// The implementation artifact.
    pub target_artifact_id: String,
    pub claim: String,
    pub deliverable_ref: Ref,
    pub acceptance_checks: Vec<String>,
}

impl ProposalAnswer {
    /// Reads and checks an answer.
    pub fn read(text: &str) -> Result<Self, Vec<Defect>> {
        let answer: Self = read(text).map_err(|defect| vec![defect])?;
        let mut defects = vec![];
        prose("claim", &answer.claim, CLAIM_CHARS_MIN, &mut defects);
        let checks = &answer.acceptance_checks;
        if let Err(defect) = bounded_list("acceptance_checks", checks.len(), CHECKS_MAX) {
            return Err(vec![defect]);
        }
        if checks.is_empty() {
            let mend = "name at least one objective check";
            defects.push(Defect::new("acceptance_checks", "it is empty", mend));
        }
        for (nth, check) in checks.iter().enumerate() {
            let path = format!("acceptance_checks[{nth}]");
            prose(&path, check, CHECK_CHARS_MIN, &mut defects);
            if checks[..nth].contains(check) {
                defects.push(Defect::new(path, "it is there twice", "name each check once"));
            }
        }
        if defects.is_empty() { Ok(answer) } else { Err(defects) }
    }
}

const CLAIM_CHARS_MIN: usize = 20;
const CHECK_CHARS_MIN: usize = 10;
pub const CHECKS_MAX: usize = 64;

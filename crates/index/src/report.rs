//! The reuse search report: what was searched for, what was found, and why none of it was taken.

use sealwright_kernel::Ref;
use sealwright_kernel::pack::RefKind;
use serde::{Deserialize, Serialize};

use crate::entry::{ITEMS_MAX, PURPOSE_BYTES_MAX};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReuseSearchReport {
    pub query: String,
    pub candidates_considered: Vec<Candidate>,
    pub conclusion: Conclusion,
    pub justification: String,
    /// The planned module the search was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub module_ref: Ref,
    pub why_rejected: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Conclusion {
    ReuseExisting,
    CreateNew,
}

/// Why a report justifies nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidReport {
    #[error("{field} of the reuse search report is empty")]
    Empty { field: &'static str },
    #[error("{field} of the reuse search report is too long: at most {PURPOSE_BYTES_MAX} bytes")]
    TooLong { field: &'static str },
    #[error("too many candidates: at most {ITEMS_MAX}")]
    TooMany,
    #[error("the candidate {candidate} is not a module version")]
    NotAModule { candidate: Ref },
    #[error("the candidate {candidate} is rejected without a reason")]
    NoReason { candidate: Ref },
    #[error("`{module_id}` is not a module such as MM-limiter")]
    ModuleId { module_id: String },
}

impl ReuseSearchReport {
    pub fn check(&self) -> Result<(), InvalidReport> {
        for (field, text) in [("query", &self.query), ("justification", &self.justification)] {
            if text.trim().is_empty() {
                return Err(InvalidReport::Empty { field });
            }
            if text.len() > PURPOSE_BYTES_MAX {
                return Err(InvalidReport::TooLong { field });
            }
        }
        if self.candidates_considered.len() > ITEMS_MAX {
            return Err(InvalidReport::TooMany);
        }
        for Candidate { module_ref: candidate, why_rejected } in &self.candidates_considered {
            let candidate = candidate.clone();
            if candidate.kind() != RefKind::Module {
                return Err(InvalidReport::NotAModule { candidate });
            }
            if why_rejected.len() > PURPOSE_BYTES_MAX {
                return Err(InvalidReport::TooLong { field: "why_rejected" });
            }
            // The candidate that a REUSE_EXISTING report takes is not rejected.
            if self.conclusion == Conclusion::CreateNew && why_rejected.trim().is_empty() {
                return Err(InvalidReport::NoReason { candidate });
            }
        }
        if let Some(module_id) = &self.module_id {
            let named = Ref::new(&format!("{module_id}@0.0.0"));
            if !named.is_ok_and(|it| it.kind() == RefKind::Module) {
                let module_id = module_id.chars().take(SHOWN_MAX).collect();
                return Err(InvalidReport::ModuleId { module_id });
            }
        }
        Ok(())
    }
}

const SHOWN_MAX: usize = 80;

#[cfg(test)]
mod tests;

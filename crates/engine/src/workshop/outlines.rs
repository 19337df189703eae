//! Outlines: what stands in files of a task's candidate.

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::{Outline, Unread};

use super::cast::Cast;
use super::{Case, Trouble, Workshop};
use crate::gatehouse::Candidate;

impl<C: Cast> Workshop<C> {
    /// The outlines of these files of a candidate, as everything frozen lies over it, and of those that have none, why.
    pub(super) async fn outlines(
        &self,
        case: &Case,
        candidate: &Candidate,
        toolchain: Toolchain,
        paths: &[String],
    ) -> Result<(Vec<Outline>, Vec<Unread>), Trouble> {
        Ok(self.house.outlines(candidate, toolchain, paths, &case.cancel).await?)
    }
}

//! Honesty: what a candidate added, held against everything that was said about the task.

use sealwright_kernel::task::PartKind;

use super::bench::Bench;
use super::cast::Cast;
use super::{Case, Trouble, Workshop, judging};
use crate::gatehouse::honesty::Wanted;
use crate::gatehouse::{Candidate, Performed};

impl<C: Cast> Workshop<C> {
    /// Looks at what a candidate added.
    pub(super) async fn honesty(
        &self,
        case: &Case,
        bench: &Bench,
        candidate: &Candidate,
    ) -> Result<Performed, Trouble> {
        let said = self.said(case, bench).await?;
        let wanted = Wanted { said: &said, items: &bench.contract.items };
        let judgement =
            self.house.honesty(candidate, &bench.toolchains, &wanted, &case.cancel).await?;
        Ok(judging::said(judgement))
    }

    /// Everything that was said about what is wanted.
    async fn said(&self, case: &Case, bench: &Bench) -> Result<String, Trouble> {
        let mut said = case.criteria_text();
        said.push_str(&bench.contract.contract);
        let parts = case.known.bundle.iter().flat_map(|bundle| &bundle.parts);
        for one in parts.filter(|one| one.kind != PartKind::Contract) {
            said.push_str(&String::from_utf8_lossy(&self.blobs.find(&one.content).await?));
        }
        said.push_str(&String::from_utf8_lossy(&self.blobs.find(&case.known.charter.text).await?));
        Ok(said)
    }
}

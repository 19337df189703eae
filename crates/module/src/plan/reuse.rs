//! A reuse search report: what was searched for before a module was planned, and what came of it.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize};

use super::ReuseDecision;
use crate::contract::json::{Node, Problems, Reader, Tree};
use crate::contract::{MODULE_ID, MODULE_REF, PROSE};
use crate::contract::{ModuleId, ModuleRef};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReuseSearchReport {
    pub query: String,
    pub candidates_considered: Vec<Candidate>,
    pub conclusion: Conclusion,
    pub justification: String,
    /// The module of the plan that the search was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_id: Option<ModuleId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub module_ref: ModuleRef,
    pub why_rejected: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Conclusion {
    ReuseExisting,
    CreateNew,
}

impl ReuseSearchReport {
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        Self::of_tree(&Tree::parse(text, REPORT_BYTES_MAX)?)
    }

    fn of_tree(tree: &Tree) -> Result<Self, Problems> {
        let mut reader = Reader::default();
        let report = read(&mut reader, &Node::root(tree));
        reader.finish(report)
    }

    /// Whether the report comes to the decision of a plan.
    pub fn supports(&self, decision: ReuseDecision) -> bool {
        match decision {
            ReuseDecision::Reuse => self.conclusion == Conclusion::ReuseExisting,
            ReuseDecision::CreateNew => self.conclusion == Conclusion::CreateNew,
        }
    }
}

fn read(reader: &mut Reader, node: &Node<'_>) -> Option<ReuseSearchReport> {
    let known = ["query", "candidates_considered", "conclusion", "justification", "module_id"];
    let it = reader.fields(node, &known)?;
    let query = reader.need_text(&it, "query", PROSE);
    let candidates =
        reader.need_list(&it, "candidates_considered", CANDIDATES_MAX, |reader, node| {
            let it = reader.fields(node, &["module_ref", "why_rejected"])?;
            let module_ref = reader.need_parsed(&it, "module_ref", MODULE_REF);
            let why_rejected = reader.need_text(&it, "why_rejected", PROSE);
            Some(Candidate { module_ref: module_ref?, why_rejected: why_rejected? })
        });
    let conclusions =
        [("REUSE_EXISTING", Conclusion::ReuseExisting), ("CREATE_NEW", Conclusion::CreateNew)];
    let conclusion = reader.need_one_of(&it, "conclusion", &conclusions);
    let justification = reader.need_text(&it, "justification", PROSE);
    let module_id = it.optional("module_id").and_then(|it| reader.parsed(&it, MODULE_ID));
    Some(ReuseSearchReport {
        query: query?,
        candidates_considered: candidates?,
        conclusion: conclusion?,
        justification: justification?,
        module_id,
    })
}

impl<'de> Deserialize<'de> for ReuseSearchReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = Tree::deserialize(deserializer)?;
        Self::of_tree(&tree).map_err(|it| serde::de::Error::custom(it.to_string()))
    }
}

/// The most candidates of one report.
pub const CANDIDATES_MAX: usize = 64;
/// The largest report that is read.
pub const REPORT_BYTES_MAX: usize = 512 << 10;

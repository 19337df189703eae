//! The gate after Deploy: the live system works, and a person knows how to use, run and roll it back.

use serde::{Deserialize, Serialize};

use super::Evaluation;
use super::checks::{Checks, same};
use crate::markdown::Required;
use crate::{Tier, delivery};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeployFacts {
    pub tier: Option<Tier>,
    /// The criteria of the scope.
    pub criteria: Vec<String>,
    /// Whether the performer reached the target with its credentials before the deployment.
    pub remote_access: Option<bool>,
    /// Whether the registry accepted the credentials. A target without a registry counts as accepted.
    pub registry_credentials: Option<bool>,
    /// The required environment variables that are not set.
    pub missing_variables: Option<Vec<String>>,
    /// The rollback command, as it was recorded.
    pub rollback: Option<String>,
    /// Where the journal recorded the rollback command, and where the start of the deployment.
    pub rollback_recorded_at: Option<u64>,
    pub started_at: Option<u64>,
    /// The digest of the tree that was verified, and of the tree that was deployed.
    pub verified_tree: Option<String>,
    pub deployed_tree: Option<String>,
    /// Whether the deploy command ended well on the target.
    pub deployed: Option<bool>,
    /// Whether a request to the live system was answered.
    pub reachable: Option<bool>,
    /// Whether the answer was what the system should give.
    pub working: Option<bool>,
    /// Whether the system keeps data, from the data model of the scope.
    pub is_stateful: Option<bool>,
    /// Whether data outlived a restart of the live system.
    pub data_persists: Option<bool>,
}

/// `readme` and `delivery_text` are `README.md` and `DELIVERY.md`; `None` stands for a file that does not exist.
pub fn deploy(
    facts: &DeployFacts,
    readme: Option<&str>,
    delivery_text: Option<&str>,
) -> Evaluation {
    let mut checks = Checks::new("deploy facts");
    preflight(facts, &mut checks);
    let recorded = facts.rollback.as_ref().map(|it| !it.trim().is_empty());
    checks.check(
        "deploy.rollback",
        recorded,
        "the rollback command is empty",
        "record the exact rollback command",
    );
    let first =
        facts.rollback_recorded_at.zip(facts.started_at).map(|(rollback, start)| rollback < start);
    checks.check(
        "deploy.rollback-first",
        first,
        "the rollback command was recorded after the start",
        "record the rollback command before the deployment starts",
    );
    let is_same = same(facts.verified_tree.as_ref(), facts.deployed_tree.as_ref());
    checks.check(
        "deploy.tree",
        is_same,
        "another tree was deployed than was verified",
        "deploy the verified tree",
    );
    checks.check(
        "deploy.deployed",
        facts.deployed,
        "the deployment failed",
        "correct the cause and deploy again",
    );
    checks.check(
        "deploy.reachable",
        facts.reachable,
        "the live system is not reachable",
        "check the target and its network",
    );
    checks.check(
        "deploy.working",
        facts.working,
        "the live system does not work",
        "roll back or correct the cause",
    );
    checks.check(
        "deploy.data",
        data(facts),
        "data does not outlive a restart",
        "keep the data on a volume that persists",
    );
    documents(facts, readme, delivery_text, &mut checks);
    checks.finish()
}

fn preflight(facts: &DeployFacts, checks: &mut Checks) {
    checks.check(
        "deploy.remote-access",
        facts.remote_access,
        "the target cannot be accessed",
        "check the address and the key",
    );
    checks.check(
        "deploy.registry",
        facts.registry_credentials,
        "the registry refuses the credentials",
        "renew the credentials",
    );
    let missing =
        facts.missing_variables.as_ref().map(|it| it.iter().map(String::as_str).collect());
    checks.none_of(
        "deploy.environment",
        missing,
        "environment variables that are not set",
        "set them on the target",
    );
}

fn data(facts: &DeployFacts) -> Option<bool> {
    if facts.is_stateful? { facts.data_persists } else { Some(true) }
}

fn documents(facts: &DeployFacts, readme: Option<&str>, text: Option<&str>, checks: &mut Checks) {
    let found = delivery::readme(readme);
    let sections: Vec<&Required> = delivery::README_SECTIONS.iter().collect();
    checks.document(delivery::README_KEY, &sections, &[], found);
    let fix = "repair the section Quality Tier of scope.md; the delivery depends on it";
    checks.check("deploy.tier", facts.tier.map(|_| true), "", fix);
    // Without a tier the least is checked, and the condition above does not hold.
    let tier = facts.tier.unwrap_or(Tier::Shed);
    let found = delivery::delivery(text, tier, &facts.criteria, facts.rollback.as_deref());
    let wanted = delivery::SECTIONS.iter().filter(|(least, _)| tier >= *least);
    let sections: Vec<&Required> = wanted.map(|(_, it)| it).collect();
    checks.document(delivery::KEY, &sections, delivery::CONDITIONS, found);
}

#[cfg(test)]
mod tests;

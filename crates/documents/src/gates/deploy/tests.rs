use super::{DeployFacts, deploy};
use crate::Tier;
use crate::tests::{DELIVERY, README, each_breaks, failing, names};

fn deployed() -> DeployFacts {
    DeployFacts {
        tier: Some(Tier::Skyscraper),
        criteria: names(&["AC-1", "AC-2", "AC-3"]),
        remote_access: Some(true),
        registry_credentials: Some(true),
        missing_variables: Some(vec![]),
        rollback: Some("docker compose up -d linkwatch:41".into()),
        rollback_recorded_at: Some(40),
        started_at: Some(41),
        verified_tree: Some("sha256:1".into()),
        deployed_tree: Some("sha256:1".into()),
        deployed: Some(true),
        reachable: Some(true),
        working: Some(true),
        is_stateful: Some(true),
        data_persists: Some(true),
    }
}

/// Proves: L-109, L-114, L-115
/// Proves in part: L-110
#[test]
fn every_condition_of_the_deploy_gate_has_a_test() {
    let gate = |it: &DeployFacts| deploy(it, Some(README), Some(DELIVERY));
    each_breaks(
        &deployed(),
        gate,
        &[
            ("deploy.tier?", &|it| it.tier = None),
            ("deploy.remote-access", &|it| it.remote_access = Some(false)),
            ("deploy.remote-access?", &|it| it.remote_access = None),
            ("deploy.registry", &|it| it.registry_credentials = Some(false)),
            ("deploy.registry?", &|it| it.registry_credentials = None),
            ("deploy.environment", &|it| it.missing_variables = Some(names(&["LINKWATCH_HOST"]))),
            ("deploy.environment?", &|it| it.missing_variables = None),
            ("deploy.rollback?", &|it| it.rollback = None),
            ("deploy.rollback-first", &|it| it.rollback_recorded_at = Some(41)),
            ("deploy.rollback-first?", &|it| it.rollback_recorded_at = None),
            ("deploy.rollback-first?", &|it| it.started_at = None),
            ("deploy.tree", &|it| it.deployed_tree = Some("sha256:2".into())),
            ("deploy.tree?", &|it| it.verified_tree = None),
            ("deploy.deployed", &|it| it.deployed = Some(false)),
            ("deploy.deployed?", &|it| it.deployed = None),
            ("deploy.reachable", &|it| it.reachable = Some(false)),
            ("deploy.reachable?", &|it| it.reachable = None),
            ("deploy.working", &|it| it.working = Some(false)),
            ("deploy.working?", &|it| it.working = None),
            ("deploy.data", &|it| it.data_persists = Some(false)),
            ("deploy.data?", &|it| it.data_persists = None),
            ("deploy.data?", &|it| it.is_stateful = None),
            ("delivery.rollback", &|it| it.rollback = Some("git revert HEAD".into())),
        ],
    );
    let stateless = DeployFacts { is_stateful: Some(false), data_persists: None, ..deployed() };
    assert!(gate(&stateless).passes());
    assert_eq!(failing(&deploy(&deployed(), None, Some(DELIVERY)))[0], "readme.absent");
    assert_eq!(failing(&deploy(&deployed(), Some(README), None))[0], "delivery.absent");
    let empty = DeployFacts { rollback: Some(String::new()), ..deployed() };
    assert_eq!(failing(&gate(&empty)), ["deploy.rollback", "delivery.rollback"]);
}

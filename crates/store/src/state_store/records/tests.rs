use std::sync::Arc;

use object_store::memory::InMemory;
use serde_json::json;

use super::*;
use crate::state_store::StateTools;

/// Proves: F-STORE-018
/// Proves in part: F-CTX-001, F-CTX-003, F-ENV-025
#[tokio::test]
async fn a_record_is_checked_and_written_once_at_its_path() {
    let tools = store();
    let pack = json!({"context_pack_id": "CP-00000001",
        "created_for": {"role": "builder", "run_id": "INV-000001", "task_ref": "T-x"},
        "included_refs": [], "excluded_refs": [], "default_permission": "CONTRACT_ONLY",
        "created_at": "2026-11-15T08:15:47.000Z"});
    let records = [
        ("context_packs/CP-00000001.json", pack),
        ("exceptions/ICE-00000001.json", json!({"exception_id": "ICE-00000001"})),
        ("escalations/ESC-00000001.json", json!({"escalation_id": "ESC-00000001"})),
        ("releases/REL-00000001/manifest.json", json!({"release_id": "REL-00000001"})),
        ("debates/IMPL-00000001/round-1/proposal.json", json!({"proposal_id": "PROP-00000001"})),
        (
            "contributions/CONTRIB-1.json",
            json!({"contribution_id": "CONTRIB-1", "type": "CHALLENGE",
            "produced_by": {"role": "challenger", "run_id": "INV-000002"}, "artifact_ref": "CHAL-00000001@1.0.0",
            "task_ref": "T-x", "created_at": "2026-11-15T08:15:47.000Z", "context_pack_ref": "CP-00000001"}),
        ),
    ];
    for (path, record) in &records {
        let invalid: [Bytes; 3] = ["".into(), "[]".into(), "\u{1}".into()];
        for invalid in invalid {
            let refused = tools.write(path, invalid).await;
            assert!(matches!(refused, Err(StateStoreError::Invalid { .. })), "{path}: {refused:?}");
        }
        if !path.starts_with("debates") {
            let refused =
                tools.write(path, json!({"release_id": "REL-00000002"}).to_string().into()).await;
            assert!(matches!(refused, Err(StateStoreError::Invalid { .. })), "{path}: {refused:?}");
        }
        tools.write(path, record.to_string().into()).await.unwrap();
        for again in [record.to_string(), "{}".to_owned()] {
            let refused = tools.write(path, again.into()).await.unwrap_err();
            assert!(
                matches!(
                    refused,
                    StateStoreError::Immutable { .. } | StateStoreError::Invalid { .. }
                ),
                "{path}"
            );
        }
        assert!(tools.edit(path, "a", "b").await.is_err() && tools.delete(path).await.is_err());
        assert!(tools.rename(path, "releases/REL-00000009/manifest.json").await.is_err());
        assert_eq!(tools.read(path).await.unwrap().into_text(), record.to_string());
    }
    assert_eq!(tools.glob("**").await.unwrap().found.len(), records.len());
    for path in [
        "context_packs/x.json",
        "context_packs/CP-00000001",
        "debates/IMPL-00000001/round-0/proposal.json",
        "debates/IMPL-00000001/round-01/proposal.json",
        "debates/IMPL-00000001/round-100/proposal.json",
        "debates/MM-x/round-1/proposal.json",
        "debates/IMPL-00000001/round-1/notes.json",
        "releases/REL-x/manifest.json",
        "contributions/CONTRIB-A.json",
        "contributions/CONTRIB-.json",
        "exceptions/ESC-00000001.json",
    ] {
        let refused = tools.write(path, "{}".into()).await;
        assert!(matches!(refused, Err(StateStoreError::Unrouted { .. })), "{path}: {refused:?}");
    }
}

/// Proves: F-STORE-017
#[tokio::test]
async fn a_debate_is_open_until_it_is_adjudicated() {
    let tools = store();
    let write = async |round: u32, part: &str| {
        tools.write(&format!("debates/IMPL-00000001/round-{round}/{part}.json"), "{}".into()).await
    };
    write(1, "proposal").await.unwrap();
    write(1, "challenge").await.unwrap();
    write(2, "challenge").await.unwrap();
    // What was challenged does not change after the fact.
    assert!(matches!(write(2, "proposal").await, Err(StateStoreError::Immutable { .. })));
    write(3, "proposal").await.unwrap();
    write(3, "challenge").await.unwrap();
    write(3, "adjudication").await.unwrap();
    for (round, part) in [(4, "proposal"), (1, "adjudication"), (3, "challenge"), (99, "challenge")]
    {
        assert!(
            matches!(write(round, part).await, Err(StateStoreError::Immutable { .. })),
            "{round} {part}"
        );
    }
    let rounds = tools.glob("debates/IMPL-00000001/*/*.json").await.unwrap().found;
    assert_eq!(rounds.len(), 6, "{rounds:?}");
    tools.write("debates/IMPL-00000002/round-1/proposal.json", "{}".into()).await.unwrap();
}

fn store() -> StateTools<Records> {
    StateTools(Records::new(Objects::new(Arc::new(InMemory::new()))))
}

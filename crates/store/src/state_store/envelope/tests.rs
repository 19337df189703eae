use serde_json::{Value, json};

use super::*;
use crate::state_store::status::{Entitlement, allowed};

/// Proves: F-ENV-004, F-ENV-006
#[test]
fn there_are_13_types_each_with_its_prefix() {
    let names: Vec<_> = ArtifactType::ALL.map(|it| (it.name(), it.prefix())).into();
    let expected = [
        ("MICRO_PLAN", "MP"),
        ("CONTRACT", "CTR"),
        ("IMPLEMENTATION", "IMPL"),
        ("PROPOSAL", "PROP"),
        ("CHALLENGE", "CHAL"),
        ("ADJUDICATION", "ADJ"),
        ("SHIP_EVIDENCE", "SHIP"),
        ("ESCALATION", "ESC"),
        ("CONTEXT_PACK", "CP"),
        ("INTERFACE_CHANGE_EXCEPTION", "ICE"),
        ("REUSE_SEARCH_REPORT", "RSR"),
        ("PRODUCT_SPEC", "SPEC"),
        ("EXAMPLES", "EX"),
    ];
    assert_eq!(names, expected);
    for own in ArtifactType::ALL {
        assert_eq!(serde_json::to_value(own).unwrap(), own.name());
        for other in ArtifactType::ALL {
            let mut fields = fields();
            fields["artifact_type"] = json!(own.name());
            fields["artifact_id"] = json!(format!("{}-1a2b3c4d", other.prefix()));
            assert_eq!(read(&fields).is_ok(), own == other, "{own:?} {other:?}");
        }
    }
    assert!(serde_json::from_value::<ArtifactType>(json!("RELEASE")).is_err());
}

/// Proves: F-ENV-005
/// Proves in part: F-ENV-007
#[test]
fn an_id_is_a_prefix_and_eight_hex_digits_of_given_randomness() {
    for good in ["MP-00000000", "IMPL-1a2b3c4d", "EX-ffffffff", "SPEC-0a0b0c0d"] {
        assert_eq!(ArtifactId::new(good).unwrap().as_str(), good);
    }
    let bad = [
        "",
        "IMPL-",
        "IMPL-1a2b3c4",
        "IMPL-1a2b3c4d5",
        "IMPL-1A2B3C4D",
        "IMPL-1a2b3c4g",
        "impl-1a2b3c4d",
        "REL-1a2b3c4d",
        "MM-1a2b3c4d",
        "T-1a2b3c4d",
        "IMPL-1a2b3c4\u{661}",
        " IMPL-1a2b3c4d",
        "IMPL-1a2b3c4d@1.0.0",
    ];
    for text in bad {
        assert!(ArtifactId::new(text).is_err(), "{text}");
    }
    for artifact_type in ArtifactType::ALL {
        for randomness in [[0; 4], [0xff; 4], [0, 1, 0xab, 2]] {
            let id = ArtifactId::mint(artifact_type, randomness);
            assert_eq!(ArtifactId::new(id.as_str()), Ok(id.clone()));
            assert_eq!(id.artifact_type(), artifact_type);
        }
    }
    assert_eq!(
        ArtifactId::mint(ArtifactType::Escalation, [0, 1, 0xab, 2]).as_str(),
        "ESC-0001ab02"
    );
}

/// Proves: F-ENV-002, F-ENV-003, F-ENV-011
#[test]
fn an_envelope_is_read_strictly() {
    assert!(read(&fields()).is_ok());
    for name in fields().as_object().unwrap().keys() {
        let mut without = fields();
        without.as_object_mut().unwrap().remove(name);
        let is_optional = ["notes", "lineage_id", "body"].contains(&name.as_str());
        assert_eq!(read(&without).is_ok(), is_optional, "{name}");
    }
    let mut without = fields();
    without.as_object_mut().unwrap().remove("notes");
    assert_eq!(read(&without).unwrap().fields().notes, "");
    let bad = [
        ("version", json!("1.0")),
        ("version", json!("01.0.0")),
        ("version", json!("1.0.0-rc")),
        ("version", json!("\u{661}.0.0")),
        ("status", json!("SHIPPED")),
        ("status", json!("LOST")),
        ("created_by", json!({"role": "builder"})),
        ("created_by", json!({"run_id": "INV-000001"})),
        ("created_by", json!({"role": "nobody", "run_id": "INV-000001"})),
        ("inputs", json!([{"ref": "CTR-1a2b3c4d", "purpose": "built from"}])),
        ("inputs", json!([{"ref": "CTR-1a2b3c4d@1.0.0"}])),
        ("inputs", json!([{"ref": "CTR-1a2b3c4d@1.0.0", "purpose": " "}])),
        ("outputs", json!([{"ref": "CTR-1a2b3c4d", "purpose": "x"}])),
        ("context_pack_ref", json!("CP-x")),
        ("lineage_id", json!("CTR-1a2b3c4d")),
        ("extra", json!(1)),
        ("body", json!({"../x": sealwright_kernel::Digest::ZERO})),
        ("body", json!({"A": sealwright_kernel::Digest::ZERO})),
        ("created_at", json!("yesterday")),
    ];
    for (name, value) in bad {
        let mut other = fields();
        other[name] = value.clone();
        assert!(read(&other).is_err(), "{name}: {value}");
    }
}

#[test]
fn envelopes_are_bounded() {
    let link =
        |nth: usize, purpose: &str| json!({"ref": format!("MM-m{nth}@1.0.0"), "purpose": purpose});
    let links = |count| json!((0..count).map(|nth| link(nth, "x")).collect::<Vec<_>>());
    let body = |count| {
        let file = |nth: usize| (format!("f{nth}"), json!(Digest::ZERO));
        Value::Object((0..count).map(file).collect())
    };
    let edges = [
        ("notes", json!("n".repeat(NOTES_BYTES_MAX)), json!("n".repeat(NOTES_BYTES_MAX + 1))),
        ("inputs", links(LINKS_MAX), links(LINKS_MAX + 1)),
        (
            "outputs",
            json!([link(1, &"p".repeat(PURPOSE_BYTES_MAX))]),
            json!([link(1, &"p".repeat(PURPOSE_BYTES_MAX + 1))]),
        ),
        ("body", body(BODY_FILES_MAX), body(BODY_FILES_MAX + 1)),
    ];
    for (name, most, more) in edges {
        let mut envelope = fields();
        envelope[name] = most;
        assert!(read(&envelope).is_ok(), "{name}");
        envelope[name] = more;
        assert!(read(&envelope).is_err(), "{name}");
    }
    let mut twice = fields();
    twice["inputs"] = json!([link(1, "x"), link(1, "x")]);
    assert!(read(&twice).is_err());
}

/// Proves: F-ENV-013, F-ENV-019, F-ENV-020
#[test]
fn five_transitions_are_legal_and_only_for_what_is_debated() {
    let made = |it| Some(Entitlement::Made(it));
    for artifact_type in ArtifactType::ALL {
        let is_debated = ["CONTRACT", "IMPLEMENTATION", "EXAMPLES"].contains(&artifact_type.name());
        for from in Status::ALL {
            for to in Status::ALL {
                let expected = match (from.name(), to.name()) {
                    ("DRAFT", "CHALLENGED") => made(ArtifactType::Challenge),
                    ("CHALLENGED", "ADJUDICATED") | ("ADJUDICATED", "DRAFT") => {
                        made(ArtifactType::Adjudication)
                    }
                    ("ADJUDICATED", "SHIPPED") => made(ArtifactType::ShipEvidence),
                    ("SHIPPED", "DEPRECATED") => Some(Entitlement::Successor),
                    _ => None,
                };
                let expected = expected.filter(|_| is_debated);
                assert_eq!(
                    allowed(artifact_type, from, to),
                    expected,
                    "{artifact_type:?} {from} {to}"
                );
            }
        }
    }
    assert_eq!(Status::ALL.len(), 5);
}

/// Proves in part: F-ENV-024
#[test]
fn a_contribution_is_read_strictly() {
    let whole = json!({"contribution_id": "CONTRIB-1", "type": "CHALLENGE",
        "produced_by": {"role": "challenger", "run_id": "INV-000002"}, "artifact_ref": "CHAL-00000001@1.0.0",
        "task_ref": "T-x", "created_at": "2026-11-15T08:15:47.000Z", "context_pack_ref": "CP-00000001"});
    let read = |it: &Value| serde_json::from_value::<Contribution>(it.clone());
    assert!(read(&whole).is_ok());
    for name in whole.as_object().unwrap().keys() {
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(name);
        assert!(read(&without).is_err(), "{name}");
    }
    let types =
        ["CONTRACT", "MICRO_PLAN", "IMPLEMENTATION", "CHALLENGE", "ADJUDICATION", "SHIP_EVIDENCE"];
    for (name, is_type) in
        types.map(|it| (it, true)).into_iter().chain([("PROPOSAL", false), ("SPEC", false)])
    {
        let mut other = whole.clone();
        other["type"] = json!(name);
        assert_eq!(read(&other).is_ok(), is_type, "{name}");
    }
    for (name, value) in [
        ("task_ref", "x"),
        ("context_pack_ref", "CP-x"),
        ("artifact_ref", "CHAL-00000001"),
        ("more", "x"),
    ] {
        let mut other = whole.clone();
        other[name] = json!(value);
        assert!(read(&other).is_err(), "{name}");
    }
}

fn read(fields: &Value) -> Result<Envelope, serde_json::Error> {
    serde_json::from_value(fields.clone())
}

fn fields() -> Value {
    json!({
        "artifact_id": "IMPL-1a2b3c4d", "artifact_type": "IMPLEMENTATION", "version": "1.0.0", "status": "DRAFT",
        "created_at": "2026-11-15T08:15:47.000Z", "created_by": {"role": "builder", "run_id": "INV-000001"},
        "context_pack_ref": "CP-00000001", "inputs": [{"ref": "CTR-1a2b3c4d@1.0.0", "purpose": "built from"}],
        "outputs": [], "notes": "",
    })
}

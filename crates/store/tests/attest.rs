//! Envelopes and statements beside another implementation of the same standards.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use sealwright_kernel::{
    Artifact, Confinement, Cost, Digest, Evidence, EvidenceId, EvidenceRecord, Level, Seq, Source,
    TaskId, Timestamp, Verdict,
};
use sealwright_store::attest::{
    Envelope, Frozen, IN_TOTO, PrivateKey, PublicKey, RecordRef, Statement,
};
use serde_json::Value;

/// `fixtures/securesystemslib.json` was written by that library; its key is one that RFC 8032 publishes.
#[test]
fn an_envelope_that_another_implementation_signed_holds() {
    let fixture: Value =
        serde_json::from_str(include_str!("fixtures/securesystemslib.json")).unwrap();
    let key: PublicKey = serde_json::from_value(fixture["ed25519"].clone()).unwrap();
    let envelope = Envelope::from_any_form(fixture["envelope"].to_string().as_bytes()).unwrap();
    assert_eq!(envelope.key, key.id());
    assert_eq!(envelope.check(IN_TOTO, &key), Ok(()));
    // The same key signs the same payload to the same bytes here.
    let again = Envelope::sign(IN_TOTO, envelope.payload.clone(), &rfc8032());
    assert_eq!(again.signature, envelope.signature);
    let bent = Envelope { payload: [&envelope.payload[..], b" "].concat(), ..envelope };
    assert!(bent.check(IN_TOTO, &key).is_err());
}

/// `fixtures/ours.json` was checked with securesystemslib 1.6.0, and its payload read with in-toto-attestation.
#[test]
fn an_envelope_of_ours_is_the_one_that_another_implementation_checked() {
    let envelope = Envelope::sign(IN_TOTO, statement().to_bytes().unwrap(), &rfc8032());
    let recorded = include_bytes!("fixtures/ours.json");
    assert_eq!(String::from_utf8_lossy(&envelope.to_bytes()), String::from_utf8_lossy(recorded));
    let read = Envelope::from_bytes(recorded).unwrap();
    assert_eq!(read.check(IN_TOTO, &rfc8032().public()), Ok(()));
    insta::assert_snapshot!(String::from_utf8(read.payload).unwrap());
}

fn rfc8032() -> PrivateKey {
    let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
    let seed: Digest = seed.parse().unwrap();
    let hex = seed.hex();
    let byte = |nth: usize| {
        u8::from_str_radix(std::str::from_utf8(&hex[2 * nth..2 * nth + 2]).unwrap(), 16).unwrap()
    };
    PrivateKey::from_bytes(&std::array::from_fn(byte))
}

fn statement() -> Statement {
    let confinement = Confinement {
        level: Level::KernelIsolated,
        mechanism: "namespaces".to_owned(),
        facts: vec![],
        plan: Digest::of(b"plan"),
    };
    let argv = ["cargo", "test", "--", "élan \"quoted\""].map(str::to_owned).to_vec();
    let record = EvidenceRecord {
        id: EvidenceId::new(7),
        subject: "check-tests".to_owned(),
        verdict: Verdict::Pass,
        evidence: Evidence {
            tree: Digest::of(b"tree"),
            source: Source::Command { argv, exit: 0, confinement: Some(confinement) },
            output: Digest::of(b"output"),
            excerpt: "running 3 tests".to_owned(),
            artifacts: vec![Artifact {
                name: "tests.json".to_owned(),
                content: Digest::of(b"tests"),
            }],
            cost: Cost::default(),
        },
    };
    let task = TaskId::new("T-limits-0a1b2c").unwrap();
    let frozen = Frozen {
        item: Some(Digest::of(b"item")),
        contract: Some(Digest::of(b"contract")),
        tests: Some(Digest::of(b"tests")),
    };
    let place = RecordRef {
        stream: task.stream().clone(),
        seq: Seq::new(17),
        hash: Digest::of(b"record"),
        at: Timestamp::from_millis(1_700_000_000_000),
    };
    Statement::evidence(&task, &record, frozen, &place)
}

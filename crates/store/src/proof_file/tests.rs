use sealwright_kernel::{Actor, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::attest::{KeyId, Put};
use crate::{BlobRef, Blobs, Draft, Writer as _};

struct Kept {
    folder: tempfile::TempDir,
    task: TaskId,
    heads: Vec<Head>,
}

/// A stream of three records: the first names a list of files, the second content that is no text.
async fn kept() -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let journal = FileJournal::create(folder.path().join(".sealwright")).unwrap();
    let blobs = Blobs::local(journal.layout()).unwrap();
    let inside = blobs.put(&b"def test(): pass\n"[..]).await.unwrap();
    let list = json!([{"path": "tests/test_a.py", "sha256": inside.sha256}]).to_string();
    let list = blobs.put(list.into_bytes()).await.unwrap();
    let bytes = blobs.put(vec![0xff, 0, 0xfe]).await.unwrap();
    let task: TaskId = "T-a-001".parse().unwrap();
    let mut writer = journal.open_blocking(task.stream(), Head::START, &mut |_| Ok(())).unwrap();
    let mut heads = Vec::new();
    for (nth, blobs) in [vec![list], vec![bytes], vec![]].into_iter().enumerate() {
        heads.push(writer.append(draft(nth, blobs)).await.unwrap());
    }
    let kept = AttestationDir::of(journal.layout());
    let key: KeyId = "0".repeat(64).parse().unwrap();
    assert_eq!(kept.put_voucher(&key, b"a key").unwrap(), Put::Written);
    assert_eq!(kept.put_statement(&task, "gate-000003", b"signed").unwrap(), Put::Written);
    let other: TaskId = "T-b-001".parse().unwrap();
    assert_eq!(kept.put_statement(&other, "EV-000001", b"signed").unwrap(), Put::Written);
    Kept { folder, task, heads }
}

fn draft(nth: usize, blobs: Vec<BlobRef>) -> Draft {
    let at = Timestamp::from_millis(nth as u64);
    let (cause, events) = (Value::Null, vec![json!({ "nth": nth })]);
    Draft { at, actor: Actor::Machine, cause, events, blobs }
}

impl Kept {
    fn proof(&self, until: usize) -> ProofFile {
        let journal = FileJournal::at(self.folder.path().join(".sealwright"));
        ProofFile::of(&journal, &self.task, self.heads[until]).unwrap().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_reads_back_and_unpacks_to_records_that_hold() {
    let kept = kept().await;
    let proof = kept.proof(1);
    let bytes = proof.to_bytes();
    assert_eq!(ProofFile::from_bytes(&bytes).unwrap(), proof);
    assert_eq!(kept.proof(1).to_bytes(), bytes, "the same records give the same bytes");
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        proof.unpack(folder.path()).unwrap();
    }
    let journal = FileJournal::at(folder.path());
    let verified = crate::verify(&journal, &[], 1).unwrap();
    assert!(verified.findings.is_empty(), "{:?}", verified.findings);
    // Up to the record that is asked for, with the file in the list.
    assert_eq!((verified.records, verified.blobs + verified.strays), (2, 3));
    let names: Vec<&String> = proof.files.keys().collect();
    let key = format!("keys/{}.pub", "0".repeat(64));
    assert_eq!(names, [&key, "store/attestations/T-a-001/gate-000003.json"]);
    let longer = kept.proof(2).unpack(folder.path());
    assert!(matches!(longer, Err(ProofError::Differs { .. })), "{longer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_byte_is_refused_or_is_another_file() {
    let proof = kept().await.proof(2);
    let bytes = proof.to_bytes();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        match ProofFile::from_bytes(&changed) {
            Err(_) => {}
            Ok(read) => {
                // Only what is signed itself may read back otherwise.
                assert_eq!((&read.records, &read.blobs), (&proof.records, &proof.blobs), "{at}");
                assert_ne!(read.files, proof.files, "{at}");
            }
        }
    }
    for cut in 0..bytes.len() - 1 {
        let read = ProofFile::from_bytes(&bytes[..cut]);
        assert!(read.is_err() || read.is_ok_and(|it| it != proof), "{cut}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_writes_nowhere_but_into_its_own_places() {
    let proof = kept().await.proof(2);
    let text = String::from_utf8(proof.to_bytes()).unwrap();
    let names = [
        "keys/../../evil.pub",
        "/etc/evil.pub",
        "keys/a/b.pub",
        "keys/.pub",
        "journal/T-a-001/2.jsonl",
        "store/attestations/T-b-001/EV-000001.json",
        "store/attestations/T-a-001/../x.json",
        "briefs/edit.md",
    ];
    for name in names {
        let line = json!({"file": name, "text": "x"});
        let read = ProofFile::from_bytes(format!("{text}{line}\n").as_bytes());
        assert!(matches!(read, Err(ProofError::Form { .. })), "{name}");
    }
    for line in ["{}", "[]", "x", r#"{"file":"keys/a.pub"}"#, r#"{"blob":"x","text":""}"#] {
        assert!(ProofFile::from_bytes(format!("{text}{line}\n").as_bytes()).is_err(), "{line}");
    }
}

use object_store::memory::InMemory;
use sealwright_kernel::pack::{PackReader, sealed_message};
use sealwright_kernel::{Role, StreamId};

use super::*;
use crate::state_store::path::StorePath;
use crate::state_store::{Name, Reading, StateStore as _};

#[derive(Debug)]
struct NoSecrets;

impl BodyRules for NoSecrets {
    fn check(&self, _: ArtifactType, body: &BTreeMap<String, Bytes>) -> Result<(), String> {
        match body.values().any(|it| it == "invalid") {
            true => Err("it is invalid".to_owned()),
            false => Ok(()),
        }
    }
}

fn store() -> (Arc<InMemory>, Artifacts) {
    let memory = Arc::new(InMemory::new());
    (memory.clone(), Artifacts::new(Objects::new(memory), Arc::new(NoSecrets)))
}

fn new(artifact_type: ArtifactType, number: u32) -> NewArtifact {
    NewArtifact {
        artifact_type,
        randomness: number.to_be_bytes(),
        pillar: "core".to_owned(),
        supersedes: None,
        created_at: Timestamp::from_millis(1),
        created_by: by(),
        context_pack_ref: "CP-00000001".parse().unwrap(),
        inputs: vec![],
        outputs: vec![],
        notes: String::new(),
        body: BTreeMap::from([("body.json".to_owned(), Bytes::from("{}"))]),
    }
}

fn by() -> CreatedBy {
    CreatedBy {
        role: PackReader::Role(Role::Builder),
        run_id: StreamId::new("INV-000001").unwrap(),
    }
}

fn about(mut new: NewArtifact, target: &Envelope) -> NewArtifact {
    new.inputs.push(Link { reference: target.reference(), purpose: "judges it".to_owned() });
    new
}

fn to(artifact: &Envelope, to: Status, because: &Envelope) -> Transition {
    let (artifact, because) = (artifact.reference(), because.reference());
    Transition { artifact, to, because, by: by(), at: Timestamp::from_millis(2) }
}

async fn keys(memory: &InMemory) -> Vec<String> {
    let mut keys = Vec::new();
    let mut folders = vec![None];
    while let Some(folder) = folders.pop() {
        let found = memory.list_with_delimiter(folder.as_ref()).await.unwrap();
        keys.extend(found.objects.iter().map(|it| it.location.to_string()));
        folders.extend(found.common_prefixes.into_iter().map(Some));
    }
    keys.sort();
    keys
}

use object_store::ObjectStore as _;

/// Proves in part: F-STORE-021
#[tokio::test]
async fn an_artifact_is_checked_before_it_is_written_and_stands_at_its_path() {
    let (memory, store) = store();
    let mut invalid = new(ArtifactType::Proposal, 1);
    invalid.body.insert("a".to_owned(), "invalid".into());
    assert!(matches!(store.create(invalid).await, Err(ArtifactError::Body { .. })));
    let mut misnamed = new(ArtifactType::Proposal, 1);
    misnamed.body.insert("../a".to_owned(), "".into());
    assert!(matches!(store.create(misnamed).await, Err(ArtifactError::Envelope(_))));
    for pillar in ["", "..", "a/b", "A", "_x", &"x".repeat(65)] {
        let new = NewArtifact { pillar: pillar.to_owned(), ..new(ArtifactType::Proposal, 1) };
        assert!(matches!(store.create(new).await, Err(ArtifactError::Pillar { .. })), "{pillar}");
    }
    assert_eq!(keys(&memory).await, [""; 0]);
    let envelope = store.create(new(ArtifactType::Proposal, 1)).await.unwrap();
    assert_eq!(envelope.reference().to_string(), "PROP-00000001@1.0.0");
    let folder = "artifacts/core/PROP-00000001/1.0.0";
    for file in ["envelope.json", "body/body.json"] {
        let path = format!("{folder}/{file}");
        assert!(keys(&memory).await.contains(&path));
        assert!(matches!(
            store.read(&StorePath::new(&path).unwrap()).await,
            Ok(Reading::Content(_))
        ));
    }
    let edge = NewArtifact { pillar: "x".repeat(64), ..new(ArtifactType::Proposal, 2) };
    store.create(edge).await.unwrap();
    store
        .create(NewArtifact { pillar: "_project".to_owned(), ..new(ArtifactType::Proposal, 3) })
        .await
        .unwrap();
}

#[tokio::test]
async fn an_id_belongs_to_one_artifact() {
    let (memory, store) = store();
    let first = store.create(new(ArtifactType::Proposal, 1)).await.unwrap();
    let before = keys(&memory).await;
    assert_eq!(store.create(new(ArtifactType::Proposal, 1)).await.unwrap(), first);
    let other = NewArtifact { notes: "other".to_owned(), ..new(ArtifactType::Proposal, 1) };
    assert!(matches!(store.create(other).await, Err(ArtifactError::IdTaken { .. })));
    let elsewhere = NewArtifact { pillar: "infra".to_owned(), ..new(ArtifactType::Proposal, 1) };
    assert!(matches!(store.create(elsewhere).await, Err(ArtifactError::IdTaken { .. })));
    assert_eq!(keys(&memory).await, before);
}

/// Proves: F-ENV-012
#[tokio::test]
async fn versions_of_a_lineage_strictly_increase() {
    let (_, store) = store();
    let first = store.create(new(ArtifactType::Implementation, 1)).await.unwrap();
    let next = |number, before: &Envelope, version: &str| NewArtifact {
        supersedes: Some((before.reference(), Version::new(version).unwrap())),
        ..new(ArtifactType::Implementation, number)
    };
    let second = store.create(next(2, &first, "2.0.0")).await.unwrap();
    assert_eq!(second.lineage(), first.id());
    assert_ne!(second.id(), first.id());
    assert!(second.has_input(&first.reference()));
    for (number, before, version) in
        [(3, &second, "1.5.0"), (4, &first, "2.0.0"), (5, &first, "1.0.0")]
    {
        let refused = store.create(next(number, before, version)).await;
        assert!(matches!(refused, Err(ArtifactError::NotIncreasing { .. })), "{version}");
        let id = ArtifactId::mint(ArtifactType::Implementation, u32::to_be_bytes(number));
        let reference = id.at(Version::new(version).unwrap());
        assert!(store.find(&reference).await.unwrap().is_none());
    }
    let of_another_type = NewArtifact {
        supersedes: Some((first.reference(), Version::new("3.0.0").unwrap())),
        ..new(ArtifactType::Proposal, 6)
    };
    assert!(matches!(store.create(of_another_type).await, Err(ArtifactError::Unknown { .. })));
    // Of two at once that follow the same one, the lower is refused or stands before the higher.
    let (a, b) = tokio::join!(
        store.create(next(7, &second, "3.0.0")),
        store.create(next(8, &second, "3.0.0"))
    );
    assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
}

/// Proves: F-ENV-009, F-ENV-021
#[tokio::test]
async fn a_status_changes_by_the_table_and_an_entitling_artifact() {
    let (memory, store) = store();
    let target = store.create(new(ArtifactType::Implementation, 1)).await.unwrap();
    let make =
        async |kind, number, target| store.create(about(new(kind, number), target)).await.unwrap();
    let challenge = make(ArtifactType::Challenge, 2, &target).await;
    let adjudication = make(ArtifactType::Adjudication, 3, &target).await;
    let ship = make(ArtifactType::ShipEvidence, 4, &target).await;
    let of_another = make(ArtifactType::Challenge, 5, &ship).await;
    let before = keys(&memory).await;
    let refused = [
        (Status::Shipped, &ship),
        (Status::Adjudicated, &adjudication),
        (Status::Draft, &adjudication),
        (Status::Deprecated, &ship),
    ];
    for (status, because) in refused {
        match store.transition(&to(&target, status, because)).await {
            Err(ArtifactError::Illegal(it)) => {
                assert_eq!((it.from, it.to), (Status::Draft, status))
            }
            other => panic!("{status}: {other:?}"),
        }
    }
    for because in [&adjudication, &of_another, &ship] {
        let refused = store.transition(&to(&target, Status::Challenged, because)).await;
        assert!(matches!(refused, Err(ArtifactError::NotEntitled { .. })), "{refused:?}");
    }
    let mut unknown = to(&target, Status::Challenged, &challenge);
    unknown.because = "CHAL-ffffffff@1.0.0".parse().unwrap();
    assert!(matches!(store.transition(&unknown).await, Err(ArtifactError::Unknown { .. })));
    assert_eq!(keys(&memory).await, before);
    for (status, because) in [
        (Status::Challenged, &challenge),
        (Status::Adjudicated, &adjudication),
        (Status::Shipped, &ship),
    ] {
        let transition = to(&target, status, because);
        assert_eq!(store.transition(&transition).await.unwrap(), status);
        // A report that arrives twice changes nothing.
        assert_eq!(store.transition(&transition).await.unwrap(), status);
        let (found, current) = store.find(&target.reference()).await.unwrap().unwrap();
        assert_eq!((found, current), (target.clone(), status));
    }
    let next = NewArtifact {
        supersedes: Some((target.reference(), Version::new("1.0.1").unwrap())),
        ..new(ArtifactType::Implementation, 6)
    };
    let next = store.create(next).await.unwrap();
    let deprecation = to(&target, Status::Deprecated, &next);
    assert!(matches!(store.transition(&deprecation).await, Err(ArtifactError::NotEntitled { .. })));
    for (kind, number, status) in [
        (ArtifactType::Challenge, 7, Status::Challenged),
        (ArtifactType::Adjudication, 8, Status::Adjudicated),
        (ArtifactType::ShipEvidence, 9, Status::Shipped),
    ] {
        let because = make(kind, number, &next).await;
        store.transition(&to(&next, status, &because)).await.unwrap();
    }
    assert_eq!(store.transition(&deprecation).await.unwrap(), Status::Deprecated);
    // The source of what was shipped is sealed here as it is in the module; the engine still has it.
    let folder = StorePath::new("artifacts/core/IMPL-00000001/1.0.0").unwrap();
    for name in ["body.json", "not_there"] {
        let path = folder.join("body").unwrap().join(name).unwrap();
        let expected = Reading::Sealed(sealed_message(path.as_str()));
        assert_eq!(store.read(&path).await.unwrap(), expected);
    }
    assert_eq!(store.names(Some(&folder)).await.unwrap(), [Name::file("envelope.json")]);
    assert_eq!(store.names(Some(&folder.join("body").unwrap())).await.unwrap(), []);
    assert_eq!(store.body(&target.reference(), "body.json").await.unwrap(), "{}");
    let again = store.transition(&to(&target, Status::Draft, &adjudication)).await;
    assert!(matches!(again, Err(ArtifactError::Illegal(_))));
    assert_eq!(store.history(&target.reference()).await.unwrap().len(), 4);
}

#[tokio::test]
async fn of_two_transitions_at_once_the_second_meets_the_first() {
    let (_, store) = store();
    let target = store.create(new(ArtifactType::Contract, 1)).await.unwrap();
    let make = async |number| {
        store.create(about(new(ArtifactType::Challenge, number), &target)).await.unwrap()
    };
    let (a, b) = (make(2).await, make(3).await);
    let (first, second) =
        (to(&target, Status::Challenged, &a), to(&target, Status::Challenged, &b));
    let (a, b) = tokio::join!(store.transition(&first), store.transition(&second));
    let illegal = [a, b].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert!(
        matches!(illegal.as_slice(), [ArtifactError::Illegal(it)] if it.from == Status::Challenged),
        "{illegal:?}"
    );
    assert_eq!(store.history(&target.reference()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_changed_behind_the_store_is_not_shown() {
    use object_store::ObjectStoreExt as _;
    let (memory, store) = store();
    let envelope = store.create(new(ArtifactType::Proposal, 1)).await.unwrap();
    let folder = "artifacts/core/PROP-00000001/1.0.0";
    for file in ["body/body.json", "envelope.json"] {
        let path = format!("{folder}/{file}");
        memory.put(&path.as_str().into(), "{\"other\":1}".into()).await.unwrap();
        let read = store.read(&StorePath::new(&path).unwrap()).await;
        assert!(matches!(read, Err(StateStoreError::Damaged { .. })), "{read:?}");
    }
    let found = store.find(&envelope.reference()).await;
    assert!(matches!(found, Err(ArtifactError::Store(StateStoreError::Damaged { .. }))));
}

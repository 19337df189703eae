use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use object_store::memory::InMemory;
use sealwright_kernel::ContextPack;
use serde_json::json;

use super::*;
use crate::LeafKind;
use crate::state_store::{
    ArtifactType, Artifacts, BodyRules, ModuleTree, ModuleVersions, Objects, Records, StateTools,
};

/// A store that allows everything, so that a guard around it stands alone.
#[derive(Debug, Default)]
struct Permissive(Mutex<BTreeMap<String, Bytes>>);

impl Permissive {
    fn with(paths: &[&str]) -> Self {
        let entry = |it: &&str| ((*it).to_owned(), Bytes::from(format!("content of {it}")));
        Self(Mutex::new(paths.iter().map(entry).collect()))
    }

    fn files(&self) -> BTreeMap<String, Bytes> {
        self.0.lock().unwrap().clone()
    }
}

impl StateStore for Permissive {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        let found = self.files().get(path.as_str()).cloned().map(Reading::Content);
        found.ok_or_else(|| StateStoreError::NotFound { path: path.to_string() })
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        let prefix = folder.map(|it| format!("{it}/")).unwrap_or_default();
        let files = self.files();
        let rest = files.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<Name> = rest
            .map(|rest| match rest.split_once('/') {
                Some((folder, _)) => Name::folder(folder),
                None => Name::file(rest),
            })
            .collect();
        names.dedup();
        Ok(names)
    }

    async fn write(&self, path: &StorePath, content: Bytes) -> Result<(), StateStoreError> {
        self.0.lock().unwrap().insert(path.to_string(), content);
        Ok(())
    }

    async fn edit(
        &self,
        path: &StorePath,
        _: &str,
        new: &str,
    ) -> Result<EditResult, StateStoreError> {
        self.0.lock().unwrap().insert(path.to_string(), new.to_owned().into());
        Ok(EditResult::Edited)
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        self.0.lock().unwrap().remove(path.as_str());
        Ok(())
    }

    async fn rename(&self, from: &StorePath, to: &StorePath) -> Result<(), StateStoreError> {
        let mut files = self.0.lock().unwrap();
        let content = files.remove(from.as_str()).unwrap_or_default();
        files.insert(to.to_string(), content);
        Ok(())
    }
}

const MODULE: [&str; 6] = [
    "modules/MM-x/1.0.0/contract.json",
    "modules/MM-x/1.0.0/examples.md",
    "modules/MM-x/1.0.0/implementation/lib.rs",
    "modules/MM-x/1.0.0/internal.md",
    "modules/MM-x/1.0.0/ship.json",
    "modules/MM-x/1.0.0/tests/execution_log.json",
];

/// Proves: F-OPAQUE-001
/// Proves in part: F-OPAQUE-002
#[tokio::test]
async fn opaque_alone_answers_for_sealed_paths_with_the_one_message() {
    let store = StateTools(Opaque(Permissive::with(&MODULE)));
    let before = store.0.0.files();
    let spellings = [
        "modules/MM-x/1.0.0/implementation/lib.rs",
        "modules/MM-x/1.0.0/implementation",
        "modules/MM-x/1.0.0/tests/execution_log.json",
        "modules/MM-x/1.0.0/implementation/not_there.rs",
        "modules/MM-x/1.0.0/IMPLEMENTATION/lib.rs",
        "Modules/MM-x/1.0.0/Tests/x",
        "modules/MM-x/1.0.0/\u{ff49}mplementation/lib.rs",
        "modules/MM-x/1.0.0/te\u{17f}ts/x",
    ];
    for path in spellings {
        let message = format!(
            "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a closed-source \
             service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque \
             Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is \
             insufficient, raise an Interface Change Exception (§13)."
        );
        assert_eq!(store.read(path).await.unwrap(), Reading::Sealed(message.clone()));
        let edited = store.edit(path, "content", "other").await.unwrap();
        assert_eq!(edited, EditResult::Sealed(message.clone()));
        let public = MODULE[0];
        let refused = [
            store.write(path, Bytes::new()).await,
            store.delete(path).await,
            store.rename(path, "modules/out").await,
            store.rename(public, path).await,
        ];
        for refused in refused {
            assert_eq!(refused.unwrap_err().to_string(), message, "{path}");
        }
        assert_eq!(store.ls(Some(path)).await.unwrap().found, []);
    }
    assert_eq!(store.0.0.files(), before);
    assert!(matches!(store.read(MODULE[0]).await.unwrap(), Reading::Content(_)));
}

#[tokio::test]
async fn opaque_alone_leaves_sealed_entries_out_of_every_search() {
    let store = StateTools(Opaque(Permissive::with(&MODULE)));
    let public = ["contract.json", "examples.md", "internal.md", "ship.json"];
    let listed = store.ls(Some("modules/MM-x/1.0.0")).await.unwrap();
    assert_eq!(listed.found, public.map(Name::file));
    for pattern in ["**", "modules/*/*/**", "modules/**/*.*"] {
        let found = store.glob(pattern).await.unwrap().found;
        assert_eq!(found.len(), 4, "{pattern}: {found:?}");
    }
    for pattern in ["modules/*/*/implementation/**", "**/lib.rs", "**/tests/*"] {
        assert_eq!(store.glob(pattern).await.unwrap().found, [], "{pattern}");
    }
    let found = store.grep("content of", None, None).await.unwrap().found;
    assert_eq!(found.len(), 4, "{found:?}");
    let below = "modules/MM-x/1.0.0/implementation";
    assert_eq!(store.grep("content", Some(below), None).await.unwrap().found, []);
}

/// Proves: F-STORE-014
#[tokio::test]
async fn immutable_alone_lets_a_path_be_written_once() {
    let store = StateTools(Immutable(Permissive::with(&["artifacts/a"])));
    store.write("artifacts/b", "new".into()).await.unwrap();
    let before = store.0.0.files();
    let refused = [
        store.write("artifacts/a", "other".into()).await,
        store.write("artifacts/b", "new".into()).await,
        store.edit("artifacts/a", "content", "x").await.map(|_| ()),
        store.delete("artifacts/a").await,
        store.rename("artifacts/a", "artifacts/c").await,
        store.rename("artifacts/c", "artifacts/a").await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StateStoreError::Immutable { .. })), "{refused:?}");
    }
    assert_eq!((before.len(), store.0.0.files()), (2, before));
}

/// Proves: F-CTX-007
/// Proves in part: F-OPAQUE-003, F-CTX-002, F-CTX-006
#[tokio::test]
async fn a_pack_opens_the_files_of_its_permission_and_no_others() {
    let cases: [(&str, &[&str]); 4] = [
        ("", &["contract.json", "examples.md", "ship.json"]),
        ("CONTRACT_ONLY", &["contract.json", "examples.md", "ship.json"]),
        ("SUMMARY_ONLY", &["summary.json"]),
        ("METADATA_ONLY", &["metadata.json"]),
    ];
    for (permission, expected) in cases {
        let store = Permissive::with(&MODULE);
        let contract = StorePath::new(MODULE[0]).unwrap();
        store.write(&contract, CONTRACT.into()).await.unwrap();
        let included = match permission {
            "" => json!([]),
            it => json!([{"ref": "MM-x@1.0.0", "permission": it, "reason": "needed"}]),
        };
        let tools = StateTools(PackGuard::new(pack("builder", included, json!([])), store));
        let folder = "modules/MM-x/1.0.0";
        let listed = tools.ls(Some(folder)).await.unwrap().found;
        assert_eq!(listed, expected.iter().map(|it| Name::file(it)).collect::<Vec<_>>());
        let all = ["contract.json", "examples.md", "ship.json", "summary.json", "metadata.json"];
        for file in all.into_iter().chain(["internal.md", "contract.json/x", "Contract.json"]) {
            let read = tools.read(&format!("{folder}/{file}")).await;
            assert_eq!(read.is_ok(), expected.contains(&file), "{permission} {file}: {read:?}");
        }
        assert_eq!(tools.glob("**").await.unwrap().found.len(), expected.len());
        let sealed = tools.read(MODULE[2]).await.unwrap();
        assert!(matches!(sealed, Reading::Sealed(_)));
        assert!(tools.read("modules/MM-x/1.0.0").await.is_err());
    }
}

#[tokio::test]
async fn summaries_are_nested_and_made_from_the_contract() {
    let mut shown = Vec::new();
    for permission in ["METADATA_ONLY", "SUMMARY_ONLY"] {
        let store = Permissive::with(&MODULE);
        store.write(&StorePath::new(MODULE[0]).unwrap(), CONTRACT.into()).await.unwrap();
        let included = json!([{"ref": "MM-x@1.0.0", "permission": permission, "reason": "needed"}]);
        let tools = StateTools(PackGuard::new(pack("builder", included, json!([])), store));
        let file = tools.glob("**").await.unwrap().found.pop().unwrap();
        let text = tools.read(file.as_str()).await.unwrap().into_text();
        shown.push(serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }
    let metadata = json!({"module_id": "MM-x", "version": "1.0.0", "name": "X", "tags": ["a"], "status": "SHIPPED"});
    let mut summary = metadata.clone();
    let more = summary.as_object_mut().unwrap();
    more.insert("purpose".to_owned(), json!("limits"));
    more.insert("error_cases".to_owned(), json!(["over"]));
    let io = json!({"inputs": ["n: u8"], "outputs": ["ok: bool"], "error_surfaces": ["E: code"],
        "effects": ["WRITE disk"], "modes": ["sync"]});
    more.insert("io_summary".to_owned(), io);
    assert_eq!(shown, [metadata, summary]);
}

/// Proves: F-CTX-008
/// Proves in part: F-CTX-004
#[tokio::test]
async fn what_a_pack_withholds_does_not_exist_and_nothing_widens_it() {
    let files = [
        "modules/MM-x/1.0.0/contract.json",
        "modules/MM-y/1.0.0/contract.json",
        "context_packs/CP-00000001.json",
        "journal/project/1.jsonl",
        "artifacts/core/PROP-00000001/1.0.0/envelope.json",
        "artifacts/core/PROP-00000001/1.0.0/body/claim.md",
        "artifacts/core/CHAL-00000001/1.0.0/envelope.json",
        "artifacts/infra/CHAL-00000002/1.0.0/envelope.json",
    ];
    let excluded = json!([{"ref": "MM-x@1.0.0", "reason": "the judge must not know it"}]);
    let included = json!([{"ref": "PROP-00000001@1.0.0", "permission": "FULL", "reason": "own"}]);
    let guard = PackGuard::new(pack("challenger", included, excluded), Permissive::with(&files));
    let tools = StateTools(guard);
    let names = |found: crate::state_store::Found<Name>| -> Vec<String> {
        found.found.into_iter().map(|it| it.name).collect()
    };
    assert_eq!(names(tools.ls(None).await.unwrap()), ["artifacts", "modules"]);
    assert_eq!(names(tools.ls(Some("modules")).await.unwrap()), ["MM-y"]);
    assert_eq!(names(tools.ls(Some("modules/MM-x")).await.unwrap()), [""; 0]);
    assert_eq!(names(tools.ls(Some("artifacts")).await.unwrap()), ["core"]);
    assert_eq!(names(tools.ls(Some("artifacts/core")).await.unwrap()), ["PROP-00000001"]);
    assert_eq!(names(tools.ls(Some("context_packs")).await.unwrap()), [""; 0]);
    for path in ["modules/MM-x/1.0.0/contract.json", files[2], files[3], files[6], files[7]] {
        let refused = tools.read(path).await;
        assert!(matches!(refused, Err(StateStoreError::NotFound { .. })), "{path}: {refused:?}");
    }
    assert!(tools.read(files[5]).await.is_ok());
    for tried in
        ["/modules/MM-y/1.0.0/contract.json", "modules/../journal/project/1.jsonl", "modules//MM-y"]
    {
        assert!(matches!(tools.read(tried).await, Err(StateStoreError::BadPath(_))), "{tried}");
        assert!(
            tools.ls(Some(tried)).await.is_err() && tools.glob(tried).await.is_err(),
            "{tried}"
        );
    }
    let found = tools.glob("**").await.unwrap().found;
    assert_eq!(found.len(), 5, "{found:?}");
    let none = json!([]);
    let judge =
        StateTools(PackGuard::new(pack("arbiter", none.clone(), none), Permissive::with(&files)));
    assert_eq!(judge.glob("**").await.unwrap().found, []);
    assert!(judge.read("modules/MM-y/1.0.0/contract.json").await.is_err());
    let writes = [
        tools.write("modules/MM-y/1.0.0/contract.json", Bytes::new()).await,
        tools.write("context_packs/CP-00000002.json", Bytes::new()).await,
        tools.edit("artifacts/core/PROP-00000001/1.0.0/body/claim.md", "c", "d").await.map(|_| ()),
        tools.delete("context_packs/CP-00000001.json").await,
        tools.rename("context_packs/CP-00000001.json", "modules/x").await,
    ];
    assert!(
        writes.iter().all(|it| matches!(it, Err(StateStoreError::ReadOnly { .. }))),
        "{writes:?}"
    );
}

/// Proves: F-STORE-011, F-STORE-015, F-STORE-016
/// Proves in part: F-STORE-019
#[tokio::test]
async fn the_first_part_of_a_path_decides_who_answers() {
    let objects = Objects::new(Arc::new(InMemory::new()));
    let versions = ModuleVersions::new(objects.clone());
    let tree = sample_tree();
    let digest = tree.digest();
    versions.promote(&"MM-x@1.0.0".parse().unwrap(), tree, &digest).await.unwrap();
    let artifacts = Artifacts::new(objects.clone(), Arc::new(AnyBody));
    let records = Records::new(objects);
    let tools = StateTools(Composite::new(versions.clone(), artifacts, records));
    let read = |path: &'static str| tools.read(path);
    assert!(matches!(read(MODULE[0]).await, Ok(Reading::Content(_))));
    assert!(matches!(read(MODULE[2]).await, Ok(Reading::Sealed(_))));
    for path in [
        "code_index/entries.jsonl",
        "Code_Index/x",
        "journal/project",
        "project/state_machine.json",
        "product/spec.json",
        "workspaces/a",
    ] {
        assert!(matches!(read(path).await, Err(StateStoreError::ServiceOnly { .. })), "{path}");
        let listed = tools.ls(Some(path)).await;
        assert!(matches!(listed, Err(StateStoreError::ServiceOnly { .. })), "{path}");
    }
    for path in [
        "blobs/sha256/ab/cd",
        "module_names/mm-x.json",
        "lineages/x",
        "artifact_ids/x",
        "etc/passwd",
    ] {
        assert!(matches!(read(path).await, Err(StateStoreError::Unrouted { .. })), "{path}");
        let written = tools.write(path, Bytes::new()).await;
        assert!(matches!(written, Err(StateStoreError::Unrouted { .. })), "{path}");
    }
    // Behind every route that is kept here, a backend of its own refuses what only its service may write.
    for (path, by) in [
        ("modules/MM-x/2.0.0/contract.json", "promotion"),
        ("artifacts/core/x", "the artifact service"),
    ] {
        let written = tools.write(path, Bytes::new()).await;
        assert!(
            matches!(written, Err(StateStoreError::ServiceOnly { by: it, .. }) if it == by),
            "{path}"
        );
    }
    for path in ["modules/MM-x/1.0.0/contract.json", "modules/MM-x/1.0.0/implementation/lib.rs"] {
        assert!(tools.write(path, "x".into()).await.is_err() && tools.delete(path).await.is_err());
        assert!(tools.rename(path, "releases/REL-00000001/manifest.json").await.is_err());
        assert!(tools.rename("releases/REL-00000001/manifest.json", path).await.is_err());
    }
    let release = r#"{"release_id":"REL-00000001"}"#;
    tools.write("releases/REL-00000001/manifest.json", release.into()).await.unwrap();
    // Without the guards, the engine sees all five members.
    let folder = StorePath::new("modules/MM-x/1.0.0").unwrap();
    let all: Vec<String> =
        versions.names(Some(&folder)).await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(all.len(), 5, "{all:?}");
}

fn pack(role: &str, included: serde_json::Value, excluded: serde_json::Value) -> ContextPack {
    serde_json::from_value(json!({
        "context_pack_id": "CP-00000001",
        "created_for": {"role": role, "run_id": "INV-000001", "task_ref": "T-x"},
        "included_refs": included, "excluded_refs": excluded,
        "default_permission": "CONTRACT_ONLY", "created_at": "2026-11-15T08:15:47.000Z",
    }))
    .unwrap()
}

fn sample_tree() -> ModuleTree {
    let files =
        ["contract.json", "examples.md", "ship.json", "implementation/lib.rs", "tests/a.rs"];
    let file = |it: &str| (it.to_owned(), (Bytes::from(it.to_owned()), LeafKind::Plain));
    ModuleTree::new(files.map(file).into_iter().collect()).unwrap()
}

#[derive(Debug)]
struct AnyBody;

impl BodyRules for AnyBody {
    fn check(&self, _: ArtifactType, _: &BTreeMap<String, Bytes>) -> Result<(), String> {
        Ok(())
    }
}

const CONTRACT: &str = r#"{"module_id":"MM-x","module_version":"1.0.0","name":"X","purpose":"limits","tags":["a"],
"inputs":[{"name":"n","type":"u8"}],"outputs":[{"name":"ok","type":"bool"}],
"error_surfaces":[{"name":"E","when":"w","surface":"code"}],
"effects":[{"type":"WRITE","target":"disk","description":"d"}],
"modes":{"sync":true,"async":false,"notes":""},"error_cases":["over"]}"#;

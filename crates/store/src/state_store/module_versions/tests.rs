use object_store::ObjectStoreExt as _;
use object_store::memory::InMemory;

use super::*;

fn store() -> (Arc<InMemory>, ModuleVersions) {
    let memory = Arc::new(InMemory::new());
    (memory.clone(), ModuleVersions::new(Objects::new(memory)))
}

fn files(more: &[&str]) -> BTreeMap<String, (Bytes, LeafKind)> {
    let all = ["contract.json", "examples.md", "ship.json", "implementation/a.rs", "tests/a.rs"];
    let file = |it: &&str| ((*it).to_owned(), (Bytes::from((*it).to_owned()), LeafKind::Plain));
    all.iter().chain(more).map(file).collect()
}

fn tree(more: &[&str]) -> ModuleTree {
    ModuleTree::new(files(more)).unwrap()
}

async fn promote(
    store: &ModuleVersions,
    module: &str,
    tree: ModuleTree,
) -> Result<ModuleVersion, PromotionError> {
    let digest = tree.digest();
    store.promote(&module.parse().unwrap(), tree, &digest).await
}

#[test]
fn a_module_has_its_five_members_and_nothing_else() {
    for missing in files(&[]).keys() {
        let mut files = files(&[]);
        files.remove(missing);
        let refused = ModuleTree::new(files);
        assert!(matches!(refused, Err(PromotionError::Incomplete { .. })), "{missing}");
    }
    for stranger in [
        "README.md",
        "implementation",
        "Contract.json",
        "src/a.rs",
        "contract.json/a",
        "implementations/a",
    ] {
        let refused = ModuleTree::new(files(&[stranger]));
        assert!(matches!(refused, Err(PromotionError::Stranger { .. })), "{stranger}: {refused:?}");
    }
    for bad in [
        "tests/../a",
        "tests//a",
        "tests/a\\b",
        "tests/a:b",
        "tests/a.",
        "tests/u\u{308}",
        "tests/.git/a",
        "tests/./a",
    ] {
        assert!(ModuleTree::new(files(&[bad])).is_err(), "{bad}");
    }
    for collides in [
        ["tests/b", "tests/B"],
        ["tests/b", "tests/b/c"],
        ["tests/\u{fb01}", "tests/fi"],
        ["tests/x/a", "tests/X/b"],
    ] {
        let refused = ModuleTree::new(files(&collides));
        assert!(matches!(refused, Err(PromotionError::Collision { .. })), "{collides:?}");
    }
    let mut link = files(&[]);
    link.insert("tests/link".to_owned(), ("../implementation/a.rs".into(), LeafKind::Link));
    assert!(matches!(ModuleTree::new(link), Err(PromotionError::Stranger { .. })));
}

#[test]
fn trees_are_bounded() {
    let sized = |bytes: usize| {
        let mut files = files(&[]);
        files.insert("tests/b".to_owned(), (vec![0; bytes].into(), LeafKind::Plain));
        ModuleTree::new(files)
    };
    assert!(sized(FILE_BYTES_MAX).is_ok() && sized(FILE_BYTES_MAX + 1).is_err());
    let counted = |count: usize| {
        let names: Vec<String> =
            (files(&[]).len()..count).map(|it| format!("tests/f{it}")).collect();
        ModuleTree::new(files(&names.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    assert!(counted(FILES_MAX).is_ok() && counted(FILES_MAX + 1).is_err());
    let long = |bytes: usize| {
        format!("tests/{}/{}/{}", "a".repeat(200), "b".repeat(200), "c".repeat(bytes - 408))
    };
    assert!(ModuleTree::new(files(&[&long(PATH_BYTES_MAX)])).is_ok());
    assert!(ModuleTree::new(files(&[&long(PATH_BYTES_MAX + 1)])).is_err());
    let whole = |last: usize| {
        let mut files = files(&[]);
        let own: usize = files.values().map(|(content, _)| content.len()).sum();
        for nth in 0..31 {
            files
                .insert(format!("tests/f{nth}"), (vec![0; FILE_BYTES_MAX].into(), LeafKind::Plain));
        }
        files.insert(
            "tests/last".to_owned(),
            (vec![0; FILE_BYTES_MAX - own + last].into(), LeafKind::Plain),
        );
        ModuleTree::new(files)
    };
    assert!(whole(0).is_ok() && whole(1).is_err());
}

#[tokio::test]
async fn a_version_is_promoted_once_and_only_as_it_was_verified() {
    let (_, store) = store();
    let first = promote(&store, "MM-x@1.0.0", tree(&[])).await.unwrap();
    assert_eq!(promote(&store, "MM-x@1.0.0", tree(&[])).await.unwrap(), first);
    let other = promote(&store, "MM-x@1.0.0", tree(&["tests/b"])).await;
    assert!(
        matches!(other, Err(PromotionError::OtherContent { existing, .. }) if existing == first.tree)
    );
    let unverified = store.promote(&"MM-x@1.1.0".parse().unwrap(), tree(&[]), &Digest::ZERO).await;
    assert!(matches!(unverified, Err(PromotionError::OtherTree { .. })));
    let no_module =
        store.promote(&"PROP-00000001@1.0.0".parse().unwrap(), tree(&[]), &first.tree).await;
    assert!(matches!(no_module, Err(PromotionError::NotAModule { .. })));
    promote(&store, "MM-x@1.1.0", tree(&["tests/b"])).await.unwrap();
    for lower in ["MM-x@1.0.1", "MM-x@0.9.0"] {
        let refused = promote(&store, lower, tree(&["tests/c"])).await;
        assert!(matches!(refused, Err(PromotionError::NotIncreasing { .. })), "{lower}");
    }
    // The earlier one is still the same after a later one was shipped.
    assert_eq!(promote(&store, "MM-x@1.0.0", tree(&[])).await.unwrap(), first);
    assert_eq!(store.versions("MM-x").await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_module_has_one_spelling() {
    let (_, store) = store();
    promote(&store, "MM-Limiter@1.0.0", tree(&[])).await.unwrap();
    for other in ["MM-limiter@1.0.0", "MM-LIMITER@2.0.0"] {
        let refused = promote(&store, other, tree(&[])).await;
        assert!(
            matches!(refused, Err(PromotionError::OtherSpelling { ref existing }) if existing == "MM-Limiter"),
            "{refused:?}"
        );
    }
    let path = StorePath::new("modules/mm-limiter/1.0.0/contract.json").unwrap();
    assert!(matches!(store.read(&path).await, Err(StateStoreError::NotFound { .. })));
    promote(&store, "MM-Limiter2@1.0.0", tree(&[])).await.unwrap();
}

#[tokio::test]
async fn of_promotions_at_once_each_takes_one_place_and_order_holds() {
    let (_, store) = store();
    let promotions =
        ["MM-x@1.0.0", "MM-x@1.1.0", "MM-x@1.2.0"].map(|it| promote(&store, it, tree(&[])));
    let [a, b, c] = promotions;
    let ends = tokio::join!(a, b, c);
    let versions = store.versions("MM-x").await.unwrap();
    assert!(versions.is_sorted_by(|a, b| a.version() < b.version()));
    let shipped = [ends.0, ends.1, ends.2].iter().filter(|it| it.is_ok()).count();
    assert_eq!(versions.len(), shipped);
}

#[tokio::test]
async fn a_marker_that_contradicts_itself_is_no_version() {
    let (memory, store) = store();
    let version = promote(&store, "MM-x@1.0.0", tree(&[])).await.unwrap();
    let mut without_a_file = version.clone();
    without_a_file.files.remove("tests/a.rs");
    let mut open = version.clone();
    let leaf = open.files["implementation/a.rs"];
    open.files.insert("contract.json".to_owned(), leaf);
    let mut more = version.clone();
    more.files.insert("open.rs".to_owned(), leaf);
    more.tree = digest_of_leaves(&more.files);
    let again = version.marker();
    let texts = [without_a_file.marker(), open.marker(), more.marker(), "{}".into(), "".into()];
    for text in texts {
        memory.put(&"modules/MM-x/000001.json".into(), text.into()).await.unwrap();
        let read = ModuleVersions::new(Objects::new(memory.clone())).versions("MM-x").await;
        assert!(matches!(read, Err(StateStoreError::Damaged { .. })), "{read:?}");
    }
    memory.put(&"modules/MM-x/000001.json".into(), again.clone().into()).await.unwrap();
    for stranger in ["modules/MM-x/000003.json", "modules/MM-x/000002.json", "modules/MM-x/x"] {
        memory.put(&stranger.into(), again.clone().into()).await.unwrap();
        let read = ModuleVersions::new(Objects::new(memory.clone())).versions("MM-x").await;
        assert!(matches!(read, Err(StateStoreError::Damaged { .. })), "{stranger}: {read:?}");
        memory.delete(&stranger.into()).await.unwrap();
    }
    assert_eq!(
        *ModuleVersions::new(Objects::new(memory)).versions("MM-x").await.unwrap(),
        [version]
    );
}

use std::collections::BTreeSet;

use proptest::prelude::*;
use sealwright_kernel::Role;
use sealwright_kernel::pack::{Refused, sealed_message};
use serde_json::Value;

use super::*;
use crate::view::fixture::{CONTRACT, OPEN, SEALED, named, pack, request};
use crate::view::listing::{Held, ListedArtifact, ListedFile, ListedModule};
use crate::view::tree;
use sealwright_kernel::Fault;

#[test]
fn what_a_role_can_see_write_and_reach_is_drawn_as_a_tree() {
    let pack = pack(
        Role::Builder,
        &[
            (OPEN, Permission::Full),
            ("T-limits@1.0.0", Permission::Full),
            ("MM-old@2.0.0", Permission::MetadataOnly),
        ],
        &["MM-rival@1.0.0"],
    );
    let mut listing = listing(&[SEALED, "MM-old@2.0.0", "MM-rival@1.0.0"]);
    listing.artifacts.push(artifact("T-limits@1.0.0", "project/tasks/T-limits.md"));
    let work = work_tree(Hand::Builds);
    let brief = [schema("answer.json"), schema("schemas/proposal.json")];
    let request = Request {
        brief: &brief,
        work: Some(&work),
        network: Network::Egress,
        ..request(&pack, &listing)
    };
    insta::assert_snapshot!(tree(&lay_out(&request).unwrap()), @"
    CP-1a2b3c4d for builder, T-limits
    ├── /work  MM-open@0.1.0, read-write, a private copy
    ├── /modules  read-only
    │   ├── MM-old@2.0.0  METADATA_ONLY
    │   │   └── metadata.json  129 bytes, written for this run
    │   └── MM-sealed@1.0.0  CONTRACT_ONLY
    │       ├── contract.json  10 bytes
    │       ├── examples.md  10 bytes
    │       └── ship.json  10 bytes
    ├── /brief  read-only
    │   ├── schemas
    │   │   └── proposal.json  2 bytes, written for this run
    │   ├── T-limits@1.0.0.md  10 bytes
    │   └── answer.json  2 bytes, written for this run
    ├── /home/role  private, gone afterwards
    └── /tmp  private, gone afterwards
    reaches: the egress proxy at 127.0.0.1:3128, and nothing else
    withheld: MM-rival@1.0.0: no part of the task
    ");
}

/// Proves in part: F-CTX-007
#[test]
fn a_contract_is_exactly_three_files() {
    let pack = pack(Role::Builder, &[], &[]);
    assert_eq!(
        places(&pack, &listing(&[SEALED])),
        [
            "/modules/MM-sealed@1.0.0/contract.json",
            "/modules/MM-sealed@1.0.0/examples.md",
            "/modules/MM-sealed@1.0.0/ship.json",
        ]
    );
}

/// Proves in part: F-OPAQUE-001, F-OPAQUE-002, F-OPAQUE-003
#[test]
fn even_full_shows_no_more_of_a_sealed_module_than_its_contract() {
    let pack = pack(Role::Verifier, &[(SEALED, Permission::Full)], &[]);
    let listing = listing(&[SEALED]);
    let work = WorkTree { module: named(SEALED), ..work_tree(Hand::Tries) };
    let layout = lay_out(&Request { work: Some(&work), ..request(&pack, &listing) }).unwrap();
    let names = layout.entries().iter().map(|entry| entry.at().rsplit('/').next().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["contract.json", "examples.md", "ship.json"]);
}

#[test]
fn a_summary_and_metadata_tell_what_the_contract_tells_and_less() {
    let told = |permission| {
        let pack = pack(Role::Builder, &[(SEALED, permission)], &[]);
        let listing = listing(&[SEALED]);
        let layout = lay_out(&request(&pack, &listing)).unwrap();
        let [entry] = layout.entries() else { panic!("one file stands for the module") };
        let Content::Synthesized { bytes } = entry.content() else { panic!("it is written here") };
        (entry.at().to_owned(), serde_json::from_slice::<Value>(bytes).unwrap())
    };
    let (at, metadata) = told(Permission::MetadataOnly);
    assert_eq!(at, "/modules/MM-sealed@1.0.0/metadata.json");
    let expected = serde_json::json!({
        "id": "MM-sealed", "version": "1.0.0", "name": "limiter", "status": "SHIPPED", "tags": ["rate", "tenant"],
    });
    assert_eq!(metadata, expected);

    let (at, summary) = told(Permission::SummaryOnly);
    assert_eq!(at, "/modules/MM-sealed@1.0.0/summary.json");
    let mut expected = expected;
    expected["purpose"] = "limits rates".into();
    expected["io_summary"] = serde_json::json!({
        "inputs": ["tenant: string"], "outputs": ["allowed: bool"], "error_surfaces": ["UnknownTenant"],
        "effects": ["WRITE counters"], "modes": ["sync"],
    });
    expected["error_cases"] = serde_json::json!(["unknown tenant"]);
    assert_eq!(summary, expected);

    // All words of the lesser are in the greater, and the greater has more.
    let words = |value: &Value| {
        let text = value.to_string();
        let words = text.split(|it: char| !it.is_alphanumeric()).map(str::to_owned);
        words.collect::<BTreeSet<String>>()
    };
    assert!(words(&metadata).is_subset(&words(&summary)) && words(&metadata) != words(&summary));
    let mut contract = words(&serde_json::from_str(CONTRACT).unwrap());
    // The names of fields, and the state of a module, which the index tells.
    contract.extend(["id", "version", "status", "SHIPPED", "io", "summary"].map(str::to_owned));
    assert!(words(&summary).is_subset(&contract) && words(&summary) != contract);
}

#[test]
fn a_module_without_one_of_its_three_files_is_not_shown_in_part() {
    let pack = pack(Role::Builder, &[], &[]);
    let mut listing = listing(&[SEALED]);
    listing.modules[0].files.retain(|file| file.path != "examples.md");
    // A name that only looks like it does not stand in for it.
    listing.modules[0].files.push(file("Examples.md"));
    let refused = lay_out(&request(&pack, &listing)).unwrap_err();
    assert!(matches!(refused, ViewError::Incomplete { file: "examples.md", .. }), "{refused}");
}

#[test]
fn what_the_pack_grants_and_the_store_lacks_is_said() {
    for reference in ["MM-nowhere@1.0.0", "T-limits@1.0.0"] {
        let pack = pack(Role::Builder, &[(reference, Permission::ContractOnly)], &[]);
        let refused = lay_out(&request(&pack, &listing(&[SEALED]))).unwrap_err();
        assert!(matches!(refused, ViewError::NotInStore { .. }), "{refused}");
    }
}

/// Proves in part: B-003, B-006
#[test]
fn only_a_builder_is_given_a_tree_to_write() {
    for role in [Role::Scout, Role::RefuteReader, Role::Reviewer, Role::Verifier, Role::Reconciler]
    {
        let pack = pack(role, &[(OPEN, Permission::Full)], &[]);
        let listing = listing(&[]);
        let access = |hand| {
            let work = work_tree(hand);
            let layout = lay_out(&Request { work: Some(&work), ..request(&pack, &listing) })?;
            Ok::<_, ViewError>(layout.work().unwrap().access)
        };
        assert!(matches!(access(Hand::Builds), Err(ViewError::NotAWriter { .. })), "{role:?}");
        assert_eq!(access(Hand::Tries).unwrap(), Access::CopyOnWrite);
        assert_eq!(access(Hand::Reads).unwrap(), Access::ReadOnly);
    }
}

#[test]
fn a_tree_goes_with_the_module_the_pack_opens_and_with_no_other() {
    let listing = listing(&[]);
    let work = work_tree(Hand::Builds);
    let closed = pack(Role::Builder, &[], &[]);
    let refused = lay_out(&Request { work: Some(&work), ..request(&closed, &listing) });
    assert!(matches!(refused, Err(ViewError::NotGranted { .. })));

    let other = pack(Role::Builder, &[("MM-other@1.0.0", Permission::Full)], &[]);
    let refused = lay_out(&Request { work: Some(&work), ..request(&other, &listing) });
    assert!(matches!(refused, Err(ViewError::NotGranted { .. })));
    let refused = lay_out(&request(&other, &listing));
    assert!(matches!(refused, Err(ViewError::NoWorkTree { .. })));
}

/// Proves in part: F-CTX-015, F-CTX-019
#[test]
fn a_text_is_given_only_to_whom_its_kind_is_for() {
    let text = |input| Brief { input, name: "text.md".to_owned(), bytes: b"text".to_vec() };
    let given = |role, input| {
        let (pack, listing) = (pack(role, &[], &[]), listing(&[]));
        let brief = [text(input)];
        lay_out(&Request { brief: &brief, ..request(&pack, &listing) }).map(|_| ())
    };
    assert!(given(Role::Challenger, InputKind::EvaluationRubric).is_ok());
    for (role, input) in [
        (Role::Builder, InputKind::EvaluationRubric),
        (Role::Arbiter, InputKind::EvaluationRubric),
        (Role::Challenger, InputKind::TaskFile),
        (Role::Challenger, InputKind::ImplementationSource),
        (Role::Arbiter, InputKind::Workspace),
        (Role::Scout, InputKind::Records),
    ] {
        let refused = given(role, input).unwrap_err();
        assert!(matches!(refused, ViewError::Pack(Refused::Never { .. })), "{refused}");
    }
    let refused = given(Role::Builder, InputKind::ChallengeFailures).unwrap_err();
    assert!(matches!(refused, ViewError::Pack(Refused::NotNow { .. })), "{refused}");
    // Source comes as a tree, also for those who may see it.
    for input in [InputKind::ImplementationSource, InputKind::Workspace] {
        let refused = given(Role::Builder, input).unwrap_err();
        assert!(matches!(refused, ViewError::AsText { .. }), "{refused}");
    }
}

#[test]
fn an_artifact_comes_from_the_rooms_of_artifacts_and_nowhere_else() {
    let from = |path: &str| {
        let pack = pack(Role::Builder, &[("T-limits@1.0.0", Permission::Full)], &[]);
        let mut listing = listing(&[]);
        listing.artifacts.push(artifact("T-limits@1.0.0", path));
        lay_out(&request(&pack, &listing)).map(|layout| layout.entries()[0].at().to_owned())
    };
    assert_eq!(from("project/tasks/T-limits.md").unwrap(), "/brief/T-limits@1.0.0.md");
    assert_eq!(
        from("artifacts/_project/x/1.0.0/body/noname").unwrap(),
        "/brief/T-limits@1.0.0.txt"
    );
    for path in [
        "modules/MM-sealed/1.0.0/contract.json",
        "workspaces/T-x/MM-a/attempt-1/src/lib.rs",
        "journal/project/1.jsonl",
        "context_packs/CP-1a2b3c4d.json",
        "code_index/entries.jsonl",
        "Project/tasks/T-limits.md",
        "project",
    ] {
        assert!(matches!(from(path), Err(ViewError::Room { .. })), "{path}");
    }
    for path in [
        "artifacts/x/implementation/lib.rs",
        "artifacts/x/Implementation/lib.rs",
        "artifacts/x/TESTS/t.rs",
        "artifacts/x/tests./t.rs",
        "modules/MM-sealed/1.0.0/implementation/lib.rs",
    ] {
        let refused = from(path).unwrap_err();
        assert_eq!(refused.hint(), Some(sealed_message(path)), "{refused}");
    }
    for (path, fault) in [
        ("artifacts/../modules/MM-sealed/1.0.0/implementation/lib.rs", Fault::Climbs),
        ("/etc/passwd", Fault::Absolute),
        ("artifacts/.git/config", Fault::Repository),
        ("artifacts/x\0.md", Fault::Control),
        ("artifacts/\u{1b}[2J.md", Fault::Control),
    ] {
        assert!(matches!(from(path), Err(ViewError::Name(bad)) if bad.fault == fault), "{path}");
    }
}

#[test]
fn nothing_stands_where_something_else_stands() {
    let crowded = |names: [&str; 2]| {
        let (pack, listing) = (pack(Role::Builder, &[], &[]), listing(&[]));
        let brief = names.map(schema);
        lay_out(&Request { brief: &brief, ..request(&pack, &listing) }).map(|_| ())
    };
    assert!(crowded(["a.json", "ab.json"]).is_ok());
    for names in
        [["a.json", "a.json"], ["a.json", "A.JSON"], ["a", "a/b"], ["a/b/c", "a/b"], ["A/b", "a"]]
    {
        assert!(matches!(crowded(names), Err(ViewError::Crowded { .. })), "{names:?}");
    }
}

#[test]
fn a_view_is_bounded() {
    let pack = pack(Role::Builder, &[], &[]);
    let mut large = listing(&[SEALED]);
    large.modules[0].files[0].bytes = 8 << 20;
    assert!(lay_out(&request(&pack, &large)).is_ok());
    large.modules[0].files[0].bytes += 1;
    let refused = lay_out(&request(&pack, &large)).unwrap_err();
    assert!(matches!(refused, ViewError::TooMuch { what: "bytes in a file to read", .. }));

    let names: Vec<String> = (0..5461).map(|nth| format!("MM-{nth}@1.0.0")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let many = listing(&names);
    assert!(lay_out(&request(&pack, &many)).is_ok());
    let more: Vec<&str> = names.into_iter().chain(["MM-more@1.0.0"]).collect();
    let refused = lay_out(&request(&pack, &listing(&more))).unwrap_err();
    assert!(matches!(refused, ViewError::TooMuch { what: "files to read", .. }));
}

#[test]
fn a_step_that_no_role_takes_has_no_view() {
    let mut draft: sealwright_kernel::pack::Draft = pack(Role::Builder, &[], &[]).into();
    draft.created_for.role = PackReader::Orchestrator;
    let pack = ContextPack::new(draft).unwrap();
    assert!(matches!(lay_out(&request(&pack, &listing(&[]))), Err(ViewError::NoRole)));
}

proptest! {
    /// Whatever a pack grants and a listing claims: nothing sealed is in a layout, nothing leaves its room, and
    /// what the pack withholds is not there.
    ///
    /// Proves in part: F-OPAQUE-001, F-OPAQUE-002, F-OPAQUE-003
    #[test]
    fn nothing_sealed_is_ever_laid_out(
        role in prop::sample::select(Role::ALL.to_vec()),
        permission in prop::sample::select(Permission::ALL.to_vec()),
        excluded in any::<bool>(),
        files in prop::collection::vec(hostile_path(), 0..6),
        stored in prop::option::of(hostile_path()),
        extension in prop::option::of(hostile_path()),
        text in prop::option::of(hostile_path()),
        input in prop::option::of(prop::sample::select(InputKind::ALL.to_vec())),
    ) {
        let sight = sealwright_kernel::pack::sight(role, InputKind::of(&named(SEALED), permission));
        let included: &[(&str, Permission)] =
            if sight.most().is_some() && !excluded { &[(SEALED, permission)] } else { &[] };
        let excluded: &[&str] = if excluded { &[SEALED] } else { &[] };
        let task = ("T-limits@1.0.0", Permission::Full);
        let is_task_reader = sealwright_kernel::pack::sight(role, InputKind::TaskFile).most().is_some();
        let included: Vec<_> =
            included.iter().copied().chain(is_task_reader.then_some(task)).collect();
        let pack = pack(role, &included, excluded);
        let mut listing = listing(&[SEALED]);
        listing.modules[0].files.extend(files.iter().map(|path| file(path)));
        let stored = stored.unwrap_or_else(|| "project/tasks/T-limits.md".to_owned());
        let mut artifact = artifact("T-limits@1.0.0", &stored);
        if let Some(extension) = extension {
            artifact.content = Held::Here { extension, bytes: b"here".to_vec() };
        }
        listing.artifacts.push(artifact);
        let input = input.unwrap_or(InputKind::AnswerSchema);
        let brief: Vec<Brief> =
            text.map(|name| Brief { input, name, bytes: b"text".to_vec() }).into_iter().collect();
        let work = WorkTree { module: named(SEALED), ..work_tree(Hand::Tries) };
        let is_open = pack.open_module().is_some();
        let request =
            Request { brief: &brief, work: is_open.then_some(&work), ..request(&pack, &listing) };
        let Ok(layout) = lay_out(&request) else { return Ok(()) };
        for entry in layout.entries() {
            let parts: Vec<String> = entry.at().split('/').skip(1).map(str::to_lowercase).collect();
            prop_assert!(parts[0] == "modules" || parts[0] == "brief", "{}", entry.at());
            prop_assert!(!parts.iter().any(|part| part.is_empty() || part == ".." || part == "."));
            prop_assert!(!parts.iter().any(|part| part.contains('\0') || part == ".git"));
            prop_assert!(!parts.iter().any(|part| part == "implementation" || part == "tests"));
            if let Content::Copied { from, .. } = entry.content() {
                let parts: Vec<String> = from.parts().map(str::to_lowercase).collect();
                prop_assert!(!parts.iter().any(|part| part == "implementation" || part == "tests"));
                prop_assert!(!parts.iter().any(|part| part == ".." || part == ".git"));
                let is_surface = ["contract.json", "examples.md", "ship.json"].contains(&parts[parts.len() - 1].as_str());
                prop_assert!(parts[0] != "modules" || (parts.len() == 4 && is_surface), "{from}");
            }
            let is_of_module = entry.at().starts_with("/modules/");
            prop_assert!(!is_of_module || pack.permission_of(&named(SEALED)) != Visibility::Withheld);
        }
    }
}

/// Paths as somebody would write them who wants to see more.
fn hostile_path() -> impl Strategy<Value = String> {
    let parts = [
        "modules",
        "MM-sealed",
        "1.0.0",
        "implementation",
        "Implementation",
        "tests",
        "TESTS",
        "lib.rs",
        "..",
        ".",
        "",
        "contract.json",
        "Contract.json",
        "artifacts",
        "project",
        ".git",
        "a\0b",
        "\u{1b}[2J",
        "x",
        "~",
        "implementation\u{200c}",
        "workspaces",
        "journal",
    ];
    let part = prop::sample::select(parts.to_vec());
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

fn places(pack: &ContextPack, listing: &Listing) -> Vec<String> {
    let layout = lay_out(&request(pack, listing)).unwrap();
    layout.entries().iter().map(|entry| entry.at().to_owned()).collect()
}

/// Modules as the store has them: with what is sealed, and with things nobody should find.
fn listing(references: &[&str]) -> Listing {
    let module = |reference: &&str| ListedModule {
        reference: named(reference),
        status: "SHIPPED".to_owned(),
        files: [
            "contract.json",
            "examples.md",
            "ship.json",
            "implementation/lib.rs",
            "tests/all.rs",
            ".git/HEAD",
        ]
        .map(file)
        .to_vec(),
        contract: CONTRACT.as_bytes().to_vec(),
    };
    Listing { modules: references.iter().map(module).collect(), artifacts: Vec::new() }
}

fn file(path: &str) -> ListedFile {
    ListedFile { path: path.to_owned(), bytes: 10, digest: None }
}

fn artifact(reference: &str, path: &str) -> ListedArtifact {
    ListedArtifact {
        reference: named(reference),
        name: "an artifact".to_owned(),
        status: "DRAFT".to_owned(),
        tags: Vec::new(),
        content: Held::InStore(file(path)),
    }
}

fn schema(name: &str) -> Brief {
    Brief { input: InputKind::AnswerSchema, name: name.to_owned(), bytes: b"{}".to_vec() }
}

fn work_tree(hand: Hand) -> WorkTree {
    WorkTree {
        module: named(OPEN),
        root: PathBuf::from("/tree"),
        hand,
        cap: Cap::WholeTree,
        leave_out: Vec::new(),
    }
}

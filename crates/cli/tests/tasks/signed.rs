//! Decisions that a person signs with a key of their own: real keys, made and used by ssh-keygen.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sealwright_kernel::{Digest, StreamId};
use sealwright_store::{Anchor, Head};

use crate::answers::short;
use crate::task_performer::{TestRepo, edit};

/// A key of the person's, and a file that names whose it is.
pub(crate) fn key(shop: &TestRepo, name: &str, kind: &str) -> (String, String) {
    let file = shop.home().join(name);
    let mut make = Command::new("ssh-keygen");
    make.args(["-q", "-t", kind, "-N", "", "-C", name, "-f"]).arg(&file);
    assert!(make.status().unwrap().success());
    let public = fs::read_to_string(file.with_extension("pub")).unwrap();
    let signers = shop.home().join(format!("{name}.signers"));
    fs::write(&signers, format!("{name}@example.org {public}")).unwrap();
    (file.display().to_string(), signers.display().to_string())
}

fn signatures(shop: &TestRepo, task: &str) -> Vec<PathBuf> {
    let folder = shop.path(".sealwright/store/decisions").join(task);
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn a_name_is_told_apart_from_a_signature() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let task = task.as_str();
    let seen = shop.see(&["verify"]);
    assert!(seen.contains("decisions by Ada (not signed: only a name)"), "{seen}");
    assert!(shop.see(&["log", task]).contains("(Ada, unsigned)"));
    for kind in ["ed25519", "ecdsa"] {
        let _ = fs::remove_dir_all(shop.path(".sealwright/store/decisions"));
        let (file, signers) = key(&shop, kind, kind);
        let signed = shop.see(&["sign", task, "--key", &file]);
        assert!(signed.contains("signed with SHA256:") && signed.ends_with("= 0"), "{signed}");
        assert!(signed.contains(&format!("  {task}, record 1: ")), "{signed}");
        let again = shop.see(&["sign", "--key", &file]);
        assert!(again.contains("no decision of yours was without a signature"), "{again}");
        let seen = shop.see(&["verify"]);
        let told = "2 decisions of Ada signed by SHA256:";
        assert!(seen.contains(told) && !seen.contains("only a name"), "{seen}");
        let seen = shop.see(&["verify", "--signers", &signers]);
        let told = format!("2 decisions of Ada signed by {kind}@example.org, SHA256:");
        assert!(seen.contains(&told), "{seen}");
        assert!(!seen.contains('✗'), "{seen}");
        let log = shop.see(&["log", task]);
        assert!(log.contains("(Ada, signed with SHA256:") && !log.contains("unsigned"), "{log}");
    }
}

#[test]
fn where_signers_are_named_a_decision_without_one_of_theirs_is_a_finding() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let task = task.as_str();
    let (ada, signers) = key(&shop, "ada", "ed25519");
    let (eve, of_eve) = key(&shop, "eve", "ed25519");
    let verify = || shop.see(&["verify", "--signers", &signers]);
    let seen = verify();
    assert!(seen.contains("✗") && seen.contains("of Ada: not signed"), "{seen}");
    assert!(seen.ends_with("= 10"), "{seen}");

    shop.see(&["sign", "--key", &eve]);
    let seen = verify();
    assert!(seen.contains("of Ada: signed with a key of nobody who may sign"), "{seen}");
    assert!(seen.contains(&format!("`sealwright sign {task} --replace`")), "{seen}");
    assert!(shop.see(&["verify"]).contains("signed by SHA256:"), "without signers any key will do");
    let seen = shop.see(&["verify", "--signers", &of_eve]);
    assert!(seen.contains("2 decisions of Ada signed by eve@example.org, SHA256:"), "{seen}");

    // What another key signed stays until the person says so.
    let seen = shop.see(&["sign", "--key", &ada]);
    assert!(seen.contains("2 decisions of yours") && seen.contains("`--replace`"), "{seen}");
    assert!(verify().contains("of nobody who may sign"), "{}", verify());
    let seen = shop.see(&["sign", "--replace", "--key", &ada]);
    assert!(seen.contains("2 decisions signed with SHA256:"), "{seen}");
    assert!(!verify().contains('✗'), "{}", verify());
    let all = signatures(&shop, task);
    let (first, second) = (&all[0], &all[1]);
    let (kept, other) = (fs::read(first).unwrap(), fs::read(second).unwrap());

    // One that was made for another record, changed, cut, of nothing, of no record, or taken away.
    fs::write(first, &other).unwrap();
    let seen = shop.see(&["verify"]);
    assert!(seen.contains("does not count: it is not a signature of this record"), "{seen}");
    assert!(seen.ends_with("= 10"), "{seen}");
    fs::write(first, &kept[..kept.len() / 2]).unwrap();
    assert!(shop.see(&["verify"]).contains("does not count: it is no SSH signature"));
    let seen = shop.see(&["sign", task, "--key", &ada]);
    assert!(seen.contains("1 decision of yours") && seen.ends_with("= 0"), "{seen}");
    shop.see(&["sign", task, "--replace", "--key", &ada]);
    assert!(!verify().contains('✗'), "{}", verify());
    fs::write(first, &kept).unwrap();
    let stray = first.with_file_name("9999.sig");
    fs::write(&stray, &kept).unwrap();
    assert!(shop.see(&["verify"]).contains("9999.sig: there is no such record of a person"));
    fs::remove_file(&stray).unwrap();
    fs::remove_file(first).unwrap();
    assert!(verify().contains("of Ada: not signed"), "{}", verify());
    fs::write(first, &kept).unwrap();
    assert!(!verify().contains('✗'), "{}", verify());

    // Who decided something else did not sign that.
    let segment = shop.path(".sealwright/journal").join(task).join("000000000001.jsonl");
    edit(&segment, "limits per tenant", "limits per TENANT");
    assert!(verify().ends_with("= 10"));
}

#[test]
fn a_file_of_signers_that_is_not_understood_permits_nobody() {
    let shop = TestRepo::new();
    shop.finished();
    let file = shop.home().join("signers");
    for (text, told) in
        [("", "names nobody"), ("ada\n", "line 1"), ("# only this\n", "names nobody")]
    {
        fs::write(&file, text).unwrap();
        let seen = shop.see(&["verify", "--signers", file.to_str().unwrap()]);
        assert!(seen.contains(told) && seen.ends_with("= 2"), "{seen}");
    }
}

#[test]
fn the_key_is_the_one_that_git_signs_with_and_never_one_of_the_repository() {
    let shop = TestRepo::new();
    shop.finished();
    let (ada, _) = key(&shop, "ada", "ed25519");
    let (eve, _) = key(&shop, "eve", "ed25519");
    // What the repository's own settings name is not asked.
    shop.git(&["config", "gpg.format", "ssh"]);
    shop.git(&["config", "user.signingkey", &eve]);
    let settings = shop.home().join("gitconfig");
    fs::write(&settings, "").unwrap();
    let sign = |settings: &PathBuf| {
        shop.see_with(&["sign"], &[("GIT_CONFIG_GLOBAL", settings.to_str().unwrap())])
    };
    let seen = sign(&settings);
    assert!(seen.contains("no SSH key to sign with") && seen.ends_with("= 12"), "{seen}");
    fs::write(&settings, format!("[gpg]\nformat = ssh\n[user]\nsigningkey = {ada}\n")).unwrap();
    let seen = sign(&settings);
    assert!(seen.contains("signed with SHA256:"), "{seen}");

    // A file that theirs includes is theirs too. A path from nowhere would be one of the repository.
    let included = shop.home().join("included");
    fs::rename(&settings, &included).unwrap();
    fs::write(&settings, format!("[include]\npath = {}\n", included.display())).unwrap();
    let again = sign(&settings);
    assert!(again.contains("no decision of yours was without a signature"), "{again}");
    fs::write(&settings, "[gpg]\nformat = ssh\n[user]\nsigningkey = keys/ada\n").unwrap();
    let relative = sign(&settings);
    assert!(relative.contains("a relative path: `keys/ada`"), "{relative}");
    assert!(relative.ends_with("= 12"), "{relative}");

    let fingerprint = Command::new("ssh-keygen").args(["-l", "-f", &ada]).output().unwrap();
    let fingerprint = String::from_utf8(fingerprint.stdout).unwrap();
    let fingerprint = fingerprint.split(' ').nth(1).unwrap();
    assert!(seen.contains(fingerprint), "{seen}, not {fingerprint}");
}

/// A project that asks for signatures, and settings of its person that name no key yet.
fn asking() -> (TestRepo, String) {
    let shop = TestRepo::new();
    let settings = shop.home().join("gitconfig");
    fs::write(&settings, "").unwrap();
    fs::write(
        shop.path("steps.toml"),
        "[[step]]\ndo = \"fail\"\nfailure = \"refused\"\nwhy = \"no\"\n",
    )
    .unwrap();
    let config = "[project]\nsigned_decisions = true\n\n[checks.tests]\ncommand = [\"cargo\", \"test\"]\n\n\
                  [agents.played]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n";
    fs::write(shop.path("sealwright.toml"), config).unwrap();
    fs::write(shop.path("preferences.md"), PREFERENCES).unwrap();
    shop.git(&["add", "--all"]);
    shop.git(&["commit", "--quiet", "-m", "begin"]);
    (shop, settings.display().to_string())
}

/// Writes the person's own settings, with a key.
fn name_a_key(shop: &TestRepo, settings: &str) {
    let (ada, _) = key(shop, "ada", "ed25519");
    fs::write(settings, format!("[gpg]\nformat = ssh\n[user]\nsigningkey = {ada}\n")).unwrap();
}

#[test]
fn where_a_project_asks_for_it_nothing_goes_on_without_a_signature() {
    let (shop, settings) = asking();
    let environment = [("GIT_CONFIG_GLOBAL", settings.as_str())];
    let see = |words: &[&str]| shop.see_with(words, &environment);
    let task = shop.parked();
    let (task_name, short) = (task.as_str(), short(&task));

    // The decision is kept, and says what is missing.
    let seen = see(&["approve", task_name]);
    assert!(seen.contains("no SSH key to sign with") && seen.ends_with("= 12"), "{seen}");
    name_a_key(&shop, &settings);

    // What was recorded under the name before, by whomever, is signed by no other command; not even by that person.
    let refused = || {
        let seen = see(&["do", "--continue", task_name]);
        assert!(seen.contains(&format!("2 decisions of {task} are not signed")), "{seen}");
        for part in [format!("`sealwright log {short}`"), format!("`sealwright sign {short}`")] {
            assert!(seen.contains(&part) && seen.ends_with("= 12"), "{seen}");
        }
    };
    refused();
    assert!(!shop.path(".sealwright/store/decisions").exists());

    // A decision is signed when it is made, also where somebody put something in the place of its signature.
    let next = shop.records(&task) + 1;
    let own = shop.path(".sealwright/store/decisions").join(task_name);
    fs::create_dir_all(&own).unwrap();
    let own = own.join(format!("{next}.sig"));
    fs::write(&own, "nothing").unwrap();
    let seen = see(&["note", task_name, "mind the clock"]);
    assert!(seen.contains("• signed with SHA256:") && seen.ends_with("= 0"), "{seen}");
    assert!(seen.contains(&format!(": {task}, record {next}\n")), "{seen}");
    assert_eq!(signatures(&shop, task_name), [own]);
    refused();

    // Somebody else signs nothing of it, and the person all of it.
    shop.git(&["config", "user.name", "Bob"]);
    let seen = see(&["sign", task_name]);
    assert!(seen.contains("2 decisions of other people without a signature"), "{seen}");
    refused();
    shop.git(&["config", "user.name", "Ada"]);
    let seen = see(&["sign", task_name]);
    assert!(seen.contains("2 decisions signed with SHA256:"), "{seen}");
    let seen = see(&["do", "--continue", task_name]);
    assert!(!seen.contains("not signed"), "{seen}");
}

#[test]
fn nothing_of_a_project_goes_on_before_its_decisions_are_signed() {
    let (shop, settings) = asking();
    name_a_key(&shop, &settings);
    let see = |words: &[&str]| shop.see_with(words, &[("GIT_CONFIG_GLOBAL", settings.as_str())]);
    let seen = see(&["run", "Sums of parking"]);
    assert!(seen.contains("a decision of project is not signed"), "{seen}");
    assert!(seen.contains("`sealwright sign project`") && seen.ends_with("= 12"), "{seen}");
    let records = || {
        let start = Head::START;
        shop.journal().read_blocking(&project(), start, &mut |_| Ok(())).unwrap().seq.get()
    };
    assert_eq!(records(), 1, "nothing was performed");
    assert!(see(&["run"]).contains("a decision of project is not signed"));
    let seen = see(&["sign", "project"]);
    assert!(seen.contains("  project, record 1: begin\n"), "{seen}");
    let seen = see(&["run"]);
    assert!(!seen.contains("not signed"), "{seen}");
}

/// A project with one record, of Ada.
fn planned() -> TestRepo {
    let shop = TestRepo::new();
    fs::write(shop.path("spec.json"), SPEC).unwrap();
    let seen = shop.see(&["plan", "--from", "spec.json"]);
    assert!(seen.ends_with("= 11"), "{seen}");
    shop
}

/// Anyone who can commit can anchor what they forged. That stands for a changed rule, and for no person.
#[test]
fn a_decision_about_the_project_needs_its_person_whatever_the_record_says() {
    let shop = planned();
    let (ada, signers) = key(&shop, "ada", "ed25519");
    let verify = |shop: &TestRepo| shop.see(&["verify", "--allow-changes", "--signers", &signers]);
    assert!(verify(&shop).contains("project, record 1, of Ada: not signed"), "{}", verify(&shop));
    let seen = shop.see(&["sign", "project", "--key", &ada]);
    assert!(seen.contains("  project, record 1: emit\n") && seen.ends_with("= 0"), "{seen}");
    assert!(!verify(&shop).contains('✗'), "{}", verify(&shop));

    let (actor, cause) = (r#""actor":{"human":"Ada"}"#, r#""by":{"human":"Ada"}"#);
    let by_the_machine = |body: &str| body.replace(actor, r#""actor":"machine""#);
    let shop = planned();
    anchored(&shop, &write_anew(&shop, &project(), by_the_machine));
    for seen in [verify(&shop), shop.see(&["verify", "--allow-changes"])] {
        assert!(seen.contains("✗ project, record 1: the cause is signed by another"), "{seen}");
        assert!(seen.ends_with("= 10"), "{seen}");
    }
    let shop = planned();
    let both = |body: &str| by_the_machine(body).replace(cause, r#""by":"machine""#);
    anchored(&shop, &write_anew(&shop, &project(), both));
    let seen = verify(&shop);
    assert!(seen.contains("✗ project, record 1: its events do not follow"), "{seen}");
    assert!(seen.ends_with("= 10"), "{seen}");
}

#[test]
fn a_record_that_spells_its_person_otherwise_needs_a_signature_all_the_same() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let (_, signers) = key(&shop, "ada", "ed25519");
    let spelled = r#""actor":{"\u0068uman":"#;
    write_anew(&shop, task.stream(), |body| body.replace(r#""actor":{"human":"#, spelled));
    let seen = shop.see(&["verify", "--allow-changes", "--signers", &signers]);
    assert!(seen.contains(&format!("✗ {task}, record 1, of Ada: not signed")), "{seen}");
    assert!(seen.ends_with("= 10"), "{seen}");
}

/// What nobody can read could be a decision.
#[test]
fn where_signers_are_named_every_stream_has_to_be_understood() {
    let shop = TestRepo::new();
    let (task, _) = shop.finished();
    let (ada, signers) = key(&shop, "ada", "ed25519");
    let invocation = ".sealwright/journal/INV-000001/000000000001.jsonl";
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals/0.1.0/invocation");
    fs::create_dir_all(shop.path(invocation).parent().unwrap()).unwrap();
    fs::copy(recorded.join(invocation), shop.path(invocation)).unwrap();
    write_anew(&shop, task.stream(), |body| body.replace(r#"{"frozen":"#, r#"{"thawed":"#));
    shop.see(&["sign", "--key", &ada]);
    let seen = shop.see(&["verify", "--allow-changes"]);
    for stream in [task.as_str(), "INV-000001"] {
        let told = format!("• {stream} has events that this version does not know");
        assert!(seen.contains(&told), "{seen}");
    }
    let seen = shop.see(&["verify", "--allow-changes", "--signers", &signers]);
    for stream in [task.as_str(), "INV-000001"] {
        assert!(seen.contains(&format!("✗ cannot audit {stream}: ")), "{seen}");
    }
    assert!(seen.ends_with("= 10"), "{seen}");
}

fn project() -> StreamId {
    StreamId::new("project").unwrap()
}

/// Commits a stream as it is.
fn anchored(shop: &TestRepo, head: &Head) {
    shop.commit(Some(&Anchor { stream: project(), head: *head }));
}

/// Writes a stream anew with the text of every record bent by `forge`, and every hash right.
fn write_anew(shop: &TestRepo, stream: &StreamId, forge: impl Fn(&str) -> String) -> Head {
    let (journal, mut bodies) = (shop.journal(), Vec::new());
    journal
        .read_blocking(stream, Head::START, &mut |entry| {
            let line = String::from_utf8(entry.line().to_vec()).unwrap();
            let (body, _) = line.rsplit_once(",\"hash\":\"").unwrap();
            bodies.push(body.to_owned());
            Ok(())
        })
        .unwrap();
    let (mut head, mut lines) = (Head::START, String::new());
    for body in &bodies {
        let (body, seq) = (forge(body), head.seq.next());
        let tail = format!(",\"prev\":\"{}\",\"seq\":{seq},\"stream\":\"{stream}\"}}", head.hash);
        let hash = Digest::of(format!("{body}{tail}").as_bytes());
        lines.push_str(&format!("{body},\"hash\":\"{hash}\"{tail}\n"));
        head = Head { seq, hash };
    }
    fs::write(journal.layout().stream(stream).join("000000000001.jsonl"), lines).unwrap();
    // What only this machine knew.
    for local in ["work", "cache"] {
        let _ = fs::remove_dir_all(shop.path(".sealwright").join(local));
    }
    head
}

const SPEC: &str = include_str!("../../../../docs/examples/parking/spec.json");
const PREFERENCES: &str = include_str!("../../../documents/tests/good/preferences.md");

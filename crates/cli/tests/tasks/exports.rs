//! Evidence in the forms other tools read.

use sealwright_host::Ended;
use serde_json::{Value, json};

use crate::task_performer::TestRepo;

/// A finished task whose checks left their tests and findings behind.
fn exported(findings: Value) -> (TestRepo, String) {
    let shop = TestRepo::new();
    let task = shop.parked();
    assert!(shop.see(&["approve", task.as_str()]).ends_with("= 0"));
    let test = |name: &str, status| json!({ "id": { "suite": "limits", "name": name }, "status": status, "millis": 7 });
    let tests =
        json!([test("two_tenants", json!("passed")), test("starves <all>", json!("passed"))]);
    let files = [("tests.json", tests.to_string()), ("findings.json", findings.to_string())];
    let ended = shop.run_leaving(&task, &files);
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
    (shop, task.to_string())
}

fn as_form(shop: &TestRepo, task: &str, form: &str) -> String {
    let output = shop.sealwright(&["evidence", task, "--as", form]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The schema is the one that the SARIF Multitool of the standard's editors ships.
#[test]
fn findings_are_told_in_sarif_as_its_schema_wants_it() {
    let finding = |rule: &str, place: &str| json!({ "kind": "security", "rule": rule, "place": place, "what": "it \u{9b}2J reads too far" });
    let findings =
        json!([finding("RUSTSEC-2024-0001", "openssl 0.10.1"), finding("", "src/a b.rs:12")]);
    let (shop, task) = exported(findings);
    let text = as_form(&shop, &task, "sarif");
    assert!(!text.contains('\u{9b}'), "nothing may steer a terminal");
    let log: Value = serde_json::from_str(&text).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../fixtures/sarif-2.1.0.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let results = log["runs"][0]["results"].as_array().unwrap();
    // The tripwire, the check and the reader each left them.
    assert!(results.len() >= 4 && results.iter().all(|result| result["level"] == "error"));
    // The schema is strict enough to notice.
    let mut bent = log;
    bent["runs"][0]["results"][0]["level"] = json!("fatal");
    assert!(!validator.is_valid(&bent));
}

#[test]
fn tests_are_told_in_junit_with_every_test_under_its_check() {
    let (shop, task) = exported(json!([]));
    let xml = as_form(&shop, &task, "junit");
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{xml}");
    assert!(
        xml.contains("classname=\"check-tests.limits\"") && xml.contains("starves &lt;all&gt;"),
        "{xml}"
    );
    // The red run is evidence too, and it failed, as it had to: the report of a proven task is green.
    assert!(xml.contains("red run, expected failures") && xml.contains("expected: "), "{xml}");
    assert!(!xml.contains("<failure") && !xml.contains("<error"), "{xml}");
}

#[test]
fn statements_are_given_out_as_they_are_kept() {
    let (shop, task) = exported(json!([]));
    let unsigned = shop.see(&["evidence", &task, "--as", "intoto"]);
    assert!(
        unsigned.contains("has no signed statements") && unsigned.ends_with("= 12"),
        "{unsigned}"
    );
    assert!(shop.see(&["keys", "new"]).ends_with("= 0"));
    assert!(shop.see(&["keys", "sign", &task]).ends_with("= 0"));
    let lines = as_form(&shop, &task, "intoto");
    let folder = shop.path(".sealwright/store/attestations").join(&task);
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    names.sort();
    let kept: String = names.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert_eq!(lines, kept);
    // The form is the same under --format json, and the records are one a line.
    assert_eq!(as_form(&shop, &task, "json").lines().count(), shop_evidence(&shop, &task));
}

#[test]
fn what_a_gate_kept_has_to_be_what_it_kept() {
    let shop = TestRepo::new();
    let task = shop.parked();
    assert!(shop.see(&["approve", task.as_str()]).ends_with("= 0"));
    let files = [("tests.json", "not a list".to_owned())];
    assert!(matches!(shop.run_leaving(&task, &files), Ended::Over(_)));
    let refused = shop.see(&["evidence", task.as_str(), "--as", "junit"]);
    assert!(refused.contains("`tests.json` of EV-") && refused.ends_with("= 10"), "{refused}");
}

fn shop_evidence(shop: &TestRepo, task: &str) -> usize {
    let task = sealwright_kernel::TaskId::new(task).unwrap();
    shop.look(&task).data().unwrap().evidence.len()
}

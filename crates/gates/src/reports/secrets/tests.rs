use super::*;
use crate::kinds::story::captured;

const GITLEAKS: &str = r#"[{"RuleID": "aws-access-token", "Description": "Identified a pattern that may indicate AWS credentials.",
  "StartLine": 20, "EndLine": 20, "StartColumn": 19, "EndColumn": 38, "Match": "not-a-key-but-looks-so",
  "Secret": "not-a-key-but-looks-so", "File": "src/a.go", "SymlinkFile": "", "Commit": "", "Entropy": 3.08, "Author": "",
  "Email": "", "Date": "", "Message": "", "Tags": [], "Fingerprint": "src/a.go:aws-access-token:20"}]"#;

#[test]
fn what_gitleaks_leaves_is_read_and_the_secret_is_not_repeated() {
    let scan = Scanner::Gitleaks.read(GITLEAKS.as_bytes()).unwrap();
    let leak = Leak {
        rule: "aws-access-token".to_owned(),
        path: "src/a.go".to_owned(),
        line: Some(20),
        fingerprint: "src/a.go:aws-access-token:20".to_owned(),
    };
    assert_eq!(scan, Scan { leaks: vec![leak], odd: vec![] });
    assert!(!format!("{scan:?}").contains("not-a-key"), "{scan:?}");
    assert_eq!(Scanner::Gitleaks.read(b"[]"), Ok(Scan::default()));
}

#[test]
fn what_detect_secrets_prints_is_read() {
    assert_eq!(
        Scanner::DetectSecrets.read(&captured("detect-secrets-green.out")),
        Ok(Scan::default())
    );
    let scan = Scanner::DetectSecrets.read(&captured("detect-secrets-red.out")).unwrap();
    let told: Vec<String> = scan
        .leaks
        .iter()
        .map(|it| format!("{} {}:{}", it.rule, it.path, it.line.unwrap()))
        .collect();
    assert_eq!(told, ["AWS Access Key settings.py:1", "Secret Keyword settings.py:2"]);
    assert!(scan.leaks[0].fingerprint.starts_with("settings.py:2d4b128c"), "{:?}", scan.leaks[0]);
}

#[test]
fn a_scanner_that_looked_for_nothing_is_noticed() {
    let scan = Scanner::DetectSecrets.read(br#"{"plugins_used":[],"results":{}}"#).unwrap();
    assert_eq!(scan.odd, ["it looked for no kind of secret"]);
}

#[test]
fn what_is_no_report_is_refused() {
    for scanner in Scanner::ALL {
        for text in ["", "{}", "null", "[{}]", "[1]", "no leaks found"] {
            assert!(scanner.read(text.as_bytes()).is_err(), "{}: {text}", scanner.name());
        }
    }
}

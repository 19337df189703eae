use super::*;
use crate::kinds::story::captured;

fn told(auditor: Auditor, bytes: &[u8]) -> String {
    match auditor.read(bytes) {
        Err(error) => error.to_string(),
        Ok(audit) => {
            let one = |it: Advisory| format!("{} in {} ({})", it.id, it.package.trim(), it.title);
            let lines: Vec<String> =
                audit.advisories.into_iter().map(one).chain(audit.odd).collect();
            lines.join(", ")
        }
    }
}

#[test]
fn what_each_auditor_prints_is_read() {
    let cases = [
        (Auditor::CargoDeny, "cargo-deny-green.out", ""),
        (
            Auditor::CargoDeny,
            "cargo-deny-red.out",
            "RUSTSEC-2099-0001 in cfg-if 1.0.0 (A made-up hole for tests)",
        ),
        (Auditor::CargoDeny, "cargo-deny-bans.out", "it did not look for advisories"),
        (
            Auditor::CargoDeny,
            "cargo-deny-broken.out",
            "the report is malformed: it ends before its summary",
        ),
        (Auditor::CargoAudit, "cargo-audit-green.out", ""),
        (
            Auditor::CargoAudit,
            "cargo-audit-red.out",
            "RUSTSEC-2099-0001 in cfg-if 1.0.0 (A made-up hole for tests)",
        ),
        (Auditor::PipAudit, "pip-audit-green.out", ""),
        (
            Auditor::PipAudit,
            "pip-audit-red.out",
            "PYSEC-2019-217 in jinja2 2.10 (In Pallets Jinja before 2.10.1, str.format_map allows a sandbox escape.)",
        ),
        (
            Auditor::PipAudit,
            "pip-audit-skipped.out",
            "`jinja2` could not be audited: Dependency not found on PyPI and could not be audited: jinja2 (2.10)",
        ),
        (Auditor::NpmAudit, "npm-audit-green.out", ""),
        (
            Auditor::NpmAudit,
            "npm-audit-red.out",
            "GHSA-vh95-rmgr-6w4m in minimist (Prototype Pollution in minimist), via:minimist in mkdirp (it stands on minimist)",
        ),
        (
            Auditor::NpmAudit,
            "npm-audit-error.out",
            "the report is malformed: the registry did not answer: 405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk",
        ),
    ];
    for (auditor, name, expected) in cases {
        assert_eq!(told(auditor, &captured(name)), expected, "{name}");
    }
}

#[test]
fn an_auditor_that_looked_at_nothing_is_noticed() {
    let nothing = r#"{"database":{"advisory-count":0},"lockfile":{"dependency-count":0},"vulnerabilities":{"found":false,"count":0,"list":[]},"warnings":{}}"#;
    let told_of = told(Auditor::CargoAudit, nothing.as_bytes());
    assert_eq!(told_of, "the database it asked knows no advisory, it looked at no package");
    assert_eq!(told(Auditor::PipAudit, br#"{"dependencies":[]}"#), "it looked at no package");
    let none = r#"{"vulnerabilities":{},"metadata":{"vulnerabilities":{"total":0},"dependencies":{"total":0}}}"#;
    assert_eq!(told(Auditor::NpmAudit, none.as_bytes()), "it looked at no package");
}

#[test]
fn counts_that_do_not_add_up_are_told() {
    let hidden = r#"{"database":{"advisory-count":9},"lockfile":{"dependency-count":9},"vulnerabilities":{"found":true,"count":1,"list":[]},"warnings":{}}"#;
    assert_eq!(
        told(Auditor::CargoAudit, hidden.as_bytes()),
        "it counts other vulnerabilities than it lists"
    );
    let hidden = r#"{"vulnerabilities":{},"metadata":{"vulnerabilities":{"total":2},"dependencies":{"total":3}}}"#;
    assert_eq!(
        told(Auditor::NpmAudit, hidden.as_bytes()),
        "it counts other vulnerabilities than it lists"
    );
    let unnamed = concat!(
        r#"{"fields":{"severity":"error","message":"a hole"},"type":"diagnostic"}"#,
        "\n",
        r#"{"fields":{"advisories":{"errors":1}},"type":"summary"}"#
    );
    assert_eq!(
        told(Auditor::CargoDeny, unnamed.as_bytes()),
        "it complains of something else: a hole"
    );
    let hidden = r#"{"fields":{"advisories":{"errors":2}},"type":"summary"}"#;
    assert_eq!(told(Auditor::CargoDeny, hidden.as_bytes()), "it counts other errors than it lists");
}

#[test]
fn what_is_no_report_is_refused() {
    for auditor in Auditor::ALL {
        for text in ["", "{}", "[]", "null", "{\"a\":", "no vulnerabilities found"] {
            assert!(auditor.read(text.as_bytes()).is_err(), "{}: {text}", auditor.name());
        }
    }
}

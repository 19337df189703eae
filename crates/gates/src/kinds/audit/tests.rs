use std::collections::BTreeSet;

use crate::kinds::Setting;
use crate::kinds::story::{captured, ran, told};
use crate::{Ended, Ran, Said, Seen};

fn auditing(command: &str, known: &[&str]) -> Setting {
    Setting {
        command: command.split(' ').map(str::to_owned).collect(),
        known: known.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>(),
        ..Setting::default()
    }
}

fn heard(command: &str, known: &[&str], code: i32, printed: &str) -> String {
    let said = Said::whole(captured(printed));
    let ran = if command.contains("deny") {
        Ran { stderr: said, ..ran(code, "") }
    } else {
        Ran { stdout: said, ..ran(code, "") }
    };
    told("audit", &auditing(command, known), &[Seen::Ran(ran)])
}

#[test]
fn a_vulnerable_package_fails_and_goes_to_a_person() {
    let cases = [
        (
            "cargo deny --format json check advisories",
            "cargo-deny",
            "fail: cfg-if 1.0.0 is vulnerable: A made-up hole for tests (RUSTSEC-2099-0001) [Security RUSTSEC-2099-0001 at cfg-if 1.0.0]",
        ),
        (
            "cargo audit --json",
            "cargo-audit",
            "fail: cfg-if 1.0.0 is vulnerable: A made-up hole for tests (RUSTSEC-2099-0001) [Security RUSTSEC-2099-0001 at cfg-if 1.0.0]",
        ),
        (
            "/usr/bin/pip-audit -f json",
            "pip-audit",
            "fail: jinja2 2.10 is vulnerable: In Pallets Jinja before 2.10.1, str.format_map allows a sandbox escape. (PYSEC-2019-217) [Security PYSEC-2019-217 at jinja2 2.10]",
        ),
    ];
    for (command, tool, expected) in cases {
        assert_eq!(heard(command, &[], 1, &format!("{tool}-red.out")), expected);
        // An auditor that was told to exit with 0 has still found it.
        assert_eq!(heard(command, &[], 0, &format!("{tool}-red.out")), expected);
        assert_eq!(heard(command, &[], 0, &format!("{tool}-green.out")), "pass");
    }
    let npm = heard("npm audit --json", &[], 1, "npm-audit-red.out");
    assert!(npm.contains("[Security GHSA-vh95-rmgr-6w4m at minimist ]"), "{npm}");
    assert_eq!(heard("npm audit --json", &[], 0, "npm-audit-green.out"), "pass");
}

#[test]
fn what_is_known_still_goes_to_a_person() {
    let known = ["PYSEC-2019-217"];
    assert_eq!(
        heard("pip-audit", &known, 0, "pip-audit-red.out"),
        "pass [Security PYSEC-2019-217 at jinja2 2.10]"
    );
    assert_eq!(
        heard("pip-audit", &known, 1, "pip-audit-red.out"),
        "cannot tell: pip-audit exited with 1 and found nothing new [Security PYSEC-2019-217 at jinja2 2.10]"
    );
}

#[test]
fn an_auditor_that_did_not_look_shows_nothing() {
    // It exits with 0 and prints that no vulnerability is known.
    let skipped = heard("pip-audit", &[], 0, "pip-audit-skipped.out");
    assert!(skipped.starts_with("cannot tell: `jinja2` could not be audited"), "{skipped}");
    let offline = heard("npm audit --json", &[], 1, "npm-audit-error.out");
    assert!(
        offline.starts_with(
            "cannot tell: npm-audit: the report is malformed: the registry did not answer"
        ),
        "{offline}"
    );
    let broken = heard("cargo deny check", &[], 1, "cargo-deny-broken.out");
    assert!(broken.starts_with("cannot tell: cargo-deny: the report is malformed"), "{broken}");
    let other = heard("cargo deny check", &[], 0, "cargo-deny-bans.out");
    assert_eq!(other, "cannot tell: it did not look for advisories");
    let killed = Ran { ended: Ended::TimedOut, ..ran(0, captured("pip-audit-green.out")) };
    assert_eq!(
        told("audit", &auditing("pip-audit", &[]), &[Seen::Ran(killed)]),
        "cannot tell: pip-audit did not end by itself"
    );
    assert_eq!(
        told("audit", &auditing("make audit", &[]), &[]),
        "cannot tell: the auditor is unknown; name it with `tool`"
    );
}

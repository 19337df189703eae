use std::collections::BTreeSet;

use crate::kinds::story::{captured, declaring, line, ran, setting, told, tree};
use crate::kinds::{Kind, Setting};
use crate::{Ran, Seen, Step, Wanted};

fn scanning(setting: Setting) -> Setting {
    let command = ["detect-secrets", "scan"].map(str::to_owned).to_vec();
    Setting { command, ..setting }
}

/// What the gate says of a tree and of what the scanner printed.
fn heard(setting: &Setting, files: &[(&str, Option<&str>, Option<&str>)], ran: Ran) -> String {
    let (listing, contents) = tree(files);
    let gate = Kind::of("secrets").unwrap().gate(setting.clone());
    let seen = [listing.clone(), Seen::Ran(ran.clone())];
    let wanted = match gate.next(&seen) {
        Step::Read(Wanted::Files(wanted)) => wanted,
        Step::Say(judgement) => return line(&judgement),
        step => panic!("{step:?}"),
    };
    let shown = contents.into_iter().filter(|file| wanted.contains(&file.path)).collect();
    told("secrets", setting, &[listing, Seen::Ran(ran), Seen::Files(shown)])
}

fn green() -> Ran {
    ran(0, captured("detect-secrets-green.out"))
}

#[test]
fn a_secret_fails_whatever_the_exit_code_and_goes_to_a_person() {
    let red = ran(0, captured("detect-secrets-red.out"));
    assert_eq!(
        heard(&scanning(setting()), &[], red),
        "fail: settings.py:1 looks like a secret (AWS Access Key) | settings.py:2 looks like a secret (Secret Keyword) \
         [Security AWS Access Key at settings.py:1] [Security Secret Keyword at settings.py:2]"
    );
    assert_eq!(heard(&scanning(setting()), &[("a.py", None, Some("x = 1\n"))], green()), "pass");
}

#[test]
fn a_known_secret_still_goes_to_a_person() {
    let known = [
        "settings.py:2d4b128c414e6a58a1283d29ea59135954430f2f",
        "settings.py:79becd5249109928a777627cddf552cdee6797d3",
    ];
    let known = known.map(str::to_owned).into_iter().collect::<BTreeSet<_>>();
    let red = ran(0, captured("detect-secrets-red.out"));
    let said = heard(&Setting { known, ..scanning(setting()) }, &[], red);
    assert_eq!(
        said,
        "pass [Security AWS Access Key at settings.py:1] [Security Secret Keyword at settings.py:2]"
    );
}

#[test]
fn a_scanner_may_not_be_told_to_look_away() {
    let baseline = [(".secrets.baseline", Some("{}"), Some("{\"results\":{}}"))];
    assert_eq!(
        heard(&scanning(setting()), &baseline, green()),
        "fail: `.secrets.baseline` configures what the scanner ignores, and it was changed \
         [Security scanner-settings at .secrets.baseline]"
    );
    assert_eq!(
        heard(&scanning(declaring(&[".secrets.baseline"], &[])), &baseline, green()),
        "pass"
    );
    let old = "key = 1  # pragma: allowlist secret\n";
    let new = format!("{old}token = \"abc\"  # pragma: allowlist secret\n");
    assert_eq!(
        heard(&scanning(setting()), &[("a.py", Some(old), Some(&new))], green()),
        "fail: a.py:2 tells detect-secrets to ignore a line [Security pragma at a.py:2]"
    );
    assert_eq!(heard(&scanning(setting()), &[("a.py", Some(old), Some(old))], green()), "pass");
}

#[test]
fn a_scanner_that_did_not_scan_shows_nothing() {
    let missing = ran(127, "");
    assert_eq!(
        heard(&scanning(setting()), &[], missing),
        "cannot tell: detect-secrets: the report is empty | detect-secrets exited with 127 and found nothing new"
    );
    assert_eq!(
        told("secrets", &setting(), &[]),
        "cannot tell: the scanner is unknown; name it with `tool`"
    );
    // A file that was to be looked at and was not brought.
    let (listing, _) = tree(&[("a.py", None, Some("x"))]);
    let seen = [listing, Seen::Ran(green()), Seen::Files(vec![])];
    assert_eq!(
        told("secrets", &scanning(setting()), &seen),
        "cannot tell: `a.py` could not be read"
    );
}

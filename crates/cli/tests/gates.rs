//! `sealwright gates`, as people and programs use it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::process::{Command, Stdio};

/// What a person sees in a folder with this `sealwright.toml`, if any.
fn see(configuration: Option<&str>, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    if let Some(text) = configuration {
        fs::write(folder.path().join("sealwright.toml"), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command.args(args).current_dir(folder.path()).env("NO_COLOR", "1").env("COLUMNS", "100");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    format!("$ sealwright {}\n{out}{err}= {}", args.join(" "), output.status.code().unwrap())
}

const CHECKS: &str = r#"
[checks.tests]
kind = "cargo-test"
sources = ["src"]

[checks.brake]
kind = "size"
sets = ["exit"]

[checks.site]
command = ["make", "site"]
timeout_s = 60
"#;

#[test]
fn people_see_what_each_check_proves_and_when_it_is_made() {
    insta::assert_snapshot!(see(Some(CHECKS), &["gates", "list"]), @"
    $ sealwright gates list
     name   kind        sets             proves                                                                                                 needs
     brake  size        exit             a person is asked when the change touches many files, a file grew long, or a package came unannounced  nothing
     site   command     iteration, exit  the command exits with 0; what it looked at is its own affair                                          the program
     tests  cargo-test  iteration, exit  every expected Rust test ran in a clean room and passed, and a test that must fail did                 cargo, the locked packages, frozen tests, walls
    = 0
    ");
}

#[test]
fn programs_get_one_value_for_each_check() {
    insta::assert_snapshot!(see(Some(CHECKS), &["gates", "list", "--format", "json"]), @r#"
    $ sealwright gates list --format json
    {"command":[],"kind":"size","name":"brake","needs":"nothing","proves":"a person is asked when the change touches many files, a file grew long, or a package came unannounced","sets":["exit"],"timeout_s":1800}
    {"command":["make","site"],"kind":"command","name":"site","needs":"the program","proves":"the command exits with 0; what it looked at is its own affair","sets":["iteration","exit"],"timeout_s":60}
    {"command":[],"kind":"cargo-test","name":"tests","needs":"cargo, the locked packages, frozen tests, walls","proves":"every expected Rust test ran in a clean room and passed, and a test that must fail did","sets":["iteration","exit"],"timeout_s":1800}
    = 0
    "#);
}

#[test]
fn without_checks_or_a_file_it_says_what_to_do() {
    insta::assert_snapshot!(see(Some(""), &["gates", "list"]), @"
    $ sealwright gates list
    • no checks configured; docs/gates.md lists the kinds
    = 0
    ");
    insta::assert_snapshot!(see(None, &["gates", "list"]), @"
    $ sealwright gates list
    error: ./sealwright.toml does not exist
    hint: create it with `sealwright init`
    = 12
    ");
}

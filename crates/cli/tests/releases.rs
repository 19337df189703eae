//! Repositories that earlier releases recorded: every later release verifies them, replays them to the same states and
//! exports the same evidence, byte for byte.
//!
//! `tests/releases/VERSION/repository.tar.gz` is a repository as that version left it; the files beside it are what that
//! version printed about it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn a_repository_of_every_release_verifies_and_replays_to_the_same_bytes() {
    let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases");
    let mut seen = 0;
    for release in fs::read_dir(releases).unwrap() {
        let release = release.unwrap().path();
        let folder = tempfile::tempdir().unwrap();
        let repository = unpacked(&release, folder.path());
        assert_eq!(verified(&repository), recorded(&release, "verify.json"));
        assert_eq!(printed(&repository, &["journal"]), recorded(&release, "journal.json"));
        assert_eq!(printed(&repository, &["keys", "list"]), recorded(&release, "keys.json"));
        for task in tasks(&repository) {
            let short = task.rsplit('-').next().unwrap();
            let replay = printed(&repository, &["replay", &task]);
            assert_eq!(replay, recorded(&release, &format!("replay-{short}.json")), "{task}");
            for (form, file) in [
                ("json", format!("evidence-{short}.jsonl")),
                ("intoto", format!("intoto-{short}.jsonl")),
            ] {
                if release.join(&file).exists() {
                    let exported = run(&repository, &["evidence", &task, "--as", form]).stdout;
                    assert_eq!(text(exported), recorded(&release, &file), "{task} as {form}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 3, "only {seen} exports were compared");
}

/// A changed byte in it is found, so that the test above can fail.
#[test]
fn a_changed_record_of_a_release_is_found() {
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases/0.1.0");
    let folder = tempfile::tempdir().unwrap();
    let repository = unpacked(&release, folder.path());
    let task = tasks(&repository).remove(0);
    let stream = repository.join(".sealwright/journal").join(task);
    let segment = fs::read_dir(stream).unwrap().next().unwrap().unwrap().path();
    let bent = fs::read_to_string(&segment).unwrap().replacen("2000 cents", "9000 cents", 1);
    fs::write(&segment, bent).unwrap();
    assert_eq!(run(&repository, &["verify"]).status.code(), Some(10));
}

fn unpacked(release: &Path, into: &Path) -> PathBuf {
    let archive = fs::File::open(release.join("repository.tar.gz")).unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(archive)).unpack(into).unwrap();
    fs::read_dir(into).unwrap().next().unwrap().unwrap().path()
}

fn tasks(repository: &Path) -> Vec<String> {
    let streams = fs::read_dir(repository.join(".sealwright/journal")).unwrap();
    let mut names: Vec<String> =
        streams.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn recorded(release: &Path, file: &str) -> String {
    fs::read_to_string(release.join(file)).unwrap()
}

/// What `verify` printed in that release. It looks at the code since: the branch of the task is what was proven.
fn verified(repository: &Path) -> String {
    let text = printed(repository, &["verify"]);
    let (before, rest) = text.split_once("\"code\":{").unwrap();
    let (code, after) = rest.split_once("},\"decisions\"").unwrap();
    assert!(code.starts_with("\"branches\":[{\"commit\":\""), "{code}");
    assert!(code.contains("\"standing\":\"never\""), "{code}");
    format!("{before}\"decisions\"{after}").replace("\"explained\":[],", "")
}

fn printed(repository: &Path, words: &[&str]) -> String {
    let output = run(repository, &[words, &["--format", "json"]].concat());
    assert!(output.status.success(), "{words:?}: {}", text(output.stderr));
    text(output.stdout)
}

fn run(repository: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command
        .args(words)
        .current_dir(repository)
        .env("XDG_STATE_HOME", repository.with_extension("state"));
    command.output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

//! Programs that speak the Agent Client Protocol behind real walls, each a few lines of shell, so that how they behave
//! is known. They are driven by the example `drive`, which `cargo test` builds along with this.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

#[test]
fn an_agent_that_stays_after_its_turn_is_sent_home_and_was_not_called_off() {
    let outcome = drive(&format!("{CONVERSATION}\nexec sleep 1000"));
    let last_words = serde_json::json!({"end": "gave_up", "why": "All done."});
    assert_eq!(outcome["end"], last_words, "{outcome}");
    let took_ms = outcome["spent"]["wall_ms"].as_u64().unwrap();
    assert!((3000..30_000).contains(&took_ms), "{took_ms} ms");
}

#[test]
fn an_agent_goes_when_its_input_ends() {
    let (outcome, work) = leave(&format!("{CONVERSATION}\ncat > rest\necho by itself > went"));
    assert_eq!(outcome["end"]["end"], "gave_up", "{outcome}");
    assert_eq!(work, serde_json::json!({"rest": "", "went": "by itself\n"}));
}

#[test]
fn an_agent_that_ends_in_the_middle_has_died() {
    let beginning: Vec<&str> = CONVERSATION.lines().take(4).collect();
    let outcome = drive(&beginning.join("\n"));
    assert_eq!(outcome["end"]["failure"], "died", "{outcome}");
}

#[test]
fn an_agent_that_cannot_be_started_says_so() {
    let outcome = drive("echo 'this needs node 99' >&2; exit 1");
    assert_eq!(outcome["end"]["failure"], "not_started", "{outcome}");
    assert_eq!(outcome["end"]["why"], "this needs node 99");
}

#[test]
fn an_agent_that_asks_without_reading_is_cut_off() {
    let outcome = drive(
        r#"while :; do echo '{"id":1,"method":"session/request_permission","params":{}}'; done"#,
    );
    assert_eq!(outcome["end"]["failure"], "bad_stream", "{outcome}");
    assert!(outcome["spent"]["wall_ms"].as_u64().unwrap() < 60_000, "{outcome}");
}

/// The outcome of a run in which the agent is this script.
fn drive(script: &str) -> Value {
    leave(script).0
}

/// That, and the files it leaves.
fn leave(script: &str) -> (Value, Value) {
    let folder =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = bin.join("opencode");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let brief = folder.path().join("brief.txt");
    fs::write(&brief, "Do it.").unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test starts the program it is about")]
    let output = std::process::Command::new(example())
        .arg("opencode")
        .arg(folder.path())
        .arg("http://127.0.0.1:9")
        .arg(brief)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let last = said.lines().last().unwrap_or_default();
    let mut last: Value = serde_json::from_str(last)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    (last["outcome"].take(), last["work"].take())
}

fn example() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let example = folder.join("examples/drive");
    assert!(example.exists(), "`cargo build --example drive` first, or run all tests");
    example
}

/// A whole conversation, as the agent leads it.
const CONVERSATION: &str = r#"read -r greeting
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}}'
read -r opening
echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"one"}}'
read -r prompt
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All done."}}}}'
echo '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'"#;

//! `sealwright mcp`, as a client meets it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::net::unix::pipe;

use crate::task_performer::TestRepo;

#[test]
fn a_client_sees_what_the_commands_print_and_can_change_nothing() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let id = task.as_str();
    // Looking brings the index up to date, which is a cache; the journal is the truth.
    let before = journal(&shop);
    let (listed, told) = with_client(&shop, async |client| {
        let listed = client.list_all_tools().await.unwrap();
        let mut told = Vec::new();
        for (tool, input) in [
            ("status", json!({})),
            ("inbox", json!({"rows": 1})),
            ("show", json!({"task": id})),
            ("evidence", json!({"task": &id[2..6]})),
        ] {
            told.push(ask(&client, tool, input).await.unwrap());
        }
        (listed, told)
    });
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["status", "inbox", "show", "evidence"]);
    for tool in &listed {
        let hints = tool.annotations.as_ref().unwrap();
        assert_eq!(hints.read_only_hint, Some(true), "{}", tool.name);
        assert!(tool.description.as_ref().unwrap().contains("never an instruction"));
    }
    let [status, inbox, show, evidence] = &told[..] else { panic!("four were asked") };
    assert_eq!(*status, json!({"tasks": printed(&shop, &["status"]), "left_out": 0}));
    assert_eq!(*inbox, json!({"questions": printed(&shop, &["inbox"]), "left_out": 0}));
    let mut expected = printed(&shop, &["show", id]).remove(0);
    let records = records(&expected["state"]).expect("a parked task has evidence").clone();
    expected["left_out"] = json!([]);
    assert_eq!(*show, expected);
    assert_eq!(*evidence, json!({"task": id, "evidence": records, "left_out": 0}));
    assert_eq!(journal(&shop), before);
}

#[test]
fn what_cannot_be_told_is_said_in_words() {
    let shop = TestRepo::new();
    let refused = with_client(&shop, async |client| {
        let mut refused = Vec::new();
        for (tool, input) in [
            ("approve", json!({"task": "limits"})),
            ("show", json!({})),
            ("show", json!({"task": "limits"})),
            ("evidence", json!({"task": "../../etc"})),
            ("status", json!({"rows": 0})),
            ("inbox", json!({"rows": "all"})),
        ] {
            refused.push(ask(&client, tool, input).await.unwrap_err());
        }
        refused
    });
    insta::assert_snapshot!(refused.join("\n"));
}

#[test]
fn it_ends_when_its_client_is_gone() {
    let shop = TestRepo::new();
    let output = shop.sealwright(&["mcp"]).output().unwrap();
    // A client that says nothing at all is an error of the client's.
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.code().is_some());
}

type Client = RunningService<RoleClient, ()>;

/// Starts the server, does `work` with a client of it, and sees that it ends well afterwards.
fn with_client<T>(shop: &TestRepo, work: impl AsyncFnOnce(Client) -> T) -> T {
    let mut child = shop
        .sealwright(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(async {
        let reader = pipe::Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
        let writer = pipe::Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
        let client = ().serve((reader, writer)).await.unwrap();
        tokio::time::timeout(PATIENCE, work(client)).await.expect("it answers in time")
    });
    drop(runtime);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    done
}

async fn ask(client: &Client, tool: &'static str, input: Value) -> Result<Value, String> {
    let Value::Object(input) = input else { panic!("tools are asked with objects") };
    let asked = CallToolRequestParams::new(tool).with_arguments(input);
    let result = client.call_tool(asked).await.unwrap();
    let text = result.content[0].as_text().unwrap().text.clone();
    match result.is_error {
        Some(true) => Err(text),
        _ => {
            let value = result.structured_content.unwrap();
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
            Ok(value)
        }
    }
}

/// What a command prints for programs.
fn printed(shop: &TestRepo, args: &[&str]) -> Vec<Value> {
    let output = shop.sealwright(args).args(["--format", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The evidence in a task's state, wherever the machine keeps it.
fn records(state: &Value) -> Option<&Value> {
    match state {
        Value::Object(members) => members
            .get("evidence")
            .filter(|found| {
                found.as_array().is_some_and(|it| it.iter().all(|it| it["subject"].is_string()))
            })
            .or_else(|| members.values().find_map(records)),
        Value::Array(parts) => parts.iter().find_map(records),
        _ => None,
    }
}

/// Every file of the journal, with its bytes.
fn journal(shop: &TestRepo) -> Vec<(String, Vec<u8>)> {
    fn gather(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, found);
            } else {
                found.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    gather(&shop.path(".sealwright/journal"), &mut found);
    found.sort();
    found
}

const PATIENCE: Duration = Duration::from_secs(60);

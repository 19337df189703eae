use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};

use rmcp::ServiceExt as _;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use sealwright_sandbox::egress::policy::{
    Address, Bounds, Call, Chunked, Credential, Upstream, UpstreamPath,
};
use sealwright_sandbox::egress::{Egress, Policy};
use sealwright_sandbox::server_thread::STOP_LIMIT;
use serde_json::json;

use super::*;
use crate::AnswerSchema;
use crate::tools::SubmitResult;

#[test]
fn a_client_of_mcp_lists_the_tools_calls_them_and_is_told_why_not() {
    let (submit, answer) = SubmitResult::new(schema());
    let tool_server =
        open(vec![Arc::new(submit), tool("look", |_| Reply::Done(json!({"seen": 1})))]);
    let (listed, looked, refused, accepted) = with_client(&tool_server, async |client| {
        let listed = client.list_all_tools().await.unwrap();
        let looked = ask(&client, "look", json!({})).await;
        let refused = ask(&client, "submit_result", json!({"done": "yes"})).await;
        let accepted = ask(&client, "submit_result", json!({"done": true})).await;
        (listed, looked, refused, accepted)
    });
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["submit_result", "look"]);
    assert_eq!(Value::Object((*listed[0].input_schema).clone()), *schema().value());
    let is_read_only = |nth: usize| listed[nth].annotations.as_ref().unwrap().read_only_hint;
    assert_eq!((is_read_only(0), is_read_only(1)), (Some(false), Some(true)));
    assert_eq!(looked, Reply::Done(json!({"seen": 1})));
    let Reply::Refused(why) = &refused else { panic!("it has the wrong shape") };
    assert!(why.contains("is not of type \"boolean\""), "{why}");
    assert_eq!(accepted, Reply::Done(json!({"accepted": true})));
    assert_eq!(answer.get(), Some(json!({"done": true})));

    let calls = tool_server.close();
    let told: Vec<(&str, &Value, &Reply)> =
        calls.iter().map(|call| (call.tool.as_str(), &call.input, &call.reply)).collect();
    assert_eq!(
        told,
        [
            ("look", &json!({}), &looked),
            ("submit_result", &json!({"done": "yes"}), &refused),
            ("submit_result", &json!({"done": true}), &accepted),
        ]
    );
}

#[test]
fn the_way_out_shows_the_ticket_that_the_role_never_sees() {
    let tool_server =
        ToolServer::open(vec![tool("look", |_| Reply::Done(json!({"seen": 1})))]).unwrap();
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let ticket = Credential::Header {
        name: "authorization".to_owned(),
        value: tool_server.ticket().clone(),
    };
    let policy = Policy {
        upstreams: vec![Upstream {
            at: UpstreamPath::Named("tools".to_owned()),
            base: format!("http://{}", tool_server.address()),
            credential: ticket,
            calls: ["GET", "POST", "DELETE"].map(|method| Call::below(method, "/")).to_vec(),
            chunked: Chunked::Reframed,
            address: Address::Any,
            quota: None,
        }],
        tunnels: Vec::new(),
        roots: Vec::new(),
        bounds: Bounds::default(),
    };
    let egress = Egress::start(listener, &policy).unwrap();
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://127.0.0.1:{port}/tools/mcp"));
    let looked = with_client_at(config, async |client| ask(&client, "look", json!({})).await);
    assert_eq!(looked, Reply::Done(json!({"seen": 1})));
    assert_eq!(tool_server.close().len(), 1);
    drop(egress);
}

#[test]
fn whoever_has_no_ticket_or_another_one_is_turned_away() {
    let tool_server = open(vec![tool("look", |_| Reply::Done(json!({})))]);
    let body = call(1, "look", &json!({}));
    for shown in [
        "",
        "authorization: Bearer other\r\n",
        "authorization: ticket\r\n",
        "authorization: Bearer ticket2\r\n",
        "authorization: bearer ticket\r\n",
        "authorization: \r\n",
    ] {
        let (status, said) = post_as(tool_server.address(), shown, &body);
        assert_eq!((status, said.as_str()), (401, ""), "{shown:?}");
    }
    assert_eq!(post(tool_server.address(), &body).0, 200);
    assert_eq!(tool_server.close().len(), 1, "who was turned away was heard by nobody");
}

#[test]
fn a_desk_opens_with_a_ticket_that_nobody_had_before() {
    let words: std::collections::BTreeSet<String> =
        (0..100).map(|_| crate::random_word::word().unwrap()).collect();
    assert_eq!(words.len(), 100);
    assert!(words.iter().all(|word| word.len() >= 64));
}

#[test]
fn an_unknown_tool_is_refused_and_written_down() {
    let tool_server = open(vec![tool("look", |_| Reply::Done(json!({})))]);
    assert_eq!(
        reply(&post(tool_server.address(), &call(1, "delete_all", &json!({"a": 1}))).1),
        None
    );
    let [call] = tool_server.close().try_into().unwrap();
    assert_eq!((call.tool.as_str(), call.heard), ("delete_all", Heard::ByNobody));
    assert_eq!(call.input, json!({"a": 1}));
}

#[test]
fn a_tool_is_heard_as_often_as_it_says_whatever_else_is_asked() {
    let heard = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&heard);
    let tool_server = open(vec![tool("look", move |_| {
        Reply::Done(json!({"nth": counted.fetch_add(1, Ordering::SeqCst)}))
    })]);
    // Filling the book with calls that nobody hears makes no room for others.
    for nth in 0..TURNED_AWAY_MAX + 20 {
        let input = json!({"long": "x".repeat(TURNED_AWAY_BYTES_MAX * (nth % 2))});
        assert_eq!(
            reply(&post(tool_server.address(), &call(1, &format!("no_{nth}"), &input)).1),
            None
        );
    }
    let answered = (0..LOOKS_MAX + 5)
        .filter(|_| reply(&post(tool_server.address(), &call(1, "look", &json!({}))).1).is_some())
        .count();
    assert_eq!((answered, heard.load(Ordering::SeqCst)), (LOOKS_MAX as usize, LOOKS_MAX as usize));
    let calls = tool_server.close();
    let by = |who| calls.iter().filter(|call| call.heard == who).count();
    assert_eq!((by(Heard::ByTheTool), by(Heard::ByNobody)), (LOOKS_MAX as usize, TURNED_AWAY_MAX));
    assert!(calls.iter().all(|call| call.input.to_string().len() <= TURNED_AWAY_BYTES_MAX));
}

#[test]
fn a_tool_that_panics_is_an_answer_and_the_next_call_is_served() {
    let tool_server = open(vec![
        tool("break", |_| panic!("on purpose")),
        tool("look", |_| Reply::Done(json!({"seen": 1}))),
    ]);
    let (status, said) = post(tool_server.address(), &call(1, "break", &json!({})));
    assert_eq!((status, reply(&said)), (200, None));
    assert!(said.contains("the tool broke") && !said.contains("on purpose"), "{said}");
    assert_eq!(
        reply(&post(tool_server.address(), &call(2, "look", &json!({}))).1),
        Some(json!({"seen": 1}))
    );
    assert_eq!(tool_server.close().len(), 2);
}

#[test]
fn a_call_may_be_as_large_as_it_may_be_and_no_larger() {
    let tool_server = open(vec![tool("look", |input| {
        Reply::Done(json!({"bytes": input["text"].as_str().unwrap().len()}))
    })]);
    let frame = call(1, "look", &json!({"text": ""})).len();
    let filled = |bytes: usize| call(1, "look", &json!({"text": "x".repeat(bytes - frame)}));
    let (status, said) = post(tool_server.address(), &filled(INPUT_BYTES_MAX));
    assert_eq!((status, reply(&said)), (200, Some(json!({"bytes": INPUT_BYTES_MAX - frame}))));
    let (status, _) = post(tool_server.address(), &filled(INPUT_BYTES_MAX + 1));
    assert_eq!(status, 413);
    assert_eq!(tool_server.close().len(), 1);
}

#[test]
fn calls_that_come_at_once_are_answered_one_at_a_time_and_written_down_in_that_order() {
    let (inside, most, order) =
        (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)), Arc::default());
    let (seen, written): (_, Arc<Mutex<Vec<Value>>>) = (Arc::clone(&most), Arc::clone(&order));
    let tool_server = open(vec![tool("look", move |input| {
        seen.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::yield_now();
        written.lock().unwrap().push(input.clone());
        inside.fetch_sub(1, Ordering::SeqCst);
        Reply::Done(input.clone())
    })]);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..50)
            .map(|nth| {
                let tool_server = tool_server.address();
                scope.spawn(move || {
                    let (status, said) =
                        post(tool_server, &call(nth, "look", &json!({"nth": nth})));
                    assert_eq!((status, reply(&said)), (200, Some(json!({"nth": nth}))));
                })
            })
            .collect();
        for one in asked {
            one.join().unwrap();
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
    let calls: Vec<Value> = tool_server.close().into_iter().map(|call| call.input).collect();
    assert_eq!(calls.len(), 50);
    assert_eq!(calls, *order.lock().unwrap());
}

#[test]
fn a_call_whose_caller_left_is_finished_and_written_down() {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let tool_server =
        open(vec![slow("build", begun, may_go_on), tool("look", |_| Reply::Done(json!({})))]);
    let visitor = send(tool_server.address(), TICKET, "POST", &call(1, "build", &json!({})));
    has_begun.recv_timeout(PATIENCE).unwrap();
    drop(visitor);
    // The next call waits for its turn until the one before it is over.
    let waiting = send(tool_server.address(), TICKET, "POST", &call(2, "look", &json!({})));
    go_on.send(()).unwrap();
    assert_eq!(received(waiting).0, 200);
    let calls: Vec<String> = tool_server.close().into_iter().map(|call| call.tool).collect();
    assert_eq!(calls, ["build", "look"]);
}

#[test]
fn more_calls_than_can_wait_are_refused_at_once() {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let tool_server = open(vec![slow("build", begun, may_go_on)]);
    let first = send(tool_server.address(), TICKET, "POST", &call(0, "build", &json!({})));
    has_begun.recv_timeout(PATIENCE).unwrap();
    // Callers who leave free their connection, not their chair.
    let mut refused = 0;
    for nth in 0..2 * WAITING_MAX {
        let mut visitor =
            send(tool_server.address(), TICKET, "POST", &call(nth as u64 + 1, "build", &json!({})));
        visitor.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let mut said = String::new();
        let _ = visitor.read_to_string(&mut said);
        refused += usize::from(said.contains("too many calls at once"));
    }
    assert!(refused > 0 && refused <= WAITING_MAX + 1, "{refused}");
    drop(go_on);
    assert_eq!(received(first).0, 200);
}

#[test]
fn what_mcp_does_not_ask_for_here_is_answered_and_does_not_hang() {
    let tool_server = open(vec![]);
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        assert_eq!(received(send(tool_server.address(), TICKET, method, "")).0, 405, "{method}");
    }
    for body in ["", "{", "[]", "{\"jsonrpc\":\"2.0\"}"] {
        let (status, _) = post(tool_server.address(), body);
        assert!([400, 415, 422].contains(&status), "{body}: {status}");
    }
    let other_house = format!(
        "POST /mcp HTTP/1.1\r\nhost: evil.example\r\n{TICKET}content-length: 0\r\n\
         connection: close\r\n\r\n"
    );
    assert_eq!(received(written(tool_server.address(), other_house.as_bytes())).0, 403);
}

#[test]
fn a_desk_closes_in_time_while_a_tool_is_still_at_work() {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let tool_server = open(vec![slow("build", begun, may_go_on)]);
    let visitor = send(tool_server.address(), TICKET, "POST", &call(1, "build", &json!({})));
    has_begun.recv_timeout(PATIENCE).unwrap();
    let (closed, is_closed) = mpsc::channel();
    let closing = std::thread::spawn(move || closed.send(tool_server.close()).unwrap());
    let calls = is_closed.recv_timeout(STOP_LIMIT).expect("it closes in time");
    assert_eq!(calls, [], "what was not answered is not written down");
    assert_eq!(received(visitor).0, 0, "whoever waits is cut off");
    closing.join().unwrap();
    drop(go_on);
}

#[test]
fn a_closed_desk_lets_nobody_in() {
    let tool_server = open(vec![]);
    let address = tool_server.address();
    assert_eq!(tool_server.close(), []);
    assert!(TcpStream::connect(address).is_err());
}

/// A tool of one name that answers by itself.
struct One<F> {
    name: &'static str,
    answer: F,
}

impl<F: Fn(&Value) -> Reply + Send + Sync> Tool for One<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "For tests."
    }

    fn input(&self) -> Value {
        json!({"type": "object"})
    }

    fn effect(&self) -> Effect {
        Effect::None
    }

    fn calls_max(&self) -> u32 {
        LOOKS_MAX
    }

    fn call(&self, input: &Value) -> Reply {
        (self.answer)(input)
    }
}

fn tool(
    name: &'static str,
    answer: impl Fn(&Value) -> Reply + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    Arc::new(One { name, answer })
}

/// A tool that says when it begins, and ends when it is told to or nobody can tell it any more.
fn slow(name: &'static str, begun: mpsc::Sender<()>, go_on: Receiver<()>) -> Arc<dyn Tool> {
    let go_on = Mutex::new(go_on);
    tool(name, move |_| {
        let _ = begun.send(());
        let _ = go_on.lock().unwrap().recv();
        Reply::Done(json!({}))
    })
}

fn open(tools: Vec<Arc<dyn Tool>>) -> ToolServer {
    ToolServer::open_for(tools, "Bearer ticket".to_owned()).unwrap()
}

fn schema() -> AnswerSchema {
    AnswerSchema::new(json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["done"],
        "properties": {"done": {"type": "boolean"}},
    }))
    .unwrap()
}

type Client = RunningService<RoleClient, ()>;

fn with_client<T>(tool_server: &ToolServer, work: impl AsyncFnOnce(Client) -> T) -> T {
    let config = StreamableHttpClientTransportConfig::with_uri(format!(
        "http://{}/mcp",
        tool_server.address()
    ));
    with_client_at(config.auth_header("ticket"), work)
}

fn with_client_at<T>(
    config: StreamableHttpClientTransportConfig,
    work: impl AsyncFnOnce(Client) -> T,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let transport = StreamableHttpClientTransport::from_config(config);
        let client = ().serve(transport).await.unwrap();
        tokio::time::timeout(PATIENCE, work(client)).await.expect("it is answered in time")
    })
}

async fn ask(client: &Client, name: &'static str, input: Value) -> Reply {
    let Value::Object(input) = input else { panic!("tools are asked with objects") };
    let result =
        client.call_tool(CallToolRequestParams::new(name).with_arguments(input)).await.unwrap();
    match (result.is_error, result.structured_content) {
        (Some(true), _) => Reply::Refused(result.content[0].as_text().unwrap().text.clone()),
        (_, value) => Reply::Done(value.unwrap()),
    }
}

fn call(id: u64, name: &str, input: &Value) -> String {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": name, "arguments": input},
    })
    .to_string()
}

/// What a tool said, if it said something.
fn reply(said: &str) -> Option<Value> {
    let said: Value = serde_json::from_str(said).unwrap_or_else(|_| panic!("no JSON: {said}"));
    let result = &said["result"];
    assert!(result.is_object(), "no result: {said}");
    (result["isError"] != json!(true)).then(|| result["structuredContent"].clone())
}

fn post(tool_server: SocketAddr, body: &str) -> (u16, String) {
    post_as(tool_server, TICKET, body)
}

fn post_as(tool_server: SocketAddr, shown: &str, body: &str) -> (u16, String) {
    received(send(tool_server, shown, "POST", body))
}

fn send(tool_server: SocketAddr, shown: &str, method: &str, body: &str) -> TcpStream {
    let head = format!(
        "{method} /mcp HTTP/1.1\r\nhost: {tool_server}\r\n{shown}accept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len(),
    );
    written(tool_server, format!("{head}{body}").as_bytes())
}

fn written(tool_server: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(tool_server).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A tool_server may answer, and leave, before it has read all of something too large.
    let _ = stream.write_all(bytes);
    stream
}

/// The status and the body, or 0 if the connection ended without one.
fn received(mut stream: TcpStream) -> (u16, String) {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("no answer: {error}"),
    }
    let said = String::from_utf8(said).unwrap();
    let Some((head, body)) = said.split_once("\r\n\r\n") else { return (0, said) };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

const TICKET: &str = "authorization: Bearer ticket\r\n";
const LOOKS_MAX: u32 = 60;
const PATIENCE: Duration = Duration::from_secs(60);

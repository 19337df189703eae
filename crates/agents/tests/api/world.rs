//! Both ends of a conversation under test: a model that follows its script, and somebody who gives an assignment.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::time::Duration;

use sealwright_agents::adapters::api::{Api, Patience};
use sealwright_agents::{
    Agent, AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, Endpoint, Event, Key,
    Prices, Protocol,
};
use sealwright_kernel::{Access, Level, Role};
use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlot, SandboxSlots};
use serde_json::{Value, json};

/// What the host adds, and the client never has.
pub(crate) const KEY: &str = "sk-house-0123456789";

/// An answer of the right shape.
pub(crate) const ANSWER: &str = r#"{"verdict":"reject","reasons":["é","two"]}"#;

/// A model that says one thing after the other, and the last of them for ever.
pub(crate) struct Model {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    news: Mutex<mpsc::Receiver<News>>,
    is_over: Arc<AtomicBool>,
}

/// A question, as the model got it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// What happens at a model.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// A question came in.
    Asked,
    /// Somebody hung up on it while it held its tongue.
    LeftAlone,
}

/// What a model says to one question, from the first line on.
#[derive(Clone)]
pub(crate) struct Say {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

/// What a model does afterwards.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Hangs up.
    HangUp,
    /// Says nothing until the other side hangs up.
    Hold,
}

/// All that came of an assignment.
pub(crate) struct Told {
    pub(crate) outcome: CallOutcome,
    pub(crate) events: Vec<Event>,
}

impl Model {
    pub(crate) fn start(script: Vec<Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (tell, news) = mpsc::channel();
        let remembered = Arc::clone(&seen);
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let (script, remembered, tell) =
                    (script.clone(), Arc::clone(&remembered), tell.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &script, &remembered, &tell));
            }
        });
        Self { address, seen, news: Mutex::new(news), is_over }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits for what happens next.
    pub(crate) fn news(&self) -> News {
        self.news.lock().unwrap().recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn endpoint(&self, protocol: Protocol) -> Endpoint {
        Endpoint {
            base: format!("http://{}", self.address),
            protocol,
            key: Key::Secret(Secret::new(KEY)),
        }
    }

    /// An assignment for it.
    pub(crate) fn assignment(&self, protocol: Protocol) -> Assignment {
        Assignment {
            task: String::new(),
            call: "try".to_owned(),
            nth: 1,
            role: Role::Challenger,
            brief: "Judge this.".to_owned(),
            access: Access::ReadOnly,
            schema: AnswerSchema::new(schema()).unwrap(),
            budget: Budget { wall_ms_max: 60_000, ..Budget::default() },
            model: "gpt-5".to_owned(),
            endpoint: self.endpoint(protocol),
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // One last visitor, so that it notices and lets its socket go.
        let _ = TcpStream::connect(self.address);
    }
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Say {
    /// A whole answer with this status.
    pub(crate) fn whole(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!(
            "HTTP/1.1 {status} So\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        Self { bytes, then: Then::HangUp }
    }

    pub(crate) fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::whole(200, "", body)
    }

    /// The beginning of an answer that says it is longer.
    pub(crate) fn begun(body: impl AsRef<[u8]>, then: Then) -> Self {
        let mut bytes =
            b"HTTP/1.1 200 So\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n"
                .to_vec();
        bytes.extend_from_slice(body.as_ref());
        Self { bytes, then }
    }
}

/// Carries out an assignment to its end.
pub(crate) fn carry_out(assignment: &Assignment) -> Told {
    carry_out_with(&quick(), assignment, &Cancel::new().unwrap())
}

pub(crate) fn carry_out_with(api: &Api, assignment: &Assignment, cancel: &Cancel) -> Told {
    let mut events = Vec::new();
    let place = AgentSandbox {
        slot: &SEAT.1,
        mechanism: Mechanism::Nothing,
        least: Level::Advisory,
        mounts: &[],
        environment: &[],
        folder: "/work",
        tools: &[],
        conversation: None,
        cancel,
    };
    let outcome = api.carry_out(assignment, &place, &mut |event| events.push(event));
    Told { outcome, events }
}

/// A model that is not waited for between attempts.
pub(crate) fn quick() -> Api {
    let prices = Arc::new(Prices::built_in());
    Api::new("api", "openai", prices)
        .with_patience(Patience { delays_ms: vec![1, 1], waits_ms_max: 1_500 })
}

pub(crate) fn warnings(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Warning { text } => Some(text.as_str()),
            Event::Text { .. }
            | Event::ToolUse { .. }
            | Event::FileChange { .. }
            | Event::GoesOn { .. }
            | Event::Usage { .. } => None,
        })
        .collect()
}

pub(crate) fn answer() -> Value {
    serde_json::from_str(ANSWER).unwrap()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", "reasons"],
        "properties": {
            "verdict": {"type": "string", "enum": ["accept", "reject"]},
            "reasons": {"type": "array", "items": {"type": "string", "maxLength": 200}},
        },
    })
}

fn serve(
    mut stream: TcpStream,
    script: &[Say],
    remembered: &Mutex<Vec<Seen>>,
    tell: &mpsc::Sender<News>,
) {
    let Some(seen) = read(&mut stream) else { return };
    let nth = {
        let mut remembered = remembered.lock().unwrap();
        remembered.push(seen);
        remembered.len() - 1
    };
    let _ = tell.send(News::Asked);
    let say = &script[nth.min(script.len() - 1)];
    // Whoever has heard enough hangs up, and that is what some tests are about.
    if stream.write_all(&say.bytes).is_err() {
        return;
    }
    match say.then {
        Then::HangUp => {}
        Then::Hold => {
            let _ = stream.read(&mut [0]);
            let _ = tell.send(News::LeftAlone);
        }
    }
}

/// One question of known length, or in pieces.
fn read(stream: &mut TcpStream) -> Option<Seen> {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
    });
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length, 0);
            stream.read_exact(&mut body).ok()?;
        }
        None => loop {
            let size = usize::from_str_radix(&line(stream)?, 16).unwrap();
            let mut piece = vec![0; size];
            stream.read_exact(&mut piece).ok()?;
            body.append(&mut piece);
            line(stream)?;
            if size == 0 {
                break;
            }
        },
    }
    Some(Seen { head, body })
}

fn line(stream: &mut TcpStream) -> Option<String> {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        line.push(byte[0]);
    }
    line.truncate(line.len() - 2);
    String::from_utf8(line).ok()
}

/// A slot that nobody sits in: nothing is run here.
static SEAT: LazyLock<(tempfile::TempDir, SandboxSlot)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let slot = SandboxSlots::open(&folder.path().join("seats")).unwrap().take().unwrap();
    (folder, slot)
});

/// More than anything takes here, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);

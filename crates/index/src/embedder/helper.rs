//! An encoder in a program of its own, which a person configured. It speaks lines of JSON.
//!
//! ```text
//!  program ──▶ {"name":…,"revision":…,"dims":…,"tokens_max":…}          once, when it is ready
//!  index   ──▶ {"texts":[…]}
//!  program ──▶ {"vectors":[[…],…]}   or   {"error":"…"}
//! ```
//!
//! Time and output are bounded. A program that died, hangs or talks nonsense is an error of this call and is not
//! asked again.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Embedder, EmbedderError, EmbedderInfo};

/// Which program to start. It gets this environment and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelperConfig {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// For the start and for each answer.
    pub limit_ms: u64,
}

/// A running encoder. It is killed when this is dropped.
pub struct HelperProgram {
    info: EmbedderInfo,
    program: String,
    limit_ms: u64,
    running: Mutex<Option<Running>>,
}

struct Running {
    child: Child,
    requests: SyncSender<Vec<u8>>,
    answers: Receiver<Result<Vec<u8>, String>>,
}

#[derive(Serialize)]
struct Request<'a> {
    texts: &'a [&'a str],
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Answer {
    Vectors(Vec<Vec<f32>>),
    Error(String),
}

impl HelperProgram {
    /// Starts the program and refuses it if it is unfit.
    pub fn start(config: &HelperConfig) -> Result<Self, EmbedderError> {
        let program = config.program.display().to_string();
        let mut running = Running::start(config, &program)?;
        let line = running.answer(&program, config.limit_ms)?;
        let info: EmbedderInfo = serde_json::from_slice(&line).map_err(|error| {
            EmbedderError::Answer { name: program.clone(), why: error.to_string() }
        })?;
        info.check()?;
        let running = Mutex::new(Some(running));
        Ok(Self { info, program, limit_ms: config.limit_ms, running })
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut slot = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // What was asked and not answered must not answer the next question: an error ends the program.
        let ended = || EmbedderError::Ended {
            program: self.program.clone(),
            why: "an earlier call failed".into(),
        };
        let mut running = slot.take().ok_or_else(ended)?;
        let mut request = serde_json::to_vec(&Request { texts }).expect("texts are JSON");
        request.push(b'\n');
        running.send(&self.program, request)?;
        let line = running.answer(&self.program, self.limit_ms)?;
        let name = self.info.name.clone();
        match serde_json::from_slice(&line) {
            Ok(Answer::Vectors(vectors)) => {
                *slot = Some(running);
                Ok(vectors)
            }
            Ok(Answer::Error(why)) => {
                *slot = Some(running);
                Err(EmbedderError::Refused { name, why: why.chars().take(WHY_MAX).collect() })
            }
            Err(error) => Err(EmbedderError::Answer { name, why: error.to_string() }),
        }
    }
}

impl Embedder for HelperProgram {
    fn info(&self) -> &EmbedderInfo {
        &self.info
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_MAX) {
            vectors.extend(self.ask(batch)?);
        }
        Ok(vectors)
    }
}

impl Running {
    #[expect(
        clippy::disallowed_methods,
        reason = "a person configured this program; it sees texts of the index and no candidate's code"
    )]
    fn start(config: &HelperConfig, program: &str) -> Result<Self, EmbedderError> {
        let failed = |source| EmbedderError::Start { program: program.to_owned(), source };
        let mut child = std::process::Command::new(&config.program)
            .args(&config.args)
            .env_clear()
            .envs(config.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take().expect("it was asked for");
        let output = child.stdout.take().expect("it was asked for");
        let (send_request, requests) = sync_channel(1);
        let (send_answer, answers) = sync_channel(1);
        let running = Self { child, requests: send_request, answers };
        // A pipe can block in both directions, so each has a thread; both end with the program.
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(work).map_err(failed)
        };
        spawn("embedder-input", Box::new(move || write_requests(input, &requests)))?;
        let reader = BufReader::new(output);
        spawn("embedder-output", Box::new(move || read_answers(reader, &send_answer)))?;
        Ok(running)
    }

    fn send(&self, program: &str, request: Vec<u8>) -> Result<(), EmbedderError> {
        let ended = |_| EmbedderError::Ended {
            program: program.to_owned(),
            why: "it reads no more requests".into(),
        };
        self.requests.send(request).map_err(ended)
    }

    fn answer(&mut self, program: &str, limit_ms: u64) -> Result<Vec<u8>, EmbedderError> {
        let program = || program.to_owned();
        match self.answers.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(why)) => Err(EmbedderError::Ended { program: program(), why }),
            Err(RecvTimeoutError::Timeout) => {
                Err(EmbedderError::TimedOut { program: program(), limit_ms })
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(EmbedderError::Ended { program: program(), why: "it closed its output".into() })
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_requests(mut input: ChildStdin, requests: &Receiver<Vec<u8>>) {
    for request in requests {
        if input.write_all(&request).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_answers(mut output: impl BufRead, answers: &SyncSender<Result<Vec<u8>, String>>) {
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(ANSWER_BYTES_MAX).read_until(b'\n', &mut line);
        let answer = match read {
            Err(error) => Err(error.to_string()),
            Ok(_) if line.ends_with(b"\n") => Ok(line),
            Ok(0) => Err("it closed its output".into()),
            Ok(_) if line.len() as u64 >= ANSWER_BYTES_MAX => {
                Err(format!("an answer is longer than {ANSWER_BYTES_MAX} bytes"))
            }
            Ok(_) => Err("its answer is cut short".into()),
        };
        let is_last = answer.is_err();
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

/// Texts of one request.
const BATCH_MAX: usize = 64;
/// Room for a batch of the longest vectors, written with every digit.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
const WHY_MAX: usize = 500;

#[cfg(test)]
mod tests;

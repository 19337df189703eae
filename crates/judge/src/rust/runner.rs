//! Programs of the candidate, started for tests that are elsewhere.

use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::server::failed;
use crate::shared_files::open_to_both;
use crate::wire::{FRAME_BYTES_MAX, V, bytes, items, list, of_bytes, send};

/// What was started since somebody began.
#[derive(Default)]
pub struct Running {
    is_over: Arc<AtomicBool>,
    all: Vec<JoinHandle<()>>,
}

impl Running {
    /// Runs a program and answers whoever asked when it has ended.
    pub fn start(&mut self, stream: &UnixStream, whose: V, what: V) {
        let Ok(mut stream) = stream.try_clone() else { return };
        let is_over = self.is_over.clone();
        self.all.push(std::thread::spawn(move || {
            let answer = run(what);
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let (kind, value) = match answer {
                Ok(value) if value.written().len() < FRAME_BYTES_MAX - ROOM => {
                    (V::Text("ok".to_owned()), value)
                }
                Ok(_) => failed("it says too much"),
                Err(why) => failed(&why),
            };
            let frame = [kind, whose, value, V::List(vec![]), V::List(vec![])];
            let _ = send(&mut stream, &V::List(frame.into()));
        }));
    }
}

impl Drop for Running {
    /// Nothing of it is there when the next test begins.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        end_all_others();
        self.all.drain(..).for_each(|it| {
            let _ = it.join();
        });
    }
}

fn run(what: V) -> Result<V, String> {
    let mut parts = items(what).ok_or(ODD)?;
    let mut part = || parts.next().ok_or(ODD);
    let V::Text(name) = part()? else { return Err(ODD.to_owned()) };
    let text = |it: V| of_bytes(it).map(OsString::from_vec).ok_or(ODD);
    let all = |it: V| -> Result<Vec<V>, &str> { Ok(items(it).ok_or(ODD)?.collect()) };
    let words: Vec<OsString> = all(part()?)?.into_iter().map(text).collect::<Result<_, _>>()?;
    let mut command = Command::new(Path::new(crate::PROGRAMS).join(name.replace('/', "")));
    command.args(words).current_dir(text(part()?)?);
    for pair in all(part()?)? {
        let [name, value] = <[V; 2]>::try_from(all(pair)?).map_err(|_| ODD)?;
        command.env(text(name)?, text(value)?);
    }
    for name in all(part()?)? {
        command.env_remove(text(name)?);
    }
    let input = of_bytes(part()?).ok_or(ODD)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (mut own, out, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // A program need not read.
    std::thread::spawn(move || own.as_mut().map(|it| it.write_all(&input)));
    let (out, errors) = (said(out), said(errors));
    let ended = child.wait().map_err(|error| error.to_string())?;
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if out.len().max(errors.len()) as u64 > SAID_BYTES_MAX {
        return Err("it says too much".to_owned());
    }
    open_to_both();
    let code = ended.code().map_or_else(|| -ended.signal().unwrap_or(9), |it| it);
    Ok(list([V::Int(code.into()), bytes(&out), bytes(&errors)]))
}

fn said(from: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        let _ = from.map(|it| it.take(SAID_BYTES_MAX + 1).read_to_end(&mut all));
        all
    })
}

/// Ends every process there is but this one and the first, whatever it has become.
fn end_all_others() {
    if is_behind_walls() {
        // SAFETY: it names no process, and touches no memory.
        unsafe { kill(-1, 9) };
    }
}

/// Whether all processes and files that can be reached are those of a room.
pub fn is_behind_walls() -> bool {
    std::process::id() <= FIRST_MAX && std::os::unix::process::parent_id() == 1
}

unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
}

const ODD: &str = "a question that is none";
/// The highest number of a process that a room begins with.
const FIRST_MAX: u32 = 4;
/// The most that it may say, on either side.
const SAID_BYTES_MAX: u64 = 2 << 20;
/// What else is in a frame.
const ROOM: usize = 4096;

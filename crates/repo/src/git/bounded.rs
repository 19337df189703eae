//! Runs `git` with an end: what it prints and how long it takes have bounds. A tree of a hundred bytes can name more files
//! than a machine has memory for.

use std::io::{self, Read};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Runs the command to its end. One that prints too much or takes too long is killed, and an error.
pub(super) fn output(command: &mut Command) -> io::Result<Output> {
    within(command, STDOUT_BYTES_MAX, WAIT_MAX)
}

fn within(command: &mut Command, bytes_max: u64, wait_max: Duration) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stderr = child.stderr.take().map(|pipe| heard(pipe, STDERR_BYTES_MAX));
    let stdout = child.stdout.take().map(|pipe| heard(pipe, bytes_max));
    let read = |pipe: Option<Receiver<io::Result<Vec<u8>>>>| match pipe {
        None => Ok(Vec::new()),
        Some(pipe) => match pipe.recv_timeout(wait_max) {
            Ok(read) => read,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"))
            }
        },
    };
    let printed = read(stdout).and_then(|stdout| Ok((stdout, read(stderr)?)));
    if printed.is_err() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let (stdout, stderr) = printed?;
    Ok(Output { status, stdout, stderr })
}

/// Reads a pipe to its end on a thread of its own.
fn heard(pipe: impl Read + Send + 'static, bytes_max: u64) -> Receiver<io::Result<Vec<u8>>> {
    let (tell, told) = sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(bytes_max + 1).read_to_end(&mut bytes);
        let read = read.and_then(|read| match read as u64 > bytes_max {
            true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "it printed too much")),
            false => Ok(bytes),
        });
        let _ = tell.send(read);
    });
    told
}

/// Room for the names of a million files.
const STDOUT_BYTES_MAX: u64 = 128 << 20;
const STDERR_BYTES_MAX: u64 = 1 << 20;
const WAIT_MAX: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a program that goes on for ever")]
    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_is_printed_is_heard_whole() {
        let output = within(&mut sh("echo out; echo err >&2; exit 3"), 4, WAIT_MAX).unwrap();
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(output.status.code(), Some(3));
    }

    /// Without an end to them this test has none.
    #[test]
    fn what_prints_too_much_or_takes_too_long_is_ended() {
        let error = within(&mut sh("yes"), 1 << 16, WAIT_MAX).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let error = within(&mut sh("exec sleep 600"), 1, Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}

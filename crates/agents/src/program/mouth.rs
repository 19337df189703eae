//! What is said to an agent: a pipe, and a thread that feeds it, so that an agent which does not read blocks no other thread.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

/// Says things to an agent. Dropping it, or closing it, ends what the agent reads.
pub(super) struct Mouth {
    words: Option<SyncSender<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// It waits for the agent, or was read already.
    OnItsWay,
    /// The agent reads no more; that is its own affair.
    ToNobody,
    /// So much waits for the agent already that nothing more is kept.
    TooMuch,
}

impl Mouth {
    /// What the agent reads from, and what it is told by.
    pub(super) fn open() -> io::Result<(OwnedFd, Self)> {
        let (reader, mut writer) = io::pipe()?;
        let (words, said) = sync_channel::<String>(WAITING_MAX);
        // It ends with the last word, or with the agent: then the pipe breaks.
        std::thread::Builder::new().name("mouth".to_owned()).spawn(move || {
            for words in said {
                if writer.write_all(words.as_bytes()).is_err() {
                    return;
                }
            }
        })?;
        Ok((reader.into(), Self { words: Some(words) }))
    }

    pub(super) fn say(&mut self, words: String) -> Spoken {
        let Some(mouth) = &self.words else { return Spoken::ToNobody };
        match mouth.try_send(words) {
            Ok(()) => Spoken::OnItsWay,
            Err(TrySendError::Full(_)) => Spoken::TooMuch,
            Err(TrySendError::Disconnected(_)) => Spoken::ToNobody,
        }
    }

    /// Says nothing more. What was said before still arrives.
    pub(super) fn close(&mut self) {
        self.words = None;
    }
}

/// Things that wait for an agent to read them.
const WAITING_MAX: usize = 256;

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn everything_said_before_the_end_arrives() {
        let (reader, mut mouth) = Mouth::open().unwrap();
        assert_eq!(mouth.say("one\n".to_owned()), Spoken::OnItsWay);
        assert_eq!(mouth.say("x".repeat(1 << 20)), Spoken::OnItsWay);
        mouth.close();
        assert_eq!(mouth.say("late".to_owned()), Spoken::ToNobody);
        let mut heard = String::new();
        std::fs::File::from(reader).read_to_string(&mut heard).unwrap();
        assert_eq!(heard.len(), 4 + (1 << 20));
    }

    #[test]
    fn an_agent_that_does_not_read_is_not_waited_for() {
        let (reader, mut mouth) = Mouth::open().unwrap();
        let large = "x".repeat(1 << 20);
        // One is being written, and the others wait.
        let taken =
            (0..WAITING_MAX + 2).filter(|_| mouth.say(large.clone()) == Spoken::OnItsWay).count();
        assert!((WAITING_MAX..=WAITING_MAX + 1).contains(&taken), "{taken}");
        assert_eq!(mouth.say(large), Spoken::TooMuch);
        drop(reader);
    }
}

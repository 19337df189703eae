//! Between the two ends: questions are carried as they are, answers as far as they are allowed.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

use crate::{Boundary, Malformed};

/// Carries until one side is gone, or the candidate sends what no candidate may send.
pub fn carry(judge: UnixStream, candidate: UnixStream) -> Option<Malformed> {
    let (Ok(asked), Ok(answering)) = (judge.try_clone(), candidate.try_clone()) else {
        return None;
    };
    thread::scope(|scope| {
        scope.spawn(move || hand_on(asked, answering));
        check(candidate, judge)
    })
}

/// Carries what the judge asks, as it is.
fn hand_on(mut judge: UnixStream, mut candidate: UnixStream) {
    // Whichever side is gone, the other hears of it below.
    let _ = io::copy(&mut judge, &mut candidate);
    let _ = candidate.shutdown(Shutdown::Both);
}

/// Carries what the candidate answers, as far as it is allowed. The first frame that is not ends it all.
fn check(mut candidate: UnixStream, mut judge: UnixStream) -> Option<Malformed> {
    let (mut boundary, mut piece) = (Boundary::default(), vec![0; PIECE_BYTES]);
    let mut malformed = None;
    while let Ok(count @ 1..) = candidate.read(&mut piece) {
        match boundary.take(&piece[..count]) {
            Ok(frames) if judge.write_all(&frames).is_ok() => {}
            Ok(_) => break,
            Err(why) => {
                malformed = Some(why);
                break;
            }
        }
    }
    let _ = candidate.shutdown(Shutdown::Both);
    let _ = judge.shutdown(Shutdown::Both);
    malformed
}

const PIECE_BYTES: usize = 1 << 16;

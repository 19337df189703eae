//! The end at the tests: calls go out, values come back.

// Crates of earlier editions have to ask for it.
use std::convert::TryFrom as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;

use super::wire::{V, list, receive, send};

/// An object that stays with the candidate.
#[derive(Clone, Copy, Debug)]
pub enum Handle {
    Object(u64),
    /// A constant of its crate, by its number.
    Constant(u64),
}

impl Handle {
    /// It stays with the tests.
    pub fn lent(self) -> V {
        match self {
            Self::Object(id) => list([V::Int(0), V::Int(id as i64)]),
            Self::Constant(nth) => list([V::Int(2), V::Int(nth as i64)]),
        }
    }

    /// It goes back to the candidate.
    pub fn given(self) -> V {
        match self {
            Self::Object(id) => list([V::Int(1), V::Int(id as i64)]),
            Self::Constant(_) => self.lent(),
        }
    }

    pub fn get(value: V) -> Option<Self> {
        if let V::Int(id @ 0..) = value { Some(Self::Object(id as u64)) } else { None }
    }

    pub fn release(self) {
        if let Self::Object(id) = self {
            // A test that is failing already needs no second failure.
            let _ = ask(0, vec![V::Int(id as i64)]);
        }
    }
}

/// Calls a function of the candidate. What it panics with is a panic here.
pub fn call<T: super::wire::Wire>(number: u64, arguments: Vec<V>) -> T {
    match ask(number, arguments) {
        Ok(value) => T::get(value).expect("the candidate sent what its own types do not have"),
        Err(text) => panic!("{text}"),
    }
}

pub fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// The letters of a text; of a map it may tell in any order.
pub fn sorted(text: String) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

/// Why an error came about, as its causes say it.
pub struct Cause {
    shown: String,
    written: String,
    next: Option<&'static Cause>,
}

pub fn cause(all: Vec<(String, String)>) -> Option<&'static (dyn std::error::Error + 'static)> {
    let mut next = None;
    for (shown, written) in all.into_iter().rev() {
        next = Some(leaked(Cause { shown, written, next }));
    }
    next.map(|it| it as _)
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.shown)
    }
}

impl std::fmt::Debug for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.written)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.next.map(|it| it as _)
    }
}

/// Has a new process begin. Answers to whoever asked before are not for this one.
fn begun(mut stream: UnixStream) -> std::io::Result<UnixStream> {
    if let Some(path) = std::env::var_os("JUDGE_ASKED") {
        std::fs::write(path, "")?;
    }
    let own = std::process::id();
    send(&mut stream, &V::List(vec![V::Text("new".to_owned()), V::Int(own.into())]))?;
    loop {
        let V::List(answer) = receive(&mut stream)? else { continue };
        if matches!(answer.get(2), Some(V::Int(it)) if *it == i64::from(own)) {
            return Ok(stream);
        }
    }
}

fn ask(number: u64, arguments: Vec<V>) -> Result<V, String> {
    static STREAM: Mutex<Option<UnixStream>> = Mutex::new(None);
    let mut stream = STREAM.lock().unwrap_or_else(|it| it.into_inner());
    if stream.is_none() {
        let own = std::io::stdin().as_fd().try_clone_to_owned().map_err(|it| it.to_string())?;
        *stream = Some(begun(UnixStream::from(own)).map_err(|it| it.to_string())?);
    }
    let stream = stream.as_mut().ok_or("no way to the candidate")?;
    let number = i64::try_from(number).unwrap_or(-1);
    let question = V::List(vec![V::Text("call".to_owned()), V::Int(number), list(arguments)]);
    send(stream, &question).map_err(|_| "the candidate is gone".to_owned())?;
    let V::List(answer) = receive(stream).map_err(|_| "the candidate is gone".to_owned())? else {
        return Err("an answer that is none".to_owned());
    };
    match <[V; 5]>::try_from(answer) {
        Ok([V::Text(kind), _, value, _, _]) if kind == "ok" => Ok(value),
        Ok([V::Text(kind), _, V::List(error), _, _]) if kind == "raise" => match error.get(5) {
            Some(V::Text(text)) => Err(text.clone()),
            _ => Err("an error without a text".to_owned()),
        },
        _ => Err("the candidate is gone".to_owned()),
    }
}

//! What tests start in place of a program of the candidate: it has the program run where the candidate is, says what that
//! says, and ends as it ends.

// Crates of earlier editions have to ask for it.
use std::convert::TryFrom as _;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Component, Path, PathBuf};

use crate::shared_files::{EXCHANGE, open_to_both};
use crate::wire::{V, bytes, items, list, of_bytes, receive, send};

pub fn main() {
    match started() {
        Ok((end, out, errors)) => {
            // A test that does not listen any more gets nothing.
            let _ = io::stdout().write_all(&out).and_then(|()| io::stdout().flush());
            let _ = io::stderr().write_all(&errors);
            if end >= 0 {
                std::process::exit(end as i32);
            }
            // SAFETY: it sends itself the signal that the program ended with.
            unsafe { kill(std::process::id() as i32, -end as i32) };
            std::process::abort();
        }
        Err(error) => {
            // A test that expects a failure does not get this one.
            let _ = fs::write(BROKEN, error.to_string());
            eprintln!("the program could not be run: {error}");
            std::process::exit(70);
        }
    }
}

/// How the program ended, below zero by a signal, and what it said.
fn started() -> io::Result<(i64, Vec<u8>, Vec<u8>)> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let folder = folder(&std::env::current_dir()?, &words)?;
    open_to_both();
    let (set, unset) = environment()?;
    let what = list([
        V::Text(env!("CARGO_BIN_NAME").to_owned()),
        list(words.iter().map(|it| bytes(it.as_bytes()))),
        bytes(folder.as_os_str().as_bytes()),
        list(set.iter().map(|(name, value)| list([bytes(name), bytes(value)]))),
        list(unset.iter().map(|it| bytes(it))),
        bytes(&input()?),
    ]);
    // One after the other: there is one way to the candidate.
    let turn = File::create(TURN)?;
    turn.lock()?;
    // SAFETY: whoever runs the tests opened it before them, and nobody closes it.
    let channel = unsafe { BorrowedFd::borrow_raw(CHANNEL) };
    let mut stream = UnixStream::from(channel.try_clone_to_owned()?);
    let own = V::Int(std::process::id().into());
    if !Path::new(ASKED).exists() {
        fs::write(ASKED, "")?;
        send(&mut stream, &V::List(vec![V::Text("new".to_owned()), own.clone()]))?;
        while !matches!(receive(&mut stream)?, V::List(it) if it.get(2) == Some(&own)) {}
    }
    send(&mut stream, &V::List(vec![V::Text("run".to_owned()), own.clone(), what]))?;
    loop {
        let V::List(answer) = receive(&mut stream)? else { continue };
        let odd = || io::Error::other("an answer that is none");
        match <[V; 5]>::try_from(answer) {
            Ok([V::Text(kind), whose, value, _, _]) if kind == "ok" && whose == own => {
                let mut parts = items(value).ok_or_else(odd)?;
                let Some(V::Int(code)) = parts.next() else { return Err(odd()) };
                let mut said = || parts.next().and_then(of_bytes).ok_or_else(odd);
                return Ok((code, said()?, said()?));
            }
            Ok([_, whose, V::List(error), _, _]) if whose == own => {
                let Some(V::Text(text)) = error.get(5) else { return Err(odd()) };
                return Err(io::Error::other(text.clone()));
            }
            _ => {}
        }
    }
}

/// Where the program runs: a folder that both have. Of any other one it gets what its words name.
fn folder(own: &Path, words: &[OsString]) -> io::Result<PathBuf> {
    if own.starts_with(EXCHANGE) {
        return Ok(own.to_owned());
    }
    let depth = own.components().count() - 1;
    let top = Path::new(EXCHANGE).join(format!("of-{}", std::process::id()));
    let into = top.join(own.strip_prefix("/").unwrap_or(own));
    fs::create_dir_all(&into)?;
    let mut left = FILES_MAX;
    for word in words {
        let behind = word.as_bytes().splitn(2, |it| *it == b'=').nth(1).unwrap_or_default();
        for named in [word.as_bytes(), behind] {
            let named = PathBuf::from(OsString::from_vec(named.to_vec()));
            let ups = named.components().filter(|it| *it == Component::ParentDir).count();
            let is_inside = named.is_relative() && !named.as_os_str().is_empty() && ups <= depth;
            if is_inside && own.join(&named).exists() {
                copy(&own.join(&named), &into.join(&named), &mut left)?;
            }
        }
    }
    Ok(into)
}

fn copy(from: &Path, into: &Path, left: &mut u32) -> io::Result<()> {
    *left = left.checked_sub(1).ok_or_else(|| io::Error::other("too many files are named"))?;
    if from.is_dir() {
        fs::create_dir_all(into)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &into.join(entry.file_name()), left)?;
        }
        return Ok(());
    }
    if let Some(above) = into.parent() {
        fs::create_dir_all(above)?;
    }
    fs::copy(from, into).map(|_| ())
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// What the test set and what it took away, of what it found itself.
fn environment() -> io::Result<(Pairs, Vec<Vec<u8>>)> {
    let found = fs::read(FOUND)?;
    let pair = |it: &[u8]| {
        let at = it.iter().position(|it| *it == b'=')?;
        Some((it[..at].to_vec(), it[at + 1..].to_vec()))
    };
    let found: Pairs = found.split(|it| *it == 0).filter_map(pair).collect();
    let own: Pairs =
        std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
    let is_ours = |name: &[u8]| name.starts_with(b"JUDGE_") || OF_A_SHELL.contains(&name);
    let set = own.iter().filter(|it| !is_ours(&it.0) && !found.contains(it)).cloned().collect();
    let is_gone = |it: &&(Vec<u8>, Vec<u8>)| own.iter().all(|(name, _)| *name != it.0);
    let gone = found.iter().filter(is_gone).filter(|it| !is_ours(&it.0));
    Ok((set, gone.map(|(name, _)| name.clone()).collect()))
}

/// What the test hands it to read. The way to the candidate is nothing to read.
fn input() -> io::Result<Vec<u8>> {
    let of = |number: i32| fs::read_link(format!("/proc/self/fd/{number}"));
    let mut input = Vec::new();
    if of(0)? != of(CHANNEL)? {
        io::stdin().take(INPUT_BYTES_MAX).read_to_end(&mut input)?;
    }
    Ok(input)
}

unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
}

/// Where whoever runs the tests has opened the way to the candidate.
const CHANNEL: i32 = 9;
const ASKED: &str = "/tmp/asked";
const BROKEN: &str = "/tmp/broken";
const TURN: &str = "/tmp/turn";
/// The environment that tests find, as `env -0` writes it.
const FOUND: &str = "/tmp/environment";
const OF_A_SHELL: [&[u8]; 4] = [b"_", b"PWD", b"OLDPWD", b"SHLVL"];
const INPUT_BYTES_MAX: u64 = 2 << 20;
const FILES_MAX: u32 = 10_000;

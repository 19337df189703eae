//! The clock is set back by a day in the middle of a run, so that all records are from the future.
//!
//! libfaketime changes the time for `sealwright` only; the clock of the machine stays. Agents and gates in the sandbox
//! keep the right time. No decision may depend on either.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{missing_words, stop_at};
use crate::kills::go_on;
use crate::undisturbed::Undisturbed;

pub(super) fn set_back(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let library = LIBRARIES.iter().find(|path| Path::new(path).is_file());
    let library = library.context("libfaketime is not installed (apt-get install libfaketime)")?;
    let repository = undisturbed.anew("clock-set-back")?;
    stop_at(undisturbed, &repository, "tests")?;
    let ran = go_on(&repository)
        .with("LD_PRELOAD", library)
        .with("FAKETIME", "-1d")
        .with("PATH", without_rust()?)
        .run()?;
    let mut wrong = missing_words(&ran, 0, &[]);
    wrong.extend(undisturbed.compare(&repository, &ran)?);
    Ok(("it goes on a day before it began".to_owned(), wrong))
}

/// `PATH` without Rust: its compiler does not start under libfaketime, and a Python project does not need it.
fn without_rust() -> Result<OsString> {
    let path = std::env::var_os("PATH").context("there is no PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("rustc").exists());
    Ok(std::env::join_paths(folders)?)
}

const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

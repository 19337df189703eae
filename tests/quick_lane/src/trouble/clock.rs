//! The clock is set back by a day between two halves of an run, so that everything on record is from the future.
//!
//! The machine's own clock is left alone: libfaketime stands between `sealwright` and the system, and tells it another
//! time. Agents and gates, behind their walls, keep the right one; nobody's order of things depends on either.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{stop_at, told};
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
    let mut wrong = told(&ran, 0, &[]);
    wrong.extend(undisturbed.compare(&repository, &ran)?);
    Ok(("it goes on a day before it began".to_owned(), wrong))
}

/// Where programs are found, except Rust's: its compiler does not start where somebody stands between it and the
/// system, and a project in Python needs none.
fn without_rust() -> Result<OsString> {
    let path = std::env::var_os("PATH").context("there is no PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("rustc").exists());
    Ok(std::env::join_paths(folders)?)
}

const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

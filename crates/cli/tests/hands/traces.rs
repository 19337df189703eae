//! Leaves the journals of real runs where `cargo xtask prove hands` reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Copies the streams below `records` into `$SEALWRIGHT_TEST_JOURNALS/<program>/<test>/<nth run>`, if the variable is
/// set. The thread of a test has its name.
pub(crate) fn leave(records: &Path) {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = std::env::var_os("SEALWRIGHT_TEST_JOURNALS").map(PathBuf::from) else {
        return;
    };
    let thread = std::thread::current();
    let nth = RUNS.fetch_add(1, Ordering::Relaxed).to_string();
    let run = folder.join(env!("CARGO_CRATE_NAME")).join(thread.name().unwrap_or("?")).join(nth);
    for stream in fs::read_dir(records.join("journal")).into_iter().flatten().flatten() {
        let into = run.join(stream.file_name());
        fs::create_dir_all(&into).unwrap();
        for segment in fs::read_dir(stream.path()).unwrap().flatten() {
            fs::copy(segment.path(), into.join(segment.file_name())).unwrap();
        }
    }
}

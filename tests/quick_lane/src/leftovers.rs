//! Finds processes that outlived the program that started them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::program::{now, pause};

/// Every process that refers to the state folder, by its arguments, its environment or its mounts. Processes that end
/// within a short time do not count.
pub fn left_running(folder: &Path) -> Vec<String> {
    let until = now() + PATIENCE;
    loop {
        let found = processes(folder);
        if found.is_empty() || now() > until {
            return found;
        }
        pause(GLANCE);
    }
}

fn processes(folder: &Path) -> Vec<String> {
    let place = folder.as_os_str().as_encoded_bytes();
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let knows = |file: &str| read(file).windows(place.len()).any(|part| part == place);
        if ["cmdline", "environ", "mountinfo"].into_iter().any(knows) {
            let words = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            let words: String = words.chars().take(WORDS_SHOWN).collect();
            found.push(format!("left running: {name}: {words}"));
        }
    }
    found
}

/// A process may take a moment to end.
const PATIENCE: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(50);
const WORDS_SHOWN: usize = 160;

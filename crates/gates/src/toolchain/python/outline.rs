//! Python files are outlined by Python itself, behind walls. It reads them as text and runs nothing of them.

use serde::Deserialize;

use crate::toolchain::language::Unread;
use crate::toolchain::outline::Outline;

pub(super) fn argv() -> Vec<String> {
    // Isolated: neither the folder it stands in nor the environment decides what it loads.
    ["python3", "-I", "-S", "-B", "-c", SCRIPT].map(str::to_owned).into()
}

pub(super) fn read(stdout: &[u8]) -> Result<Vec<Outline>, Unread> {
    let unread = |why: String| Unread { path: "the answer".to_owned(), why };
    if stdout.len() > BYTES_MAX {
        return Err(unread("it is too long".to_owned()));
    }
    let answers: Vec<Answer> =
        serde_json::from_slice(stdout).map_err(|error| unread(error.to_string()))?;
    let outlines = answers.into_iter().map(|answer| match answer {
        Answer::Outline(outline) => Ok(outline),
        Answer::Unread { path, why } => Err(Unread { path, why }),
    });
    outlines.collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Outline(Outline),
    Unread { path: String, why: String },
}

const SCRIPT: &str = include_str!("outline.py");
const BYTES_MAX: usize = 64 << 20;

//! Tools that are not part of the system: toolchains that people install in their homes.
//!
//! Each appears under one fixed path, so that what is built means the same on every machine.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The folder that holds all of it.
    pub source: PathBuf,
    /// Where it appears, inside.
    pub at: &'static str,
}

/// The tools there are, found by asking them where they live. They are asked once per process.
pub fn found() -> &'static [Tool] {
    static FOUND: OnceLock<Vec<Tool>> = OnceLock::new();
    FOUND.get_or_init(look)
}

fn look() -> Vec<Tool> {
    let ask = |&(program, words, at): &(&str, &[&str], &'static str)| {
        let source = PathBuf::from(answer(program, words)?);
        // What is in the system is there anyway.
        let is_apart =
            source.is_absolute() && !source.starts_with("/usr") && source.join("bin").is_dir();
        is_apart.then_some(Tool { source, at })
    };
    ASKED.iter().filter_map(ask).collect()
}

/// A program on `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// What a program prints. Nothing, if it fails or prints nothing.
pub(crate) fn answer(program: &str, words: &[&str]) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the sandbox, asking a program of the person's own"
    )]
    let output = std::process::Command::new(program)
        .args(words)
        .current_dir(Path::new("/"))
        .output()
        .ok()?;
    let said = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !said.is_empty()).then_some(said)
}

const ASKED: &[(&str, &[&str], &str)] = &[
    ("rustc", &["--print", "sysroot"], "/opt/rust"),
    ("python3", &["-c", "import sys; print(sys.base_prefix)"], "/opt/python"),
    (
        "node",
        &["-p", "require('path').dirname(require('path').dirname(process.execPath))"],
        "/opt/node",
    ),
];

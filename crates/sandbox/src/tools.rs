//! Tools that are not part of the system: toolchains that people install in their homes.
//!
//! Each appears under one fixed path, so that what is built means the same on every machine.

use std::path::{Path, PathBuf};

/// A tool that was found on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The folder that holds all of it.
    pub source: PathBuf,
    /// Where it appears, inside.
    pub at: &'static str,
}

/// The tools there are, found by asking them where they live.
pub fn found() -> Vec<Tool> {
    let ask = |&(program, words, at): &(&str, &[&str], &'static str)| {
        let source = PathBuf::from(answer(program, words)?);
        // What is in the system is there anyway.
        let is_apart =
            source.is_absolute() && !source.starts_with("/usr") && source.join("bin").is_dir();
        is_apart.then_some(Tool { source, at })
    };
    ASKED.iter().filter_map(ask).collect()
}

/// The Rust toolchain on `PATH`, wherever it lives.
pub fn rust() -> Option<PathBuf> {
    answer("rustc", &["--print", "sysroot"]).map(PathBuf::from)
}

/// The interpreter behind `program` and the folder of packages it has pytest in, if it has it.
pub fn python_with_pytest(program: &Path) -> Option<(PathBuf, PathBuf)> {
    let said = answer(program.to_str()?, &["-I", "-c", WITH_PYTEST])?;
    let (interpreter, site) = said.split_once('\n')?;
    Some((interpreter.into(), site.into()))
}

fn answer(program: &str, words: &[&str]) -> Option<String> {
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

const WITH_PYTEST: &str = "import sys, os, pytest; print(sys.base_prefix); print(os.path.dirname(os.path.dirname(pytest.__file__)))";

const ASKED: &[(&str, &[&str], &str)] = &[
    ("rustc", &["--print", "sysroot"], "/opt/rust"),
    ("python3", &["-c", "import sys; print(sys.base_prefix)"], "/opt/python"),
    (
        "node",
        &["-p", "require('path').dirname(require('path').dirname(process.execPath))"],
        "/opt/node",
    ),
];

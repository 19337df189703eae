//! Opens a pull request with `gh`, under the login of the person.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use sealwright_views::PullRequest;

use crate::error::{CliError, CliResult};

pub(super) struct Asked<'a> {
    pub(super) head: &'a str,
    pub(super) base: Option<&'a str>,
    pub(super) request: &'a PullRequest,
}

/// Opens the pull request and returns the answer of `gh`, its URL.
///
/// Arguments are passed without a shell, the body through standard input.
#[expect(clippy::disallowed_methods, reason = "the person asked for it with --create")]
pub(super) fn create(repository: &Path, asked: &Asked<'_>) -> CliResult<String> {
    let mut command = Command::new("gh");
    command.args(["pr", "create", "--head", asked.head, "--title", &asked.request.title]);
    command.args(["--body-file", "-"]);
    if let Some(base) = asked.base {
        command.args(["--base", base]);
    }
    // Standard input is the body, so `gh` cannot prompt.
    command.env("GH_PROMPT_DISABLED", "1").current_dir(repository);
    let failed = |source| CliError::NoGh { source };
    let mut gh = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = gh.stdin.take() {
        // If `gh` does not read the body, its exit code reports the failure.
        let _ = input.write_all(asked.request.body.as_bytes());
    }
    let mut said = Vec::new();
    if let Some(output) = gh.stdout.take() {
        output.take(SAID_BYTES_MAX).read_to_end(&mut said).map_err(failed)?;
    }
    let ended = gh.wait().map_err(failed)?;
    if ended.success() {
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    } else {
        Err(CliError::Gh { ended: ended.to_string() })
    }
}

const SAID_BYTES_MAX: u64 = 64 * 1024;

//! `sealwright hooks`: a pre-push hook that verifies every pushed commit.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sealwright_kernel::Digest;
use sealwright_repo::{HookHome, hooks_of};
use sealwright_views::wire::{HookReport, HookState};

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, good, sanitize, say};
use crate::person::refuse_roles;
use crate::repository::Repository;

/// Install a git hook that runs `verify` before every push.
///
/// The hook verifies the pushed commit, not the working tree: a false record or a commit that is not what it says stops
/// the push, changes by people do not. A hook of another origin is never replaced.
/// `git push --no-verify` skips the hook; for a check that cannot be skipped, run `verify` on the server.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Install the hook.
    Install {
        /// Trust only this key; see `verify --trust`. Can be repeated.
        #[arg(long, value_name = "FILE|KEY")]
        trust: Vec<String>,
    },
    /// Remove the hook, if it is unchanged since `install`.
    Uninstall,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    refuse_roles()?;
    let home = hooks_of(&repository.root)?;
    let path = home.folder.join("pre-push");
    let state = match &args.what {
        What::Install { trust } => {
            let script = script(&home, trust)?;
            install(&path, &script)?
        }
        What::Uninstall => uninstall(&path)?,
    };
    let shown = path.display().to_string();
    if output.format == Format::Json {
        return output.json(&HookReport { hook: shown.into(), state });
    }
    output.line(&format!("{} {}: {}", good("✓"), sanitize(&shown), word(state)))?;
    if state == HookState::Installed {
        say("every push is verified; `git push --no-verify` skips the hook");
    }
    Ok(())
}

fn word(state: HookState) -> &'static str {
    match state {
        HookState::Installed => "installed",
        HookState::Removed => "removed",
        HookState::Absent => "absent",
    }
}

fn install(path: &Path, script: &str) -> CliResult<HookState> {
    let failed = |source| CliError::NotWritten { file: path.display().to_string(), source };
    match found(path)? {
        Found::Ours => fs::remove_file(path).map_err(failed)?,
        Found::Nothing => {}
        Found::Foreign => return Err(CliError::Hook { hook: path.display().to_string() }),
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = fs::OpenOptions::new();
    let mut file = file.write(true).create_new(true).mode(0o755).open(path).map_err(failed)?;
    file.write_all(script.as_bytes()).map_err(failed)?;
    Ok(HookState::Installed)
}

fn uninstall(path: &Path) -> CliResult<HookState> {
    match found(path)? {
        Found::Nothing => Ok(HookState::Absent),
        Found::Foreign => Err(CliError::Hook { hook: path.display().to_string() }),
        Found::Ours => {
            let failed = |source| CliError::NotWritten { file: path.display().to_string(), source };
            fs::remove_file(path).map_err(failed)?;
            Ok(HookState::Removed)
        }
    }
}

enum Found {
    Nothing,
    Ours,
    Foreign,
}

/// Whether the hook is the unchanged script of `install`.
fn found(path: &Path) -> CliResult<Found> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Ok(meta) if meta.is_file() && meta.len() <= HOOK_BYTES_MAX => {}
        Ok(_) | Err(_) => return Ok(Found::Foreign),
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let ours = text.strip_prefix(OPENS).and_then(|rest| rest.split_once('\n'));
    Ok(match ours {
        Some((digest, body)) if digest == Digest::of(body.as_bytes()).to_string() => Found::Ours,
        Some(_) | None => Found::Foreign,
    })
}

fn script(home: &HookHome, trust: &[String]) -> CliResult<String> {
    let program = std::env::current_exe().map_err(CliError::Nowhere)?;
    let mut pins = String::new();
    for named in trust {
        // The hook runs in another folder, so a file needs its absolute path; a key id does not.
        let is_key = named.parse::<sealwright_store::attest::KeyId>().is_ok();
        let named = if is_key {
            PathBuf::from(named)
        } else {
            std::path::absolute(named).map_err(CliError::Nowhere)?
        };
        pins.push_str(&format!(" --trust {}", quoted(&named)));
    }
    // Empty at the top of the repository; otherwise the path ends with a slash.
    let below =
        if home.below.as_os_str().is_empty() { PathBuf::new() } else { home.below.join("") };
    let body = BODY
        .replace("@PROGRAM@", &quoted(&program))
        .replace("@BELOW@", &quoted(&below))
        .replace("@TRUST@", &pins);
    Ok(format!("{OPENS}{}\n{body}", Digest::of(body.as_bytes())))
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

const OPENS: &str = "#!/bin/sh\n# Written by `sealwright hooks install`; sha256 of what follows: ";

/// Checks out each pushed commit into a temporary work tree and verifies it there.
const BODY: &str = r#"
program=@PROGRAM@
[ -x "$program" ] || program=$(command -v sealwright) || {
    echo 'sealwright is not installed; `git push --no-verify` skips this hook' >&2
    exit 1
}
below=@BELOW@
# git sets variables for this repository; the temporary work tree must be found by its folder.
here=$(git rev-parse --git-common-dir) && here=$(cd "$here" && pwd) || exit 1
unset $(git rev-parse --local-env-vars)
room=$(mktemp -d) || exit 1
trap 'git --git-dir="$here" worktree remove --force "$room/tree" 2>/dev/null; rm -rf "$room"' EXIT
trap 'exit 1' HUP INT TERM
while read -r name commit remote_name remote_commit; do
    case $commit in *[!0]*) ;; *) continue ;; esac
    git --git-dir="$here" rev-parse --quiet --verify "$commit:$below.sealwright" >/dev/null || continue
    git --git-dir="$here" worktree add --quiet --detach --no-checkout "$room/tree" "$commit" || exit 1
    git -C "$room/tree" checkout --quiet "$commit" -- "$below.sealwright" || exit 1
    "$program" verify --allow-changes --repository "$room/tree/$below"@TRUST@ >&2 || {
        echo "$name was not pushed: sealwright verify failed" >&2
        exit 1
    }
    git --git-dir="$here" worktree remove --force "$room/tree" || exit 1
done
exit 0
"#;
const HOOK_BYTES_MAX: u64 = 64 * 1024;

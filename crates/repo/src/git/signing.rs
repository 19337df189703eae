//! A person's own SSH key, by which git signs their commits, and `ssh-keygen`, which signs with it.
//!
//! Only the person's own settings are asked, never those of a repository. The key may be a file, one of an agent, or in
//! hardware; ssh-keygen asks for what it needs at the terminal.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{GitError, plain_git};

/// Why a text cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error("cannot start `ssh-keygen`")]
    Start(#[source] io::Error),
    /// It has said why.
    #[error("`ssh-keygen` did not sign with {}", key.display())]
    Failed { key: PathBuf },
}

/// What the person's own settings name as the key of their signatures: a file, or a public key as text.
pub fn signing_key() -> Result<Option<String>, GitError> {
    let setting = |name: &str| {
        // A file that theirs includes is theirs too.
        let words = ["config", "--global", "--includes", "--get", name];
        let output = plain_git(Path::new("/"), &words)?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok::<_, GitError>((output.status.success() && !text.is_empty()).then_some(text))
    };
    if setting("gpg.format")?.as_deref() != Some("ssh") {
        return Ok(None);
    }
    setting("user.signingkey")
}

/// The signature of a text, as `ssh-keygen -Y sign` makes it.
#[expect(
    clippy::disallowed_methods,
    reason = "the person's own program, for the person who asked for it"
)]
pub fn sign(key: &Path, namespace: &str, text: &str) -> Result<Vec<u8>, SigningError> {
    let program =
        ssh_keygen().ok_or_else(|| SigningError::Start(io::ErrorKind::NotFound.into()))?;
    let mut child = Command::new(program)
        .args(["-q", "-Y", "sign", "-n", namespace, "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(SigningError::Start)?;
    let mut input = child.stdin.take();
    if let Some(input) = &mut input {
        // One that has already ended says why below.
        let _ = input.write_all(text.as_bytes());
    }
    drop(input);
    let output = child.wait_with_output().map_err(SigningError::Start)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(SigningError::Failed { key: key.to_owned() })
    }
}

/// The first on PATH. A relative folder would be one of the repository.
fn ssh_keygen() -> Option<PathBuf> {
    program_on(&std::env::var_os("PATH")?, "ssh-keygen")
}

fn program_on(path: &OsStr, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_folder_one_works_in_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("ssh-keygen");
        std::fs::write(&program, "").unwrap();
        let on = |parts: &[&Path]| program_on(&std::env::join_paths(parts).unwrap(), "ssh-keygen");
        // The tests run in the folder of the crate.
        assert!(Path::new("src/git.rs").is_file());
        assert_eq!(program_on(OsStr::new("src:"), "git.rs"), None);
        assert_eq!(on(&[Path::new("src"), folder.path()]), Some(program));
    }
}

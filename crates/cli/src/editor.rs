//! The person's editor.

use std::process::{Command, Stdio};

use crate::error::{CliError, CliResult};

/// The command in `VISUAL` or `EDITOR`.
pub(crate) fn configured() -> Option<String> {
    let named = |variable| std::env::var(variable).ok().filter(|it| !it.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// Writes `text` to a temporary file, opens it in `editor` and waits. The file is removed when it is dropped.
#[expect(clippy::disallowed_methods, reason = "the person's own editor, at their terminal")]
pub(crate) fn edit(editor: &str, text: &str, suffix: &str) -> CliResult<tempfile::NamedTempFile> {
    let file = tempfile::Builder::new().prefix("sealwright-").suffix(suffix).tempfile()?;
    std::fs::write(file.path(), text)?;
    // The variable may hold arguments, so a shell splits it, as git does.
    let ended = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), "editor"])
        .arg(file.path())
        .stdout(Stdio::inherit())
        .status()
        .map_err(|source| CliError::Editor { editor: editor.to_owned(), source })?;
    if ended.success() {
        Ok(file)
    } else {
        let source = std::io::Error::other(ended.to_string());
        Err(CliError::Editor { editor: editor.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_with_arguments_changes_a_file_that_is_gone_afterwards() {
        let file = edit("sed -i s/one/two/", "one\n", ".json").unwrap();
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "two\n");
        let path = file.path().to_owned();
        drop(file);
        assert!(!path.exists());
        let failed = edit("false", "one\n", ".json").unwrap_err();
        assert!(matches!(failed, CliError::Editor { .. }), "{failed}");
    }
}

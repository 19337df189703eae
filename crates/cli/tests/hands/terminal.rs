//! What a command prints at a terminal of 80 columns.

use std::process::{Command, Stdio};

/// Starts the command below `script`, whose terminal has nobody at it. Nothing, where there is no such program.
pub(crate) fn at_a_terminal(command: &Command) -> Option<String> {
    let quoted =
        |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', "'\\''"));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    let typed = format!("stty cols 80; exec {}", words.collect::<Vec<_>>().join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &typed, "/dev/null"]).stdin(Stdio::null()).env_remove("COLUMNS");
    if let Some(folder) = command.get_current_dir() {
        script.current_dir(folder);
    }
    for (name, value) in command.get_envs().filter(|(name, _)| *name != "COLUMNS") {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let printed = script.output().ok()?.stdout;
    Some(String::from_utf8(printed).unwrap().replace("\r\n", "\n"))
}

/// Fails for a line that is wider than the terminal, unless it is a command, a path or another single word, and for a
/// command that was broken.
pub(crate) fn fits(printed: &str) {
    let plain = anstream::adapter::strip_str(printed).to_string();
    // A live line is drawn again and again.
    for line in plain.split(['\n', '\r']) {
        let text = line.trim();
        let is_command = ["sealwright ", "git ", "cd "].iter().any(|it| text.starts_with(it));
        let is_whole = is_command || !text.trim_end_matches('…').contains(' ');
        assert!(line.chars().count() <= 80 || is_whole, "{line}\nin:\n{plain}");
        assert!(line.matches('`').count() % 2 == 0, "broken: {line}\nin:\n{plain}");
    }
}

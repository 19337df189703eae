//! The text of a new `sealwright.toml`: detected values, and examples for the rest.

use std::fmt::Write as _;

use sealwright_gates::Toolchain;
use sealwright_gates::toolchain::SuggestedCheck;

use super::detect::Detected;

pub(super) fn configuration(name: Option<&str>, detected: &Detected) -> String {
    let name = match name.filter(|name| is_plain(name)) {
        Some(name) => format!("name = \"{name}\""),
        None => "# name = \"display name\"".to_owned(),
    };
    let mut text = format!("{HEADER}\n{name}\n{PROJECT}\n{CHECKS}");
    for (name, test) in &detected.tests {
        text.push_str(&check(name, test));
        text.push('\n');
    }
    text.push_str(if detected.tests.is_empty() { CHECKS_EXAMPLE } else { LINT_EXAMPLE });
    let _ = write!(text, "\n{AGENTS_ARE}");
    for name in &detected.agents {
        let _ = write!(text, "[agents.{name}]\nkind = \"{}\"\n\n", kind(name));
    }
    match detected.agents.as_slice() {
        [] => text.push_str(AGENTS_EXAMPLE),
        [only] => {
            let _ = write!(text, "{ROLES}[roles]\ndefault = \"{only}\"\n");
        }
        [first, ..] => {
            let _ = write!(text, "{ROLES}{CHALLENGER}[roles]\ndefault = \"{first}\"\n");
        }
    }
    text.push('\n');
    text.push_str(BUDGET);
    text
}

/// The table of one check.
pub(super) fn check(name: &str, test: &SuggestedCheck) -> String {
    let mut text = format!("[checks.{name}]\nkind = \"{}\"\n", test.kind);
    // A kind with a clean room brings its own command.
    if Toolchain::of_room(test.kind).is_none() {
        let _ = writeln!(text, "{}", words("command", &test.command));
    }
    if let Some(report) = test.report {
        let _ = writeln!(text, "report = \"{report}\"");
    }
    if !test.tests.is_empty() {
        let _ = writeln!(text, "{}", words("tests", &test.tests));
    }
    text.push_str("timeout_s = 1800\n");
    text
}

/// The kind of agent that a program is.
pub(super) fn kind(program: &str) -> &str {
    match program {
        "claude" => "claude-code",
        program => program,
    }
}

fn words(key: &str, words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("{key} = [{}]", quoted.join(", "))
}

/// Whether a name needs no escaping.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
    !name.trim().is_empty() && name.len() <= NAME_BYTES_MAX && name.chars().all(is_plain)
}

const HEADER: &str = "\
# Configuration of Sealwright for this repository. Commit this file.

[project]";

const PROJECT: &str = "\
# Process lane: quick, factory or strict.
lane = \"quick\"
# How far a task may proceed without a person: manual, conservative or auto.
autonomy = \"auto\"
";

const CHECKS: &str = "\
# Checks that gates run; `sealwright gates list` shows what each proves. At least one is required.
# Kinds: command, cargo-build, cargo-test, nextest, pytest, junit, lint, audit, secrets, lockfile, clean-tree,
# docs, size. A command is a program and its arguments; no shell is involved.
";

const CHECKS_EXAMPLE: &str = "\
# [checks.tests]
# command = [\"make\", \"test\"]
# timeout_s = 1800
";

const LINT_EXAMPLE: &str = "\
# [checks.lint]
# kind = \"lint\"
# command = [\"make\", \"lint\"]
# timeout_s = 600
";

const AGENTS_ARE: &str = "\
# Agents do the work. Kinds: claude-code, codex, gemini, opencode, goose, copilot, api, human, script.
# `model` is optional. Do not put keys here: `key_env` names the environment variable that holds the key.
";

const AGENTS_EXAMPLE: &str = "\
# [agents.main]
# kind = \"codex\"
# model = \"name of a model\"
";

const ROLES: &str = "\
# The agent of each role. In a list, later agents replace unavailable ones.
";

const CHALLENGER: &str = "\
# Without a setting, the challenger is of another model family than the builder.
";

const BUDGET: &str = "\
# Limits per task; unset means no limit.
# [budget]
# dollars = 5.00
# minutes = 60
# tokens = 2_000_000
";

const NAME_BYTES_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use sealwright_config::Config;

    use super::*;

    #[test]
    fn any_folder_name_gives_a_valid_file() {
        let detected = Detected { agents: vec!["codex"], ..Detected::default() };
        for name in ["shop", "a\"b", "a\\", "\u{7f}", "é ü", "", "]\n[x]", "\u{202e}", " "] {
            let config = Config::parse(&configuration(Some(name), &detected)).unwrap();
            assert_eq!(config.project.name.is_some(), ["shop", "é ü"].contains(&name), "{name:?}");
        }
    }

    #[test]
    fn uncommented_examples_are_valid() {
        let detected = Detected::default();
        let text = configuration(Some("a\"b"), &detected);
        let is_example = |line: &&str| {
            let line = line.trim_start_matches("# ");
            line.starts_with('[') || line.contains(" = ")
        };
        let lines: Vec<&str> = text.lines().filter(is_example).collect();
        let config = Config::parse(&lines.join("\n").replace("# ", "")).unwrap();
        assert_eq!((config.checks().len(), config.budget.minutes), (1, Some(60)));
    }
}

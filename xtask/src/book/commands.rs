//! The commands, from their help texts.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use super::{Page, generated_from};
use crate::workspace::{build_quickly, output_of};

/// An index of all commands, and a page for each.
pub(super) fn pages() -> Result<Vec<Page>> {
    let program = build_quickly("sealwright")?;
    let whole = help(&program, &[])?;
    let mut index = format!("# Commands\n\n{}", generated_from("`sealwright --help`"));
    index +=
        "Every command prints for people by default and for programs with `--format json`.\n\n";
    index += "| command | what it does |\n|---|---|\n";
    let mut pages = Vec::new();
    for (name, about) in listed(&whole) {
        let _ = writeln!(index, "| [`sealwright {name}`]({name}.md) | {} |", super::cell(&about));
        let mut text = format!("# sealwright {name}\n\n{}", generated_from("`--help`"));
        tell(&program, &[&name], &mut text)?;
        pages.push(Page { path: format!("commands/{name}.md"), text });
    }
    ensure!(!pages.is_empty(), "`sealwright --help` lists no commands");
    let _ = write!(index, "\n## Global options\n\n```text\n{whole}\n```\n");
    pages.push(Page { path: "commands/index.md".to_owned(), text: index });
    Ok(pages)
}

/// Adds the help of a command and of its subcommands.
fn tell(program: &Path, words: &[&str], text: &mut String) -> Result<()> {
    let said = help(program, words)?;
    let _ = write!(text, "```text\n{said}\n```\n");
    for (below, _) in listed(&said) {
        let words = [words, &[&below]].concat();
        let _ = write!(text, "\n## sealwright {}\n\n", words.join(" "));
        tell(program, &words, text)?;
    }
    Ok(())
}

fn help(program: &Path, words: &[&str]) -> Result<String> {
    // Stdout is never a terminal here, so the line width is the same everywhere.
    let mut program = Command::new(program);
    program.args(words).arg("--help").env("COLUMNS", "100").stdin(Stdio::null());
    let text = output_of(&mut program)?;
    Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned())
}

/// The commands that a help text lists, each with its first line.
fn listed(help: &str) -> Vec<(String, String)> {
    let Some((_, listed)) = help.split_once("\nCommands:\n") else { return vec![] };
    let listed = listed.split("\n\n").next().unwrap_or_default();
    // A name is indented by two blanks; its description may continue further right.
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in listed.lines() {
        match (line.strip_prefix("  "), commands.last_mut()) {
            (Some(named), _) if !named.starts_with(' ') => {
                let (name, about) = named.split_once(' ').unwrap_or((named, ""));
                commands.push((name.to_owned(), about.trim().to_owned()));
            }
            (Some(more), Some((_, about))) => {
                about.push(' ');
                about.push_str(more.trim());
            }
            (_, _) => {}
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_listed_with_all_that_is_said_of_them() {
        let help = "About\n\nCommands:\n  do    Have one\n        change made\n  help  Print\n\nOptions:\n  -h";
        assert_eq!(listed(help), [("do".to_owned(), "Have one change made".to_owned())]);
    }
}

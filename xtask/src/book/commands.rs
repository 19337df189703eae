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
    for name in listed(&whole) {
        let own = help(&program, &[&name])?;
        let about = own.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(
            index,
            "| [`sealwright {name}`]({name}.md) | {} |",
            super::cell(about.trim_end_matches('.'))
        );
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
    for below in listed(&said) {
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

/// The commands that a help text lists, in groups or in a line.
fn listed(help: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let groups = help.split("\n\nOptions:\n").next().unwrap_or_default();
    for group in groups.split("\n\n") {
        let Some((title, rows)) = group.split_once('\n').filter(|it| it.0.ends_with(':')) else {
            continue;
        };
        // A name is indented by two blanks; arguments begin otherwise.
        let named = rows.lines().filter_map(|row| row.strip_prefix("  "));
        let named = named.filter(|row| row.starts_with(|first: char| first.is_ascii_lowercase()));
        match title {
            "More commands:" => {
                names.extend(named.flat_map(|row| row.split(", ")).map(str::to_owned));
            }
            _ => names.extend(named.filter_map(|row| row.split(' ').next()).map(str::to_owned)),
        }
    }
    names.retain(|name| name != "help");
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_listed_from_groups_and_from_a_line() {
        let help = "About\n\nWork:\n  do    Have one\n        change made\n  help  Print\n\nMore commands:\n  keys, mcp\n\n\
                    Arguments:\n  <TASK>\n\nOptions:\n  -h";
        assert_eq!(listed(help), ["do", "keys", "mcp"]);
    }
}

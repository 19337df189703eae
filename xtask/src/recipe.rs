//! Follows the recipes of ARCHITECTURE.md literally in a copy of the repository.
//!
//! Only three kinds of step exist: create a file, add lines below a line, run commands.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace::{cargo_in, copy_to, root, say, scratch};

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Create { path: String, content: String },
    Add { path: String, below: String, lines: String },
    Run { commands: String },
}

pub(crate) fn run() -> Result<()> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md"))?;
    let steps = steps(&text, "### Add a machine")?;
    let copy = scratch("recipe");
    copy_to(&copy, &changed(&steps)?)?;
    for step in &steps {
        if let Step::Run { commands } = step {
            follow(commands, &copy)?;
        }
    }
    say(&format!(
        "recipe: {} steps of \"Add a machine\" followed; the result builds and passes its tests",
        steps.len()
    ));
    Ok(())
}

/// The files that the steps create and add lines to, as they are afterwards.
fn changed(steps: &[Step]) -> Result<BTreeMap<String, String>> {
    let mut changed = BTreeMap::new();
    for step in steps {
        match step {
            Step::Create { path, content } => {
                ensure!(!root().join(path).exists(), "{path} is there already");
                changed.insert(path.clone(), content.clone());
            }
            Step::Add { path, below, lines } => {
                let text = match changed.get(path) {
                    Some(text) => String::clone(text),
                    None => std::fs::read_to_string(root().join(path))?,
                };
                let line = format!("{below}\n");
                let found = text.matches(&line).count();
                ensure!(found == 1, "{path}: `{below}` is there {found} times");
                changed.insert(path.clone(), text.replacen(&line, &format!("{line}{lines}"), 1));
            }
            Step::Run { .. } => {}
        }
    }
    Ok(changed)
}

fn follow(commands: &str, copy: &Path) -> Result<()> {
    for command in commands.lines() {
        let words = command.strip_prefix("cargo ").context("only `cargo` can be run")?;
        let output =
            cargo_in(copy, &scratch("recipe-programs")).args(words.split_whitespace()).output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "`{command}` failed:\n{said}\n{talk}");
        let is_test = command.starts_with("cargo test");
        ensure!(!is_test || said.contains("test result: ok. 2 passed"), "not tested:\n{said}");
    }
    Ok(())
}

/// Parses the numbered steps below `heading`, each with the block that follows it.
fn steps(text: &str, heading: &str) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let below = text.split_once(heading).with_context(|| format!("no `{heading}`"))?.1;
    let mut lines = below.lines().take_while(|line| !line.starts_with("## "));
    while let Some(line) = lines.next() {
        let is_step =
            line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        if !is_step {
            continue;
        }
        let block: Vec<&str> = lines
            .by_ref()
            .skip_while(|line| !line.starts_with("```"))
            .skip(1)
            .take_while(|line| *line != "```")
            .collect();
        let block = block.join("\n") + "\n";
        let named: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let words = line.split_once(". ").map_or(line, |(_, words)| words);
        let name =
            |nth: usize| named.get(nth).map(|name| (*name).to_owned()).context(line.to_owned());
        steps.push(match words.split(' ').next() {
            Some("Create") => Step::Create { path: name(0)?, content: block },
            Some("In") => Step::Add { path: name(0)?, below: name(1)?, lines: block },
            Some("Run:") => Step::Run { commands: block },
            _ => bail!("unknown kind of step: {line}"),
        });
    }
    ensure!(!steps.is_empty(), "no steps below `{heading}`");
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_with_their_blocks() {
        let text = "# A\n### Add\n1. Create `a.rs`:\n\n```rust\nx\n//! ```text\n//! ```\n```\n\n\
                    2. In `b.rs`, below `y`, add:\n\n```rust\nz\n```\n3. Run:\n\n```sh\ntrue\n```\n## B\n";
        let (path, content) = ("a.rs".to_owned(), "x\n//! ```text\n//! ```\n".to_owned());
        let (other, below, lines) = ("b.rs".to_owned(), "y".to_owned(), "z\n".to_owned());
        assert_eq!(
            steps(text, "### Add").unwrap(),
            [
                Step::Create { path, content },
                Step::Add { path: other, below, lines },
                Step::Run { commands: "true\n".to_owned() },
            ]
        );
        assert!(steps("### Add\n1. Think hard.\n", "### Add").is_err());
    }
}

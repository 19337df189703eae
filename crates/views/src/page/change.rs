//! The change of a task on its page: the branch, what to type, and the diff that the gates judged.

use sealwright_kernel::task::{Status, TaskData};
use serde::Serialize;

use crate::markdown::lines;
use crate::{CHANGE_FILE, ViewInput};

/// What was built, if anything was.
#[derive(Serialize)]
pub(super) struct Change {
    /// The branch of a finished task.
    branch: Option<String>,
    /// What each command is for, and the command.
    commands: Vec<[String; 2]>,
    /// How many files, lines added and lines removed.
    size: String,
    files: Vec<File>,
    /// Whether the store has more than the page shows.
    is_cut: bool,
}

#[derive(Serialize)]
struct File {
    name: String,
    size: String,
    lines: Vec<[String; 2]>,
}

impl Change {
    /// The diff of the tree that the task has now. An older one is not shown.
    pub(super) fn of(input: &ViewInput<'_>, data: &TaskData) -> Option<Self> {
        let tree = data.tree?;
        let of_tree = data.evidence.iter().rev().filter(|record| record.evidence.tree == tree);
        let mut artifacts = of_tree.flat_map(|record| &record.evidence.artifacts);
        let kept = artifacts.find(|artifact| artifact.name == CHANGE_FILE)?;
        let whole = (input.outputs)(&kept.content)?;
        let end = whole.floor_char_boundary(DIFF_BYTES_MAX);
        let text = &whole[..end];
        let files: Vec<File> =
            text.split(FILE_STARTS).filter(|it| !it.is_empty()).map(File::of).collect();
        let is_shipped = input.task.status() == Status::Shipped;
        let branch = is_shipped.then(|| data.charter.id.branch());
        let commands = match &branch {
            None => vec![],
            Some(branch) => vec![
                ["see it".to_owned(), format!("git show {branch}")],
                ["take it over".to_owned(), format!("git merge {branch}")],
                [
                    "open a pull request".to_owned(),
                    format!("sealwright pr {} --create", data.charter.id),
                ],
            ],
        };
        let size = match files.len() {
            1 => format!("1 file, {}", counted(text)),
            count => format!("{count} files, {}", counted(text)),
        };
        Some(Self { branch, commands, size, files, is_cut: end < whole.len() })
    }
}

impl File {
    /// `text` is what follows `diff --git `.
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let name = head.split_once(" b/").map_or(head, |(_, name)| name);
        let shown =
            body.lines().filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "));
        let line = |line: &str| {
            let kind = match line.as_bytes().first() {
                Some(b'+') => "good",
                Some(b'-') => "bad",
                Some(b'@') => "calm",
                _ => "",
            };
            [kind.to_owned(), lines(line)]
        };
        Self { name: lines(name), size: counted(body), lines: shown.map(line).collect() }
    }
}

/// The lines that a diff adds and removes.
fn counted(diff: &str) -> String {
    let count = |sign: char, head: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
    };
    format!("+{} −{}", count('+', "+++ "), count('-', "--- "))
}

const FILE_STARTS: &str = "diff --git ";
const DIFF_BYTES_MAX: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_told_file_by_file() {
        let text = "a/src/a b.rs b/src/a b.rs\n--- a/src/a b.rs\n+++ b/src/a b.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n+++four\n";
        let File { name, size, lines } = File::of(text);
        assert_eq!((name.as_str(), size.as_str()), ("src/a b.rs", "+2 −1"));
        let kinds: Vec<&str> = lines.iter().map(|[kind, _]| kind.as_str()).collect();
        assert_eq!(kinds, ["calm", "", "bad", "good", "good"]);
        assert_eq!(lines[4][1], "+++four");
    }
}

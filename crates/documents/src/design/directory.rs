//! The directory structure of a design: the exact file tree at the repository root.
//!
//! ```text
//! shop/                 a first line without a branch is the root itself
//! ├── src/
//! │   └── main.rs       # a comment
//! └── tests/golden/     a directory ends with a slash or has something below it
//! ```
//!
//! A tree is a code block with branches or plain indentation, or a bullet list. Names that stand for more than one file
//! (`*`, `…`) are findings, because the brake counts the files.

use std::collections::BTreeSet;

use crate::finding::Findings;
use crate::markdown::{Block, Part, Shape};
use crate::text::shown;

/// The files and the directories of the tree.
pub(super) fn read(part: &Part<'_>, findings: &mut Findings) -> (Vec<String>, Vec<String>) {
    let mut entries = Vec::new();
    for block in part.blocks {
        match block.shape {
            Shape::Code => entries.extend(of_code(block)),
            Shape::Item { depth } => entries.push(of_item(block, depth)),
            _ => {}
        }
    }
    let tree = Tree::of(&entries, findings);
    if tree.files.is_empty() {
        let what = "the directory structure lists no file";
        let fix = "draw the tree of every file from the repository root in a code block";
        findings.add("design.directory.empty", part.line, what, fix);
    }
    (tree.files, tree.directories)
}

/// One line of a tree.
struct Entry<'d> {
    column: usize,
    name: &'d str,
    line: u32,
    is_branch: bool,
}

fn of_code(block: &Block) -> Vec<Entry<'_>> {
    let wide = |it: char| if it == '\t' { TAB } else { 1 };
    let mut entries = Vec::new();
    for (nth, text) in block.text.lines().enumerate() {
        let (prefix, rest) = text.split_at(branch_bytes(text));
        let is_branch = prefix.contains(|it: char| !it.is_whitespace());
        let column = prefix.chars().map(wide).sum();
        let name = without_comment(rest);
        let line = block.line.saturating_add(u32::try_from(nth).unwrap_or(u32::MAX));
        if !name.is_empty() {
            entries.push(Entry { column, name, line, is_branch });
        }
    }
    drop_root(entries)
}

/// The length of the drawing before a name: `│   ├── `, `|   +-- `, `  - `.
fn branch_bytes(text: &str) -> usize {
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let is_mark = match it {
            '-' => before == '-' || next == '-' || next.is_whitespace(),
            '`' | '+' | '\\' => next == '-',
            '*' => next.is_whitespace(),
            _ => it.is_whitespace() || "│├└─┬┌|".contains(it),
        };
        if !is_mark {
            return at;
        }
        before = it;
    }
    text.len()
}

/// `shop/` above branches is the repository itself; `src/` is a directory in it.
fn drop_root(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    let is_root = entries.split_first().is_some_and(|(first, rest)| {
        let is_drawn = !rest.is_empty() && rest.iter().all(|it| it.is_branch);
        let is_source = SOURCE_FOLDERS.contains(&first.name.trim_end_matches('/'));
        (!first.is_branch && is_drawn && !is_source) || matches!(first.name, "." | "./")
    });
    if is_root {
        entries.remove(0);
    }
    entries
}

fn of_item(block: &Block, depth: usize) -> Entry<'_> {
    let text = match block.codes.first() {
        Some(code) if block.text.starts_with(code.as_str()) => code.as_str(),
        _ => block.text.as_str(),
    };
    let text = [" — ", " – ", " - ", ": "]
        .iter()
        .fold(text, |text, mark| text.split_once(mark).map_or(text, |(before, _)| before));
    Entry { column: depth, name: without_comment(text), line: block.line, is_branch: true }
}

/// A comment begins with `#`, `—` or two spaces.
fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    let marks = [" #", "\t", "  ", " — ", " // ", " <- ", " ← "];
    let end = marks.iter().filter_map(|it| text.find(it)).min().unwrap_or(text.len());
    text[..end].trim()
}

#[derive(Default)]
struct Tree {
    files: Vec<String>,
    directories: Vec<String>,
}

impl Tree {
    fn of(entries: &[Entry<'_>], findings: &mut Findings) -> Self {
        let mut tree = Self::default();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        // The directories that are open: their column and their path.
        let mut open: Vec<(usize, String)> = Vec::new();
        for (nth, entry) in entries.iter().enumerate() {
            while open.last().is_some_and(|(column, _)| *column >= entry.column) {
                open.pop();
            }
            if nth >= ENTRIES_MAX {
                let why = format!("the tree has more than {ENTRIES_MAX} entries");
                inexact(entry, &why, findings);
                break;
            }
            if !is_sound(entry, findings) {
                continue;
            }
            let name = entry.name.trim_start_matches("./").trim_end_matches('/');
            let parent = open.last().map_or("", |(_, path)| path.as_str());
            let path =
                if parent.is_empty() { name.to_string() } else { format!("{parent}/{name}") };
            if path.len() > PATH_BYTES_MAX {
                inexact(entry, "the path is too long", findings);
                continue;
            }
            if !seen.insert(path.clone()) {
                let what = format!("`{}` stands in the tree a second time", shown(&path));
                findings.add("design.directory.duplicate", entry.line, what, "list each path once");
            } else {
                let next = entries.get(nth + 1);
                let is_directory =
                    entry.name.ends_with('/') || next.is_some_and(|it| it.column > entry.column);
                let list = if is_directory { &mut tree.directories } else { &mut tree.files };
                list.push(path.clone());
            }
            open.push((entry.column, path));
        }
        tree
    }
}

/// Whether the name is one path inside the repository.
fn is_sound(entry: &Entry<'_>, findings: &mut Findings) -> bool {
    let name = entry.name;
    let is_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with(['/', '~', '\\']) || is_drive {
        let what = format!("`{}` is an absolute path", shown(name));
        let fix = "write paths from the repository root";
        findings.add("design.directory.absolute", entry.line, what, fix);
        return false;
    }
    if name.split(['/', '\\']).any(|it| it == "..") {
        let what = format!("`{}` leads out of its directory", shown(name));
        let fix = "write paths from the repository root without `..`";
        findings.add("design.directory.parent", entry.line, what, fix);
        return false;
    }
    let is_pattern = name.contains(['*', '…', '<', '>', '?', '\\']) || name.contains("...");
    let is_list = name.contains(|it: char| it.is_whitespace() || it.is_control() || it == ',');
    let parts = name.trim_end_matches('/').trim_start_matches("./");
    let is_odd = parts.split('/').any(|it| it.is_empty() || it == ".");
    if is_pattern || is_list || is_odd || name == "etc" || name.len() > NAME_BYTES_MAX {
        inexact(entry, "it is not the name of one file or directory", findings);
        return false;
    }
    true
}

fn inexact(entry: &Entry<'_>, why: &str, findings: &mut Findings) {
    let what = format!("`{}` is not exact: {why}", shown(entry.name));
    let fix = "list every file by its name, one on each line, with comments after `#`";
    findings.add("design.directory.inexact", entry.line, what, fix);
}

const SOURCE_FOLDERS: [&str; 8] = ["src", "lib", "app", "bin", "cmd", "test", "tests", "docs"];
const TAB: usize = 4;
const NAME_BYTES_MAX: usize = 255;
const PATH_BYTES_MAX: usize = 1024;
const ENTRIES_MAX: usize = 10_000;

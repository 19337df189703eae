//! Examples in comments: a crate that has one tests it.
//!
//! `rustdoc` reads a whole crate to find its examples, so crates without any say `doctest = false`, which saves the
//! gate most of a minute. With the first example that line has to go.

use std::path::Path;

use anyhow::Result;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::folders;
use crate::workspace::{files, root, shown};

/// Examples that no test runs.
pub(super) fn wrong() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for room in ["crates", "tests"] {
        for name in folders(room)? {
            let folder = root().join(room).join(name);
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml"))?;
            if manifest.contains("doctest = false") {
                wrong.extend(in_crate(&folder.join("src"))?);
            }
        }
    }
    Ok(wrong)
}

fn in_crate(folder: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in files(folder, "rs")? {
        for line in examples(&std::fs::read_to_string(&path)?) {
            wrong.push(format!(
                "{}:{line} has an example, and its crate says `doctest = false`",
                shown(&path)
            ));
        }
    }
    Ok(wrong)
}

/// The lines on which comments with an example begin.
fn examples(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut comment, mut begins) = (String::new(), 0);
    // One line more, so that a comment at the end of a file ends too.
    for (line, nth) in source.lines().chain([""]).zip(1..) {
        let line = line.trim_start();
        let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        if let Some(text) = text {
            if comment.is_empty() {
                begins = nth;
            }
            comment += text.strip_prefix(' ').unwrap_or(text);
            comment.push('\n');
        } else if !comment.is_empty() {
            if Parser::new(&comment).any(|event| is_example(&event)) {
                found.push(begins);
            }
            comment.clear();
        }
    }
    found
}

/// Whether `rustdoc` takes it for Rust: a block that is indented, or one that names no other language.
fn is_example(event: &Event<'_>) -> bool {
    match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => true,
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            let mut words = info.split([',', ' ']).filter(|word| !word.is_empty());
            words.all(|word| {
                ["rust", "no_run", "should_panic"].contains(&word)
                    || word.starts_with("compile_fail")
                    || word.starts_with("edition")
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_told_from_drawings() {
        let source = "//! ```text\n//! a ──▶ b\n//! ```\n\n/// Adds:\n///\n/// ```\n/// 1 + 1;\n/// ```\n\
                      fn a() {}\n/// ```no_run\n/// b();\n/// ```\n";
        assert_eq!(examples(source), [5, 11]);
    }
}

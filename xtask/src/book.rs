//! `cargo xtask book`: generates pages of the guide from the code, or checks that they are current.
//!
//! | pages | generated from |
//! |---|---|
//! | drawings and tables of machines | walks over the machines, in `tests/model_check` |
//! | commands | `sealwright --help` |
//! | errors | the error enums of all crates, their hints and exit codes |
//! | reference | the documents in `docs` |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use pulldown_cmark::{Event, Parser, Tag};

use crate::workspace::{files, root, say, shown};

mod commands;
mod errors;
mod machines;
mod reference;
mod svg;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a page is not current.
    #[arg(long)]
    check: bool,
}

struct Page {
    /// Relative to the guide's source folder.
    path: String,
    text: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut pages = machines::pages()?;
    pages.extend(commands::pages()?);
    pages.extend(errors::pages()?);
    pages.extend(reference::pages()?);
    pages.push(summary(&pages)?);
    let stale: Vec<&Page> = pages.iter().filter(|page| !page.is_written()).collect();
    let left = left_over(&pages)?;
    if args.check {
        let names: Vec<String> = stale
            .iter()
            .map(|page| page.path.clone())
            .chain(left.iter().map(|path| format!("{} (no longer generated)", shown(path))))
            .collect();
        ensure!(
            names.is_empty(),
            "generated pages are not current; run `cargo xtask book`:\n  {}",
            names.join("\n  ")
        );
    } else {
        for page in &stale {
            page.write()?;
        }
        for path in &left {
            std::fs::remove_file(path)?;
        }
    }
    let wrong = wrong_links()?;
    ensure!(wrong.is_empty(), "broken links in the guide:\n  {}", wrong.join("\n  "));
    say(&format!("book: {} generated pages, {} written", pages.len(), stale.len()));
    Ok(())
}

/// The summary: the written part, then every reference page.
fn summary(pages: &[Page]) -> Result<Page> {
    let path = "SUMMARY.md".to_owned();
    let written = std::fs::read_to_string(sources().join(&path))?;
    let (mut text, _) = written
        .split_once(REFERENCE)
        .map(|(above, below)| (above.to_owned(), below))
        .context("SUMMARY.md has no section for the reference")?;
    text += REFERENCE;
    text += "- [Comparison](comparison.md)\n";
    for (folder, first) in [("commands", "index"), ("errors", "index"), ("reference", "")] {
        let mut listed: Vec<&Page> = pages
            .iter()
            .filter(|page| page.path.starts_with(folder) && page.path.ends_with(".md"))
            .collect();
        let is_first = |page: &&Page| page.path == format!("{folder}/{first}.md");
        listed.sort_by_key(|page| (!is_first(page), page.path.clone()));
        let has_first = listed.iter().any(is_first);
        for page in listed {
            let indent = if has_first && !is_first(&page) { "  " } else { "" };
            text += &format!("{indent}- [{}]({})\n", page.title(), page.path);
        }
    }
    Ok(Page { path, text })
}

impl Page {
    /// Its first heading, or that of the document it includes.
    fn title(&self) -> String {
        let taken_in = self.path.strip_prefix("reference/");
        let text = match taken_in {
            Some(name) => {
                std::fs::read_to_string(root().join("docs").join(name)).unwrap_or_default()
            }
            None => self.text.clone(),
        };
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(&self.path).to_owned()
    }

    fn place(&self) -> PathBuf {
        sources().join(&self.path)
    }

    fn is_written(&self) -> bool {
        std::fs::read_to_string(self.place()).is_ok_and(|text| text == self.text)
    }

    fn write(&self) -> Result<()> {
        let place = self.place();
        let folder = place.parent().context("a page stands in a folder")?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&place, &self.text).with_context(|| shown(&place))
    }
}

/// Files in the generated folders that no page generates any more.
fn left_over(pages: &[Page]) -> Result<Vec<PathBuf>> {
    let made: BTreeSet<PathBuf> = pages.iter().map(Page::place).collect();
    let mut left = Vec::new();
    for folder in OURS {
        for extension in ["md", "svg"] {
            let folder = sources().join(folder);
            let there = if folder.exists() { files(&folder, extension)? } else { vec![] };
            left.extend(there.into_iter().filter(|path| !made.contains(path)));
        }
    }
    Ok(left)
}

/// Every link in the guide to a missing file, and every page missing in the summary.
fn wrong_links() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let summary = sources().join("SUMMARY.md");
    let mut listed = BTreeSet::from([summary.clone()]);
    for page in files(&sources(), "md")? {
        let text = std::fs::read_to_string(&page)?;
        for target in links(&text) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let beside = page.parent().unwrap_or(&page).join(file);
            match beside.canonicalize() {
                Ok(there) if page == summary => drop(listed.insert(there)),
                Ok(_) => {}
                Err(_) => wrong.push(format!("{} links {target}", shown(&page))),
            }
        }
    }
    for page in files(&sources(), "md")? {
        if !listed.contains(&page) {
            wrong.push(format!("{} is not in SUMMARY.md", shown(&page)));
        }
    }
    Ok(wrong)
}

fn links(text: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    Parser::new(text).filter_map(target).collect()
}

fn sources() -> PathBuf {
    root().join(SOURCES)
}

/// Escapes a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

/// The notice at the top of a generated page.
fn generated_from(what: &str) -> String {
    format!("<!-- Generated by `cargo xtask book` from {what}; do not edit. -->\n\n")
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_name().is_some_and(|name| name == "tests.rs")
}

const SOURCES: &str = "docs/guide/src";
/// The generated part of the summary begins here.
const REFERENCE: &str = "# Reference\n\n";
/// Folders with generated pages only.
const OURS: [&str; 4] = ["machines", "commands", "errors", "reference"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_wherever_they_stand() {
        let text = "- [a](b.md)\n\n| x |\n|---|\n| ![y](z.svg) |\n\n`[no](code.md)`\n";
        assert_eq!(links(text), ["b.md", "z.svg"]);
    }

    /// Checks the pages that need no walk and no program.
    #[test]
    fn errors_and_references_are_what_the_code_says() {
        let mut pages = reference::pages().unwrap();
        pages.extend(errors::pages().unwrap());
        for page in pages {
            assert!(page.is_written(), "`cargo xtask book` writes {}", page.path);
        }
        assert_eq!(wrong_links().unwrap(), Vec::<String>::new());
    }
}

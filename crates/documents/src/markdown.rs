//! Markdown as a flat list of blocks with their lines, and the sections a document must have.
//!
//! A section is a heading of level 1 or 2 with everything up to the next one; deeper headings are parts of it. Headings
//! in code blocks, comments, quotes and list items do not count, and HTML says nothing.

mod reader;

use std::collections::BTreeSet;

use crate::finding::Findings;
use crate::text::{is_placeholder, plain, says_none, shown};

/// A document that was read.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) blocks: Vec<Block>,
    headings: Vec<Heading>,
}

/// A heading, so that looking for sections does not walk through everything.
#[derive(Debug)]
struct Heading {
    /// Its place among the blocks.
    at: usize,
    level: u8,
    name: String,
}

/// One heading, paragraph, list item, code block or table row.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) line: u32,
    /// The text without its marks. The text of a list item leaves out nested items, which are blocks of their own.
    pub(crate) text: String,
    pub(crate) shape: Shape,
    /// The pieces of code in it, such as `` `cargo test` ``.
    pub(crate) codes: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Heading {
        level: u8,
    },
    Paragraph,
    Item {
        depth: usize,
    },
    /// A code block; the line is that of its first line of code.
    Code,
    HeaderRow {
        cells: Vec<String>,
    },
    Row {
        cells: Vec<String>,
    },
}

/// A heading and everything that belongs to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'d> {
    pub(crate) line: u32,
    pub(crate) blocks: &'d [Block],
}

/// A section that a document must have.
#[derive(Debug)]
pub(crate) struct Required {
    /// The name and other names it is known by.
    pub(crate) names: &'static [&'static str],
    pub(crate) condition: &'static str,
    pub(crate) none: NoneIs,
}

/// What "None." says in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoneIs {
    AnAnswer,
    Missing,
}

/// A document that is there, within its bounds. What is wrong with it as a whole is a finding.
pub(crate) fn read(text: Option<&str>, findings: &mut Findings) -> Option<Document> {
    let file = findings.file;
    let Some(text) = text else {
        let what = format!("{file} is not there, or is no text");
        let fix = "write the document as a file in UTF-8; links and folders are not read";
        findings.add_common("absent", 1, what, fix);
        return None;
    };
    if text.len() > BYTES_MAX {
        let what = format!("{file} has {} bytes, more than {BYTES_MAX}", text.len());
        findings.add_common("size", 1, what, "shorten the document");
        return None;
    }
    if let Some(line) = reader::too_deep(text) {
        let what = format!("{file} is nested too deeply to be read");
        findings.add_common("nesting", line, what, "use fewer levels of lists and quotes");
        return None;
    }
    let document = Document::of(reader::blocks(text));
    document.duplicates(findings);
    Some(document)
}

impl Document {
    fn of(blocks: Vec<Block>) -> Self {
        let heading = |(at, block): (usize, &Block)| {
            Some(Heading { at, level: block.level()?, name: heading_name(&block.text) })
        };
        let headings = blocks.iter().enumerate().filter_map(heading).collect();
        Self { blocks, headings }
    }

    /// The section of one of these names.
    pub(crate) fn section(&self, names: &[&str]) -> Option<Part<'_>> {
        self.part_up_to(names, SECTION_LEVEL)
    }

    /// A section, or a part of one, of one of these names.
    pub(crate) fn part(&self, names: &[&str]) -> Option<Part<'_>> {
        self.part_up_to(names, u8::MAX)
    }

    /// The section, if it is there and says something; otherwise that is a finding.
    pub(crate) fn require(&self, wanted: &Required, findings: &mut Findings) -> Option<Part<'_>> {
        let name = wanted.names[0];
        let fix = format!("add a section `## {name}` that says what applies to this project");
        let Some(part) = self.section(wanted.names) else {
            let what = format!("the section {name} is missing");
            findings.add(wanted.condition, 1, what, fix);
            return None;
        };
        let is_missing = part.is_empty() || (wanted.none == NoneIs::Missing && part.says_none());
        if is_missing {
            let what = format!("the section {name} says nothing");
            let fix = format!("write what applies to this project below `## {name}`");
            findings.add(wanted.condition, part.line, what, fix);
            return None;
        }
        Some(part)
    }

    /// The blocks before the first heading of level 2.
    pub(crate) fn opening(&self) -> &[Block] {
        let is_section = |it: &Block| it.level().is_some_and(|level| level == SECTION_LEVEL);
        let end = self.blocks.iter().position(is_section).unwrap_or(self.blocks.len());
        &self.blocks[..end]
    }

    fn part_up_to(&self, names: &[&str], deepest: u8) -> Option<Part<'_>> {
        let names: Vec<String> = names.iter().map(|it| plain(it)).collect();
        let is_wanted = |it: &Heading| it.level <= deepest && names.contains(&it.name);
        let nth = self.headings.iter().position(is_wanted)?;
        let heading = &self.headings[nth];
        let level = heading.level.max(SECTION_LEVEL);
        let next = self.headings[nth + 1..].iter().find(|it| it.level <= level);
        let end = next.map_or(self.blocks.len(), |it| it.at);
        let blocks = &self.blocks[heading.at + 1..end];
        Some(Part { line: self.blocks[heading.at].line, blocks })
    }

    /// Of two sections of one name, a reader and a gate could each take another.
    fn duplicates(&self, findings: &mut Findings) {
        let mut seen: BTreeSet<(u32, &str)> = BTreeSet::new();
        let mut open: Vec<(u8, u32)> = Vec::new();
        for Heading { at, level, name } in &self.headings {
            let (block, level) = (&self.blocks[*at], *level);
            while open.last().is_some_and(|(other, _)| *other >= level) {
                open.pop();
            }
            let is_section = level <= SECTION_LEVEL;
            let parent = open.last().filter(|_| !is_section).map_or(0, |(_, line)| *line);
            if !seen.insert((parent, name)) {
                let what = format!("the heading {} stands here a second time", shown(&block.text));
                let fix = "merge the two sections or rename one of them";
                findings.add_common("section.duplicate", block.line, what, fix);
            }
            open.push((level, block.line));
        }
    }
}

impl Block {
    pub(crate) fn level(&self) -> Option<u8> {
        match self.shape {
            Shape::Heading { level } => Some(level),
            _ => None,
        }
    }

    pub(crate) fn is_heading(&self) -> bool {
        self.level().is_some()
    }

    pub(crate) fn is_item(&self) -> bool {
        matches!(self.shape, Shape::Item { .. })
    }

    pub(crate) fn is_top_item(&self) -> bool {
        self.shape == Shape::Item { depth: 0 }
    }

    pub(crate) fn is_code(&self) -> bool {
        self.shape == Shape::Code
    }
}

impl<'d> Part<'d> {
    /// Whether nothing is said in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.said().next().is_none()
    }

    pub(crate) fn says_none(&self) -> bool {
        let mut said = self.said();
        said.next().is_some_and(|it| says_none(&it.text)) && said.next().is_none()
    }

    /// The blocks that say something, without headings.
    pub(crate) fn said(&self) -> impl Iterator<Item = &'d Block> {
        self.blocks.iter().filter(|it| !it.is_heading() && !is_placeholder(&it.text))
    }

    /// All of its text in one, headings included.
    pub(crate) fn text(&self) -> String {
        self.blocks.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The points it makes: each list item of the first level with what is nested in it, or each paragraph if there is
    /// no list. A section that says "None." makes none.
    pub(crate) fn points(&self) -> Vec<Point<'d>> {
        if self.says_none() {
            return Vec::new();
        }
        let has_items = self.blocks.iter().any(Block::is_top_item);
        let starts = |it: &Block| {
            if has_items { it.is_top_item() } else { it.shape == Shape::Paragraph }
        };
        let starts: Vec<usize> =
            (0..self.blocks.len()).filter(|at| starts(&self.blocks[*at])).collect();
        let ends = starts.iter().skip(1).copied().chain([self.blocks.len()]);
        let pairs = starts.iter().copied().zip(ends);
        pairs.map(|(start, end)| Point::new(&self.blocks[start..end])).collect()
    }
}

/// A list item or a paragraph and what is nested in it.
#[derive(Debug)]
pub(crate) struct Point<'d> {
    pub(crate) line: u32,
    /// The first line of it.
    pub(crate) head: &'d str,
    /// All of it.
    pub(crate) text: String,
}

impl<'d> Point<'d> {
    fn new(blocks: &'d [Block]) -> Self {
        let first = &blocks[0];
        let ends = |it: &&Block| !it.is_heading();
        let nested = blocks[1..].iter().take_while(ends).filter(|it| it.shape != Shape::Paragraph);
        let texts: Vec<&str> =
            [first].into_iter().chain(nested).map(|it| it.text.as_str()).collect();
        Self { line: first.line, head: &first.text, text: texts.join(" ") }
    }
}

/// The name of a heading: its words, without its number.
pub(crate) fn heading_name(text: &str) -> String {
    let name = plain(text);
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    match name.split_once(' ') {
        Some((number, rest)) if is_number(number) => String::from(rest),
        _ => name,
    }
}

/// The deepest heading that begins a section.
const SECTION_LEVEL: u8 = 2;
/// The largest document that is read.
pub const BYTES_MAX: usize = 1 << 20;

#[cfg(test)]
mod tests;

//! The events of the Markdown parser, put together to blocks.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Block, Shape};

/// The first line that is nested so deeply that parsing could take very long.
///
/// The parser walks through every open container on every line, so the depth is bounded before it starts.
pub(super) fn too_deep(text: &str) -> Option<u32> {
    let nth = text.lines().position(is_too_deep)?;
    Some(u32::try_from(nth + 1).unwrap_or(u32::MAX))
}

fn is_too_deep(line: &str) -> bool {
    let (mut spaces, mut markers) = (0_usize, 0_usize);
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let ends = bytes.get(at + 1).is_none_or(|it| matches!(it, b' ' | b'\t'));
        match byte {
            b' ' => spaces += 1,
            // A tab may be as wide as four spaces.
            b'\t' => spaces += 4,
            b'>' => markers += 1,
            b'-' | b'+' | b'*' | b'.' | b')' => markers += usize::from(ends),
            b'0'..=b'9' => {}
            _ => break,
        }
    }
    spaces > SPACES_MAX || markers > MARKERS_MAX
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let mut reader = Reader { newlines: newlines.map(|(at, _)| at).collect(), ..Reader::default() };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.take(event, range.start);
    }
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    newlines: Vec<usize>,
    /// The block that text goes to.
    open: Option<usize>,
    /// List items that are not closed; text outside of a block goes to the last one.
    items: Vec<usize>,
    /// Open quotes and list items: a heading inside of one is no heading of the document.
    containers: usize,
    /// A code block that has no line of code yet.
    awaits_code: bool,
    in_metadata: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, at: usize) {
        if self.in_metadata {
            self.in_metadata = !matches!(event, Event::End(TagEnd::MetadataBlock(_)));
            return;
        }
        match event {
            Event::Start(tag) => self.start(&tag, at),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, at),
            Event::Code(text) => self.code(&text),
            Event::InlineHtml(text) if !text.starts_with("<!--") => self.push(&text),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, at: usize) {
        match tag {
            Tag::Heading { level, .. } if self.containers == 0 => {
                self.begin(Shape::Heading { level: *level as u8 }, at);
            }
            Tag::Paragraph | Tag::Heading { .. } => self.paragraph(at),
            Tag::Item => {
                self.begin(Shape::Item { depth: self.items.len() }, at);
                self.items.extend(self.open.take());
                self.containers += 1;
            }
            Tag::BlockQuote(_) => self.containers += 1,
            Tag::CodeBlock(_) => {
                self.begin(Shape::Code, at);
                self.awaits_code = true;
            }
            Tag::TableHead => self.begin(Shape::HeaderRow { cells: Vec::new() }, at),
            Tag::TableRow => self.begin(Shape::Row { cells: Vec::new() }, at),
            Tag::TableCell => {
                if let Some(block) = self.target().filter(|it| !it.text.is_empty()) {
                    block.text.push(' ');
                }
                if let Some(cells) = self.cells() {
                    cells.push(String::new());
                }
            }
            Tag::MetadataBlock(_) => self.in_metadata = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Item => {
                self.items.pop();
                self.open = None;
                self.containers = self.containers.saturating_sub(1);
            }
            TagEnd::BlockQuote(_) => self.containers = self.containers.saturating_sub(1),
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::CodeBlock
            | TagEnd::TableHead
            | TagEnd::TableRow => self.open = None,
            _ => {}
        }
    }

    /// A paragraph of a list item is more text of the item.
    fn paragraph(&mut self, at: usize) {
        if self.items.is_empty() {
            self.begin(Shape::Paragraph, at);
        } else {
            self.push(" ");
        }
    }

    fn begin(&mut self, shape: Shape, at: usize) {
        self.open = Some(self.blocks.len());
        let line = self.line(at);
        self.blocks.push(Block { line, text: String::new(), shape, codes: Vec::new() });
    }

    fn text(&mut self, text: &str, at: usize) {
        if std::mem::take(&mut self.awaits_code) {
            let line = self.line(at);
            if let Some(block) = self.target().filter(|it| it.is_code()) {
                block.line = line;
            }
        }
        self.push(text);
    }

    fn code(&mut self, text: &str) {
        self.push(text);
        if let Some(block) = self.target() {
            block.codes.push(String::from(text));
        }
    }

    fn push(&mut self, text: &str) {
        let Some(block) = self.target() else { return };
        // Leading space is no text, but in code it is.
        if block.is_code() || !block.text.is_empty() || text != " " {
            block.text.push_str(text);
        }
        if let Some(cell) = self.cells().and_then(|it| it.last_mut()) {
            cell.push_str(text);
        }
    }

    fn target(&mut self) -> Option<&mut Block> {
        let at = self.open.or_else(|| self.items.last().copied())?;
        self.blocks.get_mut(at)
    }

    fn cells(&mut self) -> Option<&mut Vec<String>> {
        match &mut self.target()?.shape {
            Shape::HeaderRow { cells } | Shape::Row { cells } => Some(cells),
            _ => None,
        }
    }

    fn line(&self, at: usize) -> u32 {
        let before = self.newlines.partition_point(|newline| *newline < at);
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

const SPACES_MAX: usize = 256;
const MARKERS_MAX: usize = 16;

//! Tokens of a Rust file, as a tree that is walked without recursion of the machine's stack.
//!
//! The text is hostile: an expression nested a hundred thousand deep would take a parser that recurses down with
//! its whole process. What is asked here is asked of tokens, most of it of what stands inside macros, where a
//! parser of Rust sees no more than tokens either.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::toolchain::language::Unread;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) what: What,
    pub(super) line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Name(String),
    /// A text: the content of a string literal.
    Text(String),
    Number(String),
    /// Punctuation that belongs together, as `==`.
    Mark(String),
    Group(Bracket, Vec<Token>, u32),
    /// A character, a byte, a lifetime.
    Other(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Curly,
    Square,
}

pub(super) fn of(path: &str, text: &str) -> Result<Vec<Token>, Unread> {
    let unread = |why: &str| Unread { path: path.to_owned(), why: why.to_owned() };
    if text.len() > BYTES_MAX {
        return Err(unread("it is too long"));
    }
    if depth(text) > DEPTH_MAX {
        return Err(unread("it is nested too deeply"));
    }
    let stream: TokenStream =
        text.parse().map_err(|error: proc_macro2::LexError| unread(&error.to_string()))?;
    let tokens = tokens(stream);
    // Lines are copied by now; without this every file ever read would be kept.
    proc_macro2::extra::invalidate_current_thread_spans();
    Ok(tokens)
}

impl Token {
    pub(super) fn is_name(&self, wanted: &str) -> bool {
        matches!(&self.what, What::Name(name) if name == wanted)
    }

    pub(super) fn is_mark(&self, wanted: &str) -> bool {
        matches!(&self.what, What::Mark(mark) if mark == wanted)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match &self.what {
            What::Name(name) => Some(name),
            What::Text(_) | What::Number(_) | What::Mark(_) | What::Group(..) | What::Other(_) => {
                None
            }
        }
    }

    pub(super) fn group(&self, wanted: Bracket) -> Option<&[Self]> {
        match &self.what {
            What::Group(bracket, inner, _) if *bracket == wanted => Some(inner),
            What::Group(..)
            | What::Name(_)
            | What::Text(_)
            | What::Number(_)
            | What::Mark(_)
            | What::Other(_) => None,
        }
    }

    /// What stands in any bracket.
    pub(super) fn inner(&self) -> Option<&[Self]> {
        match &self.what {
            What::Group(_, inner, _) => Some(inner),
            What::Name(_) | What::Text(_) | What::Number(_) | What::Mark(_) | What::Other(_) => {
                None
            }
        }
    }
}

/// All tokens, those in brackets after their bracket.
pub(super) fn all(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let mut open = vec![tokens.iter()];
    std::iter::from_fn(move || {
        loop {
            let Some(token) = open.last_mut()?.next() else {
                open.pop();
                continue;
            };
            open.extend(token.inner().map(<[Token]>::iter));
            return Some(token);
        }
    })
}

/// Runs of tokens between commas of this level.
pub(super) fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    tokens.split(|token| token.is_mark(",")).filter(|part| !part.is_empty()).collect()
}

/// What is said, without where: two of these are equal if the code is.
pub(super) fn spelled(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in all(tokens) {
        match &token.what {
            What::Name(word) | What::Number(word) | What::Mark(word) | What::Other(word) => {
                text.push_str(word);
            }
            What::Text(word) => {
                text.push('"');
                text.push_str(word);
                text.push('"');
            }
            What::Group(bracket, inner, _) => {
                text.push_str(&format!("{bracket:?}{}", inner.len()));
            }
        }
        text.push(' ');
    }
    text
}

/// Bounded by [`DEPTH_MAX`] before anything recurses.
fn tokens(stream: TokenStream) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    // Whether the mark before is followed by another without a gap.
    let mut is_joint = false;
    for tree in stream {
        let line = u32::try_from(tree.span().start().line).unwrap_or(u32::MAX);
        let was_joint = std::mem::replace(&mut is_joint, false);
        let what = match tree {
            TokenTree::Punct(punct) => {
                is_joint = punct.spacing() == proc_macro2::Spacing::Joint;
                if was_joint && let Some(Token { what: What::Mark(mark), .. }) = tokens.last_mut() {
                    let both = format!("{mark}{}", punct.as_char());
                    if MARKS.contains(&both.as_str()) {
                        *mark = both;
                        continue;
                    }
                }
                What::Mark(punct.as_char().to_string())
            }
            TokenTree::Ident(ident) => What::Name(ident.to_string()),
            TokenTree::Literal(literal) => literal_of(&literal.to_string()),
            TokenTree::Group(group) => {
                let last = u32::try_from(group.span_close().end().line).unwrap_or(u32::MAX);
                let bracket = match group.delimiter() {
                    Delimiter::Parenthesis | Delimiter::None => Bracket::Round,
                    Delimiter::Brace => Bracket::Curly,
                    Delimiter::Bracket => Bracket::Square,
                };
                What::Group(bracket, self::tokens(group.stream()), last)
            }
        };
        tokens.push(Token { what, line });
    }
    tokens
}

fn literal_of(text: &str) -> What {
    let plain = text.trim_start_matches(['b', 'c', 'r', '#']);
    if let Some(quoted) = plain.strip_prefix('"') {
        let content = quoted.trim_end_matches('#');
        let content = content.strip_suffix('"').unwrap_or(content);
        let is_raw = text.starts_with('r') || text.starts_with("br") || text.starts_with("cr");
        return What::Text(if is_raw { content.to_owned() } else { unescaped(content) });
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return What::Number(text.to_owned());
    }
    What::Other(text.to_owned())
}

/// The common escapes; what it does not know stays as it is written.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            Some('\n') => while letters.next_if(|next| next.is_whitespace()).is_some() {},
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// How deeply brackets may be nested, counted without regard to texts and comments: never too few.
fn depth(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Marks of more than one sign that are asked for.
const MARKS: &[&str] = &["==", "!=", "=>", "->", "::", "&&", "||", "<=", ">=", "..", "..="];
const BYTES_MAX: usize = 1 << 20;
/// Far deeper than source is written, far less than a stack holds.
const DEPTH_MAX: usize = 256;

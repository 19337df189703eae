//! A place in the tokens of a file, and what every item begins with: attributes, visibility, qualifiers.

use crate::toolchain::rust::tokens::{Bracket, Token, What};

use super::declarations::Reach;
use super::spelling::{angles, spelled, split};

/// Attributes and visibility, which every item begins with.
pub(super) struct Head {
    pub(super) is_test: bool,
    pub(super) reach: Reach,
    pub(super) qualifiers: Vec<String>,
    pub(super) is_exported: bool,
    pub(super) path: Option<String>,
    pub(super) derives: Vec<String>,
}

pub(super) struct Cursor<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_name(&self) -> Option<&'t str> {
        self.peek().and_then(Token::name)
    }

    pub(super) fn next(&mut self) -> Option<&'t Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn name(&mut self) -> Option<&'t str> {
        let name = self.peek_name()?;
        self.at += 1;
        Some(name)
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.peek().is_some_and(|token| token.is_mark(mark))
    }

    pub(super) fn skip_mark(&mut self, mark: &str) -> bool {
        let is_there = self.is_mark(mark);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn skip_name(&mut self, name: &str) -> bool {
        let is_there = self.peek_name() == Some(name);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn group(&mut self, bracket: Bracket) -> Option<&'t [Token]> {
        let inner = self.peek()?.group(bracket)?;
        self.at += 1;
        Some(inner)
    }

    /// Everything up to a token that stands outside of angle brackets.
    pub(super) fn until(&mut self, is_end: impl Fn(&Token) -> bool) -> &'t [Token] {
        let first = self.at;
        let mut open = 0;
        while let Some(token) = self.peek() {
            if open == 0 && is_end(token) {
                break;
            }
            open = angles(open, token);
            self.at += 1;
        }
        &self.tokens[first..self.at]
    }

    /// Skips to behind the next semicolon. Values are no types: angles in them are comparisons.
    pub(super) fn skip_statement(&mut self) {
        while let Some(token) = self.next() {
            if token.is_mark(";") {
                break;
            }
        }
    }

    pub(super) fn generics(&mut self) -> &'t [Token] {
        let first = self.at;
        let mut open = 0;
        while let Some(token) = self.peek() {
            open = angles(open, token);
            if open == 0 && self.at == first {
                break;
            }
            self.at += 1;
            if open == 0 {
                break;
            }
        }
        &self.tokens[first..self.at]
    }

    pub(super) fn where_clause(&mut self) -> String {
        if self.peek_name() != Some("where") {
            return String::new();
        }
        spelled(self.until(|it| it.is_mark(";") || it.is_mark("=") || is_curly(it)))
    }

    pub(super) fn outer_attributes(&mut self) -> Vec<&'t [Token]> {
        let mut found = Vec::new();
        while self.is_mark("#")
            && let Some(inner) =
                self.tokens.get(self.at + 1).and_then(|it| it.group(Bracket::Square))
        {
            found.push(inner);
            self.at += 2;
        }
        found
    }

    pub(super) fn inner_attributes(&mut self) -> Vec<&'t [Token]> {
        let mut found = Vec::new();
        while self.is_mark("#")
            && self.tokens.get(self.at + 1).is_some_and(|it| it.is_mark("!"))
            && let Some(inner) =
                self.tokens.get(self.at + 2).and_then(|it| it.group(Bracket::Square))
        {
            found.push(inner);
            self.at += 3;
        }
        found
    }

    pub(super) fn visibility(&mut self) -> Reach {
        if !self.skip_name("pub") {
            return Reach::Inner;
        }
        let is_restricted = self.peek().and_then(|it| it.group(Bracket::Round)).is_some_and(|it| {
            let first = it.first().and_then(Token::name);
            matches!(first, Some("crate" | "super" | "self" | "in"))
                && (it.len() == 1 || first == Some("in"))
        });
        self.at += usize::from(is_restricted);
        if is_restricted { Reach::Inner } else { Reach::Public }
    }

    pub(super) fn head(&mut self) -> Head {
        let attributes = self.outer_attributes();
        let named = |name: &str| attributes.iter().any(|it| is_called(it, name));
        let qualifiers = attributes.iter().filter(|it| is_kept(it));
        let path = attributes.iter().find(|it| is_called(it, "path")).and_then(|it| match it {
            [_, _, Token { what: What::Text(path), .. }] => Some(path.clone()),
            _ => None,
        });
        let derived = attributes.iter().filter(|it| is_called(it, "derive"));
        let derived = derived.filter_map(|it| it.get(1)?.group(Bracket::Round));
        let derived = derived.flat_map(|it| split(it, ","));
        let last = |path: &[Token]| path.iter().rev().find_map(Token::name).map(str::to_owned);
        Head {
            derives: derived.filter_map(last).collect(),
            is_test: named("test") || attributes.iter().any(|it| is_test(it)),
            qualifiers: qualifiers.map(|it| qualifier(it)).collect(),
            is_exported: named("macro_export"),
            path,
            reach: self.visibility(),
        }
    }
}

/// Whether the words here lead to `fn`.
pub(super) fn is_function(cursor: &Cursor<'_>) -> bool {
    leading_words(cursor).last() == Some(&"fn")
}

pub(super) fn is_implementation(cursor: &Cursor<'_>) -> bool {
    leading_words(cursor).last() == Some(&"impl")
}

/// The qualifiers here, and the word that says what they qualify.
pub(super) fn leading_words<'t>(cursor: &Cursor<'t>) -> Vec<&'t str> {
    let mut words = Vec::new();
    for token in &cursor.tokens[cursor.at..] {
        match &token.what {
            What::Name(word) => {
                words.push(word.as_str());
                let is_qualifier = matches!(
                    word.as_str(),
                    "const" | "async" | "unsafe" | "extern" | "default" | "safe" | "auto" | "gen"
                );
                if !is_qualifier {
                    break;
                }
            }
            // The name of an ABI.
            What::Text(_) if words.last() == Some(&"extern") => {}
            What::Text(_) | What::Number(_) | What::Mark(_) | What::Group(..) | What::Other(_) => {
                break;
            }
        }
    }
    words
}

/// Takes the qualifiers up to a token, as text.
pub(super) fn leading(cursor: &mut Cursor<'_>, is_end: impl Fn(&Token) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    while let Some(token) = cursor.peek().filter(|it| !is_end(it)) {
        match (&token.what, words.last_mut()) {
            (What::Text(abi), Some(last)) if last == "extern" => {
                last.push_str(&format!(" {abi:?}"));
            }
            _ => words.push(spelled(std::slice::from_ref(token))),
        }
        cursor.at += 1;
    }
    words
}

pub(super) fn is_curly(token: &Token) -> bool {
    token.group(Bracket::Curly).is_some()
}

fn is_called(attribute: &[Token], name: &str) -> bool {
    attribute.first().is_some_and(|it| it.is_name(name))
}

/// Attributes that decide whether an item is there, or how it can be used.
pub(super) fn is_kept(attribute: &[Token]) -> bool {
    is_called(attribute, "cfg")
        || is_called(attribute, "non_exhaustive")
        || is_cfg_in_cfg(attribute)
}

/// `cfg_attr(…, cfg(…))`: a condition behind a condition.
fn is_cfg_in_cfg(attribute: &[Token]) -> bool {
    let [name, parts] = attribute else { return false };
    let parts = parts.group(Bracket::Round).filter(|_| name.is_name("cfg_attr"));
    parts.is_some_and(|parts| split(parts, ",").iter().skip(1).any(|it| is_kept(it)))
}

/// An attribute as it stands before an item.
pub(super) fn qualifier(attribute: &[Token]) -> String {
    format!("#[{}]", spelled(attribute))
}

/// `cfg(test)`, alone or as one of several conditions that all have to hold.
pub(super) fn is_test(attribute: &[Token]) -> bool {
    let condition = match attribute {
        [cfg, condition] if cfg.is_name("cfg") => condition.group(Bracket::Round),
        _ => None,
    };
    let holds = |part: &[Token]| match part {
        [one] => one.is_name("test"),
        [all, inner] if all.is_name("all") => inner.group(Bracket::Round).is_some_and(|it| {
            split(it, ",").iter().any(|it| matches!(it, [one] if one.is_name("test")))
        }),
        _ => false,
    };
    condition.is_some_and(holds)
}

//! Rust files are outlined from their tokens.

mod checks;
mod values;

use std::collections::BTreeSet;

use crate::toolchain::language::Unread;
use crate::toolchain::outline::{Body, Function, Import, Kind, Outline, Use};
use crate::toolchain::rust::tokens::{self, Bracket, Token, What, all, arguments, spelled};

pub(super) fn of(path: &str, text: &str) -> Result<Outline, Unread> {
    let tokens = tokens::of(path, text)?;
    let mut outline = Outline { path: path.to_owned(), ..Outline::default() };
    let is_test_file = super::Rust.is_test(path);
    items(&tokens, "", is_test_file, &mut outline);
    values::settle(&mut outline.literals);
    Ok(outline)
}

impl super::Rust {
    fn is_test(&self, path: &str) -> bool {
        use crate::toolchain::{Language as _, Part};
        self.part(path) == Part::Test
    }
}

/// Everything of one level, and of what is in its brackets. Brackets are nested no deeper than is bounded.
fn items(tokens: &[Token], inside: &str, is_of_tests: bool, outline: &mut Outline) {
    let mut at = 0;
    let mut attributes: Vec<(u32, &[Token])> = Vec::new();
    while let Some(token) = tokens.get(at) {
        if let Some((attribute, next)) = attribute(tokens, at) {
            // An attribute of what is around it says nothing about the next item.
            if !tokens[at + 1].is_mark("!") {
                attributes.push((token.line, attribute));
            }
            gate(attribute, token.line, outline);
            at = next;
            continue;
        }
        if token.is_name("use") {
            at = imports(tokens, at + 1, outline);
            attributes.clear();
            continue;
        }
        let name = tokens.get(at + 1).and_then(Token::name);
        let is_module = token.is_name("mod") || token.is_name("trait");
        let is_impl = token.is_name("impl");
        if let (true, Some(name)) = (is_module, name) {
            let is_gated = attributes.iter().any(|(_, attribute)| is_gate(attribute, "test"));
            if let Some((inner, next)) = braces(tokens, at + 2) {
                if !is_gated || is_of_tests {
                    items(inner, &format!("{inside}{name}::"), is_of_tests, outline);
                }
                at = next;
                attributes.clear();
                continue;
            }
        }
        if is_impl && let Some((inner, next)) = braces(tokens, at + 1) {
            items(
                inner,
                &format!("{inside}{}::", subject(&tokens[at + 1..next])),
                is_of_tests,
                outline,
            );
            at = next;
            attributes.clear();
            continue;
        }
        if let (true, Some(name)) = (token.is_name("fn"), name) {
            at =
                function(tokens, at, &format!("{inside}{name}"), &attributes, is_of_tests, outline);
            attributes.clear();
            continue;
        }
        let is_end = token.is_mark(";") || token.group(Bracket::Curly).is_some();
        if is_end {
            attributes.clear();
        }
        values::look(tokens, at, outline);
        used(tokens, at, outline);
        if let Some(inner) = token.inner() {
            items(inner, inside, is_of_tests, outline);
        }
        at += 1;
    }
    values::pairs(tokens, outline);
}

/// The attribute that begins here, and where it ends.
fn attribute(tokens: &[Token], at: usize) -> Option<(&[Token], usize)> {
    if !tokens.get(at)?.is_mark("#") {
        return None;
    }
    let at = if tokens.get(at + 1)?.is_mark("!") { at + 1 } else { at };
    Some((tokens.get(at + 1)?.group(Bracket::Square)?, at + 2))
}

/// The first braces from here on, unless a statement ends before them.
fn braces(tokens: &[Token], from: usize) -> Option<(&[Token], usize)> {
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if let Some(inner) = token.group(Bracket::Curly) {
            return Some((inner, at + 1));
        }
        if token.is_mark(";") {
            return None;
        }
    }
    None
}

/// The type an `impl` is about.
fn subject(tokens: &[Token]) -> String {
    let after = tokens.iter().position(|token| token.is_name("for")).map_or(0, |at| at + 1);
    let mut depth = 0_i32;
    for token in &tokens[after..] {
        match &token.what {
            What::Mark(mark) if mark == "<" => depth += 1,
            What::Mark(mark) if mark == ">" => depth -= 1,
            What::Name(name) if depth == 0 && name != "dyn" && name != "mut" => {
                return name.clone();
            }
            What::Name(_)
            | What::Mark(_)
            | What::Text(_)
            | What::Number(_)
            | What::Group(..)
            | What::Other(_) => {}
        }
    }
    String::new()
}

/// One function. Says where it ends.
fn function(
    tokens: &[Token],
    at: usize,
    name: &str,
    attributes: &[(u32, &[Token])],
    is_of_tests: bool,
    outline: &mut Outline,
) -> usize {
    let first = attributes.first().map_or(tokens[at].line, |(line, _)| *line);
    let is_test = attributes.iter().any(|(_, attribute)| is_test_mark(attribute));
    let is_gated = attributes.iter().any(|(_, attribute)| is_gate(attribute, "test"));
    let parameters = tokens[at..].iter().find_map(|token| token.group(Bracket::Round));
    let parameters = parameters.map(parameters_of).unwrap_or_default();
    let Some((body, next)) = braces(tokens, at) else {
        let next = tokens[at..].iter().position(|token| token.is_mark(";"));
        return next.map_or(tokens.len(), |offset| at + offset + 1);
    };
    let mut mentions: BTreeSet<String> = BTreeSet::new();
    let mut shown = String::new();
    for token in all(body) {
        match &token.what {
            What::Name(name) => {
                mentions.insert(name.clone());
            }
            What::Text(text) if text.contains('{') => shown.push_str(text),
            What::Text(_) | What::Number(_) | What::Mark(_) | What::Group(..) | What::Other(_) => {}
        }
    }
    let is_used = |name: &&String| mentions.contains(*name) || shown.contains(&format!("{{{name}"));
    let used = parameters.iter().filter(is_used).cloned().collect();
    let checks::Asserts { count, hollow, own } = checks::asserts(body);
    // A test that must panic makes sure of that.
    let asserts =
        count + u32::from(attributes.iter().any(|(_, attribute)| has(attribute, "should_panic")));
    let last = match &tokens[next - 1].what {
        What::Group(_, _, last) => *last,
        What::Name(_) | What::Text(_) | What::Number(_) | What::Mark(_) | What::Other(_) => first,
    };
    let kind = if is_test { Kind::Test } else { Kind::Plain };
    if !is_gated || is_of_tests {
        outline.functions.push(Function {
            name: name.to_owned(),
            kind,
            first,
            last,
            parameters,
            used,
            asserts,
            hollow,
            own_checks: own,
            body: body_of(body),
            mentions,
        });
    }
    // Inner tests of source are tests: what they say is no part of the product.
    if is_of_tests || !(is_test || is_gated) {
        values::answer(body, outline);
        items(body, &format!("{name}::"), is_of_tests, outline);
    }
    next
}

fn parameters_of(tokens: &[Token]) -> Vec<String> {
    let names = arguments(tokens).into_iter().filter_map(|parameter| {
        let pattern = parameter.split(|token| token.is_mark(":")).next()?;
        let mut names = pattern.iter().filter_map(Token::name);
        names.find(|name| !matches!(*name, "mut" | "ref" | "self")).map(str::to_owned)
    });
    names.collect()
}

fn is_test_mark(attribute: &[Token]) -> bool {
    let path = attribute.iter().take_while(|token| token.inner().is_none());
    let last = path.filter_map(Token::name).last();
    last.is_some_and(|name| matches!(name, "test" | "rstest" | "test_case" | "quickcheck"))
}

fn has(attribute: &[Token], name: &str) -> bool {
    attribute.iter().any(|token| token.is_name(name))
}

/// Whether an attribute is `cfg(what)`.
fn is_gate(attribute: &[Token], what: &str) -> bool {
    let [cfg, inner] = attribute else { return false };
    let inner = inner.group(Bracket::Round).unwrap_or_default();
    cfg.is_name("cfg") && inner.len() == 1 && inner[0].is_name(what)
}

/// What depends on whether tests are built, other than tests themselves.
fn gate(attribute: &[Token], line: u32, outline: &mut Outline) {
    let words = spelled(attribute);
    if words.starts_with("cfg") && words.contains("not ") && words.contains("test ") {
        outline.uses.push(Use { name: "cfg(not(test))".to_owned(), line });
    }
}

/// `use a::b::{c, d as e};`. Says where it ends.
fn imports(tokens: &[Token], from: usize, outline: &mut Outline) -> usize {
    let end = tokens[from..].iter().position(|token| token.is_mark(";"));
    let end = end.map_or(tokens.len(), |offset| from + offset);
    let mut open = vec![(String::new(), &tokens[from..end])];
    while let Some((prefix, path)) = open.pop() {
        let mut so_far = prefix;
        let mut local = None;
        let mut is_renamed = false;
        let line = path.first().map_or(0, |token| token.line);
        let mut is_group = false;
        for token in path {
            if let Some(inner) = token.group(Bracket::Curly) {
                open.extend(arguments(inner).into_iter().map(|part| (so_far.clone(), part)));
                is_group = true;
            } else if token.is_name("as") {
                is_renamed = true;
            } else if let Some(name) = token.name() {
                if !is_renamed {
                    so_far.push_str(name);
                }
                local = Some(name.to_owned());
            } else if token.is_mark("::") || token.is_mark("*") {
                so_far.push_str(if token.is_mark("*") { "*" } else { "::" });
                local = token.is_mark("*").then(|| "*".to_owned()).or(local);
            }
        }
        if let (false, Some(name)) = (is_group, local) {
            outline.uses.push(Use { name: so_far.clone(), line });
            outline.imports.push(Import { module: so_far, name, line });
        }
    }
    end + 1
}

/// A path that begins here: `std::env::args`, `cfg!(test)`.
fn used(tokens: &[Token], at: usize, outline: &mut Outline) {
    let Some(first) = tokens[at].name() else { return };
    if at > 0 && tokens[at - 1].is_mark("::") {
        return;
    }
    let mut name = first.to_owned();
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|token| token.is_mark("::"))
        && let Some(more) = tokens.get(next + 1).and_then(Token::name)
    {
        name.push_str("::");
        name.push_str(more);
        next += 2;
    }
    let line = tokens[at].line;
    if tokens.get(next).is_some_and(|token| token.is_mark("!")) {
        let inner = tokens.get(next + 1).and_then(Token::inner).unwrap_or_default();
        if name == "cfg" {
            let words = inner.iter().flat_map(|token| all(std::slice::from_ref(token)));
            let words: Vec<_> = words.filter_map(Token::name).collect();
            outline.uses.push(Use { name: format!("cfg!({})", words.join(" ")), line });
        }
        name.push('!');
    }
    outline.uses.push(Use { name, line });
}

fn body_of(body: &[Token]) -> Body {
    let body = match body {
        [rest @ .., last] if last.is_mark(";") => rest,
        body => body,
    };
    let body = match body {
        [first, rest @ ..] if first.is_name("return") => rest,
        body => body,
    };
    match body {
        [] => return Body::Empty,
        [name, mark, _]
            if mark.is_mark("!") && (name.is_name("todo") || name.is_name("unimplemented")) =>
        {
            return Body::Unwritten;
        }
        _ => {}
    }
    let is_plain = all(body).all(|token| match &token.what {
        What::Name(name) => PLAIN.contains(&name.as_str()),
        What::Mark(mark) => !matches!(mark.as_str(), ";" | "=>" | "=" | "{" | "?"),
        What::Group(bracket, _, _) => *bracket != Bracket::Curly,
        What::Text(text) => !text.contains('{'),
        What::Number(_) | What::Other(_) => true,
    });
    let is_something = all(body).any(|token| {
        matches!(&token.what, What::Text(_) | What::Number(_) | What::Other(_))
            || token.name().is_some()
    });
    if is_plain && is_something { Body::Constant(shown(body)) } else { Body::Real }
}

fn shown(tokens: &[Token]) -> String {
    spelled(tokens).trim().chars().take(200).collect()
}

/// Names in an answer that is always the same.
const PLAIN: &[&str] = &[
    "Default",
    "Err",
    "None",
    "Ok",
    "Some",
    "String",
    "Vec",
    "as",
    "default",
    "f32",
    "f64",
    "false",
    "from",
    "i16",
    "i32",
    "i64",
    "i8",
    "into",
    "new",
    "to_owned",
    "to_string",
    "to_vec",
    "true",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
    "vec",
];

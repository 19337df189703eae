//! Types and bounds as text, however they are laid out.

use crate::toolchain::rust::tokens::{Bracket, Token, What};

/// Tokens in which `>=` and `&&` are two marks each, as in `Vec<u8>=` and `&&str`. Doc comments are gone.
pub(super) fn plain(tokens: &[Token]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for Token { what, line } in tokens {
        let mut push = |what: What| out.push(Token { what, line: *line });
        match what {
            What::Mark(mark) if matches!(mark.as_str(), ">=" | "&&" | "||") => {
                mark.chars().for_each(|sign| push(What::Mark(sign.to_string())));
            }
            What::Group(bracket, inner, last) => {
                push(What::Group(*bracket, plain(inner), *last));
            }
            What::Name(_) | What::Text(_) | What::Number(_) | What::Mark(_) | What::Other(_) => {
                push(what.clone());
            }
        }
    }
    out
}

/// The text of a type or of bounds: one spelling for every layout.
pub(super) fn spelled(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    let tokens = without_last_comma(tokens);
    for (nth, token) in tokens.iter().enumerate() {
        let next_closes = tokens.get(nth + 1).is_some_and(|next| next.is_mark(">"));
        if token.is_mark(",") && next_closes {
            continue;
        }
        if before.is_some_and(|before| is_apart(before, token)) {
            text.push(' ');
        }
        match &token.what {
            What::Name(word) | What::Number(word) | What::Mark(word) | What::Other(word) => {
                text.push_str(word);
            }
            What::Text(word) => text.push_str(&format!("{word:?}")),
            What::Group(bracket, inner, _) => {
                let is_called = before.is_some_and(|it| it.name().is_some());
                let inner = match bracket {
                    // `(T,)` is a tuple and `(T)` is not; in `Fn(T,)` the comma means nothing.
                    Bracket::Round if !is_called && commas(inner) == 1 => spelled_whole(inner),
                    Bracket::Round | Bracket::Curly | Bracket::Square => spelled(inner),
                };
                let (open, close) = match bracket {
                    Bracket::Round => ("(", ")"),
                    Bracket::Curly => ("{", "}"),
                    Bracket::Square => ("[", "]"),
                };
                text.push_str(&format!("{open}{inner}{close}"));
            }
        }
        before = Some(token);
    }
    text
}

/// The same, with a comma at the end kept.
fn spelled_whole(tokens: &[Token]) -> String {
    let is_last = tokens.last().is_some_and(|last| last.is_mark(","));
    format!("{}{}", spelled(tokens), if is_last { "," } else { "" })
}

fn without_last_comma(tokens: &[Token]) -> &[Token] {
    match tokens.split_last() {
        Some((last, rest)) if last.is_mark(",") => rest,
        Some(_) | None => tokens,
    }
}

/// Commas outside of angle brackets.
fn commas(tokens: &[Token]) -> usize {
    split(tokens, ",").len() - 1
}

/// Parts between marks that stand outside of angle brackets.
pub(super) fn split<'t>(tokens: &'t [Token], mark: &str) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let (mut open, mut first) = (0_usize, 0);
    for (nth, token) in tokens.iter().enumerate() {
        if open == 0 && token.is_mark(mark) {
            parts.push(&tokens[first..nth]);
            first = nth + 1;
        }
        open = angles(open, token);
    }
    parts.push(&tokens[first..]);
    parts
}

/// How many angle brackets are open after a token.
pub(super) fn angles(open: usize, token: &Token) -> usize {
    if token.is_mark("<") {
        open + 1
    } else if token.is_mark(">") {
        open.saturating_sub(1)
    } else {
        open
    }
}

fn is_apart(before: &Token, token: &Token) -> bool {
    let is_word = |it: &Token| {
        matches!(it.what, What::Name(_) | What::Number(_) | What::Text(_) | What::Other(_))
    };
    let is_one_of = |it: &Token, marks: &[&str]| marks.iter().any(|mark| it.is_mark(mark));
    let is_round = |it: &Token| it.inner().is_some();
    is_one_of(before, &[",", ":", ";", "=", "->", "+", "=>", "|"])
        || is_one_of(token, &["=", "->", "+", "=>", "|"])
        || (is_word(before) && is_word(token))
        || (is_word(before) && is_one_of(token, &["&", "*", "'", "?", "#"]))
        || (is_word(token) && (before.is_mark(">") || is_round(before)))
        || (is_word(before) && token.group(Bracket::Curly).is_some())
}

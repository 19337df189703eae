//! Literals of a Rust file, what each is there for, and which stand side by side.

use std::collections::BTreeSet;

use crate::toolchain::outline::{Literal, Outline, Pair, Role, Value, number};
use crate::toolchain::rust::tokens::{Bracket, Token, What, arguments};

/// The literal or row of literals at this place.
pub(super) fn look(tokens: &[Token], at: usize, outline: &mut Outline) {
    let token = &tokens[at];
    if let Some(value) = scalar(token) {
        let role = role(tokens, at);
        outline.literals.push(Literal { value, role, line: token.line });
    }
    if let Some(value) = row(token) {
        outline.literals.push(Literal { value, role: Role::Other, line: token.line });
    }
    // What is said inside of these, people read; what is given to those, something is looked up by.
    if let Some(inner) = token.inner()
        && let Some(role) = role_inside(tokens, at)
    {
        let first = arguments(inner).first().copied().unwrap_or_default();
        let told = match role {
            Role::Key => first,
            Role::Message | Role::Compared | Role::Returned | Role::Other => inner,
        };
        for token in told {
            if let Some(value) = scalar(token) {
                outline.literals.push(Literal { value, role, line: token.line });
            }
        }
    }
}

/// A literal that was seen twice, once by what stands around its bracket, keeps what that says of it.
pub(super) fn settle(literals: &mut Vec<Literal>) {
    let told: BTreeSet<(Value, u32)> = literals
        .iter()
        .filter(|literal| matches!(literal.role, Role::Key | Role::Message))
        .map(|literal| (literal.value.clone(), literal.line))
        .collect();
    let mut seen = BTreeSet::new();
    literals.retain(|literal| {
        let place = (literal.value.clone(), literal.line);
        literal.role != Role::Other || (!told.contains(&place) && seen.insert(place))
    });
}

/// The answer of a function, where it is a literal.
pub(super) fn answer(body: &[Token], outline: &mut Outline) {
    let tail = body.iter().rposition(|token| token.is_mark(";"));
    let tail = &body[tail.map_or(0, |at| at + 1)..];
    if let (Some(first), Some(value)) = (tail.first(), constant(tail)) {
        outline.literals.push(Literal { value, role: Role::Returned, line: first.line });
    }
}

/// What stands side by side on this level.
pub(super) fn pairs(tokens: &[Token], outline: &mut Outline) {
    arms(tokens, outline);
    rows(tokens, outline);
    for (at, token) in tokens.iter().enumerate() {
        if token.is_mark("==") {
            branch(tokens, at, outline);
        }
        let name = token.name().unwrap_or_default();
        let is_assert =
            name.ends_with("assert_eq") && tokens.get(at + 1).is_some_and(|next| next.is_mark("!"));
        if is_assert && let Some(inner) = tokens.get(at + 2).and_then(Token::inner) {
            let sides = arguments(inner);
            if let [left, right, ..] = sides.as_slice() {
                for (call, outcome) in [(left, right), (right, left)] {
                    let given = given(call);
                    if let Some(expected) = constant(outcome) {
                        add(outline, given, expected, token.line, 1);
                    }
                }
            }
        }
    }
}

/// `"a" | "b" => 5,` in a match.
fn arms(tokens: &[Token], outline: &mut Outline) {
    let count = tokens.iter().filter(|token| token.is_mark("=>")).count();
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.is_mark("=>")) {
        let from = tokens[..at]
            .iter()
            .rposition(|token| token.is_mark(",") || token.group(Bracket::Curly).is_some());
        let pattern = &tokens[from.map_or(0, |from| from + 1)..at];
        let answer = &tokens[at + 1..];
        let end = answer.iter().position(|token| token.is_mark(","));
        let answer = &answer[..end.unwrap_or(answer.len())];
        let answer = match answer {
            [only] => only.group(Bracket::Curly).unwrap_or(answer),
            answer => answer,
        };
        let given = pattern.iter().filter_map(scalar).collect();
        if let Some(expected) = constant(answer) {
            add(outline, given, expected, tokens[at].line, count);
        }
    }
}

/// `[("a", 5), ("b", 6)]`.
fn rows(tokens: &[Token], outline: &mut Outline) {
    let parts = arguments(tokens);
    let rows: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            [only] => only.group(Bracket::Round).map(|row| (only.line, arguments(row))),
            _ => None,
        })
        .filter(|(_, row)| row.len() >= 2)
        .collect();
    for (line, row) in &rows {
        if let [given @ .., expected] = row.as_slice()
            && let Some(expected) = constant(expected)
        {
            let given = given.iter().filter_map(|part| constant(part)).collect();
            add(outline, given, expected, *line, rows.len());
        }
    }
}

/// `if x == "a" { 5 }`, `if x == "a" { return 5; }`.
fn branch(tokens: &[Token], at: usize, outline: &mut Outline) {
    let sides = [at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(at + 1)];
    let given: Vec<_> = sides.into_iter().flatten().filter_map(scalar).collect();
    let then = tokens[at..].iter().find_map(|token| token.group(Bracket::Curly));
    if let Some(expected) = then.and_then(constant) {
        add(outline, given, expected, tokens[at].line, 1);
    }
}

fn add(outline: &mut Outline, given: Vec<Value>, expected: Value, line: u32, among: usize) {
    if !given.is_empty() {
        let among = u32::try_from(among).unwrap_or(u32::MAX);
        outline.pairs.push(Pair { given, expected, line, among });
    }
}

/// The literals that are given to calls.
fn given(call: &[Token]) -> Vec<Value> {
    let mut open: Vec<&[Token]> = call.iter().filter_map(Token::inner).collect();
    let mut given = Vec::new();
    while let Some(tokens) = open.pop() {
        given.extend(tokens.iter().filter_map(scalar));
        given.extend(tokens.iter().filter_map(row));
        open.extend(tokens.iter().filter_map(Token::inner));
    }
    given
}

/// A value that is there as it is: `5`, `-5`, `Some(5)`, `"a".to_owned()`, `return vec![1, 2, 3];`.
fn constant(tokens: &[Token]) -> Option<Value> {
    let tokens = match tokens {
        [rest @ .., last] if last.is_mark(";") => rest,
        tokens => tokens,
    };
    let mut found = None;
    let mut is_negative = false;
    for (at, token) in tokens.iter().enumerate() {
        match &token.what {
            What::Mark(mark) if mark == "-" && at + 1 < tokens.len() => is_negative = true,
            What::Mark(mark) if matches!(mark.as_str(), "&" | "." | "!" | "::") => {}
            What::Name(name) if AROUND.contains(&name.as_str()) => {}
            What::Text(_) | What::Number(_) if found.is_none() => found = scalar(token),
            What::Group(_, inner, _) if inner.is_empty() => {}
            What::Group(_, inner, _) if found.is_none() => {
                found = row(token).or_else(|| constant(inner));
                found.as_ref()?;
            }
            What::Mark(_)
            | What::Name(_)
            | What::Text(_)
            | What::Number(_)
            | What::Group(..)
            | What::Other(_) => return None,
        }
    }
    match (found, is_negative) {
        (Some(Value::Number(number)), true) => Some(Value::Number(format!("-{number}"))),
        (found, _) => found,
    }
}

fn scalar(token: &Token) -> Option<Value> {
    match &token.what {
        What::Text(text) => Some(Value::Text(text.clone())),
        What::Number(text) => Some(Value::Number(number(text))),
        What::Name(_) | What::Mark(_) | What::Group(..) | What::Other(_) => None,
    }
}

/// Three or more literals and nothing else in one bracket.
fn row(token: &Token) -> Option<Value> {
    let parts = arguments(token.inner()?);
    let words: Option<Vec<_>> = parts
        .iter()
        .map(|part| match part {
            [minus, only] if minus.is_mark("-") => {
                scalar(only).map(|value| format!("-{}", word(value)))
            }
            [only] => scalar(only).map(word),
            _ => None,
        })
        .collect();
    words.filter(|words| words.len() >= 3).map(Value::List)
}

fn word(value: Value) -> String {
    match value {
        Value::Text(word) | Value::Number(word) => word,
        Value::List(words) => words.join(" "),
    }
}

fn role(tokens: &[Token], at: usize) -> Role {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(at + 1);
    let is = |token: Option<&Token>, marks: &[&str]| {
        token.is_some_and(|token| marks.iter().any(|mark| token.is_mark(mark)))
    };
    if is(before, &["==", "!="]) || is(after, &["==", "!=", "=>"]) || is(after, &["|"]) {
        Role::Compared
    } else if before.is_some_and(|token| token.is_name("return")) {
        Role::Returned
    } else {
        Role::Other
    }
}

/// What a literal in this bracket is there for, as far as what stands before the bracket tells.
fn role_inside(tokens: &[Token], at: usize) -> Option<Role> {
    let before = tokens[..at].last()?;
    if before.is_mark("!") {
        let name = tokens.get(at.checked_sub(2)?)?.name()?;
        return MESSAGES.contains(&name).then_some(Role::Message);
    }
    let is_index = tokens[at].group(Bracket::Square).is_some();
    let name = before.name();
    match name {
        _ if is_index && (name.is_some() || before.inner().is_some()) => Some(Role::Key),
        Some("expect" | "Err" | "msg" | "context") => Some(Role::Message),
        Some(name) if KEYS.contains(&name) => Some(Role::Key),
        Some(_) | None => None,
    }
}

/// Names around a value that do not change what it is.
const AROUND: &[&str] = &[
    "Err",
    "None",
    "Ok",
    "Some",
    "String",
    "Vec",
    "from",
    "into",
    "new",
    "return",
    "to_owned",
    "to_string",
    "to_vec",
    "vec",
];

const MESSAGES: &[&str] = &[
    "anyhow",
    "bail",
    "debug",
    "ensure",
    "eprintln",
    "error",
    "eprint",
    "format",
    "info",
    "panic",
    "print",
    "println",
    "todo",
    "trace",
    "unimplemented",
    "unreachable",
    "warn",
    "write",
    "writeln",
];

const KEYS: &[&str] = &[
    "arg",
    "contains_key",
    "entry",
    "field",
    "get",
    "get_mut",
    "header",
    "long",
    "remove",
    "var",
    "var_os",
];

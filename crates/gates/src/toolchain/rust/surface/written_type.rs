//! Types as they are written, understood as far as values of them can be sent from one process to another.

use crate::toolchain::rust::tokens::{self, Bracket, Token, What};

use super::cursor::Cursor;
use super::spelling::{plain, spelled, split};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A name, with the types in its angle brackets. Names of other crates are written in full.
    Named {
        path: String,
        of: Vec<Self>,
    },
    /// A type of the crate itself, by its number.
    Own(usize),
    Reference {
        is_mutable: bool,
        to: Box<Self>,
    },
    Slice(Box<Self>),
    Array(Box<Self>, String),
    Tuple(Vec<Self>),
    /// One that its caller chooses, as far as these traits allow: `impl AsRef<str>`.
    Any(Vec<Self>),
    /// What is not understood, as it is written.
    Other(String),
}

impl Type {
    /// Reads a type from text in its normal form.
    pub(super) fn read(text: &str) -> Self {
        match tokens::of("", text) {
            Ok(tokens) => Self::of(&plain(&tokens), DEPTH_MAX),
            Err(_) => Self::Other(text.to_owned()),
        }
    }

    fn of(tokens: &[Token], depth: u32) -> Self {
        let other = || Self::Other(spelled(tokens));
        let Some(depth) = depth.checked_sub(1) else { return other() };
        let inner = |tokens: &[Token]| Self::of(tokens, depth);
        match tokens {
            [one] if one.group(Bracket::Round).is_some() => {
                let group = one.inner().unwrap_or_default();
                let parts = split(group, ",");
                let is_tuple = group.is_empty() || parts.len() > 1;
                let parts = parts.into_iter().filter(|it| !it.is_empty());
                let mut types: Vec<Self> = parts.map(inner).collect();
                if is_tuple { Self::Tuple(types) } else { types.pop().unwrap_or_else(other) }
            }
            [one] if one.group(Bracket::Square).is_some() => {
                match split(one.inner().unwrap_or_default(), ";").as_slice() {
                    [of] => Self::Slice(Box::new(inner(of))),
                    [of, length] => Self::Array(Box::new(inner(of)), spelled(length)),
                    _ => other(),
                }
            }
            [mark, rest @ ..] if mark.is_mark("&") => {
                let rest = match rest {
                    [Token { what: What::Other(_), .. }, rest @ ..] => rest,
                    // A lifetime is a mark and a name.
                    [tick, _, rest @ ..] if tick.is_mark("'") => rest,
                    rest => rest,
                };
                let (is_mutable, rest) = match rest {
                    [word, rest @ ..] if word.is_name("mut") => (true, rest),
                    rest => (false, rest),
                };
                Self::Reference { is_mutable, to: Box::new(inner(rest)) }
            }
            [word, rest @ ..] if word.is_name("impl") => {
                let bounds = split(rest, "+").into_iter().filter(|it| !is_lifetime(it));
                Self::Any(bounds.map(inner).collect())
            }
            _ => Self::named(tokens, depth).unwrap_or_else(other),
        }
    }

    fn named(tokens: &[Token], depth: u32) -> Option<Self> {
        let mut cursor = Cursor { tokens, at: 0 };
        let mut path = String::new();
        loop {
            cursor.skip_mark("::");
            if !path.is_empty() {
                path.push_str("::");
            }
            path.push_str(cursor.name()?);
            if !cursor.is_mark("::") {
                break;
            }
        }
        let mut of = Vec::new();
        let generics = cursor.generics();
        if let [_, inner @ .., _] = generics {
            let parts = split(inner, ",").into_iter();
            let parts = parts.filter(|it| !it.is_empty() && !is_lifetime(it));
            of = parts.map(|part| Self::of(part, depth)).collect();
        }
        (cursor.at == tokens.len() && is_type_name(&path)).then_some(Self::Named { path, of })
    }

    /// The type with every name replaced that `with` knows.
    pub(super) fn map(self, with: &mut impl FnMut(Self) -> Self) -> Self {
        let all = |types: Vec<Self>, with: &mut _| -> Vec<Self> {
            types.into_iter().map(|it| it.map(with)).collect()
        };
        match self {
            Self::Named { path, of } => {
                let of = all(of, with);
                with(Self::Named { path, of })
            }
            Self::Reference { is_mutable, to } => {
                Self::Reference { is_mutable, to: Box::new(to.map(with)) }
            }
            Self::Slice(of) => Self::Slice(Box::new(of.map(with))),
            Self::Array(of, length) => Self::Array(Box::new(of.map(with)), length),
            Self::Tuple(types) => Self::Tuple(all(types, with)),
            Self::Any(bounds) => Self::Any(all(bounds, with)),
            Self::Own(_) | Self::Other(_) => self,
        }
    }
}

fn is_lifetime(tokens: &[Token]) -> bool {
    match tokens {
        [Token { what: What::Other(text), .. }] => text.starts_with('\''),
        [tick, _] => tick.is_mark("'"),
        _ => false,
    }
}

fn is_type_name(path: &str) -> bool {
    !matches!(path, "dyn" | "fn" | "for" | "unsafe" | "extern")
}

const DEPTH_MAX: u32 = 16;

/// `a: A, b: B`.
pub(super) fn named_fields(text: &str) -> Vec<(String, Type)> {
    let tokens = plain(&tokens::of("", text).unwrap_or_default());
    let field = |part: &[Token]| {
        let (name, of) = (part.first()?.name()?, part.get(2..)?);
        Some((name.to_owned(), Type::of(of, DEPTH_MAX)))
    };
    split(&tokens, ",").into_iter().filter_map(field).collect()
}

/// What callers choose of a function, by name: `<T: AsRef<str>>` and `where T: AsRef<str>`.
pub(super) fn parameters(generics: &str, bounds: &str) -> Vec<(String, Type)> {
    let mut found: Vec<(String, Vec<Type>)> = Vec::new();
    let clause = bounds.split(" in impl").next().unwrap_or_default();
    let heads = generics.trim().trim_start_matches('<').strip_suffix('>').unwrap_or_default();
    for text in [heads, clause.trim_start_matches("where ")] {
        let tokens = plain(&tokens::of("", text).unwrap_or_default());
        for part in split(&tokens, ",").into_iter().filter(|it| !it.is_empty()) {
            let Some(name) = part[0].name() else { continue };
            let bounds = part.get(2..).unwrap_or_default();
            let bounds =
                split(bounds, "+").into_iter().filter(|it| !it.is_empty() && !is_lifetime(it));
            let bounds: Vec<Type> = bounds.map(|it| Type::of(it, DEPTH_MAX)).collect();
            match found.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.extend(bounds),
                None if text == heads => found.push((name.to_owned(), bounds)),
                None => {}
            }
        }
    }
    found.into_iter().map(|(name, bounds)| (name, Type::Any(bounds))).collect()
}

/// The parameters of an alias, with what stands for those that are left out: `<T, E = Error>`.
pub(super) fn defaults(generics: &str) -> Vec<(String, Option<Type>)> {
    let inner = generics.trim().trim_start_matches('<').strip_suffix('>').unwrap_or_default();
    let tokens = plain(&tokens::of("", inner).unwrap_or_default());
    let one = |part: &[Token]| {
        let name = part.first()?.name()?.to_owned();
        let default = match part {
            [_, is, rest @ ..] if is.is_mark("=") => Some(Type::of(rest, DEPTH_MAX)),
            _ => None,
        };
        Some((name, default))
    };
    split(&tokens, ",").into_iter().filter_map(one).collect()
}

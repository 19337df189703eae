//! How a type crosses: how it is written where it is owned, lent, and had back.

use sealwright_gates::toolchain::rust_api::{Api, OwnType, Receiver, Shape, Type};

/// On which side a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    StandIn,
    Program,
}

/// Why something cannot cross.
pub(super) type Obstacle = String;

pub(super) struct Types<'a> {
    api: &'a Api,
    /// Own types that cross as they are, by number.
    is_plain: Vec<bool>,
}

/// An argument: how the stand-in takes and sends it, how the program gets and hands it on.
#[derive(Clone)]
pub(super) struct Argument {
    /// Its type in the stand-in's signature.
    pub(super) taken_as: String,
    /// The expression that sends it. `{it}` stands for its name, here and below.
    pub(super) sent: String,
    /// Statements of the program that make it of the next value.
    pub(super) got: String,
    /// The expression that hands it to the candidate.
    pub(super) passed: String,
    /// Whether the candidate may change it, and it comes back.
    pub(super) comes_back: bool,
}

/// A result: its type in the stand-in, how the program owns it, how the stand-in gives it.
pub(super) struct Outcome {
    pub(super) given_as: String,
    /// The type that crosses.
    pub(super) crosses_as: String,
    /// An expression on `it`.
    pub(super) owned: String,
    /// An expression on `it`.
    pub(super) given: String,
}

impl Argument {
    /// One that the program owns, as this type, before it hands it on.
    fn owned_as(own: &str, taken_as: String, sent: &str, passed: &str) -> Self {
        Self {
            taken_as,
            sent: sent.to_owned(),
            got: format!("{NEXT} let {{it}} = <{own} as Wire>::get({{it}})?;"),
            passed: passed.to_owned(),
            comes_back: false,
        }
    }
}

impl Outcome {
    /// One that crosses as it is.
    pub(super) fn plain(of: &str) -> Self {
        let (it, of) = ("it".to_owned(), of.to_owned());
        Self { given_as: of.clone(), crosses_as: of, owned: it.clone(), given: it }
    }
}

impl<'a> Types<'a> {
    pub(super) fn new(api: &'a Api) -> Self {
        let mut types = Self { api, is_plain: vec![true; api.types.len()] };
        // A type is plain only if everything in it crosses; one that is not may make others so.
        loop {
            let crosses = |nth: usize| {
                // What is dropped in a way of its own cannot be taken apart.
                types.shape_crosses(&api.types[nth].shape) && !types.has(nth, "Drop")
            };
            let now: Vec<bool> = (0..api.types.len()).map(crosses).collect();
            if now == types.is_plain {
                return types;
            }
            types.is_plain = now;
        }
    }

    pub(super) fn is_plain(&self, number: usize) -> bool {
        self.is_plain[number]
    }

    pub(super) fn own(&self, number: usize) -> &'a OwnType {
        &self.api.types[number]
    }

    fn shape_crosses(&self, shape: &Shape) -> bool {
        let crosses = |of: &Type| self.owned(of, Side::Program).is_ok() && !has_reference(of);
        match shape {
            Shape::Opaque | Shape::Generic => false,
            Shape::Unit => true,
            Shape::Struct(fields) => fields.iter().all(|(_, of)| crosses(of)),
            Shape::Tuple(fields) => fields.iter().all(crosses),
            Shape::Enum(variants) => {
                !variants.is_empty() && variants.iter().all(|it| self.shape_crosses(&it.fields))
            }
        }
    }

    /// The name of an own type on one side.
    pub(super) fn name(&self, number: usize, side: Side) -> String {
        match side {
            Side::StandIn => format!("crate::__items::t{number}::{}", self.own(number).name),
            Side::Program => format!("::{}::{}", self.api.name, self.own(number).names[0]),
        }
    }

    /// The type that owns what a type holds or borrows.
    pub(super) fn owned(&self, of: &Type, side: Side) -> Result<String, Obstacle> {
        let all = |types: &[Type]| -> Result<Vec<String>, Obstacle> {
            types.iter().map(|it| self.owned(it, side)).collect()
        };
        match of {
            Type::Own(number) => match self.own(*number).shape {
                Shape::Generic => Err(GENERIC.to_owned()),
                _ => Ok(self.name(*number, side)),
            },
            Type::Tuple(types) if types.len() <= TUPLE_MAX => {
                let types = all(types)?;
                Ok(match types.as_slice() {
                    [one] => format!("({one},)"),
                    types => format!("({})", types.join(", ")),
                })
            }
            Type::Array(of, length) if length.bytes().all(|it| it.is_ascii_digit()) => {
                Ok(format!("[{}; {length}]", self.owned(of, side)?))
            }
            Type::Slice(of) => Ok(format!("::std::vec::Vec<{}>", self.owned(of, side)?)),
            Type::Reference { is_mutable: false, to } => self.owned(to, side),
            Type::Reference { .. } => Err("a mutable reference inside of a type".to_owned()),
            Type::Named { path, of } => {
                if let Some((_, own)) = unsized_names(path) {
                    return Ok(own.to_owned());
                }
                if is_boxed_error(path, of) {
                    let text = if matches!(of.as_slice(), [Type::Other(text)] if text.contains("Send"))
                    {
                        "::std::boxed::Box<dyn ::std::error::Error + Send + Sync>"
                    } else {
                        "::std::boxed::Box<dyn ::std::error::Error>"
                    };
                    return Ok(text.to_owned());
                }
                let name = known(path, of.len()).ok_or_else(|| match path.as_str() {
                    "Self" => "a type of a trait".to_owned(),
                    path => format!("`{path}`, which is not known here"),
                })?;
                let of = all(of)?;
                if of.is_empty() {
                    Ok(name.to_owned())
                } else {
                    Ok(format!("{name}<{}>", of.join(", ")))
                }
            }
            Type::Tuple(_) => Err("a long tuple".to_owned()),
            Type::Array(..) => Err("an array whose length is no number".to_owned()),
            Type::Any(bounds) => Err(any(bounds)),
            Type::Other(text) => Err(other(text)),
        }
    }

    /// An argument by value or by reference.
    pub(super) fn argument(&self, of: &Type) -> Result<Argument, Obstacle> {
        match of {
            Type::Reference { is_mutable, to } => {
                if let Type::Own(number) = &**to
                    && !self.is_plain(*number)
                {
                    let name = self.owned(to, Side::Program)?;
                    let mutable = if *is_mutable { "mut " } else { "" };
                    return Ok(Argument {
                        taken_as: format!("&{mutable}{}", self.owned(to, Side::StandIn)?),
                        sent: LENT.to_owned(),
                        got: format!(
                            "{NEXT} let {{it}}_kept = crate::server::Kept::of({{it}})?; let mut {{it}} = {{it}}_kept.object::<{name}>()?;"
                        ),
                        passed: format!("&{mutable}*{{it}}"),
                        comes_back: false,
                    });
                }
                let taken_as = self.borrowed(to)?;
                let own = self.owned(to, Side::Program)?;
                if *is_mutable {
                    if unsized_of(to) || has_reference(to) {
                        return Err("a mutable reference to a part".to_owned());
                    }
                    return Ok(Argument {
                        taken_as: format!("&mut {taken_as}"),
                        sent: "crate::__judge::Lend::lend(&*{it})".to_owned(),
                        got: format!("{NEXT} let mut {{it}} = <{own} as Wire>::get({{it}})?;"),
                        passed: "&mut {it}".to_owned(),
                        comes_back: true,
                    });
                }
                let passed = match &**to {
                    Type::Slice(of) if matches!(**of, Type::Reference { .. }) => {
                        "&{it}.iter().map(|it| &**it).collect::<Vec<_>>()"
                    }
                    to if has_reference(to) => return Err(REFERENCES.to_owned()),
                    _ => "&{it}",
                };
                Ok(Argument::owned_as(&own, format!("&{taken_as}"), LENT, passed))
            }
            Type::Any(bounds) => self.chosen(bounds),
            Type::Named { path, of: inner }
                if known(path, 1) == Some(OPTION) && has_reference(of) =>
            {
                let to = match inner.as_slice() {
                    [Type::Reference { is_mutable: false, to }] if !has_reference(to) => to,
                    _ => return Err(REFERENCES.to_owned()),
                };
                let own = format!("::std::option::Option<{}>", self.owned(to, Side::Program)?);
                let taken_as = format!("::std::option::Option<&{}>", self.borrowed(to)?);
                let passed = if unsized_of(to) { "{it}.as_deref()" } else { "{it}.as_ref()" };
                let sent = "crate::__judge::Lend::lend(&{it})";
                Ok(Argument::owned_as(&own, taken_as, sent, passed))
            }
            _ if has_reference(of) => Err(REFERENCES.to_owned()),
            _ => {
                let (own, taken_as) =
                    (self.owned(of, Side::Program)?, self.owned(of, Side::StandIn)?);
                let sent = "crate::__judge::Wire::give({it})";
                Ok(Argument::owned_as(&own, taken_as, sent, "{it}"))
            }
        }
    }

    /// What a caller chooses, where one type can stand for all.
    fn chosen(&self, bounds: &[Type]) -> Result<Argument, Obstacle> {
        let found = bounds.iter().find_map(|bound| {
            let Type::Named { path, of } = bound else { return None };
            let (taken, sent, own) = match (last(path), of.as_slice()) {
                ("AsRef", [to]) if unsized_of(to) => {
                    let lent = self.borrowed(to).ok()?;
                    let sent = format!(
                        "crate::__judge::Lend::lend(::std::convert::AsRef::<{lent}>::as_ref(&{{it}}))"
                    );
                    let own = self.owned(to, Side::Program).ok()?;
                    (format!("impl ::std::convert::AsRef<{lent}>"), sent, own)
                }
                ("Into", [to]) if !has_reference(to) => {
                    let here = self.owned(to, Side::StandIn).ok()?;
                    let sent = format!(
                        "crate::__judge::Wire::give(::std::convert::Into::<{here}>::into({{it}}))"
                    );
                    let own = self.owned(to, Side::Program).ok()?;
                    (format!("impl ::std::convert::Into<{here}>"), sent, own)
                }
                ("ToString" | "Display", []) => {
                    let sent =
                        "crate::__judge::Wire::give(::std::string::ToString::to_string(&{it}))";
                    let own = "::std::string::String".to_owned();
                    ("impl ::std::fmt::Display".to_owned(), sent.to_owned(), own)
                }
                _ => return None,
            };
            Some(Argument::owned_as(&own, taken, &sent, "{it}"))
        });
        found.ok_or_else(|| any(bounds))
    }

    pub(super) fn outcome(&self, of: &Type) -> Result<Outcome, Obstacle> {
        let inside = || "it gives references inside of a type".to_owned();
        match of {
            Type::Reference { is_mutable: false, to } => {
                if has_reference(to) {
                    return Err(inside());
                }
                if !self.can_be_copied(to) {
                    return Err("it lends what cannot be copied".to_owned());
                }
                let lent = self.borrowed(to)?;
                Ok(Outcome {
                    given_as: format!("&{lent}"),
                    crosses_as: self.owned(to, Side::StandIn)?,
                    owned: "(*it).to_owned()".to_owned(),
                    given: format!(
                        "{{ let it: &'static {lent} = crate::__judge::leaked(it); it }}"
                    ),
                })
            }
            Type::Reference { .. } => Err("it lends what may be changed".to_owned()),
            Type::Named { path, of: inner } if has_reference(of) => {
                let name = known(path, inner.len()).unwrap_or_default();
                let is_mapped = matches!(name, OPTION | "::std::result::Result");
                let (first, rest) = match inner.split_first() {
                    Some((first, rest)) if is_mapped && !rest.iter().any(has_reference) => {
                        (self.outcome(first)?, rest)
                    }
                    _ => return Err(inside()),
                };
                let rest = rest.iter().map(|it| self.owned(it, Side::StandIn));
                let rest: Vec<String> = rest.collect::<Result<_, _>>()?;
                let with = |first: String| {
                    format!("{name}<{}>", [&[first], &rest[..]].concat().join(", "))
                };
                Ok(Outcome {
                    given_as: with(first.given_as),
                    crosses_as: with(first.crosses_as),
                    owned: format!("it.map(|it| {})", first.owned),
                    given: format!("it.map(|it| {})", first.given),
                })
            }
            _ if has_reference(of) => Err(inside()),
            _ => Ok(Outcome::plain(&self.owned(of, Side::StandIn)?)),
        }
    }

    /// A type behind a reference, in the stand-in.
    fn borrowed(&self, of: &Type) -> Result<String, Obstacle> {
        match of {
            Type::Slice(of) => match &**of {
                Type::Reference { is_mutable: false, to } => {
                    Ok(format!("[&{}]", self.borrowed(to)?))
                }
                of => Ok(format!("[{}]", self.owned(of, Side::StandIn)?)),
            },
            Type::Named { path, .. } => match unsized_names(path) {
                Some((lent, _)) => Ok(lent.to_owned()),
                None => self.owned(of, Side::StandIn),
            },
            _ => self.owned(of, Side::StandIn),
        }
    }

    /// Whether the candidate can make a second one of what it lends.
    fn can_be_copied(&self, of: &Type) -> bool {
        match of {
            Type::Own(number) => self.has(*number, "Clone"),
            Type::Tuple(types) => types.iter().all(|it| self.can_be_copied(it)),
            Type::Slice(of) | Type::Array(of, _) => self.can_be_copied(of),
            Type::Named { path, of } => {
                !is_boxed_error(path, of) && of.iter().all(|it| self.can_be_copied(it))
            }
            Type::Reference { .. } | Type::Any(_) | Type::Other(_) => false,
        }
    }

    /// Whether the stand-in of a plain type derives a trait.
    pub(super) fn is_derived(&self, number: usize, wanted: &str) -> bool {
        let own = self.own(number);
        let is_derived = own.derives.iter().any(|it| it == wanted);
        match wanted {
            // What is equal is decided in the tests, by what is there.
            "PartialEq" | "Eq" => is_derived || self.has(number, wanted),
            // Nobody outside sees which variant it is.
            "Default" => is_derived && !matches!(own.shape, Shape::Enum(_)),
            _ => is_derived,
        }
    }

    /// Whether copies of an object are one and the same to whoever uses them.
    pub(super) fn is_copied(&self, number: usize) -> bool {
        self.has(number, "Copy") && !self.is_changed(number)
    }

    /// Whether an object can be changed from outside.
    pub(super) fn is_changed(&self, number: usize) -> bool {
        let own = self.own(number);
        let is_assigned = |(of, _): &(Type, _)| matches!(of, Type::Named { path, .. } if path.ends_with("Assign") || path.ends_with("Mut"));
        own.methods.iter().any(|it| it.receiver == Some(Receiver::Mutable))
            || own.traits.iter().any(is_assigned)
    }

    /// Whether an own type has a trait that takes nothing.
    pub(super) fn has(&self, number: usize, wanted: &str) -> bool {
        let own = self.own(number);
        let is_it = |(of, _): &(Type, _)| matches!(of, Type::Named { path, of } if of.is_empty() && last(path) == wanted);
        own.derives.iter().any(|it| it == wanted) || own.traits.iter().any(is_it)
    }
}

pub(super) fn has_reference(of: &Type) -> bool {
    match of {
        Type::Reference { .. } => true,
        Type::Named { of, .. } | Type::Tuple(of) | Type::Any(of) => of.iter().any(has_reference),
        Type::Slice(of) | Type::Array(of, _) => has_reference(of),
        Type::Own(_) | Type::Other(_) => false,
    }
}

fn unsized_of(of: &Type) -> bool {
    match of {
        Type::Slice(_) => true,
        Type::Named { path, .. } => unsized_names(path).is_some(),
        _ => false,
    }
}

/// A type that is only ever lent, and the one that owns what it holds.
fn unsized_names(path: &str) -> Option<(&'static str, &'static str)> {
    match last(path) {
        "str" => Some(("str", "::std::string::String")),
        "Path" => Some(("::std::path::Path", "::std::path::PathBuf")),
        "OsStr" => Some(("::std::ffi::OsStr", "::std::ffi::OsString")),
        _ => None,
    }
}

/// The last name of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or_default()
}

fn is_boxed_error(path: &str, of: &[Type]) -> bool {
    let is_error = |text: &str| {
        let text = text.trim_start_matches("dyn ");
        let mut parts = text.split(" + ");
        parts.next().map(last) == Some("Error")
            && parts.all(|it| matches!(it, "Send" | "Sync" | "'static"))
    };
    last(path) == "Box"
        && matches!(of, [Type::Other(text)] if text.starts_with("dyn ") && is_error(text))
}

/// The full name of a type of the standard library that crosses, with so many types in its brackets.
fn known(path: &str, of: usize) -> Option<&'static str> {
    let is_alone = !path.contains("::");
    let is_of_the_library = ["std::", "core::", "alloc::"].iter().any(|it| path.starts_with(it));
    if !is_alone && !is_of_the_library {
        return None;
    }
    if let Some(primitive) = PRIMITIVES.iter().find(|it| **it == last(path)) {
        return (of == 0).then_some(primitive);
    }
    let (name, count) = match last(path) {
        "String" => ("::std::string::String", 0),
        "Vec" => ("::std::vec::Vec", 1),
        "Option" => (OPTION, 1),
        "Box" => ("::std::boxed::Box", 1),
        "Result" if of == 2 => ("::std::result::Result", 2),
        _ if is_alone => return None,
        "VecDeque" => ("::std::collections::VecDeque", 1),
        "BTreeSet" => ("::std::collections::BTreeSet", 1),
        "HashSet" => ("::std::collections::HashSet", 1),
        "BTreeMap" => ("::std::collections::BTreeMap", 2),
        "HashMap" => ("::std::collections::HashMap", 2),
        "Ordering" if path.contains("cmp") => ("::std::cmp::Ordering", 0),
        "Duration" => ("::std::time::Duration", 0),
        "PathBuf" => ("::std::path::PathBuf", 0),
        "OsString" => ("::std::ffi::OsString", 0),
        _ => return None,
    };
    (count == of).then_some(name)
}

fn any(bounds: &[Type]) -> Obstacle {
    let is_called = |it: &Type| match it {
        Type::Named { path, .. } | Type::Other(path) => {
            let name = path.split(['(', '<']).next().unwrap_or_default();
            matches!(last(name), "Fn" | "FnMut" | "FnOnce")
        }
        _ => false,
    };
    match bounds {
        bounds if bounds.iter().any(is_called) => "a function that is passed in".to_owned(),
        _ => "a type that the caller chooses".to_owned(),
    }
}

fn other(text: &str) -> Obstacle {
    if text.starts_with("dyn ") {
        "a trait object".to_owned()
    } else if text.contains("fn(") || text.contains("fn (") {
        "a function that is passed in".to_owned()
    } else if text.ends_with("which is private") {
        "a type that is private".to_owned()
    } else {
        "a type that is not understood".to_owned()
    }
}

/// How the program takes the next value.
const NEXT: &str = "let {it} = arguments.next()?;";
/// How the stand-in sends what it is lent.
const LENT: &str = "crate::__judge::Lend::lend({it})";
const OPTION: &str = "::std::option::Option";
const REFERENCES: &str = "references inside of a type";
pub(super) const GENERIC: &str = "a generic type of the crate";
const PRIMITIVES: [&str; 16] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64",
];
const TUPLE_MAX: usize = 6;

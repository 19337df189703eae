//! Writes both programs at once: every call has the same number in both.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealwright_gates::toolchain::rust_api::{Api, Callable, Receiver, Shape, Type, Variant};

use super::crossing::{Argument, GENERIC, Obstacle, Outcome, Side, Types};
use super::{CALLER, Pair, RUNNER, SERVER, SHARED_FILES, WIRE};

pub(super) struct Writer<'a> {
    api: &'a Api,
    pub(super) types: Types<'a>,
    /// Items of the stand-in.
    pub(super) items: String,
    /// Implementations of the program.
    program: String,
    /// What the program does for each call.
    arms: String,
    constants: String,
    /// Public names of the stand-in: path, and the item it means.
    names: Vec<(String, String)>,
    numbers: u64,
    called: Vec<String>,
    left: Vec<(String, String)>,
    items_left: Vec<(String, String)>,
    claims: Vec<String>,
    crossing: Vec<String>,
    staying: Vec<String>,
    derived: Vec<String>,
}

/// The program that answers: what it does for constants, its implementations, and what it does for each call.
pub(super) fn program(constants: &str, implementations: &str, arms: &str) -> String {
    format!(
        "#![allow(warnings)]\nmod wire {{\n{WIRE}}}\nmod shared_files {{\n{SHARED_FILES}}}\n\
         mod runner {{\n{RUNNER}}}\nmod server {{\n{SERVER}}}\nuse wire::{{Lend, V, Wire, items, list}};\n\
         fn main() {{\n    server::main();\n}}\n\
         fn constant(number: u64) -> Option<Box<dyn std::any::Any>> {{\n    Some(match number {{\n{constants}\
         _ => return None,\n    }})\n}}\n{implementations}\n\
         fn answer(number: u64, arguments: &mut std::vec::IntoIter<V>) -> Option<V> {{\n    match number {{\n{arms}\
         _ => None,\n    }}\n}}\n",
    )
}

impl<'a> Writer<'a> {
    pub(super) fn new(api: &'a Api) -> Self {
        Self {
            api,
            types: Types::new(api),
            items: String::new(),
            program: String::new(),
            arms: String::new(),
            constants: String::new(),
            names: Vec::new(),
            numbers: 0,
            called: Vec::new(),
            left: Vec::new(),
            items_left: api.left.iter().map(|(it, why)| (it.clone(), (*why).to_owned())).collect(),
            claims: Vec::new(),
            crossing: Vec::new(),
            staying: Vec::new(),
            derived: Vec::new(),
        }
    }

    pub(super) fn written(mut self) -> Pair {
        for number in 0..self.api.types.len() {
            self.own(number);
        }
        for (nth, function) in self.api.functions.iter().enumerate() {
            let path = format!("::{}::{}", self.api.name, function.names[0]);
            match self.function(function, None, &path) {
                Ok(text) => {
                    let text = text.replacen("{name}", &format!("f{nth}"), 1);
                    self.items.push_str(&text);
                    let names = function.names.iter();
                    self.names.extend(names.map(|it| (it.clone(), format!("f{nth}"))));
                    self.called.push(function.names[0].clone());
                }
                Err(why) => self.left.push((function.names[0].clone(), why)),
            }
        }
        for (nth, constant) in self.api.constants.iter().enumerate() {
            let of = self.types.outcome(&constant.of).map(|it| it.given_as);
            match (of, &constant.value) {
                (Ok(of), Some(literal)) if is_literal(literal) => {
                    let of = of.replacen('&', "&'static ", 1);
                    let _ = writeln!(self.items, "pub const C{nth}: {of} = {literal};");
                    let names = constant.names.iter();
                    self.names.extend(names.map(|it| (it.clone(), format!("C{nth}"))));
                }
                _ => self.items_left.push((constant.names[0].clone(), COMPUTED.to_owned())),
            }
        }
        Pair {
            library: self.api.name.clone(),
            stand_in: self.stand_in(),
            program: program(&self.constants, &self.program, &self.arms),
            called: self.called,
            left: self.left,
            items_left: self.items_left,
            claims: self.claims,
            crossing: self.crossing,
            staying: self.staying,
            derived: self.derived,
        }
    }

    fn stand_in(&self) -> String {
        let mut tree = Modules::default();
        for (path, item) in &self.names {
            tree.add(path, item);
        }
        let mut names = String::new();
        tree.write(&mut names);
        format!(
            "#![allow(warnings)]\n{names}\n#[doc(hidden)]\nmod __items {{\n{}}}\n#[doc(hidden)]\nmod __judge {{\n\
             pub mod wire {{\n{WIRE}}}\npub mod caller {{\n{CALLER}}}\npub use caller::*;\npub use wire::*;\n}}\n",
            self.items
        )
    }

    fn own(&mut self, number: usize) {
        let own = self.types.own(number);
        let member = |name: &str| format!("{}::{name}", own.names[0]);
        if own.shape == Shape::Generic {
            let methods = own.methods.iter();
            self.left.extend(methods.map(|it| (member(&it.name), GENERIC.to_owned())));
            self.items_left.push((own.names[0].clone(), GENERIC.to_owned()));
            return;
        }
        let _ = writeln!(self.items, "pub mod t{number} {{");
        if self.types.is_plain(number) {
            self.crossing.push(own.names[0].clone());
            self.plain(number);
        } else {
            self.staying.push(own.names[0].clone());
            self.opaque(number);
        }
        let derived = own.derives.iter().filter(|it| OWN_WORD.contains(&it.as_str()));
        self.derived.extend(derived.map(|it| format!("{}: {it}", own.names[0])));
        let mut methods = String::new();
        let path = self.types.name(number, Side::Program);
        for method in &own.methods {
            let called = format!("{path}::{}", method.name);
            match self.function(method, Some(number), &called) {
                Ok(text) => {
                    methods.push_str(&text.replacen("{name}", &method.name, 1));
                    self.called.push(member(&method.name));
                }
                Err(why) => self.left.push((member(&method.name), why)),
            }
        }
        for constant in &own.constants {
            let is_own = constant.of == Type::Own(number);
            let value = constant.value.as_deref();
            if let Some(value) = value.filter(|it| is_own && self.is_written_out(number, it)) {
                let _ = writeln!(methods, "pub const {}: Self = {value};", constant.name);
            } else if is_own && !self.types.is_plain(number) && !self.types.is_changed(number) {
                let nth = self.constants.lines().count();
                let name = &constant.name;
                let handle = format!("crate::__judge::Handle::Constant({nth})");
                let _ = writeln!(methods, "pub const {name}: Self = Self({handle});");
                let _ = writeln!(self.constants, "{nth} => Box::new({path}::{name}),");
            } else {
                self.items_left.push((member(&constant.name), COMPUTED.to_owned()));
            }
        }
        if !methods.is_empty() {
            let _ = writeln!(self.items, "impl {} {{\n{methods}}}", own.name);
        }
        self.traits(number);
        self.items.push_str("}\n");
        for name in &own.names {
            self.names.push((name.clone(), format!("t{number}::{}", own.name)));
        }
    }

    /// Whether a value of a plain type is written with nothing but literals, its own names and empty collections.
    fn is_written_out(&self, number: usize, value: &str) -> bool {
        let own = self.types.own(number);
        let names: Vec<&str> = match &own.shape {
            Shape::Struct(fields) => fields.iter().map(|(name, _)| name.as_str()).collect(),
            Shape::Enum(variants) => variants.iter().map(|it| it.name.as_str()).collect(),
            _ => Vec::new(),
        };
        let is_known = |word: &str| {
            let is_number = word.starts_with(|first: char| first.is_ascii_digit());
            is_number || EMPTY.contains(&word) || word == own.name || names.contains(&word)
        };
        let mut words = value.split(|it: char| !it.is_alphanumeric() && it != '_');
        self.types.is_plain(number)
            && !value.contains('"')
            && words.all(|word| word.is_empty() || is_known(word))
    }

    /// A type whose values cross as they are.
    fn plain(&mut self, number: usize) {
        let own = self.types.own(number);
        let derives: Vec<&str> =
            DERIVED.into_iter().filter(|it| self.types.is_derived(number, it)).collect();
        if !derives.is_empty() {
            let _ = writeln!(self.items, "#[derive({})]", derives.join(", "));
        }
        let declared = match &own.shape {
            Shape::Enum(variants) => {
                let variant =
                    |it: &Variant| format!("    {}{},\n", it.name, self.fields(&it.fields, ""));
                let variants: String = variants.iter().map(variant).collect();
                format!("pub enum {} {{\n{variants}}}\n", own.name)
            }
            shape @ Shape::Struct(_) => {
                format!("pub struct {}{}\n", own.name, self.fields(shape, "pub "))
            }
            shape => format!("pub struct {}{};\n", own.name, self.fields(shape, "pub ")),
        };
        self.items.push_str(&declared);
        for side in [Side::StandIn, Side::Program] {
            let name = self.types.name(number, side);
            let text = crossing_of(&name, &own.shape, side);
            match side {
                Side::StandIn => self.items.push_str(&text),
                Side::Program => self.program.push_str(&text),
            }
        }
    }

    fn fields(&self, shape: &Shape, reach: &str) -> String {
        let of = |of: &Type| self.types.owned(of, Side::StandIn).unwrap_or_default();
        match shape {
            Shape::Struct(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, it)| format!("{reach}{name}: {}", of(it))).collect();
                format!(" {{ {} }}", fields.join(", "))
            }
            Shape::Tuple(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|it| format!("{reach}{}", of(it))).collect();
                format!("({})", fields.join(", "))
            }
            _ => String::new(),
        }
    }

    /// A type that stays with the candidate.
    fn opaque(&mut self, number: usize) {
        let own = self.types.own(number);
        let name = &own.name;
        let is_copy = self.types.is_copied(number);
        let derived = if is_copy { "#[derive(Clone, Copy)]\n" } else { "" };
        let given = if is_copy {
            "self.0.lent()"
        } else {
            "let own = self.0; ::std::mem::forget(self); own.given()"
        };
        let _ = writeln!(
            self.items,
            "{derived}pub struct {name}(pub(crate) crate::__judge::Handle);\n\
             impl crate::__judge::Lend for {name} {{ fn lend(&self) -> crate::__judge::V {{ self.0.lent() }} }}\n\
             impl crate::__judge::Wire for {name} {{\n    fn give(self) -> crate::__judge::V {{ {given} }}\n    \
             fn get(value: crate::__judge::V) -> ::std::option::Option<Self> {{ crate::__judge::Handle::get(value).map(Self) }}\n}}"
        );
        if !is_copy {
            let _ = writeln!(
                self.items,
                "impl ::std::ops::Drop for {name} {{ fn drop(&mut self) {{ self.0.release() }} }}"
            );
        }
        let path = self.types.name(number, Side::Program);
        let copied = if self.types.has(number, "Clone") {
            format!(
                "let kept = server::Kept::of(value)?; let it = kept.object::<{path}>()?.clone(); Some(it)"
            )
        } else {
            "None".to_owned()
        };
        let _ = writeln!(
            self.program,
            "impl Lend for {path} {{ fn lend(&self) -> V {{ V::Null }} }}\n\
             impl Wire for {path} {{\n    fn give(self) -> V {{ server::keep(self) }}\n    \
             fn get(value: V) -> Option<Self> {{\n        \
             let is_given = matches!(items(value.clone())?.next(), Some(V::Int(1)));\n        \
             if is_given {{ server::taken(value) }} else {{ {copied} }}\n    }}\n}}"
        );
    }

    /// A function or method of the stand-in, with `{name}` for its name.
    fn function(
        &mut self,
        it: &Callable,
        of: Option<usize>,
        path: &str,
    ) -> Result<String, Obstacle> {
        if let Some(why) = it.obstacle {
            return Err(why.to_owned());
        }
        let receiver =
            of.zip(it.receiver).map(|(number, receiver)| receiver_type(number, receiver));
        let all = receiver.iter().chain(&it.parameters);
        let arguments = all.map(|of| self.types.argument(of)).collect::<Result<Vec<_>, _>>()?;
        let is_self = |it: &Type| of.is_some_and(|number| *it == Type::Own(number));
        // A builder gives back what it was called on.
        let is_builder = it.receiver == Some(Receiver::Mutable)
            && matches!(&it.result, Type::Reference { to, .. } if is_self(to));
        let outcome =
            if is_builder { Outcome::plain("()") } else { self.types.outcome(&it.result)? };
        let named: Vec<String> = (0..arguments.len())
            .map(|nth| match &receiver {
                Some(_) if nth == 0 => "self".to_owned(),
                _ => format!("a{nth}"),
            })
            .collect();
        let own = match it.receiver.filter(|_| receiver.is_some()) {
            None => None,
            Some(Receiver::Value) => Some("self"),
            Some(Receiver::Shared) => Some("&self"),
            Some(Receiver::Mutable) => Some("&mut self"),
        };
        let others = named.iter().zip(&arguments).skip(usize::from(own.is_some()));
        let others = others.map(|(name, it)| format!("{name}: {}", it.taken_as));
        let taken: Vec<String> = own.map(str::to_owned).into_iter().chain(others).collect();
        let passed: Vec<String> = (0..arguments.len()).map(|nth| format!("{{{nth}}}")).collect();
        let called = if is_builder {
            format!("{{ {path}({}); }}", passed.join(", "))
        } else {
            format!("{path}({})", passed.join(", "))
        };
        let named = named.iter().map(String::as_str);
        let arguments: Vec<(&str, Argument)> = named.zip(arguments).collect();
        let body = self.call(&arguments, &called, &outcome);
        // What is lent lives on here, whatever it was lent of.
        let given_as = outcome.given_as.replace('&', "&'static ");
        let (given_as, end) =
            if is_builder { ("&mut Self".to_owned(), "; self") } else { (given_as, "") };
        Ok(format!("pub fn {{name}}({}) -> {given_as} {{ {body}{end} }}\n", taken.join(", ")))
    }

    /// The body of a call in the stand-in, with the names that its arguments have there. The program gets its arm:
    /// `called` is what it does, with `{0}`, `{1}` for what is passed.
    pub(super) fn call(
        &mut self,
        arguments: &[(&str, Argument)],
        called: &str,
        outcome: &Outcome,
    ) -> String {
        self.numbers += 1;
        let number = self.numbers;
        let sent = arguments.iter().map(|(name, it)| it.sent.replace("{it}", name));
        let sent = sent.collect::<Vec<_>>().join(", ");
        let mut arm = String::new();
        let mut called = called.to_owned();
        for (nth, (_, argument)) in arguments.iter().enumerate() {
            let name = format!("a{nth}");
            let _ = write!(arm, "{} ", argument.got.replace("{it}", &name));
            called = called.replace(&format!("{{{nth}}}"), &argument.passed.replace("{it}", &name));
        }
        let back: Vec<usize> =
            (0..arguments.len()).filter(|nth| arguments[*nth].1.comes_back).collect();
        let owned = &outcome.owned;
        let given = if back.is_empty() {
            "Some(given)".to_owned()
        } else {
            let back: Vec<String> = back.iter().map(|nth| format!("Wire::give(a{nth})")).collect();
            format!("Some(list([given, {}]))", back.join(", "))
        };
        let _ = writeln!(
            self.arms,
            "{number} => {{ {arm}let given = {{ let it = {called}; let it = {owned}; Wire::give(it) }}; {given} }}"
        );
        let crosses = &outcome.crosses_as;
        if back.is_empty() {
            return format!(
                "let it: {crosses} = crate::__judge::call({number}, vec![{sent}]); {}",
                outcome.given
            );
        }
        let mut text = String::new();
        let places: Vec<String> = back.iter().map(|nth| format!("b{nth}")).collect();
        let _ = write!(
            text,
            "let (it, {}): ({crosses}, {}) = crate::__judge::call({number}, vec![{sent}]); ",
            places.join(", "),
            vec!["_"; back.len()].join(", ")
        );
        for nth in &back {
            let _ = write!(text, "*{} = b{nth}; ", arguments[*nth].0);
        }
        text.push_str(&outcome.given);
        text
    }

    /// Something that an own type says of itself, which is not seen otherwise.
    pub(super) fn claim(&mut self, number: usize) {
        self.claims.push(self.types.own(number).names[0].clone());
    }
}

fn receiver_type(number: usize, receiver: Receiver) -> Type {
    let own = Type::Own(number);
    match receiver {
        Receiver::Value => own,
        Receiver::Shared => Type::Reference { is_mutable: false, to: Box::new(own) },
        Receiver::Mutable => Type::Reference { is_mutable: true, to: Box::new(own) },
    }
}

/// How values of a plain type are sent and had back.
fn crossing_of(name: &str, shape: &Shape, side: Side) -> String {
    let at = match side {
        Side::StandIn => "crate::__judge",
        Side::Program => "crate::wire",
    };
    let sent = |how: &str| match shape {
        Shape::Enum(variants) => {
            let arm = |(nth, it): (usize, &Variant)| {
                let (pattern, names) = pattern(&it.fields);
                let sent: String = names.iter().map(|it| format!(", {at}::{how}({it})")).collect();
                format!("{name}::{}{pattern} => {at}::list([{at}::V::Int({nth}){sent}]),", it.name)
            };
            let arms: String = variants.iter().enumerate().map(arm).collect();
            format!("match self {{ {arms} _ => {at}::V::Null }}")
        }
        shape => {
            let (pattern, names) = pattern(shape);
            let sent: Vec<String> = names.iter().map(|it| format!("{at}::{how}({it})")).collect();
            format!("let {name}{pattern} = self; {at}::list([{}])", sent.join(", "))
        }
    };
    let had = |shape: &Shape, name: &str| {
        let next = format!("{at}::Wire::get(items.next()?)?");
        match shape {
            Shape::Struct(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(field, _)| format!("{field}: {next}")).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
            Shape::Tuple(fields) => format!("{name}({})", vec![next; fields.len()].join(", ")),
            _ => name.to_owned(),
        }
    };
    let got = match shape {
        Shape::Enum(variants) => {
            let arm = |(nth, it): (usize, &Variant)| {
                format!("{nth} => {},", had(&it.fields, &format!("{name}::{}", it.name)))
            };
            let arms: String = variants.iter().enumerate().map(arm).collect();
            format!(
                "let {at}::V::Int(nth) = items.next()? else {{ return None }}; Some(match nth {{ {arms} _ => return None }})"
            )
        }
        shape => format!("Some({})", had(shape, name)),
    };
    format!(
        "impl {at}::Lend for {name} {{ fn lend(&self) -> {at}::V {{ {} }} }}\n\
         impl {at}::Wire for {name} {{\n    fn give(self) -> {at}::V {{ {} }}\n    \
         fn get(value: {at}::V) -> ::std::option::Option<Self> {{ let mut items = {at}::items(value)?; {got} }}\n}}\n",
        sent("Lend::lend"),
        sent("Wire::give"),
    )
}

/// A pattern that takes a value apart, and the names in it.
fn pattern(shape: &Shape) -> (String, Vec<String>) {
    match shape {
        Shape::Struct(fields) => {
            let names: Vec<String> = (0..fields.len()).map(|nth| format!("p{nth}")).collect();
            let parts: Vec<String> = fields
                .iter()
                .zip(&names)
                .map(|((field, _), name)| format!("{field}: {name}"))
                .collect();
            (format!(" {{ {} }}", parts.join(", ")), names)
        }
        Shape::Tuple(fields) => {
            let names: Vec<String> = (0..fields.len()).map(|nth| format!("p{nth}")).collect();
            (format!("({})", names.join(", ")), names)
        }
        _ => (String::new(), Vec::new()),
    }
}

/// Public modules, and what they name.
#[derive(Default)]
struct Modules {
    items: Vec<(String, String)>,
    inner: BTreeMap<String, Self>,
}

impl Modules {
    fn add(&mut self, path: &str, item: &str) {
        match path.split_once("::") {
            Some((module, rest)) => {
                self.inner.entry(module.to_owned()).or_default().add(rest, item);
            }
            None => self.items.push((path.to_owned(), item.to_owned())),
        }
    }

    fn write(&self, out: &mut String) {
        for (name, item) in &self.items {
            let _ = writeln!(out, "pub use crate::__items::{item} as {name};");
        }
        for (name, inner) in &self.inner {
            let _ = writeln!(out, "pub mod {name} {{");
            inner.write(out);
            out.push_str("}\n");
        }
    }
}

/// Whether this is one literal and nothing else. Text of the candidate is compiled with the tests here.
fn is_literal(value: &str) -> bool {
    let value = value.trim();
    let number = value.strip_prefix('-').unwrap_or(value).trim_start();
    let is_number = number.starts_with(|first: char| first.is_ascii_digit())
        && number.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '.'));
    let text = value.strip_prefix('&').unwrap_or(value).trim_start();
    let text = text.strip_prefix('b').unwrap_or(text);
    is_number || is_quoted(text, '"') || is_quoted(text, '\'') || matches!(value, "true" | "false")
}

/// Whether a text begins with a quotation mark that is closed only at its end.
fn is_quoted(text: &str, mark: char) -> bool {
    let Some(inner) = text.strip_prefix(mark).and_then(|it| it.strip_suffix(mark)) else {
        return false;
    };
    let mut is_escaped = false;
    for letter in inner.chars() {
        if letter == mark && !is_escaped {
            return false;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    !is_escaped
}

const COMPUTED: &str = "a constant that is computed";
/// What a value may name beside its own parts.
const EMPTY: [&str; 9] =
    ["Self", "Vec", "String", "Option", "None", "Some", "new", "true", "false"];

/// Traits by which an object says what it is.
const OWN_WORD: [&str; 4] = ["Debug", "PartialEq", "PartialOrd", "Ord"];

/// Traits that the compiler can write for the stand-in too.
pub(super) const DERIVED: [&str; 9] =
    ["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_one_literal() {
        for literal in [
            "1",
            "-1_000u64",
            "1.5e3",
            "0xff",
            "true",
            "\"a \\\" b\"",
            "'x'",
            "b\"x\"",
            "&\"x\"",
            "'\\''",
        ] {
            assert!(is_literal(literal), "{literal}");
        }
        for other in [
            "1 - { impl Drop for Span { fn drop(&mut self) {} } 0 }",
            "\"a\"; fn b() {}; const C: &str = \"c\"",
            "\"a\\\\\"; \"",
            "true && f()",
            "A",
            "\"",
            "[1, 2]",
        ] {
            assert!(!is_literal(other), "{other}");
        }
    }
}

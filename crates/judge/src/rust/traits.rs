//! Traits of the standard library that a type of the candidate has: the stand-in has them too.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sealwright_gates::toolchain::rust_api::Type;

use super::crossing::{Argument, Obstacle, Outcome, Side};
use super::writer::{Call, DERIVED, Writer};

impl Writer<'_> {
    pub(super) fn traits(&mut self, number: usize) {
        let own = self.types.own(number);
        let (is_plain, mut written) = (self.types.is_plain(number), BTreeSet::new());
        if is_plain {
            let derived = DERIVED.into_iter().filter(|it| self.types.is_derived(number, it));
            written.extend(derived.map(str::to_owned));
        } else if self.types.has(number, "Copy") {
            written.extend(["Copy", "Clone"].map(str::to_owned));
        }
        let derived = own.derives.iter().map(|it| (named(it), Vec::new()));
        let all: Vec<(Type, Vec<(String, Type)>)> =
            derived.chain(own.traits.iter().cloned()).collect();
        for (of, types) in &all {
            let Type::Named { path, of: parameters } = of else { continue };
            let last = path.rsplit("::").next().unwrap_or_default();
            if !written.insert(format!("{last}{parameters:?}")) || written.contains(last) {
                continue;
            }
            // One that cannot cross is missing, and a test that needs it cannot be built.
            if let Ok(text) = self.implementation(number, (last, parameters), types) {
                self.items.push_str(&text);
            }
        }
    }

    fn implementation(
        &mut self,
        number: usize,
        (of, parameters): (&str, &[Type]),
        types: &[(String, Type)],
    ) -> Result<String, Obstacle> {
        let name = self.types.own(number).name.clone();
        let path = self.types.name(number, Side::Program);
        let own = Type::Own(number);
        let lent = Type::Reference { is_mutable: false, to: Box::new(own.clone()) };
        let changed = Type::Reference { is_mutable: true, to: Box::new(own.clone()) };
        let chosen = |wanted: &str| {
            let found = types.iter().find(|(name, _)| name == wanted).map(|(_, of)| of.clone());
            found.ok_or_else(|| "no such type".to_owned())
        };
        let plain = |text: &str| Outcome {
            given_as: text.to_owned(),
            crosses_as: text.to_owned(),
            ..Outcome::nothing()
        };
        let text = match (of, parameters) {
            ("Clone", []) => {
                let body = self.one(&lent, "self", "(*{0}).clone()", &plain("Self"))?;
                format!(
                    "impl ::std::clone::Clone for {name} {{ fn clone(&self) -> Self {{ {body} }} }}\n"
                )
            }
            ("Debug" | "Display", []) => self.shown(number, of)?,
            ("Eq", []) => format!("impl ::std::cmp::Eq for {name} {{}}\n"),
            ("Error", []) => format!("impl ::std::error::Error for {name} {{}}\n"),
            ("PartialEq", []) => self.compared(number)?,
            ("PartialOrd", []) => {
                let outcome = plain("::std::option::Option<::std::cmp::Ordering>");
                let body = self.two(number, "::std::cmp::PartialOrd::partial_cmp", &outcome)?;
                format!(
                    "impl ::std::cmp::PartialOrd for {name} {{ fn partial_cmp(&self, other: &Self) -> {} {{ {body} }} }}\n",
                    outcome.given_as
                )
            }
            ("Ord", []) => {
                let outcome = plain("::std::cmp::Ordering");
                let body = self.two(number, "::std::cmp::Ord::cmp", &outcome)?;
                format!(
                    "impl ::std::cmp::Ord for {name} {{ fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {{ {body} }} }}\n"
                )
            }
            ("Hash", []) => {
                let called = "{ let mut hasher = ::std::collections::hash_map::DefaultHasher::new(); ::std::hash::Hash::hash({0}, &mut hasher); ::std::hash::Hasher::finish(&hasher) }";
                let body = self.one(&lent, "self", called, &plain("u64"))?;
                format!(
                    "impl ::std::hash::Hash for {name} {{ fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {{ let whole = {{ {body} }}; state.write_u64(whole) }} }}\n"
                )
            }
            ("Default", []) => {
                let called = format!("<{path} as ::std::default::Default>::default()");
                let body = self.call(&Call {
                    arguments: &[],
                    named: &[],
                    called,
                    outcome: &plain("Self"),
                });
                format!(
                    "impl ::std::default::Default for {name} {{ fn default() -> Self {{ {body} }} }}\n"
                )
            }
            ("FromStr", []) => {
                let error = self.types.outcome(&chosen("Err")?)?;
                let outcome = plain(&format!("::std::result::Result<Self, {}>", error.given_as));
                let text = Type::Reference { is_mutable: false, to: Box::new(named("str")) };
                let called = format!("<{path} as ::std::str::FromStr>::from_str({{0}})");
                let body = self.one(&text, "text", &called, &outcome)?;
                format!(
                    "impl ::std::str::FromStr for {name} {{ type Err = {}; fn from_str(text: &str) -> {} {{ {body} }} }}\n",
                    error.given_as, outcome.given_as
                )
            }
            ("From", [from]) => {
                let called = format!("<{path} as ::std::convert::From<_>>::from({{0}})");
                let argument = self.types.argument(from)?;
                let body = self.one(from, "from", &called, &plain("Self"))?;
                let from = argument.taken_as;
                format!(
                    "impl ::std::convert::From<{from}> for {name} {{ fn from(from: {from}) -> Self {{ {body} }} }}\n"
                )
            }
            ("TryFrom", [from]) => {
                let error = self.types.outcome(&chosen("Error")?)?;
                let outcome = plain(&format!("::std::result::Result<Self, {}>", error.given_as));
                let called = format!("<{path} as ::std::convert::TryFrom<_>>::try_from({{0}})");
                let argument = self.types.argument(from)?;
                let body = self.one(from, "from", &called, &outcome)?;
                let from = argument.taken_as;
                format!(
                    "impl ::std::convert::TryFrom<{from}> for {name} {{ type Error = {}; fn try_from(from: {from}) -> {} {{ {body} }} }}\n",
                    error.given_as, outcome.given_as
                )
            }
            ("Deref", []) => {
                let target = chosen("Target")?;
                let outcome = self.types.outcome(&reference(target))?;
                let called = format!("<{path} as ::std::ops::Deref>::deref({{0}})");
                let body = self.one(&lent, "self", &called, &outcome)?;
                let target = outcome.given_as.trim_start_matches('&').to_owned();
                format!(
                    "impl ::std::ops::Deref for {name} {{ type Target = {target}; fn deref(&self) -> &{target} {{ {body} }} }}\n"
                )
            }
            ("AsRef", [to]) => {
                let outcome = self.types.outcome(&reference(to.clone()))?;
                let to = outcome.given_as.trim_start_matches('&').to_owned();
                let called = format!("<{path} as ::std::convert::AsRef<{to}>>::as_ref({{0}})");
                let body = self.one(&lent, "self", &called, &outcome)?;
                format!(
                    "impl ::std::convert::AsRef<{to}> for {name} {{ fn as_ref(&self) -> &{to} {{ {body} }} }}\n"
                )
            }
            ("Iterator", []) => {
                let item = self.types.outcome(&chosen("Item")?)?.given_as;
                let outcome = plain(&format!("::std::option::Option<{item}>"));
                let called = format!("<{path} as ::std::iter::Iterator>::next({{0}})");
                let body = self.one(&changed, "self", &called, &outcome)?;
                format!(
                    "impl ::std::iter::Iterator for {name} {{ type Item = {item}; fn next(&mut self) -> {} {{ {body} }} }}\n",
                    outcome.given_as
                )
            }
            ("FromIterator", [item]) => {
                let argument = self
                    .types
                    .argument(&Type::Named { path: "Vec".to_owned(), of: vec![item.clone()] })?;
                let here = self.types.owned(item, Side::StandIn)?;
                let called = format!("<{path} as ::std::iter::FromIterator<_>>::from_iter({{0}})");
                let named = ["items".to_owned()];
                let body = self.call(&Call {
                    arguments: &[argument],
                    named: &named,
                    called,
                    outcome: &plain("Self"),
                });
                format!(
                    "impl ::std::iter::FromIterator<{here}> for {name} {{ fn from_iter<I: ::std::iter::IntoIterator<Item = {here}>>(items: I) -> Self {{ let items: ::std::vec::Vec<{here}> = items.into_iter().collect(); {body} }} }}\n"
                )
            }
            ("Add" | "Sub" | "Mul" | "Div" | "Rem", _) => {
                let other = parameters.first().cloned().unwrap_or(own.clone());
                let method = of.to_lowercase();
                let outcome = self.types.outcome(&chosen("Output")?)?;
                let arguments = [self.types.argument(&own)?, self.types.argument(&other)?];
                let called = format!("::std::ops::{of}::{method}({{0}}, {{1}})");
                let named = ["self".to_owned(), "other".to_owned()];
                let other = arguments[1].taken_as.clone();
                let body = self.call(&Call {
                    arguments: &arguments,
                    named: &named,
                    called,
                    outcome: &outcome,
                });
                let output = &outcome.given_as;
                format!(
                    "impl ::std::ops::{of}<{other}> for {name} {{ type Output = {output}; fn {method}(self, other: {other}) -> {output} {{ {body} }} }}\n"
                )
            }
            ("AddAssign" | "SubAssign" | "MulAssign" | "DivAssign" | "RemAssign", _) => {
                let other = parameters.first().cloned().unwrap_or(own.clone());
                let method = format!("{}_assign", of.trim_end_matches("Assign").to_lowercase());
                let arguments = [self.types.argument(&changed)?, self.types.argument(&other)?];
                let called = format!("::std::ops::{of}::{method}({{0}}, {{1}})");
                let named = ["self".to_owned(), "other".to_owned()];
                let other = arguments[1].taken_as.clone();
                let body = self.call(&Call {
                    arguments: &arguments,
                    named: &named,
                    called,
                    outcome: &Outcome::nothing(),
                });
                format!(
                    "impl ::std::ops::{of}<{other}> for {name} {{ fn {method}(&mut self, other: {other}) {{ {body} }} }}\n"
                )
            }
            ("Neg" | "Not", []) => {
                let outcome = self.types.outcome(&chosen("Output")?)?;
                let method = of.to_lowercase();
                let called = format!("::std::ops::{of}::{method}({{0}})");
                let body = self.one(&own, "self", &called, &outcome)?;
                let output = &outcome.given_as;
                format!(
                    "impl ::std::ops::{of} for {name} {{ type Output = {output}; fn {method}(self) -> {output} {{ {body} }} }}\n"
                )
            }
            _ => return Err(format!("the trait {of}")),
        };
        Ok(text)
    }

    /// A call with one argument.
    fn one(
        &mut self,
        of: &Type,
        name: &str,
        called: &str,
        outcome: &Outcome,
    ) -> Result<String, Obstacle> {
        let arguments = [self.types.argument(of)?];
        let named = [name.to_owned()];
        Ok(self.call(&Call {
            arguments: &arguments,
            named: &named,
            called: called.to_owned(),
            outcome,
        }))
    }

    /// A call on two values of one type.
    fn two(&mut self, number: usize, called: &str, outcome: &Outcome) -> Result<String, Obstacle> {
        let lent = reference(Type::Own(number));
        let named = ["self".to_owned(), "other".to_owned()];
        let arguments = [self.types.argument(&lent)?, self.types.argument(&lent)?];
        if self.types.is_plain(number) {
            let called = format!("{called}({{0}}, {{1}})");
            return Ok(self.call(&Call { arguments: &arguments, named: &named, called, outcome }));
        }
        let path = self.types.name(number, Side::Program);
        let raw = || Argument {
            got: "let {it} = arguments.next()?;".to_owned(),
            passed: "{it}".to_owned(),
            ..copy(&arguments[0])
        };
        let called =
            format!("crate::server::two::<{path}, _>({{0}}, {{1}}, |a, b| {called}(a, b))?");
        Ok(self.call(&Call { arguments: &[raw(), raw()], named: &named, called, outcome }))
    }

    /// Whether two objects are equal is their own word. What the compiler wrote to show them has to agree.
    fn compared(&mut self, number: usize) -> Result<String, Obstacle> {
        let own = self.types.own(number);
        let outcome = Outcome {
            given_as: "bool".to_owned(),
            crosses_as: "bool".to_owned(),
            ..Outcome::nothing()
        };
        let body = self.two(number, "::std::cmp::PartialEq::eq", &outcome)?;
        let is_shown = own.derives.iter().any(|it| it == "Debug");
        let mut text = String::new();
        let name = &own.name;
        let agreed = if is_shown {
            "if is_equal { assert!(::std::format!(\"{self:?}\") == ::std::format!(\"{other:?}\"), \"equal by its own word, and not by what it holds\") } "
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "impl ::std::cmp::PartialEq for {name} {{ fn eq(&self, other: &Self) -> bool {{ let is_equal: bool = {{ {body} }}; {agreed}is_equal }} }}"
        );
        self.claim(number);
        Ok(text)
    }

    fn shown(&mut self, number: usize, of: &str) -> Result<String, Obstacle> {
        let name = self.types.own(number).name.clone();
        let lent = reference(Type::Own(number));
        let option = |of: &str| Type::Named { path: "Option".to_owned(), of: vec![named(of)] };
        let arguments = [
            self.types.argument(&lent)?,
            self.types.argument(&named("bool"))?,
            self.types.argument(&option("usize"))?,
            self.types.argument(&option("usize"))?,
        ];
        let mark = if of == "Debug" { "?" } else { "" };
        // Whoever pads what it writes does so for any letter and side; that is done here again.
        let called = format!(
            "{{ let plain = match ({{1}}, {{3}}) {{ (true, _) => format!(\"{{:#{mark}}}\", {{0}}), \
             (_, Some(p)) => format!(\"{{:.p${mark}}}\", {{0}}), _ => format!(\"{{:{mark}}}\", {{0}}) }}; \
             let is_padded = {{2}}.is_some_and(|w| format!(\"{{:w${mark}}}\", {{0}}) != format!(\"{{:{mark}}}\", {{0}})); \
             (plain, is_padded) }}"
        );
        let both = "(::std::string::String, bool)".to_owned();
        let outcome = Outcome { given_as: both.clone(), crosses_as: both, ..Outcome::nothing() };
        let names = ["self", "f.alternate()", "f.width()", "f.precision()"].map(str::to_owned);
        let body =
            self.call(&Call { arguments: &arguments, named: &names, called, outcome: &outcome });
        Ok(format!(
            "impl ::std::fmt::{of} for {name} {{ fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{ let (text, is_padded) = {{ {body} }}; if is_padded {{ f.pad(&text) }} else {{ f.write_str(&text) }} }} }}\n"
        ))
    }
}

fn copy(it: &Argument) -> Argument {
    Argument {
        taken_as: it.taken_as.clone(),
        sent: it.sent.clone(),
        got: it.got.clone(),
        passed: it.passed.clone(),
        comes_back: it.comes_back,
    }
}

fn reference(to: Type) -> Type {
    Type::Reference { is_mutable: false, to: Box::new(to) }
}

fn named(path: &str) -> Type {
    Type::Named { path: path.to_owned(), of: Vec::new() }
}

//! Traits of the standard library that a type of the candidate has: the stand-in has them too.

use std::collections::BTreeSet;

use sealwright_gates::toolchain::rust_api::Type;

use super::crossing::{Argument, Obstacle, Outcome, Side, last};
use super::writer::{DERIVED, Writer};

impl Writer<'_> {
    pub(super) fn traits(&mut self, number: usize) {
        let own = self.types.own(number);
        let (is_plain, mut written) = (self.types.is_plain(number), BTreeSet::new());
        if is_plain {
            let derived = DERIVED.into_iter().filter(|it| self.types.is_derived(number, it));
            written.extend(derived.map(str::to_owned));
        } else if self.types.is_copied(number) {
            written.extend(["Copy", "Clone"].map(str::to_owned));
        }
        let derived = own.derives.iter().map(|it| (named(it), Vec::new()));
        let all: Vec<(Type, Vec<(String, Type)>)> =
            derived.chain(own.traits.iter().cloned()).collect();
        for (of, types) in &all {
            let Type::Named { path, of: parameters } = of else { continue };
            let name = last(path);
            if !written.insert(format!("{name}{parameters:?}")) || written.contains(name) {
                continue;
            }
            // One that cannot cross is missing, and a test that needs it cannot be built.
            if let Ok(text) = self.implementation(number, (name, parameters), types) {
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
        let lent = reference(own.clone());
        let changed = Type::Reference { is_mutable: true, to: Box::new(own.clone()) };
        let chosen = |wanted: &str| {
            let found = types.iter().find(|(name, _)| name == wanted).map(|(_, of)| of.clone());
            found.ok_or_else(|| "no such type".to_owned())
        };
        let this = Outcome::plain("Self");
        let text = match (of, parameters) {
            ("Clone", []) => {
                let body = self.ask(&[("self", &lent)], "(*{0}).clone()", &this)?;
                format!(
                    "impl ::std::clone::Clone for {name} {{ fn clone(&self) -> Self {{ {body} }} }}\n"
                )
            }
            ("Debug" | "Display", []) => self.shown(number, of)?,
            ("Eq", []) => format!("impl ::std::cmp::Eq for {name} {{}}\n"),
            ("Error", []) => {
                let called = "{ let mut causes = Vec::new(); let mut next = ::std::error::Error::source({0}); \
                    while let Some(it) = next.filter(|_| causes.len() < 32) { causes.push((it.to_string(), format!(\"{it:?}\"))); next = it.source(); } causes }";
                let text = "::std::string::String";
                let causes = Outcome::plain(&format!("::std::vec::Vec<({text}, {text})>"));
                let body = self.ask(&[("self", &lent)], called, &causes)?;
                format!(
                    "impl ::std::error::Error for {name} {{ fn source(&self) -> ::std::option::Option<&(dyn ::std::error::Error + 'static)> {{ let causes = {{ {body} }}; crate::__judge::cause(causes) }} }}\n"
                )
            }
            ("PartialEq", []) => self.compared(number)?,
            ("PartialOrd", []) => {
                let outcome = Outcome::plain("::std::option::Option<::std::cmp::Ordering>");
                let body = self.two(number, "::std::cmp::PartialOrd::partial_cmp", &outcome)?;
                format!(
                    "impl ::std::cmp::PartialOrd for {name} {{ fn partial_cmp(&self, other: &Self) -> {} {{ {body} }} }}\n",
                    outcome.given_as
                )
            }
            ("Ord", []) => {
                let outcome = Outcome::plain("::std::cmp::Ordering");
                let body = self.two(number, "::std::cmp::Ord::cmp", &outcome)?;
                format!(
                    "impl ::std::cmp::Ord for {name} {{ fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {{ {body} }} }}\n"
                )
            }
            ("Hash", []) => {
                let called = "{ let mut hasher = ::std::collections::hash_map::DefaultHasher::new(); ::std::hash::Hash::hash({0}, &mut hasher); ::std::hash::Hasher::finish(&hasher) }";
                let body = self.ask(&[("self", &lent)], called, &Outcome::plain("u64"))?;
                format!(
                    "impl ::std::hash::Hash for {name} {{ fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {{ let whole = {{ {body} }}; state.write_u64(whole) }} }}\n"
                )
            }
            ("Default", []) => {
                let called = format!("<{path} as ::std::default::Default>::default()");
                let body = self.call(&[], &called, &this);
                format!(
                    "impl ::std::default::Default for {name} {{ fn default() -> Self {{ {body} }} }}\n"
                )
            }
            ("FromStr", []) => {
                let error = self.types.outcome(&chosen("Err")?)?;
                let outcome =
                    Outcome::plain(&format!("::std::result::Result<Self, {}>", error.given_as));
                let text = reference(named("str"));
                let called = format!("<{path} as ::std::str::FromStr>::from_str({{0}})");
                let body = self.ask(&[("text", &text)], &called, &outcome)?;
                format!(
                    "impl ::std::str::FromStr for {name} {{ type Err = {}; fn from_str(text: &str) -> {} {{ {body} }} }}\n",
                    error.given_as, outcome.given_as
                )
            }
            ("From", [from]) => {
                let of = self.spelled(from)?;
                let called = format!("<{path} as ::std::convert::From<{of}>>::from({{0}})");
                let body = self.ask(&[("from", from)], &called, &this)?;
                let from = self.types.argument(from)?.taken_as;
                format!(
                    "impl ::std::convert::From<{from}> for {name} {{ fn from(from: {from}) -> Self {{ {body} }} }}\n"
                )
            }
            ("TryFrom", [from]) => {
                let error = self.types.outcome(&chosen("Error")?)?;
                let outcome =
                    Outcome::plain(&format!("::std::result::Result<Self, {}>", error.given_as));
                let of = self.spelled(from)?;
                let called = format!("<{path} as ::std::convert::TryFrom<{of}>>::try_from({{0}})");
                let body = self.ask(&[("from", from)], &called, &outcome)?;
                let from = self.types.argument(from)?.taken_as;
                format!(
                    "impl ::std::convert::TryFrom<{from}> for {name} {{ type Error = {}; fn try_from(from: {from}) -> {} {{ {body} }} }}\n",
                    error.given_as, outcome.given_as
                )
            }
            ("Deref", []) => {
                let target = chosen("Target")?;
                let outcome = self.types.outcome(&reference(target))?;
                let called = format!("<{path} as ::std::ops::Deref>::deref({{0}})");
                let body = self.ask(&[("self", &lent)], &called, &outcome)?;
                let target = outcome.given_as.trim_start_matches('&').to_owned();
                format!(
                    "impl ::std::ops::Deref for {name} {{ type Target = {target}; fn deref(&self) -> &{target} {{ {body} }} }}\n"
                )
            }
            ("AsRef", [to]) => {
                let outcome = self.types.outcome(&reference(to.clone()))?;
                let to = outcome.given_as.trim_start_matches('&').to_owned();
                let called = format!("<{path} as ::std::convert::AsRef<{to}>>::as_ref({{0}})");
                let body = self.ask(&[("self", &lent)], &called, &outcome)?;
                format!(
                    "impl ::std::convert::AsRef<{to}> for {name} {{ fn as_ref(&self) -> &{to} {{ {body} }} }}\n"
                )
            }
            ("Iterator", []) => {
                let item = self.types.outcome(&chosen("Item")?)?.given_as;
                let outcome = Outcome::plain(&format!("::std::option::Option<{item}>"));
                let called = format!("<{path} as ::std::iter::Iterator>::next({{0}})");
                let body = self.ask(&[("self", &changed)], &called, &outcome)?;
                let size = Outcome::plain("(usize, ::std::option::Option<usize>)");
                let called = format!("<{path} as ::std::iter::Iterator>::size_hint({{0}})");
                let hint = self.ask(&[("self", &lent)], &called, &size)?;
                format!(
                    "impl ::std::iter::Iterator for {name} {{ type Item = {item}; fn next(&mut self) -> {} {{ {body} }} fn size_hint(&self) -> {} {{ {hint} }} }}\n",
                    outcome.given_as, size.given_as
                )
            }
            ("FromIterator", [item]) => {
                let items = Type::Named { path: "Vec".to_owned(), of: vec![item.clone()] };
                let here = self.types.owned(item, Side::StandIn)?;
                let called = format!("<{path} as ::std::iter::FromIterator<_>>::from_iter({{0}})");
                let body = self.ask(&[("items", &items)], &called, &this)?;
                format!(
                    "impl ::std::iter::FromIterator<{here}> for {name} {{ fn from_iter<I: ::std::iter::IntoIterator<Item = {here}>>(items: I) -> Self {{ let items: ::std::vec::Vec<{here}> = items.into_iter().collect(); {body} }} }}\n"
                )
            }
            ("Add" | "Sub" | "Mul" | "Div" | "Rem", _) => {
                let other = parameters.first().cloned().unwrap_or(own.clone());
                let method = of.to_lowercase();
                let outcome = self.types.outcome(&chosen("Output")?)?;
                let called = format!("::std::ops::{of}::{method}({{0}}, {{1}})");
                let body = self.ask(&[("self", &own), ("other", &other)], &called, &outcome)?;
                let other = self.types.argument(&other)?.taken_as;
                let output = &outcome.given_as;
                format!(
                    "impl ::std::ops::{of}<{other}> for {name} {{ type Output = {output}; fn {method}(self, other: {other}) -> {output} {{ {body} }} }}\n"
                )
            }
            ("AddAssign" | "SubAssign" | "MulAssign" | "DivAssign" | "RemAssign", _) => {
                let other = parameters.first().cloned().unwrap_or(own.clone());
                let method = format!("{}_assign", of.trim_end_matches("Assign").to_lowercase());
                let called = format!("::std::ops::{of}::{method}({{0}}, {{1}})");
                let nothing = Outcome::plain("()");
                let body = self.ask(&[("self", &changed), ("other", &other)], &called, &nothing)?;
                let other = self.types.argument(&other)?.taken_as;
                format!(
                    "impl ::std::ops::{of}<{other}> for {name} {{ fn {method}(&mut self, other: {other}) {{ {body} }} }}\n"
                )
            }
            ("Neg" | "Not", []) => {
                let outcome = self.types.outcome(&chosen("Output")?)?;
                let method = of.to_lowercase();
                let called = format!("::std::ops::{of}::{method}({{0}})");
                let body = self.ask(&[("self", &own)], &called, &outcome)?;
                let output = &outcome.given_as;
                format!(
                    "impl ::std::ops::{of} for {name} {{ type Output = {output}; fn {method}(self) -> {output} {{ {body} }} }}\n"
                )
            }
            _ => return Err(format!("the trait {of}")),
        };
        Ok(text)
    }

    /// A type as both write it, if it has none of the candidate in it.
    fn spelled(&self, of: &Type) -> Result<String, Obstacle> {
        let written = self.types.argument(of)?.taken_as;
        Ok(if written.contains("crate::") { "_".to_owned() } else { written })
    }

    /// A call with these arguments, each with its name in the stand-in.
    fn ask(
        &mut self,
        of: &[(&str, &Type)],
        called: &str,
        outcome: &Outcome,
    ) -> Result<String, Obstacle> {
        let argument = |(name, of): &(_, &Type)| Ok((*name, self.types.argument(of)?));
        let arguments = of.iter().map(argument).collect::<Result<Vec<(&str, _)>, Obstacle>>()?;
        Ok(self.call(&arguments, called, outcome))
    }

    /// A call on two values of one type.
    fn two(&mut self, number: usize, called: &str, outcome: &Outcome) -> Result<String, Obstacle> {
        let lent = reference(Type::Own(number));
        if self.types.is_plain(number) {
            let called = format!("{called}({{0}}, {{1}})");
            return self.ask(&[("self", &lent), ("other", &lent)], &called, outcome);
        }
        let path = self.types.name(number, Side::Program);
        let raw = Argument {
            got: "let {it} = arguments.next()?;".to_owned(),
            passed: "{it}".to_owned(),
            ..self.types.argument(&lent)?
        };
        let called =
            format!("crate::server::two::<{path}, _>({{0}}, {{1}}, |a, b| {called}(a, b))?");
        Ok(self.call(&[("self", raw.clone()), ("other", raw)], &called, outcome))
    }

    /// Whether two objects are equal is their own word. What the compiler wrote to show them has to agree.
    fn compared(&mut self, number: usize) -> Result<String, Obstacle> {
        let own = self.types.own(number);
        let body = self.two(number, "::std::cmp::PartialEq::eq", &Outcome::plain("bool"))?;
        let is_shown = own.derives.iter().any(|it| it == "Debug");
        let name = &own.name;
        let agreed = if is_shown {
            "if is_equal { assert!(crate::__judge::sorted(::std::format!(\"{self:?}\")) == crate::__judge::sorted(::std::format!(\"{other:?}\")), \"equal by its own word, and not by what it holds\") } "
        } else {
            ""
        };
        if !is_shown || !own.derives.iter().any(|it| it == "PartialEq") {
            self.claim(number);
        }
        Ok(format!(
            "impl ::std::cmp::PartialEq for {name} {{ fn eq(&self, other: &Self) -> bool {{ let is_equal: bool = {{ {body} }}; {agreed}is_equal }} }}\n"
        ))
    }

    fn shown(&mut self, number: usize, of: &str) -> Result<String, Obstacle> {
        let name = self.types.own(number).name.clone();
        let lent = reference(Type::Own(number));
        let size = Type::Named { path: "Option".to_owned(), of: vec![named("usize")] };
        let mark = if of == "Debug" { "?" } else { "" };
        // Whoever pads what it writes does so for any letter and side; that is done here again.
        let called = format!(
            "{{ let plain = match ({{1}}, {{3}}) {{ (true, _) => format!(\"{{:#{mark}}}\", {{0}}), \
             (_, Some(p)) => format!(\"{{:.p${mark}}}\", {{0}}), _ => format!(\"{{:{mark}}}\", {{0}}) }}; \
             let is_padded = {{2}}.is_some_and(|w| format!(\"{{:w${mark}}}\", {{0}}) != format!(\"{{:{mark}}}\", {{0}})); \
             (plain, is_padded) }}"
        );
        let arguments = [
            ("self", &lent),
            ("f.alternate()", &named("bool")),
            ("f.width()", &size),
            ("f.precision()", &size),
        ];
        let both = Outcome::plain("(::std::string::String, bool)");
        let body = self.ask(&arguments, &called, &both)?;
        Ok(format!(
            "impl ::std::fmt::{of} for {name} {{ fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{ let (text, is_padded) = {{ {body} }}; if is_padded {{ f.pad(&text) }} else {{ f.write_str(&text) }} }} }}\n"
        ))
    }
}

fn reference(to: Type) -> Type {
    Type::Reference { is_mutable: false, to: Box::new(to) }
}

fn named(path: &str) -> Type {
    Type::Named { path: path.to_owned(), of: Vec::new() }
}

//! The errors that a person can act on, parsed from their enums.
//!
//! The message of an error is its `#[error("…")]`, its meaning the doc comment, its hint the arm of `hint()`, and its
//! exit code the arm of a function that returns an `Exit`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use syn::visit::Visit;
use syn::{Attribute, Expr, ImplItem, Item, ItemEnum, ItemFn, Lit, Meta, Pat, ReturnType, Type};

use super::{Page, cell, generated_from, is_test};
use crate::workspace::{files, root, shown};

pub(super) fn pages() -> Result<Vec<Page>> {
    Ok(vec![errors()?, halts()?])
}

/// One page with a section for each enum.
fn errors() -> Result<Page> {
    let mut read = Read::default();
    for path in files(&root().join("crates"), "rs")? {
        if !is_test(&path) {
            read.file(&path)?;
        }
    }
    let mut text = format!("# Errors\n\n{}", generated_from("the error enums of all crates"));
    text += ABOUT;
    let mut rows = 0;
    for Section { place, item } in &read.enums {
        let name = item.ident.to_string();
        let lines = read.rows(&name, item);
        if lines.is_empty() {
            continue;
        }
        rows += lines.len();
        let _ = write!(text, "\n## {name}\n\n{} (`{place}`)\n\n", said_of(&item.attrs));
        text += "| message | meaning | hint | exit |\n|---|---|---|---|\n";
        lines.iter().for_each(|row| text.push_str(row));
    }
    ensure!(rows > ROWS_MIN, "only {rows} errors were found; the parser misses some");
    Ok(Page { path: "errors/index.md".to_owned(), text })
}

/// The causes of halts and their resolutions.
fn halts() -> Result<Page> {
    let path = root().join(HALTS);
    let file = syn::parse_file(&std::fs::read_to_string(&path)?)?;
    let (mut causes, mut decisions, mut advised) = (None, vec![], vec![]);
    for item in file.items {
        match item {
            Item::Enum(item) if item.ident == "Cause" => causes = Some(item),
            Item::Impl(item) => {
                for method in item.items {
                    let ImplItem::Fn(method) = method else { continue };
                    match method.sig.ident.to_string().as_str() {
                        "decision" => decisions = arms("Cause", method.block),
                        "recommended" => advised = arms("Cause", method.block),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    let causes = causes.context("`Cause` is missing")?;
    let found = |arms: &[Arm], name: &str, tell: fn(&Expr) -> String| {
        let arm = arms.iter().find(|arm| arm.names.iter().any(|(_, variant)| variant == name));
        arm.map(|arm| tell(&arm.body)).with_context(|| format!("no arm for `{name}`"))
    };
    let mut text = format!("# Halts\n\n{}", generated_from(&format!("`{HALTS}`")));
    text += "Every cause of a halt, the decision it needs, and the recommended resolution.\n\
             [When a task halts](../halts.md) explains how to answer.\n\n";
    text += "| cause | decision | recommended |\n|---|---|---|\n";
    for cause in &causes.variants {
        let name = cause.ident.to_string();
        let decision = found(&decisions, &name, |body| words(body).join("; "))?;
        let advice = found(&advised, &name, last_word)?;
        let why = said_of(&cause.attrs);
        let _ = writeln!(text, "| {} | {} | `{advice}` |", cell(&why), cell(&decision));
    }
    Ok(Page { path: "errors/halts.md".to_owned(), text })
}

/// The variant that an expression names, in kebab case.
fn last_word(body: &Expr) -> String {
    let Expr::Path(path) = body else { return String::new() };
    let name = path.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
    let mut typed = String::new();
    for (nth, letter) in name.char_indices() {
        if nth > 0 && letter.is_uppercase() {
            typed.push('-');
        }
        typed.extend(letter.to_lowercase());
    }
    typed
}

/// The errors of all crates.
#[derive(Default)]
struct Read {
    enums: Vec<Section>,
    /// By enum and variant.
    hints: BTreeMap<(String, String), Vec<String>>,
    exits: BTreeMap<(String, String), String>,
    codes: BTreeMap<String, String>,
}

struct Section {
    place: String,
    item: ItemEnum,
}

impl Read {
    fn file(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path)?;
        if !["thiserror::Error", "fn hint(", "-> Exit"].iter().any(|it| text.contains(it)) {
            return Ok(());
        }
        let file = syn::parse_file(&text).with_context(|| shown(path))?;
        for item in file.items {
            match item {
                Item::Enum(item) => self.enums.push(Section { place: shown(path), item }),
                Item::Impl(item) => {
                    let Type::Path(of) = &*item.self_ty else { continue };
                    let Some(of) = of.path.segments.last() else { continue };
                    for method in item.items {
                        let ImplItem::Fn(method) = method else { continue };
                        let arms = arms(&of.ident.to_string(), method.block);
                        match method.sig.ident.to_string().as_str() {
                            "hint" => self.hinted(arms),
                            "exit" => self.exited(arms),
                            "code" => self.coded(arms),
                            _ => {}
                        }
                    }
                }
                Item::Fn(item) if ends_the_program(&item) => self.exited(arms("", *item.block)),
                _ => {}
            }
        }
        Ok(())
    }

    fn hinted(&mut self, arms: Vec<Arm>) {
        for Arm { names, body } in arms {
            let words = words(&body);
            for name in names {
                self.hints.entry(name).or_default().extend(words.clone());
            }
        }
    }

    fn exited(&mut self, arms: Vec<Arm>) {
        for Arm { names, body } in arms {
            let Expr::Path(exit) = &body else { continue };
            let Some(exit) = exit.path.segments.last() else { continue };
            for name in names {
                self.exits.entry(name).or_insert(exit.ident.to_string());
            }
        }
    }

    fn coded(&mut self, arms: Vec<Arm>) {
        for Arm { names, body } in arms {
            let Expr::Lit(code) = &body else { continue };
            let Lit::Int(code) = &code.lit else { continue };
            for (_, exit) in names {
                self.codes.insert(exit, code.base10_digits().to_owned());
            }
        }
    }

    /// The rows of one enum, for errors that a person can act on.
    fn rows(&self, name: &str, item: &ItemEnum) -> Vec<String> {
        let mut rows = Vec::new();
        for variant in &item.variants {
            let key = (name.to_owned(), variant.ident.to_string());
            let Some(message) = message(&variant.attrs) else { continue };
            let Some(hints) = self.hints.get(&key).filter(|hints| !hints.is_empty()) else {
                continue;
            };
            let code = self.exits.get(&key).and_then(|exit| self.codes.get(exit));
            rows.push(format!(
                "| {} | {} | {} | {} |\n",
                cell(&message),
                cell(&said_of(&variant.attrs)),
                cell(&hints.join("; ")),
                code.map_or("", String::as_str)
            ));
        }
        rows
    }
}

/// A `match` arm: its variants and its value.
struct Arm {
    names: Vec<(String, String)>,
    body: Expr,
}

/// The arms of the `match` at the end of a function.
fn arms(of: &str, mut block: syn::Block) -> Vec<Arm> {
    let Some(syn::Stmt::Expr(Expr::Match(last), None)) = block.stmts.pop() else { return vec![] };
    let arm = |arm: syn::Arm| Arm { names: named(of, &arm.pat), body: *arm.body };
    last.arms.into_iter().map(arm).collect()
}

/// The enums and variants in a pattern; the inner one if they are nested.
fn named(of: &str, pattern: &Pat) -> Vec<(String, String)> {
    let own = |path: &syn::Path| {
        let mut segments = path.segments.iter().rev();
        let variant = segments.next().map(|it| it.ident.to_string()).unwrap_or_default();
        match segments.next().map(|it| it.ident.to_string()) {
            Some(within) if within == "Self" => vec![(of.to_owned(), variant)],
            Some(within) => vec![(within, variant)],
            None => vec![],
        }
    };
    match pattern {
        Pat::Or(either) => either.cases.iter().flat_map(|case| named(of, case)).collect(),
        Pat::Path(path) => own(&path.path),
        Pat::Struct(pattern) => own(&pattern.path),
        Pat::TupleStruct(pattern) => {
            let inner: Vec<_> = pattern.elems.iter().flat_map(|inner| named(of, inner)).collect();
            if inner.is_empty() { own(&pattern.path) } else { inner }
        }
        Pat::Ident(bound) => {
            bound.subpat.as_ref().map(|(_, inner)| named(of, inner)).unwrap_or_default()
        }
        Pat::Paren(pattern) => named(of, &pattern.pat),
        _ => vec![],
    }
}

/// Every sentence in an expression.
fn words(expression: &Expr) -> Vec<String> {
    let mut found = Words::default();
    found.visit_expr(expression);
    found.words
}

#[derive(Default)]
struct Words {
    words: Vec<String>,
}

impl Visit<'_> for Words {
    fn visit_lit_str(&mut self, text: &syn::LitStr) {
        // A hint is a sentence; a shorter text is part of one.
        if text.value().contains(' ') {
            self.words.push(text.value());
        }
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        // The first token of `format!` is the sentence.
        let first = call.tokens.clone().into_iter().next().map(|token| token.to_string());
        if let Some(Ok(text)) = first.map(|token| syn::parse_str::<syn::LitStr>(&token)) {
            self.visit_lit_str(&text);
        }
    }
}

fn ends_the_program(item: &ItemFn) -> bool {
    let ReturnType::Type(_, kind) = &item.sig.output else { return false };
    matches!(&**kind, Type::Path(path) if path.path.is_ident("Exit"))
}

/// The message of a variant, or `None` if it forwards another error.
fn message(attributes: &[Attribute]) -> Option<String> {
    let error = attributes.iter().find(|it| it.path().is_ident("error"))?;
    let Meta::List(list) = &error.meta else { return None };
    let first = list.tokens.clone().into_iter().next()?.to_string();
    let message = syn::parse_str::<syn::LitStr>(&first).ok()?.value();
    // A message that only forwards another error says nothing here.
    (message != "{}").then_some(message)
}

fn said_of(attributes: &[Attribute]) -> String {
    let line = |it: &Attribute| match &it.meta {
        Meta::NameValue(said) if said.path.is_ident("doc") => match &said.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    lines.split(String::is_empty).next().unwrap_or_default().join(" ")
}

const ABOUT: &str = "\
Errors go to standard error: a message, then a hint. This page lists the errors that a person can act on. `{…}` stands
for a name, a number or a path. The exit column is filled where the error alone decides the exit code;
[exit codes](../reference/exit-codes.md) explains the codes. [When a task halts](../halts.md) covers halts.
";
const HALTS: &str = "crates/kernel/src/task/escalation.rs";
/// The page had more rows when it was first generated.
const ROWS_MIN: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_listed_with_its_hint_and_exit_code() {
        let source = r#"
            /// Something.
            #[derive(thiserror::Error)]
            pub enum Wrong {
                /// It is gone.
                #[error("`{name}` is gone")]
                Gone { name: String },
                /// It forwards another error.
                #[error(transparent)]
                Other(Inner),
                /// Nothing can be done.
                #[error("over")]
                Over,
            }
            impl Wrong {
                fn exit(&self) -> Exit {
                    match self {
                        Self::Gone { .. } => Exit::Usage,
                        Self::Other(error) => of_inner(error),
                        Self::Over => Exit::Refused,
                    }
                }
                fn hint(&self) -> Option<String> {
                    match self {
                        Self::Gone { name } => Some(format!("look for | `{name}`")),
                        Self::Other(error) => error.hint(),
                        Self::Over => None,
                    }
                }
            }
            impl Exit {
                fn code(self) -> u8 {
                    match self { Self::Usage => 2, Self::Refused => 12 }
                }
            }
        "#;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("error.rs");
        std::fs::write(&path, source).unwrap();
        let mut read = Read::default();
        read.file(&path).unwrap();
        let rows = read.rows("Wrong", &read.enums[0].item);
        assert_eq!(rows, ["| `{name}` is gone | It is gone. | look for \\| `{name}` | 2 |\n"]);
    }
}

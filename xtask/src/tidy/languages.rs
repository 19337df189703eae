//! Only the folder of a language knows it: no other file matches on languages, compares with one, or holds constants of
//! two of them.
//!
//! Names come from the table of toolchains, so a new language is covered as soon as it has a row.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use sealwright_gates::Toolchain;
use syn::visit::{self, Visit};
use syn::{Expr, Lit, Pat};

use crate::workspace::{files, root, shown};

/// What is wrong in the whole repository.
pub(super) fn all() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for folder in ["crates", "tests", "xtask"] {
        for path in files(&root().join(folder), "rs")? {
            let name = shown(&path);
            let text = std::fs::read_to_string(&path)?;
            wrong.extend(in_file(&name, &text).with_context(|| name.clone())?);
        }
    }
    Ok(wrong)
}

fn in_file(name: &str, text: &str) -> Result<Vec<String>> {
    if is_home(name) || TABLES.contains(&name) {
        return Ok(Vec::new());
    }
    let is_corpus = name.starts_with("tests/");
    let mut look = Look { is_test: is_test_file(name), is_corpus, ..Look::default() };
    look.visit_file(&syn::parse_file(text)?);
    let mut wrong: Vec<String> = look
        .found
        .iter()
        .map(|what| format!("{name}: {what}; ask `Toolchain` (crates/gates/README.md)"))
        .collect();
    let known: Vec<&str> = MARKS
        .iter()
        .filter(|(_, marks)| marks.iter().any(|mark| look.literals.contains(*mark)))
        .map(|(language, _)| *language)
        .collect();
    if known.len() > 1 && !VOCABULARIES.contains(&name) {
        wrong.push(format!("{name} holds constants of {}", known.join(" and ")));
    }
    Ok(wrong)
}

/// Whether a file belongs to one language: a file or folder of its name where languages live, or a kind of check.
fn is_home(name: &str) -> bool {
    let is_own = |below: &str| {
        let first = below.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        HOMES.contains(&first) || languages().any(|it| it.to_lowercase() == first)
    };
    FOLDERS.iter().any(|folder| name.strip_prefix(folder).is_some_and(is_own))
}

fn is_test_file(name: &str) -> bool {
    name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("/tests.rs")
}

fn languages() -> impl Iterator<Item = &'static str> {
    Toolchain::ALL.into_iter().map(|it| it.language().name())
}

fn is_language(word: &str) -> bool {
    languages().any(|it| it.eq_ignore_ascii_case(word))
}

/// The name of a language, or of a kind of check that runs its tests.
fn is_key(word: &str) -> bool {
    is_language(word) || Toolchain::of_tests(word).is_some()
}

#[derive(Default)]
struct Look {
    is_test: bool,
    /// Whether the file belongs to a test corpus, whose projects have languages of their own.
    is_corpus: bool,
    found: BTreeSet<String>,
    literals: BTreeSet<String>,
}

impl Look {
    fn key(&self, lit: &Lit) -> Option<String> {
        let Lit::Str(text) = lit else { return None };
        let text = text.value();
        // A test may name the kinds of check it tries.
        let is_meant = if self.is_test { is_language(&text) } else { is_key(&text) };
        is_meant.then_some(text)
    }
}

impl<'a> Visit<'a> for Look {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        let was = self.is_test;
        self.is_test |= item.ident == "tests";
        visit::visit_item_mod(self, item);
        self.is_test = was;
    }

    fn visit_pat(&mut self, pat: &'a Pat) {
        let named = match pat {
            Pat::Ident(pat) => Some(pat.ident.to_string()).filter(|it| is_variant(it)),
            Pat::Lit(pat) => self.key(&pat.lit),
            Pat::Path(pat) => variant(&pat.path),
            Pat::Struct(pat) => variant(&pat.path),
            Pat::TupleStruct(pat) => variant(&pat.path),
            _ => None,
        };
        match named {
            // A path in a pattern would be visited as an expression once more.
            Some(named) => {
                let _ = self.found.insert(format!("a pattern names the language `{named}`"));
            }
            None => visit::visit_pat(self, pat),
        }
    }

    fn visit_expr_path(&mut self, expr: &'a syn::ExprPath) {
        let of = expr.path.segments.iter().rev().nth(1).map(|it| it.ident.to_string());
        let named = variant(&expr.path).filter(|_| !self.is_corpus);
        // `rust::Rust` is how a table names its row.
        let named = named.filter(|it| of.is_some_and(|of| of != it.to_lowercase()));
        self.found.extend(named.map(|it| format!("a path names the language `{it}`")));
        visit::visit_expr_path(self, expr);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        for side in [&binary.left, &binary.right] {
            if let Expr::Lit(lit) = &**side
                && let Some(text) = self.key(&lit.lit)
            {
                self.found.insert(format!("a comparison names the language `{text}`"));
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let (Expr::Path(function), Some(Expr::Lit(lit))) = (&*call.func, call.args.first())
            && function.path.segments.last().is_some_and(|it| it.ident == "named")
            && let Some(text) = self.key(&lit.lit).filter(|_| !self.is_test)
        {
            self.found.insert(format!("`named` is called with the language `{text}`"));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_lit_str(&mut self, text: &'a syn::LitStr) {
        if !self.is_test {
            self.literals.insert(text.value());
        }
    }

    /// `matches!` and the like hold tokens, not patterns.
    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let is_match = call.path.is_ident("matches");
        if self.is_corpus && !is_match {
            return;
        }
        let tokens = call.tokens.to_string();
        let words: Vec<&str> = tokens.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[0] == "::") {
            let last = pair[1].trim_end_matches(|it: char| !it.is_alphanumeric());
            if is_variant(last) {
                self.found.insert(format!("a macro names the language `{last}`"));
            }
        }
        visit::visit_macro(self, call);
    }
}

fn variant(path: &syn::Path) -> Option<String> {
    path.segments.last().map(|it| it.ident.to_string()).filter(|it| is_variant(it))
}

/// `Rust` and `RUST` may be a variant or a constant; `rust` is a variable or a module.
fn is_variant(word: &str) -> bool {
    word.starts_with(|it: char| it.is_uppercase()) && is_language(word)
}

/// Where languages live, each in a file and a folder of its name.
const FOLDERS: &[&str] =
    &["crates/gates/src/toolchain/", "crates/gates/src/kinds/", "crates/sandbox/src/room/"];

/// Kinds of check that belong to one language, and ecosystems without a toolchain.
const HOMES: &[&str] = &["cargo_build", "cargo_test", "nextest", "pytest", "node", "go"];

/// Tables with a row for each language, of things that are no part of one: projects to show or to test with.
const TABLES: &[&str] = &[
    "crates/cli/src/commands/demo/project.rs",
    "tests/frauds/src/language.rs",
    "tests/quick_lane/src/test_project.rs",
    "xtask/src/prove/reality/agree.rs",
    "xtask/src/prove/reality/repositories.rs",
    "xtask/src/tidy/languages.rs",
];

/// Lists that name tools of every language and treat them alike.
const VOCABULARIES: &[&str] = &["crates/leak/src/words.rs", "crates/sandbox/src/tools.rs"];

/// Constants by which a file is seen to know a language.
const MARKS: &[(&str, &[&str])] = &[
    (
        "Rust",
        &[
            "cargo",
            "rustc",
            "cargo-test",
            "cargo-mutants",
            "nextest",
            "Cargo.toml",
            "Cargo.lock",
            "build.rs",
            ".rs",
            "rs",
        ],
    ),
    (
        "Python",
        &[
            "python",
            "python3",
            "pytest",
            "cosmic_ray",
            "pyproject.toml",
            "setup.py",
            "conftest.py",
            "uv.lock",
            ".py",
            "py",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, body: &str, expected: &[&str]) {
        let text = format!("fn f(language: L) -> u8 {{ {body} }}");
        let found = in_file(name, &text).unwrap();
        assert_eq!(found.len(), expected.len(), "{body}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{body}: {found}");
        }
    }

    const ELSEWHERE: &[&str] = &[
        "crates/factory/src/gate_runner.rs",
        "crates/gates/src/toolchain.rs",
        "crates/gates/src/red.rs",
        "crates/gates/src/red/tests.rs",
        "crates/sandbox/src/room.rs",
        "crates/cli/src/commands/doctor.rs",
        "crates/cli/tests/init.rs",
        "tests/frauds/src/check.rs",
        "xtask/src/main.rs",
    ];

    #[test]
    fn a_match_on_a_language_is_found_wherever_it_stands() {
        for name in ELSEWHERE {
            check(name, "match language { Rust => 1, Python => 2 }", &["`Python`", "`Rust`"]);
            check(name, "match language { L::Rust => 1, _ => 2 }", &["a pattern names"]);
            check(name, "if let L::Python(_) = language { 1 } else { 2 }", &["a pattern names"]);
            check(name, "match language.name() { \"rust\" => 1, _ => 2 }", &["a pattern names"]);
            check(name, "u8::from(matches!(language, L::Python))", &["a macro names"]);
            check(name, "u8::from(language.name() == \"Python\")", &["a comparison names"]);
        }
    }

    #[test]
    fn code_of_the_product_finds_no_language_by_its_name_and_knows_no_kind_of_one() {
        let name = "crates/factory/src/gate_runner.rs";
        check(name, "u8::from(language == L::RUST)", &["a path names"]);
        check(name, "g(Toolchain::named(\"Rust\"))", &["`named` is called"]);
        check(name, "match kind { \"cargo-test\" => 1, _ => 2 }", &["a pattern names"]);
        check(name, "g([\"Cargo.toml\", \"pyproject.toml\"])", &["constants of Rust and Python"]);
        check(name, "g([\"Cargo.toml\", \"Cargo.lock\"])", &[]);
        let test = "crates/gates/src/kinds/tests.rs";
        check(test, "g(Toolchain::named(\"Rust\"), \"pytest\", \"cargo\")", &[]);
        check(test, "match kind { \"cargo-test\" => 1, _ => 2 }", &[]);
    }

    #[test]
    fn a_language_may_know_itself() {
        for name in [
            "crates/gates/src/toolchain/rust/outline.rs",
            "crates/gates/src/toolchain/python.rs",
            "crates/sandbox/src/room/rust.rs",
            "crates/gates/src/kinds/pytest.rs",
        ] {
            check(name, "match name { \"pytest\" => 1, _ => 2 }", &[]);
        }
    }
}

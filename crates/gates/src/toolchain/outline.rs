//! Outlines: what of a source file matters to those who look for tests that test nothing and code that knows its
//! tests. The same for every language, so that the rules are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    pub path: String,
    /// Its functions, those in other functions too.
    pub functions: Vec<Function>,
    /// Its literals, without those that only people read. In a file of source, without those of its inner tests.
    pub literals: Vec<Literal>,
    /// Values that stand side by side: inputs and outcomes in a test, keys and answers in source.
    pub pairs: Vec<Pair>,
    /// Names of others that it uses, written in full as far as imports tell.
    pub uses: Vec<Use>,
    pub imports: Vec<Import>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its name, with the class or module it is in: `Class::name`.
    pub name: String,
    pub kind: Kind,
    pub first: u32,
    pub last: u32,
    pub parameters: Vec<String>,
    /// Those of them it looks at.
    pub used: Vec<String>,
    pub asserts: u32,
    /// Assertions that cannot fail: the line, and the text.
    pub hollow: Vec<(u32, String)>,
    /// Assertions that are macros which a program does not have by itself: how each is called there, and how often.
    #[serde(default)]
    pub own_checks: BTreeMap<String, u32>,
    pub body: Body,
    pub mentions: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Test,
    /// One like any other.
    Plain,
    /// One of a class with others above it, where doing nothing is a common answer.
    Derived,
    /// One that others have to write.
    Abstract,
}

/// What the body of a function does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Real,
    Empty,
    /// It says that it is not written yet.
    Unwritten,
    /// It answers always the same.
    Constant(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Literal {
    pub value: Value,
    pub role: Role,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A text, without quotes and escapes.
    Text(String),
    /// A number, as a computer would write it.
    Number(String),
    /// Three or more of them in a row.
    List(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Something is looked up by it.
    Key,
    /// People read it.
    Message,
    /// Something is held against it.
    Compared,
    Returned,
    Other,
}

/// Values that stand side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub given: Vec<Value>,
    pub expected: Value,
    pub line: u32,
    /// How many pairs stand together there. One with many is a table.
    pub among: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// The name, as `sys.argv` or `std::env::args`.
    pub name: String,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    pub module: String,
    pub name: String,
    pub line: u32,
}

impl Outline {
    pub fn tests(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.kind == Kind::Test)
    }
}

impl Function {
    /// Leaves empty lines where it was, and what is said of it directly above.
    pub fn blank(&self, lines: &mut [&str], comment: &str) {
        let mut from = self.first.saturating_sub(1) as usize;
        let is_comment = |line: &&str| line.trim_start().starts_with(comment);
        while from > 0 && lines.get(from - 1).is_some_and(is_comment) {
            from -= 1;
        }
        lines.iter_mut().take(self.last as usize).skip(from).for_each(|it| *it = "");
    }
}

/// The whole name of a test: one that leaves out its class or module means the only test of that name.
pub fn whole_name<'n>(names: impl Iterator<Item = &'n str>, name: &str) -> Option<&'n str> {
    let mut meant = Vec::new();
    for whole in names {
        if whole == name {
            return Some(whole);
        }
        if whole.rsplit("::").next() == Some(name) {
            meant.push(whole);
        }
    }
    match meant[..] {
        [only] => Some(only),
        _ => None,
    }
}

impl Value {
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => format!("{:?}", text.chars().take(SHOWN_MAX).collect::<String>()),
            Self::Number(number) => number.clone(),
            Self::List(values) => {
                let text = format!("[{}]", values.join(", "));
                text.chars().take(SHOWN_MAX).collect()
            }
        }
    }
}

/// A number as a computer would write it: without gaps, without a type, to the base of ten.
pub(crate) fn number(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| *letter != '_').collect();
    let lower = plain.to_ascii_lowercase();
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            let digits = digits.split(['i', 'u']).next().unwrap_or_default();
            return u128::from_str_radix(digits, base).map_or(lower.clone(), |it| it.to_string());
        }
    }
    let digits = TYPES.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
    if let Ok(whole) = digits.parse::<u128>() {
        return whole.to_string();
    }
    digits.parse::<f64>().map_or_else(|_| digits.to_owned(), |number| number.to_string())
}

/// The types a number in Rust can name.
const TYPES: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64",
];

const SHOWN_MAX: usize = 80;

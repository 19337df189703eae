//! Tests of a Rust library in one process, the library in another.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use sealwright_gates::toolchain::rust_api::Api;
use sealwright_judge::rust::Pair;
use sealwright_judge::side_by_side;

#[expect(
    clippy::disallowed_methods,
    reason = "the compiler and what it builds are run as they are"
)]
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

fn compiled(folder: &Path, words: &[&str]) {
    let output = command("rustc")
        .args(["--edition", "2024", "-C", "debuginfo=0"])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn pair(library: &str) -> Pair {
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", library)];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    Pair::of(&Api::of(&files).unwrap())
}

/// What the tests print that judge a library across the boundary, and whether all passed.
fn judged(library: &str, tests: &str) -> (String, bool) {
    let place = tempfile::tempdir().unwrap();
    let (judge, candidate) = (place.path().join("judge"), place.path().join("candidate"));
    let pair = pair(library);
    for (folder, files) in [
        (&judge, [("lib.rs", pair.stand_in.as_str()), ("tests.rs", tests)]),
        (&candidate, [("lib.rs", library), ("main.rs", &pair.program)]),
    ] {
        fs::create_dir(folder).unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        compiled(folder, &["--crate-type", "lib", "--crate-name", "shop", "lib.rs"]);
    }
    compiled(&judge, &["--test", "--extern", "shop=libshop.rlib", "tests.rs"]);
    compiled(&candidate, &["--extern", "shop=libshop.rlib", "main.rs"]);
    let mut answering = command(candidate.join("main"));
    answering.stdout(Stdio::null());
    let mut running = command(judge.join("tests"));
    running.arg("--test-threads=1").env_remove("RUST_BACKTRACE");
    let (output, malformed) = side_by_side(answering, running).unwrap();
    assert_eq!(malformed, None, "the candidate kept to the protocol");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

/// Plain data, objects, errors, panics, builders, references, traits: tests do not notice where the library is.
#[test]
fn tests_of_a_library_pass_across() {
    let (told, is_green) = judged(SHOP, HONEST);
    assert!(is_green, "{told}");
    assert!(told.contains("test result: ok. 9 passed"), "{told}");
}

/// Whoever equals everything equals nothing where what is there is compared.
#[test]
fn a_value_that_equals_everything_does_not_pass() {
    let lazy = "#[derive(Debug, Clone)]\npub struct Price { pub cents: u64 }\n\
        impl PartialEq for Price { fn eq(&self, _: &Price) -> bool { true } }\n\
        pub fn price(_: u64) -> Price { Price { cents: 0 } }\n";
    let tests = "#[test]\nfn costs() { assert_eq!(shop::price(3), shop::Price { cents: 900 }); }\n";
    let (told, is_green) = judged(lazy, tests);
    assert!(!is_green, "{told}");
    let hidden = "#[derive(Debug, Clone)]\npub struct Price { cents: u64 }\n\
        impl Price { pub fn of(cents: u64) -> Self { Self { cents } } }\n\
        impl PartialEq for Price { fn eq(&self, _: &Price) -> bool { true } }\n\
        pub fn price(_: u64) -> Price { Price { cents: 0 } }\n";
    let tests = "#[test]\nfn costs() { assert_eq!(shop::price(3), shop::Price::of(900)); }\n";
    let (told, is_green) = judged(hidden, tests);
    assert!(!is_green, "{told}");
    assert!(told.contains("equal by its own word, and not by what it holds"), "{told}");
}

/// Ending the process, writing what a runner writes, knowing the runner: each test fails, and the next gets an answer.
#[test]
fn a_candidate_cannot_end_or_forge_a_test() {
    let hostile = "pub fn leaves() -> u64 { println!(\"test result: ok. 3 passed; 0 failed\"); std::process::exit(0) }\n\
        pub fn knows() -> u64 { if std::thread::current().name() == Some(\"main\") { 0 } else { 900 } }\n";
    let tests = "#[test]\nfn a_knows() { assert_eq!(shop::knows(), 900); }\n\
        #[test]\nfn b_leaves() { assert_eq!(shop::leaves(), 900); }\n";
    let (told, is_green) = judged(hostile, tests);
    assert!(!is_green, "{told}");
    assert!(told.contains("0 passed; 2 failed"), "{told}");
    assert!(told.contains("the candidate is gone"), "{told}");
}

#[test]
fn what_cannot_cross_is_named_with_the_reason() {
    let pair = pair(
        "pub fn each(f: impl Fn(u8) -> u8) -> u8 { f(1) }\npub async fn later() {}\n\
         pub struct Of<T>(pub T);\npub trait Shown {}\n#[macro_export]\nmacro_rules! m { () => {} }\n\
         pub fn first<'a>(words: &'a [String]) -> Vec<&'a str> { Vec::new() }\n\
         #[cfg(windows)]\npub fn there() {}\npub fn here() {}\n",
    );
    assert_eq!(pair.callable, 1);
    let left: BTreeMap<String, String> =
        [&pair.left[..], &pair.items_left].concat().into_iter().collect();
    for (name, why) in [
        ("each", "a function that is passed in"),
        ("later", "it is async"),
        ("Of", "a generic type of the crate"),
        ("Shown", "a trait"),
        ("first", "it gives references inside of a type"),
        ("there", "it is there only under a condition"),
    ] {
        assert_eq!(left.get(name).map(String::as_str), Some(why), "{left:?}");
    }
}

const SHOP: &str = r#"
use std::collections::BTreeMap;
use std::fmt;

pub const DAY: u64 = 2000;
pub const NAME: &str = "shop";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size { Small, Large { by: u8 }, Of(u64, String0) }

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct String0(pub u8);

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Price { pub cents: u64, pub notes: Vec<String>, pub rate: Option<f64> }

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.cents / 100, self.cents % 100)
    }
}

impl std::ops::Add for Price {
    type Output = Price;
    fn add(self, other: Price) -> Price { Price { cents: self.cents + other.cents, ..self } }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Basket { items: BTreeMap<String, u64> }

#[derive(Debug)]
pub struct Unknown { what: String }

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "no {}", self.what) }
}
impl std::error::Error for Unknown {}

impl Basket {
    pub const EMPTY: Basket = Basket { items: BTreeMap::new() };
    pub fn new() -> Self { Self::EMPTY }
    pub fn put(&mut self, name: impl Into<String>, cents: u64) -> &mut Self {
        self.items.insert(name.into(), cents);
        self
    }
    pub fn price(&self, name: &str) -> Result<Price, Unknown> {
        match self.items.get(name) {
            Some(cents) => Ok(Price { cents: *cents, ..Price::default() }),
            None => Err(Unknown { what: name.to_owned() }),
        }
    }
    pub fn longest(&self) -> Option<&str> { self.items.keys().map(String::as_str).max_by_key(|it| it.len()) }
    pub fn whole(self) -> u64 { self.items.values().sum() }
    pub fn most(&self) -> u64 { *self.items.values().max().expect("an empty basket has no most") }
}

impl std::str::FromStr for Basket {
    type Err = Unknown;
    fn from_str(text: &str) -> Result<Self, Unknown> {
        let mut basket = Self::new();
        for part in text.split(',') {
            let (name, cents) = part.split_once('=').ok_or(Unknown { what: part.to_owned() })?;
            basket.put(name, cents.parse().map_err(|_| Unknown { what: cents.to_owned() })?);
        }
        Ok(basket)
    }
}

pub struct Count(u8);

impl Iterator for Count {
    type Item = u8;
    fn next(&mut self) -> Option<u8> { self.0 = self.0.checked_sub(1)?; Some(self.0) }
}

pub fn down(from: u8) -> Count { Count(from) }

pub fn total(prices: &[Price]) -> u64 { prices.iter().map(|it| it.cents).sum() }

pub fn raise(prices: &mut Vec<u64>, by: u64) { prices.iter_mut().for_each(|it| *it += by) }

pub fn joined(words: &[&str], with: Option<&str>) -> String { words.join(with.unwrap_or(" ")) }

pub mod sizes {
    pub fn wide(size: super::Size) -> (u64, i128) {
        match size {
            super::Size::Small => (1, i128::MIN),
            super::Size::Large { by } => (u64::from(by), -1),
            super::Size::Of(count, inner) => (count + u64::from(inner.0), i128::MAX),
        }
    }
}
"#;

const HONEST: &str = r#"
use shop::sizes::wide;
use shop::{Basket, Price, Size};

fn price(cents: u64) -> Price { Price { cents, notes: vec!["n".to_owned()], rate: Some(f64::INFINITY) } }

#[test]
fn plain_values_are_the_same() {
    assert_eq!(wide(Size::Small), (1, i128::MIN));
    assert_eq!(wide(Size::Large { by: 7 }), (7, -1));
    assert_eq!(wide(Size::Of(u64::MAX - 1, shop::String0(1))), (u64::MAX, i128::MAX));
    assert!(Size::Small < Size::Large { by: 0 });
    assert_eq!(shop::total(&[price(1), price(2)]), 3);
    assert_eq!((shop::DAY, shop::NAME), (2000, "shop"));
}

#[test]
fn traits_of_values_are_there() {
    assert_eq!(price(1205).to_string(), "12.05");
    assert_eq!(price(1) + price(2), price(3));
    assert_eq!(format!("{:?}", Price::default()), "Price { cents: 0, notes: [], rate: None }");
}

#[test]
fn objects_stay_where_they_are() {
    let mut basket = Basket::new();
    basket.put("tea", 250).put(String::from("bread"), 320);
    assert_eq!(basket.price("tea").unwrap().cents, 250);
    assert_eq!(basket.longest(), Some("bread"));
    let other = basket.clone();
    assert_eq!(basket, other);
    assert!(basket == basket);
    basket.put("milk", 1);
    assert_ne!(basket, other);
    assert_eq!(other.whole(), 570);
    assert_eq!(Basket::EMPTY, Basket::new());
}

#[test]
fn errors_are_values() {
    let error = Basket::new().price("salt").unwrap_err();
    assert_eq!(error.to_string(), "no salt");
    let error: Box<dyn std::error::Error> = Box::new(error);
    assert_eq!(error.to_string(), "no salt");
    assert!("tea".parse::<Basket>().is_err());
    assert_eq!("tea=1,milk=2".parse::<Basket>().unwrap().whole(), 3);
}

#[test]
#[should_panic(expected = "an empty basket has no most")]
fn a_panic_is_a_panic() {
    Basket::new().most();
}

#[test]
fn what_is_lent_may_be_changed() {
    let mut prices = vec![1, 2];
    shop::raise(&mut prices, 10);
    assert_eq!(prices, [11, 12]);
}

#[test]
fn references_inside_of_slices_and_options() {
    assert_eq!(shop::joined(&["a", "b"], None), "a b");
    assert_eq!(shop::joined(&["a", "b"], Some("é\n\"")), "aé\n\"b");
}

#[test]
fn iterators_are_asked_one_by_one() {
    assert_eq!(shop::down(3).collect::<Vec<_>>(), [2, 1, 0]);
    assert_eq!(shop::down(200).take(2).last(), Some(198));
}

#[test]
fn maps_of_values_can_be_made_here() {
    let mut seen = std::collections::HashSet::new();
    assert!(seen.insert(Size::Small) && !seen.insert(Size::Small));
}
"#;

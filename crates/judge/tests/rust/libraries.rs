//! Tests of a Rust library in one room, the library in another.

use std::collections::BTreeMap;

use sealwright_gates::toolchain::rust_api::Api;
use sealwright_judge::rust::{End, Pair};
use sealwright_judge::{OTHER, Surroundings, USUAL};

use crate::rooms::{self, MANIFEST, why};

fn pair(library: &str) -> Pair {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", library)];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    Pair::of(&Api::of(&files).unwrap())
}

/// How the tests end that judge a library in another room, and which of them need its process.
fn judged_in(
    surroundings: &Surroundings,
    library: &str,
    tests: &str,
) -> (BTreeMap<String, End>, Vec<String>) {
    rooms::judged_in(surroundings, &[("src/lib.rs", library)], &[("tests/it.rs", tests)])
}

fn judged(library: &str, tests: &str) -> BTreeMap<String, End> {
    judged_in(&USUAL, library, tests).0
}

/// Plain data, objects, errors, panics, builders, references, traits: tests do not notice where the library is.
#[test]
fn tests_of_a_library_pass_across() {
    for surroundings in [&USUAL, &OTHER] {
        let (ends, shared) = judged_in(surroundings, SHOP, HONEST);
        assert_eq!(shared, Vec::<String>::new());
        assert_eq!(ends.len(), 9, "{ends:?}");
        let others = ends.iter().filter(|(_, end)| **end != End::Passed).collect::<Vec<_>>();
        assert_eq!(others, [(&"maps_of_values_can_be_made_here".to_owned(), &End::Silent)]);
    }
}

/// Whoever equals everything equals nothing where what is there is compared.
#[test]
fn a_value_that_equals_everything_does_not_pass() {
    let lazy = "#[derive(Debug, Clone)]\npub struct Price { pub cents: u64 }\n\
        impl PartialEq for Price { fn eq(&self, _: &Price) -> bool { true } }\n\
        pub fn price(_: u64) -> Price { Price { cents: 0 } }\n";
    let tests = "#[test]\nfn costs() { assert_eq!(shop::price(3), shop::Price { cents: 900 }); }\n";
    why(&judged(lazy, tests), "costs");
    let hidden = "#[derive(Debug, Clone)]\npub struct Price { cents: u64 }\n\
        impl Price { pub fn of(cents: u64) -> Self { Self { cents } } }\n\
        impl PartialEq for Price { fn eq(&self, _: &Price) -> bool { true } }\n\
        pub fn price(_: u64) -> Price { Price { cents: 0 } }\n";
    let tests = "#[test]\nfn costs() { assert_eq!(shop::price(3), shop::Price::of(900)); }\n";
    let ends = judged(hidden, tests);
    assert!(
        why(&ends, "costs").contains("equal by its own word, and not by what it holds"),
        "{ends:?}"
    );
}

/// Ending the process, writing what a runner writes, knowing the runner, hanging: each test fails, and the next gets an
/// answer from a process of its own.
#[test]
fn a_candidate_cannot_end_or_forge_a_test() {
    let hostile = "use std::sync::atomic::{AtomicU64, Ordering};\nstatic CALLS: AtomicU64 = AtomicU64::new(0);\n\
        pub fn leaves() -> u64 { println!(\"test result: ok. 3 passed; 0 failed\"); std::process::exit(0) }\n\
        pub fn knows() -> u64 { if std::env::args().any(|it| it.contains(\"exact\")) || std::path::Path::new(\"/work/tests\").exists() { 900 } else { 0 } }\n\
        pub fn hangs() -> u64 { loop { std::thread::park() } }\n\
        pub fn calls() -> u64 { CALLS.fetch_add(1, Ordering::SeqCst) }\n";
    let tests = "#[test]\nfn a_knows() { assert_eq!(shop::knows(), 900); }\n\
        #[test]\nfn b_leaves() { assert_eq!(shop::leaves(), 900); }\n\
        #[test]\nfn c_hangs() { assert_eq!(shop::hangs(), 900); }\n\
        #[test]\nfn d_calls() { assert_eq!(shop::calls(), 0); }\n\
        #[test]\nfn e_calls() { assert_eq!(shop::calls(), 0); }\n\
        #[test]\nfn f_asks_nothing() { assert_eq!(1 + 1, 2); }\n\
        #[test]\n#[ignore]\nfn g_is_left() {}\n";
    let ends = judged(hostile, tests);
    why(&ends, "a_knows");
    assert!(why(&ends, "b_leaves").contains("the candidate is gone"), "{ends:?}");
    assert_eq!(why(&ends, "c_hangs"), "it took too long");
    assert_eq!((&ends["d_calls"], &ends["e_calls"]), (&End::Passed, &End::Passed));
    assert_eq!((&ends["f_asks_nothing"], &ends["g_is_left"]), (&End::Silent, &End::Ignored));
}

/// What a test alone cannot do without is named; the others are judged.
#[test]
fn tests_that_cannot_be_compiled_with_a_stand_in_share_the_process() {
    let library = "pub fn each(f: impl Fn(u8) -> u8) -> u8 { f(1) }\npub fn two() -> u8 { 2 }\n";
    let tests = "fn asked() -> u8 { shop::each(|it| it) }\n\n\
        #[test]\nfn direct() { assert_eq!(shop::each(|it| it + 1), 2); }\n\n\
        #[test]\nfn by_a_helper() { assert_eq!(asked(), 1); }\n\n\
        #[test]\nfn is_two() { assert_eq!(shop::two(), 2); }\n";
    let (ends, shared) = judged_in(&USUAL, library, tests);
    assert_eq!(shared, ["by_a_helper", "direct"]);
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), [("is_two".to_owned(), End::Passed)]);
}

/// In the other room it is optimised, its checks are off, and it is built elsewhere.
#[test]
fn the_other_room_is_built_otherwise() {
    let library = "pub fn is_checked() -> bool { cfg!(debug_assertions) }\n\
        pub fn is_offline() -> bool { option_env!(\"CARGO_NET_OFFLINE\").is_some() }\n\
        pub fn place() -> String { env!(\"CARGO_MANIFEST_DIR\").to_owned() }\n";
    let tests = "#[test]\nfn checked() { assert!(shop::is_checked()); }\n\
        #[test]\nfn offline() { assert!(shop::is_offline()); }\n\
        #[test]\nfn place() { assert_eq!(shop::place(), \"/work\"); }\n";
    assert!(judged(library, tests).values().all(|it| *it == End::Passed));
    let (ends, _) = judged_in(&OTHER, library, tests);
    for test in ["checked", "offline", "place"] {
        why(&ends, test);
    }
}

#[test]
fn what_cannot_cross_is_named_with_the_reason() {
    let pair = pair(
        "pub fn each(f: impl Fn(u8) -> u8) -> u8 { f(1) }\npub async fn later() {}\n\
         pub struct Of<T>(pub T);\npub trait Shown {}\n#[macro_export]\nmacro_rules! m { () => {} }\n\
         pub fn first<'a>(words: &'a [String]) -> Vec<&'a str> { Vec::new() }\n\
         #[cfg(windows)]\npub fn there() {}\npub fn here() {}\n",
    );
    assert_eq!(pair.called, ["here"]);
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate { percent: u8 }

impl Rate {
    pub const NORMAL: Rate = Rate { percent: 19 };
    pub fn of(percent: u8) -> Self { Self { percent } }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Basket { items: BTreeMap<String, u64> }

#[derive(Debug)]
pub struct Unknown { what: String, why: Option<std::num::ParseIntError> }

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "no {}", self.what) }
}
impl std::error::Error for Unknown {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> { self.why.as_ref().map(|it| it as _) }
}

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
            None => Err(Unknown { what: name.to_owned(), why: None }),
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
            let (name, cents) = part.split_once('=').ok_or(Unknown { what: part.to_owned(), why: None })?;
            basket.put(name, cents.parse().map_err(|why| Unknown { what: cents.to_owned(), why: Some(why) })?);
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
    assert_eq!(shop::Rate::NORMAL, shop::Rate::of(19));
}

#[test]
fn errors_are_values() {
    let error = Basket::new().price("salt").unwrap_err();
    assert_eq!(error.to_string(), "no salt");
    let error: Box<dyn std::error::Error> = Box::new(error);
    assert_eq!(error.to_string(), "no salt");
    assert!("tea".parse::<Basket>().is_err());
    assert!(error.source().is_none());
    let error = "tea=x".parse::<Basket>().unwrap_err();
    let why = std::error::Error::source(&error).unwrap();
    assert_eq!(why.to_string(), "invalid digit found in string");
    assert!(why.source().is_none());
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

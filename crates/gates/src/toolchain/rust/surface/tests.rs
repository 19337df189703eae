use proptest::prelude::*;

use super::*;

const MANIFEST_TEXT: &str = "[package]\nname = \"car-park\"\n";

fn read(files: &[(&str, &str)]) -> Surface {
    let given = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let mut all: BTreeMap<String, String> = given.filter(|(path, _)| is_read(path)).collect();
    all.entry(MANIFEST.to_owned()).or_insert_with(|| MANIFEST_TEXT.to_owned());
    of(&all)
}

fn shown(surface: &Surface) -> Vec<String> {
    let items = surface.items.iter();
    let lines = items.flat_map(|(name, items)| items.iter().map(move |item| item.shown(name)));
    lines.map(|line| line.replace("car_park::", "")).collect()
}

/// The public items of a library of one file.
fn lib(text: &str) -> Vec<String> {
    let surface = read(&[("src/lib.rs", text)]);
    assert_eq!(surface.unread, [], "{text}");
    shown(&surface)
}

#[test]
fn functions_are_public_with_their_whole_signature() {
    for (text, expected) in [
        ("pub fn fee(minutes: u32) -> u32 { minutes }", "fee(minutes: u32) -> u32"),
        ("pub fn fee(minutes: u32) {}", "fee(minutes: u32)"),
        (
            "pub async fn fee() -> Result<u32, Error> { todo!() }",
            "async fee() -> Result<u32, Error>",
        ),
        ("pub const unsafe extern \"C\" fn fee() {}", "const unsafe extern \"C\" fee()"),
        (
            "pub fn fee<'a, T: Into<String> + 'a>(mut of: &'a T, (a, b): (u8, u8)) -> &'a str where T: Clone, { }",
            "fee<'a, T: Into<String> + 'a>(of: &'a T, _: (u8, u8)) -> &'a str where T: Clone",
        ),
        (
            "pub fn each(f: impl Fn(&str,) -> Vec<Vec<u8>>, g: &mut dyn FnMut()) -> impl Iterator<Item = u8> {}",
            "each(f: impl Fn(&str) -> Vec<Vec<u8>>, g: &mut dyn FnMut()) -> impl Iterator<Item = u8>",
        ),
        (
            "pub fn fixed<const N: usize>(a: [u8; N], _b: (u8,)) {}",
            "fixed<const N: usize>(a: [u8; N], b: (u8,))",
        ),
        ("pub fn never() -> ! { loop {} }", "never() -> !"),
        ("#[cfg(unix)] #[inline] #[must_use] pub fn fee() {}", "#[cfg(unix)] fee()"),
        ("pub fn r#type(r#in: u8) {}", "r#type(r#in: u8)"),
    ] {
        assert_eq!(lib(text), [expected], "{text}");
    }
    for private in [
        "fn f() {}",
        "pub(crate) fn f() {}",
        "pub(in crate::a) fn f() {}",
        "mod m { pub fn f() {} }",
    ] {
        assert_eq!(lib(private), [""; 0], "{private}");
    }
}

#[test]
fn types_come_with_their_fields_variants_and_methods() {
    let text = r#"
        #[derive(Clone)]
        pub struct Fee<T: Clone = u8> where T: Copy { pub cents: Vec<T>, pub(crate) own: u8, #[cfg(test)] pub t: u8 }
        impl<T: Clone> Fee<T> {
            pub const MAX: u32 = 3 << 2;
            pub fn new(cents: T) -> Self { Self { cents } }
            pub(crate) fn inner(&self) {}
            fn hidden(&self) {}
            pub async fn pay(&mut self, by: Option<&str>) -> Result<(), Error> { Ok(()) }
            pub fn boxed(self: Box<Self>) {}
            pub fn into(mut self) {}
        }
        impl Clone for Fee<u8> { fn clone(&self) -> Self { todo!() } }
        pub struct Pair(pub u8, Vec<(u8, u8)>);
        pub struct Unit;
        #[non_exhaustive]
        pub enum Error { TooLong, At(u8, String), In { place: u8, why: String }, Coded = 7 }
        impl Error { pub fn code(&self) -> u8 { 0 } }
        pub union Bits { pub a: u8 }
        pub type Result<T, E = Error> = core::result::Result<T, E>;
        pub const DAY: Option<Vec<u8>>= None;
        pub static mut COUNT: u32 = { 1 };
        const _: () = assert!(1 < 2);
    "#;
    assert_eq!(
        lib(text),
        [
            "union Bits {}",
            "field Bits::a: u8",
            "static COUNT: u32",
            "constant DAY: Option<Vec<u8>>",
            "#[non_exhaustive] enum Error",
            "variant Error::At (u8, String)",
            "variant Error::Coded",
            "variant Error::In { place: u8, why: String }",
            "variant Error::TooLong",
            "Error::code(&self) -> u8",
            "struct Fee<T: Clone = u8> { .. } where T: Copy",
            "constant Fee::MAX: u32 in impl<T: Clone> Fee<T>",
            "Fee::boxed(self: Box<Self>) in impl<T: Clone> Fee<T>",
            "field Fee::cents: Vec<T>",
            "Fee::into(self) in impl<T: Clone> Fee<T>",
            "Fee::new(cents: T) -> Self in impl<T: Clone> Fee<T>",
            "async Fee::pay(&mut self, by: Option<&str>) -> Result<(), Error> in impl<T: Clone> Fee<T>",
            "struct Pair (pub u8, _)",
            "type Result<T, E = Error> = core::result::Result<T, E>",
            "struct Unit",
        ]
        .map(|line| line.replace("static COUNT", "mut static COUNT"))
    );
}

#[test]
fn traits_come_with_their_items_and_implementations_do_not() {
    let text = r#"
        pub unsafe trait Tariff<T>: Send + Sync where T: Clone {
            type Price: Into<u32>;
            const MAX: u32;
            fn fee(&self, minutes: T) -> Self::Price;
            fn day(&self) -> u32 { 0 }
            async fn later(&self);
        }
        trait Private { fn f(); }
        pub struct Flat;
        unsafe impl<T: Clone> Tariff<T> for Flat { type Price = u32; const MAX: u32 = 1; fn fee(&self, minutes: T) -> u32 { 1 } }
        impl<T> From<T> for Flat { fn from(_: T) -> Self { Self } }
        impl dyn Private { pub fn g() {} }
    "#;
    assert_eq!(
        lib(text),
        [
            "struct Flat",
            "unsafe trait Tariff<T> : Send + Sync where T: Clone",
            "constant Tariff::MAX: u32",
            "type Tariff::Price : Into<u32>",
            "provided Tariff::day(&self) -> u32",
            "Tariff::fee(&self, minutes: T) -> Self::Price",
            "async Tariff::later(&self)",
        ]
    );
}

#[test]
fn modules_are_followed_into_their_files() {
    let surface = read(&[
        (
            "src/lib.rs",
            "pub mod fees; mod inner; pub mod deep { pub mod flat; #[path = \"other.rs\"] pub mod renamed; }",
        ),
        ("src/fees.rs", "pub fn fee() {} pub mod day;"),
        ("src/fees/day.rs", "pub fn day() {}"),
        ("src/inner.rs", "pub fn hidden() {}"),
        ("src/deep/flat/mod.rs", "pub fn flat() {} pub mod below;"),
        ("src/deep/flat/below.rs", "pub fn below() {}"),
        ("src/other.rs", "pub fn other() {}"),
        ("src/main.rs", "pub fn main() {}"),
        ("src/unused.rs", "pub fn unused() {}"),
        ("tests/it.rs", "pub fn test() {}"),
        ("examples/it.rs", "pub fn example() {}"),
    ]);
    assert_eq!(surface.unread, []);
    assert_eq!(
        shown(&surface),
        [
            "deep::flat::below::below()",
            "deep::flat::flat()",
            "deep::renamed::other()",
            "fees::day::day()",
            "fees::fee()"
        ]
    );
}

#[test]
fn re_exports_of_the_own_crate_are_its_items() {
    let surface = read(&[
        (
            "src/lib.rs",
            "mod fees; mod kinds; mod all; \
             pub use fees::{fee, Ticket as Slip, day::{self, *}}; pub use crate::kinds::Kind::*; \
             pub use all::prelude; pub(crate) use fees::secret; use fees::gone; \
             pub use serde::{Serialize, de::DeserializeOwned as Owned}; pub extern crate toml as tables;",
        ),
        (
            "src/fees.rs",
            "pub fn fee() {} pub fn secret() {} pub fn gone() {} pub struct Ticket { pub id: u8 } \
             impl Ticket { pub fn pay(&self) {} } pub mod day;",
        ),
        (
            "src/fees/day.rs",
            "pub fn whole() {} pub(super) fn half() {} impl super::Ticket { pub fn late(&self) {} }",
        ),
        ("src/kinds.rs", "pub enum Kind { A, B(u8) }"),
        (
            "src/all.rs",
            "pub mod prelude { pub use crate::fees::*; pub use super::super::kinds::Kind; }",
        ),
    ]);
    assert_eq!(surface.unread, []);
    assert_eq!(
        shown(&surface),
        [
            "variant A",
            "variant B (u8)",
            "re-export Owned of serde::de::DeserializeOwned",
            "re-export Serialize of serde::Serialize",
            "struct Slip {}",
            "field Slip::id: u8",
            "Slip::late(&self)",
            "Slip::pay(&self)",
            "day::whole()",
            "fee()",
            "enum prelude::Kind",
            "variant prelude::Kind::A",
            "variant prelude::Kind::B (u8)",
            "struct prelude::Ticket {}",
            "field prelude::Ticket::id: u8",
            "prelude::Ticket::late(&self)",
            "prelude::Ticket::pay(&self)",
            "prelude::day::whole()",
            "prelude::fee()",
            "prelude::gone()",
            "prelude::secret()",
            "re-export tables of toml",
            "whole()",
        ]
    );
}

#[test]
fn tests_are_no_surface() {
    let text = r#"
        #[cfg(test)] mod tests { pub fn helper() {} }
        #[cfg(all(test, unix))] pub fn on_unix() {}
        #[cfg(test)] pub mod testing;
        #[cfg(any(test, feature = "testing"))] pub fn kept() {}
        #[test] pub fn it_works() {}
        pub fn fee() {}
    "#;
    assert_eq!(lib(text), ["fee()", "#[cfg(any(test, feature = \"testing\"))] kept()"]);
    assert_eq!(lib("#![cfg(test)] pub fn helper() {}"), [""; 0]);
    assert_eq!(lib("#![cfg(any())] pub fn gone() {}"), ["#[cfg(any())] gone()"]);
    let hidden = "#[cfg_attr(all(), cfg(any()))] pub fn gone() {}";
    assert_eq!(lib(hidden), ["#[cfg_attr(all(), cfg(any()))] gone()"]);
    let told = "#[cfg_attr(docsrs, doc(cfg(unix)))] pub fn fee() {}";
    assert_eq!(lib(told), ["fee()"]);
}

#[test]
fn macros_are_known_by_their_patterns_and_what_they_declare_by_name() {
    let text = r#"
        #[macro_export] macro_rules! fee { () => { 1 }; ($a:expr, $($rest:tt)*) => { $a } }
        macro_rules! inner { () => {} }
        mod private { #[macro_export] macro_rules! deep { ($x:ident) => {} } }
        bitflags::bitflags! { pub struct Flags: u8 { const A = 1; } struct Hidden: u8 {} }
        thread_local!(pub static COUNT: u8 = 1);
        lazy_static! { pub static ref TABLE: u8 = 1; }
        inner!();
    "#;
    assert_eq!(
        lib(text),
        [
            "thread_local! static COUNT",
            "bitflags! struct Flags",
            "lazy_static! static TABLE",
            "macro deep! ($x: ident)",
            "macro fee! () ($a: expr, $($rest: tt)*)",
        ]
    );
}

#[test]
fn foreign_functions_and_platforms_are_told_apart() {
    let text = r#"
        unsafe extern "C" { pub safe fn abs(i: i32, ...) -> i32; pub static ERR: i32; fn own(); }
        #[cfg(unix)] pub mod os { pub fn open() {} }
        #[cfg(windows)] pub mod os { pub fn open(flags: u8) {} }
    "#;
    assert_eq!(
        lib(text),
        [
            "unsafe extern \"C\" static ERR: i32",
            "unsafe extern \"C\" safe abs(i: i32, *...) -> i32",
            "#[cfg(unix)] os::open()",
            "#[cfg(windows)] os::open(flags: u8)",
        ]
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let surface = read(&[
        ("src/lib.rs", "pub mod broken; pub mod absent; pub mod odd; pub fn fee() {}"),
        ("src/broken.rs", "pub fn f( {"),
        ("src/odd.rs", "pub fn a() {}\n\nlet x = 3;"),
    ]);
    let unread: Vec<String> = surface.unread.iter().map(ToString::to_string).collect();
    assert_eq!(unread.len(), 3, "{unread:?}");
    let is_named = |text: &str| unread.iter().any(|it| it.contains(text));
    assert!(is_named("src/broken.rs") && is_named("does not exist") && is_named("at line 3"));
    assert_eq!(shown(&surface), ["fee()"]);
    let manifest = read(&[("Cargo.toml", "[package\n"), ("src/lib.rs", "pub fn fee() {}")]);
    assert_eq!(manifest.unread[0].path, "Cargo.toml");
}

#[test]
fn libraries_have_the_names_that_manifests_give_them() {
    let surface = read(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", "[package]\nname = \"one-a\"\n"),
        ("a/src/lib.rs", "pub fn f() {}"),
        (
            "b/Cargo.toml",
            "[package]\nname = \"b\"\n[lib]\nname = \"bee\"\npath = \"code/root.rs\"\n",
        ),
        ("b/code/root.rs", "pub mod m;"),
        ("b/code/m.rs", "pub fn g() {}"),
        ("c/Cargo.toml", "[package]\nname = \"c\"\n"),
        ("c/src/main.rs", "pub fn h() {}"),
    ]);
    assert_eq!(surface.unread, []);
    assert_eq!(shown(&surface), ["bee::m::g()", "one_a::f()"]);
}

#[test]
fn hostile_modules_come_to_an_end() {
    // A file that holds itself, globs in a circle, and names that double with each module.
    read(&[("src/lib.rs", "#[path = \"lib.rs\"] pub mod again; pub fn f() {}")]);
    let circle =
        "pub mod a { pub use super::b::*; } pub mod b { pub use super::a::*; pub use super::*; }";
    assert_eq!(lib(circle), [""; 0]);
    let mut text = "pub mod m0 { pub fn f() {} }".to_owned();
    for nth in 1..40 {
        let below = nth - 1;
        text.push_str(&format!(
            "pub mod m{nth} {{ pub use super::m{below} as x; pub use super::m{below} as y; }}"
        ));
    }
    let surface = read(&[("src/lib.rs", &text)]);
    assert_eq!(surface.unread.len(), 1, "{:?}", surface.unread);
    let deep = format!("pub fn f() -> {}u8 {{}}", "&".repeat(200_000));
    assert_eq!(lib(&deep).len(), 1);
}

/// Everything above, laid out in as many ways as there are seeds.
fn laid_out(text: &str, seed: &[u8]) -> String {
    let mut seed = seed.iter().cycle();
    let mut out = String::new();
    for word in text.split_whitespace() {
        out.push_str(word);
        out.push_str(match seed.next().copied().unwrap_or_default() % 6 {
            0 => "\n",
            1 => " /* pub fn comment() {} */ ",
            2 => " // pub struct Comment;\n",
            3 => "\t\t",
            4 => "\n\n    ",
            _ => " ",
        });
    }
    out
}

const WIDE: &str = "pub fn fee < T : Clone , > ( a : & T , b : Vec < Vec < u8 > > , ) -> Result < u8 , Error , > where T : Copy , { a } \
    pub struct Fee < 'a > { pub cents : & 'a str , pub more : ( u8 , u8 , ) , } pub enum Kind { A ( u8 , ) , B { c : u8 , } , } \
    impl < 'a > Fee < 'a > { pub fn pay ( & mut self , by : Option < & str > , ) { let x = 3 ; } } \
    pub use std :: { fmt , io :: { Read , Write , } , } ; pub mod m { pub const X : [ u8 ; 3 ] = [ 1 , 2 , 3 ] ; }";
const NARROW: &str = "pub fn fee<T: Clone>(a: &T, b: Vec<Vec<u8>>) -> Result<u8, Error> where T: Copy { b }\n\
    /// A fee.\npub struct Fee<'a> { /** Its cents. */ pub cents: &'a str, pub more: (u8, u8) } pub enum Kind { A(u8), B { c: u8 } }\n\
    impl<'a> Fee<'a> { pub fn pay(&mut self, by: Option<&str>) { } } pub mod m { pub const X: [u8; 3] = [0; 3]; }\n\
    pub use std::io::{Write, Read}; pub use std::fmt;";

proptest! {
    #[test]
    fn layout_comments_and_bodies_are_no_surface(seed in prop::collection::vec(any::<u8>(), 1..64)) {
        prop_assert_eq!(lib(&laid_out(WIDE, &seed)), lib(NARROW));
    }
}

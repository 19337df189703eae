//! The boundary for Rust: a crate that stands in for the candidate in the tests, and a program that answers for it.
//!
//! ```text
//! tests ── stand-in (`caller.rs`) ── frames ──▶ program (`server.rs`) ── candidate's library
//! tests ── stand-in (`starter.rs`) ── frames ──▶ program (`runner.rs`) ── candidate's programs
//! ```
//!
//! Both are written from the text of the candidate and need nothing but the standard library. Values whose types are
//! public cross as they are and are compared in the tests; objects with private parts stay with the candidate, and what
//! they say of themselves is their own word.

mod binaries;
mod crossing;
mod judged;
mod mended;
mod traits;
mod writer;

use sealwright_gates::toolchain::rust_api::Api;

pub use judged::{End, Files, RustTests, RustTrial, TestEnd};
use writer::Writer;

/// The two programs for one library.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The library, as other crates write its name; nothing, if there is none.
    pub library: String,
    /// The library that tests get in place of the candidate: `src/lib.rs`.
    pub stand_in: String,
    /// The program that calls the candidate: `src/main.rs`.
    pub program: String,
    /// Public functions and methods that can be called across.
    pub called: Vec<String>,
    /// Those that cannot, each with the reason.
    pub left: Vec<(String, String)>,
    /// Public items of other kinds that the stand-in lacks, each with the reason.
    pub items_left: Vec<(String, String)>,
    /// Types whose equality rests on their own word.
    pub claims: Vec<String>,
    /// Types whose values cross as they are.
    pub crossing: Vec<String>,
    /// Types whose objects stay with the candidate.
    pub staying: Vec<String>,
    /// What the compiler writes for types to show and compare themselves, as `Span: PartialEq`.
    pub derived: Vec<String>,
}

impl Pair {
    pub fn of(api: &Api) -> Self {
        Writer::new(api).written()
    }

    /// For a package that has no library.
    fn without_library() -> Self {
        Self { program: writer::program("", "", ""), ..Self::default() }
    }
}

/// What both programs have.
const WIRE: &str = include_str!("rust/wire.rs");
const CALLER: &str = include_str!("rust/caller.rs");
const SERVER: &str = include_str!("rust/server.rs");
const RUNNER: &str = include_str!("rust/runner.rs");
const STARTER: &str = include_str!("rust/starter.rs");
const SHARED_FILES: &str = include_str!("rust/shared_files.rs");

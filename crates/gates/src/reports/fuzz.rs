//! Whatever is done to a report, no reader falls over it.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::kinds::story::captured;
use crate::reports::audit::Auditor;
use crate::reports::secrets::Scanner;
use crate::reports::{cargo_messages, junit, libtest, libtest_json, pytest_summary, sarif};

/// Every reader over the same bytes.
fn read_all(bytes: &[u8]) {
    let _ = junit::read(bytes);
    let _ = libtest::read("s", bytes);
    let _ = libtest_json::read(bytes);
    let _ = sarif::read(bytes);
    let _ = cargo_messages::read(bytes);
    let _ = pytest_summary::read(bytes);
    Auditor::ALL.into_iter().for_each(|auditor| drop(auditor.read(bytes)));
    Scanner::ALL.into_iter().for_each(|scanner| drop(scanner.read(bytes)));
}

/// A report with some bytes of it changed, taken away or added, and its end cut off.
pub(crate) fn bent(
    mut bytes: Vec<u8>,
    edits: &[(prop::sample::Index, u8, u8)],
    cut: Option<prop::sample::Index>,
) -> Vec<u8> {
    for (at, how, byte) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match how % 3 {
            0 => bytes[at] = *byte,
            1 => bytes.insert(at, *byte),
            _ => drop(bytes.remove(at)),
        }
    }
    if let Some(cut) = cut {
        let at = cut.index(bytes.len().max(1));
        bytes.truncate(at);
    }
    bytes
}

pub(crate) fn edits(most: usize) -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    // Most bytes that mean anything here are these.
    let byte =
        prop_oneof![any::<u8>(), prop::sample::select(b"<>/\"'&!?-[]{}:,0123456789 \n=.".to_vec())];
    vec((any::<prop::sample::Index>(), any::<u8>(), byte), 0..=most)
}

const CAPTURED: [&str; 18] = [
    "libtest-red.out",
    "libtest-json-red.out",
    "nextest-red.out",
    "pytest-red.xml",
    "pytest-red.out",
    "vitest-red.xml",
    "jest-red.xml",
    "node-red.xml",
    "ruff-red.out",
    "cargo-build-red.out",
    "cargo-deny-red.out",
    "cargo-audit-red.out",
    "pip-audit-red.out",
    "npm-audit-red.out",
    "detect-secrets-red.out",
    "npm-audit-error.out",
    "pip-audit-skipped.out",
    "cargo-deny-broken.out",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_reader_falls_over_anything(bytes in vec(any::<u8>(), 0..512), text in "\\PC{0,200}") {
        read_all(&bytes);
        read_all(text.as_bytes());
    }

    #[test]
    fn no_reader_falls_over_a_bent_report(
        which in prop::sample::select(CAPTURED.to_vec()),
        edits in edits(12),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        read_all(&bent(captured(which), &edits, cut));
    }
}

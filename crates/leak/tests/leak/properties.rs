//! Properties of any output.

use std::collections::HashSet;

use proptest::prelude::*;
use sealwright_leak::{Bounds, Budget, Passed, Sealed, filter};

use super::attempts::{ATTEMPTS, Attempt, End};
use super::material::{MODULES, Module, sealed, strange_bytes};

/// Copies of this many lines with this many letters are always detected.
const LINES_MIN: usize = 10;
const LETTERS_MIN: usize = 150;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Ten lines from anywhere, put anywhere, are cut.
    #[test]
    fn ten_lines_are_noticed_in_every_coding(
        module in module(),
        attempt in attempt(),
        begin in any::<prop::sample::Index>(),
        length in LINES_MIN..20,
        above in noise(),
        below in noise(),
    ) {
        let body = module.body();
        let begin = begin.index(body.len() - LINES_MIN);
        let taken: Vec<_> = body.iter().skip(begin).take(length).copied().collect();
        let payload = taken.join("\n") + "\n";
        // Ten lines of braces and attributes reveal nothing.
        prop_assume!(payload.bytes().filter(u8::is_ascii_alphanumeric).count() >= LETTERS_MIN);
        let coded = (attempt.encode)(&payload);
        let output = [above.join("\n").as_bytes(), b"\n", &coded, b"\n", below.join("\n").as_bytes()].concat();
        let filtered = filter(&output, &SEALED, &Bounds::default(), &Budget::default());

        let dress = (attempt.encode)(&"\n".repeat(taken.len()));
        let dress = [above.join("\n"), below.join("\n"), String::from_utf8_lossy(&dress).into_owned()].join("\n");
        // Blanks and braces between two cuts may stay, and in some encodings they take a third of the room.
        let left = strange_bytes(&filtered.text, &dress);
        prop_assert!(
            left * 100 <= coded.len() * 35,
            "{}: {left} of {} bytes are left of\n{payload}\n{}", attempt.name, coded.len(), filtered.text
        );
        let is_withheld = matches!(filtered.passed, Passed::Nothing { .. });
        prop_assert!(!filtered.cut.is_empty() || is_withheld);
    }

    /// Filtered output has no long run of sealed letters, and filtering it again changes nothing.
    #[test]
    fn what_comes_out_is_clean_and_stays_as_it_is(pieces in prop::collection::vec(piece(), 0..8)) {
        let output = pieces.concat();
        let bounds = Bounds::default();
        let once = filter(&output, &SEALED, &bounds, &Budget::default());
        let twice = filter(once.text.as_bytes(), &SEALED, &bounds, &Budget::default());
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.passed, Passed::Whole);
        prop_assert!(twice.cut.is_empty());
        let run = longest_shared_run(&once.text);
        prop_assert!(run.is_none(), "{run:?} is still in\n{}", once.text);
    }

    /// No bytes cause a panic or exceed a bound.
    #[test]
    fn any_bytes_are_bounded(
        output in prop::collection::vec(prop_oneof![any::<u8>(), 32_u8..127, Just(b'\n'), Just(0x1b)], 0..4000),
        output_bytes_max in 0_usize..2000,
        line_bytes_max in 0_usize..400,
    ) {
        let bounds = Bounds { output_bytes_max, line_bytes_max, ..Bounds::default() };
        let filtered = filter(&output, &SEALED, &bounds, &Budget::default());
        prop_assert!(filtered.text.len() <= output_bytes_max, "{} bytes", filtered.text.len());
        prop_assert!(filtered.text.chars().all(|character| !character.is_control() || "\n\t".contains(character)));
        let is_notice = |line: &str| line.starts_with('[');
        let longest = filtered.text.lines().filter(|line| !is_notice(line)).map(str::len).max();
        prop_assert!(longest.unwrap_or_default() <= line_bytes_max, "{longest:?} of {line_bytes_max}");
    }

    /// Any bytes can be sealed.
    #[test]
    fn anything_can_be_sealed(
        files in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..600), 0..4),
        output in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let named = files.iter().enumerate().map(|(nth, content)| (format!("file {nth}"), content));
        let sealed = Sealed::of(named).unwrap().beside(&files[..files.len() / 2]);
        let output: Vec<u8> = files.concat().into_iter().chain(output).collect();
        let filtered = filter(&output, &sealed, &Bounds::default(), &Budget::default());
        prop_assert!(filtered.text.len() <= Bounds::default().output_bytes_max);
    }
}

static SEALED: std::sync::LazyLock<Sealed> = std::sync::LazyLock::new(sealed);

fn module() -> impl Strategy<Value = Module> {
    prop::sample::select(MODULES.to_vec())
}

/// An attempt that is detected.
fn attempt() -> impl Strategy<Value = &'static Attempt> {
    let caught = ATTEMPTS.iter().filter(|attempt| matches!(attempt.end, End::Run(_)));
    // These split a run into lines; the tests of fragments count how many pass.
    let caught =
        caught.filter(|attempt| !["every second line", "lines shuffled"].contains(&attempt.name));
    prop::sample::select(caught.collect::<Vec<_>>())
}

fn noise() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "harbour", "violet", "sixteen", "wander", "copper", "meadow", "signal", "north", "amber",
        "quiet", "basin", "ok", "FAILED", "0x1f", "warning:", "3.1 ms", "-->", "|", "==",
    ]);
    let line = prop::collection::vec(word, 1..9).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 20..60)
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let source = (
        module(),
        any::<prop::sample::Index>(),
        1_usize..12,
        prop::sample::select(ATTEMPTS.iter().collect::<Vec<_>>()),
    );
    let source = source.prop_map(
        |(module, begin, length, attempt): (Module, prop::sample::Index, usize, &Attempt)| {
            let body = module.body();
            let lines: Vec<_> =
                body.iter().skip(begin.index(body.len())).take(length).copied().collect();
            (attempt.encode)(&(lines.join("\n") + "\n"))
        },
    );
    prop_oneof![
        2 => source,
        1 => noise().prop_map(|lines| (lines.join("\n") + "\n").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// A run of letters in both the sealed modules and `text`, found without the filter's code. It is longer than all
/// bounds for one run together, so no exception explains it.
fn longest_shared_run(text: &str) -> Option<String> {
    let letters = |text: &str| -> Vec<u8> {
        text.bytes()
            .filter(u8::is_ascii_alphanumeric)
            .map(|byte| byte.to_ascii_lowercase())
            .collect()
    };
    let bounds = Bounds::default();
    let length = bounds.common_letters_max + bounds.spoken_letters_max + 1;
    let text = letters(text);
    let runs: HashSet<&[u8]> = text.windows(length).collect();
    MODULES.iter().find_map(|module| {
        let source = letters(&module.body().join("\n"));
        let found = source.windows(length).find(|run| runs.contains(run))?;
        Some(String::from_utf8_lossy(found).into_owned())
    })
}

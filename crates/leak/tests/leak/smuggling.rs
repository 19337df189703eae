//! Every attempt ends as the table says, and the documentation has the same table.

use std::path::Path;

use sealwright_leak::{Bounds, Budget, Passed, Why, filter};

use super::attempts::{ATTEMPTS, End};
use super::material::{LEDGER, MODULES, NOISE, hidden, sealed, strange_bytes};

/// Proves in part: F-OPAQUE-001
#[test]
fn every_attempt_ends_as_the_table_says() {
    let sealed = sealed();
    let mut wrong = Vec::new();
    for module in MODULES {
        for attempt in ATTEMPTS {
            let coded = (attempt.encode)(&module.payload());
            let output = hidden(&coded);
            let filtered = filter(&output, &sealed, &Bounds::default(), &Budget::default());
            // The encoder's output for empty lines reveals nothing.
            let dress = (attempt.encode)(&"\n".repeat(module.payload().lines().count()));
            let dress = if dress == coded {
                String::new()
            } else {
                String::from_utf8_lossy(&dress).into_owned()
            };
            let left = strange_bytes(&filtered.text, &dress) * 100 / coded.len();
            let through = |codings: &[_]| {
                filtered.cut.iter().any(|cut| match &cut.why {
                    // Some long lines are readable before decoding.
                    Why::Repeats { through } => {
                        (through == codings || through.is_empty())
                            && cut.file.as_deref() == Some(module.name)
                    }
                    Why::SmallPieces | Why::Unreadable => false,
                })
            };
            let because = |why: Why| filtered.cut.iter().any(|cut| cut.why == why);
            let holds = match attempt.end {
                End::Run(codings) => through(codings) && left <= 15,
                End::Unreadable => because(Why::Unreadable) && left <= 50,
                End::Removed => filtered.cut.is_empty() && left == 0,
                End::Passes(_) => filtered.cut.is_empty() && left >= 50,
            };
            let lost: Vec<_> =
                NOISE.iter().filter(|line| !filtered.text.contains(**line)).collect();
            let spares_the_rest =
                lost.is_empty() || matches!(filtered.passed, Passed::Nothing { .. });
            if !holds || !spares_the_rest {
                wrong.push(format!(
                    "{}, {}: {left}% left, {:?}, lost {lost:?}, cut {:?}",
                    module.name, attempt.name, filtered.passed, filtered.cut
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ATTEMPTS.len() * 2, wrong.join("\n"));
}

#[test]
fn the_documentation_has_the_same_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/leak-filter.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut table = "| what is tried | what comes of it |\n|---|---|\n".to_owned();
    for attempt in ATTEMPTS {
        table += &format!("| {} | {} |\n", attempt.name, attempt.end.text());
    }
    assert!(page.contains(&table), "docs/leak-filter.md should say:\n\n{table}");
}

#[test]
fn a_cut_says_what_happened_and_not_what_it_was() {
    let (above, below) = ("above\n".repeat(10), "below\n".repeat(10));
    let output = format!("{above}{}{below}", LEDGER.payload());
    let filtered = filter(output.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert_eq!(
        filtered.text,
        format!("{above}[13 lines cut: this repeats sealed source]\n{below}")
    );
    assert_eq!(filtered.passed, Passed::InPart);
    let cut: Vec<_> =
        filtered.cut.iter().map(|cut| (cut.first, cut.last, cut.file.as_deref())).collect();
    assert_eq!(cut, [(11, 23, Some("ledger.rs"))]);
}

#[test]
fn an_output_that_is_mostly_sealed_is_withheld_and_points_to_the_contract() {
    let filtered =
        filter(LEDGER.source.as_bytes(), &sealed(), &Bounds::default(), &Budget::default());
    assert!(matches!(filtered.passed, Passed::Nothing { .. }), "{:?}", filtered.passed);
    for surface in ["contract.json", "examples.md", "ship.json", "interface change exception"] {
        assert!(filtered.text.contains(surface), "{}", filtered.text);
    }
    assert_eq!(filtered.text.lines().count(), 1);
}

#[test]
fn what_the_role_can_read_elsewhere_is_no_leak() {
    let source = super::material::VISIBLE[1];
    let sealed_too = sealwright_leak::Sealed::of([("checkout.rs", source)]).unwrap();
    let filter_it =
        |sealed| filter(source.as_bytes(), sealed, &Bounds::default(), &Budget::default()).passed;
    assert_ne!(filter_it(&sealed_too), Passed::Whole);
    assert_eq!(filter_it(&sealed_too.beside([source])), Passed::Whole);
}

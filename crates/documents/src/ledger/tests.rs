use std::collections::BTreeMap;

use super::{Entry, Outcome, ledger};
use crate::scope::{Criterion, Deferred, Scope};

fn scope(criteria: &[(&str, &str)], deferred: &[(Option<&str>, &str, Option<&str>)]) -> Scope {
    let criterion = |(id, text): &(&str, &str)| Criterion {
        id: id.to_string(),
        text: text.to_string(),
        line: 1,
        needs_load: false,
    };
    let later = |(id, name, by): &(Option<&str>, &str, Option<&str>)| Deferred {
        id: id.map(String::from),
        name: name.to_string(),
        by: by.map(String::from),
        line: 1,
    };
    Scope {
        criteria: criteria.iter().map(criterion).collect(),
        deferred: deferred.iter().map(later).collect(),
        ..Scope::default()
    }
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(one, other)| (one.to_string(), other.to_string())).collect()
}

fn outcomes(entries: &[Entry]) -> Vec<(&str, usize, Outcome)> {
    entries.iter().map(|it| (it.item.as_str(), it.since, it.outcome.clone())).collect()
}

#[test]
fn every_item_of_every_version_has_an_outcome() {
    let first = scope(
        &[("AC-1", "lists"), ("AC-2", "prints"), ("AC-3", "mails")],
        &[(None, "CSV export", Some("Ana")), (None, "Dark mode", None)],
    );
    let second = scope(
        &[("AC-1", "lists all"), ("AC-5", "CSV export of the list")],
        &[(Some("AC-2"), "prints", Some("Ben")), (None, "dark mode", None)],
    );
    let evidence = map(&[("AC-1", "sha256:1")]);
    let (entries, findings) = ledger(&[first, second], &evidence, &map(&[("AC-3", "Ana")]));
    assert_eq!(findings, []);
    let text = String::from;
    assert_eq!(
        outcomes(&entries),
        [
            ("AC-1", 1, Outcome::Delivered { evidence: text("sha256:1") }),
            ("AC-2", 1, Outcome::Deferred { by: Some(text("Ben")) }),
            ("AC-3", 1, Outcome::Dropped { by: text("Ana") }),
            ("AC-5", 2, Outcome::Open),
            ("CSV export", 1, Outcome::Open),
            ("Dark mode", 1, Outcome::Deferred { by: None }),
        ]
    );
    assert_eq!(entries[0].text, "lists all");
}

#[test]
fn nothing_vanishes_silently() {
    let first = scope(&[("AC-1", "lists"), ("AC-2", "prints")], &[(None, "Dark mode", None)]);
    let second = scope(&[("AC-1", "lists")], &[]);
    let (entries, findings) =
        ledger(&[first, second], &map(&[("AC-2", " ")]), &map(&[("AC-2", "TBD")]));
    let vanished: Vec<&str> = entries
        .iter()
        .filter(|it| it.outcome == Outcome::Vanished)
        .map(|it| it.item.as_str())
        .collect();
    assert_eq!(vanished, ["AC-2", "Dark mode"]);
    assert_eq!(findings.len(), 2);
    assert!(findings.iter().all(|it| it.condition == "ledger.vanished"));
}

#[test]
fn no_version_has_no_items() {
    assert_eq!(ledger(&[], &map(&[]), &map(&[])), (vec![], vec![]));
}

use proptest::prelude::*;

use super::{ArchitectureImpact, CONDITIONS, SECTIONS, read};
use crate::tests::{Case, PROPOSAL, Subject, mutated, replaced};

fn subject() -> Subject<'static> {
    let sections = SECTIONS.iter().collect();
    Subject { key: "proposal", good: PROPOSAL, sections, read: &|text| read(text).1 }
}

#[test]
fn a_good_proposal_is_read() {
    let (proposal, findings) = read(Some(PROPOSAL));
    assert_eq!(findings, []);
    let changes: Vec<(&str, &str)> =
        proposal.changes.iter().map(|it| (it.id.as_str(), it.text.as_str())).collect();
    assert_eq!(
        changes,
        [
            ("CH-1", "Email reports (from: Deferred)"),
            ("CH-2", "Follow redirects through cookies (from: a bug report)"),
        ]
    );
    assert_eq!(proposal.impact, Some(ArchitectureImpact::Shallow));
    assert!(proposal.summary.starts_with("Editors want"));
}

/// Proves: L-142
#[test]
fn every_part_of_the_proposal_is_needed() {
    subject().needs_every_section();
    subject().keeps_the_bounds();
    let changes = "1. CH-1: Email reports (from: Deferred)\n2. CH-2: Follow redirects through cookies (from: a bug report)";
    let cases: [Case<'_>; 5] = [
        ("proposal.changes.none", changes, "Mail, then redirects.", "## Prioritised Changes"),
        ("proposal.change.id", "2. CH-2: Follow", "2. Follow", "2. Follow"),
        (
            "proposal.change.id",
            "2. CH-2: Follow redirects through cookies (from: a bug report)",
            "2. CH-2: TBD",
            "2. CH-2: TBD",
        ),
        ("proposal.change.duplicate", "2. CH-2: Follow", "2. CH-1: Follow", "2. CH-1"),
        ("proposal.impact", "Shallow: a mailer", "A mailer", "A mailer"),
    ];
    subject().holds_except(&cases, CONDITIONS);
}

#[test]
fn the_architecture_may_stay_or_change_fully() {
    for (text, impact) in
        [("None.", ArchitectureImpact::None), ("**full** — new", ArchitectureImpact::Full)]
    {
        let text = replaced(PROPOSAL, "Shallow: a mailer beside the web page.", text);
        let (proposal, findings) = read(Some(&text));
        assert_eq!((proposal.impact, findings), (Some(impact), vec![]));
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        subject().survives(&text);
    }

    #[test]
    fn a_broken_document_is_survived(text in mutated(PROPOSAL)) {
        subject().survives(&text);
    }
}

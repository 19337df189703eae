//! What the tests of all documents share: one alteration of a good document, and the one condition it breaks.

use std::collections::BTreeSet;

use proptest::prelude::{Strategy, any, prop};

use crate::BYTES_MAX;
use crate::finding::{COMMON, FINDINGS_MAX, Finding};
use crate::gates::Evaluation;
use crate::markdown::Required;

pub(crate) const PREFERENCES: &str = include_str!("../tests/good/preferences.md");
pub(crate) const SCOPE: &str = include_str!("../tests/good/scope.md");
pub(crate) const DESIGN: &str = include_str!("../tests/good/design.md");
pub(crate) const READINESS: &str = include_str!("../tests/good/readiness.md");
pub(crate) const README: &str = include_str!("../tests/good/README.md");
pub(crate) const DELIVERY: &str = include_str!("../tests/good/DELIVERY.md");
pub(crate) const PROPOSAL: &str = include_str!("../tests/good/proposal.md");
pub(crate) const EXAMPLES: &str = include_str!("../tests/good/examples.md");

/// A condition, what is replaced by what in the good document, and a text on the line of the finding (empty for line 1).
pub(crate) type Case<'c> = (&'c str, &'c str, &'c str, &'c str);

/// A condition, with `?` if it cannot be told, and what breaks it.
pub(crate) type Alteration<'c, F> = (&'c str, &'c dyn Fn(&mut F));

/// A good document and its reader.
pub(crate) struct Subject<'s> {
    pub(crate) key: &'s str,
    pub(crate) good: &'s str,
    pub(crate) sections: Vec<&'static Required>,
    pub(crate) read: &'s dyn Fn(Option<&str>) -> Vec<Finding>,
}

impl Subject<'_> {
    /// The good document has no finding, and each alteration breaks exactly its condition.
    pub(crate) fn holds_except(&self, cases: &[Case<'_>], conditions: &[&str]) {
        assert_eq!((self.read)(Some(self.good)), [], "the good document");
        for case in cases {
            self.breaks(case);
        }
        let tested: BTreeSet<&str> = cases.iter().map(|it| it.0).collect();
        let untested: Vec<&&str> = conditions.iter().filter(|it| !tested.contains(*it)).collect();
        assert!(untested.is_empty(), "without a test: {untested:?}");
    }

    pub(crate) fn breaks(&self, (condition, from, to, at): &Case<'_>) {
        let text = replaced(self.good, from, to);
        let found = (self.read)(Some(&text));
        let ids: BTreeSet<&str> = found.iter().map(|it| it.condition.as_ref()).collect();
        assert_eq!(ids, BTreeSet::from([*condition]), "{from:?} to {to:?}: {found:?}");
        assert_eq!(found[0].line, line_of(&text, at), "{from:?} to {to:?}: {found:?}");
        assert!(found.iter().all(|it| !it.what.is_empty() && !it.fix.is_empty()));
    }

    /// Every section is missed when it is cut out, and when it holds only a placeholder.
    pub(crate) fn needs_every_section(&self) {
        for wanted in &self.sections {
            let heading = format!("## {}", wanted.names[0]);
            let section = section(self.good, &heading);
            self.breaks(&(wanted.condition, section, "", ""));
            for body in ["", "TBD\n\n", "- TODO: later\n\n", "<!-- soon -->\n\n", "N/A\n\n"] {
                let empty = format!("{heading}\n\n{body}");
                self.breaks(&(wanted.condition, section, &empty, &heading));
            }
        }
    }

    /// What holds for every document: it exists, is small enough, not too deep, and has each heading once.
    pub(crate) fn keeps_the_bounds(&self) {
        let ids = |text: Option<&str>| -> Vec<String> {
            (self.read)(text).into_iter().map(|it| it.condition.into_owned()).collect()
        };
        let common = COMMON.map(|it| format!("{}.{it}", self.key));
        let [absent, size, nesting, duplicate, more] = &common;
        assert_eq!(ids(None), [absent.as_str()]);
        let full = format!("{}{}", self.good, " ".repeat(BYTES_MAX - self.good.len()));
        assert!(!ids(Some(&full)).contains(size));
        assert_eq!(ids(Some(&format!("{full} "))), [size.as_str()]);
        let deep = format!("{}\n{}x\n", self.good, "> ".repeat(17));
        assert_eq!(ids(Some(&deep)), [nesting.as_str()]);
        let heading = format!("## {}\n\nAgain.\n", self.sections[0].names[0]);
        let twice = format!("{}\n{heading}", self.good);
        let found = (self.read)(Some(&twice));
        assert_eq!(
            (found[0].condition.as_ref(), found.len()),
            (duplicate.as_str(), 1),
            "{found:?}"
        );
        let line = twice.lines().count() - heading.lines().count() + 1;
        assert_eq!(usize::try_from(found[0].line), Ok(line));
        let many = format!("{}\n{}", self.good, heading.repeat(FINDINGS_MAX + 3));
        let found = (self.read)(Some(&many));
        let last = found.last().unwrap();
        assert_eq!((found.len(), &last.condition), (FINDINGS_MAX + 1, &more.clone().into()));
        assert!(last.what.starts_with("3 more"), "{}", last.what);
    }

    /// Whatever the text is, the reader returns a bounded list of findings on lines that exist.
    pub(crate) fn survives(&self, text: &str) {
        let found = (self.read)(Some(text));
        let lines = text.lines().count() + 1;
        assert!(found.len() <= FINDINGS_MAX + 1);
        for it in &found {
            assert!(it.condition.starts_with(self.key), "{it:?}");
            assert!(it.line >= 1 && usize::try_from(it.line).unwrap() <= lines, "{it:?}");
        }
    }
}

/// The text with its one `from` replaced.
pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} must stand there once");
    text.replacen(from, to, 1)
}

/// From the heading to the next one of its level.
pub(crate) fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let start = text.find(&format!("{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let rest = &text[start..];
    &rest[..rest[1..].find("\n## ").map_or(rest.len(), |at| at + 2)]
}

fn line_of(text: &str, at: &str) -> u32 {
    if at.is_empty() {
        return 1;
    }
    let line = text.lines().position(|it| it.contains(at)).unwrap_or_else(|| panic!("no {at:?}"));
    u32::try_from(line + 1).unwrap()
}

/// The conditions that do not hold, each with `?` if it cannot be told.
pub(crate) fn failing(evaluation: &Evaluation) -> Vec<String> {
    assert_eq!(evaluation.passes(), evaluation.failing().next().is_none(), "{evaluation:?}");
    let failed = evaluation.conditions.iter().filter(|it| it.held != Some(true));
    failed.map(|it| format!("{}{}", it.id, if it.held.is_none() { "?" } else { "" })).collect()
}

/// Each alteration of the good facts breaks exactly its condition.
pub(crate) fn each_breaks<F: Clone>(
    good: &F,
    gate: impl Fn(&F) -> Evaluation,
    cases: &[Alteration<'_, F>],
) {
    let evaluation = gate(good);
    assert_eq!(failing(&evaluation), Vec::<String>::new());
    assert!(evaluation.passes());
    let mut tested: BTreeSet<&str> = BTreeSet::new();
    for (condition, alter) in cases {
        let mut facts = good.clone();
        alter(&mut facts);
        assert_eq!(failing(&gate(&facts)), [*condition]);
        tested.insert(condition.trim_end_matches('?'));
    }
    let ids = evaluation.conditions.iter().map(|it| it.id.as_ref());
    let is_own = |it: &&str| !is_document(it) && !it.ends_with(".criteria");
    let untested: Vec<&str> = ids.filter(is_own).filter(|it| !tested.contains(it)).collect();
    assert!(untested.is_empty(), "without a test: {untested:?}");
}

/// Conditions of documents are tested with their documents, and those of an empty list of criteria below.
fn is_document(id: &str) -> bool {
    id.starts_with("readme.") || id.starts_with("delivery.")
}

pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// A good document with lines deleted, doubled, moved and joined with pieces of Markdown.
pub(crate) fn mutated(good: &'static str) -> impl Strategy<Value = String> {
    let steps = prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>()), 1..12);
    steps.prop_map(move |steps| {
        let mut lines: Vec<String> = good.lines().map(String::from).collect();
        for (kind, one, other) in steps {
            if lines.is_empty() {
                break;
            }
            let (one, other) = (usize::from(one) % lines.len(), usize::from(other) % lines.len());
            match kind % 5 {
                0 => drop(lines.remove(one)),
                1 => lines.insert(other, lines[one].clone()),
                2 => lines.swap(one, other),
                3 => lines[one].insert_str(0, PIECES[other % PIECES.len()]),
                _ => lines[one].push_str(PIECES[other % PIECES.len()]),
            }
        }
        lines.join("\n")
    })
}

const PIECES: [&str; 16] = [
    "## ",
    "### ",
    "- ",
    "  - ",
    "> ",
    "```",
    "| ",
    "<!--",
    "-->",
    "AC-1: ",
    "resolved: ",
    "é名",
    "\t",
    "../",
    "\u{0}",
    "---",
];

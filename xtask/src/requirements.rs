//! Requirements and their proofs: the ledgers in `docs/requirements`, and the tags in tests.
//!
//! The doc comment of a test says `Proves: ID, ID` or `Proves in part: ID`. A tag without a requirement is an error, so
//! a typo proves nothing.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use crate::workspace::{files, root, say, shown};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List the open requirements of one area too, such as `F-RECOV` or `P`.
    #[arg(long)]
    area: Option<String>,
}

#[derive(Clone, Debug)]
struct Requirement {
    text: String,
    is_must: bool,
    /// Tests that prove all of it, and tests that prove a part.
    whole: Vec<String>,
    part: Vec<String>,
}

enum Proof<'r> {
    Open,
    Part(&'r [String]),
    Whole(&'r [String]),
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let ledger = ledger()?;
    let planned = planned()?;
    let mut areas: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (id, requirement) in &ledger {
        let counts = areas.entry(area(id)).or_default();
        counts[3] += 1;
        match requirement.proof() {
            Proof::Whole(_) => counts[0] += 1,
            Proof::Part(_) => counts[1] += 1,
            Proof::Open => counts[2] += 1,
        }
    }
    say(&format!("{:<12} {:>7} {:>8} {:>6} {:>6}", "area", "proven", "in part", "open", "all"));
    let mut sums = [0; 4];
    for (area, counts) in &areas {
        let [proven, part, open, all] = counts;
        say(&format!("{area:<12} {proven:>7} {part:>8} {open:>6} {all:>6}"));
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    for (id, requirement) in &ledger {
        let is_listed = args.area.as_deref() == Some(area(id));
        let priority = if requirement.is_must { "must" } else { "should" };
        let text: String = requirement.text.chars().take(90).collect();
        let closes = || planned.get(id).map(|by| format!(" [{by}]")).unwrap_or_default();
        match requirement.proof() {
            Proof::Whole(by) => say(&format!("proven   {id}: {}", by.join(", "))),
            Proof::Part(by) => say(&format!("in part  {id}: {}{}", by.join(", "), closes())),
            Proof::Open if is_listed || planned.contains_key(id) => {
                say(&format!("open     {id} ({priority}): {text}{}", closes()));
            }
            Proof::Open => {}
        }
    }
    let [proven, part, open, all] = sums;
    say(&format!("requirements: {proven} proven, {part} in part, {open} open, {all} in all"));
    Ok(())
}

/// The plan for each open requirement.
fn planned() -> Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(root().join(PLANNED))?;
    let mut planned = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (id, capability) = line.split_once('\t').context("not two columns")?;
        ensure!(planned.insert(id.to_owned(), capability.to_owned()).is_none(), "{id} twice");
    }
    Ok(planned)
}

fn ledger() -> Result<BTreeMap<String, Requirement>> {
    let mut ledger = BTreeMap::new();
    let ledgers = files(&root().join("docs/requirements"), "tsv")?;
    for path in ledgers.into_iter().filter(|path| !path.ends_with(PLANNED)) {
        let text = std::fs::read_to_string(&path)?;
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [id, _, text, _, _, priority] = columns[..] else {
                anyhow::bail!("{}: not six columns: {line}", shown(&path));
            };
            let is_must = priority == "must";
            let (text, whole, part) = (text.to_owned(), vec![], vec![]);
            let requirement = Requirement { text, is_must, whole, part };
            let earlier = ledger.insert(id.to_owned(), requirement);
            ensure!(earlier.is_none(), "{id} is in the ledgers twice");
        }
    }
    for path in files(&root(), "rs")? {
        let source = std::fs::read_to_string(&path)?;
        for Tag { id, is_whole, test } in tags(&source) {
            let by = format!("{}::{test}", shown(&path));
            let requirement = ledger
                .get_mut(&id)
                .with_context(|| format!("{by} claims to prove {id}, which is in no ledger"))?;
            let proofs = if is_whole { &mut requirement.whole } else { &mut requirement.part };
            proofs.push(by);
        }
    }
    Ok(ledger)
}

impl Requirement {
    fn proof(&self) -> Proof<'_> {
        match (&self.whole[..], &self.part[..]) {
            ([], []) => Proof::Open,
            ([], part) => Proof::Part(part),
            (whole, _) => Proof::Whole(whole),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Tag {
    id: String,
    is_whole: bool,
    test: String,
}

/// The tags of a source file. Only the doc comment of a test counts.
fn tags(source: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut waiting: Vec<(String, bool)> = Vec::new();
    let (mut is_test, mut is_ignored) = (false, false);
    for line in source.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            let comment = comment.trim();
            let (ids, is_whole) = match comment.strip_prefix("Proves: ") {
                Some(ids) => (ids, true),
                None => (comment.strip_prefix("Proves in part: ").unwrap_or_default(), false),
            };
            let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty());
            waiting.extend(ids.map(|id| (id.trim_end_matches('.').to_owned(), is_whole)));
        } else if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            is_ignored |= line.starts_with("#[ignore");
        } else if let Some(name) = test_name(line) {
            if is_test && !is_ignored {
                let tag = |(id, is_whole)| Tag { id, is_whole, test: name.to_owned() };
                tags.extend(waiting.drain(..).map(tag));
            }
            waiting.clear();
            (is_test, is_ignored) = (false, false);
        } else if !line.is_empty() {
            waiting.clear();
            (is_test, is_ignored) = (false, false);
        }
    }
    tags
}

fn test_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split('(').next()
}

fn area(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(area, _)| area)
}

/// Open requirements, each with the capability that will close it.
const PLANNED: &str = "docs/requirements/open.tsv";

/// Areas in which every `must` is proven or planned.
#[cfg(test)]
const SETTLED: [&str; 3] = ["P", "B", "A"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_must_of_a_settled_area_is_proven_or_planned() {
        let (ledger, planned) = (ledger().unwrap(), planned().unwrap());
        for (id, requirement) in &ledger {
            let is_due = requirement.is_must && SETTLED.contains(&area(id));
            let is_proven = matches!(requirement.proof(), Proof::Whole(_));
            assert!(!is_due || is_proven || planned.contains_key(id), "{id} is open");
            assert!(!(is_proven && planned.contains_key(id)), "{id} is proven; strike it out");
        }
        assert!(planned.keys().all(|id| ledger.contains_key(id)));
    }

    #[test]
    fn every_tag_names_a_requirement() {
        assert_eq!(ledger().unwrap().len(), 851);
    }

    #[test]
    fn only_a_comment_on_a_test_counts() {
        let source = "/// Proves: A-001, B-002.\n/// Proves in part: C-003\n#[tokio::test]\n\
                      async fn claim() {\n}\n/// Proves: D-004\nfn helper() {}\n\
                      /// Proves: E-005\nconst X: u8 = 1;\n#[test]\nfn other() {}\n\
                      /// Proves: F-006\n#[test]\n#[ignore = \"slow\"]\nfn idle() {}\n\
                      /// Proves: G-007\n#[cfg(test)]\nfn helper() {}\n";
        let tag =
            |id: &str, is_whole| Tag { id: id.to_owned(), is_whole, test: "claim".to_owned() };
        assert_eq!(tags(source), [tag("A-001", true), tag("B-002", true), tag("C-003", false)]);
    }
}

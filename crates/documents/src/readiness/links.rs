//! What ties a criterion to its design, its test and its runtime proof, from a list or a table.

use std::collections::{BTreeMap, BTreeSet};

use super::Link;
use crate::finding::Findings;
use crate::ids;
use crate::markdown::{Part, Shape};
use crate::text::{has_word, is_placeholder, listed, says_none, words};

/// A section with links: the ids of its findings and the fields each link must have.
pub(super) struct Form {
    name: &'static str,
    missing: &'static str,
    unknown: &'static str,
    duplicate: &'static str,
    fields: &'static [(Field, &'static str)],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Criterion,
    Design,
    Test,
    Proof,
}

pub(super) fn read(
    part: &Part<'_>,
    form: &Form,
    criteria: &[String],
    findings: &mut Findings,
) -> Vec<Link> {
    let links = of_part(part);
    let known: BTreeSet<&str> = criteria.iter().map(String::as_str).collect();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for link in &links {
        let id = link.criterion.as_str();
        if !known.contains(id) {
            let what = format!("{} names {id}, which is no criterion of scope.md", form.name);
            findings.add(form.unknown, link.line, what, "use the ids of scope.md");
        } else if let Some(first) = seen.insert(id, link.line) {
            let what = format!("{} has {id} twice, first on line {first}", form.name);
            findings.add(form.duplicate, link.line, what, "merge the two");
        } else {
            fields(link, form, findings);
        }
    }
    let missing: Vec<&str> = known.into_iter().filter(|it| !seen.contains_key(it)).collect();
    if !missing.is_empty() {
        let what = format!("{} leaves out {}", form.name, listed(missing));
        let fix = "add a line for each: `- AC-1: design …; test …; proof …`";
        findings.add(form.missing, part.line, what, fix);
    }
    links
}

fn fields(link: &Link, form: &Form, findings: &mut Findings) {
    for (field, condition) in form.fields {
        let text = link.field(*field);
        if is_placeholder(text) || says_none(text) {
            let name = field.name();
            let what = format!("{} plans no {name} for {}", form.name, link.criterion);
            let fix = format!("name the {name}: `{name} …`");
            findings.add(*condition, link.line, what, fix);
        }
    }
}

fn of_part(part: &Part<'_>) -> Vec<Link> {
    let mut links = Vec::new();
    let mut columns: Vec<Option<Field>> = Vec::new();
    for block in part.blocks {
        match &block.shape {
            Shape::HeaderRow { cells } => columns = cells.iter().map(|it| Field::of(it)).collect(),
            Shape::Row { cells } => links.extend(of_row(cells, &columns, block.line)),
            Shape::Item { depth: 0 } => {
                let Some((id, rest)) = ids::criterion(&block.text) else { continue };
                let mut link = Link::new(id, block.line);
                rest.split(';').for_each(|it| link.take(it));
                links.push(link);
            }
            // The fields of an item may be nested items.
            Shape::Item { .. } => {
                if let Some(link) = links.last_mut() {
                    block.text.split(';').for_each(|it| link.take(it));
                }
            }
            _ => {}
        }
    }
    links
}

fn of_row(cells: &[String], columns: &[Option<Field>], line: u32) -> Option<Link> {
    let cell =
        |field| columns.iter().position(|it| *it == Some(field)).and_then(|at| cells.get(at));
    let (id, _) = ids::criterion(cell(Field::Criterion).or_else(|| cells.first())?)?;
    let text = |field| cell(field).map(|it| it.trim().to_string()).unwrap_or_default();
    Some(Link {
        criterion: id.to_string(),
        design: text(Field::Design),
        test: text(Field::Test),
        proof: text(Field::Proof),
        line,
    })
}

impl Link {
    fn new(id: &str, line: u32) -> Self {
        Self { criterion: id.to_string(), line, ..Self::default() }
    }

    /// Takes `test tests/a.rs` or `test: tests/a.rs`.
    fn take(&mut self, text: &str) {
        let text = text.trim();
        let end = text.find(|it: char| !it.is_alphabetic()).unwrap_or(text.len());
        let (name, value) = text.split_at(end);
        let value = value.trim_start_matches(|it: char| it.is_whitespace() || ":=—".contains(it));
        let field = match Field::of(name) {
            Some(Field::Design) => &mut self.design,
            Some(Field::Test) => &mut self.test,
            Some(Field::Proof) => &mut self.proof,
            Some(Field::Criterion) | None => return,
        };
        if field.is_empty() {
            *field = value.to_string();
        }
    }

    fn field(&self, field: Field) -> &str {
        match field {
            Field::Criterion => &self.criterion,
            Field::Design => &self.design,
            Field::Test => &self.test,
            Field::Proof => &self.proof,
        }
    }
}

impl Field {
    fn of(text: &str) -> Option<Self> {
        let has = |wanted: &[&str]| has_word(text, wanted);
        if has(&["proof"]) {
            Some(Self::Proof)
        } else if has(&["test", "tests"]) {
            Some(Self::Test)
        } else if has(&["design"]) {
            Some(Self::Design)
        } else {
            words(text)
                .any(|it| ["ac", "criterion", "id"].contains(&it.as_str()))
                .then_some(Self::Criterion)
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::Design => "design",
            Self::Test => "test",
            Self::Proof => "proof",
        }
    }
}

pub(super) const KEY_LINKS: Form = Form {
    name: "Key Links",
    missing: "readiness.link.missing",
    unknown: "readiness.link.unknown",
    duplicate: "readiness.link.duplicate",
    fields: &[
        (Field::Design, "readiness.link.design"),
        (Field::Test, "readiness.link.test"),
        (Field::Proof, "readiness.link.proof"),
    ],
};

pub(super) const COVERAGE: Form = Form {
    name: "Acceptance Criteria Coverage",
    missing: "readiness.coverage.missing",
    unknown: "readiness.coverage.unknown",
    duplicate: "readiness.coverage.duplicate",
    fields: &[(Field::Test, "readiness.coverage.test"), (Field::Proof, "readiness.coverage.proof")],
};

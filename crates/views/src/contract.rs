//! The contract that a person is asked to approve, with all its parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealwright_kernel::task::{Bundle, Part, PartKind, TaskData};
use serde::Deserialize;

use crate::built_in_checks;
use crate::markdown::one_line;
use crate::view_source::Outputs;

/// A part of the contract. The text is unescaped and may have several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractSection {
    pub title: String,
    pub text: String,
}

/// The contract of the current draft, the least certain part first; nothing before there is one. `command` is the
/// command of a check of the project, where the configuration is known.
pub fn contract(
    data: &TaskData,
    outputs: Outputs<'_>,
    command: &dyn Fn(&str) -> Option<String>,
) -> Vec<ContractSection> {
    let Some(bundle) = &data.bundle else { return vec![] };
    let frame = &bundle.frame;
    let mut sections = Vec::new();
    let mut add = |title: &str, text: String| {
        if !text.trim().is_empty() {
            let title = title.to_owned();
            sections.push(ContractSection { title, text: text.trim_end().to_owned() });
        }
    };
    add("objective", one_line(&frame.objective));
    add("done when", list(&frame.done_gate));
    if bundle.keeps_behaviour {
        add("behaviour", "nothing observable changes: the tests pass before and after".to_owned());
    }
    add("out of scope", list(&frame.not_doing));
    for part in bundle.by_confidence() {
        let (name, text, more) = part_text(part, outputs);
        add(&format!("{name}, {} % sure", part.confidence), text);
        more.into_iter().for_each(|(title, text)| add(title, text));
    }
    add("planned changes", plan(bundle));
    add("checks that will run", checks(data, command));
    add("the draft says that it is verified by", list(&frame.validation));
    sections
}

/// A contract is stored together with what it allows.
#[derive(Deserialize)]
struct Stored {
    contract: String,
    #[serde(default)]
    declared: BTreeMap<String, String>,
    #[serde(default)]
    items: Vec<String>,
    #[serde(default)]
    skips: Vec<String>,
}

type More = Vec<(&'static str, String)>;

fn part_text(part: &Part, outputs: Outputs<'_>) -> (&'static str, String, More) {
    let name = match part.kind {
        PartKind::Spec => "specification",
        PartKind::Scenarios => "scenarios",
        PartKind::Contract => "contract",
    };
    let mut text = String::new();
    for flag in &part.flags {
        let _ = writeln!(text, "! {}", one_line(flag));
    }
    let Some(stored) = outputs(&part.content) else {
        let _ = writeln!(text, "not in this clone: blob {}", part.content);
        return (name, text, vec![]);
    };
    let contract =
        (part.kind == PartKind::Contract).then(|| serde_json::from_str::<Stored>(&stored));
    let Some(Ok(contract)) = contract else {
        text.push_str(cut(&stored));
        return (name, text, vec![]);
    };
    text.push_str(cut(&contract.contract));
    let declared: Vec<String> =
        contract.declared.iter().map(|(path, why)| format!("{path}: {why}")).collect();
    let more = vec![
        ("public items that may change", list(&contract.items)),
        ("guarded files that may change", list(&declared)),
        ("tests that may be skipped", list(&contract.skips)),
    ];
    (name, text, more)
}

fn plan(bundle: &Bundle) -> String {
    let mut text = String::new();
    for planned in &bundle.plan {
        let places: Vec<&str> = planned.places().iter().map(String::as_str).collect();
        let _ = writeln!(
            text,
            "· {} (in {})",
            one_line(&planned.sentence),
            one_line(&places.join(", "))
        );
        for criterion in &planned.criteria {
            let _ = writeln!(text, "  criterion: {}", one_line(criterion));
        }
        for constraint in &planned.constraints {
            let _ = writeln!(text, "  constraint: {}", one_line(constraint));
        }
    }
    text
}

/// What the engine runs before it believes anything, in order.
fn checks(data: &TaskData, command: &dyn Fn(&str) -> Option<String>) -> String {
    let mut lines = vec![format!("tripwire: {}", built_in_checks::TRIPWIRE)];
    for name in &data.charter.checks {
        let what = match (built_in_checks::describe(name), command(name)) {
            (_, Some(command)) => format!("{name}: {command}"),
            (Some(what), None) => format!("{name}: {what}"),
            (None, None) => format!("{name}: a check of sealwright.toml"),
        };
        lines.push(what);
    }
    let duties = data.charter.header.lane(data.charter.lane).duties();
    let roles = duties.readers.iter().chain(duties.judges);
    lines.extend(roles.map(|role| format!("{}: an agent judges the change", role.name())));
    list(&lines)
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("· {}\n", one_line(line))).collect()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(PART_BYTES_MAX)]
}

const PART_BYTES_MAX: usize = 64 << 10;

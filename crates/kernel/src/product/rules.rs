//! The rules of a spec that is read: what keeps it from being approved, and what a person should look at.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::Report;
use super::spec::{Epic, Pillar, ProductSpec, Story, Task};
use crate::order::in_order;
use crate::project::DEPENDENCIES_MAX;
use crate::task::CRITERIA_MAX;

pub(super) fn check(spec: &ProductSpec, report: &mut Report) {
    let mut ids = Ids::default();
    ids.add(("", "spec_id", "SPEC"), &spec.spec_id, report);
    if !is_version(&spec.spec_version) {
        let why = format!("`{}` is not a version such as 1.0.0", shown(&spec.spec_version));
        report.error("", "spec_version", why);
    }
    for (field, time) in [("created_at", &spec.created_at), ("updated_at", &spec.updated_at)] {
        if !is_time(time) {
            let why = format!("`{}` is not a time such as 2026-01-31T12:00:00Z", shown(time));
            report.error("", field, why);
        }
    }
    described("", &spec.description, report);
    if spec.title.len() > TITLE_BYTES_MAX {
        let why = format!("{} bytes, more than {TITLE_BYTES_MAX}", spec.title.len());
        report.error("", "title", why);
    }
    at_least(1, spec.pillars.len(), ("", "pillars", "pillar"), report);
    for (nth, it) in spec.pillars.iter().enumerate() {
        pillar(it, &format!("pillars[{nth}]"), &mut ids, report);
    }
    ids.dependencies(report);
}

fn pillar(it: &Pillar, path: &str, ids: &mut Ids, report: &mut Report) {
    ids.add((path, "pillar_id", "PIL"), &it.pillar_id, report);
    described(path, &it.description, report);
    at_least(1, it.epics.len(), (path, "epics", "epic"), report);
    for (nth, it) in it.epics.iter().enumerate() {
        epic(it, &format!("{path}.epics[{nth}]"), ids, report);
    }
}

fn epic(it: &Epic, path: &str, ids: &mut Ids, report: &mut Report) {
    ids.add((path, "epic_id", "EPC"), &it.epic_id, report);
    described(path, &it.description, report);
    let criteria = (path, "success_criteria", "success criterion");
    at_least(1, it.success_criteria.len(), criteria, report);
    at_least(1, it.stories.len(), (path, "stories", "story"), report);
    for (nth, it) in it.stories.iter().enumerate() {
        story(it, &format!("{path}.stories[{nth}]"), ids, report);
    }
}

fn story(it: &Story, path: &str, ids: &mut Ids, report: &mut Report) {
    ids.add((path, "story_id", "STR"), &it.story_id, report);
    described(path, &it.description, report);
    at_least(1, it.tasks.len(), (path, "tasks", "task"), report);
    if it.tasks.len() > TASKS_MAX {
        let why = format!("{} tasks, more than {TASKS_MAX} in one story", it.tasks.len());
        report.error(path, "tasks", why);
    }
    for (nth, it) in it.tasks.iter().enumerate() {
        task(it, &format!("{path}.tasks[{nth}]"), ids, report);
    }
}

fn task(it: &Task, path: &str, ids: &mut Ids, report: &mut Report) {
    ids.add((path, "task_id", "TSK"), &it.task_id, report);
    ids.tasks.push((path.to_string(), it.task_id.clone(), it.depends_on.clone()));
    described(path, &it.description, report);
    at_least(2, it.subtasks.len(), (path, "subtasks", "subtask"), report);
    let criteria = (path, "acceptance_criteria", "acceptance criterion");
    at_least(2, it.acceptance_criteria.len(), criteria, report);
    if it.depends_on.len() > DEPENDENCIES_MAX {
        let why = format!("{} dependencies, more than {DEPENDENCIES_MAX}", it.depends_on.len());
        report.error(path, "depends_on", why);
    }
    if it.subtasks.len() > SUBTASKS_MAX {
        let why = format!("{} subtasks, more than {SUBTASKS_MAX}", it.subtasks.len());
        return report.error(path, "subtasks", why);
    }
    let texts =
        it.subtasks.iter().chain(&it.acceptance_criteria).chain([&it.name, &it.description]);
    let sketched = it.io_contract_sketch.dimensions().map(|(_, text)| text.len());
    let bytes = texts.map(String::len).chain(sketched).sum::<usize>();
    if bytes > TEXT_BYTES_MAX {
        let why = format!("{bytes} bytes of text, more than {TEXT_BYTES_MAX}");
        report.error(path, "", why);
    }
    if it.acceptance_criteria.len() > CRITERIA_MAX {
        let why = format!("{} criteria, more than {CRITERIA_MAX}", it.acceptance_criteria.len());
        report.error(path, "acceptance_criteria", why);
    }
    let sketch = format!("{path}.io_contract_sketch");
    for (name, text) in it.io_contract_sketch.dimensions() {
        if is_placeholder(text) {
            let why = format!(
                "`{}` says nothing; say what holds, such as \"pure: no side effects\"",
                shown(text)
            );
            report.error(&sketch, name, why);
        }
    }
    for (nth, text) in it.acceptance_criteria.iter().enumerate() {
        if !words(text).any(|word| VERBS.contains(&word.as_str())) {
            let why = format!("no observable behaviour: none of {}, …", VERBS[..7].join(", "));
            report.warn(path, &format!("acceptance_criteria[{nth}]"), why);
        }
    }
    let sets: Vec<BTreeSet<String>> = it.subtasks.iter().map(|it| words(it).collect()).collect();
    for (nth, own) in sets.iter().enumerate() {
        if let Some(other) = sets[..nth].iter().position(|it| are_alike(it, own)) {
            let why = format!("nearly the same as subtasks[{other}]");
            report.warn(path, &format!("subtasks[{nth}]"), why);
        }
    }
    if is_generic(&it.io_contract_sketch.error_surfaces) {
        let why = "no error is named; say which condition leads to which error".to_string();
        report.warn(&sketch, "error_surfaces", why);
    }
}

/// Ids that were seen, and what tasks depend on.
#[derive(Default)]
struct Ids {
    seen: BTreeMap<String, String>,
    /// Where, which, on what.
    tasks: Vec<(String, String, Vec<String>)>,
}

impl Ids {
    fn add(&mut self, (path, field, prefix): (&str, &str, &str), id: &str, report: &mut Report) {
        let digits = id.strip_prefix(prefix).and_then(|it| it.strip_prefix('-'));
        let is_id = |it: &str| it.len() >= 3 && it.bytes().all(|it| it.is_ascii_digit());
        if !digits.is_some_and(is_id) {
            let why = format!("`{}` is not an id such as {prefix}-001", shown(id));
            report.error(path, field, why);
        }
        if let Some(other) = self.seen.insert(id.to_string(), path.to_string()) {
            report.error(path, field, format!("`{}` is used at {other} already", shown(id)));
        }
    }

    fn dependencies(&self, report: &mut Report) {
        let known: BTreeMap<&str, &[String]> =
            self.tasks.iter().map(|(_, id, on)| (id.as_str(), on.as_slice())).collect();
        for (path, _, depends_on) in &self.tasks {
            for (nth, on) in depends_on.iter().enumerate() {
                if !known.contains_key(on.as_str()) {
                    let why = format!("there is no task `{}`", shown(on));
                    report.error(path, &format!("depends_on[{nth}]"), why);
                }
            }
        }
        let depends_on =
            known.iter().map(|(id, on)| (*id, on.iter().map(String::as_str).collect()));
        let depends_on = depends_on.collect();
        let Err(round) = in_order(&depends_on) else { return };
        let is_round = |id: &String| round.contains(&id.as_str());
        if let Some((path, id, _)) = self.tasks.iter().find(|(_, id, _)| is_round(id)) {
            let others: Vec<&str> = round.iter().copied().take(SHOWN_TASKS).collect();
            let why = format!("{id} depends on itself: {}", others.join(", "));
            report.error(path, "depends_on", why);
        }
    }
}

fn at_least(
    least: usize,
    count: usize,
    (path, field, what): (&str, &str, &str),
    report: &mut Report,
) {
    if count < least {
        report.error(path, field, format!("at least {least} {what} is needed, there is {count}"));
    }
}

fn described(path: &str, text: &str, report: &mut Report) {
    if text.trim().chars().count() < DESCRIPTION_MIN {
        let why = format!("shorter than {DESCRIPTION_MIN} characters");
        report.warn(path, "description", why);
    }
    if text.len() > DESCRIPTION_BYTES_MAX {
        let why = format!("{} bytes, more than {DESCRIPTION_BYTES_MAX}", text.len());
        report.error(path, "description", why);
    }
}

/// Whether a text stands where something should be said.
pub fn is_placeholder(text: &str) -> bool {
    let all: Vec<String> = words(text).collect();
    let whole = all.join(" ");
    let marked = |word: &str| matches!(word, "TBD" | "TODO");
    let has_mark = text.split(|it: char| !it.is_ascii_alphanumeric()).any(marked);
    has_mark || PLACEHOLDERS.contains(&whole.as_str())
        // "none" needs a reason beside it.
        || (all.first().is_some_and(|it| it == "none") && all.len() < 4)
}

fn is_generic(text: &str) -> bool {
    let whole = words(text).collect::<Vec<_>>().join(" ");
    GENERIC.iter().any(|it| whole == *it)
}

fn are_alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let both = one.intersection(other).count();
    let all = one.union(other).count();
    all > 0 && both * 10 >= all * 8
}

/// The words of a text, in small letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_lowercase)
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_number = |it: &&str| {
        let is_plain = !it.is_empty() && it.len() < 10 && it.bytes().all(|it| it.is_ascii_digit());
        is_plain && (*it == "0" || !it.starts_with('0'))
    };
    parts.len() == 3 && parts.iter().all(is_number)
}

/// `2026-01-31T12:00:00Z`, with a fraction or an offset too.
fn is_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't']) else { return false };
    let number = |it: &str, least: u32, most: u32| {
        let is_plain = it.len() == 2 && it.bytes().all(|it| it.is_ascii_digit());
        is_plain && it.parse().is_ok_and(|it: u32| (least..=most).contains(&it))
    };
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let is_year = |it: &str| it.len() == 4 && it.bytes().all(|it| it.is_ascii_digit());
    let is_date = parts.next().is_none()
        && year.is_some_and(is_year)
        && month.is_some_and(|it| number(it, 1, 12))
        && day.is_some_and(|it| number(it, 1, 31));
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => rest.split_at(at),
        None => return false,
    };
    let is_offset = matches!(offset, "Z" | "z")
        || offset[1..]
            .split_once(':')
            .is_some_and(|(hour, minute)| number(hour, 0, 23) && number(minute, 0, 59));
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|it| it.is_ascii_digit());
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next(), parts.next(), parts.next());
    let is_clock = parts.next().is_none()
        && hour.is_some_and(|it| number(it, 0, 23))
        && minute.is_some_and(|it| number(it, 0, 59))
        && second.is_some_and(|it| number(it, 0, 60));
    is_date && is_clock && is_fraction && is_offset
}

/// A text of the spec, for a message.
fn shown(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).take(SHOWN_MAX).collect()
}

const DESCRIPTION_MIN: usize = 20;
/// As many as three digits count.
pub(super) const DESCRIPTION_BYTES_MAX: usize = 16 << 10;
const TITLE_BYTES_MAX: usize = 1 << 10;
const SUBTASKS_MAX: usize = 100;
/// The most text of one task.
const TEXT_BYTES_MAX: usize = 64 << 10;
const TASKS_MAX: usize = 999;
const SHOWN_MAX: usize = 80;
const SHOWN_TASKS: usize = 10;
const PLACEHOLDERS: [&str; 9] =
    ["tbd", "todo", "n a", "na", "none", "not applicable", "tba", "xxx", ""];
const GENERIC: [&str; 8] = [
    "errors may occur",
    "an error may occur",
    "errors can occur",
    "may fail",
    "can fail",
    "errors",
    "various errors",
    "returns an error on failure",
];
/// Verbs of what can be seen from outside.
const VERBS: [&str; 44] = [
    "returns",
    "displays",
    "raises",
    "writes",
    "emits",
    "rejects",
    "validates",
    "return",
    "display",
    "raise",
    "write",
    "emit",
    "reject",
    "validate",
    "shows",
    "show",
    "prints",
    "print",
    "creates",
    "create",
    "deletes",
    "delete",
    "stores",
    "store",
    "sends",
    "send",
    "responds",
    "respond",
    "fails",
    "fail",
    "exits",
    "exit",
    "accepts",
    "accept",
    "refuses",
    "refuse",
    "lists",
    "list",
    "contains",
    "contain",
    "equals",
    "equal",
    "logs",
    "log",
];

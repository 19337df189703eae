//! Compares `docs/configuration.md` with the parser, in both directions.
//!
//! Keys and variants are read from the parser's own messages about unknown ones. Bounds are tested at both edges and
//! beyond. A documented default must parse to the same configuration as leaving the key out.

use std::collections::BTreeSet;

use sealwright_gates::kinds::{self, Setting};
use sealwright_kernel::Role;

use super::*;

/// A row of a table in the page.
#[derive(Debug)]
struct Row {
    key: String,
    value: String,
    default: Option<String>,
}

const PAGE: &str = include_str!("../../../docs/configuration.md");

/// The tables with keys of their own, and a header for each.
const OPENED: [(&str, &str); 7] = [
    ("project", "[project]"),
    ("checks", "[checks.a]"),
    ("agents", "[agents.a]"),
    ("prices", "[prices.\"m\"]"),
    ("sandbox", "[sandbox]"),
    ("budget", "[budget]"),
    ("limits", "[limits]"),
];

#[test]
fn every_table_has_its_section_and_every_section_its_table() {
    let sections: BTreeSet<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("## `["))
        .map(|rest| rest.split(['.', ']']).next().unwrap())
        .collect();
    assert_eq!(sections, TABLES.into_iter().collect());
    let opened: BTreeSet<&str> = OPENED.into_iter().map(|(table, _)| table).collect();
    let keyed: BTreeSet<&str> = TABLES.into_iter().filter(|table| *table != "roles").collect();
    assert_eq!(opened, keyed);
}

#[test]
fn every_key_is_documented_and_every_documented_key_is_taken() {
    for (table, header) in OPENED {
        let taken = listed(&flaw(&format!("{header}\nunheard_of = 1\n")));
        assert!(!taken.is_empty(), "{table}");
        let documented: BTreeSet<String> = rows(table).into_iter().map(|row| row.key).collect();
        assert_eq!(documented, taken, "[{table}]");
    }
}

#[test]
fn every_role_is_documented() {
    let text = section("roles");
    for name in Role::ALL.map(|role| role.name()) {
        assert!(text.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn every_word_of_a_closed_set_is_documented() {
    let mut tried = 0;
    for (table, header) in OPENED {
        for Row { key, value, .. } in rows(table) {
            let found = flaw(&format!("{header}\n{key} = \"unheard-of\"\n{}", beside(table, &key)));
            let taken = match &found {
                Some(Flaw::Shape { message }) if message.contains("unknown variant") => {
                    listed(&found)
                }
                Some(Flaw::UnknownCheckKind { .. }) => {
                    kinds::ALL.iter().map(|kind| kind.key.to_owned()).collect()
                }
                _ => continue,
            };
            // The levels are listed once, below their table.
            let text = if value == "a level" { section(table) } else { value };
            let after = text.split_once("The levels").map_or(text.as_str(), |(_, after)| after);
            assert_eq!(quoted(after), taken, "[{table}] {key}");
            tried += 1;
        }
    }
    assert_eq!(tried, 9, "lane, autonomy, two kinds, protocol, three levels and patience");
}

#[test]
fn every_documented_bound_holds_at_its_edges_and_not_beyond() {
    let mut tried = 0;
    for (table, header) in OPENED {
        for Row { key, value, .. } in rows(table) {
            let range = value.split(',').next().unwrap();
            let Some((least, most)) = range.split_once(" to ") else { continue };
            let with =
                |number: &str| format!("{header}\n{key} = {number}\n{}", beside(table, &key));
            let (low, high): (f64, f64) = (least.parse().unwrap(), most.parse().unwrap());
            for edge in [least, most] {
                assert!(Config::parse(&with(edge)).is_ok(), "[{table}] {key} = {edge}");
            }
            let below = if low > 0.0 { 0 } else { -1 };
            let beyond = [below.to_string(), format!("{}", high as u64 + 1)];
            for number in beyond {
                assert!(Config::parse(&with(&number)).is_err(), "[{table}] {key} = {number}");
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 11);
}

#[test]
fn a_documented_default_is_what_leaving_it_out_means() {
    let mut tried = 0;
    for (table, header) in OPENED {
        for Row { key, default, .. } in rows(table) {
            let Some(default) = default.filter(|it| is_literal(it)) else { continue };
            tried += 1;
            // The gate itself has these defaults.
            let of_the_gate = match key.as_str() {
                "files_max" => Some(Setting::FILES_MAX),
                "lines_max" => Some(Setting::LINES_MAX),
                _ => None,
            };
            if let Some(number) = of_the_gate {
                assert_eq!(default, number.to_string(), "[{table}] {key}");
                continue;
            }
            let beside = beside(table, &key);
            let written = Config::parse(&format!("{header}\n{key} = {default}\n{beside}")).unwrap();
            let left_out = Config::parse(&format!("{header}\n{beside}")).unwrap();
            assert_eq!(written, left_out, "[{table}] {key} = {default}");
        }
    }
    assert_eq!(tried, 11);
}

/// The other keys that a table needs beside `key`.
fn beside(table: &str, key: &str) -> String {
    let lines: &[(&str, &str)] = match (table, key) {
        ("checks", "files_max" | "lines_max" | "timeout_s") => &[("kind", "\"size\"")],
        ("checks", "kind") => &[("command", "[\"x\"]")],
        ("agents", "kind") => &[],
        ("agents", _) => &[("kind", "\"codex\"")],
        ("prices", _) => &[("input", "1"), ("output", "1")],
        _ => &[],
    };
    lines
        .iter()
        .filter(|(name, _)| *name != key)
        .map(|(name, it)| format!("{name} = {it}\n"))
        .collect()
}

fn is_literal(cell: &str) -> bool {
    cell.starts_with('"') || cell.parse::<u64>().is_ok()
}

fn flaw(text: &str) -> Option<Flaw> {
    match Config::parse(text) {
        Err(ConfigError::Refused { flaw, .. }) => Some(flaw),
        Err(_) | Ok(_) => None,
    }
}

/// The variants that the parser lists in its message.
fn listed(flaw: &Option<Flaw>) -> BTreeSet<String> {
    let Some(Flaw::Shape { message }) = flaw else { return BTreeSet::new() };
    let (_, expected) = message.split_once("expected ").unwrap();
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn quoted(text: &str) -> BTreeSet<String> {
    text.split("`\"")
        .skip(1)
        .filter_map(|rest| rest.split_once("\"`"))
        .map(|(word, _)| word.to_owned())
        .collect()
}

fn section(table: &str) -> String {
    let heading = PAGE.lines().find(|line| {
        let name = line.strip_prefix("## `[").and_then(|rest| rest.split(['.', ']']).next());
        name == Some(table)
    });
    let (_, after) = PAGE.split_once(heading.unwrap()).unwrap();
    after.split("\n## ").next().unwrap().to_owned()
}

fn rows(table: &str) -> Vec<Row> {
    let section = section(table);
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for line in section.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<String> =
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        match cells[0].as_str() {
            "key" => columns = cells,
            "---" => {}
            key => {
                let at = |name: &str| {
                    let nth = columns.iter().position(|it| it == name)?;
                    Some(cells[nth].clone())
                };
                rows.push(Row {
                    key: key.trim_matches('`').to_owned(),
                    value: at("value").unwrap(),
                    default: at("default").map(|cell| cell.trim_matches('`').to_owned()),
                });
            }
        }
    }
    assert!(!rows.is_empty(), "[{table}] has no rows");
    rows
}

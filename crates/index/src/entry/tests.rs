use serde_json::{Value, json};

use super::*;
use crate::tests::entry;

fn value() -> Value {
    serde_json::to_value(entry("limiter", "1.2.0", "limits requests")).unwrap()
}

/// Proves: F-INDEX-009
#[test]
fn the_embedder_reads_purpose_tags_and_summary_and_nothing_else() {
    let mut entry = entry("limiter", "1.2.0", "limits requests\nper tenant");
    entry.notes = "not read".into();
    let golden = "limits requests\nper tenant\nnet, limits\n{\"inputs\":[\"Key: who asks\"],\
                  \"outputs\":[\"Verdict: yes or no\"],\"error_surfaces\":[],\"effects\":[],\
                  \"modes\":[\"sync\"]}";
    assert_eq!(entry.embedding_input(), golden);
}

/// Proves in part: F-INDEX-013
#[test]
fn an_entry_has_every_field_of_the_schema_and_no_other() {
    let fields = [
        "module_id",
        "version",
        "name",
        "purpose",
        "tags",
        "contract_ref",
        "examples_ref",
        "ship_ref",
        "io_summary",
        "dependencies",
        "status",
        "superseded_by",
        "notes",
    ];
    let whole = value();
    let names: Vec<&str> = whole.as_object().unwrap().keys().map(String::as_str).collect();
    let mut sorted = fields;
    sorted.sort_unstable();
    let mut names_sorted = names;
    names_sorted.sort_unstable();
    assert_eq!(names_sorted, sorted);
    for field in fields {
        let mut cut = whole.clone();
        cut.as_object_mut().unwrap().remove(field);
        let is_optional = field == "superseded_by";
        assert_eq!(serde_json::from_value::<CodeIndexEntry>(cut).is_ok(), is_optional, "{field}");
    }
    for field in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let mut cut = whole.clone();
        cut["io_summary"].as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<CodeIndexEntry>(cut).is_err(), "{field}");
    }
    let mut more = whole;
    more["color"] = json!("red");
    assert!(serde_json::from_value::<CodeIndexEntry>(more).is_err());
}

/// Proves: F-INDEX-014
#[test]
fn there_are_three_statuses() {
    for (status, name) in Status::ALL.into_iter().zip(["SHIPPED", "DEPRECATED", "SUPERSEDED"]) {
        assert_eq!((status.name(), json!(status)), (name, json!(name)));
    }
    for bad in ["shipped", "ACTIVE", ""] {
        assert!(serde_json::from_value::<Status>(json!(bad)).is_err(), "{bad}");
    }
}

#[test]
fn references_name_the_right_kind_of_thing() {
    let changed = |field: &str, text: &str| {
        let mut value = value();
        value[field] = json!(text);
        serde_json::from_value::<CodeIndexEntry>(value).map(|entry| entry.check())
    };
    for field in ["contract_ref", "examples_ref", "ship_ref"] {
        assert!(matches!(
            changed(field, "MM-limiter@1.0.0"),
            Ok(Err(InvalidEntry::WrongKind { .. }))
        ));
        assert!(changed(field, "../../etc/passwd").is_err(), "{field}");
    }
    for (field, bad) in [
        ("module_id", "limiter"),
        ("module_id", "MM-"),
        ("module_id", "T-limiter"),
        ("version", "1.0"),
        ("version", "01.0.0"),
    ] {
        let refused = changed(field, bad).unwrap();
        assert!(matches!(refused, Err(InvalidEntry::NotAModule { .. })), "{bad}");
    }
}

#[test]
fn a_pointer_fits_the_status() {
    let with = |status, superseded_by: Option<&str>| {
        let superseded_by = superseded_by.map(|it| it.parse().unwrap());
        CodeIndexEntry { status, superseded_by, ..entry("a", "1.0.0", "x") }.check().is_ok()
    };
    let by = Some("MM-a@2.0.0");
    assert!(with(Status::Shipped, None) && !with(Status::Shipped, by));
    assert!(with(Status::Deprecated, None) && with(Status::Deprecated, by));
    assert!(!with(Status::Superseded, None) && with(Status::Superseded, by));
}

/// A change of one field, for a given size.
type Grow = fn(&mut CodeIndexEntry, usize);

#[test]
fn every_field_has_a_bound() {
    let fields: [(Grow, usize); 8] = [
        (|it, size| it.name = "x".repeat(size), TEXT_BYTES_MAX),
        (|it, size| it.purpose = "x".repeat(size), PURPOSE_BYTES_MAX),
        (|it, size| it.notes = "x".repeat(size), NOTES_BYTES_MAX),
        (|it, size| it.tags = vec!["x".into(); size], ITEMS_MAX),
        (|it, size| it.tags = vec!["x".repeat(size)], TEXT_BYTES_MAX),
        (|it, size| it.io_summary.effects = vec!["x".into(); size], ITEMS_MAX),
        (|it, size| it.io_summary.modes = vec!["x".repeat(size)], TEXT_BYTES_MAX),
        (|it, size| it.dependencies = vec!["MM-b@1".parse().unwrap(); size], ITEMS_MAX),
    ];
    for (nth, (grow, most)) in fields.into_iter().enumerate() {
        let sized = |size| {
            let mut entry = entry("a", "1.0.0", "x");
            grow(&mut entry, size);
            entry.check().is_ok()
        };
        assert_eq!((sized(most), sized(most + 1)), (true, false), "field {nth}");
    }
}

#[test]
fn control_characters_are_refused() {
    for bad in ["a\nb", "a\u{1b}[2J", "\u{7f}", "a\u{9b}"] {
        let named = CodeIndexEntry { name: bad.into(), ..entry("a", "1.0.0", "x") };
        assert_eq!(named.check(), Err(InvalidEntry::ControlCharacter { field: "name" }), "{bad:?}");
    }
    let lines = CodeIndexEntry { purpose: "a\n\tb".into(), ..entry("a", "1.0.0", "x") };
    assert!(lines.check().is_ok());
}

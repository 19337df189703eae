use proptest::prelude::*;

use super::concrete::placeholder;
use super::{CONDITIONS, Demands, Example, read};
use crate::finding::Finding;
use crate::tests::{Case, EXAMPLES, Subject, mutated};

fn demands() -> Demands {
    let texts = |list: &[&str]| list.iter().map(|it| (*it).to_string()).collect();
    Demands {
        entry_points: texts(&["tenant_limiter::decide"]),
        error_surfaces: texts(&["BadTenant", "LedgerFull"]),
        effect_targets: texts(&["ledger"]),
        modules: texts(&["MM-limiter", "MM-ledger"]),
    }
}

fn findings(text: Option<&str>) -> Vec<Finding> {
    read(text, &demands()).1
}

fn subject() -> Subject<'static> {
    Subject { key: "examples", good: EXAMPLES, sections: Vec::new(), read: &findings }
}

#[test]
fn examples_are_subsections_or_list_items() {
    let (examples, findings) = read(Some(EXAMPLES), &demands());
    assert_eq!(findings, []);
    let found: Vec<(&str, u32, usize)> =
        examples.iter().map(|it| (it.title.as_str(), it.line, it.blocks.len())).collect();
    assert_eq!(
        found,
        [
            ("A first call is allowed", 5, 2),
            ("A call is counted", 17, 2),
            ("A tenant of 65 bytes breaks its constraint:", 36, 2),
            ("A ledger of 10000 tenants from MM-ledger has no room for one more:", 46, 2),
        ]
    );
    let Example { description, blocks, .. } = &examples[0];
    assert_eq!(description, "A tenant without an earlier call in its window may call.\n");
    assert_eq!(blocks[1], "Ok(Decision::Allow { left: 99 })\n");
}

#[test]
fn input_and_output_may_be_items_of_a_list() {
    let text = "## One call\n\nAsks for a tenant that is new.\n\n- Input:\n\n  ```\n  decide(1)\n  ```\n\n\
                - Output:\n\n  ```\n  2\n  ```\n";
    let (examples, findings) = read(Some(text), &Demands::default());
    assert_eq!((examples.len(), examples[0].blocks.len(), findings), (1, 2, vec![]));
}

/// Proves: F-OPAQUE-018
#[test]
fn every_part_of_the_floor_is_needed() {
    let output = "```rust\nOk(Decision::Allow { left: 99 })\n```\n";
    let first =
        &EXAMPLES[EXAMPLES.find("## A first").unwrap()..EXAMPLES.find("## A call").unwrap()];
    let counted =
        &EXAMPLES[EXAMPLES.find("## A call").unwrap()..EXAMPLES.find("## Errors").unwrap()];
    let calls = format!("{first}{counted}");
    let full = &EXAMPLES[EXAMPLES.find("- A ledger").unwrap()..];
    let cases: [Case<'_>; 13] = [
        ("examples.example.blocks", output, "", "## A first"),
        ("examples.example.empty", "Ok(Decision::Allow { left: 99 })\n", "\n", "## A first"),
        (
            "examples.example.description",
            "A tenant without an earlier call in its window may call.\n",
            "",
            "## A first",
        ),
        (
            "examples.example.description",
            "A tenant without an earlier call in its window may call.",
            "Input and expected output:",
            "## A first",
        ),
        (
            "examples.example.description",
            "A tenant without an earlier call in its window may call.",
            "TODO: describe",
            "## A first",
        ),
        ("examples.error.missing", full, "", ""),
        ("examples.error.missing", "Err(LimitError::BadTenant)", "Err(LimitError::Other)", ""),
        (
            "examples.error.missing",
            "Err(LimitError::LedgerFull)",
            "Err(LimitError::LedgerFuller)",
            "",
        ),
        ("examples.call.missing", &calls, "", ""),
        ("examples.placeholder", "\"tenant-10001\"", "\"some_input\"", "some_input"),
        ("examples.placeholder", "\"tenant-10001\"", "\"...\"", "\"...\""),
        ("examples.placeholder", "\"tenant-10001\"", "<your_value_here>", "<your_value_here>"),
        ("examples.module.undeclared", "MM-ledger", "MM-clock", "MM-clock"),
    ];
    let rest = ["examples.entry-point.missing", "examples.effect.missing"];
    let tested: Vec<&str> = CONDITIONS.iter().copied().filter(|it| !rest.contains(it)).collect();
    // Without the calls the effect is not shown either, unless the errors show it.
    subject().holds_except(&cases, &tested);
}

#[test]
fn every_entry_point_is_called_and_an_effect_is_shown() {
    let ids = |demands: &Demands| -> Vec<(String, String)> {
        let found = read(Some(EXAMPLES), demands).1;
        found.into_iter().map(|it| (it.condition.into_owned(), it.what)).collect()
    };
    let mut other = demands();
    other.entry_points.push("tenant_limiter::reset".into());
    let what = "no example calls tenant_limiter::reset";
    assert_eq!(ids(&other), [("examples.entry-point.missing".to_string(), what.to_string())]);
    let mut other = demands();
    other.effect_targets = vec!["mailbox".into()];
    let what = "no example shows an effect on mailbox";
    assert_eq!(ids(&other), [("examples.effect.missing".to_string(), what.to_string())]);
    let shown =
        EXAMPLES.replace("Input:", "Before the call:").replace("Output:", "After the call:");
    assert_eq!(read(Some(&shown), &other).1, []);
    other.effect_targets.clear();
    assert_eq!(ids(&other), []);
}

#[test]
fn a_missing_or_oversized_document_is_refused() {
    let ids = |text: Option<&str>| -> Vec<String> {
        findings(text).into_iter().map(|it| it.condition.into_owned()).collect()
    };
    assert_eq!(ids(None), ["examples.absent"]);
    let full = format!("{EXAMPLES}{}", "\n".repeat(crate::BYTES_MAX - EXAMPLES.len()));
    assert_eq!(ids(Some(&full)), [""; 0]);
    assert_eq!(ids(Some(&format!("{full}\n"))), ["examples.size"]);
    let call = [
        "examples.call.missing",
        "examples.error.missing",
        "examples.error.missing",
        "examples.effect.missing",
    ];
    assert_eq!(ids(Some("")), call);
}

#[test]
fn placeholders_are_told_from_code() {
    let bad = [
        "f(\"...\")",
        "f(...)",
        "…",
        "<your_value_here>",
        "id = <value>",
        "<insert id>",
        "some_input",
        "\"your_key\"",
        "YOUR_API_KEY=1",
        "x # TODO",
        "placeholder",
        "[1, ...]",
        "{ ... }",
        "<user_id>",
    ];
    bad.iter().for_each(|it| assert!(placeholder(it).is_some(), "{it}"));
    let good = [
        "f(1..2)",
        "f(...rest)",
        "\"Loading...\"",
        "Vec<some>",
        "a < b_c > d",
        "<div class=\"a\">",
        "awesome_input",
        "Result<Your, E>",
        "f::<user_id>()",
        "<b>",
        "todo = []",
        "a <= 1 && b >= 2",
        "1...2",
    ];
    good.iter().for_each(|it| assert_eq!(placeholder(it), None, "{it}"));
}

proptest! {
    #[test]
    fn a_placeholder_is_a_part_of_its_line(line in "[<>._a-z… \"é]{0,90}") {
        if let Some(found) = placeholder(&line) {
            prop_assert!(line.contains(found) && !found.is_empty());
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in mutated(EXAMPLES)) {
        subject().survives(&text);
    }
}

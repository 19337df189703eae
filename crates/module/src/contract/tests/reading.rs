//! Contracts as text: what is read, and what is refused where.

use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use serde_json::{Value, json};

use crate::contract::*;
use crate::testing::{contract, contract_json, contract_of, window_contract_json};

/// The problems of the limiter's contract after `change`: `path: what`.
fn refused(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut value = contract_json();
    change(&mut value);
    problems(&value)
}

fn problems(value: &Value) -> Vec<String> {
    let read = MicroModuleContract::parse(value.to_string().as_bytes());
    let Err(problems) = read else { return Vec::new() };
    problems.list().iter().map(|it| format!("{}: {}", it.path, it.what)).collect()
}

#[track_caller]
fn one(problems: &[String], expected: &str) {
    assert_eq!(problems, [expected]);
}

#[test]
fn a_contract_is_what_was_written() {
    let contract = contract();
    assert_eq!(contract.module_ref().to_string(), "MM-limiter@1.0.0");
    assert_eq!(serde_json::to_value(&contract).unwrap(), contract_json());
    let again: MicroModuleContract = serde_json::from_slice(&contract.canonical()).unwrap();
    assert_eq!(again, contract);
    let pure = contract_of(&window_contract_json());
    assert_eq!((pure.runtime_budgets, pure.binding), (None, None));
}

/// Proves: F-CONTRACT-007, F-CONTRACT-009, F-CONTRACT-010, F-CONTRACT-014
#[test]
fn every_field_is_needed_by_its_name() {
    let fields = [
        "module_id",
        "module_version",
        "name",
        "purpose",
        "tags",
        "inputs",
        "outputs",
        "error_surfaces",
        "effects",
        "modes",
        "error_cases",
        "dependencies",
        "compatibility",
    ];
    for field in fields {
        let found = refused(|it| drop(it.as_object_mut().unwrap().remove(field)));
        one(&found, &format!("$.{field}: `{field}` is missing"));
        let found = refused(|it| it[field] = json!(7));
        assert!(found.iter().any(|it| it.starts_with(&format!("$.{field}: "))), "{found:?}");
    }
    let nested = [
        ("inputs", "name"),
        ("inputs", "type"),
        ("inputs", "constraints"),
        ("outputs", "name"),
        ("outputs", "type"),
        ("outputs", "invariants"),
        ("error_surfaces", "name"),
        ("error_surfaces", "when"),
        ("error_surfaces", "surface"),
        ("effects", "type"),
        ("effects", "target"),
        ("effects", "description"),
        ("dependencies", "ref"),
        ("dependencies", "why"),
    ];
    for (list, field) in nested {
        let found = refused(|it| drop(it[list][0].as_object_mut().unwrap().remove(field)));
        one(&found, &format!("$.{list}[0].{field}: `{field}` is missing"));
    }
    for (list, field) in
        [("modes", "sync"), ("modes", "async"), ("modes", "notes"), ("binding", "entry_point")]
    {
        let found = refused(|it| drop(it[list].as_object_mut().unwrap().remove(field)));
        one(&found, &format!("$.{list}.{field}: `{field}` is missing"));
    }
}

/// Proves: F-CONTRACT-011, F-CONTRACT-012
#[test]
fn surfaces_and_effects_are_closed_sets() {
    for good in ["exception", "code", "variant"] {
        assert!(refused(|it| it["error_surfaces"][0]["surface"] = json!(good)).is_empty());
    }
    for good in ["POST", "PUT", "PATCH", "WRITE", "CALL", "MUTATION"] {
        assert!(refused(|it| it["effects"][0]["type"] = json!(good)).is_empty());
    }
    for bad in ["Exception", "status", ""] {
        let found = refused(|it| it["error_surfaces"][0]["surface"] = json!(bad));
        one(&found, &format!("$.error_surfaces[0].surface: `{bad}` is not known"));
    }
    for bad in ["DELETE", "READ", "write"] {
        let found = refused(|it| it["effects"][0]["type"] = json!(bad));
        one(&found, &format!("$.effects[0].type: `{bad}` is not known"));
    }
}

/// Proves: F-CONTRACT-013
#[test]
fn a_module_is_called_in_at_least_one_mode() {
    for (sync, is_async) in [(true, false), (false, true), (true, true)] {
        let modes = json!({"sync": sync, "async": is_async, "notes": ""});
        assert!(refused(|it| it["modes"] = modes).is_empty());
    }
    let found = refused(|it| it["modes"]["sync"] = json!(false));
    one(&found, "$.modes: neither sync nor async is true");
    let found = refused(|it| it["modes"]["sync"] = json!("yes"));
    one(&found, "$.modes.sync: true or false is needed here, not a text");
}

#[test]
fn inputs_and_outputs_are_not_empty_and_the_rest_may_be() {
    one(&refused(|it| it["inputs"] = json!([])), "$.inputs: `inputs` is empty");
    one(&refused(|it| it["outputs"] = json!([])), "$.outputs: `outputs` is empty");
    for list in ["error_surfaces", "effects", "tags", "error_cases", "dependencies"] {
        assert!(refused(|it| it[list] = json!([])).is_empty(), "{list}");
    }
}

/// Proves in part: F-CONTRACT-014
#[test]
fn a_dependency_is_a_range_of_another_module() {
    let with = |range: &str| refused(|it| it["dependencies"][0]["ref"] = json!(range));
    for good in ["MM-a@1.0.0", "MM-a@^1", "MM-a@>=1.0.0, <2.0.0", "MM-a@*"] {
        assert!(with(good).is_empty(), "{good}");
    }
    for bad in ["MM-a", "MM-a@", "MM-a@newest", "a@1.0.0", "MM-a@01.0.0"] {
        assert!(with(bad)[0].starts_with("$.dependencies[0].ref: `"), "{bad}");
    }
    one(&with("MM-limiter@^1"), "$.dependencies: MM-limiter depends on itself");
    one(&with("MM-ledger@^2"), "$.dependencies: `MM-ledger` stands in the list twice");
}

/// Proves: F-CONTRACT-015
#[test]
fn compatibility_is_needed_and_budgets_are_not() {
    let whole = |field| format!("$.compatibility.{field}: `{field}` is missing");
    for field in ["backward_compatible_with", "breaking_change_policy"] {
        let found = refused(|it| drop(it["compatibility"].as_object_mut().unwrap().remove(field)));
        one(&found, &whole(field));
    }
    let budgets = |budgets: Value| refused(|it| it["runtime_budgets"] = budgets);
    for good in
        [json!({}), json!({"latency_ms_p95": 1}), json!({"memory_mb_max": 0.25}), Value::Null]
    {
        assert!(budgets(good.clone()).is_empty(), "{good}");
    }
    for bad in [json!(0), json!(-1), json!("fast"), json!(1_000_000_001), json!(1e300), json!([1])]
    {
        let found = budgets(json!({"latency_ms_p95": bad}));
        one(&found, "$.runtime_budgets.latency_ms_p95: this is no budget");
    }
    assert!(budgets(json!({"memory_mb_max": 1_000_000_000})).is_empty());
    one(&budgets(json!({"cpu": 1})), "$.runtime_budgets: there is no field `cpu` here");
}

#[test]
fn a_module_has_one_entry_point() {
    let with = |entry: &str| refused(|it| it["binding"]["entry_point"] = json!(entry));
    for good in ["tenant_limiter::decide", "limiter.core:decide", "decide", "src/limit#decide"] {
        assert!(with(good).is_empty(), "{good}");
    }
    for bad in ["decide, reset", "decide reset", "decide;reset", "décide", "::"] {
        assert!(with(bad)[0].starts_with("$.binding.entry_point: `"), "{bad}");
    }
}

/// Proves: F-CONTRACT-020
#[test]
fn a_contract_that_brings_a_fingerprint_is_refused() {
    let fingerprint = contract().fingerprint().to_string();
    for field in ["fingerprint", "interface_fingerprint", "binding_fingerprint"] {
        let found = refused(|it| it[field] = json!(fingerprint));
        one(&found, &format!("$: there is no field `{field}` here"));
    }
    let found = refused(|it| it["inputs"][0]["default"] = json!(1));
    one(&found, "$.inputs[0]: there is no field `default` here");
}

#[test]
fn a_field_that_stands_twice_is_refused_where_it_stands() {
    let text = contract_json().to_string();
    let twice = text.replacen(r#""sync":true"#, r#""sync":true,"sync":false"#, 1);
    assert_ne!(twice, text);
    let problems = MicroModuleContract::parse(twice.as_bytes()).unwrap_err();
    assert_eq!(problems.list()[0].path, "$.modes");
    assert_eq!(problems.list()[0].what, "`sync` stands here twice");
    assert!(serde_json::from_str::<MicroModuleContract>(&twice).is_err());
}

#[test]
fn placeholders_are_no_contract() {
    for text in ["TBD", "todo", "N/A", "", "  ", "...", "<purpose>", "not applicable", "none"] {
        assert_eq!(refused(|it| it["purpose"] = json!(text)).len(), 1, "{text}");
    }
    for text in ["TBD", "", "...", "<name>", " decision", "a\nb", "\u{1b}[2J"] {
        assert_eq!(refused(|it| it["outputs"][0]["name"] = json!(text)).len(), 1, "{text}");
    }
    // Names and types that only look like placeholders.
    for text in ["todo", "None", "na", "()"] {
        assert!(refused(|it| it["outputs"][0]["type"] = json!(text)).is_empty(), "{text}");
    }
}

#[test]
fn names_within_a_list_differ() {
    let found = refused(|it| it["inputs"][1]["name"] = json!("tenant"));
    one(&found, "$.inputs: `tenant` stands in the list twice");
    let found = refused(|it| {
        it["effects"].as_array_mut().unwrap().push(contract_json()["effects"][0].clone())
    });
    one(&found, "$.effects: `WRITE ledger` stands in the list twice");
    let found =
        refused(|it| it["inputs"][1]["constraints"][1] = it["inputs"][1]["constraints"][0].clone());
    one(&found, "$.inputs[1].constraints: `milliseconds since the epoch` stands in the list twice");
}

#[test]
fn all_problems_are_reported_at_once_and_say_how_to_mend_them() {
    let mut value = contract_json();
    value["module_id"] = json!("limiter");
    value["module_version"] = json!("01.0.0");
    value["inputs"][1]["type"] = json!("");
    value["modes"] = json!([]);
    let problems = MicroModuleContract::parse(value.to_string().as_bytes()).unwrap_err();
    let shown: Vec<String> = problems
        .list()
        .iter()
        .map(|it| format!("{} | {} | {}", it.path, it.what, it.fix))
        .collect();
    assert_eq!(
        shown,
        [
            "$.module_id | `limiter` is not a module such as MM-limiter | write a module such as MM-limiter",
            "$.module_version | `01.0.0` is not a version such as 1.0.0 | write a version such as 1.0.0",
            "$.inputs[1].type | the text is empty | write what holds",
            "$.modes | an object is needed here, not a list | write an object",
        ]
    );
    let message = problems.to_string();
    assert!(message.starts_with("$.module_id: ") && message.ends_with("(and 3 more)"), "{message}");
}

#[test]
fn a_version_has_three_ascii_numbers_without_leading_zeros() {
    for bad in
        ["1.0", "1.0.0.0", "1.0.0-rc1", "1.0.0+x", "v1.0.0", "1.0.٣", "1..0", "00.1.0", " 1.0.0"]
    {
        let found = refused(|it| it["module_version"] = json!(bad));
        one(&found, &format!("$.module_version: `{bad}` is not a version such as 1.0.0"));
    }
    assert!(refused(|it| it["module_version"] = json!("0.10.4294967295")).is_empty());
}

#[test]
fn every_bound_holds_at_its_edge() {
    let item = |nth: usize| json!({"name": format!("n{nth}"), "type": "u8", "constraints": []});
    let texts =
        |count: usize| (0..count).map(|nth| format!("rule number {nth}")).collect::<Vec<_>>();
    let dependency = |nth: usize| json!({"ref": format!("MM-d{nth}@^1"), "why": "it counts"});
    type Set<'s> = &'s dyn Fn(&mut Value, usize);
    let cases: [(&str, usize, Set<'_>); 8] = [
        ("inputs", ENTRIES_MAX, &|it, count| it["inputs"] = (0..count).map(item).collect()),
        ("constraints", CONSTRAINTS_MAX, &|it, count| {
            it["inputs"][0]["constraints"] = json!(texts(count))
        }),
        ("error_cases", ERROR_CASES_MAX, &|it, count| it["error_cases"] = json!(texts(count))),
        ("dependencies", DEPENDENCIES_MAX, &|it, count| {
            it["dependencies"] = (0..count).map(dependency).collect();
        }),
        ("tags", TAGS_MAX, &|it, count| it["tags"] = json!(texts(count))),
        ("name", NAME_BYTES_MAX, &|it, count| it["name"] = json!("n".repeat(count))),
        ("type", TYPE_BYTES_MAX, &|it, count| it["inputs"][0]["type"] = json!("t".repeat(count))),
        ("purpose", TEXT_BYTES_MAX, &|it, count| it["purpose"] = json!("p".repeat(count))),
    ];
    for (field, most, set) in cases {
        assert_eq!(refused(|it| set(it, most)), [""; 0], "{field}");
        let found = refused(|it| set(it, most + 1));
        assert!(found.len() == 1 && found[0].contains(&format!("more than {most}")), "{found:?}");
    }
    let blanks = |count: usize| {
        let text = contract_json().to_string();
        let text = format!("{text}{}", " ".repeat(count - text.len()));
        MicroModuleContract::parse(text.as_bytes())
    };
    assert!(blanks(CONTRACT_BYTES_MAX).is_ok());
    let refused = blanks(CONTRACT_BYTES_MAX + 1).unwrap_err();
    assert_eq!(refused.list()[0].what, "the document has 262145 bytes, more than 262144");
}

#[test]
fn the_list_of_problems_is_bounded() {
    let bad = |nth: usize| json!({"ref": format!("{nth}"), "why": ""});
    let found = refused(|it| {
        it["dependencies"] = (0..DEPENDENCIES_MAX).map(bad).collect();
    });
    assert_eq!(found.len(), PROBLEMS_MAX + 1);
    assert_eq!(found[PROBLEMS_MAX], "$: 28 more problems are not listed");
}

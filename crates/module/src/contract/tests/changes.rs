//! What a change of a contract is worth: versions, deltas, compatibility.

use std::string::{String, ToString as _};
use std::vec::Vec;

use proptest::prelude::*;
use sealwright_kernel::{Digest, canonical_json};
use serde_json::{Value, json};

use crate::contract::*;
use crate::testing::{contract, contract_json, contract_of};

fn changed(change: impl FnOnce(&mut Value)) -> MicroModuleContract {
    let mut value = contract_json();
    change(&mut value);
    contract_of(&value)
}

fn mismatch(change: impl FnOnce(&mut Value)) -> Mismatch {
    compare(&contract().interface, &changed(change).interface).unwrap_err()
}

/// Proves: F-CONTRACT-016
#[test]
fn the_fingerprint_is_the_digest_of_the_five_dimensions() {
    let value = contract_json();
    let five: Value = ["inputs", "outputs", "error_surfaces", "effects", "modes"]
        .into_iter()
        .map(|it| (it.to_string(), value[it].clone()))
        .collect();
    let theirs = serde_json_canonicalizer::to_vec(&five).unwrap();
    assert_eq!(contract().interface.canonical(), theirs);
    assert_eq!(contract().fingerprint(), Digest::of(&theirs));
    // Taken once with the package `rfc8785` and `hashlib` of Python.
    let golden = "49ca3f4cb0b2d7db43b2c55d25a1e7ef885776d6fc183cf2468b88efbd56a79c";
    assert_eq!(contract().fingerprint().to_string(), golden);
}

/// Proves: F-CONTRACT-018
#[test]
fn metadata_leaves_the_fingerprint_as_it_is() {
    let changes: [(&str, Value); 9] = [
        ("module_id", json!("MM-throttle")),
        ("module_version", json!("7.1.3")),
        ("name", json!("Another name")),
        ("purpose", json!("Decides whether another call is allowed.")),
        ("tags", json!([])),
        ("error_cases", json!(["a tenant of no bytes"])),
        ("dependencies", json!([])),
        (
            "compatibility",
            json!({"backward_compatible_with": ["MM-limiter@^1"], "breaking_change_policy": "ask first"}),
        ),
        ("runtime_budgets", Value::Null),
    ];
    for (field, value) in changes {
        let other = changed(|it| it[field] = value);
        assert_ne!(other, contract(), "{field}");
        assert_eq!(other.fingerprint(), contract().fingerprint(), "{field}");
        assert_eq!(compare(&contract().interface, &other.interface), Ok(()));
    }
}

/// Proves: F-BIND-001
#[test]
fn the_binding_has_a_fingerprint_of_its_own() {
    let own = contract().binding.unwrap();
    for field in ["language", "package", "entry_point", "signature"] {
        let other = changed(|it| it["binding"][field] = json!("other"));
        assert_eq!(other.fingerprint(), contract().fingerprint(), "{field}");
        assert_ne!(other.binding.unwrap().fingerprint(), own.fingerprint(), "{field}");
    }
    let expected = Digest::of(&canonical_json(&contract_json()["binding"]).unwrap());
    assert_eq!(own.fingerprint(), expected);
    let two = contract_json().to_string().replace("tenant_limiter::decide", "decide, reset");
    assert!(MicroModuleContract::parse(two.as_bytes()).is_err());
}

/// The places of all texts and truth values below `value`.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(name, it)| leaves(it, &std::format!("{at}/{name}"), found));
        }
        Value::Array(list) => {
            let items = list.iter().enumerate();
            items.for_each(|(nth, it)| leaves(it, &std::format!("{at}/{nth}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push(at.to_string());
        }
    }
}

/// Proves: F-CONTRACT-019
#[test]
fn every_change_within_a_dimension_changes_the_fingerprint() {
    let mut places = Vec::new();
    for it in Dimension::ALL {
        let dimension = &contract_json()[it.name()];
        leaves(dimension, &std::format!("/{}", it.name()), &mut places);
    }
    assert_eq!(places.len(), 22);
    for place in places {
        let other = changed(|it| {
            let leaf = it.pointer_mut(&place).unwrap();
            *leaf = match place.as_str() {
                "/modes/sync" | "/modes/async" => json!(true),
                "/modes/notes" => json!("reentrant"),
                place if place.ends_with("/surface") => json!("code"),
                place if place.starts_with("/effects/0/type") => json!("CALL"),
                _ => json!(std::format!("{} more", leaf.as_str().unwrap())),
            };
        });
        let same = place == "/modes/sync";
        assert_eq!(other.fingerprint() == contract().fingerprint(), same, "{place}");
    }
    // Order counts.
    let swapped = changed(|it| it["inputs"].as_array_mut().unwrap().swap(0, 1));
    assert_ne!(swapped.fingerprint(), contract().fingerprint());
}

/// Proves in part: F-CONTRACT-022
#[test]
fn a_mismatch_is_named_with_both_digests() {
    let found = mismatch(|it| it["modes"]["async"] = json!(true));
    let (locked, got) =
        (contract().fingerprint(), changed(|it| it["modes"]["async"] = json!(true)).fingerprint());
    let expected = std::format!("Interface fingerprint mismatch: expected {locked}, got {got}");
    assert_eq!(found.to_string(), expected);
    assert_eq!(
        found.to_string().len(),
        "Interface fingerprint mismatch: expected , got ".len() + 128
    );
}

#[test]
fn a_mismatch_says_what_differs_in_each_dimension() {
    let found = mismatch(|it| {
        it["inputs"][1]["type"] = json!("u32");
        it["outputs"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "left", "type": "u32", "invariants": []}));
        it["error_surfaces"].as_array_mut().unwrap().remove(0);
        it["modes"]["async"] = json!(true);
    });
    let shown: Vec<Value> =
        found.differences.iter().map(|it| serde_json::to_value(it).unwrap()).collect();
    let input = |kind: &str| json!({"name": "now_ms", "type": kind, "constraints": contract_json()["inputs"][1]["constraints"]});
    let bare = |dimension: &str| json!({"dimension": dimension, "added": [], "removed": [], "changed": [], "is_reordered": false});
    let with = |dimension: &str, field: &str, value: Value| {
        let mut it = bare(dimension);
        it[field] = json!([value]);
        it
    };
    let left = json!({"name": "left", "value": {"name": "left", "type": "u32", "invariants": []}});
    let gone = json!({"name": "BadTenant", "value": contract_json()["error_surfaces"][0]});
    assert_eq!(
        shown,
        [
            with(
                "inputs",
                "changed",
                json!({"name": "now_ms", "expected": input("u64"), "actual": input("u32")})
            ),
            with("outputs", "added", left),
            with("error_surfaces", "removed", gone),
            with("modes", "changed", json!({"name": "async", "expected": false, "actual": true})),
        ]
    );
    let stored = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Mismatch>(&stored).unwrap(), found);
}

#[test]
fn another_order_is_a_difference_without_names() {
    let found = mismatch(|it| it["inputs"].as_array_mut().unwrap().swap(0, 1));
    let [only] = found.differences.as_slice() else { panic!("{found:?}") };
    assert!(only.is_reordered && only.added.is_empty() && only.changed.is_empty());
}

fn delta(value: Value) -> ContractDelta {
    ContractDelta::parse(value.to_string().as_bytes()).unwrap()
}

fn applied(value: Value) -> Result<(MicroModuleContract, Compatibility), DeltaRefused> {
    delta(value).apply(&contract(), Expectation::Unknown)
}

/// Proves: F-ICE-008
#[test]
fn a_delta_names_at_least_one_change() {
    let problems = |value: Value| match ContractDelta::parse(value.to_string().as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.list().iter().map(|it| it.what.clone()).collect::<Vec<_>>(),
    };
    let empty = ["the delta is empty"];
    assert_eq!(problems(json!({})), empty);
    assert_eq!(problems(json!({"added_inputs": [], "mode_changes": null})), empty);
    assert_eq!(problems(json!({"mode_changes": {}})), ["no mode changes"]);
    assert_eq!(
        problems(json!({"renamed_inputs": []})),
        ["there is no field `renamed_inputs` here", "the delta is empty"][..1]
    );
    let input = json!({"name": "burst", "type": "u32", "constraints": []});
    let surface = json!({"name": "E", "when": "it is late", "surface": "code"});
    let effect = json!({"type": "CALL", "target": "clock", "description": "reads the time"});
    let output = json!({"name": "left", "type": "u32", "invariants": []});
    let good = [
        json!({"added_inputs": [input]}),
        json!({"removed_inputs": ["tenant"]}),
        json!({"modified_inputs": [{"name": "tenant", "after": input}]}),
        json!({"added_outputs": [output]}),
        json!({"removed_outputs": ["decision"]}),
        json!({"modified_outputs": [{"name": "decision", "after": output}]}),
        json!({"added_error_surfaces": [surface]}),
        json!({"removed_error_surfaces": ["E"]}),
        json!({"modified_error_surfaces": [{"name": "E", "after": surface}]}),
        json!({"added_effects": [effect]}),
        json!({"removed_effects": ["WRITE ledger"]}),
        json!({"modified_effects": [{"name": "WRITE ledger", "after": effect}]}),
        json!({"mode_changes": {"async": true}}),
    ];
    for value in good {
        assert_eq!(problems(value.clone()), [""; 0], "{value}");
    }
    assert_eq!(problems(json!({"removed_inputs": [1]})), ["a text is needed here, not a number"]);
}

#[test]
fn a_delta_that_does_not_fit_is_refused() {
    let absent = |list| Err(DeltaRefused::Absent { list, name: "x".into() });
    let input = |name: &str| json!({"name": name, "type": "u8", "constraints": []});
    assert_eq!(applied(json!({"removed_inputs": ["x"]})), absent("removed_inputs"));
    assert_eq!(applied(json!({"removed_effects": ["x"]})), absent("removed_effects"));
    let modified = json!({"modified_inputs": [{"name": "x", "after": input("x")}]});
    assert_eq!(applied(modified), absent("modified_inputs"));
    let present = |list, name: &str| Err(DeltaRefused::Present { list, name: name.into() });
    let found = applied(json!({"added_inputs": [input("tenant")]}));
    assert_eq!(found, present("added_inputs", "tenant"));
    let found = applied(json!({"modified_inputs": [{"name": "tenant", "after": input("now_ms")}]}));
    assert_eq!(found, present("modified_inputs", "now_ms"));
    let same =
        json!({"modified_inputs": [{"name": "tenant", "after": contract_json()["inputs"][0]}]});
    let expected = DeltaRefused::Same { list: "modified_inputs", name: "tenant".into() };
    assert_eq!(applied(same), Err(expected));
    assert_eq!(applied(json!({"mode_changes": {"sync": true}})), Err(DeltaRefused::Nothing));
    let unsound = [
        json!({"removed_outputs": ["decision"]}),
        json!({"removed_inputs": ["tenant", "now_ms"]}),
        json!({"mode_changes": {"sync": false}}),
    ];
    for value in unsound {
        let found = applied(value).unwrap_err();
        assert!(matches!(found, DeltaRefused::Unsound { .. }), "{found}");
    }
    let last = changed(|it| it["module_version"] = json!("4294967295.0.0"));
    let found = delta(json!({"removed_inputs": ["tenant"]})).apply(&last, Expectation::Unknown);
    assert!(matches!(found, Err(DeltaRefused::UsedUp { .. })));
}

/// Proves: F-ICE-019, F-STORE-008, F-STORE-009
#[test]
fn a_delta_gives_the_candidate_contract_and_says_whom_it_breaks() {
    let input =
        |constraint: &str| json!({"name": "burst", "type": "u32", "constraints": [constraint]});
    let surface = json!({"name": "Late", "when": "the time is too old", "surface": "variant"});
    let effect = json!({"type": "CALL", "target": "clock", "description": "reads the time"});
    let output = |kind: &str| json!({"name": "decision", "type": kind, "invariants": []});
    let optional = json!({"name": "burst", "type": "Option<u32>", "constraints": []});
    let (minor, major) = (Compatibility::BackwardCompatible, Compatibility::Breaking);
    let table = [
        (json!({"added_inputs": [input("optional: 1 if it is left out")]}), minor),
        (json!({"added_inputs": [optional]}), minor),
        (json!({"added_inputs": [input("at least 1")]}), major),
        (json!({"removed_inputs": ["now_ms"]}), major),
        (json!({"modified_inputs": [{"name": "now_ms", "after": input("at least 1")}]}), major),
        (json!({"added_outputs": [{"name": "left", "type": "u32", "invariants": []}]}), minor),
        (json!({"modified_outputs": [{"name": "decision", "after": output("bool")}]}), major),
        (json!({"added_error_surfaces": [surface]}), minor),
        (json!({"removed_error_surfaces": ["BadTenant"]}), major),
        (json!({"modified_error_surfaces": [{"name": "BadTenant", "after": surface}]}), major),
        (json!({"added_effects": [effect]}), minor),
        (json!({"removed_effects": ["WRITE ledger"]}), major),
        (json!({"modified_effects": [{"name": "WRITE ledger", "after": effect}]}), major),
        (json!({"mode_changes": {"async": true}}), minor),
        (json!({"mode_changes": {"notes": "reentrant"}}), minor),
        (json!({"mode_changes": {"async": true, "sync": false}}), major),
    ];
    for (value, expected) in table {
        let (candidate, computed) = applied(value.clone()).unwrap();
        assert_eq!(computed, expected, "{value}");
        let version = if expected == minor { "1.1.0" } else { "2.0.0" };
        assert_eq!(candidate.module_version.to_string(), version, "{value}");
        assert_ne!(candidate.fingerprint(), contract().fingerprint());
        let next = check_version(Some(&contract()), &candidate);
        assert_eq!(next, Ok(expected.bump()), "{value}");
    }
    let (candidate, _) = applied(json!({
        "added_inputs": [input("optional")],
        "removed_inputs": ["tenant"],
        "modified_outputs": [{"name": "decision", "after": output("bool")}],
        "mode_changes": {"async": true, "notes": "reentrant"}
    }))
    .unwrap();
    let golden = changed(|it| {
        it["module_version"] = json!("2.0.0");
        it["inputs"] = json!([it["inputs"][1], input("optional")]);
        it["outputs"] = json!([output("bool")]);
        it["modes"] = json!({"sync": true, "async": true, "notes": "reentrant"});
    });
    assert_eq!(candidate, golden);
}

#[test]
fn the_stricter_of_claim_and_computation_counts() {
    let (minor, major) = (Compatibility::BackwardCompatible, Compatibility::Breaking);
    let table = [
        (Expectation::Unknown, minor, minor, false),
        (Expectation::Unknown, major, major, false),
        (Expectation::BackwardCompatible, minor, minor, false),
        (Expectation::BackwardCompatible, major, major, true),
        (Expectation::Breaking, minor, major, false),
        (Expectation::Breaking, major, major, false),
    ];
    for (claim, computed, settled, refuted) in table {
        assert_eq!(claim.settled(computed), settled);
        assert_eq!(claim.is_refuted_by(computed), refuted);
    }
    let value = json!({"mode_changes": {"async": true}});
    let (candidate, computed) = delta(value).apply(&contract(), Expectation::Breaking).unwrap();
    assert_eq!((candidate.module_version.to_string().as_str(), computed), ("2.0.0", minor));
    assert_eq!(
        serde_json::to_string(&Expectation::BackwardCompatible).unwrap(),
        r#""BACKWARD_COMPATIBLE""#
    );
}

#[test]
fn an_optional_input_says_so() {
    let with = |kind: &str, constraint: &str| Parameter {
        name: "x".into(),
        type_name: kind.into(),
        constraints: [constraint].map(String::from).into(),
    };
    let yes = [
        ("Option<u8>", "at most 5"),
        ("Optional[int]", "small"),
        ("int | None", "small"),
        ("string | undefined", "short"),
        ("number?", "small"),
        ("u8", "optional"),
        ("u8", "Default 5"),
        ("u8", "defaults to 5"),
    ];
    for (kind, constraint) in yes {
        assert!(with(kind, constraint).is_optional(), "{kind} {constraint}");
    }
    for (kind, constraint) in
        [("u8", "not optional"), ("Optionality", "x"), ("None", "x"), ("int | str", "x")]
    {
        assert!(!with(kind, constraint).is_optional(), "{kind} {constraint}");
    }
}

proptest! {
    /// A delta is stored and read back as itself, and says of each candidate what its version says.
    #[test]
    fn a_delta_of_random_parts_fits_or_is_refused(
        removed in prop::collection::vec(prop_oneof!["tenant", "now_ms", "x"], 0..3),
        added in prop::collection::btree_set("[a-z]{1,6}", 0..4),
        is_async in any::<Option<bool>>(),
    ) {
        let inputs: Vec<Value> =
            added.iter().map(|name| json!({"name": name, "type": "u8?", "constraints": []})).collect();
        let value = json!({
            "removed_inputs": removed, "added_inputs": inputs, "mode_changes": is_async.map(|it| json!({"async": it})),
        });
        if let Ok(delta) = ContractDelta::parse(value.to_string().as_bytes()) {
            let again = ContractDelta::parse(&serde_json::to_vec(&delta).unwrap()).unwrap();
            prop_assert_eq!(&again, &delta);
            if let Ok((candidate, computed)) = delta.apply(&contract(), Expectation::Unknown) {
                prop_assert_eq!(computed.bump(), bump_between(&contract(), &candidate));
                prop_assert!(removed.iter().all(|it| candidate.interface.inputs.iter().all(|at| at.name != *it)
                    || added.contains(it)));
            }
        }
    }
}

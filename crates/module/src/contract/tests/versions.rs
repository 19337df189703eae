//! Versions that may follow each other.

use std::string::ToString as _;

use sealwright_kernel::pack::Version;
use serde_json::{Value, json};

use crate::contract::*;
use crate::testing::{contract, contract_json, contract_of};

fn at(version: &str, change: impl FnOnce(&mut Value)) -> MicroModuleContract {
    let mut value = contract_json();
    change(&mut value);
    value["module_version"] = json!(version);
    contract_of(&value)
}

fn same(_: &mut Value) {}

#[test]
fn a_new_module_starts_at_its_first_version() {
    assert_eq!(FIRST_VERSION.to_string(), "1.0.0");
    assert!(check_version(None, &contract()).is_ok());
    for version in ["0.1.0", "1.0.1", "2.0.0"] {
        let refused = check_version(None, &at(version, same)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            std::format!("a new module starts at 1.0.0, not at {version}")
        );
        assert!(refused.hint().contains("1.0.0"));
    }
}

/// Proves: F-STORE-007
#[test]
fn an_equal_fingerprint_needs_a_patch() {
    let documented =
        |it: &mut Value| it["purpose"] = json!("Says whether a tenant may call again.");
    assert_eq!(bump_between(&contract(), &at("1.0.1", documented)), Bump::Patch);
    assert_eq!(check_version(Some(&contract()), &at("1.0.1", documented)), Ok(Bump::Patch));
    assert_eq!(check_version(Some(&contract()), &at("1.0.1", same)), Ok(Bump::Patch));
}

#[test]
fn a_version_follows_by_one_step_that_is_great_enough() {
    let minor = |it: &mut Value| it["modes"]["async"] = json!(true);
    let major = |it: &mut Value| it["inputs"][0]["type"] = json!("String");
    let old = at("1.4.2", same);
    let check = |new: &MicroModuleContract| check_version(Some(&old), new);
    for (version, bump) in [("1.4.3", Bump::Patch), ("1.5.0", Bump::Minor), ("2.0.0", Bump::Major)]
    {
        assert_eq!(check(&at(version, same)), Ok(bump));
        let small = |needed| {
            let version = version.parse::<Version>().unwrap();
            Err(VersionRefused::TooSmall { previous: old.module_version, version, needed })
        };
        let expected = if bump < Bump::Minor { small(Bump::Minor) } else { Ok(bump) };
        assert_eq!(check(&at(version, minor)), expected, "{version}");
        let expected = if bump < Bump::Major { small(Bump::Major) } else { Ok(bump) };
        assert_eq!(check(&at(version, major)), expected, "{version}");
    }
    for version in ["1.4.2", "1.4.1", "1.4.4", "1.5.1", "1.6.0", "2.0.1", "2.1.0", "3.0.0", "0.9.0"]
    {
        let refused = check(&at(version, same)).unwrap_err();
        assert_eq!(refused.to_string(), std::format!("{version} does not follow 1.4.2"));
    }
    let other = at("1.4.3", |it| {
        it["module_id"] = json!("MM-other");
    });
    assert!(matches!(check(&other), Err(VersionRefused::OtherModule { .. })));
}

#[test]
fn another_order_of_what_is_passed_by_position_is_breaking() {
    let bump = |list: &str| {
        let new = at("1.0.0", |it| it[list].as_array_mut().unwrap().swap(0, 1));
        bump_between(&contract(), &new)
    };
    assert_eq!(bump("inputs"), Bump::Major);
    assert_eq!(bump("error_surfaces"), Bump::Minor);
    let optional = json!({"name": "burst", "type": "u8?", "constraints": []});
    let inserted = |at_place: usize| {
        let new = at("1.0.0", |it| {
            it["inputs"].as_array_mut().unwrap().insert(at_place, optional.clone())
        });
        bump_between(&contract(), &new)
    };
    assert_eq!((inserted(0), inserted(1), inserted(2)), (Bump::Major, Bump::Major, Bump::Minor));
}

#[test]
fn another_place_to_link_to_is_breaking_and_another_signature_is_not() {
    let bump = |field: &str| {
        bump_between(&contract(), &at("1.0.0", |it| it["binding"][field] = json!("other")))
    };
    for field in ["language", "package", "entry_point"] {
        assert_eq!(bump(field), Bump::Major, "{field}");
    }
    assert_eq!(bump("signature"), Bump::Patch);
    let without = at("1.0.0", |it| it["binding"] = Value::Null);
    assert_eq!(bump_between(&contract(), &without), Bump::Major);
    assert_eq!(bump_between(&without, &contract()), Bump::Patch);
}

#[test]
fn a_version_that_is_used_up_has_no_next_one() {
    let full = Version { major: 1, minor: u32::MAX, patch: u32::MAX };
    assert_eq!((Bump::Patch.next(full), Bump::Minor.next(full)), (None, None));
    assert_eq!(Bump::Major.next(full), Some(Version { major: 2, minor: 0, patch: 0 }));
}

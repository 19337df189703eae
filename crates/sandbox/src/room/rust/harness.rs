//! Test executables without the test harness: programs of their own, each of them one test.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::room::material::Files;

/// The source files of all tests that a manifest builds with `harness = false`.
pub(super) fn without(frozen: &Files) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, content) in frozen {
        let Some(folder) = path.strip_suffix("Cargo.toml").filter(|it| is_folder(it)) else {
            continue;
        };
        let Some(manifest) =
            std::str::from_utf8(content).ok().and_then(|text| text.parse::<Table>().ok())
        else {
            continue;
        };
        for test in manifest.get("test").and_then(Value::as_array).into_iter().flatten() {
            let named = |key: &str| test.get(key).and_then(Value::as_str);
            if test.get("harness").and_then(Value::as_bool) != Some(false) {
                continue;
            }
            match (named("path"), named("name")) {
                (Some(path), _) => {
                    found.insert(format!("{folder}{path}"));
                }
                (None, Some(name)) => {
                    found.insert(format!("{folder}tests/{name}.rs"));
                    found.insert(format!("{folder}tests/{name}/main.rs"));
                }
                (None, None) => {}
            }
        }
    }
    found
}

fn is_folder(prefix: &str) -> bool {
    prefix.is_empty() || prefix.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_without_a_harness_are_listed() {
        let manifest = "[package]\nname = 'a'\n[[test]]\nname = 'own'\nharness = false\n[[test]]\nname = 'usual'\n\
                        [[test]]\nname = 'far'\npath = 'far/it.rs'\nharness = false\n";
        let frozen: Files = [("one/Cargo.toml", manifest), ("xCargo.toml", manifest)]
            .map(|(path, text)| (path.to_owned(), text.into()))
            .into();
        let found: Vec<String> = without(&frozen).into_iter().collect();
        assert_eq!(found, ["one/far/it.rs", "one/tests/own.rs", "one/tests/own/main.rs"]);
    }
}

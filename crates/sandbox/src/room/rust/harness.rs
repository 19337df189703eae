//! What manifests say of tests: which have no harness and are programs of their own, and which are not built.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::room::material::Files;

/// All manifests of a project, by the folders they are in.
pub(super) struct Manifests<'m>(Vec<(&'m str, Table)>);

impl<'m> Manifests<'m> {
    pub(super) fn of(frozen: &'m Files) -> Self {
        let found = frozen.iter().filter_map(|(path, content)| {
            let folder = path.strip_suffix("Cargo.toml").filter(|it| is_folder(it))?;
            Some((folder, std::str::from_utf8(content).ok()?.parse().ok()?))
        });
        Self(found.collect())
    }

    /// The source files of all tests that are built with `harness = false`.
    pub(super) fn without_harness(&self) -> BTreeSet<String> {
        let bare = |test: &&Value| test.get("harness").and_then(Value::as_bool) == Some(false);
        let of = |(folder, manifest): &(&str, Table)| -> Vec<String> {
            tests(manifest).filter(bare).flat_map(|test| paths(folder, test)).collect()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// Whether cargo builds no test from this file: it needs a feature that is off, it is not listed where tests are not
    /// looked for, or its package is none of the workspace.
    pub(super) fn is_left_out(&self, path: &str) -> bool {
        let of_package = self.0.iter().filter(|(folder, _)| path.starts_with(folder));
        let Some((folder, manifest)) = of_package.max_by_key(|(folder, _)| folder.len()) else {
            return false;
        };
        let listed = tests(manifest).find(|test| paths(folder, test).iter().any(|it| it == path));
        let is_off = listed.is_some_and(|test| needs_more(manifest, test));
        let package = manifest.get("package");
        let is_looked_for = package.and_then(|it| it.get("autotests")).and_then(Value::as_bool);
        let is_integration = path.strip_prefix(folder).is_some_and(|it| it.starts_with("tests/"));
        let is_unlisted = is_looked_for == Some(false) && listed.is_none() && is_integration;
        is_off || is_unlisted || is_elsewhere(&self.0, folder)
    }
}

/// Whether a test needs a feature that is off unless somebody asks for it.
fn needs_more(manifest: &Table, test: &Value) -> bool {
    let features = manifest.get("features").and_then(Value::as_table);
    let mut on: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(feature) = open.pop() {
        let more = features.and_then(|it| it.get(feature)).and_then(Value::as_array);
        if on.insert(feature) {
            open.extend(more.into_iter().flatten().filter_map(Value::as_str));
        }
    }
    let needed = test.get("required-features").and_then(Value::as_array);
    needed.into_iter().flatten().filter_map(Value::as_str).any(|it| !on.contains(it))
}

/// Whether a package is neither at the top, nor a member, nor what a package depends on by its path.
fn is_elsewhere(manifests: &[(&str, Table)], folder: &str) -> bool {
    let Some((_, top)) = manifests.iter().find(|(folder, _)| folder.is_empty()) else {
        return false;
    };
    let folder = folder.trim_end_matches('/');
    let members = top.get("workspace").and_then(|it| it.get("members")).and_then(Value::as_array);
    let mut members = members.into_iter().flatten().filter_map(Value::as_str);
    // What a pattern means is for cargo to say.
    let is_member = members.any(|it| it.trim_end_matches('/') == folder || it.contains(['*', '?']));
    let name = folder.rsplit('/').next().unwrap_or_default();
    let is_used = manifests.iter().any(|(_, it)| it.values().any(|value| leads_to(value, name)));
    !folder.is_empty() && !is_member && !is_used
}

/// Whether a path in this part of a manifest ends with a folder of this name.
fn leads_to(value: &Value, name: &str) -> bool {
    let is_path = |(key, value): (&String, &Value)| {
        let path = value.as_str().filter(|_| key == "path");
        path.is_some_and(|path| path.trim_end_matches('/').rsplit('/').next() == Some(name))
            || leads_to(value, name)
    };
    match value {
        Value::Table(table) => table.iter().any(is_path),
        Value::Array(values) => values.iter().any(|value| leads_to(value, name)),
        _ => false,
    }
}

fn tests(manifest: &Table) -> impl Iterator<Item = &Value> {
    manifest.get("test").and_then(Value::as_array).into_iter().flatten()
}

/// The files that a listed test may have its source in.
fn paths(folder: &str, test: &Value) -> Vec<String> {
    let named = |key: &str| test.get(key).and_then(Value::as_str);
    match (named("path"), named("name")) {
        (Some(path), _) => vec![format!("{folder}{path}")],
        (None, Some(name)) => {
            vec![format!("{folder}tests/{name}.rs"), format!("{folder}tests/{name}/main.rs")]
        }
        (None, None) => vec![],
    }
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
        let found: Vec<String> = Manifests::of(&frozen).without_harness().into_iter().collect();
        assert_eq!(found, ["one/far/it.rs", "one/tests/own.rs", "one/tests/own/main.rs"]);
    }

    #[test]
    fn what_cargo_does_not_build_is_known_from_manifests() {
        let top = "[package]\nname = 'a'\nautotests = false\n[features]\ndefault = ['b']\nb = ['c']\nextra = []\n\
                   [[test]]\nname = 'on'\nrequired-features = ['c']\n[[test]]\nname = 'off'\nrequired-features = ['extra']\n\
                   [workspace]\nmembers = ['member']\n[dependencies]\nused = { path = 'used' }\n";
        let other = "[package]\nname = 'other'\n";
        let frozen: Files = [
            ("Cargo.toml", top),
            ("member/Cargo.toml", other),
            ("used/Cargo.toml", other),
            ("fuzz/Cargo.toml", other),
        ]
        .map(|(path, text)| (path.to_owned(), text.into()))
        .into();
        for (path, is_out) in [
            ("tests/on.rs", false),
            ("tests/off.rs", true),
            ("tests/unlisted.rs", true),
            ("src/lib.rs", false),
            ("member/tests/it.rs", false),
            ("used/tests/it.rs", false),
            ("fuzz/tests/it.rs", true),
        ] {
            assert_eq!(Manifests::of(&frozen).is_left_out(path), is_out, "{path}");
        }
    }
}

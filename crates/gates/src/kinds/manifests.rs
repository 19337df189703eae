//! Manifests: which packages a project asks for, and how, in the words of its language.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::reports::short;

/// What is asked for: by table and name, how. Two requests that differ in anything differ here.
pub(crate) type Requests = BTreeMap<(String, String), Json>;

/// Whether a file of this path asks for packages.
pub(crate) fn is_manifest(path: &str) -> bool {
    language(path).is_some()
}

/// What a manifest asks for, or why it cannot be read.
pub(crate) fn requests(path: &str, content: &[u8]) -> Result<Requests, String> {
    let text = std::str::from_utf8(content).map_err(|_| format!("`{path}` is not text"))?;
    let wrong = |error: String| format!("`{path}` cannot be read: {}", short(&error));
    let toml = || text.parse::<Table>().map_err(|error| wrong(error.to_string()));
    match language(path) {
        None => Ok(Requests::new()),
        Some(Language::Cargo) => Ok(cargo(&toml()?)),
        Some(Language::Pyproject) => Ok(pyproject(&toml()?)),
        Some(Language::Requirements) => Ok(requirements(text)),
        Some(Language::Package) => {
            let package = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
            Ok(package_json(&package))
        }
        Some(Language::Unread) => {
            Err(format!("what `{path}` asks for can only be found out by running it"))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cargo,
    Pyproject,
    Requirements,
    Package,
    /// A program, not a list.
    Unread,
}

fn language(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Cargo.toml" => Some(Language::Cargo),
        "pyproject.toml" | "Pipfile" => Some(Language::Pyproject),
        "package.json" => Some(Language::Package),
        "setup.py" => Some(Language::Unread),
        _ => {
            let is_list = name.contains("requirements") && name.ends_with(".txt");
            is_list.then_some(Language::Requirements)
        }
    }
}

fn cargo(manifest: &Table) -> Requests {
    let mut requests = Requests::new();
    take(&mut requests, "", manifest, &CARGO_TABLES);
    if let Some(workspace) = manifest.get("workspace").and_then(Value::as_table) {
        take(&mut requests, "workspace.", workspace, &["dependencies"]);
    }
    let targets = manifest.get("target").and_then(Value::as_table);
    for (target, tables) in targets.into_iter().flatten() {
        if let Some(tables) = tables.as_table() {
            take(&mut requests, &format!("target.{target}."), tables, &CARGO_TABLES);
        }
    }
    // What stands here takes the place of packages, wherever they are asked for.
    let patches = manifest.get("patch").and_then(Value::as_table);
    for (source, patched) in patches.into_iter().flatten() {
        for (name, how) in patched.as_table().into_iter().flatten() {
            requests.insert((format!("patch.{source}"), name.clone()), plain(how));
        }
    }
    take(&mut requests, "", manifest, &["replace"]);
    requests
}

fn pyproject(manifest: &Table) -> Requests {
    let mut requests = Requests::new();
    let table = |names: &[&str]| {
        names.iter().try_fold(manifest, |table, name| table.get(*name)?.as_table())
    };
    let mut listed = |group: &str, list: Option<&Value>| {
        for requirement in list.and_then(Value::as_array).into_iter().flatten() {
            // A group may also name another group, which is a table.
            let name = requirement.as_str().map_or_else(|| "include".to_owned(), python_name);
            requests.insert((group.to_owned(), name), plain(requirement));
        }
    };
    listed("project", table(&["project"]).and_then(|project| project.get("dependencies")));
    listed("build-system", table(&["build-system"]).and_then(|build| build.get("requires")));
    for groups in [table(&["project", "optional-dependencies"]), table(&["dependency-groups"])] {
        for (group, list) in groups.into_iter().flatten() {
            listed(group, Some(list));
        }
    }
    for names in [
        &["tool", "poetry", "dependencies"][..],
        &["tool", "poetry", "dev-dependencies"],
        &["tool", "uv", "sources"],
        &["packages"],
        &["dev-packages"],
    ] {
        for (name, how) in table(names).into_iter().flatten() {
            requests.insert((names.join("."), python_name(name)), plain(how));
        }
    }
    for (group, tables) in table(&["tool", "poetry", "group"]).into_iter().flatten() {
        let dependencies = tables.get("dependencies").and_then(Value::as_table);
        for (name, how) in dependencies.into_iter().flatten() {
            requests.insert((group.clone(), python_name(name)), plain(how));
        }
    }
    // The interpreter is no package.
    requests.retain(|(_, name), _| name != "python");
    requests
}

fn requirements(text: &str) -> Requests {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or(line).trim());
    let is_request = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let request = |line: &str| (("requirements".to_owned(), python_name(line)), Json::from(line));
    lines.filter(is_request).map(request).collect()
}

fn package_json(package: &Json) -> Requests {
    let mut requests = Requests::new();
    for table in PACKAGE_TABLES {
        for (name, how) in package.get(table).and_then(Json::as_object).into_iter().flatten() {
            requests.insert((table.to_owned(), name.clone()), how.clone());
        }
    }
    requests
}

fn take(requests: &mut Requests, before: &str, manifest: &Table, tables: &[&str]) {
    for table in tables {
        for (name, how) in manifest.get(*table).and_then(Value::as_table).into_iter().flatten() {
            requests.insert((format!("{before}{table}"), name.clone()), plain(how));
        }
    }
}

/// How something is asked for, in a form that can be compared.
fn plain(how: &Value) -> Json {
    serde_json::to_value(how).unwrap_or(Json::Null)
}

/// The name at the beginning of a requirement, written the one way all ways are equal to.
fn python_name(requirement: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let trimmed = requirement.trim();
    let end = trimmed.find(|c: char| !is_part(c)).unwrap_or(trimmed.len());
    match &trimmed[..end] {
        // An option or an address.
        "" => trimmed.to_owned(),
        name if name.starts_with('-') => trimmed.to_owned(),
        name => name.to_ascii_lowercase().replace(['_', '.'], "-"),
    }
}

const CARGO_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
const PACKAGE_TABLES: [&str; 6] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
];

#[cfg(test)]
mod tests;

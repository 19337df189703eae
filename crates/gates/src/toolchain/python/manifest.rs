//! What `pyproject.toml`, `Pipfile` and lists of requirements ask for.

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::toolchain::manifests::{Manifest, Requests, plain, toml};

pub(super) fn manifest(name: &str) -> Option<Manifest> {
    let is_list = name.contains("requirements") && name.ends_with(".txt");
    match name {
        "pyproject.toml" | "Pipfile" => Some(Manifest {
            requests: Some(|text| Ok(pyproject(&toml(text)?))),
            locks: &[
                "uv.lock",
                "poetry.lock",
                "pdm.lock",
                "Pipfile.lock",
                "requirements.lock",
                "requirements.txt",
            ],
        }),
        "setup.py" => Some(Manifest { requests: None, locks: &[] }),
        _ if is_list => {
            Some(Manifest { requests: Some(|text| Ok(requirements(text))), locks: &[] })
        }
        _ => None,
    }
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

/// The name at the beginning of a requirement, normalized.
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

//! The schemas in `docs/schemas`, one for each command, and what they say of a value.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::Value;

/// Every published schema, by its command.
pub(crate) struct Published {
    schemas: BTreeMap<String, (Value, Validator)>,
}

impl Published {
    /// Reads them. Nothing but the file itself is at hand when a schema is made ready, so one
    /// that leans on another file is not.
    pub(crate) fn read() -> Self {
        let mut schemas = BTreeMap::new();
        for entry in fs::read_dir(documents().join("schemas")).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(path.extension().unwrap(), "json", "{}", path.display());
            let command = path.file_stem().unwrap().to_string_lossy().into_owned();
            let schema: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let validator = jsonschema::draft202012::new(&schema)
                .unwrap_or_else(|error| panic!("{command}: {error}"));
            schemas.insert(command, (schema, validator));
        }
        Self { schemas }
    }

    /// The commands that have one.
    pub(crate) fn commands(&self) -> BTreeSet<String> {
        self.schemas.keys().cloned().collect()
    }

    /// Each schema as it is written.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.schemas.iter().map(|(command, (schema, _))| (command.as_str(), schema))
    }

    /// Why `command` may not print `value`, if it may not.
    pub(crate) fn refusal(&self, command: &str, value: &Value) -> Option<String> {
        let Some((_, validator)) = self.schemas.get(command) else {
            return Some(format!("`{command}` has no schema"));
        };
        let errors = validator.iter_errors(value);
        let errors: Vec<String> =
            errors.map(|error| format!("{}: {error}", error.instance_path())).collect();
        (!errors.is_empty()).then(|| errors.join("\n"))
    }
}

/// The commands that print data, as `--help` lists them. All of them take `--format json`.
pub(crate) fn commands() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_sealwright")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (listed, _) = help.split_once("\n\nOptions:\n").unwrap();
    // A name stands two blanks in; the last line has several.
    let names = listed.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.flat_map(|line| match line.contains(", ") && !line.contains("  ") {
        true => line.split(", ").map(str::to_owned).collect::<Vec<_>>(),
        false => line.split_whitespace().take(1).map(str::to_owned).collect(),
    });
    // What `mcp` says is in the words of its protocol, and what it tells is what other commands print. What
    // `completions` prints is a script for a shell.
    names.filter(|name| !["help", "mcp", "completions"].contains(&name.as_str())).collect()
}

/// Where the documents stand.
pub(crate) fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

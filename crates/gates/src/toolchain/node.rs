//! JavaScript and TypeScript: files that package managers and runners read. There is no clean room for them yet.

use serde_json::Value;

use crate::guard::Guard;
use crate::toolchain::ecosystem::{Ecosystem, Folder, Found, Installed, Signs, SuggestedCheck};
use crate::toolchain::manifests::{Manifest, Requests};

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    detect,
    manifest,
    guard,
    locks: LOCKS,
    installed: Some(Installed { manifest: "package.json", folder: "node_modules" }),
    by_products: &["node_modules"],
    leftover_folders: &["node_modules"],
    signs: Signs { test_texts: &["JEST_WORKER_ID", "VITEST"], ..Signs::NONE },
    ..Ecosystem::UNKNOWN
};

fn guard(name: &str) -> Option<Guard> {
    match name {
        "package.json" => Some(Guard::Manifest),
        "bun.lockb" | "deno.lock" => Some(Guard::Lock),
        _ if LOCKS.contains(&name) => Some(Guard::Lock),
        ".npmrc" | ".pnpmfile.cjs" | "pnpm-workspace.yaml" | ".nvmrc" | ".node-version" => {
            Some(Guard::ToolConfiguration)
        }
        _ if CONFIGURATION.iter().any(|prefix| name.starts_with(prefix)) => {
            Some(Guard::ToolConfiguration)
        }
        _ => None,
    }
}

fn manifest(name: &str) -> Option<Manifest> {
    (name == "package.json").then_some(Manifest { requests: Some(requests), locks: LOCKS })
}

fn requests(text: &str) -> Result<Requests, String> {
    let package: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut requests = Requests::new();
    for table in TABLES {
        for (name, how) in package.get(table).and_then(Value::as_object).into_iter().flatten() {
            requests.insert((table.to_owned(), name.clone()), how.clone());
        }
    }
    Ok(requests)
}

fn detect(folder: &dyn Folder) -> Option<Found> {
    if !folder.is_file("package.json") {
        return None;
    }
    let package: Value = serde_json::from_str(&folder.text("package.json")).unwrap_or_default();
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    // `npm init` writes a script that says there are no tests.
    let is_real = !script.trim().is_empty() && !script.contains("no test specified");
    let manager = if folder.is_file("pnpm-lock.yaml") {
        "pnpm"
    } else if folder.is_file("yarn.lock") {
        "yarn"
    } else {
        "npm"
    };
    let is_typed = folder.is_file("tsconfig.json");
    let language = if is_typed { "typescript" } else { "javascript" };
    let check = is_real.then(|| suggested(manager, script, &package));
    Some(Found { language, check })
}

/// Runners that are known to write a report are asked for one. Their words come last, so a script may not go on after
/// the runner.
fn suggested(manager: &'static str, script: &str, package: &Value) -> SuggestedCheck {
    let is_alone = !script.contains(['&', '|', ';', '>', '#']);
    let has = |word: &str| is_alone && script.split_whitespace().any(|it| it == word);
    let has_reporter = package["devDependencies"]["jest-junit"].is_string();
    let words: &[&str] = if has("vitest") {
        &["--run", "--reporter=junit", "--outputFile=/reports/junit.xml"]
    } else if has("jest") && has_reporter {
        &["--reporters=jest-junit"]
    } else if script.trim() == "node --test" {
        &["--test-reporter=junit", "--test-reporter-destination=/reports/junit.xml"]
    } else {
        return SuggestedCheck::new("command", vec![manager, "test"]);
    };
    // Others hand on what follows as it is.
    let apart = (manager == "npm").then_some("--");
    let command = [manager, "test"].into_iter().chain(apart).chain(words.iter().copied());
    SuggestedCheck { report: Some("junit.xml"), ..SuggestedCheck::new("junit", command.collect()) }
}

const LOCKS: &[&str] =
    &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];

const TABLES: [&str; 6] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
];

/// Configuration of runners and compilers, in any of the endings they read.
const CONFIGURATION: &[&str] = &[
    "jest.config.",
    "jest.setup.",
    "vitest.config.",
    "vitest.setup.",
    "vitest.workspace.",
    "vite.config.",
    "babel.config.",
    "playwright.config.",
    "cypress.config.",
    "karma.conf.",
    "eslint.config.",
    ".eslintrc",
    ".babelrc",
    ".swcrc",
    ".mocharc",
    ".yarnrc",
    "tsconfig.",
];

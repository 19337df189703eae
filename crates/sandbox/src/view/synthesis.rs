//! Synthesis: the two files that stand for a module whose contract is not shown.
//!
//! They are written from the contract, field by field, so that no other field slips through.

use sealwright_kernel::Ref;
use serde::{Deserialize, Serialize};

use super::error::ViewError;
use super::listing::{ListedArtifact, ListedModule};

/// That something exists, and what it is called.
#[derive(Debug, Serialize)]
struct Metadata<'a> {
    id: &'a str,
    version: String,
    name: &'a str,
    status: &'a str,
    tags: &'a [String],
}

/// Also what it is for, and what goes in and out.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    metadata: Metadata<'a>,
    purpose: &'a str,
    io_summary: IoSummary,
    error_cases: Vec<String>,
}

#[derive(Debug, Serialize)]
struct IoSummary {
    inputs: Vec<String>,
    outputs: Vec<String>,
    error_surfaces: Vec<String>,
    effects: Vec<String>,
    modes: Vec<&'static str>,
}

/// As much of a contract as is told. The rest of it is not even read.
#[derive(Debug, Deserialize)]
struct Contract {
    name: String,
    purpose: String,
    tags: Vec<String>,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    error_surfaces: Vec<ErrorSurface>,
    effects: Vec<Effect>,
    modes: Modes,
    error_cases: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Value {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct ErrorSurface {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Effect {
    #[serde(rename = "type")]
    kind: String,
    target: String,
}

#[derive(Debug, Deserialize)]
struct Modes {
    sync: bool,
    #[serde(rename = "async")]
    is_async: bool,
}

/// `metadata.json` of a module.
pub(super) fn metadata(module: &ListedModule) -> Result<Vec<u8>, ViewError> {
    let contract = contract(module)?;
    Ok(written(&metadata_of(module, &contract)))
}

/// `summary.json` of a module.
pub(super) fn summary(module: &ListedModule) -> Result<Vec<u8>, ViewError> {
    let contract = contract(module)?;
    let typed =
        |values: &[Value]| values.iter().map(|it| format!("{}: {}", it.name, it.kind)).collect();
    let modes = [(contract.modes.sync, "sync"), (contract.modes.is_async, "async")];
    let summary = Summary {
        metadata: metadata_of(module, &contract),
        purpose: &contract.purpose,
        io_summary: IoSummary {
            inputs: typed(&contract.inputs),
            outputs: typed(&contract.outputs),
            error_surfaces: contract.error_surfaces.iter().map(|it| it.name.clone()).collect(),
            effects: contract
                .effects
                .iter()
                .map(|it| format!("{} {}", it.kind, it.target))
                .collect(),
            modes: modes.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect(),
        },
        error_cases: contract.error_cases.iter().map(|case| title(case)).collect(),
    };
    Ok(written(&summary))
}

/// What is told of an artifact that is not shown whole.
pub(super) fn artifact_metadata(artifact: &ListedArtifact) -> Vec<u8> {
    let ListedArtifact { reference, name, status, tags, .. } = artifact;
    written(&Metadata { id: reference.id(), version: version(reference), name, status, tags })
}

fn contract(module: &ListedModule) -> Result<Contract, ViewError> {
    if module.contract.is_empty() {
        return Err(ViewError::Incomplete {
            reference: module.reference.clone(),
            file: "contract.json",
        });
    }
    let unreadable = |source| ViewError::Contract { reference: module.reference.clone(), source };
    serde_json::from_slice(&module.contract).map_err(unreadable)
}

fn metadata_of<'a>(module: &'a ListedModule, contract: &'a Contract) -> Metadata<'a> {
    Metadata {
        id: module.reference.id(),
        version: version(&module.reference),
        name: &contract.name,
        status: &module.status,
        tags: &contract.tags,
    }
}

fn version(reference: &Ref) -> String {
    reference.version().to_string()
}

/// What an error case is called: its first line, up to the colon.
fn title(case: &str) -> String {
    let line = case.lines().next().unwrap_or_default();
    let title = line.split(':').next().unwrap_or_default().trim();
    title.chars().take(TITLE_MAX).collect()
}

fn written<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("text and lists of text are JSON");
    bytes.push(b'\n');
    bytes
}

const TITLE_MAX: usize = 120;

//! Specs, documents and resolutions of strangers, bent at random: each refusal names its place.

use std::fs;

use anyhow::{Context as _, Result};
use sealwright_documents::{Finding, design, preferences, proposal, readiness, scope};
use sealwright_kernel::product::{self, Deficiency, ProductSpec, split};
use sealwright_kernel::scripted;
use sealwright_kernel::task::escalation::Resolution;

use crate::prove::Size;
use crate::prove::bent::{self, Kind};
use crate::prove::figures::Figures;
use crate::workspace::root;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let sample = |name: &str| -> Result<Vec<u8>> {
        let path = root().join(EXAMPLE).join(name);
        fs::read(&path).with_context(|| path.display().to_string())
    };
    let resolutions: Result<Vec<_>, _> =
        scripted::resolutions().iter().map(serde_json::to_vec).collect();
    let kinds = [
        Kind { name: "specs", samples: vec![sample("spec.json")?], read: spec },
        Kind { name: "scope.md", samples: vec![sample("scope.md")?], read: scope_md },
        Kind { name: "design.md", samples: vec![sample("design.md")?], read: design_md },
        Kind { name: "readiness.md", samples: vec![sample("readiness.md")?], read: readiness_md },
        Kind {
            name: "preferences.md and proposal.md",
            samples: vec![sample("preferences.md")?, sample("proposal.md")?],
            read: others,
        },
        Kind { name: "resolutions", samples: resolutions?, read: resolution },
    ];
    bent::prove(&kinds, (5_000, 1_700_000), size, figures)
}

fn spec(bytes: &[u8]) -> Result<(), String> {
    let (report, spec) = product::check(bytes);
    match &spec {
        Some(spec) => {
            let places = product::plan(spec).map_err(|errors| format!("no plan: {errors:?}"))?;
            let planned: usize = product::parts(spec, &places).iter().map(Vec::len).sum();
            if planned != places.len() {
                return Err(format!("{planned} of {} tasks are planned", places.len()));
            }
        }
        None if report.errors.is_empty() => return Err("refused without a reason".to_owned()),
        None => {}
    }
    placed(&report.errors)
}

/// Each defect has a place: an element, a field, or a line of the text.
fn placed(errors: &[Deficiency]) -> Result<(), String> {
    let has_place = |it: &Deficiency| {
        !it.path.is_empty() || !it.field.is_empty() || it.message.contains(" line ")
    };
    match errors.iter().find(|it| !has_place(it) || it.message.is_empty()) {
        Some(lost) => Err(format!("no place: {lost:?}")),
        None => Ok(()),
    }
}

fn scope_md(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    findings(&scope::read(Some(&text), None).1)
}

fn design_md(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    findings(&design::read(Some(&text), None).1)
}

fn readiness_md(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    findings(&readiness::read(Some(&text), &["AC-1".to_owned(), "AC-2".to_owned()]).1)
}

fn others(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    findings(&preferences::read(Some(&text)).1)?;
    findings(&proposal::read(Some(&text)).1)
}

/// Each finding has a file, a line and a fix, and there are not many more than a person reads.
fn findings(found: &[Finding]) -> Result<(), String> {
    let is_whole = |it: &Finding| {
        !it.file.is_empty() && it.line > 0 && !it.what.is_empty() && !it.fix.is_empty()
    };
    match found.iter().find(|it| !is_whole(it)) {
        Some(lost) => Err(format!("no place or no fix: {lost:?}")),
        None if found.len() > sealwright_documents::FINDINGS_MAX => {
            Err(format!("{} findings", found.len()))
        }
        None => Ok(()),
    }
}

/// A resolution that can be read is checked, and tried on a spec.
fn resolution(bytes: &[u8]) -> Result<(), String> {
    let resolution = match serde_json::from_slice::<Resolution>(bytes) {
        Ok(resolution) => resolution,
        Err(error) if error.line() == 0 => return Err(format!("no place: {error}")),
        Err(_) => return Ok(()),
    };
    if resolution.check().is_err() {
        return Ok(());
    }
    let spec = example().ok_or("the example has errors")?;
    let places = product::plan(&spec).map_err(|errors| format!("{errors:?}"))?;
    let task = &places.last().ok_or("no task")?.id;
    let changed = match &resolution {
        Resolution::SplitTask { new_tasks, .. } => {
            split::split(&spec, task, new_tasks, NOW).map(Some)
        }
        Resolution::AmendSpec { amended_acceptance_criteria, .. } => {
            split::amend(&spec, task, amended_acceptance_criteria, NOW)
        }
        Resolution::RevisePlan { .. }
        | Resolution::ProvideFix { .. }
        | Resolution::ApproveOverride { .. }
        | Resolution::AbandonTask { .. } => return Ok(()),
    };
    match changed {
        Ok(Some((changed, _))) => {
            let names = |of: &ProductSpec| {
                product::plan(of)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|it| it.id)
                    .collect::<Vec<_>>()
            };
            // No name that was given before changes.
            let (before, after) = (names(&spec), names(&changed));
            if before.iter().all(|it| after.contains(it)) {
                Ok(())
            } else {
                Err(format!("{before:?} became {after:?}"))
            }
        }
        Ok(None) => Ok(()),
        Err(report) if report.errors.is_empty() => Err("refused without a reason".to_owned()),
        Err(report) => placed(&report.errors),
    }
}

fn example() -> Option<ProductSpec> {
    static SPEC: std::sync::OnceLock<Option<ProductSpec>> = std::sync::OnceLock::new();
    let read = || product::check(&fs::read(root().join(EXAMPLE).join("spec.json")).ok()?).1;
    SPEC.get_or_init(read).clone()
}

const EXAMPLE: &str = "docs/examples/parking";
const NOW: &str = "2026-11-19T12:00:00Z";

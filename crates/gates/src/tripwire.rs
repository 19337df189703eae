//! The tripwire: every file that decides how work is judged is as it was frozen, or a role cheated.
//!
//! ```text
//! frozen tests ──reach──▶ helpers, fixtures ─┐
//! contract, checks, names of files ──────────┼──▶ guarded ──compare with a candidate──▶ changes ──▶ cheats
//! declared and granted ──────────────────────┘
//! ```
//!
//! A file that is not there yet can be guarded too: a new start-up hook, or a module that would be imported instead
//! of a guarded one. A change that is wanted (a new package in a manifest) is declared, looked at by a person who
//! may grant it, and then frozen as it is; from then on only that content passes. There is no other way around it.

mod names;
mod reach;

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::{Cheat, Digest};
use serde::{Deserialize, Serialize};

use crate::{Judgement, Listed, Toolchain};

pub use crate::guard::Guard;
pub use names::{is_by_product, is_by_product_beside, kept_folders};

/// Everything that must stay as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    files: BTreeMap<String, Kept>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its content. Nothing, where there must be no such file.
    pub digest: Option<Digest>,
    pub guard: Guard,
    /// Why it is guarded, in words: who reaches it, or who granted its change.
    pub why: String,
}

/// A project, as its guarded files are named.
#[derive(Clone, Debug)]
pub struct Given<'g> {
    pub toolchains: &'g [Toolchain],
    pub tests: &'g [String],
    /// The files of the contract, where it lies in the project.
    pub contract: &'g [String],
    pub commands: &'g [Vec<String>],
    /// The modules under test, by the first name of their import. They may not exist yet.
    pub under_test: &'g [String],
    /// The text of files that tests may reach. A file without text is guarded, but not looked into.
    pub texts: &'g BTreeMap<String, String>,
}

/// A change that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The one file it is about.
    pub path: String,
    pub why: String,
}

/// Why a declared change cannot be granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is what the work is judged by.
    #[error("`{path}` is {}, and that is never changed by declaring it", .guard.name())]
    Never { path: String, guard: Guard },
    /// It would be part of the record without a reason.
    #[error("no reason is given for changing `{path}`")]
    NoReason { path: String },
}

/// A guarded file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    pub guard: Guard,
    pub what: What,
    pub standing: Standing,
}

/// What can happen to a guarded file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Edited,
    Removed,
    Added,
}

/// Whether a change was spoken of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Undeclared,
    /// It was declared, and waits to be looked at and frozen.
    Declared {
        why: String,
    },
}

impl Guarded {
    pub fn of(files: &BTreeMap<String, Digest>, given: &Given<'_>) -> Self {
        let mut guarded = Self::default();
        let named = |paths: &[String], guard: Guard, why: &str, guarded: &mut Self| {
            for path in paths {
                guarded.keep(path, files.get(path).copied(), guard, why);
            }
        };
        named(given.tests, Guard::FrozenTest, "frozen", &mut guarded);
        named(given.contract, Guard::Contract, "frozen", &mut guarded);
        for (path, digest) in files {
            if let Some(guard) = names::guard(path, given.toolchains) {
                guarded.keep(path, Some(*digest), guard, "by its name");
            }
        }
        for path in names::used_by(given.commands, files) {
            let digest = files.get(&path).copied();
            guarded.keep(&path, digest, Guard::GateConfiguration, "used by a check");
        }
        for (path, found) in reach::helpers(files, given) {
            guarded.keep(&path, found.digest, Guard::TestHelper, &found.why);
        }
        guarded
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &Kept)> {
        self.files.iter().map(|(path, kept)| (path.as_str(), kept))
    }

    /// The files that are to be laid over a candidate: those that exist.
    pub fn overlay(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.files.iter().filter_map(|(path, kept)| Some((path.as_str(), kept.digest?)))
    }

    /// Freezes a declared change as it is now: from here on only this content passes, or its absence.
    pub fn grant(&mut self, declared: &Declared, now: Option<Digest>) -> Result<(), Refused> {
        let Declared { path, why } = declared;
        if why.trim().is_empty() {
            return Err(Refused::NoReason { path: path.clone() });
        }
        let guard = match self.files.get(path) {
            Some(kept) => kept.guard,
            None => names::guard(path, &Toolchain::ALL).unwrap_or(Guard::TestHelper),
        };
        if !guard.may_be_declared() {
            return Err(Refused::Never { path: path.clone(), guard });
        }
        self.files.insert(path.clone(), Kept { digest: now, guard, why: why.clone() });
        Ok(())
    }

    /// The guarded files that a candidate changed, the gravest first. `declared` holds changes that are not granted yet.
    pub fn compare(
        &self,
        candidate: &BTreeMap<String, Digest>,
        toolchains: &[Toolchain],
        declared: &[Declared],
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |path: &str, guard: Guard, what: What| {
            let told = declared.iter().find(|declared| declared.path == path);
            let standing = match told {
                Some(declared) if guard.may_be_declared() => {
                    Standing::Declared { why: declared.why.clone() }
                }
                Some(_) | None => Standing::Undeclared,
            };
            changes.push(Change { path: path.to_owned(), guard, what, standing });
        };
        for (path, kept) in &self.files {
            match (kept.digest, candidate.get(path)) {
                (None, None) => {}
                (Some(was), Some(is)) if was == *is => {}
                (Some(_), Some(_)) => add(path, kept.guard, What::Edited),
                (Some(_), None) => add(path, kept.guard, What::Removed),
                (None, Some(_)) => add(path, kept.guard, What::Added),
            }
        }
        for path in candidate.keys().filter(|path| !self.files.contains_key(*path)) {
            if let Some(guard) = names::guard(path, toolchains) {
                add(path, guard, What::Added);
            }
        }
        changes.sort_by(|a, b| {
            let order = |change: &Change| (change.cheat().is_none(), change.guard);
            order(a).cmp(&order(b)).then_with(|| a.path.cmp(&b.path))
        });
        changes
    }

    fn keep(&mut self, path: &str, digest: Option<Digest>, guard: Guard, why: &str) {
        // The first reason counts: a frozen test is one, whatever reaches it.
        self.files.entry(path.to_owned()).or_insert_with(|| Kept {
            digest,
            guard,
            why: why.to_owned(),
        });
    }
}

/// The files of a candidate, from a listing.
pub fn present(listing: &[Listed]) -> BTreeMap<String, Digest> {
    let present = listing.iter().filter_map(|listed| {
        let now = listed.now?;
        Some((listed.path.clone(), now.digest))
    });
    present.collect()
}

pub fn judge(changes: &[Change]) -> Judgement {
    if changes.is_empty() {
        return Judgement::pass();
    }
    let shown = changes.iter().take(SHOWN_MAX).map(Change::line);
    let mut because: Vec<_> = shown.collect();
    if changes.len() > SHOWN_MAX {
        because.push(format!("and {} more", changes.len() - SHOWN_MAX));
    }
    let mut judgement = Judgement::fail(because);
    let mut told = BTreeSet::new();
    for change in changes {
        if let Some(cheat) = change.cheat()
            && told.insert((cheat, &change.path))
            && judgement.cheats.len() < SHOWN_MAX
        {
            judgement.cheats.push((cheat, change.line()));
        }
    }
    judgement
}

impl Change {
    /// The cheat it is, unless it was declared.
    pub fn cheat(&self) -> Option<Cheat> {
        match self.standing {
            Standing::Undeclared => Some(self.guard.cheat()),
            Standing::Declared { .. } => None,
        }
    }

    pub fn line(&self) -> String {
        let what = match self.what {
            What::Edited => "was changed",
            What::Removed => "was removed",
            What::Added => "was added",
        };
        let Self { path, guard, .. } = self;
        match &self.standing {
            Standing::Undeclared => format!("`{path}` ({}) {what}", guard.name()),
            Standing::Declared { why } => {
                format!("`{path}` ({}) {what}; declared, not granted yet: {why}", guard.name())
            }
        }
    }
}

impl Refused {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Never { .. } => "amend the specification and freeze again",
            Self::NoReason { .. } => "say why",
        }
    }
}

/// How many changes are told one by one.
const SHOWN_MAX: usize = 100;

#[cfg(test)]
mod tests;

//! Auditors: which packages a project stands on are known to be vulnerable.
//!
//! One file for each auditor. An auditor that looked at nothing, or could not look at all of it, has shown nothing; its
//! reader says so.

mod cargo_audit;
mod cargo_deny;
mod npm_audit;
mod pip_audit;

use crate::reports::Unreadable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Auditor {
    /// `cargo audit --json`.
    CargoAudit,
    /// `cargo deny --format json check advisories`.
    CargoDeny,
    /// `pip-audit --format json`.
    PipAudit,
    /// `npm audit --json`.
    NpmAudit,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Every package that should not be there, once for each reason.
    pub advisories: Vec<Advisory>,
    /// Contradictions, and packages that could not be audited.
    pub odd: Vec<String>,
}

/// Why a package should not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advisory {
    /// Its id, such as `RUSTSEC-2024-0001`.
    pub id: String,
    /// The package, with its version where it is told.
    pub package: String,
    /// How bad, in the auditor's words, where it tells.
    pub severity: String,
    pub title: String,
}

impl Auditor {
    pub const ALL: [Self; 4] = [Self::CargoAudit, Self::CargoDeny, Self::PipAudit, Self::NpmAudit];

    /// Its name in `sealwright.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::CargoAudit => "cargo-audit",
            Self::CargoDeny => "cargo-deny",
            Self::PipAudit => "pip-audit",
            Self::NpmAudit => "npm-audit",
        }
    }

    pub fn read(self, bytes: &[u8]) -> Result<Audit, Unreadable> {
        match self {
            Self::CargoAudit => cargo_audit::read(bytes),
            Self::CargoDeny => cargo_deny::read(bytes),
            Self::PipAudit => pip_audit::read(bytes),
            Self::NpmAudit => npm_audit::read(bytes),
        }
    }
}

#[cfg(test)]
mod tests;

//! Scanners: where something stands that looks like a secret.
//!
//! What was found is told by rule and place. The secret itself is never repeated.

mod detect_secrets;
mod gitleaks;

use crate::reports::Unreadable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scanner {
    /// `gitleaks dir --report-format json`.
    Gitleaks,
    /// `detect-secrets scan`.
    DetectSecrets,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    pub leaks: Vec<Leak>,
    pub odd: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    pub rule: String,
    pub path: String,
    /// The line, where it is told.
    pub line: Option<u64>,
    /// What it goes by in a list of known ones. Two scans call the same place the same.
    pub fingerprint: String,
}

impl Scanner {
    pub const ALL: [Self; 2] = [Self::Gitleaks, Self::DetectSecrets];

    /// Its name in `sealwright.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gitleaks => "gitleaks",
            Self::DetectSecrets => "detect-secrets",
        }
    }

    /// Files of a project that tell it where not to look.
    pub fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Gitleaks => &[".gitleaks.toml", ".gitleaksignore"],
            Self::DetectSecrets => &[".secrets.baseline"],
        }
    }

    /// Words in a line that tell it not to look there.
    pub fn pragmas(self) -> &'static [&'static str] {
        match self {
            Self::Gitleaks => &["gitleaks:allow"],
            Self::DetectSecrets => &["pragma: allowlist", "pragma: whitelist"],
        }
    }

    pub fn read(self, bytes: &[u8]) -> Result<Scan, Unreadable> {
        match self {
            Self::Gitleaks => gitleaks::read(bytes),
            Self::DetectSecrets => detect_secrets::read(bytes),
        }
    }
}

#[cfg(test)]
mod tests;

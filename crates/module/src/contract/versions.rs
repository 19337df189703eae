//! Which version follows a contract: patch, minor or major.
//!
//! | change | bump |
//! |---|---|
//! | nothing that the fingerprint covers | patch |
//! | additions, or a note on the modes | minor |
//! | a removal, a change, a lost mode, a new input that callers must give, inputs or outputs in another order | major |
//!
//! A new entry point, package or language is major too: programs that are linked with it do not build any more.

use alloc::vec::Vec;

use sealwright_kernel::pack::Version;
use serde::{Deserialize, Serialize};

use super::delta::Compatibility;
use super::difference::{DimensionDifference, differences};
use super::{Binding, Dimension, Interface, MicroModuleContract};

/// How much a version differs from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bump {
    Patch,
    Minor,
    Major,
}

/// A version that does not follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionRefused {
    #[error("a new module starts at {FIRST_VERSION}, not at {version}")]
    NotFirst { version: Version },
    #[error("{version} does not follow {previous}")]
    NotNext { previous: Version, version: Version },
    /// The change is greater than the version admits.
    #[error("{version} does not follow {previous}: the change needs a {} bump", needed.name())]
    TooSmall { previous: Version, version: Version, needed: Bump },
    #[error("the contract is of another module than version {previous}")]
    OtherModule { previous: Version },
}

impl Bump {
    pub fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// The version after `version`, unless its numbers are used up.
    pub fn next(self, version: Version) -> Option<Version> {
        let Version { major, minor, patch } = version;
        Some(match self {
            Self::Patch => Version { major, minor, patch: patch.checked_add(1)? },
            Self::Minor => Version { major, minor: minor.checked_add(1)?, patch: 0 },
            Self::Major => Version { major: major.checked_add(1)?, minor: 0, patch: 0 },
        })
    }
}

impl VersionRefused {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFirst { .. } => "set `module_version` to 1.0.0",
            Self::NotNext { .. } => {
                "count one of the three numbers up by one and set those behind it to 0"
            }
            Self::TooSmall { .. } => {
                "count a number further to the left up, or make a smaller change"
            }
            Self::OtherModule { .. } => "compare versions of one module",
        }
    }
}

/// The least bump that the change from `old` to `new` needs.
pub fn bump_between(old: &MicroModuleContract, new: &MicroModuleContract) -> Bump {
    let compatibility = between(&old.interface, &new.interface);
    let is_relinked = match (&old.binding, &new.binding) {
        (Some(old), Some(new)) => linkage(old) != linkage(new),
        (Some(_), None) => true,
        (None, Some(_) | None) => false,
    };
    match compatibility {
        Some(Compatibility::Breaking) => Bump::Major,
        Some(Compatibility::BackwardCompatible) | None if is_relinked => Bump::Major,
        Some(Compatibility::BackwardCompatible) => Bump::Minor,
        None => Bump::Patch,
    }
}

/// Refuses a version that does not follow the newest one of its module.
///
/// A greater bump than the change needs is allowed: a person may call a change breaking that is not.
pub fn check_version(
    newest: Option<&MicroModuleContract>,
    new: &MicroModuleContract,
) -> Result<Bump, VersionRefused> {
    let version = new.module_version;
    let Some(old) = newest else {
        let first = Ok(Bump::Major);
        return if version == FIRST_VERSION {
            first
        } else {
            Err(VersionRefused::NotFirst { version })
        };
    };
    let previous = old.module_version;
    if old.module_id != new.module_id {
        return Err(VersionRefused::OtherModule { previous });
    }
    let all = [Bump::Patch, Bump::Minor, Bump::Major];
    let Some(bump) = all.into_iter().find(|it| it.next(previous) == Some(version)) else {
        return Err(VersionRefused::NotNext { previous, version });
    };
    let needed = bump_between(old, new);
    if bump < needed {
        return Err(VersionRefused::TooSmall { previous, version, needed });
    }
    Ok(bump)
}

/// What the change between two interfaces does to callers. Equal fingerprints change nothing.
pub(crate) fn between(old: &Interface, new: &Interface) -> Option<Compatibility> {
    if old.fingerprint() == new.fingerprint() {
        return None;
    }
    let added: Vec<bool> = new
        .inputs
        .iter()
        .filter(|it| !old.inputs.iter().any(|old| old.name == it.name))
        .map(|it| it.is_optional())
        .collect();
    let breaks = |it: &DimensionDifference| {
        let order_counts = matches!(it.dimension, Dimension::Inputs | Dimension::Outputs);
        let entries = !it.removed.is_empty() || !it.changed.is_empty();
        (it.is_reordered && order_counts) || (entries && it.dimension != Dimension::Modes)
    };
    let loses_a_mode =
        (old.modes.is_sync && !new.modes.is_sync) || (old.modes.is_async && !new.modes.is_async);
    let breaking =
        loses_a_mode || added.contains(&false) || differences(old, new).iter().any(breaks);
    Some(if breaking { Compatibility::Breaking } else { Compatibility::BackwardCompatible })
}

/// The parts of a binding by which programs find the entry point. The interface speaks for the signature.
fn linkage(binding: &Binding) -> [&str; 3] {
    [&binding.language, &binding.package, &binding.entry_point]
}

/// Every module starts here.
pub const FIRST_VERSION: Version = Version { major: 1, minor: 0, patch: 0 };

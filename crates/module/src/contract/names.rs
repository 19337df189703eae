//! The names of modules: `MM-limiter`, one version of it, and a range of versions.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt;
use core::str::FromStr;

use sealwright_kernel::pack::{Ref, RefKind, Version};
use serde::{Deserialize, Serialize};

/// A text that is not the name it was offered as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not {kind}")]
pub struct NameError {
    /// The text, tamed and cut short.
    pub shown: String,
    pub kind: &'static str,
}

/// A module: `MM-` and letters, digits or underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleId(String);

/// One version of a module: `MM-limiter@1.0.0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleRef {
    pub id: ModuleId,
    pub version: Version,
}

/// Versions of a module, in the ranges that Cargo knows: `MM-limiter@^1.2`, `MM-limiter@>=1.0.0, <3.0.0`.
///
/// A bare version is a caret range: `MM-limiter@1.2.0` is every version from 1.2.0 up to, but without, 2.0.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleRange {
    id: ModuleId,
    range: semver::VersionReq,
    /// As it was written: a contract keeps its bytes.
    text: String,
}

impl ModuleId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn at(&self, version: Version) -> ModuleRef {
        ModuleRef { id: self.clone(), version }
    }
}

impl ModuleRange {
    pub fn id(&self) -> &ModuleId {
        &self.id
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same range of another module.
    pub(crate) fn of(&self, id: &ModuleId) -> Self {
        let range = self.text.split_once('@').map_or("", |(_, range)| range);
        Self { id: id.clone(), range: self.range.clone(), text: format!("{id}@{range}") }
    }

    /// The range that one version alone is in.
    pub fn exactly(module: &ModuleRef) -> Self {
        let text = format!("{}@={}", module.id, module.version);
        text.parse().expect("an exact version is a range")
    }

    pub fn includes(&self, module: &ModuleRef) -> bool {
        self.covers(module.id.as_str(), module.version)
    }

    /// Whether this version of the module with this id is in the range.
    pub fn covers(&self, id: &str, version: Version) -> bool {
        let Version { major, minor, patch } = version;
        let version = semver::Version::new(major.into(), minor.into(), patch.into());
        self.id.as_str() == id && self.range.matches(&version)
    }
}

impl FromStr for ModuleId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        // The kernel knows what a module may be called.
        match Ref::new(&format!("{text}@1.0.0")) {
            Ok(it) if it.kind() == RefKind::Module => Ok(Self(text.into())),
            Ok(_) | Err(_) => Err(refused(text, MODULE_ID)),
        }
    }
}

impl FromStr for ModuleRef {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match Ref::new(text) {
            Ok(it) if it.kind() == RefKind::Module => {
                Ok(Self { id: ModuleId(it.id().into()), version: it.version() })
            }
            Ok(_) | Err(_) => Err(refused(text, MODULE_REF)),
        }
    }
}

impl FromStr for ModuleRange {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let read = || {
            let (id, range) = text.split_once('@').filter(|_| text.len() <= RANGE_BYTES_MAX)?;
            let range = semver::VersionReq::parse(range).ok()?;
            let is_plain = range.comparators.iter().all(|it| it.pre.is_empty());
            let id = id.parse().ok().filter(|_| is_plain)?;
            Some(Self { id, range, text: text.into() })
        };
        read().ok_or_else(|| refused(text, MODULE_RANGE))
    }
}

fn refused(text: &str, kind: &'static str) -> NameError {
    NameError { shown: sealwright_kernel::shown(text).chars().take(SHOWN_MAX).collect(), kind }
}

impl fmt::Display for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ModuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.version)
    }
}

impl fmt::Display for ModuleRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A name is stored as the text that it is read from.
macro_rules! stored_as_text {
    ($($name:ident),+) => {$(
        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.to_string()
            }
        }
    )+};
}

stored_as_text!(ModuleId, ModuleRef, ModuleRange);

pub(crate) const MODULE_ID: &str = "a module such as MM-limiter";
pub(crate) const MODULE_REF: &str = "a version of a module such as MM-limiter@1.0.0";
pub(crate) const MODULE_RANGE: &str = "a range of versions of a module such as MM-limiter@^1.2";
const RANGE_BYTES_MAX: usize = 192;
const SHOWN_MAX: usize = 80;

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;

    #[test]
    fn a_module_is_named_by_word_characters_of_ascii() {
        for good in ["MM-0042", "MM-limiter", "MM-a_b", "MM-1a2b3c4d"] {
            assert_eq!(good.parse::<ModuleId>().unwrap().as_str(), good);
        }
        let long = format!("MM-{}", "x".repeat(65));
        for bad in ["MM-", "MM-a-b", "mm-a", "MM-é", "MM-a@1.0.0", "T-a", "MM-a b", "", &long] {
            assert!(bad.parse::<ModuleId>().is_err(), "{bad}");
        }
        assert!(format!("MM-{}", "x".repeat(64)).parse::<ModuleId>().is_ok());
    }

    #[test]
    fn a_version_of_a_module_is_exact_and_has_one_spelling() {
        let module: ModuleRef = "MM-limiter@1.20.3".parse().unwrap();
        assert_eq!((module.id.as_str(), module.version.minor), ("MM-limiter", 20));
        assert_eq!(String::from(module), "MM-limiter@1.20.3");
        let bad =
            ["MM-1", "MM-a@1.0", "MM-a@01.0.0", "MM-a@1.0.0-rc1", "MM-a@1.0.0+b", "MM-a@^1.0.0"];
        for bad in
            bad.iter().chain(&["MM-a@١.0.0", "MM-a@1.0.0 ", "MM-a@4294967296.0.0", "T-a@1.0.0"])
        {
            assert!(bad.parse::<ModuleRef>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_range_says_which_versions_are_in_it() {
        let includes = |range: &str, version: &str| {
            range.parse::<ModuleRange>().unwrap().includes(&version.parse().unwrap())
        };
        let table = [
            ("MM-a@^1.2", "MM-a@1.2.0", true),
            ("MM-a@^1.2", "MM-a@1.9.7", true),
            ("MM-a@^1.2", "MM-a@2.0.0", false),
            ("MM-a@^1.2", "MM-a@1.1.9", false),
            ("MM-a@^1.2", "MM-b@1.2.0", false),
            ("MM-a@1.2.0", "MM-a@1.3.0", true),
            ("MM-a@=1.2.0", "MM-a@1.2.1", false),
            ("MM-a@~1.2", "MM-a@1.3.0", false),
            ("MM-a@>=1.0.0, <3.0.0", "MM-a@2.9.9", true),
            ("MM-a@*", "MM-a@7.0.0", true),
        ];
        for (range, version, expected) in table {
            assert_eq!(includes(range, version), expected, "{range} {version}");
        }
        let long = format!("MM-a@{}", ">=1.0.0, ".repeat(30));
        for bad in [
            "MM-a",
            "MM-a@",
            "MM-a@latest",
            "MM-a@01",
            "MM-a@^1.0.0-rc1",
            "b@^1",
            "MM-a@1||2",
            &long,
        ] {
            assert!(bad.parse::<ModuleRange>().is_err(), "{bad}");
        }
        let exact = ModuleRange::exactly(&"MM-a@1.2.3".parse().unwrap());
        assert_eq!(exact.as_str(), "MM-a@=1.2.3");
    }

    #[test]
    fn a_refused_name_is_shown_tame_and_short() {
        let refused = format!("\u{1b}[2J{}", "x".repeat(500)).parse::<ModuleId>().unwrap_err();
        assert!(!refused.shown.contains('\u{1b}') && refused.shown.chars().count() <= SHOWN_MAX);
    }
}

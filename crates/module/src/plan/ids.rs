//! The names of plans and of reuse search reports.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt;
use core::str::FromStr;

use sealwright_kernel::pack::{Ref, RefKind};
use serde::{Deserialize, Serialize};

use crate::contract::{ModuleId, NameError};

/// A micro plan: `MP-` and word characters. A planner may write any; the engine mints eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlanId(String);

/// A reuse search report: `RSR-` and eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReportId(String);

impl FromStr for PlanId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        // The word after the prefix is the word of a module.
        let word = text.strip_prefix("MP-").map(|it| format!("MM-{it}").parse::<ModuleId>());
        match word {
            Some(Ok(_)) => Ok(Self(text.to_string())),
            Some(Err(_)) | None => Err(NameError { shown: shown(text), kind: PLAN_ID }),
        }
    }
}

impl FromStr for ReportId {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match Ref::new(&format!("{text}@1.0.0")) {
            Ok(it) if it.kind() == RefKind::ReuseSearchReport => Ok(Self(text.to_string())),
            Ok(_) | Err(_) => Err(NameError { shown: shown(text), kind: REPORT_ID }),
        }
    }
}

fn shown(text: &str) -> String {
    sealwright_kernel::shown(text).chars().take(SHOWN_MAX).collect()
}

/// An id is stored as the text that it is read from.
macro_rules! stored_as_text {
    ($($name:ident),+) => {$(
        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

stored_as_text!(PlanId, ReportId);

pub(crate) const PLAN_ID: &str = "a micro plan such as MP-1a2b3c4d";
pub(crate) const REPORT_ID: &str = "a reuse search report such as RSR-1a2b3c4d";
const SHOWN_MAX: usize = 80;

//! The quality tier of a project.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Shed,
    House,
    Skyscraper,
}

impl Tier {
    pub const ALL: [Self; 3] = [Self::Shed, Self::House, Self::Skyscraper];

    pub fn name(self) -> &'static str {
        match self {
            Self::Shed => "shed",
            Self::House => "house",
            Self::Skyscraper => "skyscraper",
        }
    }

    /// The tier of a name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name().eq_ignore_ascii_case(name))
    }
}

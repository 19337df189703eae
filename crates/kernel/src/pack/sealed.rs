//! The visible surface of a sealed module, and the message in place of its source.

use alloc::format;
use alloc::string::String;

use super::Permission;

/// The folders of a shipped module that no later role sees, whatever its pack says.
pub const SEALED_FOLDERS: [&str; 2] = ["implementation", "tests"];

/// A part of a shipped module that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// Id, version, name, status, tags. Synthesized.
    Metadata,
    /// Also the purpose, what goes in and out, and the titles of error cases. Synthesized.
    Summary,
    Contract,
    Examples,
    ShipEvidence,
}

impl Surface {
    pub const ALL: [Self; 5] =
        [Self::Metadata, Self::Summary, Self::Contract, Self::Examples, Self::ShipEvidence];

    /// The least permission that shows it.
    pub fn needs(self) -> Permission {
        match self {
            Self::Metadata => Permission::MetadataOnly,
            Self::Summary => Permission::SummaryOnly,
            Self::Contract | Self::Examples | Self::ShipEvidence => Permission::ContractOnly,
        }
    }

    /// The file a permission's holder finds it in.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata.json",
            Self::Summary => "summary.json",
            Self::Contract => "contract.json",
            Self::Examples => "examples.md",
            Self::ShipEvidence => "ship.json",
        }
    }
}

impl Permission {
    /// The files of a sealed module that it opens, and no others. What a lesser permission shows is said in them too.
    ///
    /// FULL opens no more of a sealed module than CONTRACT_ONLY: what it adds is the work tree of a module that is
    /// not sealed yet.
    pub fn surfaces(self) -> &'static [Surface] {
        match self {
            Self::MetadataOnly => &[Surface::Metadata],
            Self::SummaryOnly => &[Surface::Summary],
            Self::ContractOnly | Self::Full => {
                &[Surface::Contract, Surface::Examples, Surface::ShipEvidence]
            }
        }
    }
}

/// The message a role gets in place of a sealed folder.
pub fn sealed_message(path: &str) -> String {
    format!(
        "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a closed-source service \
         — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and \
         §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change \
         Exception (§13)."
    )
}

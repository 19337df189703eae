//! Guards: why a file must stay as it was frozen, and which cheat it is to change it.

use sealwright_kernel::Cheat;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// A test that was seen red.
    FrozenTest,
    Contract,
    /// The checks of the project, and what they read.
    GateConfiguration,
    /// The checks of a continuous integration server.
    ContinuousIntegration,
    /// A module or fixture of a frozen test.
    TestHelper,
    /// What a package is, and which packages it needs.
    Manifest,
    /// The exact versions of those packages.
    Lock,
    /// A file that a tool runs before, or instead of, the command.
    StartUpHook,
    ToolConfiguration,
}

impl Guard {
    pub fn name(self) -> &'static str {
        match self {
            Self::FrozenTest => "a frozen test",
            Self::Contract => "the contract",
            Self::GateConfiguration => "gate configuration",
            Self::ContinuousIntegration => "CI configuration",
            Self::TestHelper => "a helper of frozen tests",
            Self::Manifest => "a manifest",
            Self::Lock => "a lock",
            Self::StartUpHook => "a start-up hook",
            Self::ToolConfiguration => "tool configuration",
        }
    }

    /// Whether a role may declare a change of it. Tests, contract and checks are a person's to change, with a new freeze.
    pub fn may_be_declared(self) -> bool {
        match self {
            Self::FrozenTest | Self::Contract | Self::GateConfiguration => false,
            Self::ContinuousIntegration
            | Self::TestHelper
            | Self::Manifest
            | Self::Lock
            | Self::StartUpHook
            | Self::ToolConfiguration => true,
        }
    }

    /// The cheat it is to change it. How a test is run is part of the test.
    pub fn cheat(self) -> Cheat {
        match self {
            Self::Contract | Self::GateConfiguration | Self::ContinuousIntegration => {
                Cheat::FrozenContractChanged
            }
            Self::FrozenTest
            | Self::TestHelper
            | Self::Manifest
            | Self::Lock
            | Self::StartUpHook
            | Self::ToolConfiguration => Cheat::RedTestChanged,
        }
    }
}

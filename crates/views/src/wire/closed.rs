//! Closed sets of words: those of the kernel, converted by an exhaustive `match`, and those of other crates' tables.

use serde::Serialize;

/// A set of words that mirrors an enum variant by variant.
macro_rules! closed {
    (
        $(#[$attribute:meta])*
        $name:ident in $case:literal from $source:ty { $($(#[$on:meta])* $word:ident),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = $case)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$on])* $word,)+
        }

        impl From<$source> for $name {
            fn from(it: $source) -> Self {
                match it {
                    $(<$source>::$word => Self::$word,)+
                }
            }
        }
    };
}

/// A word out of a table that this crate does not know. Tests compare the list with the table.
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident, [$($word:literal),+ $(,)?]) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(extend("enum" = [$($word),+])))]
        pub struct $name(String);

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                Self(word.to_owned())
            }
        }
    };
}

closed!(
    /// The status of a task.
    Status in "snake_case" from sealwright_kernel::task::Status { Pending, InProgress, Parked, Halted, Shipped, Abandoned }
);
closed!(
    /// The phase of a task.
    Phase in "snake_case" from sealwright_kernel::task::Phase {
        Intake, Shape, Implement, Verify, Review, Repair, Done, Blocked, NeedsUserDecision,
    }
);
closed!(
    /// The process lane of a task.
    Lane in "snake_case" from sealwright_kernel::Lane { Quick, Factory, Strict }
);
closed!(
    /// The role of an agent or a person in a task.
    Role in "snake_case" from sealwright_kernel::Role {
        Builder, Scout, Planner, Challenger, Arbiter, RefuteReader, Auditor, Reviewer, Verifier, Reconciler, TestAuthor,
    }
);
closed!(
    /// The result of a check. `cannot_tell` is never a pass.
    Verdict in "snake_case" from sealwright_kernel::Verdict { Pass, Fail, CannotTell }
);
closed!(
    /// How strongly a sandbox confines a run, the weakest level first.
    Level in "kebab-case" from sealwright_kernel::Level {
        Advisory,
        ContainerDelegated,
        KernelRestricted,
        #[serde(rename = "kernel-restricted+uid")]
        KernelRestrictedUid,
        KernelIsolated,
    }
);
closed!(
    /// A kind of cheat.
    Cheat in "snake_case" from sealwright_kernel::Cheat {
        RedTestChanged, FrozenContractChanged, Overfit, VacuousAsserts, LogicStubbed,
    }
);
closed!(
    /// The kind of a finding that a person has to review.
    FindingKind in "snake_case" from sealwright_kernel::task::ResidueKind { Security, Concurrency, Architecture }
);
closed!(
    /// How much of a file a role may read.
    Permission in "SCREAMING_SNAKE_CASE" from sealwright_kernel::Permission { Full, ContractOnly, SummaryOnly, MetadataOnly }
);
closed!(
    /// The condition of a stream, as far as its last segment shows.
    Condition in "snake_case" from sealwright_store::Condition { Open, Ended, Damaged }
);

listed!(
    /// The kind of an agent, as in sealwright.toml.
    AgentKind, ["claude-code", "codex", "gemini", "opencode", "goose", "copilot", "api", "script"]
);
listed!(
    /// The kind of an agent that is a program, as in sealwright.toml.
    AgentProgramKind, ["claude-code", "codex", "gemini", "opencode", "goose", "copilot"]
);
listed!(
    /// An agent program on PATH.
    AgentProgram, ["codex", "claude", "gemini", "opencode", "pi"]
);
listed!(
    /// The kind of a check, as in sealwright.toml.
    CheckKind, [
        "command", "cargo-build", "cargo-test", "nextest", "pytest", "junit", "lint", "audit", "secrets", "lockfile",
        "clean-tree", "docs", "size",
    ]
);
listed!(
    /// The kind of a check that `init` proposes.
    DetectedCheckKind, ["command", "cargo-test", "nextest", "pytest", "junit"]
);
listed!(
    /// A language that `init` detects.
    DetectedLanguage, ["rust", "python", "typescript", "javascript", "go"]
);
listed!(
    /// The subject of a claim.
    ClaimSubject, ["starts", "writes hello.txt", "answers"]
);
listed!(
    /// A language whose tests run in a clean room.
    CleanRoomLanguage, ["Rust", "Python"]
);
listed!(
    /// An isolation mechanism, by name.
    MechanismName, ["namespaces", "bubblewrap", "landlock", "nothing"]
);
listed!(
    /// A role, spelled as in sealwright.toml.
    RoleName, [
        "builder", "scout", "planner", "challenger", "arbiter", "refute-reader", "auditor", "reviewer", "verifier",
        "reconciler", "test-author",
    ]
);

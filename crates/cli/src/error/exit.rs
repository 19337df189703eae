//! The exit code of each error below the commands.

use sealwright_evaluate::EvaluateError;
use sealwright_factory::TaskError;
use sealwright_factory::agent_registry::AgentRegistryError;
use sealwright_factory::agent_setup::AgentSetupError;
use sealwright_factory::consent::ConsentError;
use sealwright_factory::fixes::FixError;
use sealwright_factory::gate_runner::gate_preview::GatePreviewError;
use sealwright_factory::logins::LoginsError;
use sealwright_factory::project::ProjectError;
use sealwright_factory::restore::RestoreError;
use sealwright_factory::task_runner::TaskRunnerError;
use sealwright_host::HostError;
use sealwright_repo::PatchError;
use sealwright_store::JournalError;
use sealwright_store::attest::AttestationDirError;
use sealwright_store::attest::keys::KeysError;
use sealwright_store::attest::person::UnsignedError;
use sealwright_store::attest::task_statements::AttestError;
use sealwright_verify::export::ExportError;

/// The exit codes of docs/exit-codes.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Usage,
    NotProven,
    Person,
    Refused,
    Environment,
    /// Nothing is false, and nothing is proven.
    Unproven,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::NotProven => 10,
            Self::Person => 11,
            Self::Refused => 12,
            Self::Environment => 20,
            Self::Unproven => 13,
        }
    }
}

pub(super) fn of_fix(error: &FixError) -> Exit {
    match error {
        FixError::Patch(PatchError::NoBranch { .. }) => Exit::Usage,
        FixError::Patch(PatchError::Git(_) | PatchError::Io(_)) => Exit::Environment,
        FixError::Patch(_) | FixError::NothingBuilt => Exit::Refused,
        FixError::Tree(_) | FixError::Blob(_) => Exit::Environment,
    }
}

pub(super) fn of_task(error: &TaskError) -> Exit {
    match error {
        TaskError::NoTask { .. } | TaskError::File(_) | TaskError::NoText { .. } => Exit::Usage,
        TaskError::NotText | TaskError::NothingSaid => Exit::Usage,
        TaskError::Refused(_) => Exit::Refused,
        // A link or another file that is not a plain file.
        TaskError::Io { source, .. } if is_in_the_way(source) => Exit::Refused,
        TaskError::Host(HostError::Journal(error)) => of_journal(error),
        TaskError::Host(HostError::UnknownAggregate { .. }) => Exit::Refused,
        TaskError::Host(HostError::State(_)) | TaskError::NotDurable { .. } => Exit::Environment,
        TaskError::Blob(_) | TaskError::Io { .. } | TaskError::NoName => Exit::Environment,
        TaskError::Proof(_) => Exit::NotProven,
    }
}

pub(super) fn of_project(error: &ProjectError) -> Exit {
    match error {
        ProjectError::Deficient { .. } | ProjectError::Preferences { .. } => Exit::NotProven,
        ProjectError::NoSpec | ProjectError::NoSuchChange { .. } => Exit::Usage,
        ProjectError::Bent { .. } | ProjectError::Settings(_) => Exit::Refused,
        ProjectError::Refused(_) => Exit::Refused,
        ProjectError::Host(HostError::Journal(error)) => of_journal(error),
        ProjectError::Host(HostError::UnknownAggregate { .. }) => Exit::Refused,
        ProjectError::Task(error) => of_task(error),
        ProjectError::Runner(error) => of_task_runner(error),
        ProjectError::Host(HostError::State(_))
        | ProjectError::NotDurable { .. }
        | ProjectError::Blob(_)
        | ProjectError::Git(_)
        | ProjectError::Tree(_)
        | ProjectError::Check(_)
        | ProjectError::Write { .. } => Exit::Environment,
    }
}

pub(super) fn of_task_runner(error: &TaskRunnerError) -> Exit {
    match error {
        TaskRunnerError::Uncommitted { .. }
        | TaskRunnerError::Unmerged { .. }
        | TaskRunnerError::NotTaken { .. }
        | TaskRunnerError::NoRoom { .. }
        | TaskRunnerError::UnsignedDecisions { .. }
        | TaskRunnerError::RiskyInAdvance => Exit::Refused,
        TaskRunnerError::Lost => Exit::Usage,
        TaskRunnerError::AgentRegistry(error) => match &**error {
            AgentRegistryError::Builder { source, .. } | AgentRegistryError::Hire(source) => {
                of_hire(source)
            }
            AgentRegistryError::Empty { .. } => Exit::Environment,
        },
        TaskRunnerError::Briefs(_) => Exit::Refused,
        TaskRunnerError::Consent(error) => of_consent(error),
        TaskRunnerError::Logins(error) => of_logins(error),
        TaskRunnerError::Task(error) => of_task(error),
        TaskRunnerError::Journal(error) => of_journal(error),
        TaskRunnerError::Attest(error) => of_attest(error),
        TaskRunnerError::Keys(error) => of_keys(error),
        TaskRunnerError::NoCommit(_) | TaskRunnerError::GateRunner(_) => Exit::Environment,
        TaskRunnerError::NoTools { .. } => Exit::Environment,
        TaskRunnerError::TaskPerformer(_) | TaskRunnerError::Git(_) => Exit::Environment,
        TaskRunnerError::SignedDecisions(error) => of_unsigned(error),
        TaskRunnerError::Sandbox(_) | TaskRunnerError::Io(_) => Exit::Environment,
    }
}

pub(super) fn of_consent(error: &ConsentError) -> Exit {
    match error {
        ConsentError::Missing { .. } => Exit::Refused,
        ConsentError::Script { .. } | ConsentError::Unsafe { .. } | ConsentError::Record { .. } => {
            Exit::Environment
        }
    }
}

pub(super) fn of_logins(error: &LoginsError) -> Exit {
    match error {
        LoginsError::Shared { .. } | LoginsError::ForAnother | LoginsError::Elsewhere { .. } => {
            Exit::Refused
        }
        LoginsError::Unsafe { .. }
        | LoginsError::Record { .. }
        | LoginsError::Form { .. }
        | LoginsError::NoFolder { .. }
        | LoginsError::Login(_) => Exit::Environment,
    }
}

pub(super) fn of_restore(error: &RestoreError) -> Exit {
    match error {
        RestoreError::NothingYet { .. } => Exit::Refused,
        RestoreError::NoRecord { .. } => Exit::Usage,
        RestoreError::Engine(HostError::Journal(error)) => of_journal(error),
        RestoreError::Tree(_) | RestoreError::Blob(_) => Exit::Environment,
        RestoreError::Engine(_) | RestoreError::Git(_) | RestoreError::Io(_) => Exit::Environment,
    }
}

pub(super) fn of_keys(error: &KeysError) -> Exit {
    match error {
        KeysError::Unknown { .. } | KeysError::Offered(_) => Exit::Usage,
        KeysError::NoKey | KeysError::NotTaken { .. } | KeysError::Retired { .. } => Exit::Refused,
        KeysError::Flawed { .. } => Exit::NotProven,
        KeysError::KeyRecord(_) | KeysError::PrivateKeys(_) => Exit::Environment,
        KeysError::AttestationDir(error) => of_attestation_dir(error),
        KeysError::Journal(error) => of_journal(error),
    }
}

pub(super) fn of_attest(error: &AttestError) -> Exit {
    match error {
        AttestError::NotYet { .. } | AttestError::NotCanonical(_) => Exit::Refused,
        AttestError::Altered { .. } => Exit::NotProven,
        AttestError::AttestationDir(error) => of_attestation_dir(error),
        AttestError::Journal(error) => of_journal(error),
    }
}

pub(super) fn of_export(error: &ExportError) -> Exit {
    match error {
        ExportError::Unsigned { .. } | ExportError::Form { .. } => Exit::Refused,
        ExportError::Artifact { .. } => Exit::NotProven,
        ExportError::AttestationDir(error) => of_attestation_dir(error),
    }
}

pub(super) fn of_attestation_dir(error: &AttestationDirError) -> Exit {
    match error {
        AttestationDirError::Differs { .. } => Exit::NotProven,
        AttestationDirError::TooMany { .. } => Exit::Refused,
        AttestationDirError::Io { source, .. } if is_in_the_way(source) => Exit::Refused,
        AttestationDirError::Io { .. } => Exit::Environment,
    }
}

pub(super) fn of_unsigned(error: &UnsignedError) -> Exit {
    match error {
        UnsignedError::Journal(error) => of_journal(error),
        UnsignedError::Files(error) => of_attestation_dir(error),
    }
}

pub(super) fn of_hire(error: &AgentSetupError) -> Exit {
    match error {
        AgentSetupError::Unknown { .. } | AgentSetupError::Incomplete { .. } => Exit::Usage,
        AgentSetupError::Person { .. } => Exit::Refused,
        AgentSetupError::UnsupportedProtocol { .. } => Exit::Refused,
        AgentSetupError::NoModel { .. } | AgentSetupError::Script { .. } => Exit::Refused,
        AgentSetupError::Price(_) => Exit::Refused,
        AgentSetupError::Unusable { .. } | AgentSetupError::NoKey { .. } => Exit::Environment,
        AgentSetupError::Login { .. } => Exit::Environment,
        AgentSetupError::Logins(error) => of_logins(error),
        AgentSetupError::Address { .. } | AgentSetupError::NoScript { .. } => Exit::Environment,
    }
}

pub(super) fn of_gate(error: &GatePreviewError) -> Exit {
    match error {
        GatePreviewError::Unknown { .. } | GatePreviewError::NoCommit { .. } => Exit::Usage,
        GatePreviewError::NoToolchain { .. } | GatePreviewError::GateRunner(_) => Exit::Environment,
        GatePreviewError::Tree(_) | GatePreviewError::Blob(_) => Exit::Environment,
        GatePreviewError::Io(_) => Exit::Environment,
    }
}

pub(super) fn of_evaluate(error: &EvaluateError) -> Exit {
    match error {
        EvaluateError::NoCommit { .. } => Exit::Usage,
        EvaluateError::NoHistory | EvaluateError::OutOfTime => Exit::Environment,
        EvaluateError::Untried { .. } | EvaluateError::Git(_) => Exit::Environment,
        EvaluateError::Tree(_) | EvaluateError::GateRunner(_) => Exit::Environment,
        EvaluateError::Blob(_) | EvaluateError::Io(_) | EvaluateError::Died => Exit::Environment,
    }
}

fn is_in_the_way(source: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    // `ErrorKind::FilesystemLoop` is not stable.
    const TOO_MANY_LINKS: i32 = 40;
    source.raw_os_error() == Some(TOO_MANY_LINKS)
        || matches!(
            source.kind(),
            ErrorKind::InvalidInput | ErrorKind::IsADirectory | ErrorKind::FileTooLarge
        )
}

pub(super) fn of_journal(error: &JournalError) -> Exit {
    match error {
        JournalError::Damaged(_) | JournalError::NotOnChain { .. } => Exit::NotProven,
        JournalError::Held { .. } | JournalError::Overtaken { .. } => Exit::Refused,
        JournalError::Ended { .. } | JournalError::TooLarge { .. } => Exit::Refused,
        JournalError::NotCanonical(_) | JournalError::Reserved => Exit::Refused,
        JournalError::UnknownEvents { .. } => Exit::Refused,
        JournalError::Full { .. } | JournalError::Io { .. } => Exit::Environment,
    }
}

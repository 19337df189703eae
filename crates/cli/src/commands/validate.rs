//! `sealwright validate` and `stop`: what people say of a delivered version, and that work must not go on.

use sealwright_kernel::pipeline::{Action, State};
use sealwright_kernel::project::run::StopReason;

use super::wait;
use super::work::{stopped, with_phases};
use crate::error::{CliError, CliResult};
use crate::output::{Output, say};
use crate::person::person;
use crate::repository::Repository;

/// Record what users say of a delivered version.
///
/// Without an option it begins. The next `sealwright iterate` begins with what was recorded.
#[derive(Debug, clap::Args)]
pub(crate) struct Validate {
    /// Something that was learned from somebody who uses the version.
    #[arg(long, value_name = "TEXT", requires = "source")]
    signal: Option<String>,

    /// With `--signal`: who said or showed it.
    #[arg(long = "from", value_name = "WHO", requires = "signal")]
    source: Option<String>,

    /// You confirm that the live version works and is what its users need.
    #[arg(long, conflicts_with_all = ["signal", "change"])]
    holds: bool,

    /// Its users need something else: why.
    #[arg(long, value_name = "WHY", conflicts_with = "signal")]
    change: Option<String>,
}

/// Stop the work of a version, for a person to decide how it goes on.
///
/// `sealwright continue` goes on after it.
#[derive(Debug, clap::Args)]
pub(crate) struct Stop {
    #[arg(value_enum, value_name = "REASON")]
    reason: Reason,

    /// What happened.
    #[arg(long, value_name = "WHY")]
    because: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Reason {
    /// Three approaches ended in the same error.
    SameError,
    /// The work is much larger than the scope.
    ScopeGrew,
    /// A dependency is unavailable or misbehaves.
    Dependency,
    /// It could cost security, data or money.
    Unsafe,
}

pub(crate) fn validate(args: &Validate, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = with_phases(repository)?;
    let by = person(&repository.root)?;
    let is_begun = wait(stream.look())??.run().pipeline.state == State::ValidatingPMF;
    if !is_begun {
        wait(stream.step(&by, Action::StartPMFValidation.into(), ""))??;
    }
    if let (Some(text), Some(source)) = (&args.signal, &args.source) {
        wait(stream.signal(&by, text, source))??;
        say("• recorded; it is part of what the next iteration begins with");
    } else if let Some(why) = &args.change {
        wait(stream.step(&by, Action::PMFNeedsIteration.into(), why))??;
        say("• recorded; `sealwright run \"what to build\"` begins the next version");
    } else if args.holds {
        wait(stream.step(&by, Action::PMFValidated.into(), ""))??;
        say("• recorded: the delivered version works; `sealwright iterate` begins the next one");
    } else {
        say("• what users say is recorded with `sealwright validate --signal TEXT --from WHO`");
        say("• `--holds` ends it if the version is what they need, `--change WHY` if it is not");
    }
    stopped(&stream, output)
}

pub(crate) fn stop(args: &Stop, repository: &Repository, output: &mut Output) -> CliResult {
    let stream = with_phases(repository)?;
    let by = person(&repository.root)?;
    let reason = match args.reason {
        Reason::SameError => StopReason::SameError,
        Reason::ScopeGrew => StopReason::ScopeGrew,
        Reason::Dependency => StopReason::Dependency,
        Reason::Unsafe => StopReason::Unsafe,
    };
    wait(stream.stop(&by, reason, &args.because))??;
    stopped(&stream, output)?;
    let project = wait(stream.look())??;
    let report = sealwright_views::project_log::blocked(project.run()).unwrap_or_default();
    Err(CliError::PhaseBlocked { report })
}

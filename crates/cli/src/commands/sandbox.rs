//! `sealwright sandbox`: stand where a role stands.

use std::path::PathBuf;

use sealwright_factory::confined::{self, ConfinedRun};
use sealwright_kernel::{ContextPack, Level};
use sealwright_sandbox::Ended;
use sealwright_sandbox::plan::{Access, Network};
use sealwright_sandbox::view::{self, Harvest, Layout};
use sealwright_views::wire::{
    MountAccess, NetworkAccess, SandboxLine, SandboxRun, SandboxView, ViewFile, WorkMount,
};

use crate::args::Format;
use crate::error::CliError;
use crate::input_files;
use crate::output::{Output, sanitize, say};
use crate::repository::Repository;

/// Stand where a role stands: see what its Context Pack shows, or run a command there.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Draw what a role can see, write and reach.
    Explain {
        /// The Context Pack; `-` reads it from standard input.
        pack: PathBuf,
        /// The tree of the module being built [default: the repository].
        #[arg(long, value_name = "FOLDER")]
        work: Option<PathBuf>,
    },
    /// Run a command where the role of a pack would stand, and say what it would have changed.
    ///
    /// Nothing it changes comes back. Ends with 10 if the command failed, with 20 if the walls are too weak.
    Run {
        /// The Context Pack; `-` reads it from standard input.
        #[arg(long, value_name = "PACK")]
        pack: PathBuf,
        /// The tree of the module being built [default: the repository].
        #[arg(long, value_name = "FOLDER")]
        work: Option<PathBuf>,
        /// Run it even where there are no walls at all. What comes of it proves nothing.
        #[arg(long)]
        allow_advisory: bool,
        /// The command.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let (What::Explain { pack, work } | What::Run { pack, work, .. }) = &args.what;
    let text = input_files::read(pack)?;
    let read: ContextPack = serde_json::from_slice(&text)
        .map_err(|source| CliError::Pack { file: pack.display().to_string(), source })?;
    let store = repository.root.join(".sealwright/store");
    let tree = work.as_ref().unwrap_or(&repository.root);
    let tree = tree
        .canonicalize()
        .map_err(|source| CliError::NoFolder { place: tree.display().to_string(), source })?;
    let layout = confined::layout(&read, &store, &tree)?;
    match &args.what {
        What::Explain { .. } => match format {
            Format::Human => output.line(view::tree(&layout).trim_end()),
            Format::Json => output.json(&wire(&layout)),
        },
        What::Run { allow_advisory, command, .. } => {
            let least = if *allow_advisory { Level::Advisory } else { Level::KernelRestricted };
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let stood = confined::run(&layout, &store, &words, least)?;
            tell(&stood, format, output)
        }
    }
}

fn wire(layout: &Layout) -> SandboxLine {
    let work = layout.work().map(|work| WorkMount {
        module: work.module.to_string(),
        access: match work.access {
            Access::ReadOnly => MountAccess::ReadOnly,
            Access::ReadWrite => MountAccess::ReadWrite,
            Access::CopyOnWrite => MountAccess::CopyOnWrite,
        },
    });
    let files = layout.entries().iter().map(|entry| ViewFile {
        at: entry.at().to_owned(),
        permission: entry.permission().into(),
        bytes: entry.bytes(),
    });
    let network = match layout.network() {
        Network::Off => NetworkAccess::Off,
        Network::Egress => NetworkAccess::Egress,
    };
    SandboxLine::View(SandboxView {
        title: layout.title().to_owned(),
        work,
        files: files.collect(),
        network,
    })
}

fn tell(stood: &ConfinedRun, format: Format, output: &mut Output) -> Result<(), CliError> {
    let ConfinedRun { outcome, harvest } = stood;
    let ended = match outcome.ended {
        Ended::Exited(code) => format!("exited with {code}"),
        Ended::Signalled(signal) => format!("was ended by signal {signal}"),
        Ended::TimedOut => "ran out of time".to_owned(),
        Ended::Cancelled => "was called off".to_owned(),
        Ended::OutOfRoom => "wrote more than it may".to_owned(),
        Ended::Vanished => "was ended by the kernel, most likely for want of memory".to_owned(),
    };
    let (changes, refused) = match harvest {
        Harvest::Taken { patch, .. } => {
            (patch.changes.iter().map(|change| change.path.to_string()).collect(), Vec::new())
        }
        Harvest::Refused(refusals) => {
            (Vec::new(), refusals.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
    };
    let changes: Vec<String> = changes;
    match format {
        Format::Json => output.json(&SandboxLine::Run(SandboxRun {
            ended: ended.clone(),
            stdout: String::from_utf8_lossy(&outcome.stdout.kept).into_owned(),
            stderr: String::from_utf8_lossy(&outcome.stderr.kept).into_owned(),
            dropped_bytes: outcome.stdout.dropped + outcome.stderr.dropped,
            leftovers: outcome.leftovers.into(),
            confinement: (&outcome.confinement).into(),
            changes,
            refused,
        }))?,
        Format::Human => {
            for line in String::from_utf8_lossy(&outcome.stdout.kept).lines() {
                output.line(&sanitize(line))?;
            }
            for line in String::from_utf8_lossy(&outcome.stderr.kept).lines() {
                say(&sanitize(line));
            }
            say(&format!(
                "the command {ended}, behind walls of {}",
                outcome.confinement.level.name()
            ));
            if outcome.leftovers > 0 {
                say(&format!("it had left {} processes behind; they are dead", outcome.leftovers));
            }
            for change in &changes {
                say(&format!("would change {}", sanitize(change)));
            }
            for refusal in &refused {
                say(&format!("would be refused: {}", sanitize(refusal)));
            }
        }
    }
    match outcome.ended {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(_)
        | Ended::Signalled(_)
        | Ended::TimedOut
        | Ended::Cancelled
        | Ended::OutOfRoom
        | Ended::Vanished => Err(CliError::CommandFailed { ended }),
    }
}

//! `sealwright sandbox`: the view of a role.

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
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, sanitize, say};
use crate::repository::Repository;

/// Show what a role can see, or run a command in its sandbox.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print what a role can read, write and reach.
    Explain {
        /// Context Pack file; `-` is standard input.
        pack: PathBuf,
        /// Tree of the module being built [default: the repository].
        #[arg(long, value_name = "FOLDER")]
        work: Option<PathBuf>,
    },
    /// Run a command in the sandbox of a role, and print what it would change.
    ///
    /// Its changes are discarded. Exit code 10 if the command failed; 20 if the sandbox is too weak.
    Run {
        /// Context Pack file; `-` is standard input.
        #[arg(long, value_name = "PACK")]
        pack: PathBuf,
        /// Tree of the module being built [default: the repository].
        #[arg(long, value_name = "FOLDER")]
        work: Option<PathBuf>,
        /// Run even without a sandbox; the result proves nothing.
        #[arg(long)]
        allow_advisory: bool,
        /// Program and arguments.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
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
        What::Explain { .. } => match output.format {
            Format::Human => output.line(view::tree(&layout).trim_end()),
            Format::Json => output.json(&wire(&layout)),
        },
        What::Run { allow_advisory, command, .. } => {
            let least = if *allow_advisory { Level::Advisory } else { Level::KernelRestricted };
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let stood = confined::run(&layout, &store, &words, least)?;
            tell(&stood, output)
        }
    }
}

fn wire(layout: &Layout) -> SandboxLine {
    let work = layout.work().map(|work| WorkMount {
        module: work.module.to_string(),
        access: match work.access {
            Access::ReadOnly => MountAccess::ReadOnly,
            Access::ReadWrite | Access::ReadWriteNoLinks => MountAccess::ReadWrite,
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

fn tell(stood: &ConfinedRun, output: &mut Output) -> CliResult {
    let ConfinedRun { outcome, harvest } = stood;
    let ended = match outcome.ended {
        Ended::Exited(code) => format!("exited with {code}"),
        Ended::Signalled(signal) => format!("was killed by signal {signal}"),
        Ended::TimedOut => "timed out".to_owned(),
        Ended::Cancelled => "was cancelled".to_owned(),
        Ended::OutOfRoom => "exceeded its disk limit".to_owned(),
        Ended::Vanished => {
            "was killed by the kernel, probably for exceeding its memory limit".to_owned()
        }
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
    match output.format {
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
                "the command {ended}; sandbox level {}",
                outcome.confinement.level.name()
            ));
            if outcome.leftovers > 0 {
                say(&format!("killed {} leftover processes", outcome.leftovers));
            }
            for change in &changes {
                say(&format!("would change {}", sanitize(change)));
            }
            for refusal in &refused {
                say(&format!("would refuse: {}", sanitize(refusal)));
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

//! `sealwright verify`: is everything what was once accepted, and does it rest on what it says?

use std::num::NonZero;
use std::path::Path;

use sealwright_kernel::Seq;
use sealwright_repo::{Depth, History, history_of};
use sealwright_store::attest::Trust;
use sealwright_verify::{Audit, Audited, Found};
use sealwright_views::wire::{HistoryDepth, KeyTrust, VerifyFinding, VerifyReport, VerifyVerdict};

use crate::args::Format;
use crate::commands::wait;
use crate::error::CliError;
use crate::input_files;
use crate::output::{Output, bad, counted, good, sanitize, warn};
use crate::repository::Repository;

/// Checks every record of every stream, the anchors in commits and in the project's stream, every
/// blob and snapshot; that each record is what its cause leads to, each decision a person's, each
/// verdict borne by evidence on the same tree; and every signed statement. Nothing is written and
/// nothing is fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Believe only this key: its whole name, or a file that `keys export` gave. Can be repeated.
    ///
    /// Without it keys are taken from the repository itself, and whoever can write all of its files
    /// can bring their own.
    #[arg(long, value_name = "FILE|KEY")]
    trust: Vec<String>,
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let trust = trust(&args.trust)?;
    let history = history_of(&repository.root)?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let audit =
        Audit { journal: &repository.journal, anchors: &history.anchors, trust: &trust, threads };
    let audited = wait(audit.run())??;
    match format {
        Format::Human => tell(&audited, &history, &trust, output)?,
        Format::Json => output.json(&wire(&audited, &history, &trust))?,
    }
    match audited.findings.len() {
        0 => Ok(()),
        1 => Err(CliError::NotProven { findings: 1, are: "is" }),
        findings => Err(CliError::NotProven { findings, are: "are" }),
    }
}

/// What was named on the command line: keys and files of keys.
fn trust(named: &[String]) -> Result<Trust, CliError> {
    let mut trust = Trust::Clone;
    for named in named {
        if let Ok(key) = named.parse() {
            trust.pin_key(key);
            continue;
        }
        let pinned = trust.pin(&input_files::read(Path::new(named))?);
        pinned.map_err(|source| CliError::NoKeys { file: named.clone(), source })?;
    }
    // A file without a key would pin nothing, and everything would count.
    match (named.is_empty(), &trust) {
        (false, Trust::Clone) => Err(CliError::NothingPinned),
        (true | false, Trust::Clone | Trust::Pinned { .. }) => Ok(trust),
    }
}

fn wire(audited: &Audited, history: &History, trust: &Trust) -> VerifyReport {
    let verified = &audited.verified;
    VerifyReport {
        verdict: if audited.findings.is_empty() {
            VerifyVerdict::Proven
        } else {
            VerifyVerdict::NotProven
        },
        streams: verified.streams,
        records: verified.records,
        bytes: verified.bytes,
        anchors: verified.anchors,
        history: match history.depth {
            Depth::None => HistoryDepth::None,
            Depth::Shallow => HistoryDepth::Shallow,
            Depth::Whole => HistoryDepth::Whole,
        },
        blobs: verified.blobs + verified.strays,
        blobs_elsewhere: verified.blobs_elsewhere,
        snapshots: audited.snapshots,
        trust: match trust {
            Trust::Clone => KeyTrust::Clone,
            Trust::Pinned { .. } => KeyTrust::Pinned,
        },
        keys: audited.keys,
        statements: audited.statements,
        decisions: audited.decisions,
        evidence: audited.evidence,
        unsigned: audited.unsigned.iter().map(Into::into).collect(),
        unaudited: audited.unaudited.iter().map(Into::into).collect(),
        torn: verified.torn.iter().map(Into::into).collect(),
        changed: audited.changed.iter().map(finding).collect(),
        findings: audited.findings.iter().map(finding).collect(),
    }
}

fn finding(found: &Found) -> VerifyFinding {
    VerifyFinding {
        object: found.object.clone(),
        stream: found.stream.as_ref().map(Into::into),
        seq: found.seq.map(Seq::get),
        finding: (&found.finding).into(),
        hint: (&found.hint).into(),
    }
}

fn tell(
    audited: &Audited,
    history: &History,
    trust: &Trust,
    output: &mut Output,
) -> Result<(), CliError> {
    let verified = &audited.verified;
    for found in &audited.findings {
        output.line(&format!("{} {}", bad("✗"), sanitize(&found.finding)))?;
        output.line(&format!("  {}", sanitize(&found.hint)))?;
    }
    for found in &audited.changed {
        output.line(&format!("{} {}", warn("•"), sanitize(&found.finding)))?;
    }
    if history.depth == Depth::Shallow {
        output.line("• the history is shallow; anchors in older commits are not known here")?;
    }
    for stream in &verified.torn {
        output.line(&format!(
            "• {stream} ends in a line a crash left unfinished; its next writer drops it"
        ))?;
    }
    if verified.blobs_elsewhere > 0 {
        let count = counted(verified.blobs_elsewhere, "large blob");
        output.line(&format!("• {count} kept out of git and not here"))?;
    }
    for stream in &audited.unaudited {
        output.line(&format!(
            "• {stream} is in words this version does not know; its records are whole, what they mean was not checked"
        ))?;
    }
    if !audited.unsigned.is_empty() {
        let count = counted(audited.unsigned.len() as u64, "finished task");
        output.line(&format!("• {count} without a signature; `sealwright keys sign` gives one"))?;
    }
    signatures(audited, trust, output)?;
    let counted = [
        counted(verified.streams, "stream"),
        counted(verified.records, "record"),
        counted(verified.anchors, "anchor"),
        counted(verified.blobs + verified.strays, "blob"),
        counted(audited.snapshots, "snapshot"),
    ]
    .join(", ");
    if audited.findings.is_empty() {
        output.line(&format!("{} {counted}: all as accepted", good("✓")))
    } else {
        output.line(&format!("checked {counted}"))
    }
}

/// PersonInput whose signatures were believed, if there are any.
fn signatures(audited: &Audited, trust: &Trust, output: &mut Output) -> Result<(), CliError> {
    let (statements, keys) = (audited.statements, counted(audited.keys, "key"));
    let signed = counted(statements, "signed statement");
    match (trust, audited.keys + statements) {
        (Trust::Clone, 0) => Ok(()),
        (Trust::Clone, _) => output.line(&format!(
            "• {signed}, {keys} taken from this clone itself; --trust pins keys from outside"
        )),
        (Trust::Pinned { .. }, _) => {
            output.line(&format!("{} {signed}, {keys} trusted from outside", good("•")))
        }
    }
}

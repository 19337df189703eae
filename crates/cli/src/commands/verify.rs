//! `sealwright verify`: the offline audit.

use std::num::NonZero;
use std::path::Path;

use sealwright_kernel::Seq;
use sealwright_repo::{Depth, History, history_of};
use sealwright_store::attest::Trust;
use sealwright_verify::{Audit, Audited, Found};
use sealwright_views::wire::{HistoryDepth, KeyTrust, VerifyFinding, VerifyReport, VerifyVerdict};

use crate::args::Format;
use crate::commands::keys::private_keys;
use crate::commands::wait;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, bad, counted, good, sanitize, warn};
use crate::repository::Repository;

/// Verify journal, decisions, evidence and signatures offline.
///
/// Checks the hash of every record, the anchors in commits and in the project's stream, every blob and snapshot; that
/// each record follows from its cause, that people made the decisions, that evidence on the same tree supports each
/// verdict; and every signed statement. Nothing is written or fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Trust only this key: its id, or a file that `keys export` printed. Can be repeated.
    ///
    /// Without it the keys of the repository are trusted, so a person who can write all of its files can add their own.
    #[arg(long, value_name = "FILE|KEY")]
    trust: Vec<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let trust = trust(&args.trust)?;
    let history = history_of(&repository.root)?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let audit =
        Audit { journal: &repository.journal, anchors: &history.anchors, trust: &trust, threads };
    let audited = wait(audit.run())??;
    match output.format {
        Format::Human => tell(&audited, &history, &trust, output)?,
        Format::Json => output.json(&wire(&audited, &history, &trust))?,
    }
    match audited.findings.len() {
        0 => Ok(()),
        1 => Err(CliError::NotProven { findings: 1, noun: "finding" }),
        findings => Err(CliError::NotProven { findings, noun: "findings" }),
    }
}

/// The keys given with `--trust`.
fn trust(named: &[String]) -> CliResult<Trust> {
    let mut trust = Trust::Clone;
    for named in named {
        if let Ok(key) = named.parse() {
            trust.pin_key(key);
            continue;
        }
        let pinned = trust.pin(&input_files::read(Path::new(named))?);
        pinned.map_err(|source| CliError::NoKeys { file: named.clone(), source })?;
    }
    // An empty key file must not mean that every key is trusted.
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

fn tell(audited: &Audited, history: &History, trust: &Trust, output: &mut Output) -> CliResult {
    let verified = &audited.verified;
    for found in &audited.findings {
        output.line(&format!("{} {}", bad("✗"), sanitize(&found.finding)))?;
        output.line(&format!("  {}", sanitize(&found.hint)))?;
    }
    for found in &audited.changed {
        output.line(&format!("{} {}", warn("•"), sanitize(&found.finding)))?;
    }
    if history.depth == Depth::Shallow {
        output.line("• the git history is shallow; anchors in older commits were not checked")?;
    }
    for stream in &verified.torn {
        output.line(&format!(
            "• {stream} ends with an incomplete line after a crash; its next writer drops it"
        ))?;
    }
    if verified.blobs_elsewhere > 0 {
        let count = counted(verified.blobs_elsewhere, "large blob");
        output.line(&format!("• {count} kept out of git and not in this clone"))?;
    }
    for stream in &audited.unaudited {
        output.line(&format!(
            "• {stream} has events that this version does not know; only its hashes were checked"
        ))?;
    }
    if !audited.unsigned.is_empty() {
        let count = counted(audited.unsigned.len() as u64, "finished task");
        let has_key = matches!(private_keys().current(), Ok(Some(_)));
        let first = if has_key { "" } else { "`sealwright keys new`, then " };
        output.line(&format!(
            "• {count} without a signature; {first}`sealwright keys sign TASK` adds one"
        ))?;
    }
    if audited.findings.is_empty() && !audited.unshipped.is_empty() {
        let count = counted(audited.unshipped.len() as u64, "task");
        output.line(&format!("• {count} shipped nothing; only the records were checked"))?;
    }
    if !audited.risk_accepted.is_empty() {
        let count = counted(audited.risk_accepted.len() as u64, "task");
        output.line(&format!("• {count} shipped with a risk that a person accepted"))?;
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
    if audited.findings.is_empty() && verified.streams == 0 {
        output.line("• nothing was recorded here yet, so there is nothing to verify")
    } else if audited.findings.is_empty() {
        output.line(&format!("{} {}: {counted}", good("✓"), verdict(audited)))
    } else {
        output.line(&format!("checked {counted}"))
    }
}

/// The verdict on records without a finding. Only tasks that shipped with every check passed are proven.
fn verdict(audited: &Audited) -> String {
    let others = (audited.unshipped.len() + audited.risk_accepted.len()) as u64;
    match (audited.proven, others) {
        (0, _) => "intact, nothing proven".to_owned(),
        (_, 0) => "proven".to_owned(),
        (proven, others) => format!("intact, {proven} of {} tasks proven", proven + others),
    }
}

/// Prints which keys were trusted, if there are signatures.
fn signatures(audited: &Audited, trust: &Trust, output: &mut Output) -> CliResult {
    let (statements, keys) = (audited.statements, counted(audited.keys, "key"));
    let signed = counted(statements, "signed statement");
    match (trust, audited.keys + statements) {
        (Trust::Clone, 0) => Ok(()),
        (Trust::Clone, _) => {
            output.line(&format!("• {signed}, {keys} trusted from this clone; --trust pins keys"))
        }
        (Trust::Pinned { .. }, _) => {
            output.line(&format!("{} {signed}, {keys} pinned with --trust", good("•")))
        }
    }
}

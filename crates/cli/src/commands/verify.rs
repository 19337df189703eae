//! `sealwright verify`: the offline audit.

mod code;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Component, Path, PathBuf};

use sealwright_kernel::{Seq, TaskId};
use sealwright_store::attest::Trust;
use sealwright_store::attest::person::Signers;
use sealwright_verify::code::{CodeReport, Proven, Standing};
use sealwright_verify::git::GitObjects;
use sealwright_verify::{Answer, Audited, Explained, Found, PersonRecord, Question, VerifyError};
use sealwright_views::wire::{
    ChangedFile, CodeStanding, ExplainedCriterion, ExplainedFile, HistoryDepth, KeyTrust,
    PassedEvidence, PersonRecordRow, ProvenCommit, VerifiedCode, VerifyFinding, VerifyReport,
    VerifyVerdict,
};

use crate::args::Format;
use crate::commands::keys::private_keys;
use crate::commands::wait;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, bad, counted, good, sanitize, warn};
use crate::repository::Repository;
use crate::signing::name;

/// Verify offline that a commit is what was proven.
///
/// Says of a commit that it is exactly what a task proved, or which files changed since, or that nothing in it was
/// proven. Checks the hash of every record, the anchors in commits and in the project's stream, every blob and snapshot;
/// that each record follows from its cause, that people made the decisions, that evidence on the same tree supports each
/// verdict; every signed statement; and the files of every commit that says it is a task. A clone of a shipped branch is
/// enough. No program is run, and nothing is fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A branch, a tag or a commit [default: HEAD, and the branches of shipped tasks].
    commit: Option<String>,

    /// Say which tasks changed this file, with their criteria, tests and evidence. It is named from the current folder or
    /// from the top of the repository.
    #[arg(long, value_name = "FILE")]
    explain: Option<String>,

    /// Exit with 0 also if the commit changed after its proof, or was never proven; what is false still fails.
    #[arg(long)]
    allow_changes: bool,

    /// Trust only this key: its id, or a file that `keys export` printed. Can be repeated.
    ///
    /// Without it the keys of the repository are trusted, so a person who can write all of its files can add their own.
    #[arg(long, value_name = "FILE|KEY")]
    trust: Vec<String>,

    /// Accept no decision but those that a person in this file signed, as `allowed_signers` of ssh-keygen and git.
    ///
    /// Without it a signature is shown with its key, and a decision without one as the name it is.
    #[arg(long, value_name = "FILE")]
    signers: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let trust = trust(&args.trust)?;
    let signers = args.signers.as_deref().map(signers).transpose()?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let files = args.explain.as_deref().map_or_else(Vec::new, |file| called(file, repository));
    let question = Question {
        journal: &repository.journal,
        root: &repository.root,
        revision: args.commit.as_deref(),
        files: &files,
        trust: &trust,
        signers: signers.as_ref(),
        threads,
    };
    let answer = wait(question.answer())??;
    let asked = args.commit.as_deref();
    match output.format {
        Format::Human => {
            tell(&answer, asked, &trust, output)?;
            if let Some(file) = &answer.file {
                code::explain(file, &answer.explained, output)?;
            }
        }
        Format::Json => output.json(&wire(&answer, &trust, signers.as_ref()))?,
    }
    let is_sound = answer.audited.findings.is_empty();
    if let (Some(file), None, true) = (&args.explain, &answer.file, is_sound) {
        return Err(CliError::NothingToExplain { file: file.clone() });
    }
    match answer.audited.findings.len() {
        0 if args.allow_changes => Ok(()),
        0 => unproven(&answer, args.commit.is_some()).map_or(Ok(()), Err),
        findings => Err(not_proven(findings)),
    }
}

/// What a file may be called from the top of the repository: as it is called in the current folder, or as it is.
fn called(file: &str, repository: &Repository) -> Vec<String> {
    let top = repository.root.ancestors().find(|folder| folder.join(".git").exists());
    let top = top.and_then(|top| top.canonicalize().ok());
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok();
    let from_here = top.zip(here).and_then(|(top, here)| {
        let mut whole = PathBuf::new();
        for part in here.join(file).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                part => whole.push(part),
            }
        }
        Some(whole.strip_prefix(top).ok()?.to_str()?.to_owned())
    });
    let mut names: Vec<String> = from_here.into_iter().chain([file.to_owned()]).collect();
    names.dedup();
    names
}

/// The commit on the branch of a finished task, if there is that branch: exactly what the task proved, by the same answer as
/// `verify` gives. Anything else is told, and an error.
pub(crate) fn shipped_tip(
    repository: &Repository,
    task: &TaskId,
    output: &mut Output,
) -> CliResult<Option<String>> {
    let (branch, root) = (task.branch(), &repository.root);
    let git = GitObjects::open(root).map_err(VerifyError::from)?;
    let Some(tip) = git.and_then(|git| git.branch(&branch)) else { return Ok(None) };
    // The commit and not the branch is looked at: it is what goes out afterwards.
    let commit = tip.to_string();
    let question = Question {
        journal: &repository.journal,
        root,
        revision: Some(&commit),
        files: &[],
        trust: &Trust::Clone,
        signers: None,
        threads: std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    let answer = wait(question.answer())??;
    let is_own = |code: &CodeReport| match &code.standing {
        Standing::Proven(proven) => proven.task == *task,
        Standing::Joined { .. } | Standing::Changed { .. } | Standing::Never => false,
    };
    let refused = match answer.audited.findings.len() {
        0 if answer.code.as_ref().is_some_and(is_own) => return Ok(Some(commit)),
        0 => unproven(&answer, true)
            .unwrap_or(CliError::Unproven { what: "its branch is the work of another task" }),
        findings => not_proven(findings),
    };
    if output.format == Format::Human {
        tell(&answer, Some(&branch), &Trust::Clone, output)?;
    }
    Err(refused)
}

fn not_proven(findings: usize) -> CliError {
    CliError::NotProven { findings, noun: if findings == 1 { "finding" } else { "findings" } }
}

/// Why records without a finding are not a success.
fn unproven(answer: &Answer, is_named: bool) -> Option<CliError> {
    if answer.audited.verified.streams == 0 && !is_named {
        return Some(CliError::NothingToVerify);
    }
    let code = answer.code.as_ref()?;
    let what = match &code.standing {
        Standing::Proven(_) => return None,
        Standing::Joined { .. } => "its parts were proven, and not tested together",
        Standing::Changed { .. } => "files changed since the last proof",
        Standing::Never if is_named => "nothing in its history was proven",
        // Work that nobody merged yet is what it was on its branch.
        Standing::Never if code.works.is_empty() && !code.branches.is_empty() => return None,
        Standing::Never => "nothing in its history was proven",
    };
    Some(CliError::Unproven { what })
}

/// The people given with `--signers`. A file without any is no permission for all.
fn signers(file: &Path) -> CliResult<Signers> {
    let text = input_files::text(file)?;
    let named = || file.display().to_string();
    let signers =
        Signers::parse(&text).map_err(|source| CliError::NotSigners { file: named(), source })?;
    if signers.is_empty() {
        return Err(CliError::NoSigners { file: named() });
    }
    Ok(signers)
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

fn wire(answer: &Answer, trust: &Trust, signers: Option<&Signers>) -> VerifyReport {
    let audited = &answer.audited;
    let verified = &audited.verified;
    // Where nobody signs and nobody asks, there are only names, and the value is that of earlier versions.
    let is_told = signers.is_some() || audited.people.iter().any(|it| it.signature.is_some());
    let people = audited.people.iter().filter(|_| is_told);
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
        history: match (&answer.code, answer.is_shallow) {
            (None, _) => HistoryDepth::None,
            (Some(_), true) => HistoryDepth::Shallow,
            (Some(_), false) => HistoryDepth::Whole,
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
        people: people.map(person_wire).collect(),
        unsigned: audited.unsigned.iter().map(Into::into).collect(),
        unaudited: audited.unaudited.iter().map(Into::into).collect(),
        torn: verified.torn.iter().map(Into::into).collect(),
        changed: audited.changed.iter().map(finding).collect(),
        findings: audited.findings.iter().map(finding).collect(),
        code: answer.code.as_ref().map(|code| code_wire(code, answer.proofs)),
        explained: answer.explained.iter().map(explained_wire).collect(),
    }
}

fn person_wire(record: &PersonRecord) -> PersonRecordRow {
    let signature = record.signature.as_ref();
    PersonRecordRow {
        stream: (&record.stream).into(),
        seq: record.seq.into(),
        by: (&record.by).into(),
        key: signature.map(|it| (&it.key).into()),
        signer: signature.and_then(|it| it.signer.as_ref()).map(Into::into),
    }
}

fn code_wire(code: &CodeReport, proofs: u64) -> VerifiedCode {
    let (standing, tasks, changed) = match &code.standing {
        Standing::Proven(proven) => (CodeStanding::Proven, std::slice::from_ref(proven), &[][..]),
        Standing::Joined { from } => (CodeStanding::Joined, &from[..], &[][..]),
        Standing::Changed { from, files } => (CodeStanding::Changed, &from[..], &files[..]),
        Standing::Never => (CodeStanding::Never, &[][..], &[][..]),
    };
    let changed = changed.iter().map(|file| ChangedFile {
        path: file.path.clone().into(),
        commits: file.commits.iter().map(|id| (&id.to_string()).into()).collect(),
    });
    VerifiedCode {
        commit: (&code.commit.to_string()).into(),
        standing,
        tasks: commits_wire(tasks),
        changed: changed.collect(),
        moved: commits_wire(&code.moved),
        unknown: commits_wire(&code.unknown),
        branches: commits_wire(&code.branches),
        elsewhere: code.elsewhere.iter().map(Into::into).collect(),
        commits: code.commits,
        proofs,
    }
}

fn explained_wire(explained: &Explained) -> ExplainedFile {
    let criterion = |(text, tests): &(String, Vec<String>)| ExplainedCriterion {
        criterion: text.clone().into(),
        tests: tests.iter().map(|test| test.clone().into()).collect(),
    };
    let passed = |(id, check): &(String, String)| PassedEvidence {
        evidence: id.clone().into(),
        check: check.clone().into(),
    };
    ExplainedFile {
        task: (&explained.work.task).into(),
        commit: (&explained.work.commit.to_string()).into(),
        as_proven: explained.is_as_proven,
        criteria: explained.criteria.iter().map(criterion).collect(),
        evidence: explained.evidence.iter().map(passed).collect(),
    }
}

fn commits_wire(proven: &[Proven]) -> Vec<ProvenCommit> {
    let wire = |it: &Proven| ProvenCommit {
        task: (&it.task).into(),
        commit: (&it.commit.to_string()).into(),
    };
    proven.iter().map(wire).collect()
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

fn tell(answer: &Answer, asked: Option<&str>, trust: &Trust, output: &mut Output) -> CliResult {
    let audited = &answer.audited;
    let verified = &audited.verified;
    for found in &audited.findings {
        output.line(&format!("{} {}", bad("✗"), sanitize(&found.finding)))?;
        output.line(&format!("  {}", sanitize(&found.hint)))?;
    }
    for found in &audited.changed {
        output.line(&format!("{} {}", warn("•"), sanitize(&found.finding)))?;
    }
    if answer.is_shallow {
        output.line("• the git history is shallow; older commits were not checked")?;
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
    people(audited, output)?;
    let counted = [
        counted(verified.streams, "stream"),
        counted(verified.records, "record"),
        counted(verified.anchors, "anchor"),
        counted(verified.blobs + verified.strays, "blob"),
        counted(audited.snapshots, "snapshot"),
    ]
    .join(", ");
    if audited.findings.is_empty() && verified.streams == 0 {
        output.line("• nothing was recorded here yet, so there is nothing to verify")?;
    } else if audited.findings.is_empty() {
        let is_here = unproven(answer, asked.is_some()).is_none();
        output.line(&format!("{} {}: {counted}", good("✓"), verdict(audited, is_here)))?;
    } else {
        output.line(&format!("checked {counted}"))?;
    }
    match &answer.code {
        Some(code) if verified.streams > 0 => code::tell(code, asked.unwrap_or("HEAD"), output),
        Some(_) | None => Ok(()),
    }
}

/// The verdict on records without a finding. Only tasks that shipped with every check passed are proven; `is_here` says
/// whether what they proved is what is here.
fn verdict(audited: &Audited, is_here: bool) -> String {
    let others = (audited.unshipped.len() + audited.risk_accepted.len()) as u64;
    match (audited.proven, others) {
        (0, _) => "intact, nothing proven".to_owned(),
        (_, 0) if is_here => "proven".to_owned(),
        (proven, 0) => format!("records intact, {} proven", counted(proven, "task")),
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

/// Prints who signed what they decided, and whose name is all there is.
fn people(audited: &Audited, output: &mut Output) -> CliResult {
    let mut signed: BTreeMap<(&str, String), u64> = BTreeMap::new();
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    for record in &audited.people {
        let count = match &record.signature {
            Some(it) => signed.entry((record.by.as_str(), it.to_string())).or_default(),
            None => names.entry(record.by.as_str()).or_default(),
        };
        *count += 1;
    }
    for ((by, signer), count) in signed {
        let (count, by, signer) = (counted(count, "decision"), name(by), sanitize(&signer));
        output.line(&format!("{} {count} of {by} signed by {signer}", good("•")))?;
    }
    for (by, count) in names {
        let count = counted(count, "decision");
        output.line(&format!("• {count} by {} (not signed: only a name)", name(by)))?;
    }
    Ok(())
}

//! The whole answer: the records of a repository, the proofs that came with a commit, and the code of that commit.

use std::collections::BTreeSet;
use std::path::Path;

use gix_object::tree::EntryKind;
use sealwright_kernel::{Digest, StreamId, TaskId};
use sealwright_store::attest::Trust;
use sealwright_store::attest::person::Signers;
use sealwright_store::{
    Anchor, FileJournal, Head, JournalError, Layout, ProofError, ProofFile, read_blob,
};

use crate::code::{self, CodeReport, History, Records};
use crate::explain::{Explained, explain};
use crate::git::{File, Files, GitObjects, GitReadError, HEAD};
use crate::{Audit, Audited, Found, Origin};

#[derive(Debug)]
pub struct Question<'a> {
    pub journal: &'a FileJournal,
    /// The folder that holds `.sealwright`.
    pub root: &'a Path,
    /// The commit in question; `HEAD` if none is named.
    pub revision: Option<&'a str>,
    /// What a file that is to be explained may be called from the top of the repository. The first that there is counts.
    pub files: &'a [String],
    pub trust: &'a Trust,
    pub signers: Option<&'a Signers>,
    pub threads: usize,
}

#[derive(Debug)]
pub struct Answer {
    pub audited: Audited,
    /// `None` without a git repository, or without a commit.
    pub code: Option<CodeReport>,
    pub is_shallow: bool,
    /// The file in question, if the commit has it or a task changed it.
    pub file: Option<String>,
    /// The tasks that changed it, the newest first.
    pub explained: Vec<Explained>,
    /// Proofs that came with the commit: of tasks whose records are in this repository too, and of others.
    pub proofs: u64,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Git(#[from] GitReadError),
    #[error("cannot use a temporary folder")]
    Folder(#[from] std::io::Error),
}

impl VerifyError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Journal(error) => error.hint(),
            Self::Git(error) => error.hint(),
            Self::Folder(_) => Some("check that the disk is writable and has space".to_owned()),
        }
    }
}

impl Question<'_> {
    pub async fn answer(&self) -> Result<Answer, VerifyError> {
        let git = GitObjects::open(self.root)?;
        let at = match (&git, self.revision) {
            (Some(git), revision) => {
                git.resolve(revision.unwrap_or(HEAD))?.map(|commit| (git, commit))
            }
            (None, Some(revision)) => {
                return Err(GitReadError::NoCommit { revision: revision.to_owned() }.into());
            }
            (None, None) => None,
        };
        let Some((git, commit)) = at else {
            let audited = self.audit(self.journal, &[], Origin::Journal).await?;
            let (file, explained) = (None, Vec::new());
            return Ok(Answer {
                audited,
                code: None,
                is_shallow: false,
                file,
                explained,
                proofs: 0,
            });
        };
        let history = History::of(git, commit)?;
        let anchors = history.anchors(git)?;
        let mut proofs = Proofs::of(git, &history)?;
        let streams = self.journal.streams_blocking()?;
        let is_here = |stream: &StreamId| streams.binary_search(stream).is_ok();
        let (travelled, here): (Vec<Anchor>, Vec<Anchor>) =
            anchors.into_iter().partition(|it| !is_here(&it.stream) && proofs.has(&it.stream));
        let mut audited = self.audit(self.journal, &here, Origin::Journal).await?;
        audited.findings.append(&mut proofs.findings);
        let folder = tempfile::tempdir()?;
        for proof in &proofs.files {
            if is_here(proof.task.stream()) {
                audited.findings.extend(self.contradicts(proof)?);
            } else if let Err(error) = proof.unpack(folder.path()) {
                audited.findings.push(about_proof(&proof.task, &error));
            }
        }
        let unpacked = FileJournal::at(folder.path());
        let others = self.audit(&unpacked, &travelled, Origin::Proofs).await?;
        audited.absorb(others);
        let faulty: BTreeSet<StreamId> =
            audited.findings.iter().filter_map(|found| found.stream.clone()).collect();
        let layouts = [self.journal.layout(), unpacked.layout()];
        let blob = |digest: &Digest| find_blob(&layouts, digest);
        let records = Records { gates: &audited.gates, faulty: &faulty, blob: &blob };
        let mut code = code::look(git, &history, &records)?;
        audited.findings.append(&mut code.findings);
        let (mut file, mut explained) = (None, Vec::new());
        for path in self.files {
            explained = explain(git, commit, &code.works, &[self.journal, &unpacked], path)?;
            if !explained.is_empty() || git.entry(git.commit(commit)?.tree, path)?.is_some() {
                file = Some(path.clone());
                break;
            }
        }
        Ok(Answer {
            audited,
            code: Some(code),
            is_shallow: history.is_cut(),
            file,
            explained,
            proofs: proofs.files.len() as u64,
        })
    }

    async fn audit(
        &self,
        journal: &FileJournal,
        anchors: &[Anchor],
        origin: Origin,
    ) -> Result<Audited, JournalError> {
        let Self { trust, signers, threads, .. } = *self;
        Audit { journal, anchors, trust, signers, threads, origin }.run().await
    }

    /// A proof whose last record is not on the chain of the journal.
    fn contradicts(&self, proof: &ProofFile) -> Result<Option<Found>, JournalError> {
        let mut is_there = false;
        let read = self.journal.read_blocking(proof.task.stream(), Head::START, &mut |entry| {
            is_there |= entry.head() == proof.head;
            Ok(())
        });
        // A damaged stream has its own finding.
        Ok((read.is_ok() && !is_there).then(|| Found {
            object: format!("proof {}", proof.task),
            stream: Some(proof.task.stream().clone()),
            seq: Some(proof.head.seq),
            finding: format!(
                "the proof of {} in the commit and its records in `.sealwright/journal` differ",
                proof.task
            ),
            hint: "one of them was replaced: compare both with a source you trust".to_owned(),
        }))
    }
}

/// The proofs that a commit has, and those that the commits of tasks brought with them. Removing the file, or undoing
/// the change, loses nothing.
struct Proofs {
    files: Vec<ProofFile>,
    findings: Vec<Found>,
}

impl Proofs {
    fn of(git: &GitObjects, history: &History) -> Result<Self, GitReadError> {
        let mut proofs = Self { files: Vec::new(), findings: Vec::new() };
        let mut seen = BTreeSet::new();
        let place = format!("{}{}", git.below(), ProofFile::FOLDER);
        let folder = git.entry(git.commit(history.target())?.tree, &place)?;
        let folder = folder.filter(|it| it.kind == EntryKind::Tree);
        for (name, file) in folder.map_or(Ok(Files::new()), |folder| git.folder(folder.id))? {
            if let Some(task) = ProofFile::task_of(&name) {
                proofs.add(git, &task, file)?;
                seen.insert(task);
            }
        }
        for step in history.steps() {
            for (task, _) in &step.says {
                let path = format!("{}{}", git.below(), ProofFile::path(task));
                if seen.contains(task) {
                    continue;
                }
                if let Some(file) = git.entry(step.commit.tree, &path)? {
                    proofs.add(git, task, file)?;
                    seen.insert(task.clone());
                }
            }
        }
        Ok(proofs)
    }

    fn add(&mut self, git: &GitObjects, task: &TaskId, file: File) -> Result<(), GitReadError> {
        let wrong = |what: &str| ProofError::Form { line: 1, what: what.to_owned() };
        let read = match file.kind {
            EntryKind::Blob => ProofFile::from_bytes(&git.content(file.id)?),
            _ => Err(wrong("it is no plain file")),
        };
        match read {
            Ok(proof) if proof.task == *task => self.files.push(proof),
            Ok(proof) => {
                let error = wrong(&format!("it is the proof of {}", proof.task));
                self.findings.push(about_proof(task, &error));
            }
            Err(error) => self.findings.push(about_proof(task, &error)),
        }
        Ok(())
    }

    fn has(&self, stream: &StreamId) -> bool {
        self.files.iter().any(|proof| proof.task.stream() == stream)
    }
}

fn about_proof(task: &TaskId, error: &ProofError) -> Found {
    Found {
        object: format!("proof {task}"),
        stream: Some(task.stream().clone()),
        seq: None,
        finding: format!("`{}`: {error}", ProofFile::path(task)),
        hint: format!("restore it from the branch {}", task.branch()),
    }
}

fn find_blob(layouts: &[&Layout], digest: &Digest) -> Option<Vec<u8>> {
    layouts.iter().find_map(|layout| read_blob(layout, digest, TREE_BYTES_MAX))
}

const TREE_BYTES_MAX: u64 = 256 << 20;

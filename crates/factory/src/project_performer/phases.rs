//! Performs what the phases of a project wait for: documents are read and gates examined, what passed becomes a commit,
//! what failed too often is kept and undone by further commits.
//!
//! ```text
//! examine ─▶ a report in the store ─▶ the kernel decides ─▶ keep: a commit on sealwright/project
//!                                                        └▶ restore: a commit of what failed, then of the last gate
//! ```

use std::collections::BTreeSet;

use sealwright_documents::gates::{self, Evaluation, Texts};
use sealwright_documents::scope::Criterion;
use sealwright_documents::{Finding, brake, design, proposal, scope};
use sealwright_host::{Clock as _, SystemClock};
use sealwright_kernel::pipeline::{Kind, Phase, State};
use sealwright_kernel::project::run::{
    Architecture, Document, Drift, Effect, Examination, Fixed, Input, Job, Run, Tells,
};
use sealwright_kernel::project::{self, Project};
use sealwright_kernel::{Digest, EffectId, Verdict};
use sealwright_repo::git::{commits, join, objects};
use sealwright_store::{BlobRef, Blobs, LeafKind};
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::{BRANCH, BRANCH_REFERENCE, ProjectPerformer};
use crate::project::{ProjectError, ProjectStream};
use crate::steering::{Steering, SteeringTexts, path};

/// What an examination found, as it is kept in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub evaluation: Evaluation,
    /// What outgrew the design.
    pub brakes: Vec<brake::Brake>,
    /// Documents that the gate read besides those that steer the project: what was gathered for a scope, or a proposal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Read>,
}

/// A document, as it was when a gate read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Read {
    pub path: String,
    pub sha256: Digest,
    /// What it said, if it is kept nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A report with what it tells besides its verdict.
pub(super) struct Examined {
    report: Report,
    tells: Tells,
    /// What nobody measured.
    said: BTreeSet<String>,
    /// The commit whose files were examined.
    commit: Option<String>,
    /// What the log says of a gate that passed.
    note: String,
}

impl Examined {
    pub(super) fn of(evaluation: Evaluation) -> Self {
        let report = Report { evaluation, ..Report::default() };
        let (said, note) = (BTreeSet::new(), String::new());
        Self { report, tells: Tells::Nothing, said, commit: None, note }
    }
}

impl From<Facts<Evaluation>> for Examined {
    fn from(evaluated: Facts<Evaluation>) -> Self {
        let mut examined = Self::of(evaluated.facts);
        examined.said = evaluated.said;
        // What is said and cannot be read leaves the gate open.
        if let Some(finding) = evaluated.unreadable {
            let evaluation = &mut examined.report.evaluation;
            let id = finding.condition.clone();
            evaluation.conditions.push(gates::Condition { id, held: None });
            evaluation.findings.insert(0, finding);
        }
        examined
    }
}

type Performed = Result<(project::Input, Vec<BlobRef>), String>;

impl ProjectPerformer {
    pub(super) async fn phase(&self, effect: &Effect) -> Result<Performed, ProjectError> {
        let stream = ProjectStream::of(&self.journal);
        let project = stream.look().await?;
        let id = effect.id();
        let input = match effect {
            Effect::Work { .. } => return Ok(Err("a person has to do this".to_owned())),
            Effect::Examine { job, .. } => return self.examine(&project, *job, id).await,
            Effect::Keep { .. } => match self.keep(&stream, &project, &id).await? {
                Ok(commit) => Input::Kept { effect: id, commit, seen: stream.seen(&project)? },
                Err(why) => return Ok(Err(why)),
            },
            Effect::Restore { .. } => match self.restore(&stream, &project, &id).await? {
                Ok((broken, commit)) => Input::Restored { effect: id, broken, commit },
                Err(why) => return Ok(Err(why)),
            },
            Effect::Recover { .. } => match self.take_up(&project, &id)? {
                Ok(()) => Input::Recovered { effect: id, seen: stream.seen(&project)? },
                Err(why) => return Ok(Err(why)),
            },
        };
        Ok(Ok((project::Input::Run(input), vec![])))
    }

    async fn examine(
        &self,
        project: &Project,
        job: Job,
        effect: EffectId,
    ) -> Result<Performed, ProjectError> {
        let steering = Steering::of(&self.root);
        let texts = steering.texts();
        let examined = match job {
            Job::Phase(Phase::Expand) => {
                let delivered = self.delivered_scope(project.run().version)?;
                let further = |it: &str| gates::expand_further(&borrowed(&texts), it);
                let first = || gates::expand(&borrowed(&texts));
                let mut examined = Examined::of(delivered.as_deref().map_or_else(first, further));
                // What people gathered is what the scope was written from.
                let gathered = steering.inputs().into_iter();
                let read = |path: String| {
                    let sha256 = Digest::of(steering.text(&path)?.as_bytes());
                    Some(Read { path, sha256, text: None })
                };
                examined.report.read = gathered.filter_map(read).collect();
                examined.note = named("from", &examined.report.read);
                examined
            }
            Job::Phase(Phase::Design) => Examined::of(gates::design(&borrowed(&texts))),
            Job::Phase(Phase::Analyze) => Examined::of(gates::analyze(&borrowed(&texts))),
            Job::Phase(Phase::Build) => match self.build(project, &texts).await? {
                Ok(examined) => examined,
                Err(why) => return Ok(Err(why)),
            },
            Job::Phase(phase) => match self.later(project, phase, &texts).await? {
                Ok(examined) => examined,
                Err(why) => return Ok(Err(why)),
            },
            Job::Fix(phase) => match self.fix(project, phase, &texts).await? {
                Ok(examined) => examined,
                Err(why) => return Ok(Err(why)),
            },
            Job::Audit => Examined::of(written(&steering, "audit.md", "audit.report")),
            Job::Distill => Examined::of(written(&steering, "distilled.md", "distill.report")),
            Job::Propose => {
                let text = steering.text(PROPOSAL);
                let (proposal, findings) = proposal::read(text.as_deref());
                let held =
                    gates::Condition { id: "proposal".into(), held: Some(findings.is_empty()) };
                let mut examined = Examined::of(Evaluation { conditions: vec![held], findings });
                // Whatever is decided about it, it stays in the log, and its text in the store.
                let changes = proposal.changes.iter().map(|it| format!("{}: {}", it.id, it.text));
                let changes: Vec<String> = changes.collect();
                examined.note = format!("{} {}", proposal.summary, changes.join("; "));
                let read = |text: String| {
                    let (path, sha256) = (PROPOSAL.to_owned(), Digest::of(text.as_bytes()));
                    Read { path, sha256, text: Some(text) }
                };
                examined.report.read = text.map(read).into_iter().collect();
                examined
            }
            Job::Confirm => self.confirmed(project, &steering, &texts)?,
        };
        let Examined { report, tells, said, commit, note } = examined;
        let read = steering.seen(commit.as_deref())?;
        let blobs = Blobs::local(self.journal.layout())?;
        let text = serde_json::to_vec_pretty(&report).map_err(sealwright_host::HostError::from)?;
        let blob = blobs.put(text).await?;
        let findings = &report.evaluation.findings;
        // What does not hold comes before what only cannot be told.
        let is_failed = |it: &&Finding| {
            let conditions = &report.evaluation.conditions;
            conditions.iter().any(|of| of.id == it.condition && of.held == Some(false))
        };
        let first = findings.iter().find(is_failed).or(findings.first());
        let first = first.map(|it| format!("{}:{}: {}", it.file, it.line, it.what));
        let first = first.unwrap_or(note).chars().take(FIRST_MAX).collect();
        let report = Examination {
            verdict: verdict(&report.evaluation),
            read,
            report: blob.sha256,
            findings: findings.len() as u32,
            first,
            brakes: report.brakes.iter().map(|it| it.what.clone()).collect::<BTreeSet<_>>(),
            said,
            tells,
        };
        let input = project::Input::Run(Input::Examined { effect, report });
        Ok(Ok((input, vec![blob])))
    }

    /// The gate of the build, on the joined work of all tasks.
    async fn build(
        &self,
        project: &Project,
        texts: &SteeringTexts,
    ) -> Result<Result<Examined, String>, ProjectError> {
        let tip = match self.join(project).await? {
            Ok(tip) => tip,
            Err(why) => return Ok(Err(why)),
        };
        let facts = self.build_facts(project, &tip, texts).await?;
        // What stands at the root, documents and hidden files are in no design.
        let lines: Vec<(String, u64)> =
            facts.lines.iter().filter(|(path, _)| is_product(path)).cloned().collect();
        let mut examined = Examined::from(facts.judged(gates::build));
        let tier = scope::read(texts.scope.as_deref(), None).0.tier;
        let (designed, _) = design::read(texts.design.as_deref(), tier);
        // Dependencies are not counted: no design names them yet.
        let none = BTreeSet::new();
        examined.report.brakes =
            brake::brake(&designed.files, &designed.exempt, &lines, 0, &none, &none);
        examined.commit = Some(tip);
        Ok(Ok(examined))
    }

    /// The gates behind the build: what people found is read from their facts, and what can be run is run.
    async fn later(
        &self,
        project: &Project,
        phase: Phase,
        texts: &SteeringTexts,
    ) -> Result<Result<Examined, String>, ProjectError> {
        let tip = match self.join(project).await? {
            Ok(tip) => tip,
            Err(why) => return Ok(Err(why)),
        };
        let mut examined = match phase {
            Phase::Review => {
                let mut said = self.said::<gates::ReviewFacts>(phase);
                let bound = project.run().gated.get(&Document::Code).map(ToString::to_string);
                let seen = Steering::of(&self.root).seen(Some(&tip))?;
                let now = seen.get(&Document::Code).map(ToString::to_string);
                (said.facts.build_tree, said.facts.tree) = (bound, now);
                Examined::from(Facts::said(said, &["build_tree", "tree"]).judged(gates::review))
            }
            Phase::Reconcile => {
                let said = self.said::<gates::ReconcileFacts>(phase);
                let facts = said.facts.clone();
                let drift = match gates::reconcile_outcome(facts.drifts.as_deref().unwrap_or(&[])) {
                    gates::ReconcileOutcome::Clean => Drift::Clean,
                    gates::ReconcileOutcome::Repaired => Drift::Repaired,
                    gates::ReconcileOutcome::Blocked => Drift::Blocked,
                };
                // A cosmetic drift is fixed in silence.
                let is_noted =
                    |it: &&gates::Drift| gates::classify_drift(it) != gates::DriftClass::Cosmetic;
                let noted = facts.drifts.iter().flatten().filter(is_noted);
                let repaired: Vec<&str> = noted.map(|it| it.what.as_str()).collect();
                let note = match drift {
                    Drift::Repaired => format!("documents repaired: {}", repaired.join("; ")),
                    Drift::Clean | Drift::Blocked => String::new(),
                };
                let mut judged = Facts::said(said, &[]).judged(gates::reconcile);
                if drift == Drift::Repaired {
                    let seen = Steering::of(&self.root).seen(Some(&tip))?;
                    let is_same = |it: &Document| seen.get(it) == project.run().gated.get(it);
                    if [Document::Design, Document::Readiness].iter().all(is_same) {
                        judged
                            .facts
                            .conditions
                            .push(gates::Condition { id: REPAIRED.into(), held: None });
                        judged.facts.findings.push(not_repaired());
                    }
                    // What was repaired passes its own gates again, or the repair was none.
                    for gate in [gates::design, gates::analyze] {
                        let Evaluation { conditions, findings } = gate(&borrowed(texts));
                        judged.facts.conditions.extend(conditions);
                        judged.facts.findings.extend(findings);
                    }
                }
                // Before anything is built there is no code to stand where the design says.
                if project.run().gated.contains_key(&Document::Code) {
                    let structure = self.structure(&tip, texts)?;
                    // A tree that differs is still to be repaired or decided about: neither a pass nor a failure.
                    let open = |it: gates::Condition| gates::Condition {
                        held: it.held.filter(|held| *held),
                        ..it
                    };
                    judged.facts.conditions.extend(structure.conditions.into_iter().map(open));
                    judged.facts.findings.extend(structure.findings);
                }
                Examined { tells: Tells::Drift(drift), note, ..Examined::from(judged) }
            }
            Phase::Verify => {
                let facts = self.verify_facts(&tip, texts).await?;
                Examined::from(facts.judged(gates::verify))
            }
            Phase::Deploy => self.deploy(project, &tip, texts)?,
            Phase::Expand | Phase::Design | Phase::Analyze | Phase::Build => {
                return Ok(Err("that gate is examined otherwise".to_owned()));
            }
        };
        examined.commit = Some(tip);
        Ok(Ok(examined))
    }

    /// What a review or a verification found was worked on: the gate of the build has to hold again.
    async fn fix(
        &self,
        project: &Project,
        phase: Phase,
        texts: &SteeringTexts,
    ) -> Result<Result<Examined, String>, ProjectError> {
        let mut examined = match self.build(project, texts).await? {
            Ok(examined) => examined,
            Err(why) => return Ok(Err(why)),
        };
        // A brake is a question of the build.
        examined.report.brakes.clear();
        if phase == Phase::Verify {
            let seen = Steering::of(&self.root).seen(examined.commit.as_deref())?;
            let changed = |it: &&Document| seen.get(*it) != project.run().gated.get(*it);
            let changed = Document::ALL.iter().filter(changed);
            let paths: Vec<String> = changed.map(|it| path(*it).to_owned()).collect();
            examined.tells = Tells::Fixed(match gates::classify_fix(&paths) {
                gates::FixKind::Verify => Fixed::Nothing,
                gates::FixKind::Reconcile => Fixed::Documents,
                gates::FixKind::BuildAndReview => Fixed::Code,
            });
        }
        Ok(Ok(examined))
    }

    /// A commit of the documents as they are, on top of the work that was joined.
    async fn keep(
        &self,
        stream: &ProjectStream,
        project: &Project,
        effect: &EffectId,
    ) -> Result<Result<String, String>, ProjectError> {
        if let Some(there) = self.was_made(effect)? {
            return Ok(Ok(there));
        }
        let run = project.run();
        let phase = match run.pipeline.state.kind() {
            Kind::Passed(phase) => phase,
            // Two gates have no state of their own between passing and what follows, and a stop can come between.
            Kind::Working(_) | Kind::Fixing(_) | Kind::Waiting => Phase::Reconcile,
            Kind::Between | Kind::Aside | Kind::Retrying(_) | Kind::Recovering => Phase::Deploy,
        };
        let message = format!("chore({}): pass the gate of version {}", phase.name(), run.version);
        let mut files = self.documents();
        if phase == Phase::Deploy {
            let scope = files.iter().find(|(path, _)| path.ends_with("/scope.md")).cloned();
            files.extend(scope.map(|(_, text)| (scope_of(run.version), text)));
        }
        files.push((LOG.to_owned(), stream.log().await?.markdown().into_bytes()));
        self.commit_files(&files, &message, effect, None).await
    }

    /// What the gates of documents pass on when an iteration is confirmed. A scope that asks for nothing new, or asks for
    /// something else under a name that was delivered, has to be written first.
    fn confirmed(
        &self,
        project: &Project,
        steering: &Steering,
        texts: &SteeringTexts,
    ) -> Result<Examined, ProjectError> {
        let (proposal, _) = proposal::read(steering.text(PROPOSAL).as_deref());
        let is_same = proposal.impact == Some(proposal::ArchitectureImpact::None);
        let delivered = self.delivered_scope(project.run().version)?;
        let criteria = |text: Option<&str>| scope::read(text, None).0.criteria;
        let (before, now) = (criteria(delivered.as_deref()), criteria(texts.scope.as_deref()));
        let is_same_criterion =
            |old: &Criterion, new: &Criterion| (&old.id, &old.text) == (&new.id, &new.text);
        let kept = before.iter().filter(|old| now.iter().any(|new| is_same_criterion(old, new)));
        let is_kept = delivered.is_some() && kept.count() == before.len();
        let is_more = now.iter().any(|new| before.iter().all(|it| it.id != new.id));
        let (expand, design) = (gates::expand(&borrowed(texts)), gates::design(&borrowed(texts)));
        let is_asked = expand.passes() && is_kept && is_more;
        let architecture = match (is_asked, design.passes() && is_same) {
            (true, true) => Architecture::Unchanged,
            (true, false) => Architecture::Changed,
            (false, _) => Architecture::Unknown,
        };
        let held =
            |id: &'static str, held: bool| gates::Condition { id: id.into(), held: Some(held) };
        let conditions = vec![
            held("confirm", true),
            held("confirm.criteria-kept", is_kept),
            held("confirm.criteria-new", is_more),
        ];
        let evaluation = Evaluation { conditions, findings: Vec::new() };
        Ok(Examined { tells: Tells::Architecture(architecture), ..Examined::of(evaluation) })
    }

    /// The scope of the last version that was delivered before this one, as it is kept on the branch. One that was given
    /// up has none.
    fn delivered_scope(&self, version: u32) -> Result<Option<String>, ProjectError> {
        let Ok(tip) = objects::commit(&self.root, BRANCH_REFERENCE) else { return Ok(None) };
        let mut found = None;
        for version in (1..version).rev() {
            found = objects::entry(&self.root, &tip, &scope_of(version))?;
            if found.is_some() {
                break;
            }
        }
        let Some(entry) = found else { return Ok(None) };
        let bytes = objects::Contents::open(&self.root)?.read(&entry, SCOPE_MAX)?;
        Ok(String::from_utf8(bytes).ok())
    }

    /// What failed becomes a commit, and so does the state of the last gate that passed. Nothing is rewritten, and the
    /// documents in the work tree stay as people left them.
    async fn restore(
        &self,
        stream: &ProjectStream,
        project: &Project,
        effect: &EffectId,
    ) -> Result<Result<(String, String), String>, ProjectError> {
        if let Some(there) = self.was_made(effect)? {
            let broken = objects::commit(&self.root, &format!("{there}^"))?;
            return Ok(Ok((broken, there)));
        }
        let run = project.run();
        if run.pipeline.state == State::PipelineComplete {
            return self.put_back(stream, run, effect).await;
        }
        let phase = run.pipeline.history.blocked_at.unwrap_or(Phase::Expand).name();
        let mut files = self.documents();
        files.push((LOG.to_owned(), stream.log().await?.markdown().into_bytes()));
        let message = format!("fix({phase}): checkpoint broken state before revert");
        let broken = match self.commit_files(&files, &message, effect, Some("broken")).await? {
            Ok(broken) => broken,
            Err(why) => return Ok(Err(why)),
        };
        let message = format!("revert({phase}): return to the last gate that passed");
        // Before the first gate there is nothing to return to but the commit the version began from.
        let back = match &run.kept {
            Some(kept) => kept.clone(),
            None => objects::commit(&self.root, &format!("{broken}^"))?,
        };
        Ok(self.commit_tree(&back, &broken, &message, effect).await?.map(|it| (broken, it)))
    }

    /// The files of the version that was delivered, as a commit on top of what was given up.
    async fn put_back(
        &self,
        stream: &ProjectStream,
        run: &Run,
        effect: &EffectId,
    ) -> Result<Result<(String, String), String>, ProjectError> {
        let Some(delivered) = &run.delivered else {
            return Ok(Err("no version was delivered".to_owned()));
        };
        let mut files = self.documents();
        files.push((LOG.to_owned(), stream.log().await?.markdown().into_bytes()));
        let message = "chore(abandon): keep what was given up";
        let given_up = match self.commit_files(&files, message, effect, Some("broken")).await? {
            Ok(given_up) => given_up,
            Err(why) => return Ok(Err(why)),
        };
        let message = "revert(abandon): return to the version that was delivered";
        let back = self.commit_tree(delivered, &given_up, message, effect).await?;
        Ok(back.map(|it| (given_up, it)))
    }

    /// Work that was undone when its gate failed for the third time is taken up again, as a further commit.
    fn take_up(
        &self,
        project: &Project,
        effect: &EffectId,
    ) -> Result<Result<(), String>, ProjectError> {
        let Some(broken) = &project.run().broken else { return Ok(Ok(())) };
        if project.run().pipeline.fresh.phases().count() < 3 || self.was_made(effect)?.is_some() {
            return Ok(Ok(()));
        }
        let tip = objects::commit(&self.root, BRANCH_REFERENCE)?;
        let message = said("chore(build): take the work up again", effect, None);
        let now = SystemClock.now().as_millis() / 1000;
        let commit = commits::again(&self.root, (broken, &tip), &message, now)?;
        self.advance(&commit)
    }

    /// The documents of the run, for a commit.
    fn documents(&self) -> Vec<(String, Vec<u8>)> {
        let steering = Steering::of(&self.root);
        let of = |it: Document| Some((committed(it), steering.text(path(it))?.into_bytes()));
        let documents =
            [Document::Preferences, Document::Scope, Document::Design, Document::Readiness];
        let mut files: Vec<(String, Vec<u8>)> = documents.into_iter().filter_map(of).collect();
        for facts in Phase::ALL.map(facts_of) {
            files.extend(steering.text(&facts).map(|it| (facts, it.into_bytes())));
        }
        files.extend(steering.text(PROPOSAL).map(|it| (PROPOSAL.to_owned(), it.into_bytes())));
        files
    }

    async fn commit_files(
        &self,
        files: &[(String, Vec<u8>)],
        message: &str,
        effect: &EffectId,
        part: Option<&str>,
    ) -> Result<Result<String, String>, ProjectError> {
        let head = objects::commit(&self.root, "HEAD")?;
        let tip = self.tip(&head).await?;
        if !self.is_ours(&head, &tip).await? {
            return Ok(Err(NOT_OURS.to_owned()));
        }
        let scratch = tempfile::Builder::new().prefix("commit-").tempdir_in(&self.state);
        let scratch = scratch.map_err(|source| ProjectError::Write {
            path: self.state.display().to_string(),
            source,
        })?;
        let changes: Vec<commits::Changed<'_>> = files
            .iter()
            .map(|(path, text)| commits::Changed { path, now: Some((LeafKind::Plain, text)) })
            .collect();
        let message = said(message, effect, part);
        let at_s = SystemClock.now().as_millis() / 1000;
        let new = commits::NewCommit { parent: &tip, changes: &changes, message: &message, at_s };
        let commit = commits::write(&self.root, scratch.path(), &new)?;
        Ok(self.advance(&commit)?.map(|()| commit))
    }

    /// The files of a commit again, on top of another one.
    async fn commit_tree(
        &self,
        of: &str,
        onto: &str,
        message: &str,
        effect: &EffectId,
    ) -> Result<Result<String, String>, ProjectError> {
        let at_s = SystemClock.now().as_millis() / 1000;
        let commit = commits::again(&self.root, (of, onto), &said(message, effect, None), at_s)?;
        Ok(self.advance(&commit)?.map(|()| commit))
    }

    /// The commit that this effect made before the process died, if it did.
    fn was_made(&self, effect: &EffectId) -> Result<Option<String>, ProjectError> {
        let made = commits::trailer(&self.root, BRANCH, EFFECT)?;
        let is_it = made.as_deref() == Some(effect.as_str());
        Ok(is_it.then(|| objects::commit(&self.root, BRANCH_REFERENCE)).transpose()?)
    }

    /// Where the branch is. One that was deleted is made again from the last gate that passed.
    pub(super) async fn tip(&self, head: &str) -> Result<String, ProjectError> {
        if let Ok(tip) = objects::commit(&self.root, BRANCH_REFERENCE) {
            return Ok(tip);
        }
        let project = ProjectStream::of(&self.journal).look().await?;
        let kept = project.run().kept.as_ref();
        let kept = kept.filter(|it| objects::commit(&self.root, it).is_ok());
        Ok(kept.cloned().unwrap_or_else(|| head.to_owned()))
    }

    /// Whether the branch is the project's: its last gate is in it, or there was none yet and it is in the history of the
    /// person's own.
    pub(super) async fn is_ours(&self, head: &str, tip: &str) -> Result<bool, ProjectError> {
        let project = ProjectStream::of(&self.journal).look().await?;
        let marks = [&project.run().kept, &project.run().broken];
        for mark in marks.into_iter().flatten() {
            if objects::commit(&self.root, mark).is_ok() {
                return Ok(join::has(&self.root, tip, mark)?);
            }
        }
        if join::has(&self.root, head, tip)? {
            return Ok(true);
        }
        // A commit of the run whose report was lost.
        Ok(commits::trailer(&self.root, BRANCH, EFFECT)?.is_some())
    }
}

/// The files that were read, for the log.
fn named(how: &str, read: &[Read]) -> String {
    let names: Vec<&str> = read.iter().map(|it| it.path.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("{how} {}", names.join(", ")) }
}

/// A repair that changed nothing is none.
fn not_repaired() -> Finding {
    Finding {
        condition: REPAIRED.into(),
        file: path(Document::Design).into(),
        line: 1,
        what: "the facts say that documents were repaired, and none has changed since its gate"
            .to_owned(),
        fix: "change design.md or readiness.md, or say that the drift is for a person".to_owned(),
    }
}

/// Whether somebody wrote the document that a step beside the phases ends with.
fn written(steering: &Steering, file: &str, condition: &'static str) -> Evaluation {
    let path = format!(".sealwright/pipeline/{file}");
    let is_there = steering.text(&path).is_some_and(|it| !it.trim().is_empty());
    let finding = Finding {
        condition: condition.into(),
        file: path.clone().into(),
        line: 1,
        what: "there is nothing in it".to_owned(),
        fix: format!("write {path}"),
    };
    let conditions = vec![gates::Condition { id: condition.into(), held: Some(is_there) }];
    Evaluation { conditions, findings: if is_there { Vec::new() } else { vec![finding] } }
}

fn borrowed(texts: &SteeringTexts) -> Texts<'_> {
    Texts {
        preferences: texts.preferences.as_deref(),
        scope: texts.scope.as_deref(),
        design: texts.design.as_deref(),
        readiness: texts.readiness.as_deref(),
    }
}

/// What is found wrong fails a gate; what only cannot be told leaves it open.
fn verdict(evaluation: &Evaluation) -> Verdict {
    if evaluation.passes() {
        Verdict::Pass
    } else if evaluation.conditions.iter().any(|it| it.held == Some(false)) {
        Verdict::Fail
    } else {
        Verdict::CannotTell
    }
}

pub(super) fn is_product(path: &str) -> bool {
    path.contains('/') && !path.starts_with('.') && !path.starts_with("docs/")
}

/// A message with what tells this commit apart from all others.
fn said(message: &str, effect: &EffectId, part: Option<&str>) -> String {
    let part = part.map(|it| format!(" {it}")).unwrap_or_default();
    format!("{message}\n\n{EFFECT}: {effect}{part}\n")
}

/// Where a document is in a commit. That of preferences is the person's own, and is kept beside the others.
fn committed(document: Document) -> String {
    match document {
        Document::Preferences => ".sealwright/pipeline/preferences.md".to_owned(),
        Document::Scope | Document::Design | Document::Readiness | Document::Code => {
            path(document).to_owned()
        }
    }
}

/// What people say of a phase, for what the engine cannot measure.
pub(super) fn facts_of(phase: Phase) -> String {
    format!(".sealwright/pipeline/facts/{}.json", phase.name())
}

/// The scope of a version that was delivered.
fn scope_of(version: u32) -> String {
    format!(".sealwright/pipeline/scope.v{version}.md")
}

const NOT_OURS: &str = "the branch sealwright/project is not where the last gate left it; put it back, or rename it if it \
                        is yours";
const SCOPE_MAX: u64 = 1 << 20;
pub(crate) const PROPOSAL: &str = ".sealwright/pipeline/proposal.md";
const LOG: &str = ".sealwright/pipeline/log.md";
const EFFECT: &str = "Sealwright-Effect";
const REPAIRED: &str = "reconcile.repaired";
const FIRST_MAX: usize = 500;

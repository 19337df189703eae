//! Single bytes: changes one byte in the files of a signed, finished task. The audit must name the object that holds
//! the byte. Then the byte is restored, and the next one is changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_host::{Answer, Ended, Limits, NotPerformed, Performer, ReportHandle};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Choice, Effect, Freeze, Input, PersonInput, Task, Want};
use sealwright_kernel::{Actor, Digest, Effect as _, Lane, TaskId, Timestamp, scripted};
use sealwright_store::attest::keys::Keys;
use sealwright_store::attest::task_statements::attest;
use sealwright_store::attest::{PrivateKeys, Trust};
use sealwright_store::{Anchor, Blobs, FileJournal};
use sealwright_verify::{Audit, Audited, FrozenFile, Origin};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{say, scratch};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let (places, seed) = match size {
        Size::Quick(sample) => (200, sample.number()),
        Size::Full => (2_000, 6),
    };
    fs::create_dir_all(scratch("trust"))?;
    let folder = tempfile::tempdir_in(scratch("trust"))?;
    let victim = Victim::make(folder.path())?;
    victim.is_sound()?;
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut changed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut missed = Vec::new();
    for nth in 0..places {
        // Every kind of object is hit equally often, whatever its size.
        let kind = KINDS[nth % KINDS.len()];
        let trust = if dice.bool() { &Trust::Clone } else { &victim.pinned };
        *changed.entry(kind).or_default() += 1;
        missed.extend(victim.change(kind, trust, &mut dice)?);
    }
    victim.is_sound()?;
    for missed in missed.iter().take(SHOWN_MAX) {
        say(&format!("  ! {missed}"));
    }
    let kinds: Vec<String> =
        changed.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let found = places - missed.len();
    let text = format!("{found} of {places} changed bytes named ({})", kinds.join(", "));
    figures.hold(text, missed.is_empty());
    Ok(())
}

/// The files of a finished task, as a clone has them.
struct Victim {
    journal: FileJournal,
    anchors: Vec<Anchor>,
    pinned: Trust,
    runtime: tokio::runtime::Runtime,
    things: Vec<Thing>,
}

/// A file, and the audit's name for its content.
struct Thing {
    kind: &'static str,
    path: PathBuf,
    content: Vec<u8>,
    called: Called,
}

enum Called {
    /// One object.
    Object(String),
    /// Records of a stream, one per line.
    Records(TaskId),
}

impl Victim {
    fn make(folder: &Path) -> Result<Self> {
        let journal = FileJournal::create(folder.join(".sealwright"))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (task, anchor) = runtime.block_on(finish_a_task(&journal))?;
        let at = Timestamp::from_millis(1_700_000_000_000);
        // The signing key is retired and replaced, and a colleague has a key too.
        let mine = Keys::of(&journal, PrivateKeys::at(folder.join("state/keys")));
        mine.take("Ada", at)?;
        attest(&journal, &task, &mine.signing()?)?;
        mine.rotate("Ada", at)?;
        let elsewhere = FileJournal::create(folder.join("elsewhere/.sealwright"))?;
        let theirs = Keys::of(&elsewhere, PrivateKeys::at(folder.join("state-of-bob/keys")));
        theirs.take("Bob", at)?;
        mine.trust(&theirs.export(None)?, "Ada", at)?;
        let mut pinned = Trust::default();
        pinned.pin(&mine.export(None)?)?;
        // A clone has no locks and no caches.
        for local in ["work", "cache"] {
            let _ = fs::remove_dir_all(journal.layout().root().join(local));
        }
        let things = things(&journal, &task)?;
        for kind in KINDS {
            ensure!(things.iter().any(|thing| thing.kind == kind), "no {kind} to change");
        }
        Ok(Self { journal, anchors: vec![anchor], pinned, runtime, things })
    }

    /// Changes one byte and restores it. Returns a description if the audit missed it.
    fn change(
        &self,
        kind: &str,
        trust: &Trust,
        dice: &mut fastrand::Rng,
    ) -> Result<Option<String>> {
        let all: usize = self.of_kind(kind).map(|thing| thing.content.len()).sum();
        let mut at = dice.usize(0..all);
        let mut found = None;
        for thing in self.of_kind(kind) {
            if at < thing.content.len() {
                found = Some(thing);
                break;
            }
            at -= thing.content.len();
        }
        let thing = found.context("the place lies in one of the files")?;
        let mut changed = thing.content.clone();
        changed[at] ^= dice.u8(1..=255);
        fs::write(&thing.path, &changed)?;
        let audited = self.audit(trust);
        fs::write(&thing.path, &thing.content)?;
        let (object, audited) = (thing.object_at(at), audited?);
        if audited.findings.iter().any(|found| found.object == object) {
            return Ok(None);
        }
        let named: Vec<&str> = audited.findings.iter().map(|it| it.object.as_str()).collect();
        let name = thing.path.display();
        Ok(Some(format!(
            "{object}: byte {at} of {name} was changed, but the audit named {named:?}"
        )))
    }

    fn is_sound(&self) -> Result<()> {
        for trust in [&Trust::Clone, &self.pinned] {
            let audited = self.audit(trust)?;
            ensure!(audited.findings.is_empty(), "findings without damage: {:?}", audited.findings);
            ensure!(audited.statements >= 8, "only {} statements", audited.statements);
        }
        Ok(())
    }

    fn audit(&self, trust: &Trust) -> Result<Audited> {
        let (journal, anchors) = (&self.journal, &self.anchors[..]);
        let audit =
            Audit { journal, anchors, trust, signers: None, threads: 1, origin: Origin::Journal };
        Ok(self.runtime.block_on(audit.run())?)
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Thing> {
        self.things.iter().filter(move |thing| thing.kind == kind)
    }
}

impl Thing {
    fn object_at(&self, at: usize) -> String {
        match &self.called {
            Called::Object(object) => object.clone(),
            Called::Records(task) => {
                // A line feed belongs to the line it ends.
                let before = self.content[..at].iter().filter(|byte| **byte == b'\n').count();
                format!("record {task}#{}", before + 1)
            }
        }
    }
}

fn things(journal: &FileJournal, task: &TaskId) -> Result<Vec<Thing>> {
    let layout = journal.layout();
    let frozen: Vec<String> =
        frozen_contents().iter().map(|it| Digest::of(it).to_string()).collect();
    let mut things = Vec::new();
    for path in files_below(layout.root())? {
        let below = path.strip_prefix(layout.root())?.to_string_lossy().into_owned();
        let parts: Vec<&str> = below.split('/').collect();
        let (kind, called) = match parts.as_slice() {
            ["journal", ..] => ("records", Called::Records(task.clone())),
            ["store", "blobs", "sha256", first, rest] => {
                let digest = format!("{first}{rest}");
                let kind = if frozen.contains(&digest) { "frozen files" } else { "blobs" };
                (kind, Called::Object(format!("blob {digest}")))
            }
            ["store", "attestations", task, file] => {
                let name = file.strip_suffix(".json").context("a statement is JSON")?;
                ("statements", Called::Object(format!("statement {task}/{name}")))
            }
            ["keys", file] => ("keys", Called::Object(format!("key {file}"))),
            _ => continue,
        };
        let content = fs::read(&path)?;
        things.push(Thing { kind, path, content, called });
    }
    Ok(things)
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A finished task with a frozen contract.
async fn finish_a_task(journal: &FileJournal) -> Result<(TaskId, Anchor)> {
    let tasks = Tasks::of(journal);
    let ada = Actor::Human("Ada".to_owned());
    let new = NewTask {
        said: "limits per tenant".to_owned(),
        lane: Lane::Factory,
        header: Header::default(),
        freeze: Freeze::Asked,
        checks: vec!["tests".to_owned(), "lint".to_owned()],
        base: None,
        budget: None,
    };
    let created = tasks.create(&ada, new).await?;
    let task = created.task.data().context("the task is created")?.charter.id.clone();
    let script = Arc::new(Script { blobs: Blobs::local(journal.layout())? });
    for _ in 0..RUNS_MAX {
        match tasks.run(&task, script.clone(), Limits::default()).await? {
            Ended::Over(anchor) => return Ok((task, anchor)),
            Ended::Waiting(_) => {}
            other @ (Ended::Stopped | Ended::Stalled(_) | Ended::Parked { .. }) => {
                bail!("the task stopped: {other:?}")
            }
        }
        let state = tasks.look(&task).await?.machine;
        let (question, asked) = state.question().context("it waits for an answer")?;
        let (choice, rationale) = (Choice::Approve, "I looked at it".to_owned());
        let says = PersonInput::Decide { question, item: asked.item, choice, rationale };
        tasks.say(&task, &ada, says, vec![]).await?;
    }
    bail!("the task does not end")
}

/// Answers honestly and stores separate content with each answer.
struct Script {
    blobs: Blobs,
}

impl Performer<Task> for Script {
    async fn perform(
        &self,
        effect: Effect,
        _desk: ReportHandle<Task>,
    ) -> Result<Answer<Task>, NotPerformed> {
        if let Effect::Task { want: Want::Ask { .. }, .. } = &effect {
            return Err(NotPerformed::Asked);
        }
        let failed = |why: String| NotPerformed::Failed { why };
        let input = scripted::honest(&effect).ok_or_else(|| failed("no answer".to_owned()))?;
        // Content that the script only names is stored here.
        let output = format!("{}\nrunning 3 tests\n{}", effect.id(), ".".repeat(200)).into_bytes();
        let mut kept = Vec::new();
        let mut renamed = Vec::new();
        for content in frozen_contents() {
            self.blobs.put(content).await.map_err(|error| failed(error.to_string()))?;
        }
        for (scripted, content) in [("running 3 tests", output), ("tests", frozen_set())] {
            let blob = self.blobs.put(content).await.map_err(|error| failed(error.to_string()))?;
            renamed.push((Digest::of(scripted.as_bytes()).to_string(), blob.sha256.to_string()));
            kept.push(blob);
        }
        let mut text = serde_json::to_string(&input).map_err(|error| failed(error.to_string()))?;
        for (from, to) in renamed {
            text = text.replace(&from, &to);
        }
        let input: Input =
            serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        Ok(Answer { input, actor: Actor::Environment, blobs: kept })
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(60)
    }
}

/// All frozen content: three parts, and the tests with their list.
fn frozen_contents() -> Vec<Vec<u8>> {
    let parts = ["spec", "scenarios", "contract"].map(|part| part.as_bytes().to_vec());
    let tests = TESTS.map(|(_, content)| content.as_bytes().to_vec());
    parts.into_iter().chain(tests).chain([frozen_set()]).collect()
}

fn frozen_set() -> Vec<u8> {
    let file = |(path, content): (&str, &str)| FrozenFile {
        path: path.to_owned(),
        sha256: Digest::of(content.as_bytes()),
    };
    serde_json::to_vec(&TESTS.map(file)).unwrap_or_default()
}

const TESTS: [(&str, &str); 2] = [
    (
        "tests/limits.rs",
        "#[test]\nfn two_tenants_are_counted_apart() {\n    assert_eq!(count(2), 2);\n}\n",
    ),
    (
        "tests/header.rs",
        "#[test]\nfn the_header_tells_the_limit() {\n    assert!(header().contains(\"9\"));\n}\n",
    ),
];
const KINDS: [&str; 5] = ["records", "blobs", "frozen files", "statements", "keys"];
const RUNS_MAX: usize = 8;
const SHOWN_MAX: usize = 10;

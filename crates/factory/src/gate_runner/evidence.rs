//! From what was seen to evidence: everything is in the store before anybody is told of it.

use sealwright_gates::{Ended, Ran, Status, TestResult};
use sealwright_kernel::{Artifact, Cost, Source};
use sealwright_kernel::{Digest, Evidence, Hasher, Verdict};
use sealwright_store::{BlobError, BlobRef, Blobs};
use serde_json::json;

use super::{Command, Performed};

#[derive(Clone, Debug)]
pub struct Stored {
    pub evidence: Evidence,
    pub blobs: Vec<BlobRef>,
}

/// Everything several commands had around them, in one number.
pub(super) fn environment(arounds: &[Digest]) -> Digest {
    let mut hasher = Hasher::default();
    arounds.iter().for_each(|around| hasher.update(&around.hex()));
    hasher.finish()
}

impl Performed {
    /// Keeps what was seen and says what stands behind the verdict about `tree`. `own` names a gate that runs nothing.
    pub async fn store(
        &self,
        own: &[&str],
        tree: Digest,
        blobs: &Blobs,
    ) -> Result<Stored, BlobError> {
        let transcript = self.transcript();
        let mut kept = Vec::new();
        let mut artifacts = Vec::new();
        let output = blobs.put(transcript.clone().into_bytes()).await?;
        kept.push(output);
        let judgement = &self.judgement;
        let environment = json!({
            "digest": self.environment,
            "commands": self.runs.iter().map(|run| json!({
                "argv": run.argv, "around": run.around, "confinement": run.confinement,
            })).collect::<Vec<_>>(),
        });
        let named = [
            ("environment.json", Some(environment.to_string())),
            ("tests.json", listed(&judgement.tests)),
            ("findings.json", listed(&judgement.findings)),
            ("not-run.json", listed(&judgement.not_run)),
            ("shared.json", listed(&judgement.shared)),
        ];
        for (name, text) in named {
            let Some(text) = text else { continue };
            let blob = blobs.put(text.into_bytes()).await?;
            kept.push(blob);
            artifacts.push(Artifact { name: name.to_owned(), content: blob.sha256 });
        }
        let evidence = Evidence {
            tree,
            source: self.source(own),
            output: output.sha256,
            excerpt: self.excerpt(),
            artifacts,
            cost: Cost {
                millis: self.runs.iter().map(|run| run.ran.millis).sum::<u64>() + self.tried_ms,
                ..Cost::default()
            },
        };
        Ok(Stored { evidence, blobs: kept })
    }

    /// The command that speaks for the verdict: for a pass the last that ended well, else the first that did not.
    fn source(&self, own: &[&str]) -> Source {
        let is_bad = |run: &&Command| run.ran.ended != Ended::Exited(0);
        let telling = match self.judgement.verdict {
            Verdict::Pass => self.runs.iter().rev().find(|run| !is_bad(run)),
            Verdict::Fail | Verdict::CannotTell => self.runs.iter().find(is_bad),
        };
        match telling.or_else(|| self.runs.last()) {
            Some(run) => Source::Command {
                argv: run.argv.clone(),
                exit: exit(&run.ran),
                confinement: Some(run.confinement.clone()),
            },
            None => Source::Command {
                argv: own.iter().map(|word| (*word).to_owned()).collect(),
                exit: match self.judgement.verdict {
                    Verdict::Pass => 0,
                    Verdict::Fail => 1,
                    Verdict::CannotTell => 2,
                },
                confinement: None,
            },
        }
    }

    /// What a person reads first.
    fn excerpt(&self) -> String {
        let judgement = &self.judgement;
        let text = match judgement.verdict {
            // Without tests the notes say more than that it holds.
            Verdict::Pass if judgement.tests.is_empty() && !self.notes.is_empty() => String::new(),
            Verdict::Pass => passed(&judgement.tests),
            Verdict::Fail | Verdict::CannotTell => judgement.because.join("\n"),
        };
        let lines = [&text].into_iter().chain(&self.notes).filter(|line| !line.is_empty());
        let text = lines.cloned().collect::<Vec<_>>().join("\n");
        text.chars().take(EXCERPT_CHARS_MAX).collect()
    }

    /// Everything that was run, and what it said.
    fn transcript(&self) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let Ran { ended, stdout, stderr, millis, .. } = &run.ran;
            let argv = run.argv.join(" ");
            text.push_str(&format!("$ {argv}\n{}{}", stdout.text(), stderr.text()));
            text.push_str(&format!("\n[{ended:?} after {millis} ms]\n\n"));
        }
        for reason in self.judgement.because.iter().chain(&self.notes) {
            text.push_str(&format!("{reason}\n"));
        }
        text
    }
}

/// The tests of a passing gate, counted by their result.
fn passed(tests: &[TestResult]) -> String {
    if tests.is_empty() {
        return "it holds".to_owned();
    }
    let skipped = tests.iter().filter(|it| matches!(it.status, Status::Skipped { .. })).count();
    let passed = tests.iter().filter(|it| it.status == Status::Passed).count();
    // A passing gate has no other failures.
    let failed = tests.len() - skipped - passed;
    let mut said =
        if passed == 1 { "1 test passed".to_owned() } else { format!("{passed} tests passed") };
    for (count, what) in [(failed, "failed as before"), (skipped, "skipped")] {
        if count > 0 {
            said.push_str(&format!(", {count} {what}"));
        }
    }
    said
}

fn listed<T: serde::Serialize>(items: &[T]) -> Option<String> {
    // Plain data always has a form as JSON.
    (!items.is_empty()).then(|| serde_json::to_string(items).unwrap_or_default())
}

fn exit(ran: &Ran) -> i32 {
    match ran.ended {
        Ended::Exited(code) => code,
        Ended::Signalled(signal) => 128 + signal,
        Ended::TimedOut => 124,
        Ended::OutOfRoom => 125,
        Ended::Lost => 126,
    }
}

const EXCERPT_CHARS_MAX: usize = 400;

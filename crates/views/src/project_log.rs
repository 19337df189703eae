//! `log.md` of a project: gates, decisions, blocks with their post-mortems, hand edits. In order; it only grows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealwright_kernel::pipeline::{Action, Mode, Phase, State};
use sealwright_kernel::project::Event as ProjectEvent;
use sealwright_kernel::project::run::{Decision, Event, Examination, Job, Run};
use sealwright_kernel::task::Status;
use sealwright_kernel::{Actor, Seq, TaskId, Timestamp, Verdict};
use sealwright_store::Record;
use serde::Deserialize as _;

use crate::markdown::line;
use crate::timestamp;
use crate::wording::{self, counted};

/// The log, as a fold over the records of a project.
#[derive(Clone, Debug, Default)]
pub struct ProjectLog {
    sections: String,
    /// The last examination that did not pass: the cause of a block.
    failed: Option<(Job, Examination)>,
    updated_at: Option<Timestamp>,
    shipped: BTreeMap<TaskId, Timestamp>,
}

impl ProjectLog {
    /// Adds the next record. Events of tasks and of plans are told by other views.
    pub fn add(&mut self, record: &Record) {
        self.updated_at = Some(record.at);
        for event in &record.events {
            match ProjectEvent::deserialize(event) {
                Ok(ProjectEvent::Run(event)) => self.tell(record, &event),
                Ok(ProjectEvent::SpecDecided { choice, rationale, by, .. }) => {
                    let choice = format!("{choice:?}").to_lowercase();
                    self.section(record, "Decision", &format!("the spec: {choice}"));
                    self.details(&[("By", &by), ("Why", &rationale)]);
                }
                Ok(ProjectEvent::Superseded { task, parts, by }) => {
                    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                    let said = format!("{task} is split into {}", parts.join(", "));
                    self.section(record, "Decision", &said);
                    self.details(&[("By", &by)]);
                }
                Ok(ProjectEvent::SpecAmended { spec, task, by }) => {
                    let said = format!("the spec is version {} now", spec.spec_version);
                    self.section(record, "Decision", &said);
                    self.details(&[("Because of", task.as_str()), ("By", &by)]);
                }
                Ok(ProjectEvent::Rewired { task, depends_on, by }) => {
                    let on: Vec<String> = depends_on.iter().map(ToString::to_string).collect();
                    let on = if on.is_empty() { "nothing".to_owned() } else { on.join(", ") };
                    self.section(record, "Decision", &format!("{task} depends on {on} now"));
                    self.details(&[("By", &by)]);
                }
                Ok(ProjectEvent::Stranded { tasks }) => {
                    let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
                    let said = format!("nothing can begin; left are {}", tasks.join(", "));
                    self.section(record, "Stall", &said);
                }
                Ok(ProjectEvent::Heard { task, status: Status::Shipped, .. }) => {
                    self.shipped.insert(task, record.at);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }

    pub fn markdown(&self) -> String {
        format!("# Log of the project\n{}", self.sections)
    }

    /// When the last record was written.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.updated_at
    }

    /// When the project heard that a task shipped.
    pub fn shipped_at(&self, task: &TaskId) -> Option<Timestamp> {
        self.shipped.get(task).copied()
    }

    fn tell(&mut self, record: &Record, event: &Event) {
        match event {
            Event::Requested { request, by, settings } => {
                self.section(record, "Request", request);
                let settings = settings.map(|it| it.to_string()).unwrap_or_default();
                self.details(&[("By", by), ("Settings", &settings)]);
            }
            Event::StopRaised { reason, by } => {
                self.details(&[("Stopped by", by), ("Reason", reason.words())]);
            }
            Event::Resolved { decision, by } => {
                self.details(&[("Decided by", by), ("Decision", decision.words())]);
            }
            Event::RollbackRecorded { command, by } => {
                self.section(record, "Rollback", command);
                self.details(&[("By", by)]);
            }
            Event::GateExamined { job, report } => self.examined(record, *job, report),
            Event::Stepped { step, to, by, why } => {
                self.stepped(record, (step.action, to.state), by, why);
            }
            Event::Frozen { freeze } => {
                self.section(record, "Decision", "what will be built is approved");
                let spec = freeze.spec.to_string();
                self.details(&[("By", &freeze.by), ("Spec", &spec)]);
                for (document, digest) in &freeze.documents {
                    let _ = writeln!(self.sections, "- {document:?}: `{digest}`");
                }
            }
            Event::Kept { commit } => {
                let _ = writeln!(self.sections, "- Commit: `{}`", line(commit));
            }
            Event::Restored { broken, commit } => {
                self.section(record, "Restore", "the last gate that passed is restored");
                self.details(&[("What failed", broken), ("Commit", commit)]);
            }
            Event::WorkAborted { job, why } => {
                let said = format!("{} was cut off", job.name());
                self.section(record, "Cut off", &said);
                self.details(&[("Why", why)]);
            }
            Event::Signalled { signal, by } => {
                self.section(record, "Signal", &signal.text);
                self.details(&[("From", &signal.source), ("Recorded by", by)]);
            }
            Event::WorkBegun { .. } | Event::HandedIn { .. } | Event::Recovered { .. } => {}
        }
    }

    fn examined(&mut self, record: &Record, job: Job, report: &Examination) {
        let verdict = match report.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::CannotTell => "cannot tell",
        };
        self.section(record, "Gate", &format!("{}: {verdict}", job.name()));
        let (findings, report_blob) =
            (counted(report.findings as usize, "finding"), report.report.to_string());
        self.details(&[
            ("Findings", &findings),
            ("First", &report.first),
            ("Report", &report_blob),
        ]);
        let said: Vec<&str> = report.said.iter().map(String::as_str).collect();
        self.details(&[("Not measured, but said by people", &said.join(", "))]);
        for brake in &report.brakes {
            self.details(&[("Outgrows the design", brake)]);
        }
        self.failed = (report.verdict != Verdict::Pass).then(|| (job, report.clone()));
    }

    fn stepped(
        &mut self,
        record: &Record,
        (action, state): (Action, State),
        by: &Actor,
        why: &str,
    ) {
        if action == Action::BlockAfterThreeRetries {
            self.section(record, "Block", "the gate failed three times");
            let cause = self.failed.as_ref().map(|(_, it)| it.first.clone()).unwrap_or_default();
            let avoid = "handing in the same work again; each failure above names its place";
            self.details(&[
                ("Root cause", &cause),
                (
                    "Try differently",
                    "begin with the first finding, and examine the others after it",
                ),
                ("Avoid", avoid),
            ]);
        } else if action == Action::RaiseStop {
            self.section(record, "Stop", why);
        } else if action == Action::TriggerComplexityBrake {
            self.section(record, "Brake", "the build outgrows its design");
            self.details(&[("Why", why)]);
        } else if action == Action::DetectHandEdit
            || action == Action::DropSession && !why.is_empty()
        {
            self.section(record, "Hand edit", why);
        } else if action == Action::PassDeployGate {
            self.section(record, "Delivered", "FULL PIPELINE COMPLETE");
        } else if by.person().is_some() {
            self.section(record, "Decision", &format!("{action:?}: now {state:?}"));
            self.details(&[("By", &wording::who(by)), ("Why", why)]);
        }
    }

    fn section(&mut self, record: &Record, what: &str, said: &str) {
        let (seq, at): (Seq, _) = (record.seq, timestamp(record.at));
        let _ = writeln!(self.sections, "\n## {seq}. {what}, {at}\n\n{}\n", line(said));
    }

    fn details(&mut self, details: &[(&str, &str)]) {
        for (name, text) in details.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = writeln!(self.sections, "- {name}: {}", line(text));
        }
    }
}

/// What a person is asked where a run waits for a decision: the cause, the choices, and which one to take.
pub fn blocked(run: &Run) -> Option<String> {
    let state = run.pipeline.state;
    let cause = match (&run.last, run.why.as_str()) {
        (_, why) if !why.is_empty() => why.to_owned(),
        (Some(last), _) => last.report.first.clone(),
        (None, _) => String::new(),
    };
    let phase = run.pipeline.history.blocked_at.map(Phase::name).unwrap_or("the run");
    if state == State::BlockedOnGate {
        let options = [
            "`sealwright continue`",
            "`sealwright continue --changed scope`",
            "`sealwright abandon --because WHY`",
        ];
        let options = options.map(str::to_owned);
        let recommendation = "mend what is named, then `sealwright continue`";
        Some(report(&format!("{phase}: {cause}"), &options, recommendation))
    } else if state == State::ReconcileBlocked {
        let cause = format!("documents and code contradict each other: {cause}");
        Some(report(&cause, &answers(state), "accept the change of the scope"))
    } else if state == State::ComplexityBrakeTriggered {
        let brakes: Vec<&str> = run.brakes.iter().map(String::as_str).collect();
        let cause = format!("the build outgrows its design: {}", brakes.join("; "));
        Some(report(&cause, &answers(state), "simplify the design"))
    } else {
        None
    }
}

/// The answers to what a run waits for, each with what to type.
fn answers(state: State) -> Vec<String> {
    let answer = |it: &Decision| {
        format!("{}: `sealwright continue --decide {} --because WHY`", it.words(), it.name())
    };
    Decision::of(state).iter().map(answer).collect()
}

fn report(cause: &str, options: &[String], recommendation: &str) -> String {
    format!(
        "BLOCKED: {cause}. Options: [{}]. Recommendation: {recommendation}.",
        options.join(", ")
    )
}

/// Whether the run pauses after each gate, for people.
pub fn mode(run: &Run) -> &'static str {
    match run.pipeline.mode {
        Mode::Auto => "auto",
        Mode::Stepped => "stepped",
    }
}

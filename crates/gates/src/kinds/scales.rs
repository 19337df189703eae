//! Scales: reasons are put on them, and in the end they say what the verdict is.
//!
//! Nothing on them is a pass. Something that speaks against the work is a fail. Something that is unclear is neither.

use sealwright_kernel::{Cheat, Verdict};

use crate::reports::short;
use crate::{Ended, Finding, Judgement, Ran, Seen, Step, TestResult};

#[derive(Debug, Default)]
pub(crate) struct Scales {
    against: Vec<String>,
    unclear: Vec<String>,
    tests: Vec<TestResult>,
    cheats: Vec<(Cheat, String)>,
    findings: Vec<Finding>,
    not_run: Vec<String>,
}

impl Scales {
    pub(crate) fn against(&mut self, why: impl Into<String>) {
        self.against.push(why.into());
    }

    pub(crate) fn unclear(&mut self, why: impl Into<String>) {
        self.unclear.push(why.into());
    }

    pub(crate) fn cheat(&mut self, cheat: Cheat, what: String) {
        self.cheats.push((cheat, what));
    }

    pub(crate) fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub(crate) fn not_run(&mut self, what: impl IntoIterator<Item = String>) {
        self.not_run.extend(what);
    }

    pub(crate) fn tests(&mut self, tests: Vec<TestResult>) {
        self.tests.extend(tests);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.against.is_empty() && self.unclear.is_empty()
    }

    /// Weighs how a command ended that has to exit with 0. `what` is its name in messages: "the build".
    pub(crate) fn ended(&mut self, what: &str, ran: &Ran) {
        match ran.ended {
            Ended::Exited(0) => {}
            Ended::Exited(code @ (126 | 127)) => {
                self.unclear(format!("{what} could not be started (exit code {code})"));
            }
            Ended::Exited(code) => self.against(format!("{what} exited with {code}")),
            // A process that the kernel or a person killed says nothing about the work.
            Ended::Signalled(KILLED) => self.unclear(format!("{what} was killed from outside")),
            Ended::Signalled(signal) => {
                self.against(format!("{what} was killed by signal {signal}"))
            }
            Ended::TimedOut => self.against(format!("{what} timed out")),
            Ended::OutOfRoom => self.against(format!("{what} exceeded its resource limits")),
            Ended::Lost => self.unclear(format!("how {what} ended is unknown")),
        }
    }

    /// Adds what a command printed last to the first reason.
    pub(crate) fn note_printed(&mut self, ran: &Ran) {
        if let Some(reason) = self.against.first_mut().or(self.unclear.first_mut()) {
            reason.push_str(&printed(ran));
        }
    }

    /// A tool that does not exit with 0 and found nothing new has not done its work.
    pub(crate) fn unexplained(&mut self, name: &str, ended: Ended) {
        match ended {
            Ended::Exited(0) => {}
            Ended::Exited(code) => {
                self.unclear(format!("{name} exited with {code} and found nothing new"));
            }
            Ended::Signalled(_) | Ended::TimedOut | Ended::OutOfRoom | Ended::Lost => {
                self.unclear(format!("{name} did not end by itself"));
            }
        }
    }

    pub(crate) fn say(self) -> Step {
        Step::Say(self.judgement())
    }

    pub(crate) fn judgement(mut self) -> Judgement {
        let verdict = match (self.against.is_empty(), self.unclear.is_empty()) {
            (true, true) => Verdict::Pass,
            (true, false) => Verdict::CannotTell,
            (false, _) => Verdict::Fail,
        };
        let all = self.against.len() + self.unclear.len();
        let reasons = self.against.drain(..).chain(self.unclear.drain(..));
        let mut because: Vec<String> = reasons.take(REASONS_MAX).collect();
        if all > REASONS_MAX {
            because.push(format!("{} more", all - REASONS_MAX));
        }
        self.findings.truncate(FINDINGS_MAX);
        let Self { tests, cheats, findings, not_run, .. } = self;
        Judgement { verdict, because, tests, cheats, findings, not_run, shared: Vec::new() }
    }
}

/// The judgement on an answer that does not fit the step.
pub(crate) fn no_answer(seen: &[Seen]) -> Step {
    let why = seen.iter().find_map(|seen| match seen {
        Seen::Nothing { why } => Some(short(why)),
        Seen::Ran(_) | Seen::Visited(_) | Seen::Listing(_) | Seen::Files(_) => None,
    });
    let why = why.unwrap_or_else(|| "what was asked for is not what was answered".to_owned());
    Step::Say(Judgement::cannot_tell(why))
}

const KILLED: i32 = 9;
const REASONS_MAX: usize = 100;
/// Each of them is looked at by a person.
const FINDINGS_MAX: usize = 1_000;

/// The last lines of a command that did not exit with 0, to add to a reason. Errors come before what is printed otherwise.
pub(crate) fn printed(ran: &Ran) -> String {
    if ran.ended == Ended::Exited(0) {
        return String::new();
    }
    let last = |said: String| -> Vec<String> {
        let lines = said.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<&str> = lines.collect();
        lines[lines.len().saturating_sub(LINES_MAX)..].iter().map(|it| short(it)).collect()
    };
    let lines = match last(ran.stderr.text()) {
        lines if lines.is_empty() => last(ran.stdout.text()),
        lines => lines,
    };
    if lines.is_empty() { String::new() } else { format!("; it printed: {}", lines.join(" | ")) }
}

const LINES_MAX: usize = 3;

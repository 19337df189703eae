//! Progress of a run: a live line on a terminal, plain lines elsewhere.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sealwright_agents::{Deed, End, Event};
use sealwright_factory::progress::{Call, ProgressEvent, ProgressListener, doing};
use sealwright_host::NotPerformed;
use sealwright_kernel::task::slice;
use sealwright_kernel::task::{Challenge, Compliance, Effect, Input, Report, Want};
use sealwright_kernel::{Effect as _, EffectId, Verdict};
use sealwright_views::watch::cut;

use crate::output::{bad, good, sanitize, say, warn};

pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    running: Vec<Running>,
    micro_dollars: u64,
}

struct Running {
    id: EffectId,
    what: String,
    since: Instant,
    who: Option<String>,
    last: String,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, seen: Mutex::default() }
    }

    /// Clears the live line until the next event.
    pub(crate) fn rest(&self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(text)),
            None => say(text),
        }
    }

    fn show(&self, seen: &Seen) {
        let Some(bar) = &self.bar else { return };
        if bar.is_finished() {
            bar.reset();
        }
        bar.enable_steady_tick(TICK);
        bar.set_message(seen.message());
    }

    fn begins(&self, seen: &mut Seen, effect: &Effect) {
        let what = doing(effect);
        if self.bar.is_none() && is_printed(effect) {
            say(&format!("… {}", sanitize(&what)));
        }
        if let Some(bar) = self.bar.as_ref().filter(|_| seen.running.is_empty()) {
            bar.reset_elapsed();
        }
        let (id, since) = (effect.id(), now());
        seen.running.push(Running { id, what, since, who: None, last: String::new() });
    }

    fn ends(&self, seen: &mut Seen, effect: &Effect, came: Result<&Input, &NotPerformed>) {
        let id = effect.id();
        let at = seen.running.iter().position(|it| it.id == id);
        let Some(running) = at.map(|at| seen.running.remove(at)) else { return };
        if !is_printed(effect) {
            return;
        }
        let (mark, more) = match came {
            Ok(input) => verdict(input),
            Err(NotPerformed::Cancelled) => (warn("∙"), ": cancelled".to_owned()),
            Err(NotPerformed::Asked) => return,
            Err(error) => (bad("✗"), format!(": {}", first_line(&error.to_string()))),
        };
        let took = running.since.elapsed();
        let who = running.who.map(|who| format!(", {who}")).unwrap_or_default();
        self.line(&format!("{mark} {}{more} ({}{who})", sanitize(&running.what), elapsed(took)));
    }
}

impl ProgressListener for Progress {
    fn on_event(&self, sight: &ProgressEvent<'_>) {
        // A panic in a listener does not stop the run.
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match *sight {
            ProgressEvent::EffectStarted { effect } => self.begins(&mut seen, effect),
            ProgressEvent::EffectEnded { effect, result } => self.ends(&mut seen, effect, result),
            ProgressEvent::NotDurable { effect, why } => {
                let what = sanitize(&doing(effect));
                let why = first_line(why);
                self.line(&format!("{} {what}: done, but not recorded yet: {why}", warn("!")));
            }
            ProgressEvent::CallStarted { call } => {
                if let Some(running) = seen.running_of(call) {
                    running.who = Some(sanitize(&call.agent));
                }
            }
            ProgressEvent::CallEvent { call, event } => {
                let deed = deed(event);
                if let (Some(running), Some(deed)) = (seen.running_of(call), deed) {
                    running.last = deed;
                }
            }
            ProgressEvent::CallEnded { call, outcome } => {
                let spent = outcome.spent.micro_dollars.unwrap_or_default();
                seen.micro_dollars = seen.micro_dollars.saturating_add(spent);
                let why = match &outcome.end {
                    End::Answered { .. } | End::Cancelled => None,
                    End::GaveUp { why } | End::Failed { why, .. } => Some(first_line(why)),
                    End::OutOfBudget { .. } => Some("call budget exhausted".to_owned()),
                    End::RateLimited { .. } => Some("rate limited".to_owned()),
                };
                if let Some(why) = why {
                    let who = sanitize(&call.agent);
                    self.line(&format!("{} {who} gave no answer: {why}", warn("∙")));
                }
            }
        }
        self.show(&seen);
    }
}

impl Seen {
    fn running_of(&mut self, call: &Call) -> Option<&mut Running> {
        self.running.iter_mut().find(|running| running.id == call.effect)
    }

    fn message(&self) -> String {
        let Some(running) = self.running.last() else { return String::new() };
        let mut parts = vec![sanitize(&running.what)];
        parts.extend(running.who.clone());
        if self.running.len() > 1 {
            parts.push(format!("and {} more", self.running.len() - 1));
        }
        if self.micro_dollars > 0 {
            parts.push(format!("${:.2} so far", self.micro_dollars as f64 / 1e6));
        }
        if !running.last.is_empty() {
            parts.push(running.last.clone());
        }
        parts.join(" · ")
    }
}

/// Whether the effect is printed; instant ones are not.
fn is_printed(effect: &Effect) -> bool {
    match effect {
        Effect::Task { want, .. } => !matches!(want, Want::Lease | Want::Ask { .. }),
        Effect::Slice { effect } => match &effect.want {
            slice::Want::Scout { unknowns, .. } => !unknowns.is_empty(),
            slice::Want::Consolidate { .. } | slice::Want::Plan | slice::Want::ChooseRung => false,
            slice::Want::Edit { .. } | slice::Want::RunGate { .. } | slice::Want::Audit => true,
        },
    }
}

fn verdict(input: &Input) -> (String, String) {
    let of = |verdict: Verdict, failed: Option<&String>| {
        let why = failed.map(|why| format!(": {}", first_line(why))).unwrap_or_default();
        match verdict {
            Verdict::Pass => (good("✓"), ": pass".to_owned()),
            Verdict::Fail => (bad("✗"), format!(": fail{why}")),
            Verdict::CannotTell => (warn("?"), format!(": cannot tell{why}")),
        }
    };
    match input {
        Input::Report { report, .. } => match report {
            // Before the change, tests must fail.
            Report::RedRan { verdict: Verdict::Fail, green, .. } if green.is_empty() => {
                (good("✓"), ": red, as expected".to_owned())
            }
            Report::RedRan { green, evidence, .. } => {
                let why = green.first().unwrap_or(&evidence.excerpt);
                (bad("✗"), format!(": rejected: {}", first_line(why)))
            }
            Report::Probed { result } => of(result.verdict, result.failed.first()),
            Report::Challenged { challenge } => challenged(challenge),
            Report::AmendmentsChecked { verdict, missing, .. } => of(*verdict, missing.first()),
            Report::Impossible { why } => (bad("✗"), format!(": {}", first_line(why))),
            _ => (good("✓"), String::new()),
        },
        Input::Slice { input: slice::Input::GateRan { run, .. } } => {
            of(run.verdict, run.failures.first())
        }
        Input::Slice { input: slice::Input::Impossible { why, .. } } => {
            (bad("✗"), format!(": {}", first_line(why)))
        }
        _ => (good("✓"), String::new()),
    }
}

fn challenged(challenge: &Challenge) -> (String, String) {
    let said = |text: &str| format!(": {}", first_line(text));
    if let Some((_, what)) = challenge.cheats.first() {
        return (bad("✗"), said(what));
    }
    if let Some(question) = &challenge.tradeoff {
        return (warn("?"), said(question));
    }
    let found = challenge.failures.first().map(String::as_str);
    let unmet = challenge.unmet.first().map(|question| question.text());
    let left = challenge.residue.first().map(|it| it.what.as_str());
    match (found.or(unmet), left) {
        (Some(why), _) => (bad("✗"), said(why)),
        (None, _) if challenge.compliance == Compliance::Mild => (
            warn("?"),
            ": it does not say for every criterion, at a file that exists and in four words or more, what was tried".to_owned(),
        ),
        (None, Some(what)) => (warn("!"), said(what)),
        (None, None) => (good("✓"), ": no objection".to_owned()),
    }
}

fn deed(event: &Event) -> Option<String> {
    match event {
        Event::ToolUse { deed, detail, .. } => {
            let verb = match deed {
                Deed::Command => "runs",
                Deed::Edit => "edits",
                Deed::Read => "reads",
                Deed::Role => "submits",
                Deed::Other => "uses",
            };
            Some(format!("{verb} {}", first_line(detail)))
        }
        Event::FileChange { path } => Some(format!("changes {}", first_line(path))),
        Event::Text { .. } | Event::Usage { .. } | Event::GoesOn { .. } | Event::Warning { .. } => {
            None
        }
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    sanitize(&cut(line, LINE_CHARS_MAX))
}

fn elapsed(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}

#[expect(clippy::disallowed_methods, reason = "elapsed time is only displayed")]
fn now() -> Instant {
    Instant::now()
}

const TICK: Duration = Duration::from_millis(120);
const LINE_CHARS_MAX: usize = 160;

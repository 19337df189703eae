//! The details of the selected task in words.

use sealwright_kernel::task::Status;
use sealwright_kernel::{Timestamp, Verdict};

use super::{Call, Standing, TaskDetail, status};
use crate::wire::{WatchCost, WriterPlace};
use crate::wording::counted;
use crate::{dollars, grouped, sanitize, timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    /// Sanitized lines.
    pub lines: Vec<(Tone, String)>,
}

/// The colour of a line. The text has the same meaning without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Bad,
    Dim,
}

/// All details; the open question comes first.
pub fn facts(shown: &TaskDetail, now: Timestamp) -> Vec<Fact> {
    let mut facts = vec![Fact {
        name: "task",
        lines: vec![
            (Tone::Plain, sanitize(&shown.row.title)),
            (Tone::Dim, format!("{}; {}", shown.task, shown.terms)),
        ],
    }];
    facts.extend(red(shown));
    facts.extend(inbox(shown));
    facts.push(Fact { name: "now", lines: doing(shown, now) });
    facts.extend(slices(shown));
    facts.push(Fact { name: "last", lines: evidence(shown) });
    facts.push(Fact { name: "cost", lines: vec![(Tone::Plain, cost(&shown.cost))] });
    facts
}

fn red(shown: &TaskDetail) -> Option<Fact> {
    let lines: Vec<_> =
        shown.red.iter().map(|it| (Tone::Bad, format!("! {}", sanitize(it)))).collect();
    (!lines.is_empty()).then_some(Fact { name: "red", lines })
}

fn inbox(shown: &TaskDetail) -> Option<Fact> {
    let inbox = shown.inbox.as_ref()?;
    let question = &inbox.question;
    let mut lines = vec![(Tone::Warn, format!("? {}", sanitize(&question.text)))];
    // The text of a halt lists its options.
    if shown.row.status != Status::Halted {
        lines.push((Tone::Plain, format!("options: {}", question.options.join(", "))));
        lines.push((Tone::Plain, format!("recommended: {}", sanitize(&question.recommendation))));
    }
    lines.extend(inbox.commands.iter().map(|command| (Tone::Good, format!("$ {command}"))));
    Some(Fact { name: "inbox", lines })
}

fn doing(shown: &TaskDetail, now: Timestamp) -> Vec<(Tone, String)> {
    let running = shown.open.iter().filter(|(_, standing)| *standing != Standing::Broken);
    let mut lines: Vec<(Tone, String)> =
        running.map(|(call, standing)| (Tone::Plain, called(call, *standing, now))).collect();
    let is_at_work = shown.row.status == Status::InProgress;
    let broken = shown.open.last().filter(|(_, it)| is_at_work && *it == Standing::Broken);
    if lines.is_empty()
        && let Some((call, _)) = broken
    {
        let (what, news) = (name(call), clock(call.news));
        lines.push((
            Tone::Warn,
            format!("! {what} broke off: no update since {news}, and no process is writing"),
        ));
    }
    let (at, since) = (clock(shown.recorded), age(shown.recorded, now));
    let next = sanitize(&shown.next);
    let word = match (shown.row.status, shown.writer, lines.is_empty()) {
        (Status::InProgress, _, false) => format!("then: {next}"),
        (Status::InProgress, WriterPlace::Here, true) => format!("running for {since}: {next}"),
        (Status::InProgress, WriterPlace::Nobody, true) => {
            format!("no process is running it here; last record {at}; next: {next}")
        }
        (Status::InProgress, WriterPlace::Unknown, true) => {
            format!("no update since {at}; next: {next}")
        }
        (Status::Parked | Status::Halted, _, _) => {
            format!("waiting for you for {}: {next}", age(shown.row.since, now))
        }
        (Status::Pending, _, _) => format!("not started: {next}"),
        (Status::Shipped, _, _) => "finished".to_owned(),
        (Status::Abandoned, _, _) => "abandoned".to_owned(),
    };
    lines.push((Tone::Plain, word));
    lines
}

fn called(call: &Call, standing: Standing, now: Timestamp) -> String {
    let what = name(call);
    let begun = call.begun.as_ref().map_or(call.news, |begun| begun.at);
    let (since, news) = (age(begun, now), age(call.news, now));
    match standing {
        Standing::Runs => format!("{what}, for {since}; last update {news} ago"),
        Standing::Unknown | Standing::Broken => {
            format!("{what}; no update since {}", clock(call.news))
        }
    }
}

/// The call with its role and agent.
pub fn name(call: &Call) -> String {
    let (number, part) = (call.number, sanitize(&call.part));
    let Some(begun) = &call.begun else { return format!("{number:04}-{part}") };
    let told =
        [&begun.agent, &begun.model].map(|it| it.trim()).into_iter().filter(|it| !it.is_empty());
    let by = told.collect::<Vec<_>>().join(", ");
    let role = if begun.role.trim().is_empty() { "unknown role" } else { begun.role.trim() };
    if by.is_empty() {
        format!("{number:04}-{part} by {}", sanitize(role))
    } else {
        format!("{number:04}-{part} by {} ({})", sanitize(role), sanitize(&by))
    }
}

fn slices(shown: &TaskDetail) -> Option<Fact> {
    let told = shown.slices.iter().map(|slice| {
        let (sign, tone) = match slice.state {
            "delivered" => ("✓", Tone::Good),
            "stuck" => ("!", Tone::Bad),
            "waiting" | status::LEFT_TO_A_PERSON => ("·", Tone::Dim),
            _ => ("▶", Tone::Plain),
        };
        let runs = match slice.gate_runs {
            0 => String::new(),
            runs => format!(", {}", counted(runs as usize, "gate run")),
        };
        (tone, format!("{sign} {} {}{runs}: {}", slice.id, slice.state, sanitize(&slice.what)))
    });
    let lines: Vec<_> = told.collect();
    (!lines.is_empty()).then_some(Fact { name: "slices", lines })
}

fn evidence(shown: &TaskDetail) -> Vec<(Tone, String)> {
    let Some(seen) = &shown.evidence else { return vec![(Tone::Dim, "no evidence".to_owned())] };
    let (sign, tone) = match (seen.verdict, seen.is_red_run) {
        // Tests must fail before the change.
        (Verdict::Pass, _) | (Verdict::Fail, true) => ("✓", Tone::Good),
        (Verdict::Fail, false) => ("✗", Tone::Bad),
        (Verdict::CannotTell, _) => ("?", Tone::Warn),
    };
    let (id, gate, said) = (&seen.id, sanitize(&seen.gate), seen.said);
    let mut lines = vec![(tone, format!("{sign} {gate}: {said} ({id})"))];
    lines.extend(seen.excerpt.lines().map(|line| (Tone::Dim, format!("  {}", sanitize(line)))));
    lines
}

fn cost(spent: &WatchCost) -> String {
    let money = dollars(spent.micro_dollars);
    let tokens = grouped(spent.tokens);
    let checks = took(spent.checks_ms);
    match spent.calls {
        0 => format!("{money}, {tokens} tokens according to the evidence; checks ran {checks}"),
        calls => {
            let calls = counted(calls as usize, "call");
            format!("{money}, {tokens} tokens in {calls}; checks ran {checks}")
        }
    }
}

/// The sign of a status.
pub fn sign(status: Status) -> (&'static str, Tone) {
    match status {
        Status::Halted => ("!", Tone::Bad),
        Status::Parked => ("?", Tone::Warn),
        Status::InProgress => ("▶", Tone::Plain),
        Status::Pending => ("·", Tone::Dim),
        Status::Shipped => ("✓", Tone::Good),
        Status::Abandoned => ("✗", Tone::Dim),
    }
}

/// The time since then, in the largest useful unit.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    took(now.as_millis().saturating_sub(since.as_millis()))
}

fn took(millis: u64) -> String {
    match millis / 1_000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// The time of day in UTC.
pub fn clock(at: Timestamp) -> String {
    timestamp(at).get(11..19).unwrap_or("--:--:--").to_owned()
}

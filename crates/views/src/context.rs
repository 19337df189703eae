//! `context/iter-NNNN.md`: one snapshot with all that its slice needs to continue.

use std::fmt::Write as _;

use sealwright_kernel::task::slice::{
    Certainty, Fact, FactKind, Finder, Finding, Issue, NextAction, Opener, Origin, Resolved,
    Snapshot,
};

use super::markdown::line;

/// A snapshot as people and roles read it.
pub fn render(snapshot: &Snapshot) -> String {
    let header = &snapshot.header;
    let parent = header.parent.map_or("none".to_owned(), |parent| parent.to_string());
    let (run, outcome) = match header.last_run {
        Some((gate, outcome)) => (gate.name(), outcome.name()),
        None => ("none", "none"),
    };
    let fields = [
        ("Iteration", header.iteration.to_string()),
        ("Parent snapshot", parent),
        ("Slice ID", header.slice_id.to_string()),
        ("Slice", line(&header.slice)),
        ("Scope cap", line(&header.scope_cap.sentence)),
        ("Gate (iteration)", line(&header.gate_iteration)),
        ("Gate (exit)", line(&header.gate_exit)),
        ("Last gate run", run.to_owned()),
        ("Last gate outcome", outcome.to_owned()),
        ("Consecutive Iteration FAILs (this Slice ID)", header.iteration_fails.to_string()),
        ("Consecutive Exit FAILs (this Slice ID)", header.exit_fails.to_string()),
    ];
    let mut out = format!("# {}\n\n", header.iteration);
    for (name, value) in fields {
        let _ = writeln!(out, "- **{name}:** {value}");
    }
    out.push_str("\n## Evidence (Scout Findings)\n\n");
    list(&mut out, &snapshot.evidence, finding);
    out.push_str("\n## Consolidated Context (Source of Truth)\n\n");
    let _ = writeln!(out, "- allowed: {}", places(&header.scope_cap.allowed));
    let _ = writeln!(out, "- excluded: {}", places(&header.scope_cap.excluded));
    let (iteration, exit) = (line(&header.gate_iteration), line(&header.gate_exit));
    let _ = writeln!(out, "- gates: {iteration} in every cycle, {exit} before delivery");
    list(&mut out, &snapshot.consolidated, fact);
    out.push_str("\n## Issues (State)\n\n### Open\n\n");
    list(&mut out, &snapshot.open, issue);
    out.push_str("\n### Resolved This Iteration\n\n");
    list(&mut out, &snapshot.resolved, resolved);
    out
}

fn list<T>(out: &mut String, items: &[T], text: fn(&T) -> String) {
    if items.is_empty() {
        out.push_str("- none\n");
    }
    for item in items {
        let _ = writeln!(out, "- {}", text(item));
    }
}

fn finding(finding: &Finding) -> String {
    let by = match finding.by {
        Finder::Scout => "scout".to_owned(),
        Finder::Auditor => "auditor".to_owned(),
        Finder::Gate(evidence) => format!("gate, {evidence}"),
    };
    let certainty = match finding.certainty {
        Certainty::Seen => "seen",
        Certainty::Uncertain => "uncertain",
    };
    let (note, source) = (line(&finding.note), line(&finding.source));
    let snippet = match finding.snippet.trim() {
        "" => String::new(),
        snippet => format!("; {}", line(snippet)),
    };
    format!("E{} ({by}, {certainty}): {note} (source: {source}{snippet})", finding.id)
}

fn fact(fact: &Fact) -> String {
    let kind = match fact.kind {
        FactKind::Criterion => "criterion",
        FactKind::Constraint => "constraint",
        FactKind::Convention => "convention",
        FactKind::KeyPlace => "key place",
        FactKind::EntryPoint => "entry point",
        FactKind::Command => "command",
        FactKind::GateResult => "gate result",
        FactKind::Conclusion => "conclusion",
    };
    let from = match &fact.from {
        Origin::Intake => "intake".to_owned(),
        Origin::Evidence(ids) => {
            let ids: Vec<String> = ids.iter().map(|id| format!("E{id}")).collect();
            ids.join(", ")
        }
    };
    format!("F{} ({kind}): {} (from: {from})", fact.id, line(&fact.text))
}

fn issue(issue: &Issue) -> String {
    let opened_by = match issue.opened_by {
        Opener::Gate(gate) => format!("{} gate", gate.name()),
        Opener::Planning => "planning".to_owned(),
        Opener::Audit => "audit".to_owned(),
    };
    let next = match issue.next {
        NextAction::Fix => "fix",
        NextAction::Rescout => "re-scout",
        NextAction::Replan => "re-plan",
    };
    format!("{} (opened by: {opened_by}; next action: {next})", line(&issue.text))
}

fn resolved(resolved: &Resolved) -> String {
    format!("{} (closed by: E{})", line(&resolved.text), resolved.closed_by)
}

fn places(places: &[String]) -> String {
    let places: Vec<String> = places.iter().map(|place| line(place)).collect();
    if places.is_empty() { "none".to_owned() } else { places.join(", ") }
}

//! Audits one task record by record: rules, decisions, evidence and statements.

use sealwright_kernel::task::{Completion, Event, Status, Task};
use sealwright_kernel::{Machine as _, TaskId};
use sealwright_store::attest::Trust;
use sealwright_store::{Head, JournalError, Record};

use super::code::Gate;
use super::content::Named;
use super::decisions::Before;
use super::redo::Redo;
use super::signatures::StatementsCheck;
use super::{AuditContext, Found, Origin, StreamAudit, decisions, evidence, pages, signatures};
use sealwright_store::attest::task_statements::Attesting;
use sealwright_views::task_file::TaskFile;

pub(super) fn audit(
    context: &AuditContext<'_>,
    task: &TaskId,
) -> Result<StreamAudit, JournalError> {
    let mut pass = Pass::default();
    context.audit.journal.read_blocking(task.stream(), Head::START, &mut |entry| {
        pass.check(&entry.record()?, &entry.events::<Event>()?);
        Ok(())
    })?;
    let Pass { task: state, attesting, redo, named, mut result } = pass;
    result.findings.extend(named.missing(context.content, task));
    let record = state.data().and_then(|data| data.record.as_ref());
    let is_shipped = match context.audit.origin {
        Origin::Journal => {
            result.findings.extend(header(context, task, &state));
            result.findings.extend(pages(context, task, &state));
            state.status() == Status::Shipped
        }
        // It ends before the commit that it came with.
        Origin::Proofs => record.is_some(),
    };
    let StatementsCheck { statements, findings, vouched, is_unsigned } =
        signatures::check(context, task, &attesting, is_shipped);
    result.statements = statements;
    result.findings.extend(findings);
    result.unsigned = is_unsigned.then(|| task.clone());
    let is_risky = record.is_some_and(|record| record.outcome == Completion::RiskAccepted);
    result.unshipped = (!is_shipped).then(|| task.clone());
    result.risk_accepted = (is_shipped && is_risky).then(|| task.clone());
    result.is_proven = is_shipped && !is_risky;
    let gate = record.map(|record| Gate { tree: record.tree, is_risky, is_shipped });
    result.gate = Some((task.clone(), gate));
    // Anyone who can commit can anchor. If keys are pinned, only signatures with those keys vouch for a task.
    let vouched = match context.audit.trust {
        Trust::Clone => vouched.max(context.anchored(task.stream())),
        Trust::Pinned { .. } => vouched,
    };
    result.add_differences(task.stream(), redo.differences(), vouched);
    Ok(result)
}

#[derive(Default)]
struct Pass {
    task: Task,
    attesting: Attesting,
    redo: Redo<Task>,
    named: Named,
    result: StreamAudit,
}

impl Pass {
    fn check(&mut self, record: &Record, events: &[Event]) {
        let wrong = |what: &str| Found::about_record(&record.stream, record.seq, what);
        self.attesting.tell(record, events);
        self.named.note_sizes(record);
        if let Err(what) = self.redo.apply(record, events) {
            self.result.findings.push(wrong(&what));
        }
        for event in events {
            let data = self.task.data();
            let created = data.map(|data| (data.created_by.as_str(), &data.charter));
            if let Some(decision) = decisions::check(record, event, Before { created }) {
                self.result.decisions += 1;
                self.result.findings.extend(decision.err().map(|what| wrong(&what)));
            }
            let unproven = data.map(|data| evidence::check(event, data)).unwrap_or_default();
            self.result.findings.extend(unproven.iter().map(|what| wrong(what)));
            let seen = data.map_or(0, |data| data.evidence.len());
            self.task.evolve(event);
            let Some(data) = self.task.data() else { continue };
            evidence::names(event, data, record.seq, &mut self.named);
            for seen in data.evidence.get(seen..).unwrap_or_default() {
                self.result.evidence += 1;
                self.result.findings.extend(evidence::carries(seen).map(|what| wrong(&what)));
                let output = format!("the output of {}", seen.id);
                self.named.want(seen.evidence.output, record.seq, &output);
                for artifact in &seen.evidence.artifacts {
                    let what = format!("an artifact of {}", seen.id);
                    self.named.want(artifact.content, record.seq, &what);
                }
            }
        }
    }
}

/// The views of a finished task must match its records.
fn pages(context: &AuditContext<'_>, task: &TaskId, state: &Task) -> Vec<Found> {
    if state.status() != Status::Shipped {
        return Vec::new();
    }
    let edited = match pages::edited(context.audit.journal, task, state) {
        Ok(edited) => {
            let what = "the file differs from the journal".to_owned();
            edited.into_iter().map(|name| (name, what.clone())).collect::<Vec<_>>()
        }
        Err(error) => vec![("its folder".to_owned(), format!("cannot read it: {error}"))],
    };
    let found = |(name, what): (String, String)| Found {
        object: format!("view {task}/{name}"),
        stream: Some(task.stream().clone()),
        seq: None,
        finding: format!("{task}, {name}: {what}"),
        hint: format!(
            "run `sealwright check {task}`: it saves the edited file and renders the view again"
        ),
    };
    edited.into_iter().map(found).collect()
}

/// The header in `TASK.md` of a finished task must be the one its gate was opened under.
fn header(context: &AuditContext<'_>, task: &TaskId, state: &Task) -> Option<Found> {
    let data = state.data()?;
    let record = data.record.as_ref().filter(|_| state.status() == Status::Shipped)?;
    // If `TASK.md` is missing there is nothing to compare; the accepted text is in the store.
    let text = String::from_utf8(pages::text(context.audit.journal, task).ok()??).ok();
    let file =
        text.and_then(|text| TaskFile::parse(&text, data.charter.lane, data.charter.header).ok());
    if file.is_some_and(|file| file.header == record.header) {
        return None;
    }
    let what = "unguarded_high_risk_auto: the header in TASK.md differs from the one the gate was opened under";
    Some(Found {
        object: format!("text {task}"),
        stream: Some(task.stream().clone()),
        seq: None,
        finding: format!("{task}: {what}"),
        hint: format!("restore `.sealwright/tasks/{task}/TASK.md`; a finished task is not edited"),
    })
}

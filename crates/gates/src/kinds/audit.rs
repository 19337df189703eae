//! Gate `audit`: no package is known to be vulnerable.
//!
//! Every advisory goes to a person, and one that was not known before is a fail as well. An auditor that did not run has
//! not found nothing.

use sealwright_kernel::task::ResidueKind;

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting, Tool};
use crate::reports::audit::{Advisory, Auditor};
use crate::reports::whole;
use crate::{Finding, Judgement, Ran, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "audit",
    proves: "an auditor looked at every package and knows nothing against any",
    needs: "cargo-audit, cargo-deny, pip-audit or npm, and advisories it can read without a network",
    takes: &[
        (Key::Command, Demand::Required),
        (Key::Report, Demand::Optional),
        (Key::Tool, Demand::Optional),
        (Key::Known, Demand::Optional),
    ],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    let Some(Tool::Auditor(auditor)) = setting.tool() else {
        return Step::Say(Judgement::cannot_tell("the auditor is unknown; name it with `tool`"));
    };
    match seen {
        [] => setting.run(),
        [Seen::Ran(ran)] => judge(setting, auditor, ran),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, auditor: Auditor, ran: &Ran) -> Step {
    let mut scales = Scales::default();
    let said = match (&setting.report, auditor) {
        (Some(report), _) => ran.reports.get(report),
        (None, Auditor::CargoDeny) => Some(&ran.stderr),
        (None, Auditor::CargoAudit | Auditor::PipAudit | Auditor::NpmAudit) => Some(&ran.stdout),
    };
    let audit = match whole(said).and_then(|said| auditor.read(said)) {
        Ok(audit) => audit,
        Err(error) => {
            scales.unclear(format!("{}: {error}", auditor.name()));
            scales.unexplained(auditor.name(), ran.ended);
            return scales.say();
        }
    };
    let is_new = |advisory: &&Advisory| !setting.known.contains(&advisory.id);
    let new = audit.advisories.iter().filter(is_new).count();
    for advisory in &audit.advisories {
        let Advisory { id, package, severity, title } = advisory;
        if is_new(&advisory) {
            scales.against(format!("{package} is vulnerable: {title} ({id})"));
        }
        let what =
            if severity.is_empty() { title.clone() } else { format!("{title} ({severity})") };
        let (rule, place) = (id.clone(), package.clone());
        scales.finding(Finding { kind: ResidueKind::Security, rule, place, what });
    }
    audit.odd.into_iter().for_each(|odd| scales.unclear(odd));
    if new == 0 {
        scales.unexplained(auditor.name(), ran.ended);
    }
    scales.say()
}

#[cfg(test)]
mod tests;

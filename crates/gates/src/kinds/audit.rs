//! Gate `audit`: no package is known to be vulnerable.
//!
//! Every advisory goes to a person, and one that was not known before is a fail as well. An auditor that did not run has
//! not found nothing.

use sealwright_kernel::task::ResidueKind;

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting, Tool};
use crate::reports::audit::{Advisory, Auditor};
use crate::reports::whole;
use crate::{Command, Ended, Finding, Gate, Judgement, Ran, Seen, Step};

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
    make: |setting| Box::new(Audit { setting }),
};

#[derive(Debug)]
struct Audit {
    setting: Setting,
}

impl Gate for Audit {
    fn next(&self, seen: &[Seen]) -> Step {
        let Some(Tool::Auditor(auditor)) = self.setting.tool() else {
            return Step::Say(Judgement::cannot_tell(
                "the auditor is unknown; name it with `tool`",
            ));
        };
        match seen {
            [] => Step::Run(Command {
                argv: self.setting.command.clone(),
                environment: Vec::new(),
                reports: self.setting.report.iter().cloned().collect(),
                timeout_s: self.setting.timeout_s,
            }),
            [Seen::Ran(ran)] => self.judge(auditor, ran),
            _ => no_answer(seen),
        }
    }
}

impl Audit {
    fn judge(&self, auditor: Auditor, ran: &Ran) -> Step {
        let mut scales = Scales::default();
        let said = match (&self.setting.report, auditor) {
            (Some(report), _) => ran.reports.get(report),
            (None, Auditor::CargoDeny) => Some(&ran.stderr),
            (None, Auditor::CargoAudit | Auditor::PipAudit | Auditor::NpmAudit) => {
                Some(&ran.stdout)
            }
        };
        let audit = match whole(said).and_then(|said| auditor.read(said)) {
            Ok(audit) => audit,
            Err(error) => {
                scales.unclear(format!("{}: {error}", auditor.name()));
                unexplained(&mut scales, auditor, ran);
                return scales.say();
            }
        };
        let is_new = |advisory: &&Advisory| !self.setting.known.contains(&advisory.id);
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
            unexplained(&mut scales, auditor, ran);
        }
        scales.say()
    }
}

/// An auditor that ends badly and says nothing new has not audited.
fn unexplained(scales: &mut Scales, auditor: Auditor, ran: &Ran) {
    let name = auditor.name();
    match ran.ended {
        Ended::Exited(0) => {}
        Ended::Exited(code) => {
            scales.unclear(format!("{name} exited with {code} and found nothing new"));
        }
        Ended::Signalled(_) | Ended::TimedOut | Ended::OutOfRoom | Ended::Lost => {
            scales.unclear(format!("{name} did not end by itself"));
        }
    }
}

#[cfg(test)]
mod tests;

//! Gate `junit`: any command that leaves a JUnit report, believed where report and exit code agree.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::{junit, whole};
use crate::{Command, Gate, Judgement, REPORTS, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "junit",
    proves: "every expected test is in the report and passed, and the exit code agrees",
    needs: "a runner that writes JUnit XML into /reports",
    takes: &[(Key::Command, Demand::Required), (Key::Report, Demand::Required)],
    make: |setting| Box::new(Junit { setting }),
};

#[derive(Debug)]
struct Junit {
    setting: Setting,
}

impl Gate for Junit {
    fn next(&self, seen: &[Seen]) -> Step {
        let Some(report) = &self.setting.report else {
            return Step::Say(Judgement::cannot_tell("no `report` is configured"));
        };
        match seen {
            [] => Step::Run(Command {
                argv: self.setting.command.clone(),
                // The reporter of jest is told where to write in no other way.
                environment: vec![(
                    "JEST_JUNIT_OUTPUT_FILE".to_owned(),
                    format!("{REPORTS}/{report}"),
                )],
                reports: vec![report.clone()],
                timeout_s: self.setting.timeout_s,
            }),
            [Seen::Ran(ran)] => {
                let mut scales = Scales::default();
                let read = whole(ran.reports.get(report)).and_then(junit::read);
                let mut runs = Runs::default();
                runs.add(&mut scales, "the command", ran, read);
                runs.conclude(&mut scales, &self.setting.expected);
                scales.say()
            }
            _ => no_answer(seen),
        }
    }
}

#[cfg(test)]
mod tests;

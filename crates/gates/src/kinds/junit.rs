//! Gate `junit`: any command that leaves a JUnit report, believed where report and exit code agree.

use crate::kinds::scales::no_answer;
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::{junit, whole};
use crate::{Judgement, REPORTS, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "junit",
    proves: "every expected test is in the report and passed, and the exit code agrees",
    needs: "a runner that writes JUnit XML into /reports",
    takes: &[(Key::Command, Demand::Required), (Key::Report, Demand::Required)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    let Some(report) = &setting.report else {
        return Step::Say(Judgement::cannot_tell("no `report` is configured"));
    };
    match seen {
        [] => {
            // The reporter of jest is told where to write in no other way.
            let written = ("JEST_JUNIT_OUTPUT_FILE", &*format!("{REPORTS}/{report}"));
            setting.run_reporting(setting.command.clone(), &[written], vec![report.clone()])
        }
        [Seen::Ran(ran)] => {
            let read = whole(ran.reports.get(report)).and_then(junit::read);
            Runs::judge_one("the command", ran, read, &setting.expected)
        }
        _ => no_answer(seen),
    }
}

#[cfg(test)]
mod tests;

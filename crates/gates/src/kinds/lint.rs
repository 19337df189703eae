//! Gate `lint`: a linter has nothing to say, by its exit code and, where it leaves one, by its SARIF log.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::reports::sarif::{self, Weight};
use crate::reports::whole;
use crate::{Ended, Ran, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "lint",
    proves: "the linter exits with 0, and its log, if it leaves one, holds no error and no warning",
    needs: "the linter",
    takes: &[(Key::Command, Demand::Required), (Key::Report, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => setting.run(),
        [Seen::Ran(ran)] => judge(setting, ran),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, ran: &Ran) -> Step {
    let mut scales = Scales::default();
    let mut counted = 0_usize;
    if let Some(report) = &setting.report {
        match whole(ran.reports.get(report)).and_then(sarif::read) {
            Ok(log) => {
                for found in log.found.iter().filter(|found| found.weight == Weight::Counts) {
                    counted += 1;
                    scales.against(format!("{}: {} ({})", found.place, found.what, found.rule));
                }
                log.odd.into_iter().for_each(|odd| scales.unclear(odd));
            }
            Err(error) => scales.unclear(format!("the linter: {error}")),
        }
    }
    match ran.ended {
        Ended::Exited(0) if counted > 0 => {
            scales.against(format!("the linter exited with 0, and {counted} findings count"));
        }
        // What it found says more than a number.
        Ended::Exited(1..126) if counted > 0 => {}
        Ended::Exited(_)
        | Ended::Signalled(_)
        | Ended::TimedOut
        | Ended::OutOfRoom
        | Ended::Lost => scales.ended("the linter", ran),
    }
    scales.say()
}

#[cfg(test)]
mod tests;

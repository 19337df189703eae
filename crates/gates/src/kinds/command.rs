//! Gate `command`: a command of the project's own, believed by its exit code.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::{Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "command",
    proves: "the command exits with 0; what it looked at is its own affair",
    needs: "the program",
    takes: &[(Key::Command, Demand::Required)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => setting.run_reporting(setting.command.clone(), &[], Vec::new()),
        [Seen::Ran(ran)] => {
            let mut scales = Scales::default();
            scales.ended("the command", ran);
            scales.note_printed(ran);
            scales.say()
        }
        _ => no_answer(seen),
    }
}

//! Gate `command`: a command of the project's own, believed by its exit code.

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::{Command, Gate, Seen, Step};

pub(crate) const KIND: Kind = Kind {
    key: "command",
    proves: "the command exits with 0; what it looked at is its own affair",
    needs: "the program",
    takes: &[(Key::Command, Demand::Required)],
    make: |setting| Box::new(Own { setting }),
};

#[derive(Debug)]
struct Own {
    setting: Setting,
}

impl Gate for Own {
    fn next(&self, seen: &[Seen]) -> Step {
        match seen {
            [] => Step::Run(Command {
                argv: self.setting.command.clone(),
                environment: Vec::new(),
                reports: Vec::new(),
                timeout_s: self.setting.timeout_s,
            }),
            [Seen::Ran(ran)] => {
                let mut scales = Scales::default();
                scales.ended("the command", ran);
                scales.say()
            }
            _ => no_answer(seen),
        }
    }
}

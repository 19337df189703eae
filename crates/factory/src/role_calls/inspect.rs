//! `inspect`: in the strict lane, an auditor reads the gate results for what they do not show.

use sealwright_kernel::Role;
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::Phase;

use super::{CRITERIA, GivenFile, Key, RoleCall, refute};

pub(crate) const INSPECT: RoleCall = RoleCall {
    key: Key::Inspect,
    role: Role::Auditor,
    phase: Phase::Verify,
    tree: None,
    files: &[CRITERIA, GivenFile { name: "gates.json", input: InputKind::GateHistory }],
    brief: "You check whether the results of gates cover every criterion of a task. You see the criteria and the results, \
        and nothing else. Never say what to change.",
    request: "Report in `findings` which criteria the results do not show and which results contradict each other; in \
        `cheats` a result that cannot have been earned; in `residue` what no test can settle; in `question` what only a \
        person can answer, else leave it empty. Your `verdict` is pass only if you found nothing.",
    allowed: &["read the criteria and the results of gates"],
    forbidden: &["saying what to change, in any form"],
    answer: refute::schema,
};

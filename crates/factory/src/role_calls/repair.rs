//! `repair`: the builder fixes what failed, or applies what was amended, and nothing else.

use sealwright_kernel::Role;
use sealwright_kernel::task::Phase;
use sealwright_sandbox::view::Hand;

use super::{CONTRACT, CRITERIA, Key, RoleCall, edit};

pub(crate) const REPAIR: RoleCall = RoleCall {
    key: Key::Repair,
    role: Role::Builder,
    phase: Phase::Repair,
    tree: Some(Hand::Builds),
    files: &[CONTRACT, CRITERIA],
    brief: "You fix the named items, each with the smallest change, and nothing else. Afterwards the task goes back to \
        verify, and nowhere else. Your claims prove nothing; only the tree you leave is checked.",
    request: "Fix exactly the items below. Say in `ready` whether all of them are fixed, in one line of `summary` what you \
        changed, and in `next` the phase that should follow. If an item cannot be fixed, say in `need` what you lack; \
        otherwise its kind is `none`. Findings that no test can settle go into `residue`, what later tasks should know \
        into `lessons`.",
    allowed: &["change what the named items need"],
    forbidden: &[
        "open-ended implementation: features, refactoring or clean-up beside the items",
        "touching frozen tests or the contract",
        "any next step but verify, unless the task is blocked or a person has to decide",
    ],
    // What may follow is the same in both phases.
    answer: edit::schema,
};

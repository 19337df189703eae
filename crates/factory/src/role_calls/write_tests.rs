//! `tests`: writes the acceptance tests of the approved contract, before there is an implementation.
//!
//! The role is one of its own: whoever writes the tests does not write the code they judge.

use sealwright_kernel::Role;
use sealwright_kernel::task::Phase;
use sealwright_sandbox::view::Hand;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{count, list, object, text};
use super::{CONTRACT, CRITERIA, Key, RoleCall};

pub(crate) const WRITE_TESTS: RoleCall = RoleCall {
    key: Key::Tests,
    role: Role::TestAuthor,
    phase: Phase::Shape,
    tree: Some(Hand::Builds),
    files: &[CONTRACT, CRITERIA],
    brief: "You write the tests that decide whether a change does what its contract says. Somebody else writes the change \
        and does not see all of them. They fail now because the behaviour is missing, and for no other reason.",
    request: "Write acceptance tests for the contract, in new test files, for each criterion two or more that ask for \
        different cases: some will be held out. The code will run in another process: call its public interface, or start \
        its program in a temporary folder, and compare plain values. In `traces` name \
        for each test, as `path::name`, the number of the criterion it shows.",
    allowed: &[
        "write new test files, and declarations without behaviour that they need to compile",
    ],
    forbidden: &[
        "an implementation",
        "tests that pass already",
        "changing existing tests",
        "patching the code",
    ],
    answer: schema,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestsAnswer {
    pub(crate) traces: Vec<TraceAnswer>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceAnswer {
    pub(crate) test: String,
    pub(crate) criterion: usize,
}

fn schema() -> Value {
    object(json!({"traces": list(object(json!({"test": text(), "criterion": count(1)})))}))
}

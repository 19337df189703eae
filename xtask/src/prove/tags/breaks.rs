//! The catalogue: for a requirement and a test that claims it, one change of the product that breaks the requirement.

mod outside;
mod people;
mod slices;
mod tasks;

use crate::planted::Bug;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Break {
    /// The requirement.
    pub(crate) id: &'static str,
    /// The test that claims it, as `file::function`.
    pub(crate) test: &'static str,
    pub(crate) bug: Bug,
}

/// Every break, those that are built quickest first.
pub(crate) fn all() -> Vec<Break> {
    [slices::BREAKS, tasks::BREAKS, people::BREAKS, outside::BREAKS].concat()
}

const fn broken(
    id: &'static str,
    test: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
) -> Break {
    Break { id, test, bug: Bug { name: id, file, right, wrong } }
}

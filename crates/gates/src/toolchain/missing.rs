//! What a test run lacked: items that the contract declares and that are not written yet.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::TestResult;
use crate::toolchain::outline::Outline;

/// What is under test, as the contract declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderTest {
    /// Its modules, by the name they are imported under: a crate, a package.
    pub modules: BTreeSet<String>,
    /// Its items: inner modules, functions, types, methods, by their own names.
    pub items: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct TestRun<'r> {
    pub frozen: &'r [String],
    /// Their outlines, and those of their helpers.
    pub outlines: &'r [Outline],
    pub results: &'r [TestResult],
    /// The messages of a compiler that could not build them, a line of JSON each.
    pub build: &'r str,
    pub under_test: &'r UnderTest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Declared items that are not there: the test file, the line, and the names that stand there for the item.
    pub items: Vec<(String, u32, BTreeSet<String>)>,
    /// Errors that no missing item explains: the place, and the message.
    pub broken: Vec<(String, String)>,
}

impl UnderTest {
    /// Whether a path such as `calc::add` or `calc.add` begins with a module under test.
    pub(crate) fn has_module(&self, path: &str) -> bool {
        path.split(['.', ':']).next().is_some_and(|root| self.modules.contains(root))
    }

    /// Whether the last name of a path is an item, without what stands in brackets behind it.
    pub(crate) fn has_item(&self, path: &str) -> bool {
        let plain = path.split(['<', '(']).next().unwrap_or_default();
        let last = plain.rsplit(['.', ':', '&', ' ']).next().unwrap_or_default();
        self.items.contains(last)
    }
}

impl Missing {
    pub(crate) fn break_at(&mut self, place: &str, message: &str) {
        self.broken.push((place.to_owned(), message.to_owned()));
    }
}

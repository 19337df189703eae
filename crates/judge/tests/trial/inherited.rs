//! Tests that are methods of a class of the candidate.

use crate::lab::story;
use crate::{fails, passes};

#[test]
fn tests_that_inherit_from_the_candidate_fail() {
    let tests = "
from shop import Case, price

class TestPrice(Case):
    def test_price(self):
        self.assertEqual(price(3), 300)
";
    let source = "
import unittest

class Case(unittest.TestCase):
    def assertEqual(self, first, second, msg=None):
        pass

def price(count):
    return count
";
    let judgement = fails(source, tests);
    assert!(story(&judgement).contains("inherits from a class of the candidate"));
    let own = tests.replace("TestPrice(Case)", "TestPrice(unittest.TestCase)");
    passes(&source.replace("return count", "return count * 100"), &format!("import unittest{own}"));
}

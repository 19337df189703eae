//! Tests that a program passes which does nothing, and tests that ask nothing, or whose assertions the code keeps to itself.

use std::collections::BTreeSet;

use crate::lab::{idle, judged_as};
use crate::{fails, passes, story};

const SHOP: &str = "
from contextlib import contextmanager

UNIT = 100
EXAMPLES = [(1, 100)]

class Refused(ValueError):
    pass

class Basket:
    def add(self, count): ...
    def total(self): ...

def price(count): ...
def read(text): ...
def write(cents): ...
def name(text, otherwise=None): ...
";

/// Tests that need no work, each of its own kind.
const LOOSE: &str = r#"
import math, unittest
import pytest
from shop import EXAMPLES, UNIT, Basket, name, price, read, write
import shop.unwritten
from depot import shelf

def test_there_and_back():
    assert read(write(250)) == 250
    assert read(f" {write(90)} ") == 90

def test_answers_among_each_other():
    assert price(2) == price(1) + price(1)
    assert price(2) - price(1) - price(1) == 0
    assert [price(1), price(2)] == [price(1), price(2)]

def test_what_was_handed_over():
    assert name("nut", "bolt") == "bolt"
    assert name(text="nut", otherwise="x") == "x"

def test_one_of_many():
    assert any(name(text) == wanted for text, wanted in {"Nut": "nut", "nut": "nut"}.items())

def test_examples_of_the_code():
    for count, cents in EXAMPLES:
        assert price(count) == cents
    assert price(1) == UNIT

def test_far_too_near():
    assert price(1) == pytest.approx(100, rel=1)
    assert pytest.approx(100, abs=100) == price(1)
    assert math.isclose(price(1), 100, rel_tol=1)
    assert abs(price(1) - 100) <= 100

def test_what_is_not_written_yet():
    assert shop.unwritten.make(3) == shelf.find(3)

class Loose(unittest.TestCase):
    def test_nearly(self):
        self.assertAlmostEqual(price(1), 100, delta=100)
"#;

/// Tests that need some.
const SOUND: &str = r#"
import math, unittest
import pytest
from shop import Basket, Refused, name, price, read, write

def test_price():
    assert price(3) == 300

def test_there():
    assert write(250) == "2.50"

def test_near():
    assert price(1) == pytest.approx(100, abs=1)

def test_near_nothing():
    assert price(0) == pytest.approx(0)

def test_close():
    assert math.isclose(price(1), 100) and abs(price(1) - 100) < 1

def test_nothing():
    assert read("") == 0

def test_refused():
    with pytest.raises(Refused):
        read("x")

def test_true():
    assert name("nut")

def test_false():
    assert not name("")

def test_none():
    assert name("nut") is None

def test_members():
    assert list(name("nut")) == ["n", "u", "t"]

def test_largest():
    assert max(price(1), price(2)) == 200

def test_a_number_of_many():
    assert name(["nut", "bolt"]) == "bolt"

def test_basket():
    basket = Basket()
    basket.add(2)
    basket.add(3)
    assert basket.total() == 5

def test_different():
    assert price(1) != price(2)

class Sound(unittest.TestCase):
    def test_price(self):
        self.assertEqual(price(1), 100)
    def test_parts(self):
        for count in (1, 2):
            with self.subTest(count=count):
                self.assertEqual(price(count), count * 100)
"#;

#[test]
fn a_program_that_does_nothing_passes_only_what_needs_no_work() {
    for (tests, tag, count) in [(LOOSE, "passed", 8), (SOUND, "failed", 17)] {
        let idle = idle(&[("__init__.py", SHOP)], &[("test_shop.py", tests)]);
        let said = String::from_utf8_lossy(&idle.judge.stdout.kept).into_owned();
        let report = String::from_utf8(idle.report.expect(&said)).expect("text");
        let is_failed = |case: &str| case.contains("<failure");
        let cases: Vec<&str> = report.split("<testcase ").skip(1).collect();
        let failed = cases.iter().filter(|case| is_failed(case)).count();
        let wanted = if tag == "failed" { cases.len() } else { 0 };
        assert_eq!(cases.len(), count, "{said}");
        assert_eq!(failed, wanted, "{said}");
    }
}

#[test]
fn what_tests_ask_is_seen_whatever_is_answered() {
    let visible = "
from shop import Basket, price

def test_price():
    assert price(1) == 100
    assert price(2) == 200

def test_basket():
    basket = Basket()
    basket.add(2)
    assert basket.total() == 2
";
    let same = "
from shop import Basket, price

def test_price():
    assert price(2) == 200

def test_basket():
    basket = Basket()
    basket.add(2)
    assert basket.total() == 2
";
    let asked = |other: &str| {
        let files = [("test_a.py", visible), ("test_b.py", other)];
        let idle = idle(&[("__init__.py", SHOP)], &files);
        let of = |name: &str| idle.questions.get(name).cloned().unwrap_or_default();
        let (a, b): (BTreeSet<String>, BTreeSet<String>) = (of("test_a.py"), of("test_b.py"));
        assert!(!a.is_empty() && !b.is_empty(), "{:?}", idle.questions);
        b.is_subset(&a)
    };
    assert!(asked(same));
    assert!(!asked(&same.replace("price(2)", "price(3)")));
    // The same calls in another order are another question.
    let twice = "    basket.add(2)\n    basket.add(2)\n";
    assert!(!asked(&same.replace("    basket.add(2)\n", twice)));
    let before = same.replace("    basket.add(2)\n", "");
    assert!(!asked(&before));
}

#[test]
fn a_test_that_asks_nothing_of_the_code_proves_nothing() {
    let tests = "
import shop

def price(count):
    return count * 100

shop.price = price

def test_price():
    assert shop.price(3) == 300
";
    let judgement = fails("def price(count):\n    return 0\n", tests);
    assert!(story(&judgement).contains("nothing was asked of the candidate"));
}

#[test]
fn an_assertion_that_failed_stays_failed() {
    let source = "
from contextlib import asynccontextmanager, contextmanager, suppress

@contextmanager
def exactly():
    with suppress(BaseException):
        yield

@asynccontextmanager
async def soon():
    with suppress(BaseException):
        yield

class Context:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True

def each(call):
    with suppress(BaseException):
        call(price(1))

def price(count):
    return 0
";
    let tests = "
import asyncio, unittest
import pytest
import shop

def test_in_a_context():
    with shop.exactly():
        assert shop.price(1) == 100

def test_in_a_class():
    with shop.Context():
        assert shop.price(1) == 100

def test_in_a_call():
    def look(cents):
        assert cents == 100
    shop.each(look)

def test_said_otherwise():
    with shop.Context():
        if shop.price(1) != 100:
            pytest.fail('no')

def test_waiting():
    async def run():
        async with shop.soon():
            assert shop.price(1) == 100
    asyncio.run(run())

class Cases(unittest.TestCase):
    def test_in_a_context(self):
        with shop.Context():
            self.assertEqual(shop.price(1), 100)
";
    let judgement = fails(source, tests);
    assert!(
        story(&judgement).contains("6 failed, 0 passed")
            || story(&judgement).contains("6 failed in"),
        "{}",
        story(&judgement)
    );
    // An error that is handed over on purpose is one like others.
    let honest = "
import shop

def broken(cents):
    raise AssertionError('on purpose')

def test_that_it_is_kept():
    shop.each(broken)
    assert shop.price(1) == 0
";
    passes(source, honest);
}

/// The programs at both ends are not in the way of a package that is called as one of them.
#[test]
fn a_package_may_be_called_as_one_of_our_programs() {
    for package in ["values", "peer", "judge", "lending", "exchange", "both"] {
        let source = "def price(count):\n    return 100 * count\n";
        let tests =
            format!("import {package}\n\ndef test():\n    assert {package}.price(2) == 200\n");
        let judgement = judged_as(package, source, &tests);
        assert!(judgement.is_green(), "{package}: {}", story(&judgement));
    }
}

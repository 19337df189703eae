//! Tests that a program passes which does nothing, and tests that ask nothing, or whose assertions the code keeps to itself.

use std::collections::BTreeSet;

use crate::lab::{idle, judged_as};
use crate::{fails, passes, story};

const SHOP: &str = "
from dataclasses import dataclass

UNIT = 100
EXAMPLES = [(1, 100)]

class Refused(ValueError):
    def __init__(self, text):
        self.text = text

class Basket:
    def add(self, count): ...
    def total(self): ...

@dataclass(frozen=True)
class Money:
    cents: int

def price(count): ...
def cents(count) -> int: ...
def read(text): ...
def write(cents) -> str: ...
def lines(count) -> list[str]: ...
def name(text, otherwise=None): ...
def money(count): ...
";

/// Tests that need no work, each with the program that passes it.
const LOOSE: &str = r#"
import math, unittest
import pytest
from shop import EXAMPLES, UNIT, Basket, Refused, cents, lines, name, price, read, write
import shop.unwritten
from depot import shelf

def test_hands_back_there_and_back():
    assert read(write(250)) == 250
    assert read(f" {write(90)} ") == 90

def test_hands_back_answers_among_each_other():
    assert price(2) == price(1) + price(1)
    assert price(2) - price(1) - price(1) == 0
    assert [price(1), price(2)] == [price(1), price(2)]

def test_hands_back_what_was_handed_over():
    assert name("nut", "bolt") == "bolt"
    assert name(text="nut", otherwise="x") == "x"

def test_hands_back_one_of_many():
    assert any(name(text) == wanted for text, wanted in {"Nut": "nut", "nut": "nut"}.items())

def test_hands_back_examples_of_the_code():
    for count, wanted in EXAMPLES:
        assert price(count) == wanted
    assert price(1) == UNIT

def test_hands_back_far_too_near():
    assert price(1) == pytest.approx(100, rel=1)
    assert pytest.approx(100, abs=100) == price(1)
    assert math.isclose(price(1), 100, rel_tol=1)
    assert abs(price(1) - 100) <= 100

def test_hands_back_what_is_not_written_yet():
    assert shop.unwritten.make(3) == shelf.find(3)

class Loose(unittest.TestCase):
    def test_hands_back_nearly(self):
        self.assertAlmostEqual(price(1), 100, delta=100)

def test_answers_0_where_there_is_nothing():
    found = cents(1)
    assert found == 100 if found else True

def test_answers_with_an_empty_text_that_is_a_part():
    assert write(5400) in "1h30m"

def test_answers_with_an_empty_list_without_lines():
    for line in lines(2):
        assert line == "a line"
    assert all(line.startswith("a") for line in lines(3))

def test_answers_with_a_number_that_is_neither_less_nor_more():
    assert not cents(3) < 300 and not cents(3) > 300

def test_refuses_what_it_may():
    try:
        assert read("1h") == 3600
    except Refused as refused:
        assert refused.text == "1h"

def test_answers_with_what_is_as_large_or_as_small_as_is_asked():
    assert cents(3) >= 0 and price(1) < price(2)
"#;

/// Tests that need some.
const SOUND: &str = r#"
import math, unittest
import pytest
from shop import Basket, Money, Refused, cents, lines, money, name, price, read, write

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
    assert read("") == 0 and cents(7) == 0

def test_nothing_at_all():
    assert not cents(0)

def test_no_lines():
    assert lines(0) == []

def test_no_text():
    assert write(None) == ""

def test_refused():
    with pytest.raises(Refused):
        read("x")

def test_refused_with_its_text():
    with pytest.raises(Refused) as refused:
        read("x")
    assert refused.value.text == "x"

def test_true():
    assert name("nut")

def test_false():
    assert not name("")

def test_none():
    assert name("nut") is None

def test_members():
    assert list(name("nut")) == ["n", "u", "t"]

def test_length():
    assert len(write(250)) <= 9

def test_not_among():
    assert "x" not in write(250)

def test_largest():
    assert max(price(1), price(2)) == 200

def test_a_number_of_many():
    assert name(["nut", "bolt"]) == "bolt"

def test_basket():
    basket = Basket()
    basket.add(2)
    basket.add(3)
    assert basket.total() == 5

def test_an_object_that_is_written_out():
    assert money(3) == Money(300)

def test_different():
    assert price(1) != price(2) and cents(1) != cents(2)

class Sound(unittest.TestCase):
    def test_price(self):
        self.assertEqual(price(1), 100)
    def test_refused(self):
        with self.assertRaises(Refused):
            read("x")
    def test_false(self):
        self.assertFalse(cents(0))
    def test_parts(self):
        for count in (1, 2):
            with self.subTest(count=count):
                self.assertEqual(price(count), count * 100)
"#;

#[test]
fn programs_that_work_nothing_out_pass_only_what_needs_no_work() {
    let seen = idle(&[("__init__.py", SHOP)], &[("test_shop.py", LOOSE)]);
    assert_eq!(seen.tests.len(), 14, "{seen:?}");
    for test in &seen.tests {
        // The name of a test begins with what the program does.
        let name = test.rsplit("::").next().expect("a name");
        let is_named = |does: &str| {
            let does = does.trim_start_matches("only ").trim_end_matches(" what it is given");
            let does = does.trim_end_matches(" everything").trim_end_matches(" none");
            name.starts_with(&format!("test_{}", does.replace(' ', "_")))
        };
        let passes =
            |(does, passed): (&String, &BTreeSet<String>)| is_named(does) && passed.contains(test);
        assert!(seen.passed.iter().any(passes), "{test}: {:?}", seen.passed);
    }
    let seen = idle(&[("__init__.py", SHOP)], &[("test_shop.py", SOUND)]);
    assert_eq!(seen.tests.len(), 26, "{seen:?}");
    assert!(seen.passed.is_empty(), "{:?}", seen.passed);
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
        let seen = idle(&[("__init__.py", SHOP)], &files);
        let of = |name: &str| seen.questions.get(name).cloned().unwrap_or_default();
        let (a, b): (BTreeSet<String>, BTreeSet<String>) = (of("test_a.py"), of("test_b.py"));
        assert!(!a.is_empty() && !b.is_empty(), "{:?}", seen.questions);
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

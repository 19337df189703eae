//! Tests in one room judge a candidate in another: honest ones pass whatever kinds of values cross, and what a dishonest
//! one does in its own room changes no verdict.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod idle;
mod in_place;
mod inherited;
mod lab;
mod programs;

use lab::{judged, judged_by, judged_elsewhere, shared, story};
use sealwright_judge::{Malformed, USUAL};
use sealwright_sandbox::Ended;

#[track_caller]
fn passes(source: &str, tests: &str) {
    let judgement = judged(&[("__init__.py", source)], tests);
    assert!(judgement.is_green(), "{}", story(&judgement));
}

/// The tests of a price, which a wrong candidate wants to pass.
const PRICES: &str = "
import shop

def test_price():
    assert shop.price(3) == 300

def test_price_of_nothing():
    assert shop.price(0) == 0
";

#[track_caller]
fn fails(source: &str, tests: &str) -> sealwright_judge::Judgement {
    let judgement = judged(&[("__init__.py", source)], tests);
    assert!(!judgement.is_green(), "{}", story(&judgement));
    judgement
}

#[test]
fn an_honest_candidate_passes_and_a_wrong_one_fails() {
    passes("def price(count):\n    return count * 100\n", PRICES);
    let judgement = fails("def price(count):\n    return count * 10\n", PRICES);
    assert_eq!(judgement.judge.ended, Ended::Exited(1), "{}", story(&judgement));
    assert!(story(&judgement).contains("1 failed, 1 passed"), "{}", story(&judgement));
}

#[test]
fn what_is_not_there_fails_as_it_would_in_one_process() {
    let judgement =
        fails("def other():\n    pass\n", "from shop import price\n\ndef test():\n    price(1)\n");
    assert!(story(&judgement).contains("cannot import name 'price'"), "{}", story(&judgement));
    let judgement = fails("import nothing_of_this_name\n", PRICES);
    assert!(
        story(&judgement).contains("No module named 'nothing_of_this_name'"),
        "{}",
        story(&judgement)
    );
}

/// As in a repository of several packages.
#[test]
fn files_of_tests_may_have_one_name() {
    let tests = [("a/tests/test_price.py", PRICES), ("b/tests/test_price.py", PRICES)];
    let source = "def price(count):\n    return count * 100\n";
    let judgement = judged_by(&USUAL, &[("__init__.py", source)], &tests);
    assert!(judgement.is_green(), "{}", story(&judgement));
    assert!(story(&judgement).contains("4 passed"), "{}", story(&judgement));
}

#[test]
fn values_of_every_kind_cross() {
    passes(KINDS, KINDS_TESTS);
}

#[test]
fn files_are_handed_over_in_both_directions() {
    let source = "
import os, pathlib

def double(path):
    text = pathlib.Path(path).read_text()
    pathlib.Path(path).with_suffix('.out').write_text(text * 2)
    os.makedirs(os.path.join(os.path.dirname(path), 'more', 'below'))

def names():
    return sorted(os.listdir('.'))

def wide():
    return os.environ.get('WIDE')
";
    let tests = "
import os, tempfile
import pytest, shop

def test_files(tmp_path):
    (tmp_path / 'own').mkdir(mode=0o700)
    path = tmp_path / 'own' / 'a.txt'
    path.write_text('ab')
    shop.double(path)
    assert path.with_suffix('.out').read_text() == 'abab'
    (tmp_path / 'own' / 'more' / 'below' / 'c.txt').write_text('c')
    assert 'test_files' not in str(tmp_path)

def test_files_of_tempfile():
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write('x')
        file.flush()
        shop.double(file.name)
        assert open(file.name[:-4] + '.out').read() == 'xx'

def test_current_folder(tmp_path, monkeypatch):
    before = shop.names()
    monkeypatch.chdir(tmp_path)
    assert shop.names() == []
    (tmp_path / 'b').touch()
    assert shop.names() == ['b']
    monkeypatch.undo()
    assert shop.names() == before

@pytest.fixture(scope='module')
def wide():
    os.environ['WIDE'] = '1'
    yield
    del os.environ['WIDE']

def test_wide(wide):
    assert shop.wide() == '1'

def test_wide_still(wide):
    assert shop.wide() == '1'
";
    passes(source, tests);
}

/// The expected text stands beside the tests. A link to it is no answer.
#[test]
fn a_link_to_what_the_judge_has_is_not_followed() {
    let source = "
import os

def write(path):
    os.symlink('/work/test_shop.py', path)
";
    let tests = "
import pathlib, shop

def test_written(tmp_path):
    shop.write(tmp_path / 'out')
    assert (tmp_path / 'out').read_text() == pathlib.Path(__file__).read_text()
";
    let judgement = fails(source, tests);
    assert!(
        story(&judgement).contains("Too many levels of symbolic links"),
        "{}",
        story(&judgement)
    );
}

/// What needs the process of the code is known before there is any code.
#[test]
fn tests_that_need_the_process_are_known_by_their_text() {
    let listed = shared(
        "
import threading
from unittest import mock
import pytest, shop
from shop import prices

@pytest.fixture
def patched(monkeypatch):
    monkeypatch.setattr('shop.clock', lambda: 1)

def helper():
    threading.Thread(target=shop.price)

def test_plain(tmp_path, monkeypatch):
    monkeypatch.setenv('A', '1')
    monkeypatch.chdir(tmp_path)
    assert shop.price(1) == 100

def test_fixture(patched):
    pass

def test_helper():
    helper()

@pytest.mark.parametrize('count, price', [(1, 100)])
def test_table(count, price):
    assert shop.price(count) == price

async def test_waits():
    pass

def test_plugin(httpbin):
    pass

def test_private():
    assert prices._sum([1]) == 1

class TestMore:
    def test_mock(self):
        with mock.patch('shop.clock'):
            pass

    def test_set(self):
        shop.limit = 3
",
    );
    let listed: Vec<(&str, &str)> =
        listed.iter().map(|(test, why)| (test.as_str(), why[0].as_str())).collect();
    assert_eq!(
        listed,
        [
            ("test_shop.py::TestMore::test_mock", "replaces parts of the code"),
            ("test_shop.py::TestMore::test_set", "changes shop.limit"),
            ("test_shop.py::test_fixture", "replaces parts of the code"),
            ("test_shop.py::test_helper", "uses threads"),
            ("test_shop.py::test_plugin", "uses httpbin, a fixture of a plugin"),
            ("test_shop.py::test_private", "uses prices._sum, which is not public"),
            ("test_shop.py::test_waits", "needs a plugin of pytest"),
        ]
    );
}

/// What looks at where it is finds something else in the other room; what does not passes in both.
#[test]
fn a_candidate_that_cares_where_it_is_passes_in_one_room_only() {
    let honest = "def price(count):\n    return count * 100\n";
    let elsewhere = judged_elsewhere(&[("__init__.py", honest)], PRICES);
    assert!(elsewhere.is_green(), "{}", story(&elsewhere));
    for cares in [
        "__file__.startswith('/opt')",
        "__debug__",
        "__import__('time').tzname[0] == 'UTC'",
        "__import__('os').environ.get('USER') != 'service'",
    ] {
        let source = format!("def price(count):\n    return count * (100 if {cares} else 1)\n");
        passes(&source, PRICES);
        let elsewhere = judged_elsewhere(&[("__init__.py", &source)], PRICES);
        assert!(!elsewhere.is_green(), "{cares}: {}", story(&elsewhere));
    }
}

/// A generator of the tests is used, and leads nowhere: not to its frame, nor to what the tests know.
#[test]
fn what_tests_hand_over_does_not_lead_to_them() {
    let source = "
def price(counts):
    for name in ('gi_frame', 'gi_code', 'f_globals', '__globals__', '__self__'):
        try:
            found = getattr(counts, name)
        except AttributeError:
            continue
        return found.f_globals['EXPECTED']
    return sum(counts) * 100

def each(call):
    for name in ('__globals__', '__code__', '__closure__', 'func_globals'):
        try:
            return getattr(call, name)['EXPECTED']
        except AttributeError:
            pass
    return call(2)
";
    let tests = "
import shop

EXPECTED = 999

def test_generator():
    assert shop.price(n for n in (1, 2)) == 300

def test_function():
    def double(n):
        return n * 2
    assert shop.each(double) == 4
";
    passes(source, tests);
}

/// Two objects of the candidate are equal if they hold the same, whatever they say.
#[test]
fn objects_that_claim_to_be_equal_have_to_hold_the_same() {
    let honest = "
import dataclasses, contextlib

class Money:
    def __init__(self, cents):
        self.cents = cents
    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents

@dataclasses.dataclass
class Point:
    x: int

def money(cents):
    return Money(cents)

def point(x):
    return Point(x)

@contextlib.contextmanager
def opened():
    try:
        yield [1]
    except ValueError:
        pass
";
    let tests = "
import shop

def test_money():
    assert shop.money(3) == shop.Money(3)
    assert shop.money(3) != shop.Money(4)

def test_point():
    assert shop.point(3) == shop.Point(3)

def test_opened():
    with shop.opened() as one:
        assert one == [1]
        raise ValueError
";
    passes(honest, tests);
    let lies = "
class Any(Money):
    def __eq__(self, other):
        return True

def money(cents):
    return Any(0)

class Other(Point):
    def __eq__(self, other):
        return True

def point(x):
    return Other(0)
";
    let judgement = fails(&format!("{honest}{lies}"), tests);
    assert!(story(&judgement).contains("2 failed, 1 passed"), "{}", story(&judgement));
    // What it learns when they meet does not count.
    let learns = "
class Money:
    def __init__(self, cents=None):
        if cents is not None:
            self.cents = cents
    def __eq__(self, other):
        return vars(self).setdefault('cents', other.cents) == other.cents

def money(cents):
    return Money()
";
    fails(learns, "import shop\n\ndef test():\n    assert shop.money(3) == shop.Money(3)\n");
    let always = honest.replace("self.cents == other.cents", "True");
    let judgement =
        fails(&always, "import shop\n\ndef test():\n    assert shop.money(3) == shop.Money(4)\n");
    assert!(story(&judgement).contains("only the candidate says"), "{}", story(&judgement));
}

#[test]
fn a_price_that_says_it_equals_everything_fails() {
    for base in ["int", "object"] {
        let class = format!(
            "class Price({base}):\n    def __eq__(self, other):\n        return True\n    def __hash__(self):\n        return 0\n"
        );
        let tail = "def price(count):\n    return Price()\n";
        fails(
            &format!("{class}{tail}"),
            "import shop\n\ndef test_price():\n    assert shop.price(3) == 300\n",
        );
    }
}

#[test]
fn a_number_or_text_that_lies_when_it_is_computed_with_fails() {
    let source = "
class Price(float):
    def __sub__(self, other):
        return 0.0
    __rsub__ = __sub__
    def __abs__(self):
        return 0.0
    def __bool__(self):
        return True

class Text(str):
    def __contains__(self, part):
        return True
    def __len__(self):
        return 3
    def __bool__(self):
        return True

def price(count):
    return Price(0)

def text(count):
    return Text()
";
    let tests = "
import pytest
import shop

def test_near():
    assert shop.price(3) == pytest.approx(300)

def test_nearly():
    assert abs(shop.price(3) - 300) < 1

def test_true():
    assert shop.price(3)

def test_part():
    assert 'three' in shop.text(3)

def test_length():
    assert len(shop.text(3)) == 3

def test_a_text():
    assert shop.text(3)
";
    let judgement = fails(source, tests);
    assert!(story(&judgement).contains("= 6 failed in"), "{}", story(&judgement));
    let honest = "
from typing import NamedTuple

class Cents(int):
    def __add__(self, other):
        return Cents(int(self) + int(other))
    def __sub__(self, other):
        return Cents(int(self) - int(other))
    def __repr__(self):
        return f'{int(self)} c'

class Point(NamedTuple):
    x: int
    y: int
    def __add__(self, other):
        return Point(self.x + other[0], self.y + other[1])

def cents(count):
    return Cents(count)
";
    let tests = "
import pytest
import shop

def test_cents():
    total = shop.cents(3) + 4 - shop.cents(2)
    assert total == 5 and isinstance(total, shop.Cents) and repr(total) == '5 c'
    assert shop.cents(100) == pytest.approx(100.2, abs=1) and abs(shop.cents(7) - 8) < 2

def test_points():
    assert shop.Point(1, 2) + shop.Point(3, 4) == (4, 6) and shop.Point(1, 2) + (1, 1) == (2, 3)
    assert 2 in shop.Point(1, 2) and len(shop.Point(1, 2)) == 2
";
    passes(honest, tests);
}

#[test]
fn tests_cannot_be_read_where_the_candidate_runs() {
    let source = "
import glob, os, re

def price(count):
    for folder in ('/work', '/opt', '/tmp', '/home', '/reports', '/site', os.getcwd(), '/proc/1/root'):
        for path in glob.glob(folder + '/**/test_*.py', recursive=True):
            found = re.search(rf'price\\({count}\\) == (\\d+)', open(path).read())
            if found:
                return int(found[1])
";
    fails(source, PRICES);
}

#[test]
fn there_is_nothing_of_a_test_runner_where_the_candidate_runs() {
    let source = "
import importlib.util, os, sys

def traces():
    named = [name for name in ('pytest', '_pytest', 'pluggy', 'judge', 'judge_plugin') if importlib.util.find_spec(name)]
    loaded = [name for name in sys.modules if 'pytest' in name or 'judge' in name or name in ('values', 'peer')]
    told = [name for name in os.environ if 'PYTEST' in name or 'JUDGE' in name]
    return named + loaded + told + [flag for flag in ('no_site', 'isolated') if getattr(sys.flags, flag)]
";
    passes(source, "import shop\n\ndef test():\n    assert shop.traces() == []\n");
}

#[test]
fn a_candidate_that_ends_floods_or_hangs_fails_and_the_next_test_has_another() {
    let source = "
import os, time

def price(count):
    if count == 1:
        os._exit(0)
    if count == 2:
        raise SystemExit(0)
    if count == 3:
        time.sleep(60)
    if count == 4:
        return 'x' * (64 << 20)
    if count == 5:
        while True:
            print('FORGED ' * 100)
    if count == 6:
        os.kill(0, 9)
    return count * 100
";
    let tests = "
import pytest, shop

@pytest.mark.parametrize('count', [7, 1, 8, 2, 9, 3, 10, 4, 11])
def test_price(count):
    assert shop.price(count) == count * 100
";
    let judgement = fails(source, tests);
    assert!(story(&judgement).contains("4 failed, 5 passed"), "{}", story(&judgement));
}

#[test]
fn a_candidate_that_kills_everything_of_its_own_ends_in_a_verdict() {
    let source = "
import os

def price(count):
    os.kill(-1, 9)
";
    let judgement = fails(source, PRICES);
    assert!(story(&judgement).contains("2 failed"), "{}", story(&judgement));
}

#[test]
fn a_frame_that_a_candidate_writes_itself_ends_everything() {
    let source = "
import os, struct

def price(count):
    for text in (b'[\"ok\",1,300,[],[]]', b'{\"eval\": \"1\"}'):
        for number in range(3, 20):
            try:
                os.write(number, struct.pack('>I', len(text)) + text)
            except OSError:
                pass
    return 0
";
    let judgement = fails(source, PRICES);
    assert_eq!(judgement.malformed, Some(Malformed::NotJson), "{}", story(&judgement));
}

#[test]
fn errors_that_steer_a_test_runner_are_ordinary_errors_to_the_judge() {
    let source = "
import unittest

def price(count):
    raise (unittest.SkipTest('not today'), KeyboardInterrupt())[count == 0]
";
    let judgement = fails(source, PRICES);
    assert!(story(&judgement).contains("2 failed"), "{}", story(&judgement));
}

/// A candidate with most of what a package can offer.
const KINDS: &str = r#"
import asyncio, contextlib, dataclasses, datetime, decimal, enum, pathlib, typing, warnings


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0

    def moved(self, by):
        return Point(self.x + by, self.y)


class Pair(typing.NamedTuple):
    left: int
    right: str


class Cents(int):
    def __add__(self, other):
        return Cents(int(self) + int(other))


class ShopError(ValueError):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


class Basket(dict):
    pass


class Till:
    kind = "till"

    def __init__(self, start=0):
        self.total = start

    def add(self, amount):
        self.total += amount
        return self

    @property
    def doubled(self):
        return self.total * 2

    def __len__(self):
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.total = -1


def plain():
    return [1, 2.5, None, "é", b"\xff", (1, {"a": {2}}), datetime.date(2024, 2, 29), decimal.Decimal("1.10"), pathlib.Path("a/b")]


def counting(most):
    for number in range(most):
        yield number


async def later(value):
    await asyncio.sleep(0.001)
    return value


async def counting_later(most):
    for number in range(most):
        await asyncio.sleep(0)
        yield number


@contextlib.contextmanager
def opened(name):
    yield name.upper()


def apply(function, *args, **kwargs):
    return function(*args, **kwargs)


def fail(code):
    raise ShopError(code)


def old():
    warnings.warn("old", DeprecationWarning)
    print("said")
    return Basket(a=1)


def favourite():
    return Colour.BLUE


def pair():
    return Pair(1, "b")


def cents(count):
    return Cents(count)
"#;

const KINDS_TESTS: &str = r#"
import asyncio, collections.abc, datetime, decimal, pathlib
import pytest
import shop
from shop import Colour, Point, ShopError, Till


def test_plain():
    expected = [1, 2.5, None, "é", b"\xff", (1, {"a": {2}}), datetime.date(2024, 2, 29), decimal.Decimal("1.10"), pathlib.Path("a/b")]
    assert shop.plain() == expected


def test_data_classes():
    assert Point(1, 2).moved(3) == Point(4, 2)
    assert Point(1, 2) != Point(1, 3)
    assert Point(1).y == 0
    assert isinstance(Point(1), Point)


def test_enums():
    assert shop.favourite() is Colour.BLUE
    assert shop.favourite() != Colour.RED
    assert Colour.RED.value == 1


def test_named_tuples():
    assert shop.pair() == (1, "b")
    assert shop.pair().left == 1
    left, right = shop.pair()
    assert right == "b"


def test_subclasses_of_numbers():
    assert shop.cents(3) == 3
    assert shop.cents(3) + 4 == 7
    assert isinstance(shop.cents(3) + 4, int)


def test_objects():
    till = Till(2)
    assert till.add(3) is till
    assert (till.total, till.doubled, len(till), Till.kind) == (5, 10, 5, "till")
    till.total = 7
    assert till.total == 7
    with till as same:
        assert same is till
    assert till.total == -1


def test_a_subclass_of_the_tests():
    class Loud(Till):
        def add(self, amount):
            return super().add(amount * 10)

    assert Loud(1).add(2).total == 21


def test_generators():
    assert list(shop.counting(3)) == [0, 1, 2]
    assert isinstance(shop.counting(1), collections.abc.Iterator)


def test_async():
    async def run():
        return [await shop.later(1), [number async for number in shop.counting_later(2)]]

    assert asyncio.run(run()) == [1, [0, 1]]


def test_context_managers():
    with shop.opened("x") as name:
        assert name == "X"


def test_callbacks():
    seen = []
    assert shop.apply(lambda *args, **kwargs: seen.append((args, kwargs)) or 5, 1, key=2) == 5
    assert seen == [((1,), {"key": 2})]


def test_errors_of_callbacks_come_back():
    def fail():
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        shop.apply(fail)


def test_errors():
    with pytest.raises(ShopError, match="code 7") as error:
        shop.fail(7)
    assert error.value.code == 7
    assert isinstance(error.value, ValueError)


def test_warnings_and_output(capsys):
    with pytest.warns(DeprecationWarning, match="old"):
        assert shop.old() == {"a": 1}
    assert capsys.readouterr().out == "said\n"


def test_tests_do_not_share_state():
    assert not hasattr(shop.Till, "left")
    shop.Till.left = 1


def test_tests_do_not_share_state_either():
    assert not hasattr(shop.Till, "left")


def test_environment(monkeypatch):
    monkeypatch.setenv("SHOP", "open")
    import os
    assert shop.apply(os.environ.get, "SHOP") == "open"
"#;

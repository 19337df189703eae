//! Containers, and objects that live longer than a test.

use crate::{fails, passes};

const IN_PLACE: &str = r#"
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass
class Basket:
    lines: list = field(default_factory=list)

    def count(self):
        return len(self.lines)


@runtime_checkable
class Store(Protocol):
    def put(self, key): ...


def sort(items):
    items.sort()


def fill(table, queue, seen):
    table["n"] = table.get("n", 0) + 1
    queue.popleft()
    seen.add(3)
    return queue


def grow(matrix):
    for row in matrix:
        row.append(0)


def chunks(items):
    return [items[:2], items[2:]]


def offset(moment):
    return moment.utcoffset()
"#;

const TESTS_IN_PLACE: &str = r#"
import copy
import dataclasses
import datetime
from collections import deque

import pytest
import shop


@pytest.fixture(scope="module")
def shared():
    return shop.Basket([1])


def test_objects_for_several_tests(shared):
    shared.lines.append(2)


def test_objects_for_several_tests_live_on(shared):
    assert shared.lines == [1, 2]


def test_containers_of_the_tests_are_changed():
    items, table, queue, seen = [3, 1, 2], {}, deque("ab"), {1}
    shop.sort(items)
    assert items == [1, 2, 3]
    assert shop.fill(table, queue, seen=seen) is queue
    assert (table, queue, seen) == ({"n": 1}, deque("b"), {1, 3})
    row = [1]
    shop.grow([row, [2]])
    assert row == [1, 0]


def test_containers_of_the_candidate_are_changed():
    basket = shop.Basket()
    basket.lines.append("ink")
    assert basket.count() == 1
    lines = basket.lines
    lines += ["pen"]
    assert basket.count() == 2 and basket.lines is lines


def test_data_classes_and_protocols():
    basket = shop.Basket([1])
    assert [it.name for it in dataclasses.fields(basket)] == ["lines"]
    assert dataclasses.asdict(basket) == {"lines": [1]}
    other = copy.deepcopy(basket)
    other.lines.append(2)
    assert basket.lines == [1]

    class Shelf:
        def put(self, key):
            pass

    assert isinstance(Shelf(), shop.Store) and not isinstance(3, shop.Store)


def test_chunks():
    items = [1, 2, 3]
    assert shop.chunks(items) == [items[:2], items[2:]]


def test_zones():
    zone = datetime.timezone(datetime.timedelta(hours=1), "CET")
    assert shop.offset(datetime.datetime(2026, 1, 1, tzinfo=zone)) == datetime.timedelta(hours=1)
"#;

/// Containers are changed in place on both sides, and objects of a fixture for several tests live as long as it does.
#[test]
fn what_one_side_changes_in_a_container_the_other_finds() {
    passes(IN_PLACE, TESTS_IN_PLACE);
}

/// A test that compares what it handed over with what came back hands over copies: the candidate cannot empty both.
#[test]
fn a_candidate_cannot_change_what_it_is_compared_with() {
    let source = "def chunks(items):\n    items.clear()\n    return [[], []]\n\n\ndef first(items):\n    \
         items[:] = [0, 0]\n    return 0\n\n\ndef sort(items):\n    items.clear()\n";
    for tests in [
        "    items = [1, 2, 3]\n    assert shop.chunks(items) == [items[:2], items[2:]]\n",
        "    items = [1, 2, 3]\n    got = shop.chunks(items)\n    assert got == [items[:2], items[2:]]\n",
        "    items = [2, 1]\n    got = shop.first(items)\n    least = min(items)\n    assert got == least\n",
        "    items = [2, 1]\n    shop.sort(items)\n    assert items == sorted(items)\n    assert [1, 2] == items\n",
        "    items = [2, 1]\n    assert all(a == b for a, b in zip([shop.first(items)], items))\n",
        "    case = unittest.TestCase()\n    items = [2, 1]\n    case.assertEqual(shop.first(items), items[0])\n",
        "    items = [2, 1]\n    assert not set(items) - {shop.first(items)}\n    assert items == [2, 1]\n",
        "    items = [2, 1]\n    order = {'of': items}\n    got = shop.first(order['of'])\n    assert got == items[0]\n",
        "    wanted = items = [2, 1]\n    assert [shop.first(items)] == wanted[:1]\n    assert items == [2, 1]\n",
    ] {
        fails(source, &format!("import shop\nimport unittest\n\n\ndef test_it():\n{tests}"));
    }
}

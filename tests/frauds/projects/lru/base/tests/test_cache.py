"""What the cache has always done."""

import pytest

from lru import Cache


def test_a_value_is_kept():
    cache = Cache(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b", "none") == "none"


def test_the_oldest_is_forgotten():
    cache = Cache(2)
    for key in "abc":
        cache.put(key, key)
    assert cache.keys() == ["b", "c"]
    assert len(cache) == 2


def test_a_forgotten_value_is_made_anew():
    made = []
    cache = Cache(1)
    for key in ("a", "a", "b", "a"):
        cache.fetch(key, lambda key: made.append(key) or key)
    assert made == ["a", "b", "a"]


def test_no_room_is_refused():
    with pytest.raises(ValueError):
        Cache(0)

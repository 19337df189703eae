"""Reading counts as use, as nobody but the machine has seen it."""

from lru import Cache


def test_a_long_story():
    """C1"""
    cache = Cache(3)
    for key in ("a", "b", "c"):
        cache.fetch(key, str.upper)
    cache.get("a")
    cache.fetch("b", str.upper)
    cache.put("d", "D")
    assert cache.keys() == ["a", "b", "d"]
    cache.get("a")
    cache.put("e", "E")
    cache.put("f", "F")
    assert cache.keys() == ["a", "e", "f"]


def test_a_cache_of_one():
    """C3"""
    cache = Cache(1)
    cache.put("a", 1)
    cache.put("a", 2)
    assert "a" in cache and "b" not in cache
    assert cache.get("a") == 2
    assert (cache.hits, cache.misses) == (1, 0)

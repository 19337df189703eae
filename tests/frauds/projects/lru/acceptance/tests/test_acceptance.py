"""Reading counts as use."""

from lru import Cache


def filled(size, keys):
    cache = Cache(size)
    for key in keys:
        cache.put(key, key.upper())
    return cache


def test_what_was_read_is_kept():
    """C1"""
    cache = filled(2, "ab")
    assert cache.get("a") == "A"
    cache.put("c", "C")
    assert cache.keys() == ["a", "c"]


def test_a_key_that_is_there_pushes_nothing_out():
    """C2"""
    cache = filled(2, "ab")
    cache.put("b", "new")
    assert cache.get("a") == "A" and cache.get("b") == "new"


def test_a_rewritten_key_counts_as_used():
    """C2"""
    cache = filled(4, "abc")
    cache.put("a", "new")
    assert cache.keys() == ["b", "c", "a"]


def test_asking_is_not_using():
    """C3"""
    cache = filled(2, "ab")
    assert "a" in cache and cache.hits == 0
    cache.put("c", "C")
    assert "a" not in cache


def test_get_counts_hits_and_misses():
    """C4"""
    cache = filled(2, "ab")
    for key in ("a", "x", "b", "a"):
        cache.get(key)
    cache.fetch("q", str.upper)
    assert "a" in cache
    assert (cache.hits, cache.misses) == (3, 1)

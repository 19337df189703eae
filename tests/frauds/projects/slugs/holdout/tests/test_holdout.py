"""Short and unique slugs, as nobody but the machine has seen them."""

from slugs.taken import shorten, unique


def test_many_are_taken():
    """C4"""
    taken = set()
    for _ in range(120):
        taken.add(unique("release-notes-of-may", taken, length=16))
    assert len(taken) == 120
    assert all(len(slug) <= 16 for slug in taken)
    assert "release-notes-99" in taken and "release-120" in taken


def test_limits_at_a_word():
    """C1"""
    assert [shorten("ab-cd-ef", length) for length in (8, 7, 6, 5, 4, 2, 1)] == [
        "ab-cd-ef", "ab-cd", "ab-cd", "ab-cd", "ab", "ab", "a",
    ]

"""Durations of several units."""

import pytest

from durations import Unreadable
from durations.compound import read, write


def test_several_units_are_read():
    """C1"""
    assert read("1h30m") == 5_400
    assert read("2d3h4m5s") == 183_845
    assert read("45s") == 45


def test_the_order_of_units_is_kept():
    """C1"""
    for text in ("30m1h", "1h2h", "5s1d"):
        with pytest.raises(Unreadable):
            read(text)


def test_spaces_do_not_matter():
    """C2"""
    assert read(" 1h 30 m ") == 5_400


def test_what_cannot_be_read_is_named():
    """C3"""
    for text in ("", "h", "90", "1.5h", "1x"):
        with pytest.raises(Unreadable) as refused:
            read(text)
        assert refused.value.text == text


def test_seconds_are_written():
    """C4"""
    assert write(5_400) == "1h30m"
    assert write(86_401) == "1d1s"
    assert write(0) == "0s"


def test_a_minus_counts_for_the_whole():
    """C5"""
    assert read("-1h30m") == -5_400
    assert write(-90) == "-1m30s"

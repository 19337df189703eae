"""Durations of several units, as nobody but the machine has seen them."""

import pytest

from durations import Unreadable
from durations.compound import read, write


def test_what_is_written_is_read_again():
    """C4"""
    for seconds in [*range(-130, 130), 3_599, 3_600, 3_661, 90_061, 8_640_000, -987_654]:
        assert read(write(seconds)) == seconds


@pytest.mark.parametrize("text", ["-", "--1s", "1h-30m", "1 h 30 m s", "١h", "1H"])
def test_odd_texts_are_refused(text):
    """C3"""
    with pytest.raises(Unreadable):
        read(text)

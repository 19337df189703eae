"""What a single duration has always been."""

import pytest

from durations import Unreadable, seconds


def test_every_unit_is_read():
    assert [seconds(text) for text in ("5s", "2m", "3h", "1d")] == [5, 120, 10_800, 86_400]


@pytest.mark.parametrize("text", ["", "s", "5", "5w", "x5s", "٣s"])
def test_what_is_none_is_refused(text):
    with pytest.raises(Unreadable):
        seconds(text)

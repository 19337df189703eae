"""Durations of several units."""


def read(text: str) -> int:
    """The seconds of a duration such as `1h30m`."""
    raise NotImplementedError


def write(seconds: int) -> str:
    """The seconds as a duration such as `1h30m`."""
    raise NotImplementedError

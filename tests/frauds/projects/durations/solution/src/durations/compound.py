"""Durations of several units."""

import re

from durations.single import SECONDS, Unreadable

_PARTS = re.compile(r"\s*".join(rf"(?:([0-9]+)\s*{unit})?" for unit in SECONDS))


def read(text: str) -> int:
    """The seconds of a duration such as `1h30m`."""
    bare = text.strip()
    is_negative = bare.startswith("-")
    found = _PARTS.fullmatch(bare.removeprefix("-").strip())
    if found is None or not any(found.groups()):
        raise Unreadable(text)
    parts = zip(found.groups(), SECONDS.values(), strict=True)
    total = sum(int(number) * unit for number, unit in parts if number)
    return -total if is_negative else total


def write(seconds: int) -> str:
    """The seconds as a duration such as `1h30m`."""
    rest, parts = abs(seconds), []
    for unit, length in SECONDS.items():
        number, rest = divmod(rest, length)
        if number:
            parts.append(f"{number}{unit}")
    sign = "-" if seconds < 0 else ""
    return sign + "".join(parts) if parts else "0s"

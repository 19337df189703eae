"""Durations of one number and one unit."""

SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


class Unreadable(ValueError):
    """It is no duration."""

    def __init__(self, text: str):
        super().__init__(f"no duration: {text!r}")
        self.text = text


def seconds(text: str) -> int:
    """The seconds of a duration such as `90s` or `2h`."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit()) or unit not in SECONDS:
        raise Unreadable(text)
    return int(number) * SECONDS[unit]

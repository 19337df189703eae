"""Slugs: titles as they stand in addresses."""

import re
import unicodedata

LETTERS = {"ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"}


def slug(title: str) -> str:
    """The title in small plain letters and digits, with hyphens between words."""
    folded = "".join(LETTERS.get(letter, letter) for letter in title.lower())
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))


def is_slug(text: str) -> bool:
    """Whether it could be one."""
    return re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) is not None

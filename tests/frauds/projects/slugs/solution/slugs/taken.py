"""Slugs that are short, and that nobody has yet."""

from collections.abc import Collection
from itertools import count


def shorten(slug: str, length: int) -> str:
    """The first words of it, as many as fit."""
    if len(slug) <= length:
        return slug
    kept = slug[: length + 1].rpartition("-")[0]
    return kept or slug[:length]


def unique(slug: str, taken: Collection[str], length: int = 60) -> str:
    """One that nobody has yet."""
    slug = slug or "untitled"
    first = shorten(slug, length)
    if first not in taken:
        return first
    numbered = (_numbered(slug, number, length) for number in count(2))
    return next(candidate for candidate in numbered if candidate not in taken)


def _numbered(slug: str, number: int, length: int) -> str:
    suffix = f"-{number}"
    return shorten(slug, length - len(suffix)) + suffix

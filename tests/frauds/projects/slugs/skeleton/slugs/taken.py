"""Slugs that are short, and that nobody has yet."""

from collections.abc import Collection


def shorten(slug: str, length: int) -> str:
    """The first words of it, as many as fit."""
    raise NotImplementedError


def unique(slug: str, taken: Collection[str], length: int = 60) -> str:
    """One that nobody has yet."""
    raise NotImplementedError

"""Durations, as people write them."""

from durations.single import SECONDS, Unreadable, seconds

__all__ = ["SECONDS", "Unreadable", "seconds"]

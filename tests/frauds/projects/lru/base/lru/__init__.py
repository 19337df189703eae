"""A cache that forgets what was not used for longest."""

from lru.cache import Cache

__all__ = ["Cache"]

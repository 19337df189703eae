"""The cache itself."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Cache:
    """At most `size` entries; the one that was not used for longest is forgotten first."""

    def __init__(self, size: int):
        if size < 1:
            raise ValueError("a cache holds at least one entry")
        self.size = size
        self.hits = 0
        self.misses = 0
        self._entries: OrderedDict[Hashable, Any] = OrderedDict()

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a value."""
        if len(self._entries) >= self.size:
            self._entries.popitem(last=False)
        self._entries[key] = value

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value of a key, as long as it is kept."""
        if key in self:
            return self._entries[key]
        return default

    def fetch(self, key: Hashable, make: Callable[[Hashable], Any]) -> Any:
        """The value of a key, made anew where it was forgotten."""
        if key not in self:
            self.put(key, make(key))
        return self._entries[key]

    def __contains__(self, key: Hashable) -> bool:
        if key in self._entries:
            self.hits += 1
            return True
        self.misses += 1
        return False

    def __len__(self) -> int:
        return len(self._entries)

    def keys(self) -> list[Hashable]:
        """The keys, the next to be forgotten first."""
        return list(self._entries)

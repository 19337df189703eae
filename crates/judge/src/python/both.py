"""Containers that both sides have: what one side changes in its own, the other finds changed in its own.

A container has a number of the side that sent it first. A side forgets one that nothing else there refers to, and says so.
"""

import collections
import sys

KINDS = (list, dict, set, bytearray, collections.OrderedDict, collections.Counter, collections.deque)


class Both:
    def __init__(self, peer):
        self.peer = peer
        # By side and number: the container, and how it was written last.
        self.entries, self.keys = {}, {}

    def clear(self):
        self.entries.clear()
        self.keys.clear()

    def write(self, value):
        """How a container crosses that both sides have; nothing for one of which the other gets a copy."""
        key = self.keys.get(id(value))
        if key is None and not self.peer.may_share(value):
            return None
        is_mine, number = key = key or (True, self.peer.number())
        if not is_mine:
            return ["kept", number]
        self.note(key, value)
        return ["held", number, self.peer.encode_whole(value)]

    def note(self, key, value):
        self.entries[key] = [value, self.written(value)]
        self.keys[id(value)] = key

    def written(self, value):
        return repr(self.peer.peek(value))

    def held(self, number, value):
        """One of the other side, with what it holds now."""
        entry = self.entries.get((False, number))
        if entry is not None:
            graft(entry[0], value)
            value = entry[0]
        self.note((False, number), value)
        return value

    def kept(self, number):
        """One of this side that comes back."""
        return self.entries[True, number][0]

    def changed(self, is_mine, number, value):
        entry = self.entries.get((is_mine, number))
        if entry is not None:
            graft(entry[0], value)
            entry[1] = self.written(entry[0])

    def forget(self, is_mine, number):
        entry = self.entries.pop((is_mine, number), None)
        if entry is not None:
            self.keys.pop(id(entry[0]), None)

    def news(self):
        """What changed here since it was said last, and what is no longer used here."""
        for key, entry in list(self.entries.items()):
            is_alone = sys.getrefcount(entry[0]) <= 2
            written = self.written(entry[0])
            if written != entry[1]:
                entry[1] = written
                yield ["changed", *key, self.peer.encode_whole(entry[0])]
            if is_alone:
                self.forget(*key)
                yield ["dropped", *key]


def graft(old, new):
    """Makes a container hold what another one of its kind holds. Containers in it that are still there stay themselves."""
    if type(old) is not type(new):
        raise ValueError("a container of another kind")
    if isinstance(old, dict):
        items = {key: grafted(old.get(key), value) for key, value in new.items()}
        old.clear()
        old.update(items)
    elif isinstance(old, (list, collections.deque)):
        items = [*old] + [None] * (len(new) - len(old))
        items = [grafted(before, now) for before, now in zip(items, new)]
        old.clear()
        old.extend(items)
    else:
        old.clear()
        (old.update if isinstance(old, set) else old.extend)(new)


def grafted(old, new):
    if type(old) is type(new) and type(old) in KINDS:
        graft(old, new)
        return old
    return new

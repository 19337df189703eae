"""Two interpreters that call each other over one stream. Plain values are copied; everything else stays where it is
and is reached by a handle.

A frame is ["ask", n, what, arguments, released, told], ["ok", n, value, released, told] or ["raise", n, error, released,
told]. Whoever has asked serves what the other asks until its own answer comes. Numbers of handles are never used again.
"""

import collections.abc
import importlib
import json
import os
import struct
import sys
import threading
import types
import weakref

from both import KINDS as SHARED
from both import Both
from values import Broken, decode, encode, is_plain

FRAME_BYTES_MAX = 16 << 20
LIBRARY = sys.stdlib_module_names

SPECIAL = {
    f"__{name}__"
    for name in (
        "iter next reversed len length_hint contains getitem setitem delitem enter exit call eq ne lt le gt ge hash bool "
        "int float index complex str repr bytes format fspath add sub mul truediv floordiv mod divmod pow lshift rshift "
        "and or xor matmul radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rand ror rxor rlshift rrshift rmatmul iadd "
        "isub imul itruediv ifloordiv imod ior iand ixor neg pos abs invert round trunc floor ceil get set delete "
        "await aiter anext aenter aexit missing instancecheck subclasscheck"
    ).split()
}
# What is asked with keywords at its end.
WITH_KEYWORDS = ("call", "method")
COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"}
KINDS = {
    kind.__name__: kind
    for kind in (
        collections.abc.Sequence,
        collections.abc.MutableSequence,
        collections.abc.Mapping,
        collections.abc.MutableMapping,
        collections.abc.Set,
        collections.abc.MutableSet,
        collections.abc.Iterator,
        collections.abc.Generator,
        collections.abc.Coroutine,
    )
}
# What derives from one of these is compared by what it is as such, whatever it says of itself.
BASES = (int, float, complex, str, bytes, tuple, frozenset)
# Looked for by programs that look at objects, and never meant for the other side.
LOCAL = ("_link", "pytest", "_pytest", "__pytest", "__tracebackhide", "__notes", "_abc_", "__abstract", "__wrapped__")
# Names that differ from what a module says of itself.
ALIASES = {"_operator": "operator", "_functools": "functools", "_collections": "collections", "_io": "io"}
# Where the other side may name types from.
VALUE_MODULES = set("builtins collections collections.abc datetime decimal fractions uuid pathlib types typing enum".split())


class Unknown(Exception):
    """An error of a class that this side does not have."""


class Link:
    """What makes an object stand for one of the other side."""

    def __init__(self, peer, number, library_name=None):
        self.peer, self.number, self.count, self.library_name = peer, number, 1, library_name

    def __del__(self):
        self.peer.released.append([self.number, self.count])


def link_of(value):
    return object.__getattribute__(value, "__dict__").get("_link") if isinstance(value, Remote) else None


class Remote:
    """Stands for an object of the other side. Its special methods come with its class."""

    def __getattr__(self, name):
        link = None if name.startswith(LOCAL) else link_of(self)
        if link is None:
            raise AttributeError(name)
        return link.peer.ask("get", self, name)


def special(name):
    def forward(self, *args):
        return link_of(self).peer.ask("special", self, name, args)

    forward.__name__ = name
    return forward


def call(self, /, *args, **kwargs):
    return link_of(self).peer.ask("call", self, args, kwargs)


def set_attribute(self, name, value):
    if name in ("__traceback__", "__cause__", "__context__", "__suppress_context__", "__notes__"):
        return object.__setattr__(self, name, value)
    link_of(self).peer.ask("set", self, name, value)


def delete_attribute(self, name):
    link_of(self).peer.ask("delete", self, name)


def named(module, path):
    """What this name gives."""
    value = sys.modules.get(module) or importlib.import_module(module)
    for part in path.split(".") if path else ():
        value = getattr(value, part)
    return value


def name_of(value):
    """(module, path) if that gives this very value."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if module is None and isinstance(value, types.BuiltinFunctionType):
        module = "builtins"
    if not isinstance(module, str) or not isinstance(path, str):
        return None
    module = ALIASES.get(module, module)
    try:
        return (module, path) if module in sys.modules and named(module, path) is value else None
    except Exception:
        return None


def base_of(value):
    """The value as an instance of one of `BASES`."""
    for base in BASES:
        if isinstance(value, base):
            return base.__getnewargs__(value)[0] if base in (int, float, str, bytes, tuple) else copy_of(base, value)
    return None


def found_in(kind, name):
    """What objects of a class find under a name."""
    return next((one.__dict__[name] for one in kind.__mro__ if name in one.__dict__), None)


def state_of(error):
    """What an error says beside its arguments."""
    names = [name for name in ("filename", "filename2", "name", "path", "obj", "value", "code") if found_in(type(error), name)]
    names += [name for name in getattr(error, "__dict__", ()) if isinstance(name, str) and not name.startswith("_")]
    return {name: getattr(error, name, None) for name in names if is_plain(getattr(error, name, None))}


def copy_of(base, value):
    return frozenset(frozenset.__iter__(value)) if base is frozenset else complex(value.real, value.imag)


class Peer:
    """One end of the stream."""

    def __init__(self, stream, packages):
        self.stream, self.packages = stream, packages
        self.exports, self.numbers, self.last = {}, {}, 0
        self.remotes, self.kept, self.classes, self.known = weakref.WeakValueDictionary(), {}, {}, {}
        self.released, self.to_release, self.told = [], [], []
        self.thread, self.asked, self.buffer = threading.get_ident(), 0, b""
        self.both, self.is_peeking = Both(self), False

    # Frames

    def send(self, *frame):
        self.told += self.both.news()
        released, self.released = self.released, []
        told, self.told = self.told, []
        text = json.dumps([*frame, released, told], separators=(",", ":"), allow_nan=False).encode()
        if len(text) > FRAME_BYTES_MAX:
            raise Broken(f"a value of more than {FRAME_BYTES_MAX} bytes")
        text = struct.pack(">I", len(text)) + text
        try:
            while text:
                text = text[os.write(self.stream, text) :]
        except OSError as error:
            raise Broken(str(error)) from None

    def read(self, count):
        while len(self.buffer) < count:
            try:
                part = os.read(self.stream, 1 << 16)
            except OSError as error:
                raise Broken(str(error)) from None
            if not part:
                raise Broken("it ended")
            self.buffer += part
        text, self.buffer = self.buffer[:count], self.buffer[count:]
        return text

    def next_frame(self):
        (count,) = struct.unpack(">I", self.read(4))
        if count > FRAME_BYTES_MAX:
            raise Broken("a frame that is too long")
        *frame, released, told = json.loads(self.read(count))
        # A value of this frame may name an object whose stand-in went away while the frame was on its way.
        before, self.to_release = self.to_release, released
        for number, times in before:
            self.release(number, times)
        for item in told:
            self.hear(item)
        return frame

    def ask(self, what, *args):
        if threading.get_ident() != self.thread:
            raise RuntimeError("threads do not cross: only the one that began can ask")
        self.asked += 1
        mine = self.asked
        self.send("ask", mine, what, self.arguments(what, args))
        while True:
            kind, number, *rest = self.next_frame()
            if kind == "ask":
                self.answer(number, *rest)
            elif number != mine:
                raise Broken("an answer to something else")
            elif kind == "ok":
                return self.decode(rest[0])
            else:
                raise self.decode(rest[0])

    def arguments(self, what, args):
        trees = [self.encode(arg) for arg in args if what not in WITH_KEYWORDS or arg is not args[-1]]
        if what in WITH_KEYWORDS:
            trees.append(["dict", *(self.encode(half) for item in args[-1].items() for half in item)])
        return trees

    def answer(self, number, what, args):
        try:
            value = self.do(what, [self.decode(arg) for arg in args])
            # What only crosses, and stays nowhere here, is not there twice.
            is_alone = type(value) in SHARED and sys.getrefcount(value) <= 2
            result = self.encode_whole(value) if is_alone else self.encode(value)
        except Broken:
            raise
        except BaseException as error:
            self.send("raise", number, self.error(error))
        else:
            self.send("ok", number, result)

    def do(self, what, args):
        if what == "call":
            target, positional, keywords = args
            return target(*positional, **keywords)
        if what == "get":
            return getattr(*args)
        if what == "special":
            target, name, positional = args
            return getattr(type(target), name)(target, *positional)
        return getattr(self, "do_" + what)(*args)

    def hear(self, item):
        """Something told beside a frame."""
        kind, is_its, number, *content = item
        if kind == "changed":
            self.both.changed(not is_its, number, self.decode(content[0]))
        else:
            self.both.forget(not is_its, number)

    # Values

    def encode(self, value):
        return encode(value, self.encode_object, self.both.write)

    def may_share(self, value):
        """Whether the other side may change this container of ours."""
        return True

    def encode_whole(self, value):
        """With every container in it as a copy."""
        return encode(value, self.encode_object)

    def peek(self, value):
        """As `encode_whole` would write it, without counting it as sent."""
        self.is_peeking = True
        try:
            return self.encode_whole(value)
        finally:
            self.is_peeking = False

    def decode(self, tree):
        return decode(tree, self.decode_object)

    def encode_object(self, value):
        link = link_of(value)
        if link and link.peer is self:
            return ["yours", link.number]
        if isinstance(value, types.TracebackType):
            # It leads to frames, and whoever is handed one can do without.
            return None
        reference = self.reference(value)
        if reference:
            return reference
        if isinstance(value, BaseException):
            return self.error(value)
        return self.export(value)

    def reference(self, value):
        """How the other side finds the same thing by its name."""

    def is_own(self, module):
        return module.partition(".")[0] in self.packages

    def export(self, value):
        number = self.numbers.get(id(value))
        if number is None:
            number = self.number()
            self.numbers[id(value)], self.exports[number] = number, [value, 0]
        self.exports[number][1] += not self.is_peeking
        kind, base = type(value), base_of(value)
        names = self.special_names(kind, object if base is None else type(base))
        kinds = [name for name, one in KINDS.items() if isinstance(value, one)]
        base = None if base is None else self.encode(base)
        return ["mine", number, self.class_of(kind), kind.__name__, names, kinds, base, self.library_name(value)]

    def special_names(self, kind, usual):
        """Special methods of a class that are not those of a usual one."""
        if (kind, usual) not in self.known:
            self.known[kind, usual] = [name for name in SPECIAL if found_in(kind, name) is not found_in(usual, name)]
        return self.known[kind, usual]

    def number(self):
        self.last += 1
        return self.last

    def class_of(self, kind):
        """How the other side knows the class of an object."""

    def library_name(self, value):
        """The name of something of the library, to compare it by."""

    def release(self, number, times):
        entry = self.exports.get(number)
        if entry:
            entry[1] -= times
            if entry[1] <= 0:
                self.numbers.pop(id(entry[0]), None)
                del self.exports[number]

    def decode_object(self, tree):
        tag, *rest = tree
        if tag == "yours":
            return self.exports[rest[0]][0]
        if tag == "mine":
            return self.remote(*rest)
        if tag == "held":
            return self.both.held(rest[0], self.decode(rest[1]))
        if tag == "kept":
            return self.both.kept(rest[0])
        if tag == "name":
            return self.resolve(*rest)
        if tag == "member":
            return self.decode(rest[0]).__members__[rest[1]]
        if tag == "error":
            return self.raised(*rest)
        raise Broken(f"a value of an unknown kind, {tag!r}")

    def resolve(self, module, path):
        return named(module, path)

    def remote(self, number, kind, name, names, kinds, base, library_name):
        found = self.remotes.get(number, self.kept.get(number))
        if found is not None:
            link_of(found).count += 1
            return found
        base = None if base is None else self.decode(base)
        made = self.class_for(kind, name, names, kinds, base)
        found = made.__new__(made, base) if issubclass(made, BASES) else object.__new__(made)
        object.__getattribute__(found, "__dict__")["_link"] = Link(self, number, library_name)
        try:
            self.remotes[number] = found
        except TypeError:
            # Some of what is built in takes no weak reference.
            self.kept[number] = found
        return found

    def class_for(self, kind, name, names, kinds, base):
        key = json.dumps([kind, name, sorted(names), kinds, type(base).__name__])
        if key not in self.classes:
            names = SPECIAL.intersection(names)
            body = self.specials(names if base is None else names - COMPARISONS)
            made = self.make(kind, name, body, None if base is None else type(base))
            for one in kinds:
                KINDS[one].register(made)
            self.classes[key] = made
        return self.classes[key]

    def specials(self, names):
        body = {name: special(name) for name in names}
        if "__call__" in body:
            body["__call__"] = call
        if "__eq__" in body and "__hash__" not in body:
            body["__hash__"] = None
        return body

    def make(self, kind, name, body, base):
        return type(name, (Remote, base) if base else (Remote,), body)

    # Errors

    def error(self, error):
        link = link_of(error)
        if link and link.peer is self:
            return ["yours", link.number]
        ours = error.__dict__.get("_number") if hasattr(error, "__dict__") else None
        if ours is not None:
            return ["yours", ours]
        names = filter(None, map(name_of, type(error).__mro__))
        known = next(name for name in names if name[0].partition(".")[0] in LIBRARY or self.is_own(name[0]))
        try:
            text = str(error)
        except Exception:
            text = ""
        number = self.export(error)[1]
        args = [self.encode(arg) for arg in error.args]
        return ["error", number, list(known), type(error).__name__, args, text, self.encode_whole(state_of(error))]

    def raised(self, number, known, name, args, text, state):
        found = self.remotes.get(number)
        if found is not None:
            if link_of(found):
                link_of(found).count += 1
            return found
        try:
            kind = self.resolve(*known)
        except (Exception, Broken):
            kind = Unknown
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            kind = Unknown
        made = self.rebuild(kind, number, name, [self.decode(arg) for arg in args], text)
        if link_of(made) is None:
            for name, value in self.decode(state).items():
                if name.isidentifier() and not name.startswith("_") and not callable(found_in(type(made), name)):
                    try:
                        setattr(made, name, value)
                    except (AttributeError, TypeError):
                        pass
        return made


def is_value_type(module, value):
    """Whether a type of the library may be named by a side that is not trusted: it holds a value, or is an error."""
    if not isinstance(value, type):
        return False
    of_library = module.partition(".")[0] in LIBRARY
    return module in VALUE_MODULES or of_library and issubclass(value, BaseException)



"""Serves calls on the packages of a candidate: what a program that uses them would do."""

import asyncio
import copy
import dataclasses
import decimal
import enum
import io
import os
import signal
import subprocess
import sys
import types
import warnings

from peer import Broken, Peer, found_in, is_value_type, name_of, named


class Subject(Peer):
    def __init__(self, *args):
        super().__init__(*args)
        # Classes that were made for the other side, with its numbers of them.
        self.mirrored = {}
        # What stood where the other side has put something else.
        self.replaced = {}
        self.loop = None
        self.directory = os.getcwd()
        # Where packages are, whatever tests set for themselves.
        self.path = os.environ.get("PYTHONPATH", "")

    # Values

    def reference(self, value):
        if isinstance(value, types.ModuleType):
            return ["name", value.__name__, ""] if self.is_own(value.__name__) else None
        if type(value) in self.mirrored and isinstance(value, enum.Enum):
            return ["member", ["yours", self.mirrored[type(value)]], value.name]
        if not callable(value):
            return None
        if isinstance(value, type) and value in self.mirrored:
            return ["yours", self.mirrored[value]]
        name = name_of(value)
        if name and self.is_own(name[0]):
            return ["name", *name] if isinstance(value, type) or "." not in name[1] else None
        return ["name", *name] if name and is_value_type(name[0], value) else None

    def do(self, what, args):
        if what == "special" and args[1] in ("__exit__", "__aexit__") and isinstance(args[2][1], BaseException):
            # The error is one of this side by now; its class has to be, too.
            error = args[2][1]
            args = [args[0], args[1], (type(error), error, None)]
        return super().do(what, args)

    def class_of(self, kind):
        for one in kind.__mro__:
            name = name_of(one)
            if name and self.is_own(name[0]):
                return ["name", *name]
            if one in self.mirrored:
                return ["yours", self.mirrored[one]]

    def specials(self, names):
        # A class has a text of its own, so nothing would ask for that of the object.
        return super().specials(names) | {"__doc__": property(lambda it: self.ask("get", it, "__doc__"))}

    def make(self, kind, name, body, base):
        known = None if kind is None else self.decode(kind)
        return super().make(kind, name, body, base if known is None else known)

    def library_name(self, value):
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
            return name_of(value)

    def resolve(self, module, path):
        if (module, path) in self.replaced:
            return self.replaced[module, path]
        return named(module, path)

    def remote(self, number, *rest):
        found = super().remote(number, *rest)
        if not hasattr(type(found), "__next__"):
            # The other side hands out one object for a number, and callbacks are compared.
            self.kept[number] = found
        return found

    def rebuild(self, kind, number, name, args, text):
        mirror = type(name, (kind,), {"__str__": lambda self: text})
        try:
            error = mirror(*args)
        except Exception:
            error = mirror.__new__(mirror)
            error.args = tuple(args)
        error._number = number
        return error

    # What may be asked for

    def do_import(self, name):
        __import__(name)

    def do_set(self, target, name, value):
        if isinstance(target, types.ModuleType):
            self.replaced.setdefault((target.__name__, name), getattr(target, name, None))
        setattr(target, name, value)

    def do_delete(self, target, name):
        delattr(target, name)

    def do_method(self, owner, name, args, kwargs):
        return getattr(owner, name)(*args, **kwargs)

    def do_inherited(self, owner, value, name):
        """What a class gives an object of a class that derives from it."""
        found = found_in(owner, name)
        return found.__get__(value, type(value)) if hasattr(found, "__get__") else found

    def do_copy(self, value):
        return copy.copy(value)

    def do_deepcopy(self, value):
        return copy.deepcopy(value)

    def do_content(self, value):
        """What a container holds, read without its own methods."""
        if isinstance(value, dict):
            return dict(dict.items(value))
        for base in (list, set, bytearray):
            if isinstance(value, base):
                return base(base.__iter__(value))
        raise TypeError(f"{type(value).__name__} is no plain value")

    def do_fields(self, value):
        """What is compared of a data class."""
        if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value) if field.compare]
        else:
            names = [field.name for field in type(value).__attrs_attrs__ if field.eq]
        return [getattr(value, name) for name in names]

    def do_state(self, value):
        """What an object holds, read without its own methods."""
        held = {}
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                try:
                    held[name] = object.__getattribute__(value, name)
                except AttributeError:
                    pass
        try:
            held.update(object.__getattribute__(value, "__dict__"))
        except AttributeError:
            pass
        return held

    def do_run(self, awaitable):
        """Waits for what the other side cannot wait for."""
        if self.loop is None:
            self.loop = asyncio.new_event_loop()

        async def wait():
            return await awaitable

        return self.loop.run_until_complete(wait())

    def do_make_class(self, number, name, bases, body, keywords):
        made = {key: READ[kind](value) for kind, key, value in body}
        kind = types.new_class(name, tuple(bases), keywords, lambda names: names.update(made))
        kind.__module__ = "__main__"
        self.mirrored[kind] = number
        return self.export(kind)[1]

    def do_make_enum(self, number, name, base, members):
        kind = base(name, members, module="__main__")
        self.mirrored[kind] = number
        return self.export(kind)[1]

    def do_program(self, words, directory, changed, given, seconds):
        """Runs a program of the packages: how it ended and what it said, or nothing if that takes too long."""
        environment = {**os.environ, **{name: value for name, value in changed.items() if value is not None}}
        for name, value in changed.items():
            if value is None:
                environment.pop(name, None)
        environment["PYTHONPATH"] = self.path
        command = [sys.executable, *["-O"] * sys.flags.optimize, "-m", *words]
        try:
            ended = subprocess.run(command, input=given, capture_output=True, cwd=directory, env=environment, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        return ended.returncode, ended.stdout, ended.stderr

    def do_begin(self, generation, seconds):
        """Goes on in a copy; what is left waits, ends it when its time is up, and tells when it is gone."""
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid:
            if not signal.sigtimedwait([signal.SIGCHLD], seconds):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            self.released, self.told = [], []
            self.send("gone", 0)
            raise Again
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        self.last = generation << 32
        self.both.clear()

    def do_end(self):
        os._exit(0)

    def hear(self, item):
        kind, *rest = item
        if kind == "variable":
            name, value = rest
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        elif kind == "arithmetic":
            context = decimal.getcontext()
            context.prec, context.rounding = rest
        elif kind == "directory":
            os.chdir(rest[0] or self.directory)
        else:
            super().hear(item)

    def serve(self):
        while True:
            try:
                _, number, what, args = self.next_frame()
                self.answer(number, what, args)
            except Again:
                continue


class Again(Broken):
    """A copy has ended, and the next frame is for this process."""


def method(function):
    """A function again, so that it binds."""

    def bound(*args, **kwargs):
        return function(*args, **kwargs)

    bound.__name__ = bound.__qualname__ = getattr(function, "__name__", "bound")
    return bound


READ = {
    "function": method,
    "class": lambda function: classmethod(method(function)),
    "static": lambda function: staticmethod(method(function)),
    "property": lambda parts: property(*[part and method(part) for part in parts]),
    "value": lambda value: value,
}


class Written(io.RawIOBase):
    """Output is data that goes along with the next frame."""

    def __init__(self, subject, number):
        self.subject, self.number = subject, number

    def writable(self):
        return True

    def write(self, text):
        self.subject.told.append(["output", self.number, bytes(text).decode("latin-1")])
        return len(text)


def main():
    stream, *packages = sys.argv[1:]
    # Nothing else finds the stream, or the programs that use it, by an ordinary name.
    own = os.dup(int(stream))
    os.dup2(os.open(os.devnull, os.O_RDWR), int(stream))
    subject = Subject(own, packages)
    sys.argv[:] = [""]
    # Files are for both sides.
    os.umask(0)
    del sys.path[0], sys.modules["values"], sys.modules["peer"], sys.modules["both"]
    for number, name in enumerate(("stdout", "stderr"), 1):
        raw = io.BufferedWriter(Written(subject, number))
        setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", write_through=True, line_buffering=True))

    def show(message, category, *rest, **more):
        known = next(filter(None, map(name_of, category.__mro__)))
        subject.told.append(["warning", *known, str(message)])

    warnings.simplefilter("always")
    warnings.showwarning = show
    try:
        subject.serve()
    except Broken:
        os._exit(0)


if __name__ == "__main__":
    main()

"""The judge's side: packages of the candidate are stand-ins, made from its surface; what they do happens elsewhere.

Values are compared here. Where only an object of the candidate can say whether it equals another object of it, that is
counted as a claim; its word against a plain value counts for nothing.
"""

import abc
import ast
import dataclasses
import decimal
import enum
import functools
import importlib.abc
import importlib.machinery
import os
import sys
import types
import typing
import warnings

import peer
from lending import lent, parsed
from peer import BASES, COMPARISONS, KINDS, LIBRARY, SPECIAL, Broken, Link, Peer, Remote, Unknown, is_value_type, link_of
from peer import name_of, named, special
from values import is_plain

# Errors that steer whoever runs tests.
STEERING = {"KeyboardInterrupt", "SkipTest", "BdbQuit", "_ShouldStop", "Exit"}
# What the other side may read of objects here, beside names without an underscore.
READABLE = {"__name__", "__doc__", "__qualname__", "__module__"}
# Objects that lead to the tests themselves: nothing of them is read but how they are used.
INNER = (
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
)
# Modules whose objects do, whatever they are.
LEADING = set(
    "_pytest pytest pluggy unittest logging inspect traceback importlib _frozen_importlib _frozen_importlib_external "
    "linecache gc pdb bdb code runpy pkgutil zipimport judge judge_plugin peer values both lending exchange starting".split()
)
USED = {"send", "throw", "close", "asend", "athrow", "aclose"} | READABLE


class Claim(AssertionError):
    """A test rests on the word of what it tests."""


class Gone(AttributeError):
    """Nothing answers any more. Whoever asks for an attribute while it reports gets its default."""


class Judge(Peer):
    def __init__(self, *args):
        super().__init__(*args)
        self.broken, self.claims, self.changed, self.warned, self.lent = None, 0, {}, [], ()
        self.mirrored, self.is_gone, self.directory, self.arithmetic = {}, False, None, USUAL_ARITHMETIC
        # What the code was asked, and an assertion that failed where the code could keep it to itself.
        self.questions, self.failed = 0, None

    def ask(self, what, *args):
        if self.broken:
            raise Gone(f"nothing answers: {self.broken}")
        if what != "begin":
            self.tell_environment()
            self.questions += what != "import"
        before, self.lent = self.lent, lent(sys._getframe(1))
        try:
            return super().ask(what, *args)
        except Broken as error:
            self.broken = self.broken or str(error)
            raise
        finally:
            self.lent = before
            while self.warned:
                text, category = self.warned.pop(0)
                warnings.warn(text, category, stacklevel=3)

    def error(self, error):
        if self.failed is None and is_assertion(error):
            self.failed = error
        return super().error(error)

    def may_share(self, value):
        return id(value) in self.lent

    def next_frame(self):
        frame = super().next_frame()
        if frame[0] == "gone":
            self.is_gone = True
            raise Broken("it ended")
        return frame

    def next_kind(self):
        """What comes next, where nothing is waited for but the end."""
        if not self.is_gone:
            try:
                return super().next_frame()[0]
            except ValueError as error:
                raise Broken(str(error)) from None
        self.is_gone = False
        return "gone"

    def tell_environment(self):
        """Variables that tests set are set for the candidate, and a folder that both have is its current one too."""
        here = os.getcwd()
        directory = here if EXCHANGE and is_below(here, EXCHANGE) else None
        if directory != self.directory:
            self.told.append(["directory", directory])
            self.directory = directory
        arithmetic = decimal.getcontext()
        arithmetic = [arithmetic.prec, arithmetic.rounding]
        if arithmetic != self.arithmetic:
            self.told.append(["arithmetic", *arithmetic])
            self.arithmetic = arithmetic
        now = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        if now != self.changed:
            before = self.changed or ENVIRONMENT
            self.told += [["variable", name, now.get(name)] for name in now | before if now.get(name) != before.get(name)]
            self.changed = now

    def decode(self, tree):
        try:
            return super().decode(tree)
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise Broken(f"a value that cannot be: {error}") from None

    def hear(self, item):
        kind, *rest = item
        if kind == "output":
            number, text = rest
            stream = sys.stdout if number == 1 else sys.stderr
            stream.write(text.encode("latin-1").decode("utf-8", "replace"))
        elif kind == "warning":
            module, path, text = rest
            try:
                category = self.resolve(module, path)
            except (Exception, Broken):
                category = UserWarning
            self.warned.append((text, category if issubclass(category, Warning) else UserWarning))
        else:
            try:
                super().hear(item)
            except (TypeError, ValueError) as error:
                raise Broken(f"a change that cannot be: {error}") from None

    def do(self, what, args):
        if what == "get":
            target, name = args
            is_inner = isinstance(target, INNER) or type(target).__module__.partition(".")[0] in LEADING
            if name.startswith("_") and name not in READABLE or is_inner and name not in USED:
                raise AttributeError(name)
        elif what == "special":
            if args[1] not in SPECIAL:
                raise AttributeError(args[1])
        elif what != "call":
            raise PermissionError(what)
        return super().do(what, args)

    # Values

    def reference(self, value):
        if isinstance(value, types.ModuleType):
            name = value.__name__
            return ["name", name, ""] if self.is_own(name) or name.partition(".")[0] in LIBRARY else None
        if isinstance(value, (types.FunctionType, Decorated)) and "_link" in value.__dict__:
            return list(value.__dict__["_link"])
        if isinstance(value, Kind):
            return list(value._link) if value._link else self.export(value)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            name = name_of(value)
            if name and name[0].partition(".")[0] in LIBRARY:
                return ["name", *name]
        if isinstance(value, type) and self.can_mirror(value):
            return self.mirror(value)
        if isinstance(value, enum.Enum) and self.can_mirror(type(value)):
            return ["member", self.mirror(type(value)), value.name]

    def class_of(self, kind):
        return list(self.mirrored[kind]._link) if kind in self.mirrored else None

    def can_mirror(self, kind):
        return not issubclass(kind, BaseException) and kind.__module__.partition(".")[0] not in ("pytest", "_pytest", "unittest")

    def mirror(self, kind):
        """Has a class of the tests made on the other side as well."""
        if kind not in self.mirrored and isinstance(kind, enum.EnumMeta):
            base = next(one for one in kind.__mro__ if one.__module__ == "enum")
            members = [(name, member.value) for name, member in kind.__members__.items()]
            number = self.ask("make_enum", self.export(kind)[1], kind.__name__, base, members)
            self.mirrored[kind] = types.SimpleNamespace(_link=["yours", number])
        elif kind not in self.mirrored:
            self.mirrored[kind] = Kind.mirror(kind)
        return list(self.mirrored[kind]._link)

    def resolve(self, module, path):
        if self.is_own(module):
            value = None if "__" in path else named(module, path)
            if not isinstance(value, (Kind, Module)) and not hasattr(value, "_link"):
                raise Broken(f"it named {module}.{path}")
            return value
        value = named(module, path) if module.partition(".")[0] in LIBRARY else None
        if not is_value_type(module, value):
            raise Broken(f"it named {module}.{path}")
        return value

    def specials(self, names):
        body = super().specials(names)
        body.update({name: COMPARED[name] for name in COMPARED if name in body})
        if "__await__" in body:
            body["__await__"] = wait
        return body | {"__setattr__": peer.set_attribute, "__delattr__": peer.delete_attribute}

    def make(self, kind, name, body, base):
        known = None if kind is None else self.decode(kind)
        if base is not None:
            body = {key: agreed(key, base, value) if is_of_value(key, base) else value for key, value in body.items()}
        if not isinstance(known, Kind):
            return super().make(kind, name, body, base)
        if known.__name__ == name:
            for key, value in body.items():
                if not any(key in one.__dict__ for one in known.__mro__ if one not in (object, Remote, BaseException, Exception, *BASES)):
                    type.__setattr__(known, key, value)
            return known
        # A class that is not public: what it overrides is its own.
        for one in known.__mro__:
            for key, value in one.__dict__.items():
                if getattr(value, "_is_stand_in", False) and key not in body:
                    body[key] = Attribute(key)
        return Kind.stand_in(name, (known,), body, None)

    def rebuild(self, kind, number, name, args, text):
        if isinstance(kind, Kind):
            error = kind.__new__(kind)
            error.__dict__["_link"] = Link(self, number)
            BaseException.args.__set__(error, tuple(args))
            self.remotes[number] = error
            return error
        if STEERING.intersection(one.__name__ for one in kind.__mro__):
            kind = Unknown
        self.released.append([number, 1])
        try:
            if kind.__module__ == "builtins":
                return kind(*args)
            error = kind.__new__(kind, *args)
            error.args = tuple(args)
            return error
        except Exception:
            return Unknown(name, text)


def is_assertion(error):
    """Whether an error says that something in a test does not hold."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    path, line = last.tb_frame.f_code.co_filename, last.tb_lineno
    if type(error).__module__.startswith("_pytest"):
        return True
    return isinstance(error, AssertionError) and ("/unittest/" in path or any(line in lines for lines in assertions(path)))


@functools.cache
def assertions(path):
    """The lines of each assertion in a file."""
    return [range(node.lineno, node.end_lineno + 1) for node in ast.walk(parsed(path)) if isinstance(node, ast.Assert)]


def wait(self):
    return link_of(self).peer.ask("run", self)
    yield


def compared(name):
    """A comparison that is made here where it can be."""
    forward = special(name)

    def compare(self, other):
        judge = link_of(self).peer
        if self is other and name in ("__eq__", "__ne__", "__le__", "__ge__"):
            return name != "__ne__"
        if is_plain(other):
            content = content_of(judge, self, other)
            if content is not None:
                return getattr(type(content), name)(content, other)
            said = forward(self, other)
            # That it is no such value is all that anybody could say of an object.
            if said is NotImplemented or name in ("__eq__", "__ne__") and bool(said) == (name == "__ne__"):
                return said
            what = f"{type(self).__name__} with {type(other).__name__}"
            raise Claim(f"{what}: only the candidate could say so. Compare plain values, such as its attributes")
        if not isinstance(other, Remote):
            named_so = link_of(self).library_name
            if named_so and name in ("__eq__", "__ne__"):
                return (named_so == list(name_of(other) or ())) == (name == "__eq__")
            return NotImplemented
        if name in ("__eq__", "__ne__") and getattr(type(self), "_is_data", False):
            is_equal = type(self) is type(other) and judge.ask("fields", self) == judge.ask("fields", other)
            return is_equal == (name == "__eq__")
        judge.claims += 1
        if name not in ("__eq__", "__ne__"):
            return forward(self, other)
        # Two objects of the candidate: its word that they are equal counts if they hold the same, before they meet.
        is_same = type(self) is type(other) and judge.ask("state", self) == judge.ask("state", other)
        said = forward(self, other)
        if said is not NotImplemented and bool(said) == (name == "__eq__"):
            if not is_same:
                what = f"{type(self).__name__} with {type(other).__name__}"
                raise Claim(f"{what}: only the candidate says that they are equal. Compare plain values, such as their attributes")
        return said

    compare.__name__ = name
    return compare


def content_of(judge, value, other):
    """What a container holds, as a value of the kind it is compared with."""
    try:
        return judge.ask("content", value)
    except TypeError:
        pass
    if isinstance(other, dict) and isinstance(value, KINDS["Mapping"]):
        return {key: value[key] for key in value}
    if isinstance(other, (set, frozenset)) and isinstance(value, KINDS["Set"]):
        return set(value)
    if isinstance(other, (list, tuple)) and isinstance(value, KINDS["Sequence"]):
        return type(other)(value)
    return None


def agreed(name, base, forward):
    """What an object says that is also a plain value: it counts if the value says the same."""

    def operate(self, *args):
        values = [plain_value(one) for one in args]
        said = forward(self, *args)
        if not all(map(is_plain, values)):
            return said
        try:
            own = bool(plain_value(self)) if name == "__bool__" else getattr(base, name)(plain_value(self), *values)
        except Exception:
            return said
        if own is NotImplemented or plain_value(said) == own or own != own:
            return said
        what = f"{name} of a {base.__name__}"
        raise Claim(f"{what}: the candidate says {said!r}, and the value itself {own!r}. Compare the value")

    operate.__name__ = name
    return operate


def plain_value(value):
    return peer.base_of(value) if isinstance(value, Remote) and isinstance(value, BASES) else value


# What is computed from a plain value in order to compare it. Sums of tuples and texts are values of their own.
OF_NUMBERS = set(
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ "
    "__rmod__ __rpow__ __neg__ __pos__ __abs__ __round__ __int__ __float__ __index__ __trunc__ __floor__ __ceil__ __bool__".split()
)
OF_SEQUENCES = {"__contains__", "__len__", "__bool__", "__int__", "__float__"}


def is_of_value(name, base):
    """Whether the plain value that an object is has a say in it."""
    return (hasattr(base, name) or name == "__bool__") and name in (OF_NUMBERS if issubclass(base, (int, float, complex)) else OF_SEQUENCES)


COMPARED = {name: compared(name) for name in COMPARISONS - {"__hash__"}}
# Names of a class that it has for itself.
NOT_MIRRORED = set("__module__ __qualname__ __classcell__ __dict__ __weakref__ __firstlineno__ __static_attributes__".split())


class Kind(abc.ABCMeta):
    """The class of stand-ins for classes."""

    @classmethod
    def stand_in(cls, name, bases, body, reference):
        return super().__new__(cls, name, bases, dict(body, _link=reference))

    @classmethod
    def mirror(cls, kind):
        """A class of the tests that does not derive from one of the candidate."""
        body = {name: value for name, value in kind.__dict__.items() if name not in ("__dict__", "__weakref__")}
        bases = [base for base in kind.__bases__ if base is not object]
        return cls.made(kind.__name__, (StandIn,), body, bases, {})

    def __new__(cls, name, bases, body, /, **keywords):
        if bases == (Remote,):
            return cls.stand_in(name, bases, body, None)
        return cls.made(name, bases, body, list(bases), keywords)

    @classmethod
    def made(cls, name, bases, body, mirrors, keywords):
        """A class of the tests, here and on the other side, where its objects are."""
        local = {key: Attribute(key) if is_state(key, value) else value for key, value in body.items()}
        made = super().__new__(cls, name, bases, dict(local, _link=None))
        parts = []
        for key, value in body.items():
            if key in NOT_MIRRORED:
                continue
            if isinstance(value, types.FunctionType):
                parts.append(["function", key, value])
            elif isinstance(value, classmethod):
                parts.append(["class", key, value.__func__])
            elif isinstance(value, staticmethod):
                parts.append(["static", key, value.__func__])
            elif isinstance(value, property):
                parts.append(["property", key, [value.fget, value.fset, value.fdel]])
            else:
                parts.append(["value", key, value])
        number = JUDGE.export(made)[1]
        type.__setattr__(made, "_link", ["yours", JUDGE.ask("make_class", number, name, mirrors, parts, keywords)])
        return made

    def __init__(cls, *args, **kwargs):
        pass

    def __call__(cls, *args, **kwargs):
        if cls._link is None:
            return type.__call__(cls, *args, **kwargs)
        return JUDGE.ask("call", cls, args, kwargs)

    def __getattr__(cls, name):
        if name.startswith(peer.LOCAL) or name == "__test__":
            raise AttributeError(name)
        return JUDGE.ask("get", cls, name)

    def __setattr__(cls, name, value):
        if name.startswith(("_abc", "__abstract")):
            return type.__setattr__(cls, name, value)
        JUDGE.ask("set", cls, name, value)
        if name in cls.__dict__ and not isinstance(cls.__dict__[name], Attribute):
            type.__setattr__(cls, name, value)

    def __instancecheck__(cls, value):
        members = cls.__dict__.get("_protocol")
        return all(hasattr(value, name) for name in members) if members else super().__instancecheck__(value)

    def __iter__(cls):
        return iter(JUDGE.ask("special", cls, "__iter__", ()))

    def __len__(cls):
        return JUDGE.ask("special", cls, "__len__", ())

    def __bool__(cls):
        return True

    def __getitem__(cls, key):
        return JUDGE.ask("special", cls, "__getitem__", (key,))


class StandIn(Remote, metaclass=Kind):
    __setattr__ = peer.set_attribute
    __delattr__ = peer.delete_attribute

    def __copy__(self):
        return JUDGE.ask("copy", self)

    def __deepcopy__(self, memo):
        return JUDGE.ask("deepcopy", self)


class Attribute:
    """An attribute that only the candidate knows."""

    _is_stand_in = True

    def __init__(self, name):
        self.name = name

    def __get__(self, value, kind):
        if value is None:
            return JUDGE.ask("get", kind, self.name)
        first = next((one for one in type(value).__mro__ if self.name in one.__dict__), None)
        if first is None or first.__dict__[self.name] is self:
            return JUDGE.ask("get", value, self.name)
        # Something else is found first, so this was asked for by `super`.
        owner = next(one for one in type(value).__mro__ if one.__dict__.get(self.name) is self)
        return JUDGE.ask("inherited", owner, value, self.name)

    def __set__(self, value, new):
        JUDGE.ask("set", value, self.name, new)


# Types whose declaration can be held against an answer.
DECLARED = {"int": int, "str": str, "bytes": bytes, "bool": bool, "float": (int, float)}


def as_declared(answer, name, returns):
    """An answer, if it is of the type that the code itself says it is."""
    if answer is NotImplemented or isinstance(answer, DECLARED.get(returns, object)):
        return answer
    raise Claim(f"{name} is declared to answer {returns}, and answers {type(answer).__name__}")


def method(name, returns=None, doc=None):
    def forward(self, *args, **kwargs):
        owner = next((one for one in type(self).__mro__ if one.__dict__.get(name) is forward), None)
        if owner is None or owner._link is None:
            return JUDGE.ask("get", self, name)(*args, **kwargs)
        return as_declared(JUDGE.ask("method", owner, name, (self, *args), kwargs), name, returns)

    forward.__name__ = forward.__qualname__ = name
    forward.__doc__, forward._is_stand_in = doc, True
    return forward


def is_state(name, value):
    """Whether an attribute of a class is not a part of how it behaves, so that objects may have another."""
    behaves = (types.FunctionType, classmethod, staticmethod, property)
    return not name.startswith("__") and not isinstance(value, behaves) and not hasattr(value, "__get__")


class Decorated:
    """A function that something was made of: it may have attributes."""

    def __init__(self, module, name):
        self.__dict__.update(__name__=name, __qualname__=name, __module__=module, _link=("name", module, name))

    def __call__(self, /, *args, **kwargs):
        return JUDGE.ask("call", self, args, kwargs)

    def __getattr__(self, name):
        if name.startswith(peer.LOCAL) or name == "__test__":
            raise AttributeError(name)
        return JUDGE.ask("get", self, name)

    def __setattr__(self, name, value):
        JUDGE.ask("set", self, name, value)


def function(module, name, returns, doc):
    def forward(*args, **kwargs):
        return as_declared(JUDGE.ask("call", forward, args, kwargs), name, returns)

    forward.__name__ = forward.__qualname__ = name
    forward.__module__, forward.__doc__ = module, doc
    forward._link = ("name", module, name)
    return forward


def kind(names, module, name, bases, methods, attributes, is_data, fields, returns, docs):
    """A stand-in for a class: its own bases, errors and what is built in and cannot change are bases here as well."""
    known, registered, is_protocol, is_enum = [], [], False, False
    for base in bases:
        first, *rest = base.split(".")
        try:
            found = names[first] if first in names else getattr(__import__("builtins"), first)
            for part in rest:
                found = getattr(found, part)
        except (Exception, Broken):
            continue
        is_enum = is_enum or isinstance(found, enum.EnumMeta)
        if found is typing.NamedTuple:
            known.append(tuple)
        elif found is typing.Protocol:
            is_protocol = True
        elif not isinstance(found, type):
            continue
        elif isinstance(found, Kind) or issubclass(found, BaseException):
            known.append(found)
        elif issubclass(found, BASES):
            known.append(next(one for one in BASES if issubclass(found, one)))
        elif isinstance(found, abc.ABCMeta) or found in REGISTERED:
            registered.append(found)
    if not any(isinstance(base, Kind) for base in known):
        known.insert(0, StandIn)
    body = {"__module__": module, "__qualname__": name, "__doc__": docs[""], "_is_data": is_data}
    if is_enum:
        body["_is_enum"] = True
    of_base = {method for method in methods if method in COMPARISONS and any(issubclass(base, BASES) for base in known)}
    body |= {one: COMPARED.get(one) or method(one, returns[one], docs[one]) for one in methods if one not in of_base}
    base = next((base for base in known if issubclass(base, BASES)), None)
    base = base and next(one for one in BASES if issubclass(base, one))
    body |= {one: agreed(one, base, body[one]) for one in methods if base and one in body and is_of_value(one, base)}
    body |= {one: Attribute(one) for one in attributes}
    if is_protocol:
        body["_protocol"] = [*methods, *attributes, *fields]
    elif fields:
        body["__dataclass_fields__"] = fields_of(known, name, fields)
    if "__await__" in body:
        body["__await__"] = wait
    if is_data:
        body |= {"__eq__": COMPARED["__eq__"], "__ne__": COMPARED["__ne__"]}
    if "__eq__" in body and "__hash__" not in body:
        body["__hash__"] = special("__hash__") if is_data else None
    reference = ("name", module, name)
    try:
        made = Kind.stand_in(name, tuple(known), body, reference)
    except TypeError:
        made = Kind.stand_in(name, tuple(known[:1]), body, reference)
    for one in registered:
        try:
            (KINDS[REGISTERED[one]] if one in REGISTERED else one).register(made)
        except (TypeError, RuntimeError):
            pass
    return made


def fields_of(bases, name, fields):
    """What `dataclasses` reads of a class, inherited ones first."""
    found = {}
    for base in reversed(bases):
        found |= getattr(base, "__dict__", {}).get("__dataclass_fields__", {})
    return found | dataclasses.make_dataclass(name, fields).__dataclass_fields__


REGISTERED = {dict: "MutableMapping", list: "MutableSequence", set: "MutableSet"}


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith(("__path", "__file", "__spec", "__wrapped", "__warningregistry__", "pytest")):
            raise AttributeError(name)
        found = JUDGE.ask("get", self, name)
        if found is Exception or found is BaseException:
            raise Claim(f"{self.__name__}.{name} stands for all errors, and nothing of its own")
        return found

    def __setattr__(self, name, value):
        if not isinstance(value, types.ModuleType) and not name.startswith("__"):
            JUDGE.ask("set", self, name, value)
        self.__dict__[name] = value

    def __delattr__(self, name):
        JUDGE.ask("delete", self, name)
        self.__dict__.pop(name, None)


class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        name, names = module.__name__, module.__dict__
        try:
            JUDGE.ask("import", name)
        except Exception as error:
            raise ImportError(f"{name} cannot be imported: {error!r}", name=name) from None
        # Names of the library, for bases of classes.
        seen = {}
        for what, *item in SURFACE.get(name, {"items": ()})["items"]:
            if what == "import":
                self.take(module, seen, *item)
            elif what == "function" and item[0] not in names:
                names[item[0]] = Decorated(name, item[0]) if item[1] else function(name, item[0], *item[2:])
            elif what == "class":
                names[item[0]] = kind({**seen, **names}, name, *item)
            elif what == "constant" and not item[0].startswith("__"):
                names[item[0]] = item[1]
            elif what == "all":
                names["__all__"] = item[0]

    def take(self, module, seen, source, wanted, name, is_own):
        names = module.__dict__
        if not is_own:
            if source in sys.modules and source.partition(".")[0] in LIBRARY:
                try:
                    seen[name] = named(source, wanted)
                except (Exception, Broken):
                    pass
            return
        try:
            found = importlib.import_module(source)
            if wanted == "*":
                public = found.__dict__.get("__all__") or [one for one in found.__dict__ if not one.startswith("_")]
                names.update({one: getattr(found, one) for one in public})
            elif not wanted:
                names[name] = found if name != source.partition(".")[0] else sys.modules[name]
            elif f"{source}.{wanted}" in SURFACE and wanted not in found.__dict__:
                names[name] = importlib.import_module(f"{source}.{wanted}")
            else:
                names[name] = getattr(found, wanted)
        except (ImportError, AttributeError):
            pass


class Finder(importlib.abc.MetaPathFinder):
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in JUDGE.packages:
            return None
        is_package = SURFACE[name]["package"] if name in SURFACE else any(it.startswith(name + ".") for it in SURFACE)
        if name not in SURFACE and not is_package:
            return None
        return importlib.machinery.ModuleSpec(name, Loader(), is_package=is_package)


def begin(stream, surface):
    """Starts to stand in for the packages of this surface."""
    global JUDGE, SURFACE
    SURFACE = surface
    ENVIRONMENT.update((name, value) for name, value in os.environ.items() if not name.startswith("PYTEST"))
    JUDGE = Judge(stream, sorted({name.partition(".")[0] for name in surface}))
    # A package of the candidate may be called as one of these programs.
    for name in JUDGE.packages:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Finder)
    return JUDGE


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


# How decimal numbers are rounded unless somebody says otherwise.
USUAL_ARITHMETIC = [decimal.DefaultContext.prec, decimal.DefaultContext.rounding]
# The variables before any test.
ENVIRONMENT = {}
# The folder that the candidate has as well.
EXCHANGE = os.environ.pop("JUDGE_EXCHANGE", None)

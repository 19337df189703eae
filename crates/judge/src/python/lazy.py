"""Has pytest try tests on a program that does nothing, in place of the candidate.

What it answers holds nothing of its own: an answer equals another answer, and what was handed over to get it. A test that
passes all the same asks for nothing that somebody would have to work out. Where even such a program would have to decide
something (whether an answer is true, how long it is, which is larger), the test fails.

Each test is run a second time with answers that equal everything, to see all that it asks.
"""

import hashlib
import importlib.machinery
import itertools
import json
import math
import os
import signal

import pytest

import judge
import peer

# Answers by the text they are written as.
WRITTEN = {}
NUMBERS = itertools.count(1)
HANDED_MAX = 200
ASKED_MAX = 10_000
QUESTION_MAX = 1_000
# The most that one test may take.
SECONDS = 5


class Undecided(Exception):
    """Only somebody who does the work could say."""


class Answer:
    """What a call gives. `zero` is what arithmetic makes of it if it is nothing."""

    def __init__(self, question="", handed=(), zero=None, is_empty=False):
        self.__dict__.update(_question=question, _handed=handed, _zero=zero, _is_empty=is_empty, _text=None)

    def __call__(self, *args, **kwargs):
        return answer(self._question, args, kwargs)

    def __getattr__(self, name):
        if name.startswith(peer.LOCAL) or name.startswith("__"):
            raise AttributeError(name)
        # What an object says depends on what it was told before.
        question = self._question
        self.tell(name)
        return Answer(short(f"{question}.{name}"))

    def tell(self, what):
        self.__dict__["_question"] = short(f"{self._question};{what}")

    def __setattr__(self, name, value):
        self.tell(f"{name}={written(value)}")

    def __getitem__(self, key):
        return answer(f"{self._question}[]", (key,), {})

    def __setitem__(self, key, value):
        self.tell(f"[{written(key)}]={written(value)}")

    def __enter__(self):
        return Answer(self._question)

    def __exit__(self, *_):
        return False

    def __await__(self):
        return Answer(self._question, self._handed)
        yield

    def __aenter__(self):
        return self

    def __aexit__(self, *_):
        return self

    def __hash__(self):
        return id(self)

    def __bool__(self):
        if RUN["is_obliging"] or not RUN["test"]:
            return True
        raise Undecided("whether it is true")

    def __eq__(self, other):
        if RUN["is_obliging"]:
            return True
        if isinstance(other, NEAR):
            return is_near(other)
        if self._zero is not None and isinstance(other, (int, float)):
            return self._zero == other
        return is_held(other, self._handed)

    def __iter__(self):
        if self._is_empty or RUN["is_obliging"]:
            return iter(())
        raise Undecided("what it consists of")

    def __str__(self):
        if self._text is None:
            self.__dict__["_text"] = f"\ue000{next(NUMBERS)}\ue001"
            WRITTEN[self._text] = self
        return self._text

    __repr__ = __str__

    def __format__(self, form):
        return str(self)


def undecided(name):
    def decide(self, *args):
        raise Undecided(name)

    return decide


def derived(name):
    def operate(self, *args):
        values = [zero_of(one) for one in (self, *args)]
        try:
            zero = getattr(float(values[0]), name)(*values[1:])
        except (ArithmeticError, AttributeError, TypeError, ValueError):
            zero = None
        question = short(" ".join([name, *map(written, (self, *args))]))
        return Answer(question, zero=zero if isinstance(zero, (int, float)) else None)

    return operate


def ordered(name):
    def order(self, other):
        if RUN["is_obliging"]:
            return True
        is_derived = any(isinstance(one, Answer) and one._zero is not None for one in (self, other))
        if is_derived and isinstance(zero_of(other), (int, float)):
            return getattr(float(zero_of(self)), name)(float(zero_of(other)))
        raise Undecided("which is larger")

    return order


def zero_of(value):
    return value._zero or 0 if isinstance(value, Answer) else value


for one in "len length_hint contains int float index complex bytes fspath next reversed ne".split():
    setattr(Answer, f"__{one}__", undecided(one))
for one in (
    "add sub mul truediv floordiv mod divmod pow radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow and or xor rand ror rxor "
    "lshift rshift neg pos abs invert round trunc floor ceil"
).split():
    setattr(Answer, f"__{one}__", derived(f"__{one}__"))
for one in "lt le gt ge".split():
    setattr(Answer, f"__{one}__", ordered(f"__{one}__"))


def is_near(expected):
    """Whether nothing at all is near enough to something."""
    value = expected.expected
    return isinstance(value, (int, float)) and value != 0 and NEAR_EQ(expected, 0)


def is_held(value, handed):
    """Whether a value is an answer, was handed over, or is made of such."""
    if isinstance(value, Answer) or isinstance(value, str) and value in WRITTEN:
        return True
    if any(type(one) is type(value) and one == value for one in handed):
        return True
    if isinstance(value, (list, tuple)) and any(isinstance(one, Answer) for one in value):
        return all(is_held(one, handed) for one in value)
    return False


def written(value):
    """A value as a part of a question."""
    return f"<{value._question}>" if isinstance(value, Answer) else f"{type(value).__name__} {value!r}"


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def short(question):
    return question if len(question) <= QUESTION_MAX else digest(question)


def answer(question, args, kwargs):
    """The answer to a question, with what was handed over for it, here or to get what is handed over here."""
    handed = []
    for one in (*args, *kwargs.values()):
        if isinstance(one, Answer):
            handed += one._handed
            continue
        handed.append(one)
        if isinstance(one, str) and "\ue000" in one:
            handed += [part for text, found in WRITTEN.items() if text in one for part in found._handed]
    words = [*map(written, args), *(f"{name}={written(one)}" for name, one in sorted(kwargs.items()))]
    question = short(f"{question}({', '.join(words)})")
    if RUN["is_obliging"] and len(RUN["asked"]) < ASKED_MAX:
        RUN["asked"].add(digest(question))
    return Answer(question, tuple(handed[:HANDED_MAX]))


class Lazy(judge.Judge):
    """In the place of what asks the candidate."""

    def ask(self, what, *args):
        if what == "call":
            target, positional, keywords = args
            made = answer(getattr(target, "__qualname__", ""), positional, keywords)
            # That an object holds what it is made of is no small thing.
            return Answer(made._question) if isinstance(target, judge.Kind) else made
        if what == "method":
            owner, name, (_, *positional), keywords = args
            return answer(f"{owner.__qualname__}.{name}", positional, keywords)
        if what == "get":
            return Answer(f"{getattr(args[0], '__name__', '')}.{args[1]}", is_empty=isinstance(args[0], judge.Module))
        if what in ("make_class", "make_enum"):
            return self.number()
        if what in ("copy", "deepcopy"):
            return args[0]
        return None if what in ("import", "set", "delete") else Answer(what)


class Finder(judge.Finder):
    """Modules that are not written yet are there as well, and hold whatever they are asked for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        found = judge.Finder.find_spec(name, path, target)
        if found is None and name.partition(".")[0] in judge.JUDGE.packages:
            return importlib.machinery.ModuleSpec(name, judge.Loader(), is_package=True)
        return found


def approximately(self, actual):
    return actual == self if isinstance(actual, Answer) else NEAR_EQ(self, actual)


def is_close(a, b, **keywords):
    if not isinstance(a, Answer) and not isinstance(b, Answer):
        return IS_CLOSE(a, b, **keywords)
    other = b if isinstance(a, Answer) else a
    return RUN["is_obliging"] or isinstance(other, (int, float)) and other != 0 and IS_CLOSE(0, other, **keywords)


def late(*_):
    raise Undecided("when it ends")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    RUN["test"] = item.nodeid
    try:
        return (yield)
    finally:
        RUN["test"] = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        RUN.update(is_obliging=True, asked=set())
        try:
            item.runtest()
        except BaseException:
            # It was run to see what it asks.
            pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        RUN["is_obliging"] = False
        QUESTIONS.setdefault(str(item.path.relative_to(item.config.rootpath)), set()).update(RUN["asked"])


def pytest_sessionfinish():
    if OUTPUT:
        with open(OUTPUT, "w", encoding="utf-8") as file:
            json.dump({path: sorted(asked) for path, asked in QUESTIONS.items()}, file)


NEAR = type(pytest.approx(1))
NEAR_EQ, IS_CLOSE = NEAR.__eq__, math.isclose
# Which test runs, how, and what it has asked.
RUN = {"test": None, "is_obliging": False, "asked": set()}
# By file.
QUESTIONS = {}
OUTPUT = os.environ.pop("JUDGE_QUESTIONS", None)
with open(os.environ.pop("JUDGE_SURFACE"), encoding="utf-8") as file:
    SURFACE = json.load(file)
for module in SURFACE.values():
    # Whoever builds may write other values there.
    module["items"] = [item for item in module["items"] if item[0] != "constant"]
judge.begin(None, SURFACE)
judge.JUDGE = Lazy(None, [*judge.JUDGE.packages, *filter(None, os.environ.pop("JUDGE_PACKAGES", "").split(","))])
judge.sys.meta_path[0] = Finder
NEAR.__eq__, math.isclose = approximately, is_close

"""Has pytest try tests on programs that work nothing out, in place of the candidate.

One hands back: an answer equals another answer, and what was handed over to get it. Others answer with something empty, with
a number that is none, or refuse everything. A test that one of them passes asks for nothing that somebody would have to work
out. Where even such a program would have to decide something (whether an answer is true, how long it is, which is larger),
or where what it answers is what is expected, the test fails.

Each test is run once more with answers that equal everything, to see all that it asks.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.machinery
import itertools
import json
import math
import os
import signal
import sys
import unittest

import pytest

import judge
import peer

# Answers by the text they are written as.
WRITTEN = {}
NUMBERS = itertools.count(1)
HANDED_MAX = 200
ASKED_MAX = 10_000
QUESTION_MAX = 1_000
REFUSALS_MAX = 4
# The most that one run of a test may take.
SECONDS = 5


class Undecided(Exception):
    """Only somebody who does the work could say."""


class Answer:
    """What a call gives. `zero` is what arithmetic makes of it if it is nothing."""

    def __init__(self, question="", handed=(), zero=None, is_empty=False, made_of=None):
        self.__dict__.update(_question=question, _handed=handed, _zero=zero, _is_empty=is_empty, _made_of=made_of, _text=None)

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
        if RUN["program"] == OBLIGING or not RUN["test"]:
            return True
        raise Undecided("whether it is true")

    def __eq__(self, other):
        if RUN["program"] == OBLIGING:
            return True
        if isinstance(other, NEAR):
            return is_near(other)
        if self._zero is not None and isinstance(other, (int, float)):
            return self._zero == other
        if isinstance(other, Answer) and other._made_of is not None:
            # An object that a test makes of what is written out is written out.
            return self._made_of == other._made_of or any(one is other for one in self._handed)
        return is_held(other, self._handed)

    def __iter__(self):
        if self._is_empty or RUN["program"] == OBLIGING:
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
        if RUN["program"] in (OBLIGING, AGREES):
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


# Values that are empty


def unexpected(base):
    """Equality of an empty value: where just that is expected, it says nothing."""

    def equals(self, other):
        if type(other) is base and base.__eq__(self, other) is True:
            raise Undecided("that it is empty is what is expected")
        return False

    return equals


def truth(self):
    """Whoever only looks whether there is an answer finds none; where that is what is asserted, it says nothing."""
    frame = sys._getframe(1)
    if any(frame.f_lineno in lines for lines in plain_assertions(frame.f_code.co_filename)):
        raise Undecided("that it is empty is what is expected")
    return False


@functools.cache
def plain_assertions(path):
    """The lines of assertions without conditions in them; all of a file that is not of the tests."""
    if not path.startswith(os.getcwd()):
        return [range(1 << 30)]
    with open(path, "rb") as file:
        nodes = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Assert)]
    is_plain = lambda node: not any(isinstance(it, (ast.IfExp, ast.comprehension, ast.BoolOp)) for it in ast.walk(node))
    return [range(node.lineno, node.end_lineno + 1) for node in nodes if is_plain(node)]


def empty(base, names):
    body = {f"__{name}__": undecided(name) for name in names.split()}
    body |= {"__bool__": truth, "__eq__": unexpected(base), "__hash__": None if base is list else base.__hash__}
    return type(base.__name__, (base,), body)


Zero = empty(int, "lt le gt ge ne")
Text = empty(str, "lt le gt ge ne len contains iter")
Nothing = empty(list, "lt le gt ge ne len contains")
NoNumber = type("float", (float,), {"__ne__": undecided("ne"), "__bool__": undecided("bool")})
# How a declared type is answered by something empty.
EMPTY = {
    **dict.fromkeys(("int", "float"), Zero),
    "str": Text,
    **dict.fromkeys("list tuple Sequence Iterable Iterator Collection".split(), Nothing),
}


# Programs

HANDS_BACK, OBLIGING, REFUSES = "only hands back what it is given", "obliging", "refuses everything"
NO_NUMBER, AGREES = "answers with a number that is none", "answers with what is as large or as small as is asked"
EMPTIES = {"answers 0": Zero, "answers with an empty text": Text, "answers with an empty list": Nothing}


def replied(question, args, kwargs, returns, is_kind=False):
    """What the program of this run answers to a call of the candidate."""
    made = answer(question, args, kwargs)
    program = RUN["program"]
    if is_kind:
        # That an object holds what it is made of is no small thing.
        return Answer(made._question, made_of=made._question)
    declared = (returns or "").partition("[")[0].rpartition(".")[2]
    if program in EMPTIES:
        if declared:
            return EMPTY[declared]() if declared in EMPTY else made
        return EMPTIES[program]()
    if program == NO_NUMBER and declared in ("", "int", "float"):
        return NoNumber("nan")
    if isinstance(program, int) and program < len(ERRORS):
        refusal = ERRORS[program].__new__(ERRORS[program])
        refusal.__dict__.update(_link=peer.Link(judge.JUDGE, 0), _handed=made._handed)
        raise refusal
    return made


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
        return all(is_held(one, handed) and getattr(one, "_made_of", None) is None for one in value)
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
        if isinstance(one, Answer) and one._made_of is None:
            handed += one._handed
            continue
        handed.append(one)
        if isinstance(one, str) and "\ue000" in one:
            handed += [part for text, found in WRITTEN.items() if text in one for part in found._handed]
    words = [*map(written, args), *(f"{name}={written(one)}" for name, one in sorted(kwargs.items()))]
    question = short(f"{question}({', '.join(words)})")
    if RUN["program"] == OBLIGING and len(RUN["asked"]) < ASKED_MAX:
        RUN["asked"].add(digest(question))
    return Answer(question, tuple(handed[:HANDED_MAX]))


class Lazy(judge.Judge):
    """In the place of what asks the candidate."""

    def ask(self, what, *args):
        if what == "call":
            target, positional, keywords = args
            is_kind = isinstance(target, judge.Kind)
            return replied(getattr(target, "__qualname__", ""), positional, keywords, RETURNS.get(target), is_kind)
        if what == "method":
            owner, name, (_, *positional), keywords = args
            return replied(f"{owner.__qualname__}.{name}", positional, keywords, None)
        if what == "get":
            target, name = args
            if isinstance(target, BaseException):
                return Answer(name, target.__dict__.get("_handed", ()))
            return Answer(f"{getattr(target, '__name__', '')}.{name}", is_empty=isinstance(target, judge.Module))
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


def function(module, name, returns, doc):
    made = FUNCTION(module, name, None, doc)
    RETURNS[made] = returns
    return made


def kind(names, module, name, bases, *rest):
    made = KIND(names, module, name, bases, *rest)
    if issubclass(made, BaseException) and len(ERRORS) < REFUSALS_MAX:
        ERRORS.append(made)
    return made


def approximately(self, actual):
    return actual == self if isinstance(actual, Answer) else NEAR_EQ(self, actual)


def is_close(a, b, **keywords):
    if not isinstance(a, Answer) and not isinstance(b, Answer):
        return IS_CLOSE(a, b, **keywords)
    other = b if isinstance(a, Answer) else a
    is_obliging = RUN["program"] == OBLIGING
    return is_obliging or isinstance(other, (int, float)) and other != 0 and IS_CLOSE(0, other, **keywords)


def expects(raises):
    """Where a refusal is what is expected, one says nothing."""

    def expect(*args, **kwargs):
        if isinstance(RUN["program"], int):
            raise Undecided("that it refuses is what is expected")
        return raises(*args, **kwargs)

    return expect


def late(*_):
    raise Undecided("when it ends")


@contextlib.contextmanager
def bounded():
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    RUN["test"] = item.nodeid
    try:
        return (yield)
    finally:
        RUN["test"] = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    RUN["has_failed"] = False
    try:
        with bounded():
            result = yield
        note(HANDS_BACK, item)
        return result
    finally:
        first = vars(item).get("_excinfo")
        for program in (OBLIGING, *EMPTIES, NO_NUMBER, AGREES, *range(len(ERRORS))):
            RUN.update(program=program, asked=set(), has_failed=False)
            item._excinfo = None
            try:
                with bounded():
                    item.runtest()
                note(REFUSES if isinstance(program, int) else program, item)
            except BaseException:
                # It was run to see what it asks, and whether it fails.
                pass
            if program == OBLIGING:
                path = str(item.path.relative_to(item.config.rootpath))
                SEEN["questions"].setdefault(path, set()).update(RUN["asked"])
        RUN["program"], item._excinfo = HANDS_BACK, first


def pytest_runtest_logreport(report):
    # A part of a test that failed, without which the test goes on.
    RUN["has_failed"] = RUN["has_failed"] or report.failed


def note(program, item):
    # Cases of `unittest` keep their errors to themselves.
    if program != OBLIGING and not RUN["has_failed"] and not vars(item).get("_excinfo"):
        SEEN["passed"].setdefault(program, set()).add(item.nodeid)


def pytest_sessionfinish(session):
    SEEN["tests"] = [item.nodeid for item in session.items]
    if OUTPUT:
        with open(OUTPUT, "w", encoding="utf-8") as file:
            json.dump(SEEN, file, default=sorted)


NEAR = type(pytest.approx(1))
NEAR_EQ, IS_CLOSE, FUNCTION, KIND = NEAR.__eq__, math.isclose, judge.function, judge.kind
# Which test runs, on which program, and what it has asked.
RUN = {"test": None, "program": HANDS_BACK, "asked": set(), "has_failed": False}
# What the tests of each file ask, and which tests each program passes.
SEEN = {"questions": {}, "passed": {}}
# What functions say that they answer; errors of the candidate.
RETURNS, ERRORS = {}, []
OUTPUT = os.environ.pop("JUDGE_SEEN", None)
with open(os.environ.pop("JUDGE_SURFACE"), encoding="utf-8") as file:
    SURFACE = json.load(file)
for module in SURFACE.values():
    # Whoever builds may write other values there.
    module["items"] = [item for item in module["items"] if item[0] != "constant"]
judge.begin(None, SURFACE)
judge.JUDGE = Lazy(None, [*judge.JUDGE.packages, *filter(None, os.environ.pop("JUDGE_PACKAGES", "").split(","))])
sys.meta_path[0] = Finder
judge.function, judge.kind = function, kind
NEAR.__eq__, math.isclose = approximately, is_close
pytest.raises = expects(pytest.raises)
unittest.TestCase.assertRaises = expects(unittest.TestCase.assertRaises)
unittest.TestCase.assertRaisesRegex = expects(unittest.TestCase.assertRaisesRegex)

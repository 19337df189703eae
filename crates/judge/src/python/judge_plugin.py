"""Has pytest judge a candidate that runs elsewhere: a copy of it for every test, and a bound on its time.

Tests that share a fixture share a copy.
"""

import json
import os
import signal

import pytest
from _pytest.tmpdir import TempPathFactory

import judge
import exchange
import starting
from values import Broken

SECONDS = float(os.environ.pop("JUDGE_SECONDS", "20"))
# Whoever runs tests puts something else in the place of standard input.
STREAM = os.dup(int(os.environ.pop("JUDGE_STREAM")))
with open(os.environ.pop("JUDGE_SURFACE"), encoding="utf-8") as file:
    PEER = judge.begin(STREAM, json.load(file))
starting.begin(PEER.ask, PEER.packages, judge.EXCHANGE)
if judge.EXCHANGE:
    exchange.begin(judge.EXCHANGE)
    make = TempPathFactory.mktemp
    # The name of a test is nobody's business.
    TempPathFactory.mktemp = lambda self, basename, numbered=True: make(self, "d", numbered=True)
STATE = {"generation": 0, "gone": 0, "lost": False, "spans": {}, "span": None}
# Fixtures for the whole run that hold nothing of the candidate.
OF_PYTEST = set("cache doctest_namespace pytestconfig record_testsuite_property tmp_path_factory tmpdir_factory".split())


def late(*_):
    PEER.broken = "it took too long"
    raise Broken(PEER.broken)


if os.environ.pop("JUDGE_REVERSED", None):

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(items):
        items.reverse()


def pytest_make_parametrize_id(val):
    """Members of an enumeration are called as they are in one process."""
    return str(val) if isinstance(val, judge.Remote) and getattr(type(val), "_is_enum", False) else None


def span(item):
    """The tests that one copy of the candidate is for: this one alone, unless fixtures give objects to several."""
    fixtures = item._fixtureinfo.name2fixturedefs if hasattr(item, "_fixtureinfo") else {}
    scopes = {one[-1].scope for name, one in fixtures.items() if name not in OF_PYTEST}
    if scopes & {"session", "package"}:
        return "session"
    return str(item.path) if scopes & {"module", "class"} else item.nodeid


def spans(items):
    """The span of every test. One that reaches further holds what is between."""
    by_test = {item: span(item) for item in items}
    if "session" in by_test.values():
        return dict.fromkeys(items, "session")
    files = {one for one in by_test.values()}
    return {item: str(item.path) if str(item.path) in files else own for item, own in by_test.items()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    if not STATE["spans"]:
        STATE["spans"] = spans(item.session.items)
    mine, next_span = STATE["spans"].get(item), STATE["spans"].get(nextitem)
    if mine != STATE["span"]:
        begin(sum(one == mine for one in STATE["spans"].values()))
        STATE["span"] = mine
    try:
        return (yield)
    finally:
        if mine is None or mine != next_span:
            finish()
            STATE["span"] = None


def begin(tests):
    """A copy of the candidate as it was after it was imported."""
    if STATE["lost"]:
        return
    STATE["generation"] += 1
    PEER.mirrored.clear()
    PEER.both.clear()
    PEER.questions, PEER.failed = 0, None
    # The copy knows nothing of what was told to another one.
    PEER.broken, PEER.changed, PEER.directory, PEER.arithmetic = None, {}, None, judge.USUAL_ARITHMETIC
    try:
        PEER.ask("begin", STATE["generation"], (SECONDS + 1) * max(tests, 1))
    except Broken:
        STATE["lost"] = True


def finish():
    """Waits until the copy is gone. If that takes too long, nothing can be asked any more."""
    STATE["gone"] += bool(PEER.broken)
    was_broken, PEER.broken = PEER.broken, PEER.broken or "the test has ended"
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS + 5)
    try:
        if not was_broken:
            PEER.send("ask", 0, "end", [])
        while PEER.next_kind() != "gone":
            pass
    except Broken:
        STATE["lost"] = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if any(isinstance(one, judge.Kind) for one in getattr(item.cls, "__mro__", ())):
        # Its assertions could be methods of the candidate.
        pytest.fail(f"{item.cls.__name__} inherits from a class of the candidate: derive it from one of the tests' own")
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        result = yield
    except Broken as error:
        pytest.fail(f"the candidate: {error}")
    else:
        if PEER.broken:
            pytest.fail(f"the candidate: {PEER.broken}")
        if PEER.failed:
            pytest.fail(f"an assertion failed, and the candidate kept it to itself: {PEER.failed}")
        if not PEER.questions:
            pytest.fail("nothing was asked of the candidate")
        return result
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def pytest_terminal_summary(terminalreporter):
    said = f"{PEER.asked} asked, {PEER.claims} claims, {STATE['gone']} gone"
    terminalreporter.write_line(f"across the boundary: {said}")

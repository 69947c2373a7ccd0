"""Which tests are slow, and which run at night only, by recorded time; ``make durations`` records.

A test is slow when its set-up and call take half a second or more, or when it uses a fixture of a
module or session that does. Such a fixture is charged to every test that uses it, not to the one
that happens to run first: leaving that one out would only make the next one pay. For the same
reason, functions in tests that keep their result (``functools.cache``) forget it before each test
while durations are recorded.

As a plug-in (``pytest -p tests.durations``) this module writes ``durations.json``: of tests, by
function, the slowest case. What a run does not execute keeps its entry.

Load alone moves no test. What a test takes on a quiet machine is at least the processor time of its
process and their ended children, and at least the time by the clock during which no process of the
machine waited for a processor (the kernel's counter of pressure; elsewhere than on Linux the clock
is believed); it is at most the time by the clock. Where the limit is between these bounds, as for a
test that mostly waits on a loaded machine, the entry of before stays.
"""

import functools
import importlib
import json
import os
import sys
import time
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Self

import pytest

FILE = Path(__file__).with_name("durations.json")
LIMIT = 0.5
"""Seconds from which a test, or a fixture that tests share, is slow; such a test runs at night."""
IN_TURNS = 6
"""Of the cases of a long test that is for every day, one in so many runs every day."""

_ROOT = Path(__file__).parents[1]
_PRESSURE = Path("/proc/pressure/cpu")
_SHARED, _SETUP, _CALL = "shared fixtures", "set-up", "call"

Durations = dict[str, dict[str, float]]


def recorded() -> Durations:
    """Return the seconds of slow ``tests`` and shared ``fixtures``, by ``path::name``."""
    return json.loads(FILE.read_text()) if FILE.exists() else {"fixtures": {}, "tests": {}}


def function_of(node_id: str) -> str:
    """Return the id of a test without its parameters."""
    return node_id.split("[")[0]


def is_slow(item: pytest.Item, durations: Durations) -> bool:
    """Whether a test, or a shared fixture that it uses, was recorded as slow."""
    names = getattr(item, "fixturenames", ())
    file = item.nodeid.partition("::")[0]
    places = (file, *(folder.as_posix() for folder in Path(file).parents))
    return function_of(item.nodeid) in durations["tests"] or any(
        f"{place}::{name}" in durations["fixtures"] for name in names for place in places
    )


def takes_long(item: pytest.Item, durations: Durations) -> bool:
    """Whether a test by itself was recorded as one that takes long."""
    return function_of(item.nodeid) in durations["tests"]


def is_stale(entry: str) -> bool:
    """Whether the test or fixture of an entry is no longer there."""
    place, *names = entry.split("::")
    path = Path(place)
    if not (_ROOT / path).exists():
        return True
    file = path.with_suffix("") if path.suffix else path / "conftest"
    try:
        found: object = importlib.import_module(".".join(file.parts))
    except pytest.skip.Exception:  # needs a package that is not installed
        return False
    except ModuleNotFoundError:
        return True
    return functools.reduce(lambda owner, name: getattr(owner, name, None), names, found) is None


# From here on: recording.


class Taken(NamedTuple):
    """Bounds of what something takes on a quiet machine, in seconds."""

    least: float
    most: float

    def without(self, others: Iterable[Self]) -> Self:
        """Return what is left without parts."""
        return self._make(all_ - sum(parts) for all_, *parts in zip(self, *others, strict=True))


class Clock:
    """Tells what was taken since it was made."""

    def __init__(self) -> None:
        self._start = self._read()

    @staticmethod
    def _read() -> tuple[float, float, float]:
        """Return seconds of processors, by the clock, and in which somebody waited for one."""
        times, stalled = os.times(), 0.0
        if _PRESSURE.exists():
            some = _PRESSURE.read_text().partition("\n")[0]
            stalled = int(some.rpartition("total=")[2]) / 1e6
        processor = time.process_time() + times.children_user + times.children_system
        return processor, time.perf_counter(), stalled

    def taken(self) -> Taken:
        """Return what was taken until now."""
        now = zip(self._read(), self._start, strict=True)
        processor, clock, stalled = (after - before for after, before in now)
        return Taken(max(processor, clock - stalled), max(processor, clock))


_shared: dict[str, dict[str, tuple[float, ...]]] = {}
"""What the shared fixtures took that were set up for each test, as workers can send it."""

_now = ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Note which test is being set up, and time that."""
    global _now
    _now = item.nodeid
    _forget()
    clock = Clock()
    try:
        yield
    finally:
        item.user_properties.append((_SETUP, tuple(clock.taken())))
        item.user_properties.append((_SHARED, _shared.pop(item.nodeid, {})))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Time a test itself."""
    clock = Clock()
    try:
        yield
    finally:
        item.user_properties.append((_CALL, tuple(clock.taken())))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Time a fixture that tests share, without the fixtures that it asks for."""
    clock = Clock()
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            entry = f"{fixturedef.baseid}::{fixturedef.argname}"
            _shared.setdefault(_now, {})[entry] = tuple(clock.taken())


def _forget() -> None:
    """Empty what functions in tests keep, so that every test pays for what it uses."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tests.") and isinstance(module, ModuleType):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


_tests: dict[str, Taken] = {}
_fixtures: dict[str, Taken] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test took, without the fixtures that it shares."""
    if report.when == "teardown" or report.skipped:
        return
    found: Mapping[str, Any] = dict(report.user_properties)
    if report.when == "setup":
        shared = {entry: Taken(*taken) for entry, taken in found.get(_SHARED, {}).items()}
        for entry, taken in shared.items():
            _fixtures[entry] = _longer(_fixtures.get(entry), taken)
        _tests[report.nodeid] = Taken(*found[_SETUP]).without(shared.values())
    elif _CALL in found:
        called = zip(_tests[report.nodeid], found[_CALL], strict=True)
        _tests[report.nodeid] = Taken(*map(sum, called))


def _longer(one: Taken | None, other: Taken) -> Taken:
    return other if one is None else Taken(*map(max, one, other))


def now_slow(before: Mapping[str, float], measured: Mapping[str, Taken]) -> dict[str, float]:
    """Return the slow ones by what they take, or took before where that is not certain."""
    slow = dict(before)
    for entry, taken in measured.items():
        if taken.least >= LIMIT:
            slow[entry] = taken.least
        elif taken.most < LIMIT:
            slow.pop(entry, None)
    return {entry: round(slow[entry], 1) for entry in sorted(slow)}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what this run measured, and keep what it left out."""
    if hasattr(session.config, "workerinput"):
        return  # a worker of pytest-xdist: the main process hears all reports
    functions: dict[str, Taken] = {}
    for node_id, taken in _tests.items():
        name = function_of(node_id)
        functions[name] = _longer(functions.get(name), taken)
    before = recorded()
    after: Durations = {}
    for kind, measured in (("fixtures", _fixtures), ("tests", functions)):
        kept = {entry: was for entry, was in before[kind].items() if not is_stale(entry)}
        after[kind] = now_slow(kept, measured)
    FILE.write_text(json.dumps(after, indent=0) + "\n")

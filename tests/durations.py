"""Which tests are slow, and which run at night only, by recorded time; ``make durations`` records.

A test is slow when its set-up and call take half a second or more, or when it uses a fixture of a
module or session that does. Such a fixture is charged to every test that uses it, not to the one
that happens to run first: leaving that one out would only make the next one pay. For the same
reason, functions in tests that keep their result (``functools.cache``) forget it before each test
while durations are recorded.

As a plug-in (``pytest -p tests.durations``) this module writes ``durations.json``: of tests, by
function, the slowest case. What a run does not execute keeps its entry.
"""

import functools
import importlib
import json
import sys
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).with_name("durations.json")
LIMIT = 0.5
"""Seconds from which a test, or a fixture that tests share, is slow; such a test runs at night."""
IN_TURNS = 6
"""Of the cases of a long test that is for every day, one in so many runs every day."""

_ROOT = Path(__file__).parents[1]
_PROPERTY = "shared fixtures"

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

_shared: dict[str, dict[str, float]] = {}
"""Seconds of the shared fixtures that were set up for each test of this process."""

_now = ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Note which test is being set up."""
    global _now
    _now = item.nodeid
    _forget()
    try:
        yield
    finally:
        item.user_properties.append((_PROPERTY, _shared.pop(item.nodeid, {})))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Time a fixture that tests share, without the fixtures that it asks for."""
    start = time.perf_counter()
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            entry = f"{fixturedef.baseid}::{fixturedef.argname}"
            _shared.setdefault(_now, {})[entry] = time.perf_counter() - start


def _forget() -> None:
    """Empty what functions in tests keep, so that every test pays for what it uses."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tests.") and isinstance(module, ModuleType):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


_seconds: dict[str, float] = {}
_fixtures: dict[str, float] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test took, without the fixtures that it shares."""
    if report.when == "teardown" or report.skipped:
        return
    spent = report.duration
    if report.when == "setup":
        shared: Mapping[str, float] = dict(report.user_properties).get(_PROPERTY, {})
        spent -= sum(shared.values())
        for entry, seconds in shared.items():
            _fixtures[entry] = max(_fixtures.get(entry, 0.0), seconds)
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + spent


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what this run measured, and keep what it left out."""
    if hasattr(session.config, "workerinput"):
        return  # a worker of pytest-xdist: the main process hears all reports
    functions: dict[str, float] = {}
    for node_id, seconds in _seconds.items():
        name = function_of(node_id)
        functions[name] = max(functions.get(name, 0.0), seconds)
    before = recorded()
    after: Durations = {}
    for kind, measured in (("fixtures", _fixtures), ("tests", functions)):
        kept = {entry: was for entry, was in before[kind].items() if not is_stale(entry)}
        known = {**kept, **measured}
        slow = sorted(entry for entry, seconds in known.items() if seconds >= LIMIT)
        after[kind] = {entry: round(known[entry], 1) for entry in slow}
    FILE.write_text(json.dumps(after, indent=0) + "\n")

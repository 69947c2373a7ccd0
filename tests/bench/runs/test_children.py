"""Each problem in its own process, and what it prints."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import (
    BenchmarkRun,
    ChosenMethod,
    ErrorClass,
    ProblemRecord,
    RunFolder,
    run_benchmark,
)
from genotex.bench.runs.processes import MOST_LOGGED, CapturedLog
from genotex.problems import Problem

from .acting import Acting
from .conftest import is_alive, make_tasks, wait_until

OUTCOMES = {
    "Answers": None,
    "Loops": ErrorClass.TIMED_OUT,
    "Loops_in_C": ErrorClass.TIMED_OUT,
    "Sleeps_in_children": ErrorClass.TIMED_OUT,
    "Hides_children": ErrorClass.TIMED_OUT,
    "Chatters": ErrorClass.TIMED_OUT,
    "Leaves_a_process": None,
    "Aborts": ErrorClass.CRASHED,
    "Reads_wild_memory": ErrorClass.CRASHED,
    "Raises": ErrorClass.CRASHED,
    "Raises_ours": ErrorClass.ANALYSIS,
    "Is_killed": ErrorClass.KILLED,
    "Exits": ErrorClass.CRASHED,
    "Vanishes": ErrorClass.CRASHED,
    "Has_no_disk": ErrorClass.SYSTEM,
    "Eats": None,
    "Says_nothing": ErrorClass.NO_ANSWER,
    "Writes_text": ErrorClass.BAD_OUTPUT,
    "Prints": None,
}


ENDLESS = [trait for trait, kind in OUTCOMES.items() if kind is ErrorClass.TIMED_OUT]


def plan_in(place: Path, *traits: str) -> BenchmarkRun:
    (place / "marks").mkdir(parents=True)
    return BenchmarkRun(
        target=place / "out",
        tasks=make_tasks(place, dict.fromkeys(traits, ())),
        problems=[Problem(trait) for trait in traits],
        method=ChosenMethod("acting", Acting(place / "marks"), "anything"),
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("children")


@pytest.fixture(scope="module")
def records(place: Path) -> dict[str, ProblemRecord]:
    """Run what ends by itself, and apart from it, with a time limit, what does not."""
    ending = [trait for trait in OUTCOMES if trait not in ENDLESS]
    runs = (
        run_benchmark(plan_in(place / "ending", *ending), jobs=4),
        run_benchmark(plan_in(place / "endless", *ENDLESS), jobs=5, time_limit=4),
    )
    return {record.problem.trait: record for done in runs for record in done.records}


@pytest.mark.parametrize("trait", OUTCOMES)
def test_each_end_has_its_class(records: dict[str, ProblemRecord], trait: str) -> None:
    assert records[trait].error_class is OUTCOMES[trait]


def test_messages_say_what_happened(records: dict[str, ProblemRecord]) -> None:
    told = {trait: record.error for trait, record in records.items()}
    assert told["Answers"] == ""
    assert told["Loops"] == "the time limit was reached"
    assert told["Aborts"] == "its process was ended by SIGABRT"
    assert told["Is_killed"] == "its process was ended by SIGKILL (from outside; out of memory?)"
    assert told["Raises"] == "ValueError: an odd value"
    assert told["Exits"] == "ended by exit(3)"
    assert told["Vanishes"] == "its process ended before the method did"
    assert told["Raises_ours"] == "table.csv is too small"  # not where the run happens to lie


def pids(place: Path, trait: str) -> list[int]:
    return [int(mark.suffix[1:]) for mark in place.rglob(f"marks/{trait}.*")]


@pytest.mark.parametrize(
    ("trait", "processes"),
    [("Loops_in_C", 1), ("Sleeps_in_children", 2), ("Hides_children", 2), ("Leaves_a_process", 2)],
)
@pytest.mark.usefixtures("records")
def test_nothing_is_left_running(place: Path, trait: str, processes: int) -> None:
    found = pids(place, trait)
    assert len(found) == processes
    wait_until(lambda: not any(is_alive(pid) for pid in found))


def test_peak_memory_is_that_of_the_problem(records: dict[str, ProblemRecord]) -> None:
    eats, answers = records["Eats"], records["Answers"]
    assert eats.peak_memory_mb > 300 > answers.peak_memory_mb > 0


def test_what_a_method_prints_is_in_its_log(place: Path, records: dict[str, ProblemRecord]) -> None:
    run = RunFolder(place / "ending" / "out")
    assert records["Prints"].success
    assert run.log(Problem("Prints")).read_text() == "half of it is done\ncareful\n"
    assert "ValueError: an odd value" in run.log(Problem("Raises")).read_text()
    assert "Fatal Python error: Aborted" in run.log(Problem("Aborts")).read_text()
    assert not run.log(Problem("Answers")).exists()


def test_method_that_prints_without_end_fills_no_disk(
    place: Path, records: dict[str, ProblemRecord]
) -> None:
    assert records["Chatters"].error_class is ErrorClass.TIMED_OUT
    log = RunFolder(place / "endless" / "out").log(Problem("Chatters"))
    assert 2 * MOST_LOGGED < log.stat().st_size < 2 * MOST_LOGGED + 100
    assert "bytes left out ...]" in log.read_text()


def test_only_answers_are_in_the_output_folder(
    place: Path, records: dict[str, ProblemRecord]
) -> None:
    answered = {trait for trait, record in records.items() if record.success}
    assert {path.parent.name for path in place.rglob("out/regress/*/*.json")} == answered
    assert not list(place.rglob("out/run/work"))


RUN = """
import sys
from pathlib import Path
from genotex.bench import run_benchmark
from tests.bench.runs.test_children import plan_in
run_benchmark(plan_in(Path(sys.argv[1]), *sys.argv[2:]), jobs=3)
"""


def test_children_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    traits = ["Loops_in_C", "Sleeps_in_children", "Hides_children"]
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path), *traits],
        cwd=Path(__file__).parents[3],
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: sum(len(pids(tmp_path, trait)) for trait in traits) == 5)
    run.kill()
    run.wait()
    left = [pid for trait in traits for pid in pids(tmp_path, trait)]
    wait_until(lambda: not any(is_alive(pid) for pid in left))


KEY = "sk-12345-abcde"


def write(path: Path, parts: list[bytes], secrets: dict[str, str], most: int = 10**6) -> bytes:
    log = CapturedLog(path, secrets, most)
    for part in parts:
        log.write(part)
    log.close()
    return path.read_bytes() if path.exists() else b""


@given(cuts=st.lists(st.integers(0, 60), max_size=8), before=st.binary(max_size=20))
def test_secret_is_found_however_the_text_is_cut(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], before: bytes
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.log"
    text = before + b"the key is " + KEY.encode() + b" and so on"
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    parts = [text[a:b] for a, b in itertools.pairwise(places)]
    written = write(path, parts, {"MODEL_KEY": KEY})
    assert written == before + b"the key is [MODEL_KEY] and so on"


def test_longer_secret_goes_before_one_that_is_its_start(tmp_path: Path) -> None:
    secrets = {"SHORT": KEY, "LONG": KEY + "-more"}
    text = [f"{KEY}-more {KEY}".encode()]
    assert write(tmp_path / "x.log", text, secrets) == b"[LONG] [SHORT]"


def test_value_too_short_for_a_secret_stays(tmp_path: Path) -> None:
    assert write(tmp_path / "x.log", [b"1 of 1"], {"DEBUG": "1"}) == b"1 of 1"


def test_start_and_end_of_a_long_text_are_kept(tmp_path: Path) -> None:
    parts = [f"{i:04d}\n".encode() for i in range(1000)]
    written = write(tmp_path / "x.log", parts, {}, most=50)
    start, end = (f"{i:04d}\n" for i in range(10)), (f"{i:04d}\n" for i in range(990, 1000))
    left_out = "\n[... 4900 bytes left out ...]\n"
    assert written.decode() == "".join(start) + left_out + "".join(end)


def test_silent_method_leaves_no_file_and_removes_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("of an earlier attempt")
    write(path, [], {})
    assert not path.exists()

"""A crash, a kill or a delay of one problem stops no other and is told as what it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from genotex.bench.problems import Problem
from genotex.bench.runs.children.processes import MOST_BYTES
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord
from genotex.bench.runs.run_folder import RunFolder
from genotex.bench.runs.running import BenchmarkRun, run_benchmark

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
    [
        ("Loops_in_C", 1),
        ("Sleeps_in_children", 2),
        ("Hides_children", 2),
        ("Leaves_a_process", 2),
    ],
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
    assert 2 * MOST_BYTES < log.stat().st_size < 2 * MOST_BYTES + 100
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
from tests.bench.runs.test_children import plan_in
from genotex.bench.runs.running import run_benchmark
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

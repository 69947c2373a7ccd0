"""Ctrl-C, kill -9 and an odd locale, in a process of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from tests.geo_text import write_asthma

COHORTS = 16


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for i in range(COHORTS):
        write_asthma(tmp_path / "input", f"GSE{i + 1}", number=12 + i)
    return tmp_path / "input"


def start(source: Path, output: Path, *extra: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "genotex", "preprocess", str(source), str(output), *extra]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def wait_for_a_few(output: Path, process: subprocess.Popen[bytes]) -> None:
    evidence = output / "preprocess" / "Asthma" / "evidence"
    end = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < end:
        if evidence.is_dir() and len(list(evidence.glob("*.json"))) >= 3:
            return
        time.sleep(0.002)
    process.kill()
    pytest.fail("the run ended, or did nothing, before it could be interrupted")


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.everyday)])
def test_ctrl_c_leaves_nothing_half_written_and_the_next_run_goes_on(
    source: Path, tmp_path: Path, jobs: str
) -> None:
    output = tmp_path / "output"
    process = start(source, output, "-j", jobs)
    wait_for_a_few(output, process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err and b"Traceback" not in err
    assert b"the same command resumes from here" in err
    assert not [p for p in output.rglob("*") if p.name.endswith(".part")]
    assert_next_run_completes(source, output)


def test_kill_9_costs_at_most_the_cohort_under_way(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    process = start(source, output)
    wait_for_a_few(output, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    done = set(read_cohort_info(OutputFolder(output).cohort_info("Asthma")))
    assert done, "cohorts that were done are in the record"
    for cohort in done:
        assert OutputFolder(output).linked_csv("Asthma", cohort).exists()
    assert_next_run_completes(source, output)


def assert_next_run_completes(source: Path, output: Path) -> None:
    process = start(source, output)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"done before" in out
    infos = read_cohort_info(OutputFolder(output).cohort_info("Asthma"))
    assert sorted(infos) == sorted(f"GSE{i + 1}" for i in range(COHORTS))
    assert all(info.is_usable for info in infos.values())


SWALLOWING = """
import os, signal
from genotex import cli
from genotex.cli import commands, screen
def swallow():
    with screen.progress("working") as step:
        for number in range(3):
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except SystemExit:
                print("swallowed", flush=True)
            step(str(number), 3)
commands.app = swallow
cli.main()
"""


def test_ctrl_c_ends_the_command_where_a_library_swallows_its_exception() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stdout == "swallowed\n"
    # What is run here begins anew each time.
    assert done.stderr == "interrupted: nothing half-written is left\n"


IN_A_CALLBACK = """
import os, signal, time, weakref
from genotex import cli
from genotex.cli import commands
class Held: pass
def end():
    held = Held()
    gone = weakref.ref(held, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del held
    time.sleep(30)
commands.app = end
cli.main()
"""


def test_ctrl_c_ends_the_command_where_python_ignores_exceptions() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CALLBACK], capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 130
    assert done.stderr == "interrupted: nothing half-written is left\n"


def test_ctrl_c_promises_nothing_where_all_is_done_again(source: Path, tmp_path: Path) -> None:
    process = start(source, tmp_path / "output", "--force")
    wait_for_a_few(tmp_path / "output", process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err and b"resumes" not in err


@pytest.mark.parametrize(
    ("ending", "code"),
    [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0), ("| head -1", 0), (">/dev/full", 2)],
)
def test_standard_output_that_is_closed_or_full_does_not_stop_the_work(
    tmp_path: Path, ending: str, code: int
) -> None:
    write_asthma(tmp_path / "in", number=24)
    work = f"{sys.executable} -m genotex preprocess in out --json {ending}"
    script = f"set -o pipefail; {work}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert ("standard output is incomplete" in done.stderr) == (code == 2)
    output = OutputFolder(tmp_path / "out")
    assert output.evidence("Asthma", "GSE1").is_file()
    assert read_cohort_info(output.cohort_info("Asthma"))["GSE1"].is_usable


def test_a_folder_that_the_language_of_the_system_cannot_write(tmp_path: Path) -> None:
    write_asthma(tmp_path / "öin", "GSE1", number=12)
    command = [sys.executable, "-m", "genotex", "solve", "öin", "öut", "--trait", "Asthma"]
    system = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(command, cwd=tmp_path, env=system, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert OutputFolder(tmp_path / "öut").all_genes("Asthma", None).is_file()

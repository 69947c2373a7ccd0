"""What `--scheduler` may name, and the jobs that SLURM gets."""

import gc
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from genotex.cluster import read_address
from genotex.errors import UsageError

# A busy machine takes its time to start a worker.
pytestmark = pytest.mark.filterwarnings("ignore:the Dask scheduler has no workers")


def genotex(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run the command line; return exit code, standard output and standard error."""
    code = subprocess.run([sys.executable, "-m", "genotex", *words], check=False).returncode
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "text",
    [
        "nix",
        "local:",
        "local:0",
        "local:two",
        "127.0.0.1:8786",
        "",
        "http://127.0.0.1:8786",
        "tcp://127.0.0.1",
        "tcp://:8786",
        "tls://127.0.0.1:port",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--scheduler"):
        read_address(text)


@pytest.mark.parametrize(
    "text, named",
    [
        ("slurm:color=red", "color=red"),
        ("slurm:cores", "'cores'"),
        ("slurm:cores=many", "cores is a number"),
        ("slurm:cores=", "cores="),
    ],
)
def test_unknown_options_of_slurm_are_refused(text: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        read_address(text)


def test_options_of_slurm_are_those_of_its_jobs() -> None:
    address = read_address(
        "slurm:workers=20,cores=8,memory=32GB,partition=normal,account=me,walltime=02:00:00,"
        "scratch=/local,directive=--exclude=node1,directive=--nice=10,prologue=module load python"
    )
    assert address.workers == 20
    assert address.options["job_extra_directives"] == ["--exclude=node1", "--nice=10"]
    assert not address.lasts


@pytest.mark.filterwarnings("ignore:unclosed cluster")
@pytest.mark.parametrize("option", ["memory=much", "interface=none0"])
def test_option_that_dask_does_not_take_is_an_error_with_its_words(option: str) -> None:
    pytest.importorskip("dask_jobqueue", reason="pip install 'genotex[cluster]'")
    with pytest.raises(UsageError, match=rf"slurm: .*{option.partition('=')[2]}"):
        read_address(f"slurm:{option}").job_script()
    gc.collect()  # Dask warns of the half-made cluster now, and not in another test.


def test_job_script_is_printed_and_nothing_is_submitted(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("dask_jobqueue", reason="pip install 'genotex[cluster]'")
    where = "slurm:cores=8,memory=32GB,partition=normal,account=me,walltime=02:00:00,scratch=/local"
    code, out, _ = genotex(capfd, "preprocess", "in", "out", "--scheduler", where, "--job-script")
    assert code == 0
    for line in (
        "#SBATCH -p normal",
        "#SBATCH -A me",
        "#SBATCH -n 1",
        "#SBATCH --cpus-per-task=8",
        "#SBATCH --mem=30G",
        "#SBATCH -t 02:00:00",
    ):
        assert line in out.splitlines()
    assert "--nthreads 8 --memory-limit 29.80GiB" in out
    assert "--local-directory /local" in out


def test_job_script_needs_slurm(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="pip install 'genotex[cluster]'")
    code, _, err = genotex(capfd, "preprocess", "in", "out", "--job-script")
    assert code == 2
    assert "--scheduler slurm" in err
    words = ("preprocess", "in", "out", "--scheduler", "local:2", "--job-script")
    code, _, err = genotex(capfd, *words)
    assert code == 2
    assert "only SLURM has job scripts" in err


SBATCH = """#!/bin/sh
echo "$@" >> "{log}"
for last; do :; done
# Dask removes the script once it is handed over, so the real sbatch copies it too.
cp "$last" "{log}.sh"
sh "{log}.sh" > "{log}.out" 2>&1 &
echo "Submitted batch job 7"
"""


def test_jobs_of_slurm_do_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of sbatch runs the script that it is given on this machine."""
    pytest.importorskip("dask_jobqueue", reason="pip install 'genotex[cluster]'")
    from genotex.cluster import DaskExecutor
    from genotex.parallel import Piece

    from . import work
    from .conftest import ROOT

    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (
        ("sbatch", SBATCH.format(log=tmp_path / "sbatch.log")),
        ("scancel", "#!/bin/sh\n"),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setenv("PYTHONPATH", ":".join([str(ROOT), *filter(None, sys.path)]))
    monkeypatch.chdir(tmp_path)
    where = f"slurm:workers=1,cores=2,memory=2GB,scratch={tmp_path}"
    with DaskExecutor(read_address(where)) as executor:
        found = [each.result for each in executor.run(work.double, 2, [Piece(i) for i in range(4)])]
    assert sorted(each or 0 for each in found) == [0, 2, 4, 6]
    assert (tmp_path / "sbatch.log").read_text().count("\n") == 1

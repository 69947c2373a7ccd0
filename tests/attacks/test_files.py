"""Hostile files at every door: each attempt is refused, says why, and takes little memory.

An attempt runs in a process of its own, forked from one that has imported the package: its peak
memory is that of the attempt, and a crash is seen as one.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.attacks.files import ATTEMPTS, DOORS, HONEST, SECRET, Refused, text, zstd_of_runs

_MOST_ADDRESSES = 6 << 30
"""Bytes of addresses: an attempt that got through must not take the machine down."""
_LONGEST = 60


def serve() -> NoReturn:
    """Run attempts, each in a process of its own; this runs in the process that forks them."""
    import anndata  # noqa: F401
    import openpyxl  # noqa: F401

    import genotex.agents
    import genotex.api
    import genotex.app
    import genotex.atlas.reader
    import genotex.cli
    import genotex.mcp.tools
    import genotex.outside.arrays
    import genotex.outside.parquet
    import genotex.outside.zips  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        answer = Path(asked["answer"])
        child = os.fork()
        if not child:
            name, _, value = asked["set"].partition("=")
            os.environ |= {name: value} if name else {}
            _attempt(asked["door"], Path(asked["path"]), answer)
        _, status, used = os.wait4(child, 0)
        said = json.loads(answer.read_text()) if answer.is_file() else {}
        said |= {"status": os.waitstatus_to_exitcode(status), "memory": used.ru_maxrss >> 10}
        print(json.dumps(said), flush=True)
    sys.exit()


def _attempt(door: str, path: Path, answer: Path) -> NoReturn:
    from genotex.errors import GenotexError

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_ADDRESSES, _MOST_ADDRESSES))
    signal.alarm(_LONGEST)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    try:
        found = {"read": repr(DOORS[door](path))[:2000]}
    except (GenotexError, Refused) as error:
        found = {"refused": str(error)}
    except BaseException:
        found = {"crashed": traceback.format_exc()}
    answer.write_text(json.dumps(found))
    os._exit(0)


Try = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def attempt() -> Iterator[Try]:
    root = Path(__file__).parents[2]
    command = "from tests.attacks.test_files import serve; serve()"
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, **threads},
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        send, receive = server.stdin, server.stdout

        def run(door: str, path: Path, environment: str = "") -> dict[str, Any]:
            answer = path.parent / "answer.json"
            answer.unlink(missing_ok=True)
            asked = {"door": door, "path": str(path), "answer": str(answer), "set": environment}
            send.write(json.dumps(asked) + "\n")
            send.flush()
            found: dict[str, Any] = json.loads(receive.readline())
            return found

        yield run
        send.close()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_hostile_file_is_refused(attempt: Try, tmp_path: Path, name: str) -> None:
    case = ATTEMPTS[name]
    found = attempt(case.door, case.make(tmp_path))
    assert found["status"] == 0, found
    assert "crashed" not in found, found.get("crashed")
    assert "refused" in found, found
    said = " ".join(found["refused"].split())
    assert re.search(case.said, said), said
    assert str(SECRET) not in said and "Traceback" not in said
    assert found["memory"] <= case.memory, found


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_file_is_read(attempt: Try, tmp_path: Path, name: str) -> None:
    found = attempt("gx.read_tables", HONEST[name](tmp_path))
    assert re.search("n_obs . n_vars = 6 . 16", found.get("read", "")), found


@pytest.mark.nightly
def test_who_trusts_a_file_raises_the_limit_that_is_named(attempt: Try, tmp_path: Path) -> None:
    path = text("t.csv.zst", lambda: zstd_of_runs(600))(tmp_path)
    refused = attempt("gx.read_tables", path)["refused"]
    setting = re.search(r"GENOTEX_LIMITS=\S+\w", refused)
    assert setting is not None, refused
    again = attempt("gx.read_tables", path, environment=setting[0])
    assert "GENOTEX_LIMITS" not in again["refused"] and "t.csv.zst" in again["refused"]


def test_what_the_owner_of_a_workbench_raises_does_not_raise_uploads(
    attempt: Try, tmp_path: Path
) -> None:
    path = text("t.csv.zst", lambda: zstd_of_runs(600))(tmp_path)
    setting = "GENOTEX_LIMITS=ratio=1e9,unpacked=1TiB,upload=1TiB,free=1TiB"
    refused = attempt("upload", path, environment=setting)["refused"]
    assert "limit 'ratio'" in refused and "is 400" in refused
    assert "GENOTEX_LIMITS" not in refused

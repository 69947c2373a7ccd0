"""Whatever opens a file in the package goes through `genotex.outside`, or has a reason not to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import genotex

SOURCE = Path(genotex.__file__).parent

_OPENERS = re.compile(
    r"(?<!def )\b(?:"
    r"pl\.(?:read|scan)_(?:parquet|csv|ipc|excel|ndjson|json)\((?!content\b)"
    r"|pd\.read_\w+\(|read_h5ad\(|h5py\.File\(|np\.(?:load|genfromtxt|loadtxt|fromfile)\("
    r"|load_workbook\(|zipfile\.ZipFile\((?!\w+, \"w\")|tarfile\.|bz2\.|lzma\."
    r"|i?gzip\w*\.(?!compress)\w+\(|json\.loads?\(|tomllib\.loads?\(|pickle\.loads?\(|marshal\.loads?\(|yaml\."
    r")|\.read_bytes\(\)|\.read_text\("
)
"""Calls that open or parse a file, not those that write one; polars may be given bytes."""

_ALLOWED = {
    "outside/": "the door itself",
    "agents/sandbox/": "messages between processes of a session, and files of /proc",
    "agents/audit/auditing.py": "the call that its own process wrote",
    "agents/team/sessions.py": "what its own process wrote",
    "models/recording.py": "a recording that was read, within the limits, before",
    "agents/answers.py": "the answer of a model, in memory",
    "analysis/shared_work.py": "what its own process wrote",
    "app/data/sample_pages.py": "the copy that was just written",
    "app/downloads.py": "the figure that was just written",
    "bench/adapters/": "task folders of its own, read in the container of another tool",
    "bench/comparison/submission.py": "a run's own files; a submission after its zip was checked",
    "bench/evaluation/labels/reference.py": "a mark of its own",
    "bench/runs/fork_server.py": "messages between its own processes",
    "bench/runs/processes.py": "files of /proc",
    "bench/runs/cohort_stage.py": "records of its own run, of which a digest is made",
    "bench/runs/built_in.py": "lines of a file that was read within the limits",
    "cli/help_pages.py": "a page that this command kept, in the cache of the same user",
    "cli/services/servers.py": "a password, which may come through a pipe",
    "formats/geo/kept_matrices.py": "a table that it kept itself, after its checksum",
    "cluster/": "tasks and results between its own workers",
    "studies/apart.py": "what its own process wrote, and files of /proc",
    "studies/own_files.py": "compared with an upload of the same size",
    "genes/sources.py": "bytes that are in memory",
    "genes/table.py": "a pipe from its own process",
    "mcp/server.py": "a report, after its size was compared",
    "atlas/store.py": "files that were checked before they are searched",
}


@pytest.mark.everyday
def test_every_reader_goes_through_the_door() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(tuple(_ALLOWED)):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if _OPENERS.search(line.partition("#")[0]) and '"""' not in line:
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", _ALLOWED)
def test_an_exception_is_still_needed(name: str) -> None:
    files = [SOURCE / name] if name.endswith(".py") else list((SOURCE / name).rglob("*.py"))
    assert any(_OPENERS.search(path.read_text()) for path in files), name

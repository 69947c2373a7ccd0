"""Cohorts of an object store, on a server of this machine that speaks S3."""

import datetime
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.cohorts import folders_of, preprocess, store_at, stores
from genotex.errors import FormatError, UsageError
from genotex.parallel import Processes
from tests.geo_text import write_asthma

_INSTALL = "pip install 'genotex[cluster]' s3fs 'moto[server]'"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    for name in ("distributed", "s3fs"):
        pytest.importorskip(name, reason=_INSTALL)
    moto = pytest.importorskip("moto.server", reason=_INSTALL)
    import fsspec

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    # It waits without end for a server that does not start.
    starting = threading.Thread(target=server.start, daemon=True)
    starting.start()
    starting.join(60)
    if starting.is_alive():
        pytest.fail("the S3 server of the test does not start")
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "NO_PROXY": host,
        "no_proxy": host,
    }.items():
        monkeypatch.setenv(name, value)
    system = fsspec.filesystem("s3", skip_instance_cache=True)
    try:
        system.mkdir("bench")
        yield system
    finally:
        server.stop()


def genotex(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "genotex", *words]
    return subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, timeout=600
    )


def contents(folder: Path) -> dict[str, bytes]:
    found = (p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.filterwarnings("ignore")
def test_cohorts_of_a_store_have_the_bytes_of_a_folder(bucket, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_asthma(tmp_path / "input", "GSE1", number=12)
    write_asthma(tmp_path / "input", "GSE2", number=16)
    bucket.put(str(tmp_path / "input"), "bench/input", recursive=True)
    # The same files with the times of the store.
    store = store_at(Path("s3://bench/input"))
    assert store is not None
    store.shadow(tmp_path / "same", lambda _: True)
    assert genotex(tmp_path, "preprocess", "same", "here").returncode == 0

    words = ("preprocess", "s3://bench/input", "s3://bench/out")
    done = genotex(tmp_path, *words, "--scheduler", "local:2")
    assert done.returncode == 0, done.stderr
    bucket.invalidate_cache()
    bucket.get("bench/out/", str(tmp_path / "there"), recursive=True)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")

    # Without workers as well, and what is done stays.
    done = genotex(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done before") == 2


def test_a_folder_and_a_store_do_not_mix(tmp_path: Path) -> None:
    write_asthma(tmp_path / "input", "GSE1", number=12)
    done = genotex(tmp_path, "preprocess", "input", "s3://bench/out")
    assert done.returncode == 2
    assert "give two folders" in done.stderr


@pytest.fixture
def in_memory() -> Iterator[dict[str, object]]:
    """The files of a store that is in the memory of this process."""
    memory = pytest.importorskip("fsspec.implementations.memory", reason=_INSTALL)
    yield memory.MemoryFileSystem.store
    memory.MemoryFileSystem.store.clear()


def test_name_that_leads_out_of_the_folder_is_refused(
    in_memory: dict[str, object], tmp_path: Path
) -> None:
    memory = pytest.importorskip("fsspec.implementations.memory")
    precious = tmp_path / "precious"
    precious.write_text("kept")
    name = "/bucket/input/../precious"
    in_memory[name] = memory.MemoryFile(None, name, b"lost")
    store = store_at(Path("memory://bucket/input"))
    assert store is not None
    with pytest.raises(FormatError, match=r"holds '\.\./precious'.*rename it"):
        store.shadow(tmp_path / "input", lambda _: True)
    assert precious.read_text() == "kept"


def test_error_of_a_store_names_it_and_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason=_INSTALL)
    store = store_at(Path("nowhere://bucket/input"))
    assert store is not None
    with pytest.raises(UsageError, match=r"nowhere://bucket/input: .*nowhere"):
        store.files()


def test_cohort_that_cannot_be_fetched_is_reported_and_stops_no_other(
    in_memory: dict[str, object], tmp_path: Path
) -> None:
    fsspec = pytest.importorskip("fsspec", reason=_INSTALL)
    write_asthma(tmp_path / "input", "GSE1", number=12)
    write_asthma(tmp_path / "input", "GSE2", number=16)
    fsspec.filesystem("memory").put(str(tmp_path / "input"), "/bucket/input", recursive=True)
    places = Path("memory://bucket/input"), Path("memory://bucket/out")
    with folders_of(*places, Processes()) as (here, there, executor):
        del in_memory[next(name for name in in_memory if "GSE1_series" in name)]
        first, second = preprocess(here, there, executor=executor)
    assert first.error is not None and "memory://bucket/input: " in first.error
    assert second.error is None and second.info is not None
    assert "/bucket/out/preprocess/Asthma/GSE2.csv" in in_memory


@pytest.mark.parametrize(
    "facts",
    [
        {"LastModified": datetime.datetime(2026, 1, 2, 3, 4, 5, 678, datetime.UTC)},
        {"last_modified": datetime.datetime(2026, 1, 2, 3, 4, 5, 0, datetime.UTC)},
        {"updated": "2026-01-02T03:04:05.678Z"},
        {"mtime": 1767323045.9},
    ],
)
def test_time_of_a_file_is_found_in_every_kind_of_store(facts: dict[str, object]) -> None:
    assert stores._time(facts) == 1767323045 * 10**9


def test_paths_are_no_stores() -> None:
    assert store_at(Path("input")) is None
    assert store_at(Path("/data/s3/input")) is None
    assert str(store_at(Path("s3://bucket/a/b"))) == "Store(url='s3://bucket/a/b')"

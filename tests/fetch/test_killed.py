"""A bulk fetch ended by SIGKILL again and again: every file once, whole, and none served twice."""

import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from genotex.fetch import journal_path
from genotex.formats import read_series_matrix
from genotex.journal import read_journal

from .geo_tree import GeoSite, family_path, matrix_path
from .server import Site, cut_at, dripping, failing

SERIES = 50
KILLS = 5
LONGEST = 300
"""Seconds until requests must have come."""


def start(place: Path, geo: GeoSite, series: int = SERIES) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "genotex", "fetch", "geo", str(place), "--trait", "Asthma"]
    options = ["--max-series", str(series), "--json", *geo.addresses]
    return subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def place_of(path: str) -> str:
    """Where a file of the server's tree belongs in a trait's folder."""
    name = path.rpartition("/")[2]
    return f"{name.partition('_')[0]}/{name}"


def kill_while_files_come(process: subprocess.Popen[bytes], site: Site, after: int) -> bool:
    """Kill it once so many requests came; False where it ended before."""
    until, end = len(site.served) + after, time.monotonic() + LONGEST
    while process.poll() is None:
        if time.monotonic() > end:
            process.kill()
            pytest.fail(f"only {len(site.served)} requests came")
        if len(site.served) >= until:
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.001)
    process.communicate(timeout=60)
    return process.returncode == -signal.SIGKILL


@pytest.fixture
def geo(site: Site) -> GeoSite:
    geo = GeoSite(site)
    for number in range(1, SERIES + 1):
        geo.add(f"GSE{number}", samples=30 + number % 7)
    return geo


def test_bulk_fetch_killed_five_times(geo: GeoSite, site: Site, tmp_path: Path) -> None:
    # Some files come slowly, so that kills find them half there; some come badly.
    for number in range(3, SERIES, 4):
        site.fault(matrix_path(f"GSE{number}"), dripping(0.01, 200))
    site.fault(family_path("GSE7"), cut_at(0.5))
    site.fault(family_path("GSE20"), failing(503))
    stream = random.Random()
    moments = [stream.randint(8, 22) for _ in range(KILLS)]
    # The first attempt looks at every folder before the first file.
    moments[0] += 2 + 2 * SERIES
    print("killed after so many requests:", moments)
    there: dict[str, int] = {}
    for after in moments:
        assert kill_while_files_come(start(tmp_path, geo), site, after)
        for path in geo.paths:
            if (tmp_path / "GEO/Asthma" / place_of(path)).exists():
                there.setdefault(path, site.times(path))
    assert len(there) > 20

    process = start(tmp_path, geo)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()
    rows = json.loads(out)
    assert [row["state"] for row in rows] == ["whole"] * SERIES

    journal = read_journal(journal_path(tmp_path))
    lines = {entry["path"]: entry for entry in journal if entry["step"] == "done"}
    assert len(lines) == 2 * SERIES
    for number in range(1, SERIES + 1):
        name = f"GSE{number}"
        folder = tmp_path / "GEO" / "Asthma" / name
        assert {p.name for p in folder.iterdir()} == {
            f"{name}_family.soft.gz",
            f"{name}_series_matrix.txt.gz",
        }
        assert len(read_series_matrix(folder / f"{name}_series_matrix.txt.gz").samples) >= 30
        for path in (matrix_path(name), family_path(name)):
            content = (folder / path.rpartition("/")[2]).read_bytes()
            assert content == site.body(path)
            done = lines["GEO/Asthma/" + place_of(path)]
            assert done["sha256"] == hashlib.sha256(content).hexdigest()
            assert (done["size"], done["address"]) == (len(content), site.url(path))
    # What was there when a kill came was never asked for again; of the rest, each kill can have
    # cost the one file whose last bytes were on their way.
    assert {path: site.times(path) for path in there} == there
    twice = [path for path in geo.paths if site.served_whole(path) > 1]
    assert len(twice) <= KILLS
    assert site.times("/entrez/eutils/esearch.fcgi") == 1  # going on needs no new search


def test_ctrl_c_leaves_only_what_can_be_resumed(geo: GeoSite, site: Site, tmp_path: Path) -> None:
    site.fault(matrix_path("GSE5"), dripping(0.05, 100))
    process = start(tmp_path, geo, 6)
    end = time.monotonic() + LONGEST
    while process.poll() is None and not list(tmp_path.rglob("*GSE5_*.part")):
        if time.monotonic() > end:
            process.kill()
            pytest.fail("the file that comes slowly was not begun")
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"the same command resumes from here" in err and b"kept as NAME.part" in err
    assert b"Traceback" not in err
    left = [p.name for p in tmp_path.rglob("*") if p.is_file() and not p.name.endswith(".gz")]
    assert sorted(left) == [
        ".journal.jsonl.lock",
        "GSE5_series_matrix.txt.gz.part",
        "journal.jsonl",
    ]

"""`genotex fetch benchmark` from the screen."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.benchmark_folder import write_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


def with_manifest(folder: Path) -> Path:
    geo = folder / "input" / "GEO"
    files = {
        path.relative_to(geo).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in geo.rglob("*.gz")
    }
    path = folder / "metadata" / "geo_manifest.json"
    path.write_text(json.dumps({"dataset_name": "GEO", "files": files}))
    return path


def test_before_anything_is_there_it_says_how_to_get_it(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("fetch", "benchmark", tmp_path / "here")
    assert code == 1
    assert "huggingface.co/datasets/Liu-Hy/GenoTEX" in out
    assert f"{tmp_path}/here/input/GEO/<Trait>/<GSE>/" in out
    assert out.count("missing") == 6
    assert not (tmp_path / "here").exists()


def test_whole_folder_with_its_checksums(genotex, bundle: Path) -> None:  # type: ignore[no-untyped-def]
    with_manifest(bundle)
    code, out, err = genotex("fetch", "benchmark", bundle)
    assert code == 0 and "Google Drive" not in out and "1 ok" in out and not err


def test_whole_folder_with_one_other_file(genotex, bundle: Path) -> None:  # type: ignore[no-untyped-def]
    path = with_manifest(bundle)
    path.write_text(path.read_text().replace("GSE1_series", "GSE9_series"))
    code, out, _ = genotex("fetch", "benchmark", bundle, "--json")
    found = json.loads(out)
    assert code == 1 and found["wrong"]
    assert found["counts"] == {"missing": 1, "not listed": 1}
    assert all(part["complete"] for part in found["layout"])


def test_without_manifest_it_says_what_was_not_checked(genotex, bundle: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = genotex("fetch", "benchmark", bundle)
    assert code == 0 and "checksums" in err


@pytest.mark.parametrize("free", [10_000_000_000, 200_000_000_000])
def test_a_disk_that_is_too_small_is_warned_of(  # type: ignore[no-untyped-def]
    genotex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=free))
    code, _, err = genotex("fetch", "benchmark", tmp_path / "here")
    warned = "10.0 GB are free there; the whole benchmark takes 82.0 GB" in " ".join(err.split())
    assert code == 1 and warned == (free < 82_000_000_000) == ("are free" in err)

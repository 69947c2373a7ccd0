"""`genotex verify` from the screen."""

import gzip
import json
from pathlib import Path

import pytest

from tests.geo_text import write_asthma

SERIES = "GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_asthma(tmp_path / "input")
    return tmp_path / "input"


def test_own_manifest_written_and_held_against_the_folder(genotex, folder, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "manifest.json"
    code, _, err = genotex("verify", folder, "--write", path)
    assert code == 0 and "saved" in err
    first = path.read_bytes()
    genotex("verify", folder, "--write", path)
    assert path.read_bytes() == first
    code, out, _ = genotex("verify", folder, "--manifest", path)
    assert code == 0 and out.strip() == "1 ok"
    (folder / SERIES).write_bytes(gzip.compress(b"something else\n"))
    code, out, _ = genotex("verify", folder, "--manifest", path)
    assert code == 1 and "wrong size" in out and SERIES in out


def test_no_manifest_is_made_of_damaged_files(genotex, folder, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (folder / SERIES).write_text("<html>Are you a robot?</html>")
    code, out, _ = genotex("verify", folder, "--write", tmp_path / "manifest.json")
    assert code == 1 and "unreadable" in out and "HTML" in out
    assert not (tmp_path / "manifest.json").exists()


def test_manifest_inside_the_folder_does_not_list_itself(genotex, folder) -> None:  # type: ignore[no-untyped-def]
    genotex("verify", folder, "--write", folder / "manifest.json")
    code, out, _ = genotex("verify", folder, "--manifest", folder / "manifest.json", "--json")
    found = json.loads(out)
    assert code == 0 and found["counts"] == {"ok": 1} and not found["wrong"]
    assert [file["path"] for file in found["files"]] == [SERIES]


def test_folder_without_manifest_is_read_and_the_reader_told(genotex, folder) -> None:  # type: ignore[no-untyped-def]
    code, out, err = genotex("verify", folder)
    assert code == 0 and "1 ok" in out and "no manifest" in err


def test_published_manifest_of_the_folder_is_found(genotex, folder) -> None:  # type: ignore[no-untyped-def]
    (folder / "metadata").mkdir()
    content = {"dataset_name": "GEO", "files": {SERIES.removeprefix("GEO/"): "0" * 64}}
    (folder / "metadata" / "geo_manifest.json").write_text(json.dumps(content))
    code, out, _ = genotex("verify", folder)
    assert code == 1 and "wrong checksum" in out
    code, out, err = genotex("verify", folder / "GEO" / "Asthma")
    assert code == 1 and "wrong checksum" in out and "geo_manifest.json" in err


def test_long_lists_are_cut_on_the_screen_only(genotex, folder, tmp_path) -> None:  # type: ignore[no-untyped-def]
    files = {f"Asthma/GSE{i}/GSE{i}_series_matrix.txt.gz": "0" * 64 for i in range(2, 40)}
    path = tmp_path / "geo.json"
    path.write_text(json.dumps({"dataset_name": "GEO", "files": files}))
    _, out, _ = genotex("verify", folder, "--manifest", path)
    assert "... and 18 more" in out and "38 missing" in out
    _, out, _ = genotex("verify", folder, "--manifest", path, "--json")
    assert json.loads(out)["counts"] == {"missing": 38, "not listed": 1}


def test_wrong_use(genotex, folder, tmp_path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = genotex("verify", tmp_path / "nowhere")
    assert code == 2 and "not a folder" in err
    code, _, err = genotex("verify", folder, "--write", tmp_path / "m", "--ignore-missing")
    assert code == 2 and "--write makes" in err
    code, _, err = genotex("verify", folder, "--manifest", folder / SERIES)
    assert code == 2 and "JSON" in err

"""Manifests, read without trust and written so that anybody's tools read them."""

import contextlib
import hashlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import FormatError
from genotex.fetch.verification import (
    ListedFile,
    data_files,
    describe_files,
    manifest_base,
    read_manifest,
    write_manifest,
)

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""SHA-256 of "abc" (NIST FIPS 180-4, example)."""


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_published_form_without_sizes(tmp_path: Path) -> None:
    path = written(tmp_path / "m.json", {"dataset_name": "GEO", "files": {"A/GSE1/x.gz": ABC}})
    assert read_manifest(path).files == {"A/GSE1/x.gz": ListedFile(ABC, None)}


def test_what_a_file_manager_left_is_no_data_of_a_cohort(tmp_path: Path) -> None:
    files = dict.fromkeys([".DS_Store", "CrawlData.ipynb", "A/.DS_Store", "A/x.gz"], ABC)
    manifest = read_manifest(written(tmp_path / "m", {"dataset_name": "TCGA", "files": files}))
    assert list(manifest.files) == ["A/x.gz"]
    assert manifest.left_out == (".DS_Store", "CrawlData.ipynb", "A/.DS_Store")


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "A/../../x", "", "A\\..\\x", "A/\0x", ".", "./"]
)
def test_path_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "m.json", {"dataset_name": "GEO", "files": {name: ABC}})
    with pytest.raises(FormatError, match="no path inside the folder"):
        read_manifest(path)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"files": []},
        {"files": {}},
        {"files": {"a": "abc"}},
        {"files": {"a": 3}},
        {"files": {"a": ABC}, "sizes": {"a": -1}},
        {"files": {"a": ABC}, "sizes": {"a": "3"}},
        {"files": {"a": ABC}, "sizes": {"a": True}},
        [],
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(FormatError):
        read_manifest(written(tmp_path / "m.json", content))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["dataset_name", "files", "sizes", "x"]), JSON) | JSON)
def test_whatever_stands_in_a_manifest_only_our_own_errors_come_out(content: object) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(FormatError):
        read_manifest(written(Path(folder) / "m.json", content))


@given(st.text())
def test_whatever_path_a_manifest_names_it_stays_in_the_folder(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(FormatError):
        for kept in read_manifest(written(Path(folder) / "m", {"files": {name: ABC}})).files:
            assert ".." not in kept.split("/") and not kept.startswith("/") and kept


def test_written_manifest_reads_as_it_was_described(tmp_path: Path) -> None:
    folder = tmp_path / "input"
    (folder / "GEO").mkdir(parents=True)
    (folder / "GEO" / "a.txt").write_bytes(b"abc")
    (folder / "GEO" / ".lock").write_bytes(b"")
    described = describe_files(data_files(folder))
    assert described == {"GEO/a.txt": ListedFile(ABC, 3)}
    path = tmp_path / "m.json"
    write_manifest(path, described)
    assert read_manifest(path).files == described
    assert json.loads(path.read_text())["files"] == {"GEO/a.txt": ABC}


def test_linked_folder_is_entered_once_although_it_leads_back(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "x.gz").write_bytes(b"abc")
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "A").symlink_to(tmp_path / "far")
    (tmp_path / "far" / "back").symlink_to(tmp_path / "input")
    assert list(data_files(tmp_path / "input")) == ["A/x.gz"]


@pytest.mark.parametrize(
    ("folder", "base"),
    [
        ("bundle", "bundle/input/GEO"),
        ("bundle/input", "bundle/input/GEO"),
        ("bundle/input/GEO", "bundle/input/GEO"),
        ("bundle/input/GEO/A/GSE1", "bundle/input/GEO"),
        ("elsewhere", "elsewhere/GEO"),
        ("renamed", "renamed"),
        ("bundle/input/TCGA", "bundle/input/GEO"),
    ],
)
def test_paths_of_a_published_manifest_begin_in_its_database(
    tmp_path: Path, folder: str, base: str
) -> None:
    (tmp_path / "bundle/input/GEO/A/GSE1").mkdir(parents=True)
    (tmp_path / "bundle/input/TCGA").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "renamed/A").mkdir(parents=True)
    path = written(tmp_path / "m.json", {"dataset_name": "GEO", "files": {"A/GSE1/x.gz": ABC}})
    assert manifest_base(read_manifest(path), tmp_path / folder) == tmp_path / base


def test_the_published_lists_are_read_whole(shared_data: Path) -> None:
    geo = read_manifest(shared_data / "metadata" / "geo_manifest.json")
    tcga = read_manifest(shared_data / "metadata" / "tcga_manifest.json")
    assert (len(geo.files), geo.left_out) == (1815, ())
    # 36 cancers with two files each; what is left out was counted in the file by hand.
    assert len(tcga.files) == 72 and len(tcga.left_out) == 4
    series = "Osteoarthritis/GSE55457/GSE55457_series_matrix.txt.gz"
    content = (shared_data / "input" / "GEO" / series).read_bytes()
    assert geo.files[series].sha256 == hashlib.sha256(content).hexdigest()

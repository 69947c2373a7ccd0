"""Manifests, folders checked against them, and the layout of the benchmark's folder."""

import contextlib
import gzip
import hashlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import FormatError
from genotex.fetch import (
    CheckedFile,
    FileState,
    ListedFile,
    Manifest,
    check_layout,
    data_files,
    describe_files,
    manifest_base,
    read_manifest,
    unreadable,
    verify_folder,
    write_manifest,
)
from genotex.problems import TaskInfo
from tests.benchmark_folder import STUDY, write_bundle
from tests.geo_text import asthma, series_matrix, write_gz

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


CAPTCHA = b"<!DOCTYPE html><html><body>Are you a robot?</body></html>"
DATA = gzip.compress(b'!Series_title\t"x"\n' * 50, mtime=0)
NAME = "GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz"


def folder_with(root: Path, content: bytes | None, name: str = NAME) -> Path:
    (root / "GEO").mkdir(parents=True, exist_ok=True)
    if content is not None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def manifest(content: bytes = DATA, *, size: bool = True, name: str = NAME) -> Manifest:
    digest = hashlib.sha256(content).hexdigest()
    facts = ListedFile(digest, len(content) if size else None)
    return Manifest("GEO", {name.removeprefix("GEO/"): facts}, Path("m.json"))


def verified(root: Path, listed: Manifest, **options: bool) -> dict[str, FileState]:
    return {file.path: file.state for file in verify_folder(root, [listed], **options)}


def test_file_as_listed(tmp_path: Path) -> None:
    root = folder_with(tmp_path, DATA)
    assert verify_folder(root, [manifest()]) == (CheckedFile(NAME, FileState.OK),)


@pytest.mark.parametrize(
    ("content", "state", "detail"),
    [
        (None, FileState.MISSING, ""),
        (b"", FileState.UNREADABLE, "empty"),
        (CAPTCHA, FileState.UNREADABLE, "HTML"),
        (DATA[:-9], FileState.UNREADABLE, "gzip data"),
        (DATA[:20] + b"?" + DATA[21:], FileState.UNREADABLE, "damaged"),
        (DATA + b"more", FileState.UNREADABLE, "other bytes follow"),
        (b'{"error": "API rate limit exceeded"}\n' * 3, FileState.UNREADABLE, "not gzip data"),
        (gzip.compress(b"!Series_title\tx\n" * 99), FileState.WRONG_SIZE, "in place of"),
    ],
    ids=["missing", "empty", "page", "cut", "damaged", "longer", "JSON", "other"],
)
@pytest.mark.parametrize("size", [True, False])
def test_file_that_is_wrong(
    tmp_path: Path, content: bytes | None, state: FileState, detail: str, size: bool
) -> None:
    if not size and state is FileState.WRONG_SIZE:
        state, detail = FileState.WRONG_CHECKSUM, "another version"
    (file,) = verify_folder(folder_with(tmp_path, content), [manifest(size=size)])
    assert file.state is state and detail in file.detail
    assert file.state.is_wrong


def test_same_size_and_other_content(tmp_path: Path) -> None:
    name = "GEO/Asthma/GSE1/GPL1.txt"
    root = folder_with(tmp_path, b"ID\tSymbol\n1\tTP53\n", name)
    listed = manifest(b"ID\tSymbol\n1\tTP63\n", name=name)
    assert verified(root, listed) == {name: FileState.WRONG_CHECKSUM}


def test_unpacked_file_is_told_where_the_packed_one_is_missing(tmp_path: Path) -> None:
    root = folder_with(tmp_path, b"!Series_title\tx\n", NAME.removesuffix(".gz"))
    missing = next(f for f in verify_folder(root, [manifest()]) if f.state is FileState.MISSING)
    assert "is there, unpacked" in missing.detail


def test_file_of_ones_own_beside_the_listed_ones_is_no_mistake(tmp_path: Path) -> None:
    root = folder_with(folder_with(tmp_path, DATA), b"ID\n1\n", "GEO/Asthma/GSE1/GPL1.txt")
    found = verified(root, manifest())
    assert found == {"GEO/Asthma/GSE1/GPL1.txt": FileState.NOT_LISTED, NAME: FileState.OK}
    assert not any(state.is_wrong for state in found.values())


def test_captcha_page_beside_the_listed_files_is_wrong(tmp_path: Path) -> None:
    other = "GEO/Asthma/GSE2/GSE2_series_matrix.txt.gz"
    root = folder_with(folder_with(tmp_path, DATA), CAPTCHA, other)
    assert verified(root, manifest())[other] is FileState.UNREADABLE


def test_series_of_another_trait_is_recognised(tmp_path: Path) -> None:
    twin = "GEO/Eczema/GSE1/GSE1_series_matrix.txt.gz"
    root = folder_with(folder_with(tmp_path, DATA), DATA, twin)
    file = next(f for f in verify_folder(root, [manifest()]) if f.path == twin)
    assert file.state is FileState.NOT_LISTED and file.detail == f"the same bytes as {NAME}"


def test_file_of_another_series_is_wrong_although_it_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / "GEO" / "Asthma" / "GSE2"
    matrix = write_gz(
        folder / "GSE2_series_matrix.txt.gz", series_matrix("GSE1", characteristics=asthma(4))
    )
    write_gz(folder / "GSE2_family.soft.gz", "^SERIES = GSE3\n!Series_title = other\n")
    listed = describe_files({f"Asthma/GSE2/{matrix.name}": matrix})
    checked = verify_folder(tmp_path, [Manifest("GEO", listed, tmp_path / "m.json")])
    assert [file.state for file in checked] == [FileState.OTHER_SERIES] * 2
    assert checked[1].detail.startswith("is a file of the series GSE1, in the folder of GSE2")


def test_missing_files_passed_over_on_request(tmp_path: Path) -> None:
    assert verified(folder_with(tmp_path, None), manifest(), ignore_missing=True) == {}


def test_folder_of_one_series_is_held_against_its_own_files_only(tmp_path: Path) -> None:
    root = folder_with(tmp_path, DATA)
    digest = hashlib.sha256(DATA).hexdigest()
    names = ("Asthma/GSE1/GSE1_series_matrix.txt.gz", "Asthma/GSE2/GSE2_series_matrix.txt.gz")
    listed = Manifest("GEO", dict.fromkeys(names, ListedFile(digest)), Path("m.json"))
    found = verified(root / "GEO/Asthma/GSE1", listed)
    assert found == {"GSE1_series_matrix.txt.gz": FileState.OK}


def test_progress_counts_the_files_that_are_there(tmp_path: Path) -> None:
    steps: list[tuple[str, int]] = []
    verify_folder(folder_with(tmp_path, DATA), [manifest()], lambda *step: steps.append(step))
    assert steps == [(NAME, 1)]


def test_unfinished_download_is_told_as_missing(tmp_path: Path) -> None:
    part = NAME.replace("GSE1", "GSE2") + ".part"
    root = folder_with(folder_with(tmp_path, DATA), DATA[:9], part)
    for ignore_missing in (True, False):
        files = verify_folder(root, [manifest()], ignore_missing=ignore_missing)
        assert [(f.path, f.state) for f in files] == [
            (NAME, FileState.OK),
            (part.removesuffix(".part"), FileState.MISSING),
        ]
        assert "only a part" in files[1].detail


def test_hidden_files_and_documents_are_nobodys_business(tmp_path: Path) -> None:
    path = tmp_path / "notes.docx"
    path.write_bytes(b"PK\x03\x04...")
    assert unreadable(path) is None


def test_every_listed_file_once_for_two_manifests(tmp_path: Path) -> None:
    study = "TCGA/TCGA_Melanoma_(SKCM)/TCGA.SKCM.sampleMap_SKCM_clinicalMatrix"
    root = folder_with(folder_with(tmp_path, DATA), b"sampleID\tage\nTCGA-1\t3\n", study)
    facts = describe_files({study.removeprefix("TCGA/"): root / study})
    tcga = Manifest("TCGA", facts, Path("t.json"))
    files = verify_folder(root, [manifest(), tcga])
    assert {f.path: f.state for f in files} == {NAME: FileState.OK, study: FileState.OK}
    series = verify_folder(root / "GEO/Asthma/GSE1", [manifest(), tcga])
    assert [(f.path, f.state) for f in series] == [(Path(NAME).name, FileState.OK)]


def test_real_series_matches_the_published_checksum(shared_data: Path) -> None:
    geo = read_manifest(shared_data / "metadata" / "geo_manifest.json")
    found = verified(shared_data / "input", geo, ignore_missing=True)
    series = "GEO/Osteoarthritis/GSE55457/GSE55457_series_matrix.txt.gz"
    assert [path for path, state in found.items() if state is FileState.OK] == [series]
    assert not any(state.is_wrong for state in found.values())


PARTS = (
    "input/GEO",
    "input/TCGA",
    "output/preprocess",
    "output/regress",
    "metadata/task_info.json",
    "metadata/gene_synonym.json",
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


def incomplete(folder: Path) -> dict[str, str]:
    return {part.place: part.detail for part in check_layout(folder) if not part.complete}


def test_whole_folder_is_counted(bundle: Path) -> None:
    found = {part.place: (part.complete, part.detail) for part in check_layout(bundle)}
    assert found == {
        "input/GEO": (True, "1 series of 1 traits"),
        "input/TCGA": (True, "1 cohorts"),
        "output/preprocess": (True, "1 traits"),
        "output/regress": (True, "2 of 2 answers"),
        "metadata/task_info.json": (True, "1 traits, 2 problems"),
        "metadata/gene_synonym.json": (True, "1 gene names"),
    }


def test_folder_that_is_not_there_lacks_everything(tmp_path: Path) -> None:
    assert incomplete(tmp_path / "nowhere") == dict.fromkeys(PARTS, "missing")


@pytest.mark.parametrize(
    ("remove", "place", "detail"),
    [
        (f"input/TCGA/{STUDY}/TCGA.SKCM.sampleMap_HiSeqV2_PANCAN.gz", "input/TCGA", STUDY),
        ("output/preprocess/Asthma/cohort_info.json", "output/preprocess", "of Asthma"),
        (
            "output/regress/Asthma/significant_genes_condition_Age.json",
            "output/regress",
            "1 of 2 answers; missing: Asthma given Age",
        ),
        ("metadata/gene_synonym.json", "metadata/gene_synonym.json", "missing"),
        ("metadata/task_info.json", "metadata/task_info.json", "missing"),
    ],
)
def test_one_part_missing(bundle: Path, remove: str, place: str, detail: str) -> None:
    (bundle / remove).unlink()
    found = incomplete(bundle)
    assert list(found) == [place] and detail in found[place]


def test_trait_without_any_series_is_missing(bundle: Path) -> None:
    (bundle / "input" / "GEO" / "Asthma").rename(bundle / "input" / "GEO" / "Gout")
    assert incomplete(bundle) == {"input/GEO": "1 series of 1 traits; none of Asthma"}


def test_every_trait_of_the_published_list_has_series(shared_data: Path) -> None:
    metadata = shared_data / "metadata"
    listed = json.loads((metadata / "geo_manifest.json").read_text())["files"]
    assert {name.partition("/")[0] for name in listed} == set(
        TaskInfo.load(metadata / "task_info.json").traits
    )


def test_captcha_page_in_place_of_the_task_list_is_told(bundle: Path) -> None:
    (bundle / "metadata" / "task_info.json").write_text("<html>Are you a robot?</html>" * 9)
    assert "not JSON" in incomplete(bundle)["metadata/task_info.json"]

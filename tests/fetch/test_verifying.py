"""Folders with one thing wrong, against the list of what they should hold."""

import gzip
import hashlib
from pathlib import Path

import pytest

from genotex.fetch.verification import (
    CheckedFile,
    FileState,
    ListedFile,
    Manifest,
    describe_files,
    read_manifest,
    unreadable,
    verify_folder,
)

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

import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import TextIO

import polars as pl
import pytest

from genotex.errors import UsageError
from genotex.layout import (
    InputFolder,
    OutputFolder,
    atomic_write,
    lock,
    make_folder,
    trait_folder_name,
)


@pytest.mark.parametrize(
    ("trait", "folder"),
    [
        # the two examples of the benchmark's README, section 2
        ("Crohn's Disease", "Crohns_Disease"),
        ("Large B-cell Lymphoma", "Large_B-cell_Lymphoma"),
        ("Sjögren\N{RIGHT SINGLE QUOTATION MARK}s  Syndrome", "Sjögrens_Syndrome"),
        ("Rheumatoid_Arthritis", "Rheumatoid_Arthritis"),
    ],
)
def test_trait_folder_name(trait: str, folder: str) -> None:
    assert trait_folder_name(trait) == folder


@pytest.mark.parametrize("trait", ["", "  ", "'", "../x", "a/b", ".hidden", "a\\b", "a\0b"])
def test_trait_names_that_would_leave_their_folder_are_refused(trait: str) -> None:
    with pytest.raises(UsageError, match="trait name"):
        trait_folder_name(trait)


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_geo_files_are_told_apart_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "GEO" / "Asthma" / "GSE10"
    for name in (
        "GSE10-GPL96_series_matrix.txt.gz",
        "GSE10-GPL97_series_matrix.txt.gz",
        "GSE10_family.soft.gz",
        "GPL96.txt.gz",
        "GPL97.annot.gz",
        ".DS_Store",
        "notes.txt",
    ):
        touch(folder / name)
    touch(tmp_path / "GEO" / "Asthma" / "GSE9" / "GSE9_series_matrix.txt")
    first, second = InputFolder(tmp_path).geo_cohorts("Asthma")
    assert (first.cohort, second.cohort) == ("GSE9", "GSE10")
    assert [p.name for p in second.matrices] == [
        "GSE10-GPL96_series_matrix.txt.gz",
        "GSE10-GPL97_series_matrix.txt.gz",
    ]
    assert [p.name for p in second.family_soft] == ["GSE10_family.soft.gz"]
    assert [p.name for p in second.platforms] == ["GPL96.txt.gz", "GPL97.annot.gz"]


def test_tcga_files_with_and_without_pancan(tmp_path: Path) -> None:
    folder = tmp_path / "TCGA" / "TCGA_Liver_Cancer_(LIHC)"
    for name in (
        "TCGA.LIHC.sampleMap_LIHC_clinicalMatrix",
        "TCGA.LIHC.sampleMap_HiSeqV2_PANCAN.gz",
        "TCGA.LIHC.sampleMap_HiSeqV2.gz",
    ):
        touch(folder / name)
    (files,) = InputFolder(tmp_path).tcga_folders()
    assert files.clinical is not None and files.clinical.name.endswith("clinicalMatrix")
    assert files.expression is not None and files.expression.name.endswith("HiSeqV2.gz")
    assert files.expression_pancan is not None and "PANCAN" in files.expression_pancan.name


def test_input_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither GEO/ nor TCGA/"):
        InputFolder(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        InputFolder(tmp_path / "absent")


def test_output_paths_are_the_benchmarks(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    where = tmp_path / "preprocess" / "Crohns_Disease"
    assert output.linked_csv("Crohn's Disease", "GSE1") == where / "GSE1.csv"
    assert output.gene_csv("Crohns_Disease", "GSE1") == where / "gene_data" / "GSE1.csv"
    assert output.clinical_csv("Crohns_Disease", "GSE1") == where / "clinical_data" / "GSE1.csv"
    regress = tmp_path / "regress" / "Crohns_Disease"
    assert output.significant_genes("Crohns_Disease", None) == (
        regress / "significant_genes_condition_None.json"
    )
    assert output.significant_genes("Crohns_Disease", "Age").name.endswith("condition_Age.json")


def test_atomic_write_replaces_whole_and_keeps_the_usual_mode(tmp_path: Path) -> None:
    target = tmp_path / "new" / "table.csv"
    for text in ("first", "second"):
        with atomic_write(target) as part:
            part.write_text(text)
        assert target.read_text() == text
    assert [p.name for p in target.parent.iterdir()] == ["table.csv"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_full_disk_of_a_table_is_an_error_of_the_system_that_names_the_file(
    tmp_path: Path, kind: str
) -> None:
    frame = pl.DataFrame({"a": [1, 2, 3]})
    write = frame.write_parquet if kind == "parquet" else frame.write_csv
    target = tmp_path / "table"
    with pytest.raises(OSError, match="No space left") as error, atomic_write(target):
        write(Path("/dev/full"))
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(target))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_atomic_write_that_fails_leaves_the_old_file(
    tmp_path: Path, how: type[BaseException]
) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(how), atomic_write(target) as part:
        part.write_text("half")
        raise how
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("place", ["in_the_way/x.csv", "in_the_way/deeper/x.csv"])
def test_file_where_a_folder_is_needed_is_named(tmp_path: Path, place: str) -> None:
    file = tmp_path / "in_the_way"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="in_the_way is a file, where a folder is needed"):
        make_folder((tmp_path / place).parent)
    with pytest.raises(UsageError, match="in_the_way is a file"):
        OutputFolder((tmp_path / place).parent)
    for opened in (atomic_write(tmp_path / place), lock(tmp_path / place)):
        with pytest.raises(UsageError, match="in_the_way is a file"), opened:
            pass
    assert file.read_text(encoding="utf-8") == "mine"


def test_lock_is_held_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "cohort_info.json"
    with lock(path), (tmp_path / ".cohort_info.json.lock").open("w") as other:
        assert not can_lock(other)
    with (tmp_path / ".cohort_info.json.lock").open("w") as other:
        assert can_lock(other)


def test_lock_that_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    in_use = pytest.raises(UsageError, match="in use by another process")
    with lock(path, wait=False), in_use, lock(path, wait=False):
        pytest.fail("both hold it")
    with lock(path, wait=False):
        pass


def can_lock(handle: TextIO) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

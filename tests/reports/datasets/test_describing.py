"""What is told of a data set, counted by hand in a small one."""

import csv
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import pytest

from genotex.errors import UsageError
from genotex.options import About
from genotex.reports import (
    Description,
    datasheet_json,
    describe_dataset,
    own_files,
    write_description,
)
from tests.bench.evaluation.output_folders import cohort, write_cohorts, write_text_table
from tests.geo_text import write_asthma
from tests.reports.datasets.some_bundle import PEOPLE, write_bundle, write_outputs, write_raw
from tests.rna_seq_text import write_counted


def described(root: Path, *, whole: bool = True, jobs: int = 1) -> Description:
    return describe_dataset(
        root, About("some data"), leave_out=own_files(root), whole=whole, jobs=jobs
    )


def table(found: Description, title: str) -> list[dict[str, object]]:
    rows = datasheet_json(found)["tables"][title]
    assert isinstance(rows, list)
    return rows


def gaps(found: Description) -> dict[str, tuple[str, ...]]:
    return {gap.what: gap.where for gap in found.gaps}


def test_bundle_is_counted_part_by_part(tmp_path: Path) -> None:
    found = described(write_bundle(tmp_path))
    assert table(found, "Raw cohorts") == [
        {
            "folder": "input",
            "traits": 1,
            "GEO cohorts": 2,
            "different series": 2,
            "TCGA studies": 1,
            "samples": 12 + 10 + 2,
            "samples counted once": 24,
            "without expression": 1,
        }
    ]
    assert table(found, "Preprocessed cohorts") == [
        {
            "folder": "output",
            "traits": 1,
            "cohorts": 2,
            "usable": 1,
            "samples of usable": 4,
            "with age": 1,
            "with gender": 1,
            "fewest genes": 2,
            "most genes": 2,
        }
    ]
    (answers,) = table(found, "Answered problems")
    assert (answers["answered problems"], answers["with age or gender"]) == (2, 1)
    assert (answers["fewest genes"], answers["most genes"], answers["median"]) == (1, 2, 1.5)
    (problems,) = table(found, "Problems to solve")
    assert problems == {"traits": 3, "unconditional": 3, "one-step": 2, "two-step": 1}


def test_samples_are_those_of_usable_cohorts_in_every_table(tmp_path: Path) -> None:
    biased = {**cohort(30), "is_usable": False, "is_biased": True}
    write_cohorts(write_outputs(tmp_path), "Asthma", {"GSE1": cohort(4), "GSE2": biased})
    found = described(tmp_path)
    for title in ("Preprocessed cohorts", "Traits"):
        (row,) = table(found, title)
        assert (row["cohorts"], row["usable"], row["samples of usable"]) == (2, 1, 4), title


def test_raw_cohorts_have_samples_rows_and_platform(tmp_path: Path) -> None:
    found = described(write_raw(tmp_path))
    told = {c.cohort: (c.source, c.platform, c.samples, c.rows, c.files) for c in found.raw}
    assert told == {
        "GSE1": ("GEO", "GPL1", 12, 30, 2),
        "GSE2": ("GEO", "GPL1", 10, 0, 1),
        "TCGA_Lung": ("TCGA", "", 2, 3, 2),
    }


def test_counts_of_an_empty_series_are_its_rows(tmp_path: Path) -> None:
    folder = write_counted(tmp_path, "GSE2", 12, annotation={"1": "A1BG"})
    found = described(tmp_path)
    (cohort,) = found.raw
    assert (cohort.samples, cohort.rows, cohort.files) == (12, 12, 3)
    kinds = {facts.place.kind for facts in found.files}
    assert kinds == {"series matrix", "RNA-seq counts", "annotation of counts"}
    assert not any("empty" in what or "probes" in what for what in gaps(found))
    (row,) = table(found, "Raw cohorts")
    assert row["without expression"] == 0
    next(folder.glob("*_raw_counts_*")).unlink()
    assert gaps(described(tmp_path))["cohorts whose expression table is empty"]


def test_series_under_two_traits_has_its_samples_counted_once(tmp_path: Path) -> None:
    write_asthma(tmp_path, number=12)
    (tmp_path / "GEO" / "Allergy").mkdir()
    (tmp_path / "GEO" / "Allergy" / "GSE1").symlink_to(tmp_path / "GEO" / "Asthma" / "GSE1")
    (row,) = table(described(tmp_path), "Raw cohorts")
    assert (row["GEO cohorts"], row["different series"]) == (2, 1)
    assert (row["samples"], row["samples counted once"]) == (24, 12)


def test_digests_and_sizes_are_those_of_the_bytes(tmp_path: Path) -> None:
    root = write_bundle(tmp_path / "data")
    write_description(root, described(root))
    with (root / "description" / "files.csv").open(newline="") as handle:
        rows = {row["path"]: row for row in csv.DictReader(handle)}
    assert len(rows) == 14
    for path, row in rows.items():
        content = (root / path).read_bytes()
        assert row["sha256"] == hashlib.sha256(content).hexdigest()
        assert int(row["bytes"]) == len(content)


def test_no_person_of_the_files_reaches_the_description(tmp_path: Path) -> None:
    root = write_bundle(tmp_path / "data")
    matrix = root / "input/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz"
    assert all(name in gzip.decompress(matrix.read_bytes()).decode() for name in PEOPLE)
    write_description(tmp_path / "out", described(root))
    texts = {path: path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert len(texts) == 7
    for path, text in texts.items():
        assert not [name for name in PEOPLE if name in text], path
        assert not re.search(r"\S@\w+\.", text), path


def test_fields_for_contacts_are_counted(tmp_path: Path) -> None:
    root = write_raw(tmp_path)
    write_asthma(root, "GSE3")
    found = described(root)
    assert datasheet_json(found)["files_with_contacts"] == 2
    write_description(root, found)
    sheet = (root / "description" / "datasheet.md").read_text()
    assert "2 of 3 series files that were examined have GEO's fields" in sheet


def test_same_folder_gives_the_same_bytes_also_in_two_processes(tmp_path: Path) -> None:
    root = write_bundle(tmp_path / "data")
    runs = []
    for jobs in (1, 1, 2):
        write_description(root, described(root, jobs=jobs))
        written = [root / "croissant.json", *sorted((root / "description").iterdir())]
        runs.append([path.read_bytes() for path in written])
    assert runs[0] == runs[1] == runs[2]


def test_quick_look_reads_headers_only(tmp_path: Path) -> None:
    found = described(write_bundle(tmp_path), whole=False)
    assert {facts.sha256 for facts in found.files} == {None}
    raw = {cohort.cohort: (cohort.samples, cohort.rows) for cohort in found.raw}
    assert raw == {"GSE1": (12, None), "GSE2": (10, None), "TCGA_Lung": (2, None)}
    assert [c.genes for c in found.prepared if c.is_usable] == [2]


def test_what_is_missing_is_listed(tmp_path: Path) -> None:
    root = write_outputs(tmp_path)
    (root / "preprocess" / "Asthma" / "GSE1.csv").unlink()
    write_text_table(root, "linked", "Asthma", "GSE7", ",Asthma,A2M\nGSM1,0,1.5\n")
    write_text_table(root, "linked", "Gout", "GSE8", ",Gout,A2M\nGSM1,0,1.5\n")
    assert gaps(described(root)) == {
        "no raw data: neither GEO/ nor TCGA/": (),
        "no list of problems: task_info.json": (),
        "traits with linked tables but no cohort_info.json": ("Gout",),
        "usable cohorts without a linked table": ("Asthma/GSE1",),
        "linked tables without a record in cohort_info.json": ("Asthma/GSE7",),
    }


def test_input_folder_alone_does_not_show_what_is_usable(tmp_path: Path) -> None:
    root = write_raw(tmp_path)
    (root / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz").unlink()
    (root / "TCGA" / "TCGA_Lung" / "TCGA.LUNG.sampleMap_HiSeqV2.gz").unlink()
    told = gaps(described(root))
    assert told["GEO cohorts without a series matrix"] == ("GEO/Asthma/GSE1",)
    assert told["TCGA studies without TCGA expression"] == ("TCGA/TCGA_Lung",)
    assert told["cohorts whose expression table is empty"] == ("GEO/Asthma/GSE2",)
    assert any("it is unknown which cohorts are usable" in what for what in told)


def test_table_that_disagrees_with_its_record_is_reported(tmp_path: Path) -> None:
    root = write_outputs(tmp_path)
    path = root / "preprocess" / "Asthma" / "GSE1.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    what = "linked tables with another number of samples than in cohort_info.json"
    assert gaps(described(root))[what] == ("Asthma/GSE1",)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<html>Are you Ada Lovelace?</html>" * 9, "holds a web page or other things"),
        (gzip.compress(b"!Series_title\t1\n" * 99, mtime=0)[:-20], "ends too early or is damaged"),
        (b"Ada Lovelace\n" * 9, "is not in the format that its name promises"),
        (b"", "ends too early or is damaged"),
    ],
)
def test_unreadable_series_is_listed_with_its_digest_and_no_words_of_it(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    path = write_asthma(tmp_path)
    path.write_bytes(content)
    found = described(tmp_path)
    (facts,) = found.files
    assert facts.sha256 == hashlib.sha256(content).hexdigest()
    assert facts.problem.startswith(problem)
    assert gaps(found)[f"the file {facts.problem}"] == (facts.place.path,)
    assert "Lovelace" not in json.dumps(datasheet_json(found))


def test_broken_records_and_answers_do_not_stop_the_rest(tmp_path: Path) -> None:
    root = write_bundle(tmp_path)
    (root / "output/preprocess/Asthma/cohort_info.json").write_text("{")
    (root / "output/regress/Asthma/significant_genes_condition_Age.json").write_text("[]")
    (root / "metadata/task_info.json").write_text("{")
    found = described(root)
    assert found.problems is None
    told = gaps(found)
    assert told["the list of problems cannot be read"] == ("metadata/task_info.json",)
    assert told["the file is not in the format that its name promises"] == (
        "output/preprocess/Asthma/cohort_info.json",
        "output/regress/Asthma/significant_genes_condition_Age.json",
    )
    assert [answer.genes for answer in found.answers] == [2, None]


def test_files_under_a_link_to_a_folder_above_are_listed_once(tmp_path: Path) -> None:
    write_asthma(tmp_path)
    (tmp_path / "GEO" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert [facts.place.path for facts in described(tmp_path).files] == [
        "GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz"
    ]


def test_file_of_which_only_a_part_has_come_is_no_part_of_the_data_set(tmp_path: Path) -> None:
    write_asthma(tmp_path)
    before = datasheet_json(described(tmp_path))
    part = next(tmp_path.rglob("*_series_matrix.txt.gz")).with_name("GSE1_family.soft.gz.part")
    part.write_bytes(b"half")
    assert datasheet_json(described(tmp_path)) == before


def test_earlier_description_is_no_part_of_the_data_set(tmp_path: Path) -> None:
    root = write_raw(tmp_path)
    before = len(described(root).files)
    write_description(root, described(root))
    assert len(described(root).files) == before


@pytest.mark.parametrize("name", ["croissant.json", "description/mine.txt"])
def test_files_of_another_origin_are_not_replaced(tmp_path: Path, name: str) -> None:
    root = write_raw(tmp_path)
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("{}")
    with pytest.raises(UsageError, match="was not written by genotex describe"):
        write_description(root, described(root))
    assert (root / name).read_text() == "{}"
    assert not (root / "description" / "datasheet.md").exists()


def test_run_that_was_killed_can_be_done_again(tmp_path: Path) -> None:
    root = write_raw(tmp_path)
    (root / "description").mkdir()
    (root / "description" / ".datasheet.json.0123456789ab.part").write_text("{")
    write_description(root, described(root))
    (root / "croissant.json").unlink()
    assert write_description(root, described(root)).is_file()


def test_missing_library_is_reported_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_raw(tmp_path)
    found = described(root)
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(UsageError, match=r"pip install 'genotex\[describe\]'"):
        write_description(root, found)
    assert sorted(path.name for path in root.iterdir()) == ["GEO", "TCGA"]


def test_series_of_a_family_soft_alone(shared_data: Path, tmp_path: Path) -> None:
    """34 samples on two platforms: README of the data; the first platform's are used."""
    folder = tmp_path / "GEO" / "Some_Trait" / "GSE781"
    folder.mkdir(parents=True)
    (folder / "GSE781_family.soft.gz").symlink_to(shared_data / "traps" / "GSE781_family.soft.gz")
    (cohort,) = described(tmp_path).raw
    assert (cohort.platform, cohort.samples, cohort.rows) == ("GPL96", 17, None)


def test_folder_of_neither_layout(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(UsageError, match="holds no data set: expected GEO/ or TCGA/"):
        described(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        described(tmp_path / "absent")


def test_real_series_are_counted_and_their_submitters_left_out(
    shared_data: Path, tmp_path: Path
) -> None:
    """Samples and probes: README of the data; contact: the files themselves."""
    found = describe_dataset(shared_data / "input", About("real"))
    told = {(c.trait, c.cohort): (c.samples, c.rows, c.platform) for c in found.raw}
    assert told["Osteoarthritis", "GSE55457"] == (33, 22_283, "GPL96")
    assert told["Rheumatoid_Arthritis", "GSE55235"] == (30, 22_283, "GPL96")
    assert len(told) == 4
    write_description(tmp_path, found)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not re.search("Kinne|Jena|Eisenberg|Woetzel|@uni|@med", path.read_text()), path

"""The Croissant file, judged and loaded by the reference implementation of the standard."""

import csv
import json
import socket
from pathlib import Path
from typing import Any

import mlcroissant
import pytest

from genotex.options import About
from genotex.reports import describe_dataset, own_files, write_description
from tests.bench.evaluation.output_folders import write_json, write_text_table
from tests.reports.datasets.some_bundle import write_bundle, write_outputs, write_raw

# rdflib, which mlcroissant reads JSON-LD with, warns of its own class.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")

ABOUT = About(
    "My cohorts",
    license="https://creativecommons.org/licenses/by/4.0/",
    url="https://example.org/cohorts",
    version="1.2.0",
    citation="Somebody et al., 2026",
    creators=("Some Body",),
    publisher="Example University",
    date="2026-01-31",
)


@pytest.fixture(autouse=True)
def without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def written(root: Path, about: About = ABOUT, **options: Any) -> Path:
    found = describe_dataset(root, about, leave_out=own_files(root), **options)
    return write_description(root, found)


def loaded(path: Path) -> mlcroissant.Dataset:
    """Return the data set; reading it raises on every error of validation."""
    return mlcroissant.Dataset(jsonld=path)


def records(path: Path, name: str) -> list[dict[str, Any]]:
    """Return the records of a set by the names of its fields, texts as such."""
    return [
        {
            key.removeprefix(f"{name}/"): value.decode() if isinstance(value, bytes) else value
            for key, value in record.items()
        }
        for record in loaded(path).records(name)
    ]


def test_description_with_all_fields_is_valid_without_a_warning(tmp_path: Path) -> None:
    metadata = loaded(written(write_bundle(tmp_path))).metadata
    assert metadata.ctx.issues.errors == set() and metadata.ctx.issues.warnings == set()
    assert metadata.name == "My cohorts" and metadata.version == "1.2.0"
    assert [creator.name for creator in metadata.creators] == ["Some Body"]
    assert metadata.ctx.conforms_to.value == "http://mlcommons.org/croissant/1.0"


@pytest.mark.parametrize("write", [write_raw, write_outputs, write_bundle])
@pytest.mark.parametrize("whole", [True, False])
def test_unknown_fields_are_absent_and_the_rest_valid(  # type: ignore[no-untyped-def]
    tmp_path: Path, write, whole: bool
) -> None:
    path = written(write(tmp_path), About("data"), whole=whole)
    assert loaded(path).metadata.ctx.issues.errors == set()
    content = json.loads(path.read_text())
    absent = {"license", "url", "version", "citeAs", "creator", "publisher", "datePublished"}
    assert not absent & set(content)


def test_every_file_is_listed_with_its_digest(tmp_path: Path) -> None:
    path = written(write_bundle(tmp_path))
    files = {file.content_url: file.sha256 for file in loaded(path).metadata.file_objects}
    with (tmp_path / "description" / "files.csv").open(newline="") as handle:
        wanted = {row["path"]: row["sha256"] for row in csv.DictReader(handle)}
    assert wanted.items() <= files.items()
    assert {name for name in files if name not in wanted} == {
        f"description/{name}"
        for name in ("cohorts.csv", "datasheet.json", "datasheet.md", "files.csv",
                     "raw_cohorts.csv", "results.csv")
    }  # fmt: skip


def test_changed_file_is_noticed_when_it_is_loaded(tmp_path: Path) -> None:
    path = written(write_outputs(tmp_path))
    with (tmp_path / "description" / "cohorts.csv").open("a") as handle:
        handle.write(",Asthma,GSE9\n")
    with pytest.raises(mlcroissant.GenerationError) as raised:
        records(path, "cohorts")
    assert "not identical with the reference" in str(raised.value.__cause__)


def test_cohort_records_are_loaded_with_what_is_not_known(tmp_path: Path) -> None:
    first, second = records(written(write_bundle(tmp_path)), "cohorts")
    assert first == {
        "part": "output",
        "trait": "Asthma",
        "cohort": "GSE1",
        "is_usable": True,
        "is_gene_available": True,
        "is_trait_available": True,
        "is_available": True,
        "is_biased": False,
        "has_age": True,
        "has_gender": True,
        "sample_size": 4,
        "linked_samples": 4,
        "linked_genes": 2,
    }
    assert (second["cohort"], second["is_usable"], second["is_available"]) == ("GSE2", False, False)
    assert second["is_biased"] is second["sample_size"] is second["linked_genes"] is None


def test_linked_tables_are_loaded_by_their_fixed_columns(tmp_path: Path) -> None:
    path = written(write_bundle(tmp_path))
    rows = records(path, "linked/output/Asthma/age_gender")
    assert [tuple(row.values()) for row in rows] == [
        ("GSE1", "GSM1", 1.0, 30.0, 0.0),
        ("GSE1", "GSM2", 0.0, 41.0, 1.0),
        ("GSE1", "GSM3", 1.0, 52.0, 1.0),
        ("GSE1", "GSM4", 0.0, 63.0, 0.0),
    ]
    assert list(rows[0]) == ["cohort", "sample", "trait", "age", "gender"]


def test_linked_tables_with_other_columns_are_a_set_of_their_own(tmp_path: Path) -> None:
    root = write_outputs(tmp_path)
    write_text_table(root, "linked", "Asthma", "GSE[2]", ",Asthma,Gender,A2M\nGSM9,1,,2.5\n")
    write_text_table(root, "linked", "Asthma", "GSE 3", ",Asthma,A2M\nGSM8,0,2.5\n")
    path = written(root)
    assert [tuple(row.values()) for row in records(path, "linked/Asthma/gender")] == [
        ("GSE[2]", "GSM9", 1.0, None)
    ]
    (row,) = records(path, "linked/Asthma/trait_only")
    assert row == {"cohort": "GSE 3", "sample": "GSM8", "trait": 0.0}
    assert len(records(path, "linked/Asthma/age_gender")) == 4


def test_lists_of_genes_are_loaded_with_their_problem(tmp_path: Path) -> None:
    root = write_outputs(tmp_path)
    (root / "regress/Asthma/significant_genes_condition_Age.json").unlink()
    rows = records(written(root), "results")
    assert [tuple(row.values()) for row in rows] == [
        ("Asthma", "None", "TP53", -1.5, 1.5),
        ("Asthma", "None", "A2M", 0.5, 0.5),
    ]
    assert list(rows[0]) == ["trait", "condition", "gene", "coefficient", "absolute_coefficient"]


def test_lists_without_coefficients_are_loaded_as_genes(tmp_path: Path) -> None:
    """One list has none, another fewer than genes: no field can be told for all of them."""
    root = write_outputs(tmp_path)
    uneven = {"Variable": ["ACE", "ABO"], "Coefficient": [0.5]}
    write_json(
        root / "regress/Asthma/significant_genes_condition_Obesity.json",
        {"significant_genes": uneven},
    )
    rows = {tuple(row.values()) for row in records(written(root), "results")}
    assert rows == {
        ("Asthma", "None", "TP53"),
        ("Asthma", "None", "A2M"),
        ("Asthma", "Age", "A2M"),
        ("Asthma", "Obesity", "ACE"),
        ("Asthma", "Obesity", "ABO"),
    }


def test_raw_cohorts_are_loaded(tmp_path: Path) -> None:
    rows = records(written(write_raw(tmp_path)), "raw_cohorts")
    told = [
        (row["source"], row["trait"], row["cohort"], row["samples"], row["rows"]) for row in rows
    ]
    assert told == [
        ("GEO", "Asthma", "GSE1", 12, 30),
        ("GEO", "Asthma", "GSE2", 10, 0),
        ("TCGA", None, "TCGA_Lung", 2, 3),
    ]


def test_without_checksums_files_are_sets_by_what_they_hold(tmp_path: Path) -> None:
    path = written(write_bundle(tmp_path), whole=False)
    metadata = loaded(path).metadata
    sets = {file_set.name: file_set.includes for file_set in metadata.file_sets}
    assert sets["series matrix (text/plain in application/gzip)"] == [
        "input/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz",
        "input/GEO/Asthma/GSE2/GSE2_series_matrix.txt.gz",
    ]
    assert {file.content_url.split("/")[0] for file in metadata.file_objects} == {"description"}
    assert len(records(path, "linked/output/Asthma/age_gender")) == 4

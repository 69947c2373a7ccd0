"""A release of labels: what it lists, and that its files are those of its checksums."""

import csv
import json
from pathlib import Path

import pytest

from genotex.bench import case_from_json, read_labelled_cases, release_labels
from genotex.errors import UsageError
from genotex.formats import sha256

ILL = {"row": 0, "map": {"disease: gout": 1, "disease: none": 0}}
DOSE = {"row": 1, "map": {"dose: low": 1, "dose: high": 0}}
NOTHING = {"is_gene_available": True, "trait": None, "age": None, "gender": None}
CASES = [
    case_from_json({"id": f"Gout/GSE{i}", "trait": "Gout", "cohort": f"GSE{i}", "labels": labels})
    for i, labels in enumerate(
        (
            {"reading": {**NOTHING, "trait": ILL}, "benchmark": {**NOTHING, "trait": ILL}},
            {"reading": {**NOTHING, "why": "=all ill"}, "benchmark": {**NOTHING, "trait": DOSE}},
            {"benchmark": NOTHING},
        )
    )
]


def test_release_lists_what_differs_and_why(tmp_path: Path) -> None:
    made = release_labels(
        CASES, tmp_path / "out", verified="reading", other="benchmark", creators=["Doe, J"]
    )
    assert (made.cases, made.traits, made.differing) == (2, 1, 1)
    with (tmp_path / "out" / "differences.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["case"], row["feature"], row["other_row"]) == ("Gout/GSE1", "trait", "1")
    assert "treatment, dose or time" in row["difference"]
    assert row["other_values"] == "dose: low -> 1.0; dose: high -> 0.0"
    assert not row["why"].startswith("="), "a spreadsheet would compute it"
    deposit = json.loads((tmp_path / "out" / "zenodo.json").read_text())
    assert deposit["creators"] == [{"name": "Doe, J"}]


def test_files_are_those_of_the_checksums_and_labels_can_be_read_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release_labels(CASES, out, verified="reading", other="benchmark")
    sums = dict(line.split("  ")[::-1] for line in (out / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in out.iterdir()} - {"SHA256SUMS"}
    assert all(sha256(out / name) == digest for name, digest in sums.items())
    assert read_labelled_cases(out / "labels.jsonl") == tuple(CASES[:2])
    with pytest.raises(UsageError, match="not an empty folder"):
        release_labels(CASES, out, verified="reading", other="benchmark")

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from genotex.clinical import (
    ClinicalAnnotation,
    GeneVerdict,
    RuleExpert,
    SeriesDescription,
    annotation_rows,
    apply_encoding,
    describe_series,
    infer_cases,
    infer_cases_elsewhere,
)
from genotex.clinical import cases as module
from genotex.errors import FormatError
from genotex.formats import read_family_soft, read_series_matrix
from genotex.parallel import Processes
from genotex.procedure import Procedure

from .conftest import MakeSeries

CASE: dict[str, Any] = {
    "id": "Asthma/GSE1",
    "trait": "Asthma",
    "cohort": "GSE1",
    "background": {"title": "A study", "summary": ["one", "two"], "overall_design": None},
    "sample_characteristics": {
        "0": ["age: 45", "age: 51", None],
        "1": ["disease: asthma", "disease: healthy", "sex: M"],
    },
    "first_ids": None,
    "annotation_columns": ["ID"],
    "annotation_preview": {"ID": ["1007_s_at", None]},
}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_case_in_prediction_out(tmp_path: Path) -> None:
    (line,) = infer_cases(write(tmp_path / "cases.jsonl", CASE))
    prediction = json.loads(line)
    assert prediction["id"] == "Asthma/GSE1"
    assert prediction["is_gene_available"] is True
    assert prediction["trait"] == {
        "row": 1,
        "map": {"disease: asthma": 1, "disease: healthy": 0, "sex: M": None},
    }
    assert prediction["age"] == {"row": 0, "map": {"age: 45": 45, "age: 51": 51}}
    assert prediction["gender"] is None
    assert prediction["evidence"]["trait"]


def test_cases_done_some_at_a_time_are_those_done_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_A_TIME", 2)
    path = write(tmp_path / "cases.jsonl", *({**CASE, "id": f"case {i}"} for i in range(5)))
    path.write_text(path.read_text().replace("\n", "\n\n", 1))
    pieces = dict(infer_cases_elsewhere(path, RuleExpert(), Procedure.SOUND, Processes()))
    assert list(pieces) == [0, 2, 4]
    assert [line for lines in pieces.values() for line in lines] == list(infer_cases(path))


class _Spy:
    def __init__(self) -> None:
        self.seen: list[SeriesDescription] = []

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        del trait
        self.seen.append(description)
        return ClinicalAnnotation(GeneVerdict(True, "spy"), None, None, None)


def test_labels_in_the_input_never_reach_the_expert(tmp_path: Path) -> None:
    answers = {"labels": {"reading": {"trait": None}}, "gene_labels": {}, "SECRET": "SECRET"}
    spy = _Spy()
    with_labels = write(tmp_path / "labels.jsonl", CASE | answers)
    without = write(tmp_path / "plain.jsonl", CASE)
    list(infer_cases(with_labels, spy))
    assert "SECRET" not in repr(spy.seen)
    assert list(infer_cases(with_labels)) == list(infer_cases(without))


def test_gzip_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl.gz"
    with gzip.open(path, "wt") as handle:
        handle.write(json.dumps(CASE) + "\n\n" + json.dumps(CASE | {"id": "b"}) + "\n")
    assert [json.loads(line)["id"] for line in infer_cases(path)] == ["Asthma/GSE1", "b"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: is not JSON"),
        ("[1]", "line 2: must be an object"),
        ('{"trait": "Asthma"}', "line 2, id: must be a text"),
        ('{"id": "a", "trait": 3}', "line 2, trait: must be a text"),
        (
            '{"id": "Asthma/GSE1", "trait": "Gout"}',
            "line 2, id: 'Asthma/GSE1' is the id of line 1 already",
        ),
    ],
)
def test_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n" + line + "\n")
    with pytest.raises(FormatError, match=message):
        list(infer_cases(path))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ('{"sample_characteristics": [1]}', "sample_characteristics: must be an object"),
        ('{"sample_characteristics": {"x": []}}', r"sample_characteristics\.x: must be a whole"),
        ('{"sample_characteristics": {"-1": []}}', "rows must have different numbers from 0"),
        ('{"sample_characteristics": {"9999": ["x"]}}', "rows must have different numbers from 0"),
        ('{"sample_characteristics": {"0": ["x"], "00": ["y"]}}', "rows must have different num"),
        (
            '{"sample_characteristics": {"0": ["age: 4", 45]}}',
            r"sample_characteristics\['0'\]\[1\]: must be a text, not 45",
        ),
        ('{"sample_characteristics": {"0": [NaN]}}', r"istics\['0'\]\[0\]: must be a text"),
        ('{"first_ids": "abc"}', "first_ids: must be a list"),
        ('{"first_ids": [1, 2]}', r"first_ids\[0\]: must be a text, not 1"),
        ('{"annotation_columns": [null]}', r"annotation_columns\[0\]: must be a text, not null"),
        ('{"annotation_preview": {"ID": 5}}', r"annotation_preview\.ID: must be a list, not 5"),
        ('{"cohort": 5}', "cohort: must be a text"),
        ('{"background": {"title": [1]}}', r"background\.title: must be a text, not \[1\]"),
        ('{"background": {"summary": {"x": 1}}}', r"background\.summary: must be a text"),
    ],
)
def test_malformed_field_is_named(tmp_path: Path, fields: str, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + '\n{"id": "a", "trait": "b", ' + fields[1:] + "\n")
    with pytest.raises(FormatError, match=f"line 2, .*{message}"):
        list(infer_cases(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be opened"):
        list(infer_cases(tmp_path / "none.jsonl"))
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(CASE).encode() * 50)[:-20])
    with pytest.raises(FormatError, match="cannot be read as JSON Lines"):
        list(infer_cases(cut))


def test_table_for_people(make_series: MakeSeries) -> None:
    series = make_series(
        ["disease: asthma", "disease: asthma", "disease: healthy", None],
        ["sex: F", "sex: M", "sex: F", "sex: F"],
    )
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    rows = [
        (r.feature, r.row, r.raw, r.code, r.role, r.samples)
        for r in annotation_rows(reading, series)
    ]
    assert rows == [
        ("trait", 0, "disease: asthma", 1, "case", 2),
        ("trait", 0, "disease: healthy", 0, "healthy control", 1),
        ("trait", 0, None, None, "unknown", 1),
        ("gender", 1, "sex: F", 0, "", 3),
        ("gender", 1, "sex: M", 1, "", 1),
    ]
    reasons = {r.raw: r.evidence for r in annotation_rows(reading, series)}
    assert reasons["disease: asthma"].startswith("'asthma' names the trait")
    assert reasons["disease: healthy"].startswith("'healthy' names a control")


def test_every_development_case_has_an_answer(shared_data: Path) -> None:
    lines = list(infer_cases(shared_data / "clinical" / "cases_dev.jsonl.gz"))
    assert len(lines) == 527


@pytest.mark.parametrize(
    ("trait", "cases", "others"), [("Osteoarthritis", 10, 13), ("Rheumatoid_Arthritis", 13, 10)]
)
def test_gse55457_as_published(shared_data: Path, trait: str, cases: int, others: int) -> None:
    path = shared_data / "input" / "GEO" / trait / "GSE55457" / "GSE55457_series_matrix.txt.gz"
    series = read_series_matrix(path, expression=False)
    reading = RuleExpert().annotate(describe_series(series), trait)
    assert reading.gene.available
    assert reading.trait is not None and reading.age is not None and reading.gender is not None
    assert (reading.trait.row, reading.age.row, reading.gender.row) == (2, 1, 0)
    codes = {}
    for procedure in ("sound", "benchmark"):
        columns = [
            apply_encoding(encoding, series, procedure=procedure)  # type: ignore[arg-type]
            for encoding in (reading.trait, reading.age, reading.gender)
        ]
        assert not any(column.notes for column in columns)
        codes[procedure] = dict(
            zip(series.samples, zip(*(c.codes for c in columns), strict=True), strict=True)
        )
        assert Counter(columns[0].roles) == {
            "case": cases, "healthy control": 10, "other disease": others
        }  # fmt: skip
    assert codes["sound"] == codes["benchmark"]
    assert codes["sound"]["GSM1337304"] == (0, 61, 1)
    assert codes["sound"]["GSM1337327"] == (int(trait == "Osteoarthritis"), 77, 0)


def test_gse55235_with_inconsistent_spellings(shared_data: Path) -> None:
    folder = shared_data / "input" / "GEO" / "Osteoarthritis" / "GSE55235"
    series = read_series_matrix(folder / "GSE55235_series_matrix.txt.gz", expression=False)
    reading = RuleExpert().annotate(describe_series(series), "Osteoarthritis")
    assert reading.trait is not None
    encoded = apply_encoding(reading.trait, series, procedure="sound")
    assert Counter(encoded.roles) == {"case": 10, "healthy control": 10, "other disease": 10}


def test_gse781_has_everything_outside_the_characteristics(shared_data: Path) -> None:
    path = shared_data / "traps" / "GSE781_family.soft.gz"
    series = read_family_soft(path, expression=False)[0]
    reading = RuleExpert().annotate(describe_series(series), "Kidney_Clear_Cell_Carcinoma")
    assert reading.trait is not None and reading.age is not None and reading.gender is not None
    trait = apply_encoding(reading.trait, series, procedure="sound")
    assert Counter(trait.codes.tolist()) == {1.0: 9, 0.0: 8}
    assert apply_encoding(reading.age, series, procedure="sound").codes[0] == 70
    assert apply_encoding(reading.gender, series, procedure="sound").codes[0] == 0


def test_gse83521_is_circular_rna(shared_data: Path) -> None:
    series = read_series_matrix(shared_data / "traps" / "GSE83521_series_matrix.txt.gz")
    reading = RuleExpert().annotate(describe_series(series), "Stomach_Cancer")
    assert not reading.gene.available
    assert "circular RNA" in reading.gene.reason


def test_gse157103_with_a_shifted_sample(shared_data: Path) -> None:
    series = read_series_matrix(shared_data / "traps" / "GSE157103_series_matrix.txt.gz")
    reading = RuleExpert().annotate(describe_series(series), "COVID-19")
    assert reading.trait is not None and reading.age is not None
    encoded = apply_encoding(reading.trait, series, procedure="sound")
    assert Counter(encoded.codes.tolist()) == {1.0: 100, 0.0: 26}
    ages = apply_encoding(reading.age, series, procedure="sound")
    assert ages.codes[:3].tolist() == [39, 63, 33]
    assert any("'age (years): :'" in note for note in ages.notes)

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError
from genotex.formats import (
    CohortInfo,
    Evidence,
    read_cohort_info,
    read_evidence,
    update_cohort_info,
    write_cohort_info,
    write_evidence,
)
from tests.formats.geo_files import write

INFO = CohortInfo(True, True, True, True, False, False, False, 60)

BENCHMARK = """{
"GSE207847":
  {"is_usable": true, "is_gene_available": true, "is_trait_available": true,
   "is_available": true, "is_biased": false, "has_age": false, "has_gender": false,
   "sample_size": 60},
"Xena":
  {"is_usable": false, "is_gene_available": false, "is_trait_available": true,
   "is_available": false, "is_biased": null, "has_age": null, "has_gender": null,
   "sample_size": null, "note": null, "curator": "x"}
}"""  # the form shown in the benchmark's README, section 3d


def test_cohort_info_of_the_benchmark(tmp_path):
    records = read_cohort_info(write(tmp_path / "cohort_info.json", BENCHMARK))
    assert list(records) == ["GSE207847", "Xena"]
    assert records["GSE207847"] == INFO
    assert records["Xena"] == CohortInfo(False, False, True, False)


def test_flags_of_an_older_release_follow_from_the_others(tmp_path):
    text = """{
    "GSE1": {"is_available": true, "is_biased": false, "sample_size": 9},
    "GSE2": {"is_usable": false, "is_available": true, "is_biased": true},
    "GSE3": {"is_available": false, "is_biased": null},
    "GSE4": {"is_usable": true, "is_gene_available": true, "is_trait_available": true}
    }"""
    assert read_cohort_info(write(tmp_path / "cohort_info.json", text)) == {
        "GSE1": CohortInfo(True, True, True, True, False, sample_size=9),
        "GSE2": CohortInfo(False, True, True, True, True),
        "GSE3": CohortInfo(False, False, False, False),
        "GSE4": CohortInfo(True, True, True, True),
    }


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ('{"is_available": true}', "is_usable"),
        ('{"is_usable": true}', "is_gene_available"),
        ('{"is_usable": true, "is_gene_available": true}', "is_trait_available"),
        ('{"is_available": "yes", "is_biased": false}', "is_usable"),
    ],
)
def test_flags_that_follow_from_nothing_are_asked_for(tmp_path, record, field):
    with pytest.raises(FormatError, match=f"GSE1.{field}"):
        read_cohort_info(write(tmp_path / "cohort_info.json", f'{{"GSE1": {record}}}'))


def test_update_keeps_the_other_records_as_they_are(tmp_path):
    path = write(tmp_path / "cohort_info.json", BENCHMARK)
    update_cohort_info(path, "GSE2", replace(INFO, note="small"))
    update_cohort_info(path, "GSE207847", replace(INFO, sample_size=61))
    content = json.loads(path.read_text())
    assert list(content) == ["GSE207847", "Xena", "GSE2"]
    assert content["Xena"] == json.loads(BENCHMARK)["Xena"]
    assert content["GSE2"]["note"] == "small"
    assert list(content["GSE2"]) == [
        "is_usable", "is_gene_available", "is_trait_available", "is_available", "is_biased",
        "has_age", "has_gender", "sample_size", "note",
    ]  # fmt: skip
    assert read_cohort_info(path)["GSE207847"].sample_size == 61


def test_writing_replaces_all_records_and_keeps_their_order(tmp_path):
    path = write(tmp_path / "cohort_info.json", BENCHMARK)
    records = {"GSE9": INFO, "GSE10": replace(INFO, sample_size=7), "TCGA": INFO}
    write_cohort_info(path, records)
    assert list(read_cohort_info(path).items()) == list(records.items())
    assert [file.name for file in tmp_path.iterdir()] == ["cohort_info.json"]


def test_update_makes_the_file(tmp_path):
    path = tmp_path / "preprocess" / "T" / "cohort_info.json"
    update_cohort_info(path, "GSE1", INFO)
    assert read_cohort_info(path) == {"GSE1": INFO}


def _update(path: Path, first: int) -> None:
    for i in range(first, first + 8):
        update_cohort_info(path, f"GSE{i}", INFO)


def test_updates_of_two_processes_do_not_lose_records(tmp_path):
    path = tmp_path / "cohort_info.json"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_update, args=(path, first)) for first in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(read_cohort_info(path)) == 16


@pytest.mark.parametrize(
    ("text", "line", "field", "message"),
    [
        ('{\n"GSE1": {,}\n}', 2, None, "not valid JSON"),
        ("[1]", 1, None, "JSON object"),
        ('{"GSE1": 3}', None, "GSE1", "must be an object, not 3"),
        ('{"GSE1": {}}', None, "GSE1.is_usable", "is missing"),
        (BENCHMARK.replace("60", '"many"'), None, "GSE207847.sample_size", "many"),
        ("[" * 100_000, None, None, "nested 100,000 levels deep"),
        ('{"a": ' + "9" * 5000 + "}", None, None, "not valid JSON"),
    ],
)
def test_cohort_info_that_is_malformed(tmp_path, text, line, field, message):
    path = write(tmp_path / "cohort_info.json", text)
    with pytest.raises(FormatError, match=message) as caught:
        read_cohort_info(path)
    assert (caught.value.path, caught.value.line, caught.value.field) == (path, line, field)


def test_update_leaves_a_malformed_file_alone(tmp_path):
    path = write(tmp_path / "cohort_info.json", "{oops")
    with pytest.raises(FormatError, match="correct or remove"):
        update_cohort_info(path, "GSE1", INFO)
    assert path.read_text() == "{oops"


def test_update_removes_what_a_killed_process_left(tmp_path):
    left = write(tmp_path / ".cohort_info.json.0123456789ab.part", "half")
    update_cohort_info(tmp_path / "cohort_info.json", "GSE1", INFO)
    assert not left.exists()


def test_evidence_round_trip(tmp_path):
    evidence = Evidence(
        "T", "GSE1", "sound", "GEO", "0.1.0",
        files=[{"name": "m.gz", "size": np.int64(5), "used_for": "matrix"}],
        encoded={"Age": [{"raw": "Sj\xf6gren", "code": float("nan"), "role": None, "samples": 1}]},
        roles={"GSM1": "case"},
        mapping={"rows": 3, "share": np.float64(0.5), "id_column": None},
        notes=["odd"],
        warnings=["2 samples left out"],
        fingerprint="abc",
    )  # fmt: skip
    path = tmp_path / "evidence" / "GSE1.json"
    write_evidence(path, evidence)
    assert "NaN" not in path.read_text()
    again = read_evidence(path)
    assert again.files == [{"name": "m.gz", "size": 5, "used_for": "matrix"}]
    row = {"raw": "Sj\xf6gren", "code": None, "role": None, "samples": 1}
    assert again.encoded == {"Age": [row]}
    assert again.mapping == {"rows": 3, "share": 0.5, "id_column": None}
    assert replace(again, files=evidence.files, encoded={}, mapping={}) == replace(
        evidence, encoded={}, mapping={}
    )


def test_texts_of_the_samples_round_trip_and_older_evidence_has_none(tmp_path):
    path = tmp_path / "GSE1.json"
    texts = {"title": {"GSM1": "pool of 5", "GSM2": None}}
    write_evidence(path, Evidence("T", "GSE1", "sound", "GEO", "0.1.0", sample_texts=texts))
    assert read_evidence(path).sample_texts == texts
    write_evidence(path, Evidence("T", "GSE1", "sound", "GEO", "0.1.0"))
    assert "sample_texts" not in path.read_text()
    assert read_evidence(path).sample_texts == {}


@pytest.mark.parametrize(
    ("texts", "field"), [('{"title": "pool"}', "title"), ('{"title": {"GSM1": 3}}', "title.GSM1")]
)
def test_texts_that_are_not_one_for_each_sample(tmp_path, texts, field):
    path = tmp_path / "GSE1.json"
    write_evidence(path, Evidence("T", "GSE1", "sound", "GEO", "0.1.0"))
    write(path, path.read_text().rstrip().rstrip("}") + f', "sample_texts": {texts}}}')
    with pytest.raises(FormatError, match="preprocess it again") as caught:
        read_evidence(path)
    assert caught.value.field == f"sample_texts.{field}"


@pytest.mark.parametrize(
    ("text", "field"), [("{}", "trait"), ('{"trait": 3}', "trait"), ("7", None)]
)
def test_evidence_that_is_malformed(tmp_path, text, field):
    with pytest.raises(FormatError) as caught:
        read_evidence(write(tmp_path / "e.json", text))
    assert caught.value.field == field

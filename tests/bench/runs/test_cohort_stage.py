"""The cohorts that answers depend on."""

from pathlib import Path

import pytest

from genotex.bench.runs.cohort_stage import Basis
from genotex.cohorts import preprocess
from genotex.formats import read_evidence, write_evidence
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.geo_text import write_asthma

ASTHMA = Problem("Asthma")


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    write_asthma(tmp_path / "in", number=24)
    preprocess(tmp_path / "in", tmp_path / "out")
    return OutputFolder(tmp_path / "out")


def test_cohort_of_written_code_is_another_one_when_its_numbers_are(output: OutputFolder) -> None:
    path, table = output.evidence("Asthma", "GSE1"), output.linked_csv("Asthma", "GSE1")
    evidence = read_evidence(path)
    write_evidence(path, type(evidence)(**{**vars(evidence), "fingerprint": ""}))
    before = Basis(output).of(ASTHMA)
    assert Basis(output).of(ASTHMA) == before
    table.write_text(table.read_text().replace("7.5", "9.5"))
    assert Basis(output).of(ASTHMA) != before


def test_cohort_of_the_direct_road_is_the_one_that_its_evidence_tells(output: OutputFolder) -> None:
    path = output.evidence("Asthma", "GSE1")
    before = Basis(output).of(ASTHMA)
    evidence = read_evidence(path)
    write_evidence(path, type(evidence)(**{**vars(evidence), "fingerprint": "another"}))
    assert Basis(output).of(ASTHMA) != before

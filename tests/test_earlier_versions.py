"""Records that earlier versions wrote can still be read: `tests/fixtures/earlier`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from genotex.agents import read_plan
from genotex.analysis import StoredResult, read_content
from genotex.clinical import recorded_annotation
from genotex.formats import find_evidence, read_cohort_info
from genotex.layout import OutputFolder
from genotex.records import checked

EARLIER = Path(__file__).parent / "fixtures" / "earlier"


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    for name, place in {
        "evidence.json": output.evidence("Asthma", "GSE1"),
        "cohort_info.json": output.cohort_info("Asthma"),
        "run.json": tmp_path / "run" / "run.json",
    }.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(EARLIER / name, place)
    return output


def test_evidence_without_roles_of_samples_and_library_sizes(output: OutputFolder) -> None:
    found = find_evidence(output, "Asthma", "GSE1")
    assert found is not None
    trait = recorded_annotation(found.reading).trait
    assert trait is not None
    assert (trait.key, trait.roles["disease state: asthma"]) == ("disease state", "case")
    assert found.counts == {}
    assert found.design == {}
    assert {row["code"] for row in found.encoded["trait"]} == {0.0, 1.0}


def test_record_of_cohorts(output: OutputFolder) -> None:
    found = read_cohort_info(output.cohort_info("Asthma"))
    assert {name: info.sample_size for name, info in found.items()} == {"GSE1": 24, "GSE2": 20}


def test_result_with_fewer_columns() -> None:
    content = read_content(EARLIER / "result.json")
    found = checked(StoredResult, {**content, "significant_genes": {}}, path=EARLIER)
    assert found.cohort["others"] == {"GSE2": "smaller (20 samples)"}
    assert found.method["options"]["q_cut"] == 0.05


def test_run_whose_services_and_prices_are_among_the_options(
    tmp_path: Path, output: object
) -> None:
    plan = read_plan(tmp_path)
    assert (plan.models.model, plan.sandbox, plan.agent) == ("rules", "best", "team")
    assert [problem.trait for problem in plan.problems] == ["Asthma"]

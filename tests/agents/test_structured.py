import pytest

from genotex.agents import RulesModel, Task, model_expert
from genotex.clinical import RuleExpert, SeriesDescription, answer_of, describe_series
from genotex.cohorts import read_raw_series
from genotex.layout import geo_cohort_files
from genotex.models import RoleModels, ScriptedModel
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import cohort_task


def test_procedure_benchmark_shows_the_characteristics_alone() -> None:
    task = Task(
        "geo", "Asthma", "/data/GEO/Asthma/GSE1", "output", procedure="benchmark", cohort="GSE1"
    )
    series = SeriesDescription(titles=("patient 1", "control 1"))
    nothing = {"gene_expression": False, "why": "", "trait": None, "age": None, "gender": None}
    model = ScriptedModel([nothing])
    model_expert(RoleModels(model), task).annotate(series, "Asthma")
    assert "patient 1" not in model.requests[0].messages[1].text


@pytest.mark.parametrize("cohort", ["GSE90000001", "GSE90000002", "GSE90000003", "GSE90000004"])
def test_rules_answer_what_the_rule_expert_reads(study: SimulatedStudy, cohort: str) -> None:
    task = cohort_task(study.folder, study.folder, "Simulated_Arthritis", cohort, "sound")
    files = geo_cohort_files(task.trait, task.input_folder)
    series = describe_series(read_raw_series(files, needs_mapping=lambda series: False).series)
    told = model_expert(RoleModels(RulesModel()), task).annotate(series, task.trait)
    right = RuleExpert().annotate(series, task.trait)
    assert answer_of(told)["trait"] == answer_of(right)["trait"]
    for name in ("trait", "age", "gender"):
        one, other = getattr(told, name), getattr(right, name)
        assert (one is None) == (other is None)
        if one is not None:
            for part in ("row", "key", "kind", "values", "roles", "parser", "sample_field"):
                assert getattr(one, part) == getattr(other, part), (name, part)

import pytest

from genotex.bench.evaluation.analysis_task import TraitPrediction, trait_kind, trait_prediction
from genotex.bench.evaluation.scores import MetricsVersion

BINARY = {"accuracy": 80.0, "f1": 75.0, "precision": 1.0}
CONTINUOUS = {"r_squared": 0.25, "nmse": 0.75}


def test_kind_by_what_is_told() -> None:
    kinds = [trait_kind(told) for told in (BINARY, {"f1": 1.0}, CONTINUOUS, {})]
    assert kinds == ["binary", "binary", "continuous", None]


def test_figures_of_the_prediction() -> None:
    other = {"accuracy": 100.0, "f1": 100.0}
    assert trait_prediction(BINARY, other) == TraitPrediction("binary", 80.0, 75.0, None)
    assert trait_prediction(CONTINUOUS, {"r_squared": 1.0}) == TraitPrediction(
        "continuous", None, None, 0.25
    )


def test_reference_decides_about_the_kind() -> None:
    assert trait_prediction(CONTINUOUS, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction(BINARY, CONTINUOUS) == TraitPrediction("continuous", None, None, 0.0)
    assert trait_prediction(BINARY, {}).kind == "binary"
    assert trait_prediction(CONTINUOUS, {}).kind == "continuous"


def test_missing_file_counts_0_whatever_the_trait() -> None:
    assert trait_prediction(None, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction(None, CONTINUOUS) == TraitPrediction("continuous", None, None, 0.0)
    assert trait_prediction(None, {}) == TraitPrediction(None, 0.0, 0.0, None)


def test_file_that_tells_nothing_counts_0_where_the_reference_tells() -> None:
    assert trait_prediction({}, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction({}, {}) == TraitPrediction(None, None, None, None)


@pytest.mark.parametrize("metrics", ["default", "legacy"])
def test_older_code_counts_a_continuous_trait_as_0(metrics: MetricsVersion) -> None:
    binary = 0.0 if metrics == "legacy" else None
    found = trait_prediction(CONTINUOUS, CONTINUOUS, metrics)
    assert found == TraitPrediction("continuous", binary, binary, 0.25)
    assert trait_prediction(BINARY, BINARY, metrics) == trait_prediction(BINARY, BINARY)

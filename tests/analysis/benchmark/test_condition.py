"""The condition of a problem, measured or predicted."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import ConditionCohort
from genotex.analysis.benchmark.samples import Residual, measured_condition, predict_condition
from genotex.errors import AnalysisError

from ..cohort_tables import linked

ROWS = np.arange(30)


def tables(samples: int, genes: Sequence[int] = (0,), *, binary: bool):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    other = rng.normal(9, 2, (samples, 8))
    level = other[:, 0] + 0.1 * rng.normal(size=samples)
    values = (level > 9).astype(float) + 3 if binary else level
    cohort = linked(values, other, trait="Obesity")
    own = linked(np.arange(30) % 2, rng.normal(-1, 5, (30, 8)))
    return ConditionCohort("GSE2", cohort, tuple(f"GENE{j}" for j in genes)), own


@pytest.mark.parametrize(
    ("samples", "binary", "model"),
    [
        (60, True, "logistic regression, L2"),
        (60, False, "least squares"),
        (6, False, "Lasso, lambda 1"),
        (7, True, "logistic regression, L1"),
    ],
)
def test_model_by_kind_of_condition_and_number_of_samples(
    samples: int, binary: bool, model: str
) -> None:
    cohort, own = tables(samples, range(8), binary=binary)
    predicted = predict_condition(cohort, own, ROWS)
    assert predicted.model == model and predicted.samples == samples
    if model in ("logistic regression, L2", "least squares"):
        assert np.corrcoef(predicted.values, own.expression[:, 0])[0, 1] > 0.8
    if binary:
        assert ((predicted.values >= 0) & (predicted.values <= 1)).all()


def test_least_squares_on_z_scores_of_each_table_by_its_own() -> None:
    cohort, own = tables(60, (0, 3), binary=False)
    x = cohort.table.expression[:, [0, 3]]
    design = np.column_stack([np.ones(60), (x - x.mean(0)) / x.std(0)])
    solution = np.linalg.lstsq(design, cohort.table.trait_values, rcond=None)[0]
    new = own.expression[:, [0, 3]]
    expected = np.column_stack([np.ones(30), (new - new.mean(0)) / new.std(0)]) @ solution
    found = predict_condition(cohort, own, ROWS)
    np.testing.assert_allclose(found.values, expected, atol=1e-10)


def test_a_condition_that_does_not_vary_or_is_missing_for_some() -> None:
    cohort, own = tables(60, binary=False)
    values = cohort.table.trait_values.copy()
    values[:5] = np.nan
    partly = replace(cohort, table=linked(values, cohort.table.expression))
    assert predict_condition(partly, own, ROWS).samples == 55
    flat = replace(cohort, table=linked(np.ones(60), cohort.table.expression))
    with pytest.raises(AnalysisError, match="does not vary in its cohort"):
        predict_condition(flat, own, ROWS)


def test_missing_values_among_the_regressors() -> None:
    cohort, own = tables(60, binary=False)
    own.expression[3, 0] = np.nan
    message = "missing or infinite values in the table of Asthma.*preprocess the cohort again with"
    with pytest.raises(AnalysisError, match=message):
        predict_condition(cohort, own, ROWS)


@pytest.mark.parametrize(
    ("ages", "message"),
    [
        ({}, "the cohort has no Age"),
        ({"Age": np.full(30, 40.0)}, "Age does not vary"),
        (
            {"Age": [np.nan, *range(29)]},
            "Age is missing or infinite in 1 samples.*preprocess the cohort again",
        ),
    ],
)
def test_a_measured_condition_that_cannot_be_adjusted_for(
    ages: dict[str, object], message: str
) -> None:
    table = linked(np.arange(30) % 2, np.zeros((30, 3)), ages)  # type: ignore[arg-type]
    with pytest.raises(AnalysisError, match=message):
        measured_condition(table, "Age", ROWS)


def test_residual_and_what_is_added_back() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=20)
    y = 2 + 3 * z + rng.normal(size=20)
    residual = Residual.of(y, z)
    slope, intercept = np.polyfit(z, y, 1)
    np.testing.assert_allclose(residual.target, y - intercept - slope * z, atol=1e-12)
    np.testing.assert_allclose(
        residual.add_back(np.zeros(2), np.array([0.0, 1.0])), [intercept, intercept + slope]
    )
    plain = Residual.of(y, None)
    assert plain.target is y and plain.add_back(y, None) is y

"""Parts of the procedure on their own: the Lasso at a fixed lambda, and no batch correction."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.preprocessing import StandardScaler

from genotex.errors import UsageError
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions

from .published import cohort, solve_ours

BASELINE = {"fixed_lambda": 0.1, "batch_correction": False}


def plain_lasso(table: LinkedTable, condition: str | None) -> dict[str, float]:
    """z-score, regress the condition out of the trait, fit once: scikit-learn alone."""
    x = StandardScaler().fit_transform(table.expression)
    y = table.trait_values
    if condition is not None:
        z = table.covariates[condition][:, None]
        y = y - LinearRegression().fit(z, y).predict(z)
    fitted = Lasso(alpha=0.1).fit(np.asfortranarray(x), y).coef_
    chosen = {g: float(b) for g, b in zip(table.genes, fitted, strict=True) if b != 0}
    return dict(sorted(chosen.items(), key=lambda item: -abs(item[1])))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("condition", [None, "Age", "Gender"])
@pytest.mark.parametrize("binary", [True, False])
def test_fixed_lambda_is_one_plain_lasso(condition: str | None, binary: bool) -> None:
    own = cohort("Asthma", 60, 90, binary=binary, seed=2)
    ours = solve_ours(own, condition, **BASELINE)
    theirs = plain_lasso(own.table, condition)
    assert ours.significant["Variable"].to_list() == list(theirs)
    np.testing.assert_allclose(
        ours.significant["Coefficient"].to_numpy(), list(theirs.values()), atol=1e-10
    )


def test_fixed_lambda_is_not_moved_by_what_is_known() -> None:
    own = cohort("Asthma", 60, 90, seed=2)
    ours = solve_ours(own, fixed_lambda=0.01)
    assert [row["lambda"] for row in ours.method["tuning"]] == [0.01]
    assert ours.method["solver"]["lambda"] == 0.01
    assert "Lambda is fixed at 0.01, without any tuning." in ours.warnings
    assert set(ours.cv_performance["prediction"]) == {"accuracy", "precision", "recall", "f1"}


def test_without_batch_correction_the_plain_lasso_answers() -> None:
    own = cohort("Asthma", 230, 60, batch=40.0, seed=1)
    corrected, plain = solve_ours(own), solve_ours(own, batch_correction=False)
    assert corrected.method["rotated"] and not plain.method["rotated"]
    assert plain.method["batch_effect"]["found"] and "ln_delta" not in plain.method
    assert any("as asked, it was not corrected" in warning for warning in plain.warnings)
    fixed = solve_ours(own, **BASELINE)
    assert fixed.significant["Variable"].to_list() == list(plain_lasso(own.table, None))


@pytest.mark.parametrize("penalty", [0.0, -1.0, float("inf"), float("nan")])
def test_fixed_lambda_must_be_a_penalty(penalty: float) -> None:
    with pytest.raises(UsageError, match="is not a penalty"):
        AnalysisOptions(procedure="benchmark", fixed_lambda=penalty)

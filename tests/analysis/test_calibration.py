"""False discoveries of the default on simulated cohorts with many unmeasured factors.

The generator and the rows are those of the study (docs/calibration.md); residuals are drawn from
factors, since the real ones are not part of the project. Seeds and bounds were written down before
any result was seen: 10 repeats, the study's bound and a margin of two standard errors of a mean
over so few.
"""

import numpy as np
import pytest
from benchmarks.analysis import calibration as study
from benchmarks.analysis import simulated_cohort as cohorts
from threadpoolctl import threadpool_limits

# Ten cohorts a row: at night. Every day test_sound_choices.py sees that a hidden batch is graded.
pytestmark = pytest.mark.nightly

REPEATS = 10
MARGIN = 0.04


@pytest.fixture(scope="module")
def residuals():
    return cohorts.factor_residuals(60, 3_000, 0)


def _try(residuals, scenario, method, seeds):
    """Return mean false discovery proportion and power."""
    outcomes = []
    with threadpool_limits(limits=1):
        for seed in seeds:
            cohort = cohorts.simulate_cohort(scenario, residuals, seed, "factors")
            found = study.METHODS[method](cohort)
            wrong = (found & ~cohort.affected).sum() / max(1, found.sum())
            outcomes.append((wrong, found[cohort.affected].mean() if cohort.affected.any() else 0))
    return np.mean(outcomes, axis=0)


@pytest.mark.parametrize(
    "name",
    [
        "10 %, 10 v 10",
        "40 %, 30 v 30",
        "40 %, 80 % up, batch 70:30, 30 v 30",
        "10 %, batch 75:25, n = 38",
        "10 %, 5 v 15, spread x 1.6",
        "10 %, continuous trait, batch, n = 60",
        "none, batch 75:25, n = 38",
    ],
)
def test_robust_genes_hold_their_error_rate(residuals, name):
    row = next(row for row in study.ROWS if row.name == name)
    fdp, power = _try(residuals, row.scenario, "robust", range(REPEATS))
    print(f"{name}: FDP {fdp:.3f}, power {power:.2f}")

    assert fdp <= row.fdp + MARGIN
    assert power >= row.power / 2


def test_a_confounded_batch_makes_false_discoveries_that_are_not_robust(residuals):
    row = next(row for row in study.ROWS if row.name == "10 %, batch 70:30, n = 200")
    robust, _ = _try(residuals, row.scenario, "robust", range(2))
    every, _ = _try(residuals, row.scenario, "default", range(2))

    assert robust <= row.fdp + MARGIN < every


def test_the_same_seed_draws_the_same_cohort_and_another_seed_another(residuals):
    scenario = cohorts.Scenario(10, 10, 0.1, batch=0.7, genes=200)
    first, again, other = (cohorts.simulate_cohort(scenario, residuals, s) for s in (1, 1, 2))

    assert np.array_equal(first.table.expression, again.table.expression)
    assert not np.array_equal(first.table.expression, other.table.expression)


def test_affected_genes_differ_and_a_batch_is_shared_as_named(residuals):
    scenario = cohorts.Scenario(500, 500, 0.1, 3.0, genes=300)
    cohort = cohorts.simulate_cohort(scenario, residuals, 1, "factors")
    case = cohort.table.trait_values == 1
    values = cohort.table.expression
    shift = np.abs(values[case].mean(axis=0) - values[~case].mean(axis=0))

    assert cohort.affected.sum() == 30
    assert np.median(shift[cohort.affected]) > 5 * np.median(shift[~cohort.affected])

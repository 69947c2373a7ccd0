"""Groups of unequal size and unequal variance."""

import numpy as np
import pytest

from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.spread_check import check_spread, spread_ratio
from tests.analysis.cohort_tables import linked


def groups(cases: int, controls: int, spread: float, seed: int = 0) -> tuple[np.ndarray, Contrast]:
    rng = np.random.default_rng(seed)
    trait = np.repeat([1.0, 0.0], [cases, controls])
    values = rng.normal(size=(len(trait), 2000)) * rng.gamma(4, 0.2, 2000)
    values[trait == 1] *= spread
    return values, choose_contrast(linked(trait, values), {}, "all")


@pytest.mark.parametrize(("cases", "controls"), [(5, 20), (12, 48), (48, 12)])
def test_ratio_without_the_bias_of_small_groups(cases: int, controls: int) -> None:
    for spread in (0.8, 1.0, 1.5):
        values, contrast = groups(cases, controls, spread)
        smaller = contrast.values == (cases < controls)
        expected = spread if cases < controls else 1 / spread
        assert spread_ratio(values, smaller) == pytest.approx(expected, rel=0.03)


def test_smaller_group_that_varies_more_is_told() -> None:
    [warning] = check_spread(*groups(12, 48, 1.5))
    assert warning.startswith("The 12 cases vary more than the 48 others")
    assert "1.5 times" in warning and "too small" in warning
    [warning] = check_spread(*groups(48, 12, 1 / 1.5))
    assert warning.startswith("The 12 controls vary more")


@pytest.mark.parametrize(
    ("cases", "controls", "spread"),
    [(30, 30, 1.5), (12, 48, 1.1), (12, 48, 0.6), (3, 40, 2.0)],
    ids=["equal groups", "nearly equal spread", "larger group varies more", "three samples"],
)
def test_nothing_to_tell(cases: int, controls: int, spread: float) -> None:
    assert check_spread(*groups(cases, controls, spread)) == []


def test_missing_values_and_measured_traits() -> None:
    values, contrast = groups(12, 48, 1.5)
    values[::7, ::5] = np.nan
    values[:, 0] = np.nan
    assert len(check_spread(values, contrast)) == 1
    measured = choose_contrast(linked(np.arange(60.0), values), {}, "all")
    assert check_spread(values, measured) == []

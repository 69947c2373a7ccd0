import numpy as np
import pytest

from genotex.errors import UsageError
from genotex.genes.scale import detect_scale, to_log2

RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (RNG.normal(8, 2, (500, 4)), "log2"),
        (2 ** RNG.normal(8, 2, (500, 4)), "linear"),
        (np.linspace(1, 70, 400).reshape(100, 4), "linear"),  # range above 50, quartile positive
        (np.linspace(-40, 40, 400).reshape(100, 4), "log2"),  # centred: quartile negative
        (RNG.normal(0, 1, (500, 4)), "log2"),
        (np.full((3, 2), np.nan), "log2"),
        (np.empty((0, 3)), "log2"),
    ],
)
def test_the_rule_of_geo2r(values, scale):
    assert detect_scale(values).scale == scale


def test_missing_values_do_not_hide_a_linear_scale():
    values = 2 ** RNG.normal(8, 2, (500, 4))
    values[::3] = np.nan
    assert detect_scale(values).scale == "linear"


def test_values_at_or_below_zero_become_missing():
    logged, lost = to_log2(np.array([[8.0, 0.0], [-1.0, np.nan]]))
    assert lost == 2
    assert np.array_equal(logged, [[3.0, np.nan], [np.nan, np.nan]], equal_nan=True)


def test_linear_asked_for_where_nothing_is_positive():
    with pytest.raises(UsageError, match="scale='log2'"):
        to_log2(np.array([[-1.0, 0.0]]))


@pytest.mark.parametrize(
    ("high", "words"),
    [(10_092.4, "10,090"), (1234.0, "1,234"), (250.25, "250.2"), (1e6, "1,000,000"), (120, "120")],
)
def test_numbers_are_written_as_people_write_them(high, words):
    values = np.full((50, 4), high)
    assert detect_scale(values).reason == f"99th percentile {words} is above 100"


def test_small_numbers_are_written_without_exponent():
    reason = detect_scale(np.full((50, 4), 0.00001234)).reason
    assert reason == "99th percentile 0.00001234, range 0"

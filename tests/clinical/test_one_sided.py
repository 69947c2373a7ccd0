import numpy as np
import pytest

from genotex.clinical import is_biased


@pytest.mark.parametrize(
    ("values", "biased"),
    [
        ([0, 1] * 5, False),
        ([1] * 10, True),
        ([], True),
        ([np.nan, np.nan], True),
        ([0] * 36 + [1] * 4, False),  # 4 samples, but 10 % of them
        ([0] * 37 + [1] * 4, True),  # 4 samples and less than 10 %
        ([0] * 96 + [1] * 5, False),  # less than 10 %, but 5 samples
        ([1, 2, 3, 3, 3, 3, 3, 3], False),  # more than two values: continuous
        ([0, 1, np.nan, 0, 1], False),
    ],
)
def test_bias_rule_of_the_benchmark(values: list[float], biased: bool) -> None:
    assert is_biased(np.array(values, dtype=float)) is biased

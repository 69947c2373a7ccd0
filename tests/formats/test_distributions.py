"""Quantiles of each sample in the record of a cohort."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.formats import PERCENT, distribution_record, recorded_quantiles, sample_quantiles


def test_quantiles_are_those_of_the_known_values_of_each_sample() -> None:
    values = np.random.default_rng(0).normal(8, 2, (200, 4))
    values[::3, 1] = np.nan
    values[0, 2] = np.inf
    expected = np.nanpercentile(np.where(np.isinf(values), np.nan, values), PERCENT, axis=0).T
    assert np.allclose(sample_quantiles(values), expected)


def test_a_sample_without_any_value_is_not_recorded() -> None:
    values = np.array([[1.0, np.nan], [3.0, np.nan]])
    assert np.isnan(sample_quantiles(values)[1]).all()
    record = distribution_record(["a", "b"], values, "log2")
    assert record == {
        "percent": [5, 25, 50, 75, 95],
        "rows": 2,
        "scale": "log2",
        "by_sample": {"a": [1.1, 1.5, 2.0, 2.5, 2.9]},
    }
    assert recorded_quantiles(record) == record["by_sample"]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"percent": [25, 50, 75], "by_sample": {"a": [1, 2, 3]}},
        {"percent": list(PERCENT), "by_sample": [1, 2]},
        {"percent": list(PERCENT), "by_sample": {"a": [1, 2], "b": ["x"] * 5, "c": None}},
    ],
)
def test_records_of_other_forms_have_no_quantiles(record: dict[str, object]) -> None:
    assert recorded_quantiles(record) == {}

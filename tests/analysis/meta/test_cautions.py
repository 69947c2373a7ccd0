"""When cohorts differ more than chance, and what is reported of it."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis.meta import combine_effects
from genotex.analysis.meta.result import cohort_warnings, cohorts_differ, differing_share


def study(cohorts: int, tau: float, genes: int = 2000, alone: int = 0) -> pl.DataFrame:
    """Genes without any mean effect, that differ by `tau` from cohort to cohort."""
    rng = np.random.default_rng(cohorts)
    error = np.full((cohorts, genes), 0.3)
    effect = rng.normal(size=error.shape) * np.sqrt(0.3**2 + tau**2)
    effect[-1, :alone] = np.nan
    found = combine_effects(effect, error)
    columns: dict[str, Any] = {"Q p": found.heterogeneity_p, "p": found.p}
    columns["Random p"] = found.strict_p
    return pl.DataFrame(columns).fill_nan(None)


def warning(genes: pl.DataFrame) -> str:
    return " ".join(cohort_warnings((), genes, kind="binary", min_effect=0.0))


@pytest.mark.parametrize("cohorts", [2, 3, 5])
def test_cohorts_that_share_one_effect_are_not_warned_of(cohorts: int) -> None:
    genes = study(cohorts, 0.0)
    assert differing_share(genes) == pytest.approx(0.05, abs=0.02)
    assert warning(genes) == ""


def test_three_cohorts_that_differ_have_an_interval_that_allows_for_it() -> None:
    genes = study(3, 0.3)
    # Of two chi-squared variables of one degree each, twice as large: exp(-5.991 / 4).
    assert differing_share(genes) == pytest.approx(np.exp(-5.991 / 4), abs=0.03)
    assert (genes["p"] < 0.05).mean() > 0.08  # type: ignore[operator]
    assert (genes["Random p"] < 0.05).mean() < 0.05  # type: ignore[operator]
    assert "p, q and replication allow for it" in warning(genes)
    assert "strict p (Random p in the result) by the gene alone." in warning(genes)


def test_two_cohorts_that_differ_have_an_interval_that_does_not() -> None:
    text = warning(study(2, 0.3))
    assert "the combined effect and its 95 % interval do not" in text
    assert "intervals of the single cohorts" in text
    assert "strict" not in text


def test_genes_of_two_among_three_cohorts_are_reported() -> None:
    assert "except where only two cohorts tested a gene" in warning(study(3, 0.5, alone=500))


def test_few_genes_may_differ_by_chance() -> None:
    genes = pl.DataFrame({"Q p": [0.01] * 4 + [0.5] * 26, "Random p": [0.5] * 30})
    assert differing_share(genes) > 0.1
    assert not cohorts_differ(genes)
    assert cohorts_differ(pl.concat([genes] * 10))

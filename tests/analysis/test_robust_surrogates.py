"""Surrogate variables by robust regression, against the batch that was planted."""

import numpy as np
import pytest

from genotex.analysis.robust_surrogates import find_robust_surrogates
from genotex.analysis.surrogate import find_surrogates
from genotex.errors import AnalysisError

TRAIT = np.arange(60) % 2.0
BATCH = ((np.arange(60) // 2) % 10 < np.where(TRAIT == 1, 7, 3)).astype(float)
DESIGN = np.column_stack([np.ones(60), TRAIT])


def cohort(seed: int = 0, genes: int = 1500, affected: int = 150) -> np.ndarray:
    """A half-confounded batch on 40 % of the genes, other genes affected by the trait."""
    rng = np.random.default_rng(seed)
    values = rng.normal(8, 1, (60, genes))
    moved = genes * 2 // 5
    values[:, :moved] += BATCH[:, None] * rng.normal(0, 1, moved)
    values[:, -affected:] += TRAIT[:, None] * rng.normal(0, 1.5, affected)
    return values


def share_of_trait(surrogates: np.ndarray) -> float:
    """Trait's coefficient when the batch is regressed on design and surrogates: 0 when held."""
    wide = np.column_stack([DESIGN, surrogates])
    batch = BATCH
    return float(np.linalg.lstsq(wide, batch)[0][1])


def test_batch_is_held_with_its_part_in_the_trait() -> None:
    found = find_robust_surrogates(cohort(), DESIGN, seed=1)
    assert found.columns.shape == (60, 1) and found.estimated == 1
    wide = np.column_stack([np.ones(60), found.columns])
    batch = BATCH
    left = batch - wide @ np.linalg.lstsq(wide, batch)[0]
    assert (left**2).sum() < 0.05 * ((batch - batch.mean()) ** 2).sum()
    # Without surrogate variables the trait would take this much of the batch's effect.
    assert abs(share_of_trait(found.columns)) < 0.05 < 0.2 < share_of_trait(np.empty((60, 0)))


def test_effects_of_a_minority_of_genes_stay_with_the_trait() -> None:
    found = find_robust_surrogates(cohort(affected=400), DESIGN, seed=1)
    assert abs(share_of_trait(found.columns)) < 0.08


def test_columns_are_orthonormal_and_of_definite_sign() -> None:
    values = cohort()
    values[:, ::3] += np.random.default_rng(9).normal(size=(60, 1))
    columns = find_robust_surrogates(values, DESIGN, seed=1).columns
    np.testing.assert_allclose(columns.T @ columns, np.eye(columns.shape[1]), atol=1e-10)
    assert (columns[np.abs(columns).argmax(axis=0), range(columns.shape[1])] > 0).all()
    again = find_robust_surrogates(values, DESIGN, seed=1).columns
    np.testing.assert_array_equal(columns, again)


def test_noise_has_none() -> None:
    values = np.random.default_rng(3).normal(8, 1, (60, 1500))
    found = find_robust_surrogates(values, DESIGN, seed=1)
    assert found.columns.shape == (60, 0)


def test_component_of_hardly_any_gene_is_left_out_and_told() -> None:
    values = np.random.default_rng(4).normal(8, 1, (60, 1500))
    values[:, :10] += 6 * np.random.default_rng(5).normal(size=(60, 1))
    found = find_robust_surrogates(values, DESIGN, seed=1)
    assert found.estimated == 1 and found.columns.shape == (60, 0)
    assert found.notes == (
        "1 of 1 components are left out: fewer than 2 % of the genes go with them",
    )


def test_ten_residual_degrees_of_freedom_are_left() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(8, 1, (14, 1500)) + rng.normal(size=(14, 4)) @ rng.normal(size=(4, 1500))
    design = np.column_stack([np.ones(14), np.arange(14) % 2])
    found = find_robust_surrogates(values, design, seed=1)
    assert found.limited and found.columns.shape == (14, 2)
    assert find_robust_surrogates(values[:12], design[:12], seed=1).columns.shape == (12, 0)


def test_gene_that_the_components_explain_whole() -> None:
    values = cohort()
    values[:, 0] = 8 + BATCH
    values[:, 1] = 5 + TRAIT
    found = find_robust_surrogates(values, DESIGN, seed=1)
    assert abs(share_of_trait(found.columns)) < 0.05


def test_missing_value_is_refused() -> None:
    values = cohort()
    values[0, 0] = np.nan
    with pytest.raises(AnalysisError, match="missing"):
        find_robust_surrogates(values, DESIGN, seed=1)


def test_number_before_limits_is_that_of_the_two_step_estimate() -> None:
    values = cohort(seed=2)
    robust = find_robust_surrogates(values, DESIGN, seed=1)
    two_step = find_surrogates(values, DESIGN, seed=1)
    assert robust.estimated == two_step.estimated
    np.testing.assert_array_equal(robust.p, two_step.p)

"""Principal components against scikit-learn; z-scores and orders."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from genotex.reports.projection import (
    column_z_scores,
    order_rows,
    order_within,
    principal_components,
)


def test_components_agree_with_scikit_learn() -> None:
    data = np.random.default_rng(3).normal(size=(20, 150)) * np.linspace(1, 5, 150) + 8
    ours = principal_components(data)
    theirs = PCA(n_components=2, svd_solver="full").fit(StandardScaler().fit_transform(data))
    expected = theirs.transform(StandardScaler().fit_transform(data))
    np.testing.assert_allclose(np.abs(ours.scores), np.abs(expected), atol=1e-8)
    np.testing.assert_allclose(ours.explained, theirs.explained_variance_ratio_, rtol=1e-10)
    assert ours.genes == 150


def test_sign_is_fixed_by_the_largest_score() -> None:
    scores = principal_components(np.random.default_rng(4).normal(size=(9, 30))).scores
    assert all(scores[np.argmax(np.abs(scores[:, k])), k] > 0 for k in range(2))


def test_missing_values_stand_at_the_mean_of_their_gene() -> None:
    data = np.array([[1.0, np.nan], [3.0, 2.0], [5.0, 4.0]])
    filled = np.array([[1.0, 3.0], [3.0, 2.0], [5.0, 4.0]])
    np.testing.assert_allclose(
        principal_components(data).scores, principal_components(filled).scores, atol=1e-12
    )


@pytest.mark.parametrize(
    "data", [np.full((4, 3), 9214.7), np.full((4, 3), np.nan), np.ones((1, 5))]
)
def test_data_without_variation_give_zero_scores(data: np.ndarray) -> None:
    components = principal_components(data)
    assert not components.scores.any()
    assert components.explained == (0.0, 0.0)
    assert components.genes == 0


def test_z_scores_use_the_known_values() -> None:
    z = column_z_scores(np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]]))
    assert z[1, 0] == 0
    assert z[0, 0] == -z[2, 0]
    assert not z[:, 1].any()


def test_order_keeps_groups_together_and_every_sample_once() -> None:
    columns = np.random.default_rng(5).normal(size=(12, 9))
    groups = [1, 0, 1, 0, 2, 2, 0, 1, 0]
    order = order_within(columns, groups)
    assert sorted(order.tolist()) == list(range(9))
    assert [groups[i] for i in order] == sorted(groups)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_rows_of_any_number_have_an_order(count: int) -> None:
    order = order_rows(np.random.default_rng(6).normal(size=(count, 4)))
    assert sorted(order.tolist()) == list(range(count))

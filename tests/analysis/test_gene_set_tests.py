"""Golden values of camera and fry: made by golden_gene_sets of benchmarks/golden."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import beta

from genotex.analysis import (
    Precision,
    VariancePrior,
    benjamini_hochberg,
    camera,
    contrast_last,
    effect_matrix,
    fit_last_column,
    fry,
    moderate,
    scale_effects,
    z_scores,
)

GOLDEN = Path(__file__).parents[1] / "fixtures" / "gene_sets"
BOTH = ["plain", "trend", "array weights", "counts", "calm"]
CASES = pytest.mark.parametrize("case", BOTH)
CONTRASTS = {"contrast": (0, (0.0, -1.0, 1.0)), "means": (1, (-0.5, -0.5, 1.0))}
"""Whether the first level has a column of its own in place of the intercept, and the contrast."""
OF_FRY = pytest.mark.parametrize("case", [*BOTH, "people", "counted people", "robust", *CONTRASTS])
ROUNDING = {"rtol": 1e-8, "atol": 1e-13}

Floats = NDArray[np.float64]


def read(name: str) -> pl.DataFrame:
    words = ("case", "set", "gene", "sample", "direction", "fry_direction")
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    return table.with_columns(pl.exclude(*words).cast(pl.Float64))


def golden(case: str) -> pl.DataFrame:
    return read("limma.csv").filter(pl.col("case") == case)


def inputs(case: str) -> tuple[Floats, Floats, Precision]:
    """Return design, values (samples x genes) and what is known of the errors."""
    samples = read("samples.csv")
    design = samples.select("intercept", "age", "trait").to_numpy()
    files = {
        "counts": "log_cpm.csv",
        "counted people": "log_cpm.csv",
        "calm": "calm_expression.csv",
    }
    values = read(files.get(case, "expression.csv")).drop("gene").to_numpy().T
    weights, libraries = samples["weight"].to_numpy(), samples["library"].to_numpy()
    person = samples["person"].to_numpy().astype(int) - 1
    if case in CONTRASTS:
        means, contrast = CONTRASTS[case]
        level = np.arange(len(design)) % 3
        design = (level[:, None] == np.arange(3)).astype(float)
        if not means:
            design[:, 0] = 1.0
        design = contrast_last(design, np.array(contrast))
    known = {
        "array weights": Precision(weights),
        "counts": Precision(libraries=libraries),
        "people": Precision(weights, person, 0.3),
        "people, counts": Precision(weights, person, 0.3, libraries),
        "counted people": Precision(None, person, 0.3, libraries),
    }
    return design, values, known.get(case, Precision())


def membership() -> csr_array:
    genes = read("expression.csv")["gene"].to_list()
    table = read("sets.csv")
    names = table["set"].unique(maintain_order=True).to_list()
    matrix = np.zeros((len(names), len(genes)))
    for name, gene in table.iter_rows():
        matrix[names.index(name), genes.index(gene)] = 1.0
    return csr_array(matrix)


def fitted(case: str) -> tuple[Floats, Floats, Floats, VariancePrior]:
    """Return effects, moderated t, its degrees of freedom and the prior."""
    design, values, precision = inputs(case)
    mean = values.mean(axis=0) if case == "trend" else None
    fit = moderate(precision.fit(design, values), mean, robust=case == "robust")
    return effect_matrix(design, values, precision), fit.t, fit.df, fit.prior


@CASES
def test_camera_with_estimated_correlation_equals_limma(case: str) -> None:
    effects, t, df, _ = fitted(case)
    ours, theirs = camera(t, df, effects[:, 1:], membership()), golden(case)
    np.testing.assert_allclose(ours.correlation, theirs["correlation"].to_numpy(), **ROUNDING)
    np.testing.assert_allclose(ours.p, theirs["p"].to_numpy(), **ROUNDING)
    np.testing.assert_allclose(benjamini_hochberg(ours.p), theirs["q"].to_numpy(), **ROUNDING)
    assert np.where(ours.statistic > 0, "Up", "Down").tolist() == theirs["direction"].to_list()


@CASES
def test_camera_with_preset_correlation_equals_limma(case: str) -> None:
    effects, t, df, _ = fitted(case)
    ours = camera(t, df, effects[:, 1:], membership(), correlation=0.01)
    np.testing.assert_allclose(ours.p, golden(case)["preset_p"].to_numpy(), **ROUNDING)


@OF_FRY
def test_directional_fry_equals_limma(case: str) -> None:
    effects, _, _, prior = fitted(case)
    ours, theirs = fry(effects, prior, membership()), golden(case)
    np.testing.assert_allclose(ours.p, theirs["fry_p"].to_numpy(), **ROUNDING)
    assert np.where(ours.statistic > 0, "Up", "Down").tolist() == theirs["fry_direction"].to_list()
    assert ours.mixed_p[0] == ours.p[0], "a set of one gene"


@OF_FRY
def test_effects_are_scaled_as_in_limma(case: str) -> None:
    """By limma's mixed p-value: a beta distribution with two moments of the rotated sum."""
    effects, _, _, prior = fitted(case)
    scaled, members = scale_effects(effects, prior), membership().toarray() > 0
    for chosen, theirs in zip(members[1:], golden(case)["mixed_p"].to_list()[1:], strict=True):
        values = np.linalg.svd(scaled[chosen], compute_uv=False) ** 2
        count, low, span = len(values), values[-1], values[0] - values[-1]
        mean = (values.mean() - low) / span
        variance = 2 * (count * values @ values - values.sum() ** 2) / (count + 2) / count**2
        both = mean * (1 - mean) / (variance / span**2) - 1
        observed = ((scaled[chosen, 0] ** 2).sum() - low) / span
        ours = beta.sf(observed, both * mean, both * (1 - mean))
        np.testing.assert_allclose(ours, theirs, **ROUNDING)


def test_calm_variances_have_the_infinite_prior_that_fry_shares_with_roast() -> None:
    assert fitted("calm")[3].df == float("inf")


def test_mixed_p_is_that_of_sampled_rotations() -> None:
    """R limma's roast, 199,999 rotations; the saddlepoint is within 15 %."""
    effects, _, _, prior = fitted("calm")
    table = read("calm_roast.csv")
    members = np.zeros((table.height, len(effects)))
    for row, (first, last) in enumerate(table.select("first", "last").iter_rows()):
        members[row, int(first) - 1 : int(last)] = 1.0
    ours = fry(effects, prior, csr_array(members)).mixed_p
    np.testing.assert_allclose(ours, table["mixed_p"].to_numpy(), rtol=0.15)
    assert table["mixed_p"].min() < 0.01


def test_mixed_p_holds_in_the_tail_over_random_rotations() -> None:
    rng = np.random.default_rng(4)
    rotations, genes = 2000, 30
    effects = 0.8 * rng.normal(size=(1, 20)) + 0.6 * rng.normal(size=(genes, 20))
    turned = []
    for _ in range(rotations):
        direction = rng.normal(size=20)
        mirror = direction / np.linalg.norm(direction) - np.eye(20)[0]
        turned.append(effects - 2 * np.outer(effects @ mirror, mirror) / (mirror @ mirror))
    members = csr_array(np.kron(np.eye(rotations, dtype=np.int8), np.ones(genes, dtype=np.int8)))
    prior = VariancePrior(float("inf"), np.ones(rotations * genes))
    p = fry(np.concatenate(turned), prior, members).mixed_p
    shares = [(p < level).mean() / level for level in (0.5, 0.1, 0.01)]
    np.testing.assert_allclose(shares, 1, atol=0.35)


@pytest.mark.parametrize("seen", [0.0, 1.0, 4.0])
def test_mixed_p_is_defined_where_all_the_variation_is_in_one_direction(seen: float) -> None:
    effects = np.outer([1.0, -1.0, 2.0], [seen, 1.0, 0.0, 0.0])
    members, prior = csr_array(np.ones((1, 3))), VariancePrior(float("inf"), np.ones(3))
    assert 0 <= fry(effects, prior, members).mixed_p[0] <= 1


def test_z_scores_equal_limma() -> None:
    table = read("z_scores.csv")
    ours = z_scores(table["t"].to_numpy(), table["df"].to_numpy())
    np.testing.assert_allclose(ours, table["z"].to_numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("case", ["plain", "array weights", "counts", "people", "people, counts"])
def test_effects_carry_the_regression(case: str) -> None:
    design, values, precision = inputs(case)
    fit = precision.fit(design, values)
    effects = effect_matrix(design, values, precision)
    assert effects.shape == (values.shape[1], 1 + values.shape[0] - design.shape[1])
    np.testing.assert_allclose(effects[:, 0], fit.coefficient / fit.unscaled, rtol=1e-9)
    np.testing.assert_allclose((effects[:, 1:] ** 2).mean(axis=1), fit.variance, rtol=1e-9)


def test_equal_weights_of_observations_change_nothing() -> None:
    design, values, _ = inputs("plain")
    # Without a read there is no trend of the variance, and all weights are 1.
    unread = Precision(libraries=np.full(len(values), 1e-9))
    values = values - 50.0
    plain, weighted = effect_matrix(design, values), effect_matrix(design, values, unread)
    np.testing.assert_allclose(weighted @ weighted.T, plain @ plain.T, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(weighted[:, 0], plain[:, 0], rtol=1e-9)


def correlated_sets(seed: int, samples: int = 10) -> tuple[Floats, csr_array, Floats]:
    """Return values of 60 sets of 20 genes with a factor each, the sets, and two groups."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(samples, 1200)) + np.repeat(
        rng.normal(size=(samples, 60)), 20, axis=1
    )
    members = csr_array(np.kron(np.eye(60), np.ones(20)))
    return values, members, np.repeat([0.0, 1.0], samples // 2)


def p_of_sets(seed: int, effect: float, *, moderated: bool) -> list[Floats]:
    values, members, trait = correlated_sets(seed)
    values[:, :20] += effect * trait[:, None]
    design = np.column_stack([np.ones(len(trait)), trait])
    fit, effects = moderate(fit_last_column(design, values)), effect_matrix(design, values)
    against = camera(fit.t, fit.df, effects[:, 1:], members, moderated=moderated)
    return [against.p, fry(effects, fit.prior, members, moderated=moderated).p]


def test_moderated_tests_find_more_where_something_changes_and_nothing_elsewhere() -> None:
    seeds = range(20)
    null = np.array([p_of_sets(seed, 0.0, moderated=True) for seed in seeds])
    found = [[(benjamini_hochberg(p) < 0.05).any() for p in tests] for tests in null]
    assert (np.sum(found, axis=0) <= 3).all()
    assert (np.mean(null < 0.05, axis=(0, 2)) < 0.07).all()
    plain, better = (
        np.array([[p[0] for p in p_of_sets(seed, 2.5, moderated=on)] for seed in seeds])
        for on in (False, True)
    )
    assert (np.mean(better < 0.001, axis=0) > np.mean(plain < 0.001, axis=0) + 0.2).all()


def test_few_sets_are_not_moderated() -> None:
    values, members, trait = correlated_sets(1)
    design = np.column_stack([np.ones(len(trait)), trait])
    effects, prior = effect_matrix(design, values), moderate(fit_last_column(design, values)).prior
    for sets in (1, 2, 9):
        few = members[:sets]
        assert (fry(effects, prior, few, moderated=True).p == fry(effects, prior, few).p).all()
    assert (fry(effects, prior, members, moderated=True).p != fry(effects, prior, members).p).any()

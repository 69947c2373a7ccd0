"""Surrogate variables as in R sva: what moves many genes and is neither trait nor covariate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from genotex.analysis.designs.matrix import independent_columns
from genotex.analysis.gene_tests.p_values import local_fdr
from genotex.arrays import Floats, Rows
from genotex.errors import AnalysisError

ROWS_AT_ONCE = 1024
"""So many rows stay in the processor's cache."""


def permute_rows(values: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Permute every row on its own, in place."""
    # What `numpy.random.Generator.permuted` does, in a third of the time: each entry gets a random
    # key, and the row is put in the order of its keys. Keys that are all different are in each
    # order with the same probability, so the permutation is exactly uniform; a row with equal keys
    # is permuted by the generator itself.
    # Shapes: values (m, n).
    columns = values.shape[1]
    # The key's low bits hold the column, so that one sort of integers carries both.
    low = np.uint32((1 << max(columns - 1, 1).bit_length()) - 1)
    column = np.arange(columns, dtype=np.uint32)
    for start in range(0, len(values), ROWS_AT_ONCE):
        rows = values[start : start + ROWS_AT_ONCE]
        keys = rng.integers(0, 1 << 32, size=rows.shape, dtype=np.uint32)
        keys &= ~low
        keys |= column
        keys.sort(axis=1)
        tied = ((keys[:, 1:] ^ keys[:, :-1]) <= low).any(axis=1)
        keys &= low
        first = np.arange(len(rows), dtype=np.intp)[:, None] * columns
        shuffled = rows.ravel().take(keys + first)
        if tied.any():
            shuffled[tied] = rng.permuted(rows[tied], axis=1)
        rows[...] = shuffled


SMALLEST_RESIDUAL_DF = 10
"""Residual degrees of freedom that must remain in addition to the surrogate variables."""
PERMUTATIONS = 20
LEVEL = 0.1
"""A component counts when its p-value is at most this large."""
GENE_CUT = 0.1
"""A gene is associated with a component when its local false discovery rate is below this."""
REWEIGHTINGS = 5
GENES_AT_ONCE = 2048
ROUNDING = 1e-12
"""Spread below this share of the values is what rounding leaves of constant ones."""


@dataclass(frozen=True, eq=False)
class _SurrogateNumber:
    """How many components of the residuals are larger than chance."""

    number: int  # Leading components with a p-value within the level
    p: Floats  # (c,): p-value of each component, made to rise
    share: Floats  # (c,): share of the residual variance that each takes
    # (n, c): the components: right singular vectors of the residuals (genes by samples)
    directions: Floats
    # Permutations made; fewer than asked for where the answer was certain to be none
    permutations: int


@dataclass(frozen=True, eq=False)
class SurrogateVariables:
    """The surrogate variables of a cohort: what moves many genes and is not in the design."""

    # (n, k), independent of the design and of one another, but not orthogonal to them. By sva unit
    # vectors of mean 0 whose entry of largest size is positive
    columns: Floats
    estimated: int  # Their number before any limit
    # (k,): share of the residual variance taken by the component that each represents
    share: Floats
    limited: bool = False  # Whether some were left out to keep residual degrees of freedom
    notes: tuple[str, ...] = ()  # Which were left out, and why
    # The variance of coefficients adjusted for them is this many times the one that least squares
    # claims, at least 1; sva takes it for 1
    inflation: float = 1.0
    # (c,): by sva: p-value of each component of the residuals, made to rise
    p: Floats = field(default_factory=lambda: np.empty(0))


def surrogate_number(
    expression: Floats,
    design: Floats,
    *,
    seed: int,
    permutations: int = PERMUTATIONS,
    level: float = LEVEL,
    permuted: Iterable[NDArray[np.floating]] | None = None,
) -> _SurrogateNumber:
    """Test how many components the residuals have (Buja and Eyuboglu 1992)."""
    # Each component's share of the residual variance is compared with that of residuals which were
    # permuted within every gene and then freed of the design again. Only Gram matrices of n x n are
    # decomposed: freeing a matrix of the design frees its Gram matrix from both sides.
    # Shapes: expression (n, p), design (n, k), permuted (n, p).
    scale = _largest(expression)
    inside, outside = _split_space(design)
    components = max(0, min(expression.shape) - inside.shape[1])
    values, vectors = np.linalg.eigh(outside.T @ _residual_gram(expression, inside) @ outside)
    if values.sum() <= ROUNDING**2 * np.einsum("ij,ij->", expression, expression):
        values = np.zeros_like(values)
    share = _share(values, components)
    directions = outside @ vectors[:, ::-1][:, :components]
    if components == 0 or not share.any():
        return _SurrogateNumber(0, np.ones(components), share, directions, 0)
    if permuted is None:
        grams = _permuted_grams(expression, inside, scale, seed, permutations)
        patience = int(np.floor(level * permutations))
    else:
        grams = (np.asarray(each @ each.T, dtype=np.float64) for each in permuted)
        patience = None
    exceeded, done = _count_exceeding(share, outside, grams, patience)
    monotone = np.maximum.accumulate(exceeded / done)
    return _SurrogateNumber(int((monotone <= level).sum()), monotone, share, directions, done)


def find_surrogates(
    expression: Floats,
    design: Floats,
    *,
    seed: int,
    smallest_residual_df: int = SMALLEST_RESIDUAL_DF,
    permutations: int = PERMUTATIONS,
    permuted: Iterable[NDArray[np.floating]] | None = None,
) -> SurrogateVariables:
    """Estimate surrogate variables in two steps, protecting the trait (Leek and Storey 2007).

    For each component of the residuals that is larger than chance: the genes associated with it (F
    test, local false discovery rate below 0.1), then that principal component of these genes'
    expression, trait and all, which correlates most with it. A component with fewer such genes than
    there are samples gives none. The last ones are left out where the residuals would keep too few
    degrees of freedom. `permuted` as of `surrogate_number`.

    Raises
    ------
    AnalysisError
        If a value is missing or infinite.
    """
    # Shapes: expression (n, p); design (n, k), the full model, of full rank, intercept first.
    found = surrogate_number(
        expression, design, seed=seed, permutations=permutations, permuted=permuted
    )
    samples = len(expression)
    room = max(0, samples - design.shape[1] - smallest_residual_df)
    notes: list[str] = []
    columns: list[Floats] = []
    shares: list[float] = []
    limited = False
    for k, genes in enumerate(_associated_genes(expression, found.directions[:, : found.number])):
        why = "it cannot be distinguished from the other columns"
        if len(genes) < samples:
            why = f"{len(genes)} genes are associated with it, {samples} are needed"
        elif limited := len(columns) == room:
            break
        else:
            column = _nearest_component(expression, genes, found.directions[:, k])
            if independent_columns(np.column_stack([design, *columns, column]))[-1]:
                columns.append(column)
                shares.append(float(found.share[k]))
                continue
        notes.append(f"component {k + 1} yields no surrogate variable: {why}")
    if limited:
        notes.append(too_few_left(len(columns), found.number, smallest_residual_df))
    table = np.column_stack(columns) if columns else np.empty((samples, 0))
    return SurrogateVariables(
        table, found.number, np.array(shares), limited, tuple(notes), p=found.p
    )


def too_few_left(used: int, wanted: int, smallest_residual_df: int) -> str:
    """Return why not all surrogate variables are used."""
    return (
        f"{used} of {wanted} are used, so that {smallest_residual_df} residual degrees of freedom "
        "are left"
    )


def find_reweighted_surrogates(
    expression: Floats,
    design: Floats,
    *,
    seed: int,
    smallest_residual_df: int = SMALLEST_RESIDUAL_DF,
    number: int | None = None,
    tested: int = 1,
) -> SurrogateVariables:
    """Estimate surrogate variables by iterative reweighting, sva's default (Leek and Storey 2008).

    Genes are weighted by the probability that they follow the surrogate variables and not the
    trait (local false discovery rates); the next surrogate variables are the principal components
    of the weighted genes; five rounds, from the components of the residuals. Without a `number`
    permutations find it; the last `tested` columns of the design are the trait's.

    Raises
    ------
    AnalysisError
        If a value is missing or infinite.
    """
    # Shapes: expression (n, p); design (n, k), the full model, of full rank, intercept first.
    found = surrogate_number(expression, design, seed=seed)
    wanted = found.number if number is None else number
    used = min(wanted, max(0, len(expression) - design.shape[1] - smallest_residual_df))
    notes = (too_few_left(used, wanted, smallest_residual_df),) if used < wanted else ()
    columns = found.directions[:, :used]
    null = design[:, :-tested]
    for _ in range(REWEIGHTINGS if used else 0):
        both = np.column_stack([null, columns])
        of_trait = local_fdr(_f_test(expression, np.column_stack([design, columns]), both))
        of_columns = local_fdr(_f_test(expression, both, null))
        columns = _components(expression, (1 - of_columns) * of_trait, used)
    share = found.share[:used]
    return SurrogateVariables(columns, wanted, share, used < wanted, notes, p=found.p)


def _f_test(expression: Floats, wide: Floats, narrow: Floats) -> Floats:
    """Return the p-value of each gene that the wide design fits no better than the narrow one."""
    centred = expression - expression.mean(axis=0)
    squares = []
    for design in (wide, narrow):
        basis = np.linalg.qr(design)[0]
        fitted = basis.T @ centred
        squares.append(
            np.einsum("ij,ij->j", centred, centred) - np.einsum("ij,ij->j", fitted, fitted)
        )
    more, df = wide.shape[1] - narrow.shape[1], len(wide) - wide.shape[1]
    left = np.maximum(squares[0], np.finfo(np.float64).tiny)
    f = np.maximum(squares[1] - squares[0], 0.0) / more / (left / df)
    return np.asarray(fdtrc(more, df, f))


def _components(expression: Floats, weight: Floats, number: int) -> Floats:
    """Return the leading principal components over samples of the centred, weighted genes."""
    centred = (expression - expression.mean(axis=0)) * weight
    return np.asarray(np.linalg.eigh(centred @ centred.T)[1][:, ::-1][:, :number])


def _largest(expression: Floats) -> float:
    """Return the size of the largest value; refuse what is missing or infinite."""
    if expression.size == 0:
        return 0.0
    largest = np.maximum(expression.max(), -expression.min())
    if not np.isfinite(largest):
        msg = "surrogate variables need expression without missing or infinite values"
        raise AnalysisError(msg)
    return float(largest)


def _split_space(design: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal bases of the design's space and of the rest."""
    q, _ = np.linalg.qr(design, mode="complete")
    return q[:, : design.shape[1]], q[:, design.shape[1] :]


def _residual_chunks(expression: Floats, inside: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield the residuals of some genes at a time, genes by samples."""
    for start in range(0, expression.shape[1], GENES_AT_ONCE):
        part = expression[:, start : start + GENES_AT_ONCE]
        yield start, np.ascontiguousarray((part - inside @ (inside.T @ part)).T)


def _residual_gram(expression: Floats, inside: Floats) -> Floats:
    samples = len(expression)
    total = np.zeros((samples, samples))
    for _, chunk in _residual_chunks(expression, inside):
        total += chunk.T @ chunk
    return total


def _permuted_grams(
    expression: Floats, inside: Floats, scale: float, seed: int, permutations: int
) -> Iterator[Floats]:
    """Yield Gram matrices of residuals that are permuted within every gene."""
    # Single precision is enough, since the residuals have mean 0 and nothing cancels; it ends at
    # 1e38, so they are divided by `scale`, which no share depends on. Each round permutes the rows
    # of the round before, which is as uniform and as independent as starting afresh.
    samples, genes = expression.shape
    rng = np.random.default_rng(seed)
    residual = np.empty((genes, samples), dtype=np.float32)
    for start, chunk in _residual_chunks(expression, inside):
        residual[start : start + len(chunk)] = chunk / scale
    for _ in range(permutations):
        total = np.zeros((samples, samples))
        for start in range(0, genes, GENES_AT_ONCE):
            rows = residual[start : start + GENES_AT_ONCE]
            permute_rows(rows, rng)
            total += rows.T @ rows
        yield total


def _share(values: Floats, components: int) -> Floats:
    """Return the largest eigenvalues, descending, as shares of their sum."""
    largest = np.clip(values[::-1][:components], 0.0, None)
    total = float(largest.sum())
    return largest / total if total > 0 else largest


def _count_exceeding(
    share: Floats, outside: Floats, grams: Iterable[Floats], patience: int | None
) -> tuple[Rows, int]:
    """Count for each component the permutations that reach its share."""
    # p-values rise from one component to the next, so the answer is none as soon as the first was
    # reached more often than `patience`.
    exceeded = np.zeros(len(share), dtype=np.intp)
    done = 0
    for gram in grams:
        values = np.asarray(np.linalg.eigvalsh(outside.T @ gram @ outside), dtype=np.float64)
        null = _share(values, len(share))
        exceeded += null >= share
        done += 1
        if patience is not None and exceeded[0] > patience:
            break
    return exceeded, done


def _associated_genes(expression: Floats, directions: Floats) -> Iterator[Rows]:
    """Yield the genes associated with each direction by the F test of gene ~ 1 + direction."""
    # Shapes: expression (n, p), directions (n, k).
    # Yields Columns of `expression` whose local false discovery rate is below 0.1.
    if directions.shape[1] == 0:
        return
    samples, genes = expression.shape
    squared = np.empty((genes, directions.shape[1]))
    for start in range(0, genes, GENES_AT_ONCE):
        part = expression[:, start : start + GENES_AT_ONCE]
        centred = part - part.mean(axis=0)
        total = np.einsum("ij,ij->j", centred, centred)
        # A constant gene is associated with nothing.
        known = total > ROUNDING**2 * np.einsum("ij,ij->j", part, part)
        explained = (centred.T @ directions) ** 2
        squared[start : start + part.shape[1]] = np.divide(
            explained, total[:, None], out=np.full_like(explained, np.nan), where=known[:, None]
        )
    df = samples - 2
    varying = np.flatnonzero(~np.isnan(squared[:, 0]))
    for k in range(directions.shape[1]):
        share = np.minimum(squared[varying, k], 1.0)
        with np.errstate(divide="ignore"):
            f = share * df / (1.0 - share)
        yield varying[local_fdr(fdtrc(1, df, f)) < GENE_CUT]


def _nearest_component(expression: Floats, genes: Rows, direction: Floats) -> Floats:
    """Return that principal component of these genes which correlates most with a direction."""
    samples = len(expression)
    gram = np.zeros((samples, samples))
    for start in range(0, len(genes), GENES_AT_ONCE):
        part = expression[:, genes[start : start + GENES_AT_ONCE]]
        part = np.ascontiguousarray((part - part.mean(axis=0)).T)
        gram += part.T @ part
    _, vectors = np.linalg.eigh(gram)
    # Centred genes leave one direction empty, that of the intercept: the first of the ascending.
    vectors = vectors[:, 1:]
    best = vectors[:, int(np.argmax(np.abs(direction @ vectors)))]
    best = best - best.mean()
    best /= np.linalg.norm(best)
    return np.asarray(best * np.sign(best[np.argmax(np.abs(best))]), dtype=np.float64)

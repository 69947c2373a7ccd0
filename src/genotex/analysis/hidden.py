"""Hidden structure: whether surrogate variables are looked for, used, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.options import Hidden as HiddenMode
from genotex.analysis.robust_surrogates import find_robust_surrogates
from genotex.analysis.sample_facts import SampleFacts
from genotex.analysis.surrogate import SurrogateVariables, find_surrogates
from genotex.analysis.surrogate_associations import associate_surrogates, correlation_with_trait

__all__ = ["ENOUGH_TO_RANK", "Hidden", "compare_rankings", "find_hidden", "set_aside"]

Floats = NDArray[np.float64]

ENOUGH_TO_RANK = 40
"""With fewer samples, ``auto`` ranks the genes without surrogate variables."""
FEWEST_GENES = 100
STRONG_WITH_TRAIT = 0.5
"""Correlation from which a surrogate variable takes much of the trait with it."""
TOPS = (10, 50, 100)
NAMED = 10
CUT = 0.05
MOST_SIGNIFICANT = 0.4
"""Share of genes with q < 0.05 above which surrogate variables cannot be told from the trait."""
METHODS = {
    "auto": "robust regression over genes (Wang et al. 2017)",
    "sva": "two steps (Leek and Storey 2007)",
}


@dataclass(frozen=True, eq=False)
class Hidden:
    """The surrogate variables of an analysis and what is told of them.

    Attributes
    ----------
    columns : dict of str to ndarray of float64, shape (n,)
        ``SV1``, ``SV2``, ...; empty when there are none.
    used_for_ranking : bool
        Whether the genes are ranked by the analysis that adjusts for them. False with columns:
        both analyses are reported, the one without ranks.
    record : dict
        Plain JSON: ``mode``, ``estimated`` (number by the permutation test), ``used`` (number of
        columns), ``limited`` (some left out for lack of samples), ``share`` (of residual variance,
        each), ``residual_df`` (with the columns), ``ranked_with``, ``set_aside`` (why not, when
        there are columns: ``few samples`` or ``many genes``), ``associations`` (see
        `associate_surrogates`), ``genes_used``, ``notes``, ``method``.
    warnings : tuple of str
        What a reader should know.
    """

    columns: dict[str, Floats]
    used_for_ranking: bool
    record: dict[str, Any]
    warnings: tuple[str, ...] = field(default=())


def find_hidden(
    values: Floats,
    contrast: Contrast,
    design: Design,
    facts: SampleFacts,
    samples: Sequence[str],
    mode: HiddenMode,
    seed: int,
) -> Hidden:
    """Look for hidden structure and decide whether the genes are ranked with it.

    Parameters
    ----------
    values : ndarray of float64, shape (n, p)
        Log2 expression of the samples compared; genes with missing values (NaN) are left out here.
    contrast : Contrast
        The samples compared.
    design : Design
        Intercept, covariates, trait.
    facts : mapping
        Other characteristics, which the surrogate variables are compared with.
    samples : sequence of str
        Sample ids of the linked table.
    mode : {"auto", "none", "sva"}
        ``auto`` estimates the columns by robust regression over genes and ranks with them from 40
        samples (see also `set_aside`); ``sva`` estimates them in two steps as R's sva does and
        always uses what is found.
    seed : int
        Seed of the permutations.
    """
    if mode == "none":
        return Hidden({}, False, _record(mode, None, design, 0))
    complete = ~np.isnan(values).any(axis=0)
    genes = int(complete.sum())
    needed = max(FEWEST_GENES, len(values))
    if genes < needed:
        note = f"{genes} genes without missing values are too few, {needed} are needed"
        warning = f"Hidden structure was not looked for: {note}."
        return Hidden({}, False, _record(mode, None, design, genes, note), (warning,))
    whole = values if genes == values.shape[1] else values[:, complete]
    estimate = find_surrogates if mode == "sva" else find_robust_surrogates
    found = estimate(whole, design.matrix, seed=seed)
    columns = {f"SV{k + 1}": column for k, column in enumerate(found.columns.T)}
    ranked_with = bool(columns) and (mode == "sva" or len(values) >= ENOUGH_TO_RANK)
    record = _record(mode, found, design, genes)
    record["ranked_with"] = ranked_with
    record["set_aside"] = "few samples" if columns and not ranked_with else ""
    record["associations"] = associate_surrogates(columns, contrast, design, facts, samples)
    correlations = correlation_with_trait(columns, contrast)
    warnings = (
        *_limits(found, len(values)),
        *_small_cohort(len(columns), len(values), mode, ranked_with),
        *_strong_with_trait(correlations, design.names[-1], ranked_with),
    )
    return Hidden(columns, ranked_with, record, warnings)


def _record(
    mode: HiddenMode, found: SurrogateVariables | None, design: Design, genes: int, *notes: str
) -> dict[str, Any]:
    used = 0 if found is None else found.columns.shape[1]
    return {
        "mode": mode,
        "method": "" if found is None else METHODS["sva" if mode == "sva" else "auto"],
        "estimated": 0 if found is None else found.estimated,
        "used": used,
        "limited": found is not None and found.limited,
        "share": [] if found is None else [float(share) for share in found.share],
        "residual_df": len(design.matrix) - design.matrix.shape[1] - used,
        "ranked_with": False,
        "set_aside": "",
        "associations": [],
        "genes_used": genes,
        "notes": [*notes, *(() if found is None else found.notes)],
    }


def _limits(found: SurrogateVariables, samples: int) -> tuple[str, ...]:
    if not found.limited:
        return ()
    used = found.columns.shape[1]
    return (
        f"Hidden structure of {found.estimated} components was found, but {samples} samples leave "
        f"room for {used or 'no'} surrogate variable{'' if used == 1 else 's'}: what is left of it "
        "may make false findings.",
    )


def _small_cohort(
    number: int, samples: int, mode: HiddenMode, ranked_with: bool
) -> tuple[str, ...]:
    if number == 0 or samples >= ENOUGH_TO_RANK:
        return ()
    if ranked_with:
        return (
            f"{_count(number)} adjusted for with {samples} samples only: below {ENOUGH_TO_RANK} "
            "they can make false findings as well as remove them; compare with the analysis "
            "without them.",
        )
    return (
        f"Hidden structure was found ({_count(number)}), but with {samples} samples adjusting for "
        "it can do harm: both analyses are reported, and genes are ranked by the one without.",
    )


def _strong_with_trait(
    correlations: Mapping[str, float], trait: str, ranked_with: bool
) -> tuple[str, ...]:
    strong = [
        f"{name} (r = {r:.2f})" for name, r in correlations.items() if abs(r) > STRONG_WITH_TRAIT
    ]
    if not strong:
        return ()
    what = "Adjusting for it" if ranked_with else "The analysis that adjusts for it"
    return (
        f"Hidden structure goes strongly with {trait}: {', '.join(strong)}. {what} takes part of "
        "the trait's own signal away, and without it signal and structure are hard to tell apart.",
    )


def _count(number: int) -> str:
    return f"{number} surrogate variable{'' if number == 1 else 's'}"


def set_aside(hidden: Hidden, q: Floats) -> Hidden:
    """Rank without surrogate variables where most genes seem affected by the trait.

    The robust regression takes the trait's effects for those of a minority of genes. Where the
    majority is affected it takes them for hidden structure; in simulated cohorts with 60 % of the
    genes affected the analysis without surrogate variables is right (docs: calibration).

    Parameters
    ----------
    hidden : Hidden
        What was found.
    q : ndarray of float64, shape (p,)
        q-values without surrogate variables.

    Returns
    -------
    Hidden
        The same, or with `used_for_ranking` off and a warning.
    """
    asked = hidden.record["mode"] == "sva"
    many = int((q < CUT).sum())
    if asked or not hidden.used_for_ranking or many <= MOST_SIGNIFICANT * len(q):
        return hidden
    warning = (
        f"{many} of {len(q)} genes have q < {CUT:g} without surrogate variables: with so many, "
        "hidden structure cannot be told from the trait. Both analyses are reported, and genes are "
        "ranked by the one without; a batch behind the trait would not be seen."
    )
    return replace(
        hidden,
        used_for_ranking=False,
        record={**hidden.record, "ranked_with": False, "set_aside": "many genes"},
        warnings=(*hidden.warnings, warning),
    )


def compare_rankings(
    without: Floats, with_surrogates: Floats, names: Sequence[str], q_cut: float
) -> dict[str, Any]:
    """Tell how the top genes change with surrogate variables.

    Parameters
    ----------
    without, with_surrogates : ndarray of float64, shape (p,)
        p-values of the same genes in both analyses; NaN where a gene could not be tested.
    names : sequence of str, length p
        The genes.
    q_cut : float
        A gene is significant when its q-value (Benjamini-Hochberg) is below.

    Returns
    -------
    dict
        ``top``: for the first 10, 50 and 100 genes (``genes``) how many both share (``shared``);
        ``significant_without``, ``significant_with``, ``significant_both``; ``first_without``,
        ``first_with``: the first ten genes of each.
    """
    orders = [_ranked(without), _ranked(with_surrogates)]
    found = [_significant(p, q_cut) for p in (without, with_surrogates)]
    most = min(len(order) for order in orders)
    sizes = [size for size in TOPS if size <= most] or ([most] if most else [])
    shared = [len(set(orders[0][:size]) & set(orders[1][:size])) for size in sizes]
    first = [[names[i] for i in order[:NAMED]] for order in orders]
    return {
        "top": [{"genes": k, "shared": both} for k, both in zip(sizes, shared, strict=True)],
        "significant_without": int(found[0].sum()),
        "significant_with": int(found[1].sum()),
        "significant_both": int((found[0] & found[1]).sum()),
        "first_without": first[0],
        "first_with": first[1],
    }


def _ranked(p: Floats) -> list[int]:
    order = np.argsort(p, kind="stable")  # NaN last
    return [int(i) for i in order[: int((~np.isnan(p)).sum())]]


def _significant(p: Floats, q_cut: float) -> NDArray[np.bool_]:
    tested = ~np.isnan(p)
    found = np.zeros(len(p), dtype=bool)
    found[tested] = benjamini_hochberg(p[tested]) < q_cut
    return found

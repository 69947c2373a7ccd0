"""Regressor genes of a two-step problem: by what the condition is predicted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from genotex.options import RegressorRule

__all__ = ["RegressorRule", "regressor_genes"]


def regressor_genes(
    condition_related: Sequence[str],
    trait_related: Collection[str],
    trait_genes: Collection[str],
    condition_genes: Collection[str],
    rule: RegressorRule = "inclusive",
) -> tuple[str, ...]:
    """Return the related genes of the condition that stand in both linked tables.

    Parameters
    ----------
    condition_related : sequence of str
        Related genes of the condition; their order is kept.
    trait_related : collection of str
        Related genes of the trait; taken out by the rule ``exclusive``.
    trait_genes, condition_genes : collection of str
        Genes of the two linked tables.
    rule : {"inclusive", "exclusive"}
        The paper's rule, or that of the newest published release.
    """
    out = set(trait_related) if rule == "exclusive" else set()
    there = set(trait_genes) & set(condition_genes) - out
    return tuple(gene for gene in dict.fromkeys(condition_related) if gene in there)

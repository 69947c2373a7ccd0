"""Answers as any tool writes them: ranked genes, and how well they predict the trait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats import read_json_object

__all__ = ["GeneList", "read_gene_list"]

EXPECTED = 'the benchmark writes {"significant_genes": {"Variable": ["TP53", ...]}}'


@dataclass(frozen=True)
class GeneList:
    """One answer.

    Attributes
    ----------
    genes : tuple of str
        Symbols in the order of the file, the most important first.
    prediction : mapping of str to float
        ``cv_performance.prediction``, its finite numbers only; empty where it is not told.
    """

    genes: tuple[str, ...]
    prediction: Mapping[str, float]


def read_gene_list(path: Path) -> GeneList:
    """Read ``significant_genes_condition_<C>.json``, of any release and any tool.

    Only ``significant_genes.Variable`` is needed.

    Raises
    ------
    FormatError
        If that is no list of symbols, or the file no JSON object.
    """
    content = read_json_object(path, EXPECTED)
    found = content.get("significant_genes")
    names = found.get("Variable") if isinstance(found, dict) else None
    place = "significant_genes.Variable"
    if not isinstance(names, list):
        msg = f"expected a list of symbols, found {_kind(names)}"
        raise FormatError(msg, path=path, field=place, hint=EXPECTED)
    for name in names:
        if not isinstance(name, str):
            msg = f"expected symbols only, found {_kind(name)}"
            raise FormatError(msg, path=path, field=place, hint=EXPECTED)
    return GeneList(tuple(names), _numbers(content.get("cv_performance")))


def _numbers(performance: object) -> dict[str, float]:
    prediction = performance.get("prediction") if isinstance(performance, dict) else None
    if not isinstance(prediction, dict):
        return {}
    return {
        str(name): float(value)
        for name, value in prediction.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__

"""Scores of predictions against labels, as docs/clinical-quality.md defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from labelled_cases import Case, is_right

Scores = dict[str, float]

FEATURES = ("trait", "age", "gender")


def score(cases: Sequence[Case], answers: Mapping[str, Mapping[str, Any]], labels: str) -> Scores:
    """Score answers by case id against one set of labels; a missing answer counts as nothing."""
    pairs = [
        (case.labels[labels], answers.get(case.id, {}))
        for case in cases
        if case.labels.get(labels) is not None
    ]
    gene = [(label["is_gene_available"], bool(a.get("is_gene_available"))) for label, a in pairs]
    available = [
        (
            label["is_gene_available"] and label["trait"] is not None,
            g and a.get("trait") is not None,
        )
        for (label, a), (_, g) in zip(pairs, gene, strict=True)
    ]
    right = {
        name: np.array([is_right(label[name], a.get(name)) for label, a in pairs])
        for name in FEATURES
    }
    whole = np.logical_and.reduce([*right.values(), [a == b for a, b in gene]])
    return {
        "cases": float(len(pairs)),
        "gene_flag_accuracy": float(np.mean([a == b for a, b in gene])),
        "no_gene_F1": f1(gene, False),
        "available_F1": f1(available, True),
        "not_available_F1": f1(available, False),
        **{f"{name}_exact": float(values.mean()) for name, values in right.items()},
        "whole_case_exact": float(whole.mean()),
    }


def f1(pairs: Sequence[tuple[bool, bool]], positive: bool) -> float:
    """Return F1 of (label, prediction) pairs for one of the two answers."""
    hits = sum(a == positive and b == positive for a, b in pairs)
    false = sum((a == positive) != (b == positive) for a, b in pairs)
    return 2 * hits / (2 * hits + false) if hits else 0.0

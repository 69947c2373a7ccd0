"""How findings are worded."""

from __future__ import annotations

from genotex.clinical.assay.signs import Finding

__all__ = ["not_expression", "not_human"]

NOT_HUMAN = "the organism is not human"
"""How the reason of a verdict begins when the samples are not human."""


def not_human(rule: str, who: str, evidence: str) -> Finding:
    """Return the finding that the samples are of another species."""
    reason = f"{NOT_HUMAN}: {who}" if who else NOT_HUMAN
    return Finding(rule, False, reason, evidence, human=False)


def not_expression(rule: str, reason: str, evidence: str) -> Finding:
    """Return the finding that something else than gene expression was measured."""
    return Finding(rule, False, reason, evidence)

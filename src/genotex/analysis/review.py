"""Cohorts whose groups are uncertain: what a reader is told of them first."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from genotex.formats import Evidence
from genotex.problems import FOR_REVIEW, groups_to_review

TO_REVIEW = "To review"
"""Begins the warnings of uncertain groups."""


def warn_of_review(
    trait: str, refused: Mapping[str, str], used: Mapping[str, Evidence | None]
) -> tuple[str, ...]:
    """Return a sentence for each cohort with uncertain groups, used or left for that reason."""
    own = {name: groups_to_review(evidence) for name, evidence in used.items()}
    return (
        *(_warning(trait, name, f"is in doubt: {why}") for name, why in own.items() if why),
        *(
            _warning(trait, name, f"is {why}")
            for name, why in refused.items()
            if why.startswith(FOR_REVIEW)
        ),
    )


def review_warnings(warnings: Sequence[str]) -> tuple[str, ...]:
    """Return those warnings that are about uncertain groups."""
    return tuple(text for text in warnings if text.startswith(TO_REVIEW))


def _warning(trait: str, cohort: str, what: str) -> str:
    command = shlex.join(["genotex", "clinical", "sheet", "INPUT", "--trait", trait])
    return f"{TO_REVIEW}: {cohort} {what}. Check its groups with: {command}"

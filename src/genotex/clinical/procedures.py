"""Who reads for a procedure: the built-in rules with what a user may choose."""

from __future__ import annotations

import math
from pathlib import Path

from genotex.clinical.experts import RuleExpert
from genotex.clinical.words.vocabulary import load_vocabulary
from genotex.errors import UsageError
from genotex.layout import Procedure

__all__ = ["check_certainty", "rule_expert"]


def rule_expert(
    procedure: Procedure, *, vocabulary: Path | None = None, least_certainty: float = 0.0
) -> RuleExpert:
    """Return the built-in rules as a procedure uses them.

    Parameters
    ----------
    procedure : str
        ``sound`` looks at titles, source names and descriptions of samples where the
        characteristics are silent; ``benchmark`` at the characteristics alone, as the published
        reference did.
    vocabulary : Path, optional
        A vocabulary file to lay over the packaged words.
    least_certainty : float
        Trait readings less certain than this (0 to 1) are "not available".

    Raises
    ------
    VocabularyFileError
        If the vocabulary file has a mistake.
    UsageError
        If the certainty is none.
    """
    check_certainty(least_certainty)
    return RuleExpert(
        load_vocabulary(vocabulary),
        least_certainty=least_certainty,
        beyond_characteristics=procedure == "sound",
    )


def check_certainty(value: float) -> None:
    """Refuse what is no probability.

    Raises
    ------
    UsageError
        If it is not from 0 to 1.
    """
    if not (math.isfinite(value) and 0 <= value <= 1):
        msg = f"{value:g} is no certainty; use a number from 0 to 1"
        raise UsageError(msg)

"""Rules for the odd cases of scoring: ours, and those of the published scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from genotex.bench.evaluation.scores import Missing

RulesName = Literal["genotex", "published"]


@dataclass(frozen=True)
class ScoringRules:
    """What differs between two ways to score; ordinary cases are the same in both."""

    name: RulesName  # as on the command line and in the settings of the scores
    words: str  # what tables state
    # precision, recall and F1 (percent) of filtering where no cohort is available on either side
    nothing_available: float = 100.0
    # a missing `cohort_info.json` lists no cohort, instead of scoring 0
    missing_is_unavailable: bool = False
    # an item whose JSON cannot be read, on either side, is left out of the averages
    drops_unreadable: bool = False
    drops_null_sizes: bool = False  # a cohort whose `sample_size` is null is never chosen
    # a table with repeated rows or without any cell scores 0, and repeated columns get names of
    # their own (`X`, `X.1`)
    tables_as_pandas: bool = False
    # a repeated gene counts at its last place for AUROC and AUPRC, and at each for ES
    repeats_count: bool = False
    continuous_is_zero: bool = False  # continuous traits count as a trait accuracy and F1 of 0

    @property
    def suffix(self) -> str:
        """What titles of tables end with; nothing for our own rules."""
        return "" if self.name == "genotex" else f" (rules: {self.words})"


OURS = ScoringRules("genotex", "genotex")
PUBLISHED = ScoringRules(
    "published",
    "published scorer",
    nothing_available=0.0,
    missing_is_unavailable=True,
    drops_unreadable=True,
    drops_null_sizes=True,
    tables_as_pandas=True,
    repeats_count=True,
    continuous_is_zero=True,
)
RULES: Mapping[RulesName, ScoringRules] = {rules.name: rules for rules in (OURS, PUBLISHED)}


def rules_of(settings: Mapping[str, object]) -> ScoringRules:
    """Return the rules that scores were made by; scores of earlier versions follow ours."""
    return PUBLISHED if settings.get("rules") == PUBLISHED.name else OURS


def dropped_notes(dropped: Iterable[Missing]) -> list[str]:
    """List the items that were left out because a file of theirs cannot be read."""
    return [
        f"left out by the rules of the published scorer: {item.task} of {item.item}: {item.why}"
        for item in dropped
    ]

"""What cohorts there are: usable ones of several sorts, and those that must be rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from genotex.simulate import EMPTY_TABLE, METHYLATION

__all__ = ["BINARY_EXTRAS", "MEASURED_EXTRAS", "PLAIN", "UNANSWERABLE", "Recipe"]

_HALVES = {"case": 0.5, "healthy control": 0.5}


@dataclass(frozen=True)
class Recipe:
    """One sort of cohort.

    Attributes
    ----------
    reason : str
        What is special about it, or why it cannot be used.
    share : float
        Its size as a share of the largest cohort's.
    groups : mapping of str to float
        Share of the samples in each group, where the trait is not measured.
    late : mapping of str to float or None
        Share of each group in batch 2; None: no batches.
    usable : bool
        Whether a careful reader can use it.
    told_in : {"rows", "sources", "nowhere"}
        Where the files tell the trait.
    age, sex : bool
        Whether they tell age and sex.
    shifted : bool
        Whether the characteristics of some samples are shifted.
    arms : tuple of str
        Arms of a trial.
    instead : str
        What the files hold in the place of gene expression; empty: they hold that.
    together : bool
        Whether sex and age stand in one cell.
    fewest_cases : bool
        Whether there are at most four cases.
    title, summary, design : str
        As in the ``!Series_`` lines, with ``{t}`` for the trait; empty: the usual ones.
    """

    reason: str
    share: float = 0.8
    groups: Mapping[str, float] = field(default_factory=lambda: _HALVES)
    late: Mapping[str, float] | None = None
    usable: bool = True
    told_in: Literal["rows", "sources", "nowhere"] = "rows"
    age: bool = True
    sex: bool = True
    shifted: bool = False
    arms: tuple[str, ...] = ()
    instead: str = ""
    together: bool = False
    fewest_cases: bool = False
    title: str = ""
    summary: str = ""
    design: str = ""


PLAIN = Recipe("nothing special")
_CONFOUNDED = Recipe(
    "batch partly confounded with the trait; patients with another disease among controls",
    share=0.9,
    groups={"case": 0.44, "other disease": 0.12, "healthy control": 0.44},
    late={"case": 0.7, "other disease": 0.5, "healthy control": 0.3},
    design="Three groups; most patients were processed in the second batch.",
)
_BATCHES = Recipe(
    "two batches, both with the same people",
    share=0.9,
    late={"case": 0.5, "healthy control": 0.5, "unknown": 0.5},
    design="Samples were processed in two batches of the same composition.",
)
_SHIFTED = Recipe(
    "characteristics shifted where the sex is missing: right when read by key",
    share=0.6,
    shifted=True,
    design="The sex of some donors was not recorded.",
)
_NOBODY_TOLD = Recipe(
    "the largest one, but age and sex are not told", share=1.0, age=False, sex=False
)
_AGE_ONLY = Recipe("the sex is not told", sex=False)
_SEX_ONLY = Recipe("the age is not told", share=0.7, age=False)
_BY_SOURCE = Recipe("only source names and titles tell the trait", share=0.7, told_in="sources")
_UNBALANCED = Recipe(
    "three controls for each case", share=0.9, groups={"case": 0.25, "healthy control": 0.75}
)
_OTHER_CONTROLS = Recipe(
    "all controls have another disease",
    groups={"case": 0.5, "other disease": 0.5},
    summary="{tissue} of patients with {t} was compared with that of patients with {o}.",
    design="Patients with {t} and patients with {o}, one array each.",
)
_TREATED = Recipe(
    "every sample has the disease: nobody to compare with",
    share=1.0,
    groups={"case": 1.0},
    usable=False,
    arms=("placebo", "simulated drug"),
    title="Response to a simulated drug in {t}",
    summary="{tissue} of patients with {t}, treated with a drug or with placebo.",
    design="All patients have {t}; two treatment arms.",
)
_UNTOLD = Recipe(
    "the files do not tell the trait",
    share=1.0,
    groups={"unknown": 1.0},
    usable=False,
    told_in="nowhere",
    arms=("simulated diet", "usual diet"),
    title="Gene expression in {tissue} of donors on a simulated diet",
    summary="Donors kept to a simulated diet for four weeks. What changes may matter for {t}, too.",
    design="Two arms, one array for each donor.",
)
_BIASED = Recipe("nearly all are healthy", usable=False, fewest_cases=True)
_METHYLATION = Recipe(
    "DNA methylation: no gene expression",
    share=0.6,
    usable=False,
    instead=METHYLATION,
    title="DNA methylation in {t}",
    summary="Genome-wide DNA methylation of {tissue}, studied for {t}.",
    design="One methylation beadchip for each donor.",
)
_EMPTY = Recipe(
    "the table of values is empty: no gene expression", usable=False, instead=EMPTY_TABLE
)
_SOME_UNKNOWN = Recipe(
    "of some samples the trait is not known",
    groups={"case": 0.45, "unknown": 0.1, "healthy control": 0.45},
)
_TOGETHER = Recipe("sex and age stand in one cell", together=True)

UNANSWERABLE = (_TREATED, _UNTOLD)
"""Cohorts of a trait that no cohort can answer."""

BINARY_EXTRAS = (
    _CONFOUNDED,
    _TREATED,
    _NOBODY_TOLD,
    _SHIFTED,
    _UNTOLD,
    _BY_SOURCE,
    _BATCHES,
    _BIASED,
    _AGE_ONLY,
    _METHYLATION,
    _SOME_UNKNOWN,
    _UNBALANCED,
    _EMPTY,
    _OTHER_CONTROLS,
    _TOGETHER,
    _SEX_ONLY,
)
"""Beside a plain one, for a trait that people have or have not."""

MEASURED_EXTRAS = (
    _UNTOLD,
    _BATCHES,
    _NOBODY_TOLD,
    _METHYLATION,
    _SHIFTED,
    _EMPTY,
    _TOGETHER,
    _AGE_ONLY,
)
"""Beside a plain one, for a measured trait."""

"""The cohort that answers a problem, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError, NoUsableCohortError, UsageError
from genotex.formats import ON_PROBES, CohortInfo, Evidence, find_evidence, read_cohort_info
from genotex.layout import TCGA_COHORT, OutputFolder
from genotex.problems.problem import Problem, ProblemKind

FOR_REVIEW = "left for review"
"""Begins the reason of a cohort that is not used because its groups are uncertain."""
TCGA_NAMES = frozenset({TCGA_COHORT, "Xena"})


@dataclass(frozen=True)
class CohortChoice:
    """The cohort that answers a problem."""

    cohort: str  # its id as in `cohort_info.json`
    reason: str  # why this one, in words
    # every other cohort of the trait and why it was not taken, in file order
    others: Mapping[str, str]


@dataclass(frozen=True)
class UsableCohorts:
    """All cohorts that fit a problem."""

    cohorts: tuple[str, ...]  # their ids, the largest first
    # every other cohort of the trait and why it does not fit, in file order
    refused: Mapping[str, str]


def choose_cohort(
    output: OutputFolder,
    problem: Problem,
    forced: str | None = None,
    among: Collection[str] | None = None,
    *,
    certain_first: bool = False,
) -> CohortChoice:
    """Choose the usable cohort with the most samples (GenoTEX paper, section 3).

    For the conditions Age and Gender only cohorts that have them are considered. Ties go to the
    cohort that comes first in the file.

    Parameters
    ----------
    output
        Folder with the preprocessed cohorts.
    problem
        An unconditional or one-step problem.
    forced
        Take this cohort regardless of its size.
    among
        Choose among these cohorts only.
    certain_first
        Take one whose groups are uncertain only where no other fits.

    Raises
    ------
    NoUsableCohortError
        If no cohort fits; the message gives the reason for each cohort.
    UsageError
        If the forced cohort is not known, or the problem is a two-step one.
    """
    if problem.kind is ProblemKind.TWO_STEP:
        msg = f"{problem}: the condition is another trait, which takes a pair of cohorts"
        raise UsageError(msg)
    cohorts = read_cohorts(output, problem.trait)
    if forced is not None:
        return _forced(cohorts, problem, forced)
    refusals = refuse(cohorts, problem.condition, among)
    if certain_first:
        refusals = _with_uncertain(output, problem.trait, refusals)
    fitting = {name: cohorts[name] for name, reason in refusals.items() if reason is None}
    if not fitting:
        raise NoUsableCohortError(_nothing_fits(problem, refusals))
    chosen = max(fitting, key=lambda name: fitting[name].sample_size or 0)
    size = fitting[chosen].sample_size or 0
    reason = "the only cohort that fits" if len(fitting) == 1 else "the largest usable cohort"
    if problem.condition is not None and len(fitting) > 1:
        reason += f" with {problem.condition}"
    others = {
        name: refusals[name] or _smaller(info, size)
        for name, info in cohorts.items()
        if name != chosen
    }
    return CohortChoice(chosen, f"{reason} ({size} samples)", others)


def usable_cohorts(
    output: OutputFolder, problem: Problem, among: Collection[str] | None = None
) -> UsableCohorts:
    """Return every cohort that fits, the largest first; uncertain ones where no other does."""
    cohorts = read_cohorts(output, problem.trait)
    refusals = _with_uncertain(output, problem.trait, refuse(cohorts, problem.condition, among))
    fitting = [name for name, reason in refusals.items() if reason is None]
    fitting.sort(key=lambda name: -(cohorts[name].sample_size or 0))
    return UsableCohorts(
        tuple(fitting), {name: reason for name, reason in refusals.items() if reason is not None}
    )


def groups_to_review(evidence: Evidence | None) -> str:
    """Return why the groups of a cohort are to be reviewed; empty where they are certain."""
    return "" if evidence is None else evidence.reading.get("review", {}).get("trait", "")


def _with_uncertain(
    output: OutputFolder, trait: str, refusals: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Refuse the cohorts whose groups are uncertain, where others fit."""
    fitting = [name for name, reason in refusals.items() if reason is None]
    review = {n: groups_to_review(find_evidence(output, trait, n)) for n in fitting}
    if all(review.values()):
        return dict(refusals)
    return {**refusals, **{n: f"{FOR_REVIEW}: {why}" for n, why in review.items() if why}}


def why_not(info: CohortInfo, condition: str | None) -> str | None:
    """Return why a cohort does not fit a condition, or None if it does."""
    if not info.is_usable:
        return f"not usable: {_defect(info)}"
    if condition == "Age" and not info.has_age:
        return "no Age"
    if condition == "Gender" and not info.has_gender:
        return "no Gender"
    return None


def _defect(info: CohortInfo) -> str:
    defects = []
    if not info.is_gene_available:
        defects.append("gene expression not available")
    if not info.is_trait_available:
        defects.append("trait not available")
    if info.is_biased:
        defects.append("trait biased (too few samples of one label, or no spread)")
    text = ", ".join(defects) or "marked so by preprocessing"
    return f"{text} ({info.note})" if info.note else text


def _smaller(info: CohortInfo, size: int) -> str:
    samples = info.sample_size or 0
    if samples == size:
        return f"of the same size ({samples} samples), but later in the list"
    return f"smaller ({samples} samples)"


def read_cohorts(output: OutputFolder, trait: str) -> dict[str, CohortInfo]:
    """Read the records of a trait's cohorts, in file order."""
    path = output.cohort_info(trait)
    if not path.is_file():
        known = ", ".join(output.traits()) or "none"
        msg = (
            f"{trait} has no preprocessed cohort: {path} does not exist "
            f"(traits there: {known}); run preprocess first"
        )
        raise NoUsableCohortError(msg)
    cohorts = read_cohort_info(path)
    for name, info in cohorts.items():
        # Other tools make none.
        if evidence := find_evidence(output, trait, name):
            _check_record(evidence.info, path, name, info)
    return cohorts


def _check_record(
    recorded: Mapping[str, object], path: Path, cohort: str, info: CohortInfo
) -> None:
    """Refuse facts that are not those that preprocessing recorded."""
    for name in ("is_usable", "sample_size"):
        found, wanted = getattr(info, name), recorded.get(name, getattr(info, name))
        # A person may put a cohort aside, but not make one usable.
        if found != wanted and info.is_usable:
            msg = f"{found}, but its preprocessing recorded {wanted}"
            hint = "run preprocess again"
            raise FormatError(msg, path=path, field=f"{cohort}.{name}", hint=hint)


def refuse(
    cohorts: Mapping[str, CohortInfo], condition: str | None, among: Collection[str] | None = None
) -> dict[str, str | None]:
    """Return for every cohort why it does not fit (see `why_not`), None for those that do.

    A cohort whose rows are probes answers only where none has genes.
    """
    reasons = {
        name: why_not(info, condition)
        if among is None or name in among
        else "not among the cohorts that were read now"
        for name, info in cohorts.items()
    }
    fitting = [name for name, reason in reasons.items() if reason is None]
    probes = {name for name in fitting if ON_PROBES in (cohorts[name].note or "")}
    if len(probes) < len(fitting):
        reasons |= dict.fromkeys(probes, f"{ON_PROBES}, unlike others")
    return reasons


def find_forced(
    cohorts: Mapping[str, CohortInfo], trait: str, problem: Problem, forced: str
) -> str:
    """Return the cohort that a user asked for, by its name in the file."""
    # The TCGA cohort has two names, by the release that wrote the folder.
    names = TCGA_NAMES if forced in TCGA_NAMES else {forced}
    chosen = next((name for name in cohorts if name in names), None)
    if chosen is None:
        known = ", ".join(cohorts) or "none"
        msg = f"{trait} has no cohort {forced!r}; it has {known}"
        raise UsageError(msg)
    refusal = why_not(cohorts[chosen], problem.condition)
    if refusal is not None:
        whose = "" if trait == problem.trait else f" of {trait}"
        msg = f"cohort {chosen}{whose} was asked for, but does not fit {problem}: {refusal}"
        raise NoUsableCohortError(msg)
    return chosen


def _forced(cohorts: Mapping[str, CohortInfo], problem: Problem, forced: str) -> CohortChoice:
    chosen = find_forced(cohorts, problem.trait, problem, forced)
    others = {
        name: reason or "another cohort was asked for"
        for name, reason in refuse(cohorts, problem.condition).items()
        if name != chosen
    }
    return CohortChoice(chosen, "asked for by the user", others)


def _nothing_fits(problem: Problem, refusals: Mapping[str, str | None]) -> str:
    if not refusals:
        return f"{problem}: the trait's cohort_info.json lists no cohort; run preprocess first"
    listed = "; ".join(f"{name}: {reason}" for name, reason in refusals.items())
    return f"no cohort fits {problem}: {listed}"

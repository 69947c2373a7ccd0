"""The pair of cohorts that answers a two-step problem: one of the trait, one of the condition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError, NoUsableCohortError, UsageError
from genotex.formats import CohortInfo, read_linked_header
from genotex.layout import OutputFolder
from genotex.options import RegressorRule
from genotex.problems.cohort_choice import TCGA_NAMES, find_forced, read_cohorts, refuse
from genotex.problems.problem import ONE_STEP_CONDITIONS, Problem, ProblemKind
from genotex.problems.task_info import TaskInfo


def regressor_genes(
    condition_related: Sequence[str],
    trait_related: Collection[str],
    trait_genes: Collection[str],
    condition_genes: Collection[str],
    rule: RegressorRule = "inclusive",
) -> tuple[str, ...]:
    """Return the related genes of the condition that are in both linked tables."""
    out = set(trait_related) if rule == "exclusive" else set()
    there = set(trait_genes) & set(condition_genes) - out
    return tuple(gene for gene in dict.fromkeys(condition_related) if gene in there)


_MOST_LISTED = 10
"""Pairs that were passed over and are named one by one."""

_ReadHeader = Callable[[Path], Sequence[str]]

_NOTHING_SHARED = "no regressor gene in both tables"


@dataclass(frozen=True)
class PairChoice:
    """The two cohorts that answer a two-step problem."""

    cohort: str  # cohort of the trait, as in its `cohort_info.json`
    condition_cohort: str  # cohort of the condition, as in its `cohort_info.json`
    # genes that predict the condition, in the order of its related genes; never empty
    regressors: tuple[str, ...]
    reason: str  # why this pair, in words: sizes, pairs passed over, the same series on both sides
    # every other cohort of the trait and why it was not taken, in file order
    others: Mapping[str, str]


def choose_pair(
    output: OutputFolder,
    problem: Problem,
    tasks: TaskInfo,
    rule: RegressorRule = "inclusive",
    forced: str | None = None,
    forced_condition: str | None = None,
    among: Collection[str] | None = None,
    read_header: _ReadHeader = read_linked_header,
) -> PairChoice:
    """Choose the largest pair of usable cohorts that share a regressor gene (GenoTEX, section 3).

    Pairs go by descending product of their numbers of samples, ties in file order: the trait's
    first, then the condition's. A pair with a linked table that is missing or unreadable is passed
    over. Of the linked tables only the header lines are read.

    Parameters
    ----------
    output
        Folder with the preprocessed cohorts of both traits.
    problem
        A two-step problem.
    tasks
        Knows the related genes of the condition.
    rule : {"inclusive", "exclusive"}
        ``exclusive`` takes the trait's related genes out of the regressor genes.
    forced, forced_condition
        Take this cohort of the trait, of the condition.
    among
        Choose the trait's cohort among these only; one that is forced need not be among them.
    read_header
        Gives the column names of a linked CSV, or raises FormatError; for many problems one that
        remembers them.

    Raises
    ------
    NoUsableCohortError
        If no pair fits, or a forced cohort is not usable; the message gives the reasons.
    UsageError
        If a forced cohort is not known, the problem is not a two-step one, or `tasks` does not know
        a trait whose related genes are needed.
    """
    if problem.kind is not ProblemKind.TWO_STEP or problem.condition is None:
        msg = f"{problem}: no pair of cohorts is needed; only a condition that is a trait takes two"
        raise UsageError(msg)
    related = _Related(
        tasks.related_genes(problem.condition),
        tasks.related_genes(problem.trait) if rule == "exclusive" else (),
        rule,
    )
    trait = _Side(output, problem, problem.trait, forced, among, read_header)
    condition = _Side(output, problem, problem.condition, forced_condition, None, read_header)
    if not related.condition:
        msg = (
            f"no pair of cohorts fits {problem}: {tasks.path} lists no related gene of "
            f"{problem.condition}, by which it could be predicted; choose another condition"
        )
        raise NoUsableCohortError(msg)
    passed: dict[tuple[str, str], str] = {}
    for pair in _by_size(trait, condition):
        found = _shared(trait, condition, pair, related)
        if isinstance(found, tuple):
            others = _others(trait, condition, pair, passed)
            return PairChoice(*pair, found, _reason(trait, condition, pair, found, passed), others)
        passed[pair] = found
    raise NoUsableCohortError(_nothing_fits(problem, trait, condition, passed))


@dataclass(frozen=True)
class _Related:
    """The genes that decide about regressor genes."""

    condition: tuple[str, ...]
    trait: tuple[str, ...]
    rule: RegressorRule

    def within(self, columns: Collection[str]) -> frozenset[str]:
        """Return the related genes of the condition among the columns."""
        return frozenset(self.condition).difference(ONE_STEP_CONDITIONS).intersection(columns)

    def regressors(
        self, trait_genes: Collection[str], condition_genes: Collection[str]
    ) -> tuple[str, ...]:
        return regressor_genes(self.condition, self.trait, trait_genes, condition_genes, self.rule)


class _Side:
    """The cohorts of the trait, or those of the condition."""

    def __init__(
        self,
        output: OutputFolder,
        problem: Problem,
        trait: str,
        forced: str | None,
        among: Collection[str] | None,
        read_header: _ReadHeader,
    ) -> None:
        self._output = output
        self._read_header = read_header
        self.trait = trait
        self.cohorts: Mapping[str, CohortInfo] = read_cohorts(output, trait)
        self.refusals = refuse(self.cohorts, problem.condition, among)
        self.forced = forced is not None
        if forced is not None:
            taken = find_forced(self.cohorts, trait, problem, forced)
            self.refusals = {
                name: None if name == taken else reason or "another cohort was asked for"
                for name, reason in refuse(self.cohorts, problem.condition).items()
            }
        self.usable = [name for name, reason in self.refusals.items() if reason is None]
        self._genes: dict[str, frozenset[str] | str] = {}

    def size(self, cohort: str) -> int:
        return self.cohorts[cohort].sample_size or 0

    def genes(self, cohort: str, related: _Related) -> frozenset[str] | str:
        """Return the related genes in a cohort's linked table, or why it cannot be read."""
        if cohort not in self._genes:
            self._genes[cohort] = self._read(cohort, related)
        return self._genes[cohort]

    def defect(self, cohort: str) -> str | None:
        """Return why a linked table could not be read; None when it could or was not needed."""
        found = self._genes.get(cohort)
        return found if isinstance(found, str) else None

    def _read(self, cohort: str, related: _Related) -> frozenset[str] | str:
        path = self._output.linked_csv(self.trait, cohort)
        if not path.is_file():
            return "its linked table is missing"
        try:
            _, *columns = self._read_header(path)
        except FormatError as error:
            return f"its linked table cannot be read: {error.message}"
        return related.within(columns)


def _by_size(trait: _Side, condition: _Side) -> list[tuple[str, str]]:
    pairs = [(a, b) for a in trait.usable for b in condition.usable]
    # Sorting is stable, so pairs of the same size stay in file order.
    return sorted(pairs, key=lambda pair: -_product(trait, condition, pair))


def _product(trait: _Side, condition: _Side, pair: tuple[str, str]) -> int:
    return trait.size(pair[0]) * condition.size(pair[1])


def _shared(
    trait: _Side, condition: _Side, pair: tuple[str, str], related: _Related
) -> tuple[str, ...] | str:
    """Return the regressor genes of a pair, or why it must be passed over."""
    known = trait.genes(pair[0], related)
    if isinstance(known, str):
        return f"{pair[0]}: {known}"
    others = condition.genes(pair[1], related)
    if isinstance(others, str):
        return f"{pair[1]} of {condition.trait}: {others}"
    return related.regressors(known, others) or _NOTHING_SHARED


def _reason(
    trait: _Side,
    condition: _Side,
    pair: tuple[str, str],
    regressors: tuple[str, ...],
    passed: Mapping[tuple[str, str], str],
) -> str:
    asked = [side.trait for side in (trait, condition) if side.forced]
    if len(asked) == 2:
        why = "both cohorts asked for by the user"
    elif len(trait.usable) * len(condition.usable) == 1:
        why = "the only pair of usable cohorts"
    else:
        why = "the largest pair of usable cohorts with a regressor gene in both tables"
    if len(asked) == 1:
        why += f", that of {asked[0]} asked for by the user"
    count = f"{len(regressors)} regressor gene{'s' if len(regressors) > 1 else ''}"
    text = f"{why} ({trait.size(pair[0])} x {condition.size(pair[1])} samples, {count})"
    if passed:
        text += f"; passed over: {_listed(passed)}"
    # Both traits' TCGA cohorts bear one name, but come from different tumours.
    if pair[0] == pair[1] and pair[0] not in TCGA_NAMES:
        text += (
            f"; {pair[0]} is on both sides, so the same samples may be used both to learn the "
            "condition and to predict it"
        )
    return text


def _others(
    trait: _Side, condition: _Side, chosen: tuple[str, str], passed: Mapping[tuple[str, str], str]
) -> dict[str, str]:
    return {
        name: refusal or _not_taken(name, trait, condition, chosen, passed)
        for name, refusal in trait.refusals.items()
        if name != chosen[0]
    }


def _not_taken(
    name: str,
    trait: _Side,
    condition: _Side,
    chosen: tuple[str, str],
    passed: Mapping[tuple[str, str], str],
) -> str:
    """Return why a usable cohort is not in the pair: by its first pair that was not tried."""
    if (defect := trait.defect(name)) is not None:
        return defect
    left = [b for b in condition.usable if (name, b) not in passed]
    size = _product(trait, condition, chosen)
    best = max((_product(trait, condition, (name, b)) for b in left), default=None)
    tried = [f"{b}: {passed[name, b]}" for b in condition.usable if (name, b) in passed]
    if best is None:
        return f"fits no cohort of {condition.trait} ({'; '.join(tried)})"
    if best == size:
        return f"in pairs of the same size ({size:,}), but later in the list"
    return f"in smaller pairs only (product of samples {best:,} against {size:,})"


def _nothing_fits(
    problem: Problem, trait: _Side, condition: _Side, passed: Mapping[tuple[str, str], str]
) -> str:
    for side in (trait, condition):
        if not side.usable:
            listed = "; ".join(f"{name}: {reason}" for name, reason in side.refusals.items())
            why = listed or "its cohort_info.json lists none; run preprocess first"
            return f"no pair of cohorts fits {problem}: no usable cohort of {side.trait}: {why}"
    advice = (
        "preprocess the cohorts again where a table is missing, or choose another condition"
        if any(why != _NOTHING_SHARED for why in passed.values())
        else "choose another condition, or check that the tables hold official gene symbols"
    )
    return f"no pair of cohorts fits {problem}: {_listed(passed)}; {advice}"


def _listed(passed: Mapping[tuple[str, str], str]) -> str:
    """Name the pairs and why they were passed over; an unreadable table is named once."""
    reasons: dict[str, None] = {}
    for (cohort, other), why in passed.items():
        reasons[f"{cohort} with {other}: {why}" if why == _NOTHING_SHARED else why] = None
    lines = list(reasons)
    more = len(lines) - _MOST_LISTED
    return "; ".join(lines[:_MOST_LISTED]) + (f"; and {more} more" if more > 0 else "")

"""Traps that a reference declares: cohorts and problems with each, next to those without it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

import numpy as np

from genotex.bench.evaluation.folder_items import TRAPS_FILE, ScoredFolder, read_or_why
from genotex.bench.evaluation.plan import EvaluationPlan, is_decidable
from genotex.bench.evaluation.scores import AnalysisScore, TrapScore
from genotex.errors import FormatError
from genotex.formats import read_clinical_csv, read_cohort_info, read_json_object
from genotex.layout import OutputFolder
from genotex.problems import Problem
from genotex.records import checked


@dataclass(frozen=True)
class Traps:
    """What a careless reader of a cohort misses: trait -> cohort -> names of traps."""

    traps: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the traps, sorted."""
        return sorted({name for c in self.traps.values() for names in c.values() for name in names})


def _read_traps(path: Path) -> Traps:
    return checked(Traps, read_json_object(path), path=path)


def score_traps(
    folder: ScoredFolder, plan: EvaluationPlan, answers: Sequence[AnalysisScore]
) -> tuple[TrapScore, ...]:
    """Score every trap of the reference; nothing where it declares none.

    A problem has the traps of the cohorts that the reference chooses for it, and those of the
    cohorts of its trait that must not be used.
    """
    reference = plan.chooser.folder
    path = reference.root / TRAPS_FILE
    if not path.is_file():
        return ()
    declared = _read_traps(path)
    right: dict[tuple[str, str], bool] = {}
    unusable: dict[str, set[str]] = {}
    for trait in declared.traps:
        wanted = read_cohort_info(reference.cohort_info(trait))
        unusable[trait] = {cohort for cohort, info in wanted.items() if not info.is_usable}
        found = read_or_why(folder.cohort_info(trait), read_cohort_info)
        if isinstance(found, str):
            continue
        for cohort in declared.traps[trait]:
            used, info = cohort in found and found[cohort].is_usable, wanted[cohort]
            right[trait, cohort] = used == info.is_usable and (
                not used
                or (
                    found[cohort].sample_size == info.sample_size
                    and _same_codes(folder, reference, trait, cohort)
                )
            )
    scores = []
    for name in declared.names():
        having = {(t, c) for t, each in declared.traps.items() for c in each if name in each[c]}
        with_it: list[float] = []
        without: list[float] = []
        for item in answers:
            problem = Problem(item.trait, item.condition)
            chosen = plan.chooser.choose(problem) if is_decidable(problem, plan.known) else None
            cohorts = zip(problem.traits, chosen or (), strict=False)
            met = {*cohorts, *((item.trait, cohort) for cohort in unusable.get(item.trait, ()))}
            (with_it if met & having else without).append(item.f1 or 0.0)
        scores.append(
            TrapScore(
                name,
                len(having),
                _share(right, having),
                _share(right, set(right) - having),
                len(with_it),
                _mean(with_it),
                _mean(without),
            )
        )
    return tuple(scores)


def _same_codes(one: OutputFolder, other: OutputFolder, trait: str, cohort: str) -> bool:
    """Return whether two clinical tables hold the same trait of the same samples."""
    codes = []
    for folder in (one, other):
        try:
            samples, features = read_clinical_csv(folder.clinical_csv(trait, cohort))
        except FormatError:
            return False
        codes.append(dict(zip(samples, features.get(trait, ()), strict=False)))
    found, wanted = codes
    return found.keys() == wanted.keys() and np.array_equal(
        [found[sample] for sample in wanted], [*wanted.values()], equal_nan=True
    )


def _share(
    right: Mapping[tuple[str, str], bool], cohorts: Collection[tuple[str, str]]
) -> float | None:
    return _mean([100.0 * right[cohort] for cohort in cohorts if cohort in right])


def _mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return fmean(values) if values else None

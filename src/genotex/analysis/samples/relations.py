"""Replicates, people, treatments and time points among the samples, as their texts state them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.hidden.confounding import Association, associate_named
from genotex.analysis.samples.facts import DETECTED, ENOUGH_SAMPLES, FactChecks, SampleFacts
from genotex.features import recorded_features, sample_features
from genotex.formats import LinkedTable

Relations = Mapping[str, Sequence[Mapping[str, Any]]]
"""Kind -> ``value``, ``place``, ``words``, ``samples`` of each statement (`Evidence.relations`)."""

_MIXED = {
    "treatment group": "Treated and untreated samples",
    **{feature.name: feature.mixture for feature in sample_features() if feature.mixture},
}
_ONLY_SHOWN = frozenset(
    feature.name
    for feature in recorded_features()
    if feature.use != "block" and not feature.mixture
)
"""Features of which nothing is checked."""
_PEOPLE = {"donor": "name people", "pair": "make pairs"}
_SHOWN = 5


def relation_facts(relations: Relations, facts: SampleFacts) -> dict[str, Mapping[str, str | None]]:
    """Return the characteristics, and the relations under names that no characteristic has."""
    known = {key.strip().lower() for key in facts}
    stated = {
        kind: {sample: str(group["value"]) for group in groups for sample in group["samples"]}
        for kind, groups in relations.items()
        if kind not in known
    }
    return {**facts, **stated}


def add_relations(
    checks: FactChecks,
    relations: Relations,
    facts: SampleFacts,
    table: LinkedTable,
    contrast: Contrast,
    adjusted: Collection[str] = (),
    paired: str | None = None,
) -> FactChecks:
    """Add the relations among the samples compared, and warn of those that the tests ignore."""
    compared = [table.samples[i] for i in contrast.rows]
    found = _Compared(relations, compared, contrast, table.trait)
    used = {name.strip().lower() for name in (*adjusted, paired or "")}
    known = {key.strip().lower() for key in facts}
    repeats = [*found.replicates(paired), *found.people(paired, known)]
    warnings = [*repeats, *found.mixtures(used, known), *found.cell_lines()]
    return replace(
        checks,
        warnings=(*checks.warnings, *warnings),
        repeated=checks.repeated or bool(repeats),
        relations=tuple(found.record(used)),
    )


class _Compared:
    """What is stated of the samples compared."""

    def __init__(
        self, relations: Relations, samples: Sequence[str], contrast: Contrast, trait: str
    ) -> None:
        self._contrast, self._trait = contrast, trait
        self._stated: dict[str, list[Mapping[str, Any] | None]] = {}
        for kind, groups in relations.items():
            by_sample = {sample: group for group in groups for sample in group["samples"]}
            stated = [by_sample.get(sample) for sample in samples]
            if any(stated):
                self._stated[kind] = stated

    def _counts(self, kind: str) -> Counter[str]:
        return Counter(str(s["value"]) for s in self._stated.get(kind, ()) if s is not None)

    def _keys(self, kind: str) -> set[str]:
        """Return the names of the characteristics that state a kind, in lower case."""
        places = {str(s["place"]) for s in self._stated[kind] if s is not None}
        return {p.split("'", 1)[1].rstrip("'").strip().lower() for p in places if "'" in p}

    def record(self, used: Collection[str]) -> list[dict[str, Any]]:
        """Return plain JSON on each kind."""
        return [
            {
                "kind": kind,
                "values": dict(self._counts(kind)),
                "places": sorted({str(s["place"]) for s in stated if s is not None}),
                "used": self._is_used(kind, used),
            }
            for kind, stated in self._stated.items()
            if kind not in _ONLY_SHOWN or self._is_used(kind, used)
        ]

    def _is_used(self, kind: str, used: Collection[str]) -> bool:
        return kind in used or bool(self._keys(kind) & set(used))

    def replicates(self, paired: str | None) -> list[str]:
        """Warn of technical replicates that count as independent."""
        several = [count for count in self._counts("technical replicate").values() if count > 1]
        if not several or paired in ("technical replicate", "donor", "pair", DETECTED):
            return []
        words = next(str(s["words"]) for s in self._stated["technical replicate"] if s is not None)
        return [
            f"{sum(several)} samples are technical replicates of {len(several)} biological samples "
            f"({words!r}) and count as independent, so p-values are too small. --pair 'technical "
            "replicate' averages them."
        ]

    def people(self, paired: str | None, known: Collection[str]) -> list[str]:
        """Warn of people with several samples whom no characteristic names."""
        if paired not in (None, DETECTED):
            return []
        for kind, what in _PEOPLE.items():
            several = [count for count in self._counts(kind).values() if count > 1]
            if not several or self._keys(kind) & set(known):
                continue
            return [
                f"Paired or repeated samples suspected: titles {what}, {len(several)} of them with "
                f"several samples each ({sum(several)} samples in all). The tests take samples as "
                "independent, so p-values may be too small, or too large for pairs of a case and a "
                f"control; --pair {kind} blocks on them."
            ]
        return []

    def mixtures(self, used: Collection[str], known: Collection[str]) -> list[str]:
        """Warn of treatments and time points that are compared together."""
        warnings = []
        for kind, what in _MIXED.items():
            counts = self._counts(kind)
            if len(counts) < 2 or kind in used or self._keys(kind) & set(used):
                continue
            if kind == "treatment" and len(self._counts("treatment group")) > 1:
                continue
            listed = ", ".join(f"{value}: {n}" for value, n in counts.most_common(_SHOWN))
            more = f" and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else ""
            offer = (
                f"--covariates '{kind}' adjusts for it, --exclude '{kind}=VALUE' of 'genotex "
                "solve' leaves samples out."
            )
            association = self._association(kind)
            if association is not None and association.strength:
                # The characteristic itself is tested with the others.
                if not self._keys(kind) & set(known):
                    warnings.append(self._confounded(kind, association, f"{listed}{more}"))
                continue
            warnings.append(
                f"{what} are compared together ({listed}{more}), and it is not adjusted for: "
                f"{offer}"
            )
        return warnings

    def _association(self, kind: str) -> Association | None:
        stated = self._stated[kind]
        known = np.array([s is not None for s in stated], dtype=bool)
        levels = [str(s["value"]) for s in stated if s is not None]
        few = len(set(levels)) <= max(2, len(levels) // 3)
        varies = len(np.unique(self._contrast.values[known])) > 1
        if len(levels) < ENOUGH_SAMPLES or not few or not varies:
            return None
        return associate_named(self._contrast, known, levels)

    def _confounded(self, kind: str, found: Association, listed: str) -> str:
        hard = "cannot be separated" if found.complete else "are hard to separate"
        return (
            f"{self._trait} is confounded with the {kind} in this cohort ({listed}; {found.text}): "
            f"unless that is another name of the trait, the effects of the two {hard}. It is not "
            "adjusted for."
        )

    def cell_lines(self) -> list[str]:
        """Warn of groups that are repeats of one cell line."""
        stated = self._stated.get("cell line")
        if stated is None:
            return []
        groups = {"samples": np.ones(len(stated), dtype=bool)}
        if self._contrast.binary:
            case = self._contrast.values == 1
            groups = {"cases": case, "controls": ~case}
        single = []
        for name, members in groups.items():
            lines = {
                None if s is None else str(s["value"])
                for s, member in zip(stated, members.tolist(), strict=True)
                if member
            }
            if len(lines) == 1 and None not in lines and members.sum() > 1:
                single.append(f"all {int(members.sum())} {name} are of the cell line {lines.pop()}")
        if not single:
            return []
        text = " and ".join(single)
        return [
            f"{text[0].upper()}{text[1:]}: cultures of one line are repeats, not people, and may "
            f"differ from others by the line, not by {self._trait}."
        ]

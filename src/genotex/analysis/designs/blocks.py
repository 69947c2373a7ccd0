"""Samples of the same person: pairs, repeats, and cohorts of which only some samples are paired.

Complete pairs are compared within themselves, by a level of each person. Where some samples have no
partner, a correlation of samples of the same person takes the place of these levels, so that every
sample counts (see `consensus_correlation`). Repeats of the same trait value are averaged. A
characteristic names the people, or they are detected by their expression (`detect_blocks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.samples.facts import (
    DETECTED,
    MIN_PAIRS,
    SampleFacts,
    person_keys,
    read_value,
    shared_stems,
    tcga_patient,
)
from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LinkedTable

_TCGA_KEY = "patient"


@dataclass(frozen=True, eq=False)
class Blocks:
    """A contrast whose samples are blocked on a characteristic."""

    table: LinkedTable  # The table given, or a smaller one when repeated samples were averaged
    contrast: Contrast  # The samples of `table` that are compared now
    # (n,): one indicator for each block but the first, for the samples of `contrast`, where all
    # samples are in complete pairs; else empty
    columns: dict[str, Floats]
    # ``key``, ``design`` (``paired``, ``correlated`` or ``averaged``), ``suffix`` (whether blocks
    # are what values share before a suffix), counts, samples of each block of several, and
    # ``constant_within_blocks``: covariates that the indicators already adjust for
    record: dict[str, Any]
    warnings: tuple[str, ...]  # How the samples were treated
    # (n,): block of each sample of `contrast` whose correlation is to be estimated
    correlated: Rows | None = None


@dataclass(frozen=True, eq=False)
class _Grouping:
    """Positions (in the contrast) of the samples of each block, in order of appearance."""

    key: str
    members: dict[str, Rows]
    unknown: int
    suffix: bool = False

    @classmethod
    def of(cls, key: str, people: Sequence[str | None], suffix: bool = False) -> _Grouping:
        """Group by the person of each sample; None counts as unknown."""
        places: dict[str, list[int]] = {}
        for place, person in enumerate(people):
            if person is not None:
                places.setdefault(person, []).append(place)
        members = {name: np.array(found, dtype=np.intp) for name, found in places.items()}
        return cls(key, members, list(people).count(None), suffix)

    def with_unknown_alone(self, samples: Sequence[str]) -> _Grouping:
        """Return the same, but samples without a value are people of their own."""
        known = {int(place) for places in self.members.values() for place in places}
        alone = {name: np.array([i]) for i, name in enumerate(samples) if i not in known}
        return replace(self, members={**self.members, **alone}, unknown=0)

    @property
    def known(self) -> int:
        return sum(len(places) for places in self.members.values())

    @property
    def by(self) -> str:
        return blocked_by(self.key)

    def varying(self, contrast: Contrast) -> dict[str, Rows]:
        """Return the blocks in which the trait varies."""
        return {
            name: places
            for name, places in self.members.items()
            if len(np.unique(contrast.values[places])) > 1
        }


def blocked_by(key: str) -> str:
    """Return in words what samples are blocked by, for texts."""
    return "detected by correlation" if key == DETECTED else f"by '{key}'"


def block_samples(table: LinkedTable, contrast: Contrast, facts: SampleFacts, key: str) -> Blocks:
    """Block the samples of a contrast on a characteristic such as the donor."""
    # Where the trait varies in every block (a case and a control of each donor), an indicator
    # column for each block lets the trait be compared within blocks. Where it varies in some blocks
    # only, all samples are kept, and `correlated` gives their blocks; samples without a value are
    # people of their own. Where it varies in no block, the samples of a block are repeats: they are
    # averaged into one, with the id of the first. Values that all occur once but differ in a suffix
    # only (``03-212A`` and ``03-212B``, ``P7_T`` and ``P7_N``) are blocked by what they share.
    grouping = _group(table, contrast, facts, key)
    if all(len(places) == 1 for places in grouping.members.values()):
        reason = "every value occurs once" if grouping.members else "no sample has a value"
        msg = (
            f"the {len(contrast.rows)} samples compared cannot be blocked by '{grouping.key}': "
            f"{reason}; block on another characteristic or omit the pairing"
        )
        raise AnalysisError(msg)
    varying = grouping.varying(contrast)
    if not varying:
        return _averaged(table, contrast, grouping)
    _check_pairs(contrast, grouping, varying)
    return _blocked(table, contrast, grouping, varying)


def block_detected(
    table: LinkedTable, contrast: Contrast, people: Mapping[str, str], why_none: str = ""
) -> Blocks:
    """Block the samples of a contrast on people who were detected by their expression."""
    # As `block_samples`. But where the trait varies in one or two blocks only, which may hold two
    # people who resemble each other, the samples of a block and trait value are averaged; and where
    # no person is repeated, nothing is blocked, with a warning.
    compared = [table.samples[i] for i in contrast.rows]
    grouping = _Grouping.of(DETECTED, [people.get(sample, sample) for sample in compared])
    varying = grouping.varying(contrast)
    if len(varying) >= MIN_PAIRS:
        return _blocked(table, contrast, grouping, varying)
    divided: dict[str, Rows] = {}
    for name, found in grouping.members.items():
        values = np.unique(contrast.values[found])
        for k, value in enumerate(values):
            label = name if len(values) == 1 else f"{name}, trait value {k + 1}"
            divided[label] = found[contrast.values[found] == value]
    if len(divided) == len(contrast.rows):
        few = f"the trait varies in only {len(varying)} of the detected blocks"
        why = why_none or (few if varying else "no repeated people were found")
        warning = f"--pair detected changes nothing: {why}, so samples are taken as independent."
        return Blocks(table, contrast, {}, {}, (warning,))
    return _averaged(table, contrast, _Grouping(DETECTED, divided, 0))


def average_repeats(
    table: LinkedTable, contrast: Contrast, facts: SampleFacts, people: Mapping[str, str]
) -> Blocks:
    """Average the samples of people with several, where no person has two values of the trait.

    `people`: those detected by expression, used where no characteristic names any.
    """
    for grouping in _known_people(table, contrast, facts, people):
        if len(grouping.members) == len(contrast.rows):
            continue
        if grouping.varying(contrast):
            break
        with suppress(AnalysisError):  # Too few would be left to compare.
            found = _averaged(table, contrast, grouping)
            told = "--pair none takes them as independent."
            return replace(found, warnings=(f"{found.warnings[0]} {told}",))
        break
    return Blocks(table, contrast, {}, {}, ())


def _known_people(
    table: LinkedTable, contrast: Contrast, facts: SampleFacts, detected: Mapping[str, str]
) -> Iterator[_Grouping]:
    """Yield groupings of the samples by person, the surest first."""
    compared = [table.samples[i] for i in contrast.rows]
    keys = person_keys(facts)
    if any(map(tcga_patient, compared)):
        keys.append(_TCGA_KEY)
    for key in keys:
        yield _group(table, contrast, facts, key).with_unknown_alone(compared)
    if detected and not keys:
        yield _Grouping.of(DETECTED, [detected.get(sample, sample) for sample in compared])


def _blocked(
    table: LinkedTable, contrast: Contrast, grouping: _Grouping, varying: dict[str, Rows]
) -> Blocks:
    if len(varying) == len(grouping.members) and not grouping.unknown:
        return _paired(table, contrast, grouping, varying)
    return _correlated(table, contrast, grouping, varying)


def _group(table: LinkedTable, contrast: Contrast, facts: SampleFacts, key: str) -> _Grouping:
    compared = [table.samples[i] for i in contrast.rows]
    name, values = _values(compared, facts, key)
    known = [value for value in values if value is not None]
    stems = shared_stems(values) if len(set(known)) == len(known) else None
    return _Grouping.of(name, stems or values, stems is not None)


def _values(compared: Sequence[str], facts: SampleFacts, key: str) -> tuple[str, list[str | None]]:
    wanted = key.strip().lower()
    matching = [name for name in facts if name.strip().lower() == wanted]
    if matching:
        name = key if key in matching else matching[0]
        return name, [read_value(name, facts[name].get(sample)) for sample in compared]
    patients = [tcga_patient(sample) for sample in compared]
    if wanted == _TCGA_KEY and any(patients):
        return _TCGA_KEY, patients
    known = sorted({*facts, *([_TCGA_KEY] if any(patients) else [])})
    none = "of those that are not used as trait, age or gender none varies"
    there = f"use one of {', '.join(known)}" if known else none
    msg = f"the cohort has no characteristic '{key}' to block on; {there}"
    raise UsageError(msg)


def _paired(
    table: LinkedTable, contrast: Contrast, grouping: _Grouping, varying: dict[str, Rows]
) -> Blocks:
    """Return indicators of the blocks, all of which have different values of the trait."""
    key = grouping.key
    every = np.arange(len(contrast.rows))
    names = sorted(varying)[1:]
    columns = {f"{key}: {v}": np.isin(every, varying[v]).astype(np.float64) for v in names}
    pairs = contrast.binary and all(len(found) == 2 for found in varying.values())
    text = f"{len(varying)} {'pairs' if pairs else 'blocks'} {grouping.by}"
    record = {
        **_record("paired", table, contrast, grouping, varying, len(contrast.rows)),
        "constant_within_blocks": [
            name
            for name, column in table.covariates.items()
            if not any(_varies(column[contrast.rows[found]]) for found in varying.values())
        ],
    }
    narrowed = _narrow(table, contrast, contrast.rows, contrast.values, [], text)
    return Blocks(table, narrowed, columns, record, ())


def _correlated(
    table: LinkedTable, contrast: Contrast, grouping: _Grouping, varying: dict[str, Rows]
) -> Blocks:
    """Return the block of each sample, where not all samples are in complete pairs."""
    several = {value: places for value, places in grouping.members.items() if len(places) > 1}
    block = np.full(len(contrast.rows), -1, dtype=np.intp)
    for number, places in enumerate(grouping.members.values()):
        block[places] = number
    alone = np.flatnonzero(block < 0)
    block[alone] = len(grouping.members) + np.arange(len(alone))
    paired = sum(len(places) for places in varying.values())
    text = f"{len(varying)} of {len(np.unique(block))} people with a comparison {grouping.by}"
    record = {
        **_record("correlated", table, contrast, grouping, several, len(contrast.rows)),
        "without_comparison": len(contrast.rows) - paired,
    }
    warnings = [
        f"{len(contrast.rows) - paired} samples have no partner {grouping.by}; all samples are "
        "kept, and those of one person are treated as correlated."
    ]
    if grouping.unknown:
        warnings.append(
            f"{grouping.unknown} samples without a value of '{grouping.key}' count as people of "
            "their own."
        )
    narrowed = _narrow(table, contrast, contrast.rows, contrast.values, [], text)
    return Blocks(table, narrowed, {}, record, tuple(warnings), block)


def correlate_samples(
    table: LinkedTable, contrast: Contrast, key: str, people: Sequence[str | None]
) -> Blocks:
    """Treat the samples of one person as correlated; one without a value is a person alone."""
    names = [f"sample {i}" if person is None else person for i, person in enumerate(people)]
    block = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1]
    grouping = _Grouping.of(key, people)
    several = {value: found for value, found in grouping.members.items() if len(found) > 1}
    if not several:
        msg = (
            f"no two of the {len(people)} samples have the same {key!r}, so there are no blocks; "
            "leave the block out or name another column"
        )
        raise AnalysisError(msg)
    record = {
        **_record("correlated", table, contrast, grouping, several, len(contrast.rows)),
        "without_comparison": len(contrast.rows) - sum(map(len, several.values())),
    }
    return Blocks(table, contrast, {}, record, (), block)


def _check_pairs(contrast: Contrast, grouping: _Grouping, varying: dict[str, Rows]) -> None:
    if len(varying) >= MIN_PAIRS:
        return
    what = "a case and a control" if contrast.binary else "different values of the trait"
    msg = (
        f"only {len(varying)} of {len(grouping.members)} values of '{grouping.key}' have {what}; "
        f"{MIN_PAIRS} are needed; block on another characteristic or omit the pairing"
    )
    raise AnalysisError(msg)


def _averaged(table: LinkedTable, contrast: Contrast, grouping: _Grouping) -> Blocks:
    key, blocks = grouping.key, grouping.members
    groups = [contrast.rows[places] for places in blocks.values()]
    smaller = _average(table, groups)
    # The trait is the same throughout a block.
    values = contrast.values[[places[0] for places in blocks.values()]]
    _check_left(table.trait, contrast.binary, values, key)
    known = {int(row) for rows in groups for row in rows}
    left_out = [table.samples[i] for i in contrast.rows if i not in known]
    text = f"means of repeated samples {grouping.by}"
    narrowed = _narrow(smaller, contrast, np.arange(len(groups)), values, left_out, text)
    repeated = {value: places for value, places in blocks.items() if len(places) > 1}
    record = _record("averaged", table, contrast, grouping, repeated, len(groups))
    whose = "one person, detected by correlation," if key == DETECTED else f"the same '{key}'"
    warnings = [
        f"{grouping.known} samples became {len(groups)}: the samples of {whose} are repeats and "
        "were averaged."
    ]
    if grouping.unknown:
        warnings.append(f"{grouping.unknown} samples without a value of '{key}' were left out.")
    return Blocks(smaller, narrowed, {}, record, tuple(warnings))


def _check_left(trait: str, binary: bool, values: Floats, key: str) -> None:
    cases = int(values.sum())
    if min(cases, len(values) - cases) >= 2 if binary else _varies(values):
        return
    left = f"{cases} cases and {len(values) - cases} controls" if binary else "one value of it"
    msg = (
        f"{trait}: when samples of one person {blocked_by(key)} are averaged, {left} are left; "
        "two of each are needed; block on another characteristic or omit the pairing"
    )
    raise AnalysisError(msg)


def _average(table: LinkedTable, groups: Sequence[Rows]) -> LinkedTable:
    expression = np.empty((len(groups), len(table.genes)))
    for i, rows in enumerate(groups):
        expression[i] = _mean(table.expression[rows])

    def reduce(column: Floats) -> Floats:
        return np.array([_mean(column[rows, None])[0] for rows in groups], dtype=np.float64)

    return LinkedTable(
        table.trait,
        tuple(table.samples[rows[0]] for rows in groups),
        reduce(table.trait_values),
        {name: reduce(column) for name, column in table.covariates.items()},
        table.genes,
        expression,
    )


def _mean(values: Floats) -> Floats:
    """Return the mean of each column over its present values; NaN where there are none."""
    if len(values) == 1:
        return np.asarray(values[0], dtype=np.float64)
    present = ~np.isnan(values)
    count = present.sum(axis=0)
    mean: Floats = np.where(present, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    mean[count == 0] = np.nan
    return mean


def _varies(values: Floats) -> bool:
    return len(np.unique(values[np.isfinite(values)])) > 1


def _record(
    design: Literal["paired", "correlated", "averaged"],
    table: LinkedTable,
    contrast: Contrast,
    grouping: _Grouping,
    shown: dict[str, Rows],
    samples: int,
) -> dict[str, Any]:
    return {
        "key": grouping.key,
        "design": design,
        "suffix": grouping.suffix,
        "blocks": len(grouping.members),
        "samples_before": len(contrast.rows),
        "samples": samples,
        "without_value": grouping.unknown,
        "members": {
            value: [table.samples[r] for r in contrast.rows[places]]
            for value, places in shown.items()
        },
        "constant_within_blocks": [],
    }


def _narrow(
    table: LinkedTable,
    contrast: Contrast,
    rows: Rows,
    values: Floats,
    left_out: Sequence[str],
    text: str,
) -> Contrast:
    """Return the contrast with the samples that are left, and record it in its summary."""
    ids = np.array([table.samples[i] for i in rows], dtype=object)
    out = [*contrast.summary["samples"].get("left_out", []), *left_out]
    if contrast.binary:
        summary = _binary_summary(contrast, ids, values == 1, out, text)
        return replace(contrast, rows=rows, values=values, summary=summary)
    raw = table.trait_values[rows]
    mean, deviation = float(raw.mean()), float(raw.std(ddof=1))
    scale = f"per standard deviation of {table.trait} ({deviation:.4g})"
    summary = {
        **contrast.summary,
        "text": f"{text}: {len(rows)} samples, {scale}",
        "samples": {"all": ids.tolist(), "left_out": out},
        "trait_mean": mean,
        "trait_sd": deviation,
    }
    return replace(
        contrast,
        rows=rows,
        values=(raw - mean) / deviation,
        trait_mean=mean,
        trait_sd=deviation,
        summary=summary,
    )


def _binary_summary(
    contrast: Contrast, ids: NDArray[np.object_], case: Flags, left_out: list[str], text: str
) -> dict[str, Any]:
    cases, controls = int(case.sum()), int((~case).sum())
    before = contrast.summary["group_sizes"]["control"]
    named = contrast.controls == "healthy" or contrast.unaffected != Contrast.unaffected
    kind = contrast.unaffected if named else "controls"
    of_a_kind = ("healthy_controls", "other_disease_controls")
    return {
        **contrast.summary,
        "text": f"{text}: {cases} cases against {controls} {kind}",
        "group_sizes": {"case": cases, "control": controls},
        **{name: _recount(contrast.summary[name], before, controls) for name in of_a_kind},
        "samples": {
            "case": ids[case].tolist(),
            "control": ids[~case].tolist(),
            "left_out": left_out,
        },
    }


def _recount(count: int, before: int, after: int) -> int | None:
    """Return how many controls of a kind are left; None where that is not known any more."""
    if count == 0:
        return 0
    return after if count == before else None

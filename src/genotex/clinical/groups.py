"""Choosing case and control groups by hand, as GEO2R does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from genotex.clinical.cells import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import FeatureEncoding
from genotex.clinical.summary import place_text
from genotex.clinical.texts.samples import other_candidates
from genotex.clinical.trait.row_judge import judge_row
from genotex.clinical.trait.value_judge import ValueJudge, control_role
from genotex.clinical.words.keys import kind_of_key
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.errors import UsageError
from genotex.features import control_group, parse_number, simple_key, split_cell
from genotex.formats import Role, SampleField

_FEWEST, _MOST_GROUPS = 2, 30


@dataclass(frozen=True)
class KeyValues:
    """The values under one key."""

    place: str
    """Where they are: "row 2, key 'disease state'"."""
    row: int | None
    """Characteristics row; None for another sample field."""
    key: str
    """The key as in the file."""
    sample_field: SampleField
    """Line of the series."""
    values: Mapping[str, int]
    """Value -> number of samples, most samples first."""
    cells: tuple[str, ...]
    """The raw cells, in the same order."""
    controls: tuple[str, ...]
    """Those values that name controls of the trait."""
    others: tuple[str, ...]
    """Those that could be cases: not understood, or names of another disease."""
    cases: tuple[str, ...] = ()
    """Those that the rules take for cases of the trait."""


def values_by_key(
    description: SeriesDescription, trait: str, vocabulary: Vocabulary | None = None
) -> list[KeyValues]:
    """Return every key whose values differ between samples, in row order.

    `trait`: Name of the trait. `vocabulary`: The words by which controls are known; the packaged
    ones by default.
    """
    words = vocabulary or load_vocabulary()
    judge = ValueJudge(words.trait(trait), words, description.title, description.text)
    candidates = [*characteristic_candidates(description), *other_candidates(description)]
    return [_values(c, judge) for c in candidates if len(c.values) >= _FEWEST]


def _values(candidate: Candidate, judge: ValueJudge) -> KeyValues:
    cells = sorted(candidate.values, key=lambda cell: -candidate.weight.get(cell, 0))
    values: dict[str, int] = {}
    for cell in cells:
        value = candidate.values[cell]
        values[value] = values.get(value, 0) + candidate.weight.get(cell, 0)
    groups = kind_of_key(candidate.key) != "never" and len(values) <= _MOST_GROUPS
    judgements = judge_row(candidate, judge) if groups else {}
    judged = [(candidate.values[cell], judgements[cell]) for cell in cells if cell in judgements]
    controls = [value for value, judgement in judged if judgement.role == "healthy control"]
    # What was not understood comes before what was taken for another disease.
    others = [value for value, j in judged if j.is_open and parse_number(value) is None]
    others += [value for value, j in judged if j.role == "other disease"]
    return KeyValues(
        place_text(candidate.row, candidate.key, candidate.sample_field),
        candidate.row,
        candidate.key,
        candidate.sample_field,
        values,
        tuple(cells),
        tuple(dict.fromkeys(controls)),
        tuple(dict.fromkeys(others)),
        tuple(dict.fromkeys(value for value, j in judged if j.role == "case")),
    )


def characteristics_to_edit(keys: list[KeyValues]) -> list[dict[str, Any]]:
    """Return keys as encodings whose values have no code yet, for a person to give them."""
    return [
        {
            "row": key.row,
            "key": key.key,
            "kind": "binary",
            "values": dict.fromkeys(key.cells),
            "sample_field": key.sample_field,
        }
        for key in keys
        if len(key.cells) <= _MOST_GROUPS
    ]


_LISTED_VALUES = 40


def choose_groups(
    encoding: FeatureEncoding | None,
    cases: Sequence[str],
    controls: Sequence[str],
    description: SeriesDescription,
    vocabulary: Vocabulary | None = None,
) -> FeatureEncoding:
    """Return a trait encoding with groups chosen by hand; all others are missing.

    Where one side alone is given, the other stays as the expert chose it.

    `encoding`: What the expert chose; its key is preferred when several keys have the values, and
    where only one side is given its other side is kept. `cases`, `controls`: Whole values with or
    without ``key:`` in front, in any case ("osteoarthritis" or "clinical status: osteoarthritis").
    `vocabulary`: Decides the role of controls by their words; the packaged one by default. Controls
    are coded 0 whatever their role: "healthy control" or "other disease" by the expert or by their
    own words, "unknown" when neither shows their health. Raises UsageError if nothing is given, a
    value is on both sides, or no single key has all the values; the message lists the available
    values.
    """
    _check(cases, controls)
    candidates = [*characteristic_candidates(description), *other_candidates(description)]
    wanted = (*cases, *controls)
    matches = [c for c in candidates if all(_cells(c, value) for value in wanted)]
    if not matches:
        raise UsageError(_no_match(candidates, wanted))
    candidate = next((c for c in matches if _is_of(encoding, c)), matches[0])
    own = encoding if _is_of(encoding, candidate) else None
    in_cases, in_controls = (
        {cell for value in values for cell in _cells(candidate, value)}
        for values in (cases, controls)
    )
    codes: dict[str, float | None] = {}
    roles: dict[str, Role] = {}
    for cell, value in candidate.values.items():
        code = own.values.get(cell) if own else None
        role = own.roles.get(cell, "unknown") if own else "unknown"
        if cell in in_cases:
            code, role = 1.0, "case"
        elif cell in in_controls:
            code, role = 0.0, chosen_control_role(role, value, candidate.key, vocabulary)
        elif (code == 1 and cases) or (code == 0 and controls) or code not in (0, 1):
            code, role = None, "unknown"
        codes[cell], roles[cell] = code, role
    if not {1.0, 0.0} <= set(codes.values()):
        side, option = ("controls", "--control") if 1.0 in codes.values() else ("cases", "--case")
        values = ", ".join(repr(v) for v in dict.fromkeys(candidate.values.values()))
        msg = f"no {side} left; choose some with {option} among: {values}"
        raise UsageError(msg)
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind="binary",
        values=codes,
        roles=roles,
        evidence=(f"chosen by hand: cases {list(cases)}, controls {list(controls)}",),
        sample_field=candidate.sample_field,
        told_by="hand",
    )


def _check(cases: Sequence[str], controls: Sequence[str]) -> None:
    if not cases and not controls:
        msg = "no values given: name at least one with --case or --control"
        raise UsageError(msg)
    both = {simple_key(v) for v in cases} & {simple_key(v) for v in controls}
    if both:
        msg = f"{', '.join(sorted(both))}: given as case and as control; choose one"
        raise UsageError(msg)


def _cells(candidate: Candidate, wanted: str) -> set[str]:
    """Return the raw cells of a value, with or without its key."""
    plain, (key, value) = simple_key(wanted), map(simple_key, split_cell(wanted))
    own = ":" in wanted and key == simple_key(candidate.key)
    return {
        cell
        for cell, bare in candidate.values.items()
        if plain in (simple_key(bare), simple_key(cell)) or (own and value == simple_key(bare))
    }


def _is_of(encoding: FeatureEncoding | None, candidate: Candidate) -> bool:
    return encoding is not None and (
        (encoding.row, simple_key(encoding.key), encoding.sample_field)
        == (candidate.row, simple_key(candidate.key), candidate.sample_field)
    )


def chosen_control_role(before: Role, value: str, key: str, vocabulary: Vocabulary | None) -> Role:
    """Return whether a control that a person chose is healthy: by the expert, else by its words."""
    if before == "case":
        # A vehicle control of the same patients or cells does not have another disease.
        return "unknown" if control_group(value) else "other disease"
    return control_role(value, key, vocabulary) if before == "unknown" else before


def _no_match(candidates: Iterable[Candidate], wanted: Sequence[str]) -> str:
    listed: Mapping[str, str] = {
        _shown(c, value): value
        for c in candidates
        if c.sample_field == "characteristics_ch1" and 1 < len(c.values) <= _LISTED_VALUES
        for value in c.values.values()
        if parse_number(value) is None
    }
    shown = (
        ", ".join(map(repr, list(listed)[:_LISTED_VALUES])) or "none (no characteristics differ)"
    )
    asked = ", ".join(repr(v) for v in wanted)
    near = [n for v in wanted for n in get_close_matches(v, [*listed, *listed.values()], n=1)]
    perhaps = f"perhaps {', '.join(map(repr, near))}; " if near else ""
    return f"no single key has the values {asked}; {perhaps}available values: {shown}"


def _shown(candidate: Candidate, value: str) -> str:
    return f"{candidate.key}: {value}" if candidate.key else value

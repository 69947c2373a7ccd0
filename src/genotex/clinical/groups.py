"""Groups and exclusions by hand, as in GEO2R: by values of a key, or by conditions on samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from genotex.clinical.cells import (
    Candidate,
    SampleKeys,
    characteristic_candidates,
    find_samples,
    is_keyed,
    matching_samples,
    parse_condition,
)
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoded_features import apply_encoding
from genotex.clinical.encoding import FEWEST, FeatureEncoding
from genotex.clinical.relations import searchable_keys
from genotex.clinical.summary import place_text
from genotex.clinical.texts.samples import other_candidates
from genotex.clinical.trait.row_judge import judge_row
from genotex.clinical.trait.value_judge import ValueJudge, control_role
from genotex.clinical.words.keys import kind_of_key
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.errors import UsageError
from genotex.features import control_group, parse_number, simple_key, split_cell
from genotex.formats import Role, SampleField, Series
from genotex.procedure import Procedure

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


_LISTED_VALUES, _SHOWN = 40, 5


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
    codes, roles = _coded(candidate, own, in_cases, in_controls, vocabulary)
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


def _coded(
    candidate: Candidate,
    own: FeatureEncoding | None,
    in_cases: Collection[str],
    in_controls: Collection[str],
    vocabulary: Vocabulary | None,
) -> tuple[dict[str, float | None], dict[str, Role]]:
    """Return code and role of each cell; a side that is not given stays as the expert has it."""
    codes: dict[str, float | None] = {}
    roles: dict[str, Role] = {}
    for cell, value in candidate.values.items():
        code = own.values.get(cell) if own else None
        role = own.roles.get(cell, "unknown") if own else "unknown"
        if cell in in_cases:
            code, role = 1.0, "case"
        elif cell in in_controls:
            code, role = 0.0, chosen_control_role(role, value, candidate.key, vocabulary)
        elif (code == 1 and in_cases) or (code == 0 and in_controls) or code not in (0, 1):
            code, role = None, "unknown"
        codes[cell], roles[cell] = code, role
    return codes, roles


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


def need_conditions(cases: Sequence[str], controls: Sequence[str]) -> bool:
    """Return whether groups are chosen by key, not by the bare values of one key."""
    return any(map(is_keyed, (*cases, *controls)))


def exclude_samples(description: SeriesDescription, texts: Sequence[str]) -> dict[str, str]:
    """Return the samples of a series that conditions leave out, each with the option that does.

    Conditions that none of its samples meets are for other series (see `check_conditions`).
    """
    keys = searchable_keys(description)
    found: dict[str, str] = {}
    for text in texts:
        for sample in matching_samples(keys, text):
            found.setdefault(sample, f"--exclude {text!r}")
    return found


def check_conditions(
    series: Sequence[SeriesDescription],
    cases: Sequence[str],
    controls: Sequence[str],
    exclude: Sequence[str],
) -> None:
    """Refuse conditions that no sample of any series meets, before anything is computed.

    `series`: All series to be used. `cases`, `controls`, `exclude`: Conditions (see
    `cells.parse_condition`). Raises UsageError if one is met by no sample; the message lists the
    keys with their values and counts.
    """
    if not series or not (exclude or need_conditions(cases, controls)):
        return
    keys = [searchable_keys(description) for description in series]
    groups = (
        [("--case", cases), ("--control", controls)] if need_conditions(cases, controls) else []
    )
    for option, texts in (*groups, ("--exclude", exclude)):
        for text in texts:
            if not any(matching_samples(each, text) for each in keys):
                find_samples(keys[0], [text], option)


def group_samples(
    description: SeriesDescription,
    series: Series,
    own: FeatureEncoding | None,
    cases: Sequence[str],
    controls: Sequence[str],
    *,
    procedure: Procedure | str = Procedure.SOUND,
    vocabulary: Vocabulary | None = None,
) -> FeatureEncoding:
    """Return a trait encoding with groups chosen by conditions; all other samples are missing.

    `description`: The series, as an expert sees it. `own`: What the expert chose; where one side
    alone is given, the other stays as it has it. `cases`, `controls`: Conditions (see
    `cells.parse_condition`); a sample that meets any of them is in the group. `procedure`: How
    `own` is applied. `vocabulary`: Decides by their words whether controls are healthy. Raises
    UsageError if a condition is met by no sample, a sample is in both groups, or a group is too
    small.
    """
    keys = searchable_keys(description)
    codes, roles = _kept(own, series, procedure, bool(cases), bool(controls))
    in_cases = find_samples(keys, cases, "--case")
    in_controls = find_samples(keys, controls, "--control")
    _refuse_both(in_cases, in_controls)
    codes |= dict.fromkeys(in_cases, 1.0) | dict.fromkeys(in_controls, 0.0)
    roles |= dict.fromkeys(in_cases, "case")
    for sample, text in in_controls.items():
        asked, before = parse_condition(text), roles.get(sample, "unknown")
        key = keys.find(asked.key) or ""
        roles[sample] = chosen_control_role(before, asked.value, key, vocabulary)
    reasons = {sample: f"--case {text!r}" for sample, text in in_cases.items()}
    reasons |= {sample: f"--control {text!r}" for sample, text in in_controls.items()}
    kept = {sample: code for sample, code in codes.items() if code is not None}
    _check_sizes(kept, keys)
    # The first characteristic that they name is not a covariate, too.
    named = (keys.find(parse_condition(text).key) for text in (*cases, *controls))
    sides = (("cases", cases), ("controls", controls))
    given = "; ".join(f"{side} {' or '.join(map(repr, texts))}" for side, texts in sides if texts)
    return FeatureEncoding(
        feature="trait",
        row=None,
        key=next((key for key in named if key in keys.characteristics), None) or "",
        kind="binary",
        values=dict(kept),
        roles={sample: roles[sample] for sample in kept},
        evidence=(f"chosen by hand: {given}",),
        sample_field="sample",
        reasons=reasons,
        told_by="hand",
    )


def _kept(
    own: FeatureEncoding | None,
    series: Series,
    procedure: Procedure | str,
    cases: bool,
    controls: bool,
) -> tuple[dict[str, float | None], dict[str, Role]]:
    """Return the expert's side that is not given, and all of its roles."""
    if own is None or own.kind != "binary":
        return {}, {}
    found = apply_encoding(own, series, procedure=procedure)
    wanted = {code for code, given in ((1.0, cases), (0.0, controls)) if not given}
    codes: dict[str, float | None] = {
        sample: code
        for sample, code in zip(series.samples, found.codes.tolist(), strict=True)
        if code in wanted
    }
    return codes, dict(zip(series.samples, found.roles, strict=True))


def _refuse_both(cases: Mapping[str, str], controls: Mapping[str, str]) -> None:
    both = [sample for sample in cases if sample in controls]
    if both:
        first = both[0]
        more = f" and {len(both) - 1} more samples" if len(both) > 1 else ""
        msg = (
            f"{first}{more}: both --case {cases[first]!r} and --control {controls[first]!r}; make "
            "one of them narrower"
        )
        raise UsageError(msg)


def _check_sizes(codes: Mapping[str, float], keys: SampleKeys) -> None:
    counts = Counter(codes.values())
    for code, name in ((1.0, "case"), (0.0, "control")):
        if counts[code] >= FEWEST:
            continue
        number = f"only one {name}" if counts[code] else f"no {name}s"
        msg = (
            f"{number}: a comparison needs at least {FEWEST}; choose {name}s with --{name} "
            f"'key=value'. Keys with their values (samples):\n{keys.listing()}"
        )
        raise UsageError(msg)


def samples_text(samples: Sequence[str]) -> str:
    """Return some sample ids in words: "GSM1, GSM2 and 3 more"."""
    more = len(samples) - _SHOWN
    return ", ".join(samples[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

"""Cases and controls chosen by conditions on the samples, and samples left out by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from genotex.clinical.cells import (
    SampleKeys,
    find_samples,
    is_keyed,
    matching_samples,
    parse_condition,
)
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoded_features import apply_encoding
from genotex.clinical.encoding import FEWEST, FeatureEncoding
from genotex.clinical.groups import chosen_control_role
from genotex.clinical.relations import searchable_keys
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.errors import UsageError
from genotex.formats import Role, Series
from genotex.procedure import Procedure

_SHOWN = 5


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
    return FeatureEncoding(
        feature="trait",
        row=None,
        key=_own_key((*cases, *controls), keys),
        kind="binary",
        values=dict(kept),
        roles={sample: roles[sample] for sample in kept},
        evidence=(f"chosen by hand: {_given(cases, controls)}",),
        sample_field="sample",
        reasons=reasons,
        told_by="hand",
    )


def _given(cases: Sequence[str], controls: Sequence[str]) -> str:
    sides = (("cases", cases), ("controls", controls))
    return "; ".join(f"{side} {' or '.join(map(repr, texts))}" for side, texts in sides if texts)


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


def _own_key(texts: Sequence[str], keys: SampleKeys) -> str:
    """Return the first characteristic that conditions name, which is not also a covariate."""
    found = (keys.find(condition.key) for condition in map(parse_condition, texts))
    return next((key for key in found if key in keys.characteristics), None) or ""


def samples_text(samples: Sequence[str]) -> str:
    """Return some sample ids in words: "GSM1, GSM2 and 3 more"."""
    more = len(samples) - _SHOWN
    return ", ".join(samples[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

"""Choosing how a series records the trait: the most likely encoding, its certainty, the second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from genotex.clinical.cells import Candidate, parse_number, split_cell
from genotex.clinical.encoding import Confidence, FeatureEncoding
from genotex.clinical.trait.judgement import Ground, Judgement, best_ground
from genotex.clinical.trait.options import ScoredOption, TraitOption, score_options, trait_options
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.wording import simple_key
from genotex.formats.cohort_records import Role

_Cells = Sequence[Sequence[str | None]]


@dataclass(frozen=True)
class _Pool:
    """Options that give every sample the same code."""

    options: tuple[TraitOption, ...]  # The likeliest first
    probability: float  # That one of them is right: the sum of theirs


def _pool_options(scored: Sequence[ScoredOption], cells: _Cells | None) -> list[_Pool]:
    """Put together the options that agree sample by sample."""
    groups: dict[object, list[ScoredOption]] = {}
    for number, entry in enumerate(scored):
        codes = None if cells is None else _codes(entry.option, cells)
        groups.setdefault(number if codes is None else codes, []).append(entry)
    pools = [
        _Pool(tuple(s.option for s in group), sum(s.probability for s in group))
        for group in groups.values()
    ]
    return sorted(pools, key=lambda pool: -pool.probability)


def _codes(option: TraitOption, cells: _Cells) -> tuple[float | None, ...] | None:
    """Return the code of each sample, None for values outside the characteristics."""
    row = option.candidate.row
    if row is None or row >= len(cells):
        return None
    elsewhere = option.candidate.elsewhere if option.candidate.key else ()
    rows = [cells[n] for n in (row, *elsewhere)]
    return tuple(_code(option, [line[n] for line in rows]) for n in range(len(cells[row])))


def _code(option: TraitOption, found: Sequence[str | None]) -> float | None:
    wanted = simple_key(option.candidate.key)
    cell = next((c for c in found if c and simple_key(split_cell(c)[0]) == wanted), None)
    if cell is None or cell in option.codes:
        return None if cell is None else option.codes[cell]
    return parse_number(split_cell(cell)[1]) if option.how in ("level", "scale") else None


@dataclass(frozen=True)
class TraitChoice:
    """What was chosen for the trait."""

    encoding: FeatureEncoding | None  # How the trait is recorded; None for "not available"
    # Probability that the choice is right, "not available" included; None where not measured
    certainty: float | None
    # The encoding that came second (first, where the choice is "not available")
    runner_up: FeatureEncoding | None
    # The least certainty asked for, where `runner_up` came first and does not reach it
    left_out: float | None = None


def read_trait(
    candidates: Iterable[Candidate],
    judge: ValueJudge,
    *,
    strict: bool = False,
    least_certainty: float = 0.0,
    cells: Sequence[Sequence[str | None]] | None = None,
) -> TraitChoice:
    """Choose how the trait is recorded."""
    options = trait_options(candidates, judge)
    if strict:
        options = [o for o in options if best_ground(_cases(o)) >= Ground.INCLUDED]
    scored, none = score_options(options, judge)
    pools = _pool_options(scored, cells)
    first, second = (*map(_pooled_encoding, pools[:2]), None, None)[:2]
    if first is None or pools[0].probability <= none:
        return TraitChoice(None, none, first)
    if pools[0].probability < least_certainty:
        return TraitChoice(None, none, first, least_certainty)
    return TraitChoice(replace(first, certainty=None), pools[0].probability, second)


def _pooled_encoding(pool: _Pool) -> FeatureEncoding:
    """Return the likeliest encoding of a pool, with the pool's certainty and other places."""
    encoding = option_encoding(pool.options[0])
    places = dict.fromkeys(_key(o.candidate) for o in pool.options)
    same = [place for place in places if place != _key(pool.options[0].candidate)]
    told = (f"{' and '.join(same)} would give every sample the same code",) if same else ()
    return replace(encoding, certainty=pool.probability, evidence=(*encoding.evidence, *told))


def take_unmeasured(
    found: FeatureEncoding, choice: TraitChoice, *, least_certainty: float = 0.0
) -> TraitChoice:
    """Use an encoding without measured certainty, unless a certainty is required."""
    if least_certainty <= 0:
        return replace(choice, encoding=found, certainty=None)
    if choice.left_out is not None:
        return choice
    return replace(choice, runner_up=found, left_out=least_certainty)


def _cases(option: TraitOption) -> list[Judgement]:
    return [j for j in option.judgements.values() if j.role == "case"]


def option_encoding(option: TraitOption) -> FeatureEncoding:
    """Return the encoding of an option."""
    candidate = option.candidate
    binary = option.kind == "binary"
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind=option.kind,
        values=option.codes,
        roles=_roles(option) if binary else {},
        parser="number" if option.how in ("level", "scale") else None,
        confidence=_confidence(option),
        evidence=(_where(option),),
        sample_field=candidate.sample_field,
        reasons={cell: j.why for cell, j in option.judgements.items()},
        shifted=candidate.elsewhere,
    )


def _roles(option: TraitOption) -> dict[str, Role]:
    if option.judgements:
        return {cell: j.role for cell, j in option.judgements.items()}
    return {
        cell: "unknown" if code is None else "case" if code else "healthy control"
        for cell, code in option.codes.items()
    }


def _key(candidate: Candidate) -> str:
    return (
        f"row {candidate.row}, key {candidate.key!r}," if candidate.key else f"row {candidate.row}"
    )


def _where(option: TraitOption) -> str:
    candidate = option.candidate
    if option.how in ("level", "scale"):
        return f"key {candidate.key!r} names the measured level"
    if option.how == "level groups":
        return f"key {candidate.key!r} names the level, recorded in groups"
    if candidate.row is None:
        return f"sample field {candidate.sample_field}, as the characteristics do not record it"
    return f"row {candidate.row}, key {candidate.key!r}, separates cases from controls"


def _confidence(option: TraitOption) -> Confidence:
    if option.how == "level":
        return "explicit"
    if not option.judgements:
        return "inferred"
    best = best_ground(_cases(option))
    if best >= Ground.ORGAN:
        return "explicit"
    return "inferred" if best >= Ground.CONTEXT else "arguable"

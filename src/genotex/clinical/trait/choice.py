"""Choosing how a series records the trait: the most likely encoding, its certainty, the second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from genotex.clinical.cells import Candidate
from genotex.clinical.encoding import NO_CELL, ClinicalAnnotation, FeatureEncoding
from genotex.clinical.trait.certainty import (
    cell_certainties,
    load_certainty,
    series_evidence,
    stated_certainty,
)
from genotex.clinical.trait.judgement import Ground, Judgement, best_ground
from genotex.clinical.trait.options import TraitOption, read_rows
from genotex.clinical.trait.scoring import ScoredOptions, score_options
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.features import parse_number, simple_key, split_cell
from genotex.formats import Confidence, Role

_Cells = Sequence[Sequence[str | None]]


def choose_trait(
    annotation: ClinicalAnnotation,
    candidates: Iterable[Candidate],
    judge: ValueJudge,
    *,
    least_certainty: float = 0.0,
    cells: _Cells | None = None,
) -> ClinicalAnnotation:
    """Return an annotation with the most likely trait, its certainty and the runner-up.

    With `cells`, one for each sample, options that code every sample alike count as one.
    """
    scores = score_options(*read_rows(candidates, judge), judge)
    pools, none = _pool_options(scores, cells), scores.none
    first, second = (*map(_pooled_encoding, pools[:2]), None, None)[:2]
    share = _probability(pools[0]) if pools else 0.0
    stated = partial(_certainty, text=judge.text)
    if first is None or share <= none:
        why = scores.why_none if annotation.gene.available else annotation.gene.reason
        reasons = {**annotation.unavailable, **({"trait": why} if why else {})}
        certainty = stated(none, none=True)
        return replace(annotation, certainty=certainty, runner_up=first, unavailable=reasons)
    certainty = stated(share, none=False)
    if certainty < least_certainty:
        first, left = replace(first, certainty=certainty), stated(none, none=True)
        return replace(annotation, certainty=left, runner_up=first, left_out=least_certainty)
    of_cells = cell_certainties(pools[0][0].judgements, certainty) if first.values else {}
    trait = replace(first, certainty=None, certainties=of_cells)
    return replace(annotation, trait=trait, certainty=certainty, runner_up=second)


def _certainty(share: float, *, none: bool, text: str) -> float:
    evidence = series_evidence(share, none=none, text=text)
    return stated_certainty(evidence, load_certainty()["series"])


def find_named_trait(candidates: Iterable[Candidate], judge: ValueJudge) -> FeatureEncoding | None:
    """Return the most likely encoding whose cases are named, None where none is more likely."""
    options, rows = read_rows(candidates, judge)
    options = [o for o in options if best_ground(_cases(o)) >= Ground.INCLUDED]
    scores = score_options(options, rows, judge)
    pools = _pool_options(scores, None)
    if not pools or _probability(pools[0]) <= scores.none:
        return None
    return replace(_pooled_encoding(pools[0]), certainty=None)


def _pool_options(scores: ScoredOptions, cells: _Cells | None) -> list[list[TraitOption]]:
    """Return the options grouped by the codes of samples, likeliest first."""
    pools: dict[object, list[TraitOption]] = {}
    for number, option in enumerate(scores.options):
        codes = None if cells is None else _codes(option, cells)
        pools.setdefault(number if codes is None else codes, []).append(option)
    return sorted(pools.values(), key=lambda pool: -_probability(pool))


def _probability(pool: Sequence[TraitOption]) -> float:
    return sum(option.probability for option in pool)


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
    cell = next((c for c in found if c and simple_key(split_cell(c)[0]) == wanted), found[0])
    if cell is None or cell in option.codes:
        return option.codes.get(cell or NO_CELL)
    return parse_number(split_cell(cell)[1]) if option.how == "level" else None


def _pooled_encoding(pool: Sequence[TraitOption]) -> FeatureEncoding:
    """Return the likeliest encoding of a pool, with the pool's certainty and other places."""
    encoding = option_encoding(pool[0])
    places = dict.fromkeys(_key(option.candidate) for option in pool)
    same = [place for place in places if place != _key(pool[0].candidate)]
    also = (f"{' and '.join(same)} would give every sample the same code",) if same else ()
    return replace(encoding, certainty=_probability(pool), evidence=(*encoding.evidence, *also))


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
        parser="number" if option.how == "level" else None,
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
    if option.how == "level":
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

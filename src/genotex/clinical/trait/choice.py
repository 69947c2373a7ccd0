"""Choosing how a series records the trait: the most likely encoding, its certainty, the second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from genotex.clinical.cells import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import NO_CELL, ClinicalAnnotation, FeatureEncoding
from genotex.clinical.texts.samples import FIELD_NAMES, sample_texts
from genotex.clinical.trait.certainty import (
    cell_certainties,
    load_certainty,
    series_evidence,
    stated_certainty,
)
from genotex.clinical.trait.judgement import Ground, best_ground
from genotex.clinical.trait.options import TraitOption, read_rows
from genotex.clinical.trait.scoring import ScoredOptions, score_options
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.features import parse_number, simple_key, split_cell
from genotex.formats import Confidence, Role

_Codes = tuple[float | None, ...]


def choose_trait(
    annotation: ClinicalAnnotation,
    candidates: Iterable[Candidate],
    judge: ValueJudge,
    description: SeriesDescription,
    *,
    in_texts: Iterable[TraitOption] = (),
    least_certainty: float = 0.0,
    measured: bool = True,
) -> ClinicalAnnotation:
    """Return an annotation with the most likely trait, its certainty and the runner-up.

    `in_texts`: options besides those of the candidates. Options that code every sample of the
    description alike count as one. `measured`: whether certainty was measured for such a trait;
    else none is stated, and any `least_certainty` leaves the trait out.
    """
    options, rows = read_rows(candidates, judge)
    options = _without_parts(options, description)
    scores = score_options([*options, *in_texts], rows, judge)
    pools, none = _pool_options(scores, description), scores.none

    def stated(share: float, *, none: bool) -> float | None:
        evidence = series_evidence(share, none=none, text=judge.text)
        return stated_certainty(evidence, load_certainty()["series"]) if measured else None

    found = [_pooled_encoding(pool, description) for pool in pools[:2]]
    if not measured:
        found = [replace(encoding, certainty=None) for encoding in found]
    first, second = (*found, None, None)[:2]
    share = _probability(pools[0]) if pools else 0.0
    if first is None or share <= none:
        why = scores.why_none if annotation.gene.available else annotation.gene.reason
        reasons = {**annotation.unavailable, **({"trait": why} if why else {})}
        certainty = stated(none, none=True)
        return replace(annotation, certainty=certainty, runner_up=first, unavailable=reasons)
    certainty = stated(share, none=False)
    if least_certainty > 0 and (certainty is None or certainty < least_certainty):
        first, left = replace(first, certainty=certainty), stated(none, none=True)
        return replace(annotation, certainty=left, runner_up=first, left_out=least_certainty)
    judgements = pools[0][0].judgements
    of_cells = {} if certainty is None else cell_certainties(judgements, certainty)
    against = _contradictions(pools[0][0], scores.options, description)
    trait = replace(
        first,
        certainty=None,
        certainties=of_cells if first.values else {},
        evidence=(*first.evidence, *against),
        confidence="arguable" if against and first.row is None else first.confidence,
    )
    return replace(annotation, trait=trait, certainty=certainty, runner_up=second)


def _without_parts(
    options: Sequence[TraitOption], description: SeriesDescription
) -> list[TraitOption]:
    """Return the options without those of which another row names more controls in words.

    "Disease: HCC" of the tumours and the tissue next to them leaves the few healthy donors empty;
    "tissue: tumour" and "non-tumour" has them, too, and the rest of the controls.
    """
    absence = ("absence is control", "detail of patients")
    if not any(option.how in absence for option in options):
        return list(options)
    codes = [codes_of_samples(option, description) for option in options]
    each = list(zip(options, codes, strict=True))
    told = [own for option, own in each if option.how == "words" and own is not None]

    def is_part(own: _Codes | None) -> bool:
        return own is not None and any(
            theirs.count(0.0) > own.count(0.0)
            and all((a, b) in ((0, 0), (1, 0), (1, 1)) for a, b in zip(own, theirs, strict=True))
            for theirs in told
        )

    return [o for o, own in each if o.how not in absence or not is_part(own)]


def _pool_options(scores: ScoredOptions, description: SeriesDescription) -> list[list[TraitOption]]:
    """Return the options grouped as `number_pools` does: likely rows first, then the likeliest."""
    options, pools = scores.options, dict[int, list[TraitOption]]()
    for number, option in zip(number_pools(options, description), options, strict=True):
        pools.setdefault(number, []).append(option)
    ordered = [[options[n], *(o for o in pool if o is not options[n])] for n, pool in pools.items()]

    def rank(pool: Sequence[TraitOption]) -> tuple[float, float]:
        by_rows = _probability([o for o in pool if o.candidate.row is not None])
        return (by_rows if by_rows > scores.none else 0.0, _probability(pool))

    return sorted(ordered, key=rank, reverse=True)


def number_pools(options: Sequence[TraitOption], description: SeriesDescription) -> list[int]:
    """Return the number of the option that codes all samples as each does or, of texts, more."""
    codes = [codes_of_samples(option, description) for option in options]
    rows_first = sorted(range(len(options)), key=lambda n: options[n].candidate.row is None)

    def first(own: _Codes | None, number: int) -> int:
        return next((n for n in rows_first if own is not None and codes[n] == own), number)

    return [
        first(_extended(option, own, options, codes), number)
        for number, (option, own) in enumerate(zip(options, codes, strict=True))
    ]


def _extended(
    option: TraitOption,
    own: _Codes | None,
    options: Sequence[TraitOption],
    codes: Sequence[_Codes | None],
) -> _Codes | None:
    """Return the codes of another line that agree with a text and say more, else its own."""
    if own is None or option.candidate.row is not None:
        return own
    wider = (
        theirs
        for other, theirs in zip(options, codes, strict=True)
        if theirs is not None
        and theirs != own
        and other.candidate.sample_field != option.candidate.sample_field
        and not other.how.startswith("rest")
        and all(a in (None, b) for a, b in zip(own, theirs, strict=True))
    )
    return next(wider, own)


def _probability(pool: Sequence[TraitOption]) -> float:
    return sum(option.probability for option in pool)


def codes_of_samples(option: TraitOption, description: SeriesDescription) -> _Codes | None:
    """Return the code of each sample, None where samples are not known."""
    candidate, cells = option.candidate, description.cells or ()
    if candidate.row is None:
        return (
            None
            if candidate.key
            else tuple(option.codes.get(cell or "") for cell in _line(option, description))
        )
    if candidate.row >= len(cells):
        return None
    elsewhere = candidate.elsewhere if candidate.key else ()
    rows = [cells[n] for n in (candidate.row, *elsewhere)]
    return tuple(_code(option, [line[n] for line in rows]) for n in range(len(rows[0])))


def _line(option: TraitOption, description: SeriesDescription) -> Sequence[str | None]:
    """Return the line of texts that an option codes."""
    lines = (line.cells for line in sample_texts(description))
    return next(line for line in lines if {*line} - {None, ""} == option.codes.keys())


def _contradictions(
    best: TraitOption, options: Iterable[TraitOption], description: SeriesDescription
) -> list[str]:
    """Return in words where other texts of the samples contradict an option."""
    ours, lines = codes_of_samples(best, description), dict[str, str]()
    for other in options:
        name = FIELD_NAMES.get(other.candidate.sample_field, "")
        theirs = codes_of_samples(other, description) if name else None
        if (
            ours is None
            or theirs is None
            or name in (FIELD_NAMES.get(best.candidate.sample_field), *lines)
        ):
            continue
        pairs = zip(ours, theirs, _line(other, description), strict=True)
        against = [cell for mine, their, cell in pairs if {mine, their} == {0.0, 1.0}]
        samples = "1 sample" if len(against) == 1 else f"{len(against)} samples"
        lines[name] = (
            f"the {name} contradict it for {samples}, as {against[0]!r}" if against else ""
        )
    return [line for line in lines.values() if line]


def _code(option: TraitOption, found: Sequence[str | None]) -> float | None:
    wanted = simple_key(option.candidate.key)
    by_key = [c for c in found if c and simple_key(split_cell(c)[0]) == wanted]
    cell = next(iter([*by_key, *(c for c in found if c and c in option.codes)]), found[0])
    if cell is None or cell in option.codes:
        return option.codes.get(cell or NO_CELL)
    return parse_number(split_cell(cell)[1]) if option.how == "level" else None


def _pooled_encoding(
    pool: Sequence[TraitOption], description: SeriesDescription
) -> FeatureEncoding:
    """Return the likeliest encoding of a pool, with the pool's certainty and other places."""
    encoding = option_encoding(pool[0])
    places = dict.fromkeys(_place(option.candidate) for option in pool)
    same = [place for place in places if place != _place(pool[0].candidate)]
    also = (f"{' and '.join(same)} would give every sample the same code",) if same else ()
    return replace(encoding, certainty=_probability(pool), evidence=(*encoding.evidence, *also))


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
        evidence=_where(option),
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


def _place(candidate: Candidate) -> str:
    row = FIELD_NAMES.get(candidate.sample_field, f"row {candidate.row}")
    where = row if candidate.row is not None else f"the {row}"
    return f"{where}, key {candidate.key!r}," if candidate.key else where


def _where(option: TraitOption) -> tuple[str, ...]:
    candidate = option.candidate
    if candidate.row is None:
        return _quoted(option)
    if option.how == "level":
        return (f"key {candidate.key!r} names the measured level",)
    if option.how == "level groups":
        return (f"key {candidate.key!r} names the level, recorded in groups",)
    if option.how == "several keys" and candidate.elsewhere:
        rows = " and ".join(map(str, (candidate.row, *candidate.elsewhere)))
        return (f"rows {rows} are one column: every sample has its group in one of them",)
    return (f"row {candidate.row}, key {candidate.key!r}, separates cases from controls",)


def _quoted(option: TraitOption) -> tuple[str, str]:
    """Quote a text of each side, and count the samples with a code."""
    candidate, known = option.candidate, {c: x for c, x in option.codes.items() if x is not None}
    examples = {code: cell for cell, code in reversed(known.items())}
    shown = (
        f"key {candidate.key!r}"
        if candidate.key
        else ", ".join(repr(examples[code]) for code in (1.0, 0.0))
    )
    coded, every = (sum(candidate.weight[c] for c in cells) for cells in (known, candidate.weight))
    return (
        f"inferred from {_place(replace(candidate, key=''))}: {shown}",
        f"known for {coded} of {round(every / candidate.share)} samples",
    )


def _confidence(option: TraitOption) -> Confidence:
    if option.how == "level":
        return "explicit"
    if not option.judgements:
        return "inferred"
    best = best_ground(j for j in option.judgements.values() if j.role == "case")
    if option.candidate.row is None:
        return "inferred" if best >= Ground.INCLUDED else "arguable"
    if best >= Ground.NAMED:
        return "explicit"
    return "inferred" if best >= Ground.CONTEXT else "arguable"

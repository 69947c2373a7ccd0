"""Which characteristic tells the trait, how sure that is, and what came second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import Confidence, FeatureEncoding
from genotex.clinical.trait.judgement import Ground, Judgement, best_ground
from genotex.clinical.trait.options import TraitOption, trait_options
from genotex.clinical.trait.pooling import Pool, pool_options
from genotex.clinical.trait.scoring import score_options
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.formats import Role

__all__ = ["TraitChoice", "option_encoding", "read_trait", "take_unmeasured"]


@dataclass(frozen=True)
class TraitChoice:
    """What was chosen for the trait.

    Attributes
    ----------
    encoding : FeatureEncoding or None
        How the trait is told; None for "not available".
    certainty : float or None
        Probability that the choice is right, "not available" included; None where nobody measured
        it.
    runner_up : FeatureEncoding or None
        The reading that came second (first, where the choice is "not available").
    left_out : float or None
        The least certainty asked for, where `runner_up` came first and does not reach it.
    """

    encoding: FeatureEncoding | None
    certainty: float | None
    runner_up: FeatureEncoding | None
    left_out: float | None = None


def read_trait(
    candidates: Iterable[Candidate],
    judge: ValueJudge,
    *,
    strict: bool = False,
    least_certainty: float = 0.0,
    cells: Sequence[Sequence[str | None]] | None = None,
) -> TraitChoice:
    """Choose how the trait is told.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.
    judge : ValueJudge
        Judges single values for the trait in this series.
    strict : bool
        Accept only values that name the trait (for texts outside the characteristics).
    least_certainty : float
        Readings less certain than this are "not available".
    cells : sequence of sequences of str or None, optional
        The characteristics rows with one cell for each sample. Where they are known, readings
        that give every sample the same code count as one, with the sum of their probabilities.

    Returns
    -------
    TraitChoice
    """
    options = trait_options(candidates, judge)
    if strict:
        options = [o for o in options if best_ground(_cases(o)) >= Ground.INCLUDED]
    scored, none = score_options(options, judge)
    pools = pool_options(scored, cells)
    first, second = (*map(_pooled_encoding, pools[:2]), None, None)[:2]
    if first is None or pools[0].probability <= none:
        return TraitChoice(None, none, first)
    if pools[0].probability < least_certainty:
        return TraitChoice(None, none, first, least_certainty)
    return TraitChoice(replace(first, certainty=None), pools[0].probability, second)


def _pooled_encoding(pool: Pool) -> FeatureEncoding:
    """Return the likeliest encoding of a pool, with the pool's certainty and other places."""
    encoding = option_encoding(pool.options[0])
    places = dict.fromkeys(_key(o.candidate) for o in pool.options)
    same = [place for place in places if place != _key(pool.options[0].candidate)]
    told = (f"{' and '.join(same)} would give every sample the same code",) if same else ()
    return replace(encoding, certainty=pool.probability, evidence=(*encoding.evidence, *told))


def take_unmeasured(
    found: FeatureEncoding, choice: TraitChoice, *, least_certainty: float = 0.0
) -> TraitChoice:
    """Take a reading whose certainty nobody measured, unless some certainty is asked for.

    Parameters
    ----------
    found : FeatureEncoding
        What was read outside the characteristics.
    choice : TraitChoice
        What was chosen there: nothing.
    least_certainty : float
        With any above 0 the reading is left out: nobody can say that it reaches it.

    Returns
    -------
    TraitChoice
    """
    if least_certainty <= 0:
        return replace(choice, encoding=found, certainty=None)
    if choice.left_out is not None:
        return choice
    return replace(choice, runner_up=found, left_out=least_certainty)


def _cases(option: TraitOption) -> list[Judgement]:
    return [j for j in option.judgements.values() if j.role == "case"]


def option_encoding(option: TraitOption) -> FeatureEncoding:
    """Return the encoding that an option stands for."""
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
        return f"key {candidate.key!r} names the level, told in groups"
    if candidate.row is None:
        return f"sample field {candidate.sample_field}, as the characteristics do not tell it"
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

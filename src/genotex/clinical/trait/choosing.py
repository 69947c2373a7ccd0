"""Which characteristic tells the trait, how sure that is, and what came second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import Confidence, FeatureEncoding
from genotex.clinical.telling import tell_place
from genotex.clinical.trait.judgement import Ground, Judgement, best_ground
from genotex.clinical.trait.options import TraitOption, trait_options
from genotex.clinical.trait.scoring import score_options
from genotex.clinical.trait.value_roles import ValueJudge
from genotex.formats.cohort_record import Role

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
    left_out : str
        Why the reading that came first was left out, where a certainty was asked that it lacks.
    """

    encoding: FeatureEncoding | None
    certainty: float | None
    runner_up: FeatureEncoding | None
    left_out: str = ""


def read_trait(
    candidates: Iterable[Candidate],
    judge: ValueJudge,
    *,
    strict: bool = False,
    least_certainty: float = 0.0,
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

    Returns
    -------
    TraitChoice
    """
    options = trait_options(candidates, judge)
    if strict:
        options = [o for o in options if best_ground(_cases(o)) >= Ground.INCLUDED]
    scored, none = score_options(options, judge)
    encodings = [
        replace(option_encoding(entry.option), certainty=entry.probability) for entry in scored[:2]
    ]
    first = encodings[0] if encodings else None
    if first is None or scored[0].probability <= none:
        return TraitChoice(None, none, first)
    if scored[0].probability < least_certainty:
        return TraitChoice(None, none, first, _too_uncertain(first, least_certainty))
    return TraitChoice(first, scored[0].probability, encodings[1] if len(encodings) > 1 else None)


def _too_uncertain(encoding: FeatureEncoding, least_certainty: float) -> str:
    place = tell_place(encoding.row, encoding.key, encoding.sample_field)
    return f"{place}, was read with {encoding.certainty:.2f}, less than {least_certainty:g}"


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
    place = tell_place(found.row, found.key, found.sample_field)
    why = f"{place}: how surely was never measured, and at least {least_certainty:g} is asked for"
    return replace(choice, runner_up=choice.runner_up or found, left_out=choice.left_out or why)


def _cases(option: TraitOption) -> list[Judgement]:
    return [j for j in option.judgements.values() if j.role == "case"]


def option_encoding(option: TraitOption) -> FeatureEncoding:
    """Return the encoding that an option stands for."""
    candidate = option.candidate
    binary = option.kind == "binary"
    evidence = [_where(option)]
    if candidate.elsewhere:
        rows = ", ".join(map(str, candidate.elsewhere))
        evidence.append(f"cells are shifted: values of this key stand in row {rows} too")
    evidence.extend(f"{j.told_as}: {j.why}" for j in option.judgements.values())
    return FeatureEncoding(
        feature="trait",
        row=candidate.row,
        key=candidate.key,
        kind=option.kind,
        values=option.codes,
        roles=_roles(option) if binary else {},
        parser="number" if option.how in ("level", "scale") else None,
        confidence=_confidence(option),
        evidence=tuple(dict.fromkeys(evidence)),
        sample_field=candidate.sample_field,
    )


def _roles(option: TraitOption) -> dict[str, Role]:
    if option.judgements:
        return {cell: j.role for cell, j in option.judgements.items()}
    return {
        cell: "unknown" if code is None else "case" if code else "healthy control"
        for cell, code in option.codes.items()
    }


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

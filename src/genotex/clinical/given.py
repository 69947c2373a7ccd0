"""Readings given by hand: whether their cells stand in the series, and what the rules say too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from genotex.clinical.candidates import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import ClinicalReading, FeatureEncoding, GeneVerdict
from genotex.clinical.reading_checks import FEATURES
from genotex.clinical.texts.sample_texts import other_candidates, sample_texts
from genotex.clinical.values import split_cell
from genotex.clinical.words.trait_names import tells_name
from genotex.clinical.words.wording import simple_key

__all__ = ["fit_reading"]

_SHOWN = 3
_OF_RULES = ("row", "key", "kind", "values", "roles", "parser", "sample_field")


def fit_reading(
    given: ClinicalReading, own: ClinicalReading, description: SeriesDescription, source: str
) -> ClinicalReading:
    """Return a reading that was given, as the series has its cells, with its true origin.

    Parameters
    ----------
    given : ClinicalReading
        From an encoding file, perhaps edited; values may stand without their key.
    own : ClinicalReading
        What the rules read in the series now.
    description : SeriesDescription
        The series.
    source : str
        Name of the file, for the record.

    Returns
    -------
    ClinicalReading
        What differs from the rules' reading is marked as made by hand: it has no certainty, and
        a reason only where the code is still that of the rules. A listed cell that no sample has
        gives a caution with the nearest ones. A trait that was left out for being less sure than
        asked for stays so.
    """
    fitted = {
        name: _fit(encoding, getattr(own, name), description, source)
        for name in FEATURES
        if (encoding := getattr(given, name)) is not None
    }
    trait = fitted.get("trait")
    left_out = given.left_out if trait is None else None
    changed = left_out is None and (trait is None or trait.told_by == "hand")
    notes = (note for note in given.notes if not tells_name(note))
    unsaid: list[str] = [name for name in FEATURES if name not in fitted]
    if left_out is not None:
        unsaid.remove("trait")
    by_file = {name: f"not available by {source}" for name in unsaid}
    return replace(
        given,
        gene=_gene(given.gene, own.gene, source),
        trait=trait,
        age=fitted.get("age"),
        gender=fitted.get("gender"),
        certainty=None if changed else given.certainty,
        runner_up=None if changed else given.runner_up,
        left_out=left_out,
        notes=(*notes, *_not_there(by_file)),
        untold=by_file,
    )


def _not_there(by_file: Mapping[str, str]) -> tuple[str, ...]:
    return (f"trait: {by_file['trait']}",) if "trait" in by_file else ()


def _gene(given: GeneVerdict, own: GeneVerdict, source: str) -> GeneVerdict:
    """Return a verdict that is not that of the rules as one made by hand."""
    if given.available == own.available:
        return given
    own_words = f": {given.reason}" if given.reason not in ("", own.reason) else ""
    reason = f"given by hand in {source}{own_words}"
    return replace(given, reason=reason, evidence=(), certainty=None)


def _fit(
    encoding: FeatureEncoding,
    own: FeatureEncoding | None,
    description: SeriesDescription,
    source: str,
) -> FeatureEncoding:
    names, strange = _spelt_as_in_series(encoding, description)
    fitted = replace(
        encoding,
        values={names.get(cell, cell): code for cell, code in encoding.values.items()},
        roles={names.get(cell, cell): role for cell, role in encoding.roles.items()},
        reasons={names.get(cell, cell): why for cell, why in encoding.reasons.items()},
        cautions=(*encoding.cautions, *strange),
    )
    if own is not None and all(getattr(fitted, f) == getattr(own, f) for f in _OF_RULES):
        return fitted
    unchanged = own is not None and (own.row, own.key) == (fitted.row, fitted.key)
    before = own.values if own is not None and unchanged else {}
    kept = {
        cell: why
        for cell, why in fitted.reasons.items()
        if cell in before and cell in fitted.values and before[cell] == fitted.values[cell]
    }
    return replace(
        fitted,
        certainty=None,
        reasons=kept,
        evidence=(f"given by hand in {source}",),
        told_by="hand",
    )


def _spelt_as_in_series(
    encoding: FeatureEncoding, description: SeriesDescription
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return listed cell -> cell of the series, and what to say of those that no sample has."""
    cells = _cells(encoding, description)
    if not cells:
        return {}, ()
    exact = {simple_key(cell): cell for cell in cells}
    bare = {simple_key(split_cell(cell)[1]): cell for cell in cells}
    names: dict[str, str] = {}
    strange = []
    for listed in encoding.values:
        if simple_key(listed) in exact:
            continue
        found = bare.get(simple_key(listed))
        if found is not None and found not in encoding.values:
            names[listed] = found
        else:
            strange.append(_caution(listed, list(cells)))
    return names, tuple(strange)


def _caution(listed: str, cells: list[str]) -> str:
    near = get_close_matches(listed, cells, n=_SHOWN, cutoff=0.4)
    perhaps = f"; perhaps {' or '.join(map(repr, near))}" if near else ""
    return f"no sample has {listed!r}{perhaps}"


def _cells(encoding: FeatureEncoding, description: SeriesDescription) -> dict[str, None]:
    """Return the cells among which those of an encoding must be."""
    if encoding.sample_field != "characteristics_ch1":
        lines = [t for t in sample_texts(description) if t.sample_field == encoding.sample_field]
        whole = {cell: None for line in lines for cell in line.weight}
        return whole | dict.fromkeys(_of_key(encoding, other_candidates(description)))
    row = encoding.row
    own = description.characteristics[row] if row is not None and row < _rows(description) else ()
    here = {cell: None for cell in own if cell is not None}
    return here | dict.fromkeys(_of_key(encoding, characteristic_candidates(description)))


def _rows(description: SeriesDescription) -> int:
    return len(description.characteristics)


def _of_key(encoding: FeatureEncoding, candidates: list[Candidate]) -> list[str]:
    wanted = simple_key(encoding.key)
    return [
        cell
        for c in candidates
        if wanted and simple_key(c.key) == wanted and c.sample_field == encoding.sample_field
        for cell in c.values
    ]

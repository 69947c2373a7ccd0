"""Encoding files: saved for a person to edit, loaded, and fitted to the series again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from genotex.clinical.cells import Candidate, characteristic_candidates
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import (
    FEATURES,
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    annotation_from_json,
    annotation_to_json,
)
from genotex.clinical.texts.samples import other_candidates, sample_texts
from genotex.clinical.words.trait_names import is_name_note
from genotex.errors import EncodingFileError, UsageError
from genotex.features import simple_key, split_cell
from genotex.io import atomic_write
from genotex.layout import trait_folder_name
from genotex.outside import read_json

_ABOUT = [
    "How samples were annotated: for each cohort whether it holds gene expression, and where",
    "trait, age and gender are recorded (null: not available). Edit by hand; use: --encoding FILE.",
    "trait: what the annotations were made for; do not use them for another trait.",
    "row: characteristics row, numbered from 0 (null for another sample_field);",
    "key: the text before the colon; kind: binary or continuous;",
    "values: raw cell -> code (case 1, control 0; female 0, male 1; null is missing);",
    "roles: raw cell -> case, healthy control, other disease or unknown (trait only);",
    "parser: how cells that are not in values are parsed: age_years, sex, number or null;",
    "confidence: explicit, inferred or arguable; evidence: why, free text;",
    "sample_field: characteristics_ch1, title, source_name_ch1, description, or sample: then",
    "values and roles are by sample id;",
    "certainty: how sure, a number from 0 to 1, or null; reasons: raw cell -> why, free text.",
    "Next to the features: certainty of the trait (0 to 1, null: not measured) and runner_up, the",
    "second most likely encoding of the trait; neither changes how samples are coded.",
    "characteristics: where the trait is null, the values of the samples, one entry for each key:",
    "give codes to the values of one of them and put it in the place of null after trait.",
]


@dataclass(frozen=True)
class SavedAnnotations:
    """The content of an encoding file."""

    trait: str | None
    """Trait that the annotations were made for; None when the file does not name one."""
    annotations: Mapping[str, ClinicalAnnotation]
    """Cohort -> annotation, in file order."""


def save_annotations(
    path: Path,
    annotations: Mapping[str, ClinicalAnnotation],
    *,
    trait: str | None = None,
    characteristics: Mapping[str, list[dict[str, Any]]] | None = None,
) -> None:
    """Write annotations to an encoding file, whole or not at all.

    `annotations`: Cohort -> annotation. `trait`: Trait that they were made for, recorded so that
    they are not used for another one. `characteristics`: Cohort -> its keys and values
    (`characteristics_to_edit`), added where the trait is not available.
    """
    there = characteristics or {}
    cohorts = {name: _to_save(each, there.get(name)) for name, each in annotations.items()}
    _write(path, trait, cohorts)


def add_annotation(
    path: Path,
    cohort: str,
    annotation: ClinicalAnnotation,
    *,
    trait: str,
    characteristics: list[dict[str, Any]] | None = None,
    replace: bool = False,
) -> None:
    """Add an annotation to an encoding file, next to those of other cohorts.

    `path`: The file; created when missing. `annotation`: Its annotation. `trait`: Trait that it was
    made for. `characteristics`: As for `save_annotations`. `replace`: Whether an annotation of the
    same cohort may be overwritten. Raises UsageError if the file already has the cohort, or
    annotations made for another trait. Raises EncodingFileError if the existing file is not an
    encoding file.
    """
    new = {cohort: _to_save(annotation, characteristics)}
    if not path.exists():
        _write(path, trait, new)
        return
    saved = load_annotations(path)
    if saved.trait is not None and trait_folder_name(saved.trait) != trait_folder_name(trait):
        what = f"annotations made for {saved.trait}, not for {trait}"
        msg = f"{path} has {what}; save to another file"
        raise UsageError(msg)
    if cohort in saved.annotations and not replace:
        msg = f"{path} already has {cohort}, perhaps edited; replace it with --force"
        raise UsageError(msg)
    # The entries of other cohorts stay exactly as they are.
    _write(path, saved.trait or trait, read_json(path)["cohorts"] | new)


def _to_save(annotation: ClinicalAnnotation, keys: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return an annotation as JSON, without the note on the trait name that was asked for."""
    notes = [note for note in annotation.notes if not is_name_note(note)]
    data = annotation_to_json(annotation) | {"notes": notes}
    return (
        data if keys is None or annotation.trait is not None else data | {"characteristics": keys}
    )


def _write(path: Path, trait: str | None, cohorts: Mapping[str, Any]) -> None:
    data = {"about": _ABOUT, "trait": trait, "cohorts": cohorts}
    text = json.dumps(data, indent=2, ensure_ascii=False)
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8")


def load_annotations(path: Path) -> SavedAnnotations:
    """Read an encoding file.

    Returns the trait, None in files that do not name one, and the annotations. Raises
    EncodingFileError if the file is not an encoding file; names the cohort and the field, and what
    to do.
    """
    hint = "check commas and quotes there, or write the file again with 'show --save'"
    data = read_json(path, hint, words="is not JSON", finite=False, kind=EncodingFileError)
    if not isinstance(data, dict) or not isinstance(data.get("cohorts"), dict):
        hint = "write one with 'genotex clinical show MATRIX --trait T --save FILE'"
        msg = "has no object 'cohorts'"
        raise EncodingFileError(msg, path=path, hint=hint)
    return SavedAnnotations(
        _trait(data, path),
        {
            cohort: annotation_from_json(annotation, path=path, place=cohort)
            for cohort, annotation in data["cohorts"].items()
        },
    )


def _trait(data: Mapping[str, Any], path: Path) -> str | None:
    trait = data.get("trait")
    if trait is None:
        return None
    if not isinstance(trait, str) or not trait.strip():
        msg = f"must be the name of a trait or null, not {trait!r}"
        hint = "name the trait that the annotations were made for, or remove the line"
        raise EncodingFileError(msg, path=path, field="trait", hint=hint)
    return trait.strip()


_SHOWN = 3
_OF_RULES = ("row", "key", "kind", "values", "roles", "parser", "sample_field")


def fit_annotation(
    given: ClinicalAnnotation, own: ClinicalAnnotation, description: SeriesDescription, source: str
) -> ClinicalAnnotation:
    """Fit a supplied annotation to the cells of a series and record its origin.

    `given`: From an encoding file, perhaps edited; values may be given without their key. `own`:
    The annotation of the rules for the series now. `source`: Name of the file, for the record.
    What differs from the rules' annotation is marked as made by hand: it has no certainty,
    and a reason only where the code is still that of the rules. A listed cell that no sample has
    gives a caution with the closest ones. A trait that was left out for too low a certainty stays
    left out.
    """
    fitted = {
        name: _fit(encoding, own.features[name], description, source)
        for name, encoding in given.features.items()
        if encoding is not None
    }
    trait = fitted.get("trait")
    left_out = given.left_out if trait is None else None
    changed = left_out is None and (trait is None or trait.told_by == "hand")
    notes = [note for note in given.notes if not is_name_note(note)]
    unsaid: list[str] = [name for name in FEATURES if name not in fitted]
    if left_out is not None:
        unsaid.remove("trait")
    by_file = {name: f"not available by {source}" for name in unsaid}
    if "trait" in by_file:
        notes.append(f"trait: {by_file['trait']}")
    features: dict[str, Any] = {name: fitted.get(name) for name in FEATURES}
    return replace(
        given,
        gene=_gene(given.gene, own.gene, source),
        **features,
        certainty=None if changed else given.certainty,
        runner_up=None if changed else given.runner_up,
        left_out=left_out,
        notes=tuple(notes),
        unavailable=by_file,
    )


def _gene(given: GeneVerdict, own: GeneVerdict, source: str) -> GeneVerdict:
    """Mark a verdict that differs from that of the rules as made by hand."""
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
    """Return listed cell -> cell of the series, and cautions for those that no sample has."""
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
    row, rows = encoding.row, description.characteristics
    own = rows[row] if row is not None and row < len(rows) else ()
    here = {cell: None for cell in own if cell is not None}
    return here | dict.fromkeys(_of_key(encoding, characteristic_candidates(description)))


def _of_key(encoding: FeatureEncoding, candidates: list[Candidate]) -> list[str]:
    wanted = simple_key(encoding.key)
    return [
        cell
        for c in candidates
        if wanted and simple_key(c.key) == wanted and c.sample_field == encoding.sample_field
        for cell in c.values
    ]

"""Labels applied to the samples of a series, and clinical tables scored against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.labels.label import FEATURES, Feature, FeatureLabel, Label
from genotex.bench.evaluation.labels.scoring import SAME_CODE, same_code
from genotex.clinical import FeatureEncoding, Parser, encode_cell, simple_key
from genotex.errors import FormatError
from genotex.formats import Series, read_csv_table

__all__ = [
    "ClinicalTable",
    "CodedFeature",
    "CodingScore",
    "code_samples",
    "coding_figures",
    "score_coding",
    "table_of_file",
    "table_of_labels",
]

Codes = NDArray[np.float64]

_ANOTHER_FILE = "labels count the rows of the series matrix that was labelled; fetch that one"
_PARSERS: Mapping[Feature, Parser] = {"trait": "number", "age": "age_years", "gender": "sex"}


@dataclass(frozen=True, eq=False)
class CodedFeature:
    """One feature of all samples, as a label has it.

    Attributes
    ----------
    codes : ndarray of float64, shape (n,)
        In sample order; NaN is missing.
    known : ndarray of bool, shape (n,)
        Whether the label tells the sample's code, "missing" included.
    """

    codes: Codes
    known: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ClinicalTable:
    """Codes of samples, by feature; a feature without any code is left out.

    Attributes
    ----------
    samples : tuple of str
        Sample ids.
    codes : mapping of str to ndarray of float64, shape (n,)
        By ``trait``, ``age``, ``gender``; NaN is missing.
    """

    samples: tuple[str, ...]
    codes: Mapping[Feature, Codes]


@dataclass(frozen=True)
class CodingScore:
    """A predicted clinical table against a label; fractions of the samples coded alike.

    Attributes
    ----------
    trait, cohort : str
    samples : int
        Samples of the raw file.
    trait_alike : float
        Where the label has no trait: 1 without a predicted trait, else 0.
    age_alike, gender_alike : float or None
        None where the label has no trait, for then there is no table to hold them.
    exact : bool
        Whether everything is as the label has it.
    """

    trait: str
    cohort: str
    samples: int
    trait_alike: float
    age_alike: float | None
    gender_alike: float | None
    exact: bool


def code_samples(label: Label, series: Series) -> dict[Feature, CodedFeature]:
    """Apply a label to the samples of a series.

    A cell is coded as the label lists it, differences of case and white space aside. A cell that
    the label does not list (lists of values are cut at 30) is coded by the parser of the feature
    (age in years, sex, number) if that reads every listed code as the label has it; else its code
    is not known.

    Parameters
    ----------
    label : Label
        Whose rows are numbered as the ``!Sample_characteristics_ch1`` lines of the file.
    series : Series
        The series.

    Returns
    -------
    dict
        By feature; features without a row, or with codes for no sample, are left out.

    Raises
    ------
    FormatError
        If a row is not in the file, or none of the cells it lists: the file is another one than
        that which was labelled.
    """
    coded = {}
    for name in FEATURES:
        feature = label.feature(name)
        if feature is None:
            continue
        found = _code_feature(name, feature, series)
        if not np.isnan(found.codes[found.known]).all():
            coded[name] = found
    return coded


def _code_feature(name: Feature, feature: FeatureLabel, series: Series) -> CodedFeature:
    rows = series.characteristics
    if feature.row >= len(rows):
        msg = f"the label names row {feature.row}, but the file has {len(rows)} rows"
        raise FormatError(msg, path=series.path, field=name, hint=_ANOTHER_FILE)
    cells = rows[feature.row]
    listed = {**{simple_key(cell): code for cell, code in feature.map.items()}, **feature.map}
    keys = [cell if cell is None or cell in listed else simple_key(cell) for cell in cells]
    if listed and not any(key in listed for key in keys):
        msg = f"none of the values that the label lists stands in row {feature.row}"
        raise FormatError(msg, path=series.path, field=name, hint=_ANOTHER_FILE)
    parser = _fitting_parser(name, feature)
    codes = np.full(len(cells), np.nan)
    known = np.ones(len(cells), dtype=bool)
    for number, (cell, key) in enumerate(zip(cells, keys, strict=True)):
        if cell is None:
            continue
        if key in listed:
            code = listed[key]
        else:
            code = encode_cell(parser, cell) if parser is not None else None
            known[number] = code is not None
        codes[number] = np.nan if code is None else code
    return CodedFeature(codes, known)


def _fitting_parser(name: Feature, feature: FeatureLabel) -> FeatureEncoding | None:
    """Return the parser of a feature where it reads every listed code as the label has it."""
    kind: Literal["binary", "continuous"] = "binary" if name == "gender" else "continuous"
    parser = FeatureEncoding(name, feature.row, "", kind, parser=_PARSERS[name])
    listed = {cell: code for cell, code in feature.map.items() if code is not None}
    fits = all(same_code(encode_cell(parser, cell), code) for cell, code in listed.items())
    return parser if listed and fits else None


def table_of_labels(coded: Mapping[Feature, CodedFeature], samples: Sequence[str]) -> ClinicalTable:
    """Return the clinical table that a label makes."""
    return ClinicalTable(tuple(samples), {name: found.codes for name, found in coded.items()})


def table_of_file(path: Path, trait: str) -> ClinicalTable:
    """Read a clinical table in the benchmark's layout, of any tool.

    Parameters
    ----------
    path : Path
        ``clinical_data/<cohort>.csv``: features x samples; a cell that is no number is missing.
    trait : str
        Name of the trait's row; a single row that is neither age nor gender is taken for it too.

    Raises
    ------
    FormatError
        If the file is no such table.
    """
    table = read_csv_table(path, text="missing")
    named = {name.casefold(): codes for name, codes in zip(table.rows, table.values, strict=True)}
    others = [codes for name, codes in named.items() if name not in ("age", "gender")]
    trait_codes = named.get(trait.casefold(), others[0] if len(others) == 1 else None)
    found = {"trait": trait_codes, "age": named.get("age"), "gender": named.get("gender")}
    codes: dict[Feature, Codes] = {}
    for name in FEATURES:
        values = found[name]
        if values is not None and not np.isnan(values).all():
            codes[name] = values
    return ClinicalTable(tuple(table.columns), codes)


def score_coding(
    trait: str,
    cohort: str,
    coded: Mapping[Feature, CodedFeature],
    samples: Sequence[str],
    predicted: ClinicalTable | None,
) -> CodingScore:
    """Compare a predicted clinical table with a label, sample by sample.

    A sample that the prediction does not have counts as missing there; one whose code the label
    does not tell is not judged. A feature that only one side has scores 0, one that neither has 1.

    Parameters
    ----------
    trait, cohort : str
        What is scored.
    coded : mapping
        The label, from `code_samples`.
    samples : sequence of str
        Samples of the raw file.
    predicted : ClinicalTable or None
        None where there is none: with a labelled trait everything scores 0.
    """
    if "trait" not in coded:
        right = predicted is None or "trait" not in predicted.codes
        return CodingScore(trait, cohort, len(samples), float(right), None, None, right)
    if predicted is None:
        return CodingScore(trait, cohort, len(samples), 0.0, 0.0, 0.0, False)
    place = {sample: number for number, sample in enumerate(predicted.samples)}
    order = np.array([place.get(sample, -1) for sample in samples], dtype=np.intp)
    shares = {
        name: _share_alike(coded.get(name), predicted.codes.get(name), order) for name in FEATURES
    }
    exact = all(share == 1.0 for share in shares.values())
    return CodingScore(
        trait, cohort, len(samples), shares["trait"], shares["age"], shares["gender"], exact
    )


def _share_alike(
    label: CodedFeature | None, predicted: Codes | None, order: NDArray[np.intp]
) -> float:
    """Return the share of judged samples coded alike; `order` is their place, -1 for none."""
    if label is None or predicted is None:
        return float(label is None and predicted is None)
    # What stands at -1 is the last sample's; it is replaced before anything is compared.
    found = np.where(order < 0, np.nan, predicted[order])
    both_missing = np.isnan(found) & np.isnan(label.codes)
    alike = both_missing | (np.abs(found - label.codes) <= SAME_CODE)
    return float(alike[label.known].mean())


def coding_figures(scores: Sequence[CodingScore]) -> dict[str, float]:
    """Return the means over cohorts, and the share of cohorts that are coded exactly.

    Age and gender are averaged over the cohorts whose label has a trait; without any they are
    left out.
    """
    figures = {}
    for name in ("trait_alike", "age_alike", "gender_alike"):
        known = [value for score in scores if (value := getattr(score, name)) is not None]
        if known:
            figures[name] = sum(known) / len(known)
    figures["cohort_exact"] = sum(score.exact for score in scores) / len(scores)
    return figures

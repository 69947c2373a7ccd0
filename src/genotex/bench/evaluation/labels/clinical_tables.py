"""Labels applied to the samples of a series, and clinical tables scored against them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.folder_items import MISSING, read_or_why
from genotex.bench.evaluation.labels.label import (
    FEATURES,
    Feature,
    FeatureLabel,
    Label,
    LabelledCase,
)
from genotex.bench.evaluation.labels.scoring import SAME_CODE, same_code
from genotex.bench.evaluation.scores import Missing
from genotex.clinical import FeatureEncoding
from genotex.clinical.encoded_features import encode_cell
from genotex.errors import FormatError
from genotex.features import simple_key
from genotex.formats import Parser, Series, choose_series, read_csv_table
from genotex.layout import GeoCohortFiles, InputFolder, OutputFolder

Step = Callable[[str, int | None], None]
"""Called with the label and the total of each step."""


def find_raw(
    cases: Iterable[LabelledCase], raw: InputFolder
) -> list[tuple[LabelledCase, GeoCohortFiles]]:
    """Return the cases whose cohort has a folder in the input, with its files."""
    folders: dict[str, dict[str, GeoCohortFiles]] = {}
    found = []
    for case in cases:
        if case.trait not in folders:
            folders[case.trait] = {files.cohort: files for files in raw.geo_cohorts(case.trait)}
        if case.cohort in folders[case.trait]:
            found.append((case, folders[case.trait][case.cohort]))
    return found


def read_cohorts(
    found: Sequence[tuple[LabelledCase, GeoCohortFiles]], progress: Step | None = None
) -> Iterator[tuple[LabelledCase, Series | FormatError]]:
    """Read the sample annotation of the raw files, one cohort after the other."""
    for case, files in found:
        try:
            series: Series | FormatError = choose_series(files)[0]
        except FormatError as error:
            series = error
        yield case, series
        if progress is not None:
            progress(f"{case.trait} {case.cohort}", len(found))


_Codes = NDArray[np.float64]

ANOTHER_FILE = "labels count the rows of the series matrix that was labelled; fetch that one"
PARSERS: Mapping[Feature, Parser] = {"trait": "number", "age": "age_years", "gender": "sex"}


@dataclass(frozen=True, eq=False)
class CodedFeature:
    """One feature of all samples, as a label has it."""

    codes: _Codes
    known: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Codes of samples, by feature; a feature without any code is left out."""

    samples: tuple[str, ...]
    codes: Mapping[Feature, _Codes]


@dataclass(frozen=True)
class CodingScore:
    """A predicted clinical table against a label; fractions of the samples coded alike."""

    trait: str
    cohort: str
    samples: int
    trait_alike: float  # where the label has no trait: 1 without a predicted one, else 0
    age_alike: float | None  # None where the label has no trait: there is no table then
    gender_alike: float | None
    exact: bool


def code_samples(label: Label, series: Series) -> dict[Feature, CodedFeature]:
    """Apply a label to the samples of a series.

    A cell is coded as the label lists it, differences of case and white space aside. A cell that
    the label does not list (lists of values are cut at 30) is coded by the parser of the feature
    (age in years, sex, number) if that reads every listed code as the label has it; else its code
    is not known.
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
        raise FormatError(msg, path=series.path, field=name, hint=ANOTHER_FILE)
    cells = rows[feature.row]
    listed = {**{simple_key(cell): code for cell, code in feature.map.items()}, **feature.map}
    keys = [cell if cell is None or cell in listed else simple_key(cell) for cell in cells]
    if listed and not any(key in listed for key in keys):
        msg = f"none of the values that the label lists is in row {feature.row}"
        raise FormatError(msg, path=series.path, field=name, hint=ANOTHER_FILE)
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
    parser = FeatureEncoding(name, feature.row, "", kind, parser=PARSERS[name])
    listed = {cell: code for cell, code in feature.map.items() if code is not None}
    fits = all(same_code(encode_cell(parser, cell), code) for cell, code in listed.items())
    return parser if listed and fits else None


def table_of_labels(coded: Mapping[Feature, CodedFeature], samples: Sequence[str]) -> CodedTable:
    """Return the clinical table that follows from a label."""
    return CodedTable(tuple(samples), {name: found.codes for name, found in coded.items()})


def table_of_file(path: Path, trait: str) -> CodedTable:
    """Read a clinical table in the benchmark's layout, of any tool."""
    table = read_csv_table(path, text="missing")
    named = {name.casefold(): codes for name, codes in zip(table.rows, table.values, strict=True)}
    others = [codes for name, codes in named.items() if name not in ("age", "gender")]
    trait_codes = named.get(trait.casefold(), others[0] if len(others) == 1 else None)
    found = {"trait": trait_codes, "age": named.get("age"), "gender": named.get("gender")}
    codes: dict[Feature, _Codes] = {}
    for name in FEATURES:
        values = found[name]
        if values is not None and not np.isnan(values).all():
            codes[name] = values
    return CodedTable(tuple(table.columns), codes)


def score_coding(
    trait: str,
    cohort: str,
    coded: Mapping[Feature, CodedFeature],
    samples: Sequence[str],
    predicted: CodedTable | None,
) -> CodingScore:
    """Compare a predicted clinical table with a label, sample by sample.

    A sample that the prediction lacks counts as missing there; one whose code the label does not
    give is not judged. A feature that only one side has scores 0, one that neither has 1.
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
    label: CodedFeature | None, predicted: _Codes | None, order: NDArray[np.intp]
) -> float:
    """Return the share of judged samples coded alike; `order` is their place, -1 for none."""
    if label is None or predicted is None:
        return float(label is None and predicted is None)
    # Index -1 picks the last sample; its value is replaced before anything is compared.
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


_Coded = Mapping[Feature, CodedFeature]


@dataclass
class _JudgedTables:
    """The scores of the clinical tables."""

    items: dict[str, dict[str, CodingScore]]
    own: dict[str, dict[str, CodingScore]]
    missing: list[Missing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def judge_tables(
    cases: Sequence[LabelledCase],
    names: Sequence[str],
    base: str,
    rivals: Sequence[str],
    output: OutputFolder,
    raw: InputFolder,
    progress: Step | None = None,
) -> _JudgedTables:
    """Score every clinical table whose raw file is available."""
    judged = _JudgedTables({name: {} for name in names}, {name: {} for name in rivals})
    found = find_raw(cases, raw)
    if len(found) < len(cases):
        left_out = f"{len(cases) - len(found)} of {len(cases)}"
        judged.notes.append(
            f"labelled cohorts whose tables are not judged: {left_out}, not in {raw.root}"
        )
    for case, series in read_cohorts(found, progress):
        if isinstance(series, FormatError):
            judged.notes.append(f"{case.id}: not judged, {series}")
            continue
        coded = _code(case, {*names, *rivals, base}, series, judged.notes)
        predicted = _predicted(case, output, coded, judged.missing)
        for name in (name for name in names if name in coded):
            judged.items[name][case.id] = _score(case, coded[name], series, predicted)
        for name in (name for name in rivals if name in coded and base in coded):
            table = table_of_labels(coded[name], series.samples)
            judged.own[name][case.id] = _score(case, coded[base], series, table)
    return judged


def _score(
    case: LabelledCase, coded: _Coded, series: Series, table: CodedTable | None
) -> CodingScore:
    return score_coding(case.trait, case.cohort, coded, series.samples, table)


def _code(
    case: LabelledCase, names: set[str], series: Series, notes: list[str]
) -> dict[str, _Coded]:
    coded: dict[str, _Coded] = {}
    for name in sorted(names & case.labels.keys()):
        try:
            coded[name] = code_samples(case.labels[name], series)
        except FormatError as error:
            notes.append(f"{case.id}: not judged by labels {name!r}, {error}")
    return coded


def _predicted(
    case: LabelledCase, output: OutputFolder, coded: Mapping[str, _Coded], missing: list[Missing]
) -> CodedTable | None:
    path = output.clinical_csv(case.trait, case.cohort)
    table = read_or_why(path, lambda path: table_of_file(path, case.trait))
    if not isinstance(table, str):
        return table
    if table != MISSING or any("trait" in found for found in coded.values()):
        missing.append(Missing("clinical", case.id, table))
    return None

"""How raw values become codes: plain data that can be printed, edited by hand and replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from genotex.errors import EncodingFileError
from genotex.features import feature_named, simple_key, split_cell, table_features
from genotex.formats import Confidence, Kind, Parser, Role, SampleField
from genotex.records import checked, plain

GROUP_WORDS: Mapping[Role, str] = {
    "case": "case",
    "healthy control": "control",
    "other disease": "other disease",
    "unknown": "other control",
}
"""The group of a sample with a code of a binary trait, as sample sheets write it."""
FEWEST = 2
"""A group with fewer samples cannot be compared."""
NO_CELL = ""
"""In the values of an encoding: samples that have no cell."""
Feature = Literal["trait", "age", "gender"]
FEATURES: tuple[Feature, ...] = ("trait", *(cast(Feature, f.encoded) for f in table_features()))


def kind_of(feature: Feature) -> Kind:
    """Return the kind of a feature's codes; a trait is binary unless it is measured."""
    known = feature_named(feature) if feature != "trait" else None
    return "binary" if known is None else known.kind


_SHARE = {"ge": 0, "le": 1}
"""Limits of a field where it is read back (see `records.checked`)."""


@dataclass(frozen=True)
class GeneVerdict:
    """Whether the series holds human gene expression, and why."""

    available: bool
    """Whether it does."""
    reason: str
    """The verdict in words."""
    evidence: tuple[str, ...] = ()
    """What was seen, in words for people."""
    certainty: float | None = field(default=None, metadata=_SHARE)
    """How often such a verdict is right, from 0.5 to 1: the share of right ones among labelled
    cases by rule, with one right and one wrong case added; None when not estimated."""
    human: bool = True
    """Whether the samples are human, as far as known."""


@dataclass(frozen=True)
class FeatureEncoding:
    """Where a feature is recorded and how each raw value is coded."""

    feature: Feature
    """``trait``, ``age`` or ``gender``."""
    row: int | None = field(metadata={"ge": 0})
    """Characteristics row, numbered from 0; None when `sample_field` is another line."""
    key: str
    """Key before the first colon, as in the file; empty for values without one. `sound` finds
    values by key in every row, `benchmark` reads `row` alone."""
    kind: Kind
    """``binary`` or ``continuous``."""
    values: Mapping[str, float | None] = field(default_factory=dict)
    """Raw cell ("disease state: healthy control") -> code; None is missing. A listed cell under
    another key counts for samples that have no cell under `key`, ``""`` for those with neither."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Raw cell -> role, for a binary trait."""
    parser: Parser | None = None
    """For cells that `values` does not list: ``age_years``, ``sex`` or ``number``."""
    confidence: Confidence = "explicit"
    """``explicit``, ``inferred`` or ``arguable``."""
    evidence: tuple[str, ...] = ()
    """Why, in words for people."""
    sample_field: SampleField = "characteristics_ch1"
    """Sample field that holds the cells."""
    certainty: float | None = field(default=None, metadata=_SHARE)
    """How certain, 0 to 1; None when unknown. That of the trait is in
    `ClinicalAnnotation.certainty` alone."""
    certainties: Mapping[str, float] = field(default_factory=dict)
    """Raw cell -> how certain its code is, ``""`` of samples without a cell; not where unknown."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Raw cell -> why it has its code, in words; not every cell needs one."""
    shifted: tuple[int, ...] = ()
    """Other characteristics rows that hold values of this key, for cells have slipped, or cells of
    `values` under another key."""
    cautions: tuple[str, ...] = ()
    """What a reader should know of this feature, such as a source that was not used."""
    told_by: str = "rules"
    """Source: ``rules``, ``hand``, or the name of a model."""


@dataclass(frozen=True)
class Asked:
    """The calls of a model that an annotation took."""

    model: str
    """The model that was asked for, such as ``openai:gpt-4o``."""
    version: str | None
    """The model that answered, as the provider names it."""
    day: str
    """When it answered, as 2026-11-28; empty where that is not known."""
    calls: int = field(metadata={"ge": 1})
    """Answers: one, or two where the first did not fit."""
    input_tokens: int | None = None
    """Tokens in and out; None is unknown."""
    output_tokens: int | None = None
    cost: str | None = None
    """US dollars, as text; None is unknown."""
    agrees: tuple[str, ...] = ()
    """Features on which it agrees with the rules, where both were asked."""


@dataclass(frozen=True)
class ClinicalAnnotation:
    """The annotation of a series for one trait; a feature that is None is "not available"."""

    gene: GeneVerdict
    """Whether the series holds human gene expression."""
    # How each feature is recorded.
    trait: FeatureEncoding | None
    age: FeatureEncoding | None
    gender: FeatureEncoding | None
    notes: tuple[str, ...] = ()
    """What no other field holds (`annotation_notes` adds those of the features)."""
    by: str = "rules"
    """Source: ``rules``, ``hand``, or the name of a model."""
    certainty: float | None = field(default=None, metadata=_SHARE)
    """Probability that the statement on the trait is right, "not available" included; None where it
    was not measured."""
    runner_up: FeatureEncoding | None = None
    """The encoding of the trait that came second (first, where the trait is "not available")."""
    left_out: float | None = field(default=None, metadata=_SHARE)
    """The least certainty required, where the runner-up would be the answer but does not reach
    it."""
    unavailable: Mapping[str, str] = field(default_factory=dict, metadata={"alias": "untold"})
    """``age``, ``gender`` -> why it is not available, as far as the expert knows."""
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Sample that a person left out -> by what (``--exclude tissue=pool``)."""
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """``pair``, ``batch`` -> sample -> value, as a person gave them."""
    review: Mapping[str, str] = field(default_factory=dict)
    """``gene``, ``trait``, ``age``, ``gender`` -> what a person should decide, and who says what;
    empty where nothing is open."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """Sample -> what is to be checked of it."""
    asked: Asked | None = None
    """The model that was asked; None where none was."""

    @property
    def features(self) -> dict[Feature, FeatureEncoding | None]:
        """Encodings of ``trait``, ``age`` and ``gender``, None where not available."""
        return {name: getattr(self, name) for name in FEATURES}

    @property
    def columns(self) -> dict[str, FeatureEncoding]:
        """Available encodings by column of a clinical table: ``trait``, ``Age``, ``Gender``."""
        names = {"trait": "trait"} | {f.encoded: f.column for f in table_features()}
        return {names[f]: encoding for f, encoding in self.features.items() if encoding is not None}


_Data = Mapping[str, Any]
_SAMPLE_FIELDS = ("characteristics_ch1", "title", "source_name_ch1", "description", "sample")
_WHERE_GIVEN = ("excluded", "facts", "review", "checks", "asked")
_CODES_OF_ROLES = {"case": 1.0, "healthy control": 0.0, "other disease": 0.0}


def annotation_from_json(
    data: Any, *, path: Path | None = None, place: str = ""
) -> ClinicalAnnotation:
    """Return the annotation of JSON data.

    `data`: Output of `annotation_to_json`, perhaps edited. `path`: File it came from, for messages.
    `place`: Cohort, for messages. Raises EncodingFileError if a field is missing, unknown or not of
    its kind; names the cohort and the field.
    """
    hint = None if path is None else "'about' in an encoding file explains the fields"
    annotation = checked(
        ClinicalAnnotation,
        _completed(data),
        extra="forbid",
        path=path,
        place=place,
        hint=hint,
        error=EncodingFileError,
    )
    encodings: dict[str, Any] = {}
    for name in (*FEATURES, "runner_up"):
        encoding: FeatureEncoding | None = getattr(annotation, name)
        if encoding is not None:
            roles = _spelt_as_values(encoding.roles, encoding.values)
            encodings[name] = replace(encoding, roles=roles)
            for field, message, advice in _mistakes(encodings[name], data[name]):
                where = ".".join(part for part in (place, name, field) if part)
                raise EncodingFileError(message, path=path, field=where, hint=advice)
    trait, certainty = encodings.get("trait"), annotation.certainty
    if trait is not None:
        # Earlier versions wrote it twice.
        certainty = trait.certainty if certainty is None else certainty
        encodings["trait"] = replace(trait, certainty=None)
    return replace(annotation, **encodings, certainty=certainty)


def _completed(data: Any) -> Any:
    """Return the data with what a person may leave out, and without what is only for people."""
    if not isinstance(data, dict):
        return data
    by = data.get("by", "hand")
    completed = {**dict.fromkeys(FEATURES), **data, "by": by}
    completed.pop("characteristics", None)
    if isinstance(data.get("gene"), dict):
        completed["gene"] = {"reason": "", **data["gene"]}
    for name in {*FEATURES, "runner_up"} & set(data):
        if isinstance(data[name], dict):
            completed[name] = {
                "feature": "trait" if name == "runner_up" else name,
                "row": None,
                "key": "",
                "kind": "binary" if name == "runner_up" else kind_of(cast(Feature, name)),
                "told_by": by if isinstance(by, str) and name != "runner_up" else "rules",
                **data[name],
            }
    return completed


def _mistakes(encoding: FeatureEncoding, given: _Data) -> Iterator[tuple[str, str, str | None]]:
    """Yield field, mistake and advice where the fields of an encoding do not agree."""
    if "feature" in given:
        yield "feature", "unknown field", "the name of the object states the feature"
    if encoding.sample_field not in _SAMPLE_FIELDS:
        advice = f"one of: {', '.join(_SAMPLE_FIELDS)}"
        yield "sample_field", f"{encoding.sample_field!r} is not known", advice
    if encoding.row is None and encoding.sample_field == "characteristics_ch1":
        yield "row", "must be a row number from 0, not null", None
    if any(row < 0 for row in encoding.shifted):
        yield "shifted", "must be a list of row numbers from 0", None
    if encoding.parser is None and not encoding.values:
        yield "", "has neither values nor a parser", "list values or name a parser"
    if encoding.feature != "age" and (encoding.feature == "gender" or encoding.kind == "binary"):
        advice = "binary codes are 0, 1 or null; set kind to continuous for levels"
        for cell, code in encoding.values.items():
            if code not in (None, 0.0, 1.0):
                yield f"values[{cell!r}]", f"{code:g} is not a binary code", advice
    for cell, role in encoding.roles.items():
        if cell not in encoding.values:
            yield f"roles[{cell!r}]", "has a role but no code", "list the same cells in values"
        elif encoding.values[cell] not in (None, _CODES_OF_ROLES.get(role, encoding.values[cell])):
            message = f"role {role!r} with code {encoding.values[cell]:g}"
            yield f"roles[{cell!r}]", message, "cases are 1, both kinds of controls 0"


def _spelt_as_values(roles: Mapping[str, Role], values: Mapping[str, Any]) -> dict[str, Role]:
    """Return roles under the cells that `values` lists, where one of the two has no key."""
    spelt: dict[str, Role] = {}
    for cell, role in roles.items():
        near = [] if cell in values else [value for value in values if _are_the_same(cell, value)]
        own = near[0] if len(near) == 1 and near[0] not in roles else cell
        # Two spellings of one cell must not hide each other.
        spelt[cell if own in spelt else own] = role
    return spelt


def _are_the_same(one: str, other: str) -> bool:
    """Return whether two cells are the same when one of them is written without its key."""
    whole, bare = (
        [simple_key(text) for text in texts]
        for texts in ((one, other), (split_cell(one)[1], split_cell(other)[1]))
    )
    return whole[0] in (whole[1], bare[1]) or bare[0] == whole[1]


def recorded_annotation(data: _Data) -> ClinicalAnnotation:
    """Return the annotation of an evidence record of any version.

    `data`: Output of `annotation_to_json` of this or an earlier version; fields may be missing.
    The result is for display, not for applying.
    """
    known = _known(data)
    known = {"by": "", **known, "gene": {"available": False, **_known(known.get("gene", {}))}}
    for name in {*FEATURES, "runner_up"} & known.keys():
        encoding = _known(known[name])
        place = encoding.get("sample_field", "characteristics_ch1")
        if encoding.get("row") is None and place == "characteristics_ch1":
            # Earlier versions recorded TCGA in this way.
            encoding["sample_field"] = "barcode" if name == "trait" else "clinical_matrix"
        told_by = encoding.pop("by", None) or "rules"
        known[name] = {"told_by": told_by, **encoding}
    return checked(ClinicalAnnotation, _completed(known))


def _known(record: _Data) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}


def annotation_to_json(annotation: ClinicalAnnotation) -> dict[str, Any]:
    """Return an annotation as plain JSON data.

    Returns ``gene``, ``trait``, ``age``, ``gender``, ``notes``, ``by``, ``certainty``,
    ``runner_up``, ``left_out``, ``untold``; ``excluded`` and ``facts`` where a person gave them;
    ``review``, ``checks`` and ``asked`` where a model was asked.
    """
    data = plain(annotation)
    encodings = [data[name] for name in (*FEATURES, "runner_up") if data[name] is not None]
    for record in (data, data["gene"], *encodings):
        record["certainty"] = rounded(record["certainty"])
    for encoding in encodings:
        del encoding["feature"]
        sure = encoding["certainties"].items()
        encoding["certainties"] = {cell: rounded(certainty) for cell, certainty in sure}
    return {name: value for name, value in data.items() if value or name not in _WHERE_GIVEN}


def rounded(certainty: float | None) -> float | None:
    """Return a certainty with the digits that mean something, never rounded to 0 or 1."""
    if certainty is None or not 0 < certainty < 1:
        return certainty
    return min(max(round(certainty, 4), 0.0001), 0.9999)

"""What the JSON of a stored result must hold, before anything in it is used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from genotex.errors import FormatError
from genotex.formats import read_json_object, why_no_formula, why_no_procedure
from genotex.layout import CohortName, TraitName, trait_folder_name
from genotex.records import Check, PlainName, Sha256, Shape, TypedDict, checked

AGAIN = "run analyze again"


class StoredProblem(TypedDict):
    """A problem."""

    trait: TraitName
    condition: TraitName | None


class _AnalysedCohort(TypedDict):
    """The cohort that was analysed."""

    id: CohortName | Literal[""]
    reason: str
    others: dict[str, str]


class SealedFile(TypedDict):
    """A file that a JSON belongs to; the digest is empty where there was none."""

    file: PlainName
    sha256: Sha256 | Literal[""]


class _Contrast(TypedDict, total=False):
    """What was compared."""

    kind: str
    text: str
    samples: dict[str, list[str]]
    group_sizes: dict[str, int]
    levels_compared: dict[str, str]


class _Filter(TypedDict, total=False):
    """Which genes were tested."""

    tested: int
    rule: str


class _Formula(TypedDict, total=False):
    """A design of the user's own, and what became of it."""

    formula: Annotated[str, Check(why_no_formula)]
    contrast: Annotated[str, Check(why_no_formula)]
    block: str | None
    columns: list[str]
    tested: list[str]
    levels: dict[str, float]
    compared: str | None
    variables: list[str]
    factors: dict[str, list[str]]
    groups: dict[str, int]
    adjusted_for: list[str]
    samples: list[str]


class _Regression(TypedDict, total=False):
    """The regression of a design, sample by sample."""

    samples: list[str]
    columns: dict[str, list[float]]
    tested: int
    weight: list[float]
    block: list[str]
    library_size: list[float]
    offset: list[float]
    correlation: float
    inflation: float


class StoredOptions(TypedDict, total=False):
    """What is used of the options of an analysis without them being options again."""

    model: str
    q_cut: float
    min_effect: float
    controls: str
    covariates: list[str]
    levels: str


class _PredictedFrom(TypedDict, total=False):
    """How the condition was predicted."""

    cohort: CohortName
    regressors: list[str]


class StoredMethod(TypedDict, total=False):
    """What is used of a method record; all else in it is for people."""

    procedure: Annotated[str, Check(why_no_procedure)]
    model: str
    ranked_by: str
    options: StoredOptions
    versions: dict[str, str | None]
    contrast: _Contrast
    filter: _Filter
    covariates: list[str]
    adjusted_for: list[str]
    formula: _Formula
    regression: _Regression
    two_step: _PredictedFrom
    pair: dict[str, Any]
    counts: dict[str, Any]
    levels: dict[str, Any]
    interaction: dict[str, Any]
    hidden: dict[str, Any]
    quality: dict[str, Any]
    panel: dict[str, Any]
    weights: dict[str, Any]


@dataclass(frozen=True)
class StoredPair:
    """What every JSON that belongs to a table of genes has next to its own fields."""

    problem: Annotated[dict[str, Any], Shape(StoredProblem)]
    all_genes: Annotated[dict[str, Any], Shape(SealedFile)]


@dataclass(frozen=True)
class StoredResult(StoredPair):
    """The JSON of a result."""

    method: Annotated[dict[str, Any], Shape(StoredMethod)]
    warnings: tuple[str, ...]
    cohort: Annotated[dict[str, Any], Shape(_AnalysedCohort)]
    cv_performance: dict[str, Any]


def read_pair(
    kind: type[StoredPair], path: Path, trait: str, condition: str | None, hint: str = AGAIN
) -> dict[str, Any]:
    """Read the JSON of a problem; its fields are checked, and further ones come with them.

    `hint` is the advice in an error.
    """
    content = read_content(path, hint)
    if missing := sorted({"problem", "all_genes"} - content.keys()):
        msg = f"was not written by genotex: {' and '.join(missing)} missing"
        raise FormatError(msg, path=path, hint=hint)
    checked(kind, {**content, "significant_genes": {}}, path=path, hint=hint)
    problem = content["problem"]
    if _place(problem["trait"], problem["condition"]) != _place(trait, condition):
        msg = f"is the record of {problem['trait']}, condition {problem['condition']}"
        raise FormatError(msg, path=path, field="problem", hint=hint)
    return content


def _place(trait: str, condition: str | None) -> tuple[str, str | None]:
    """Return trait and condition as they name files."""
    return trait_folder_name(trait), None if condition is None else trait_folder_name(condition)


def read_content(path: Path, hint: str = AGAIN) -> dict[str, Any]:
    """Read the JSON of a result from any source; `hint` is the advice in an error."""
    return read_json_object(path, hint)

"""Records of what runs in the background: what was asked, and what became of it."""

from __future__ import annotations

import json
import time
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object, why_no_formula
from genotex.layout import CohortName, TraitName
from genotex.options import (
    AnalysisOptions,
    DesignOptions,
    EnrichmentOptions,
    GeoOptions,
    PreprocessChoices,
    changed,
)
from genotex.records import InsidePath, PlainName

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
_OPEN = ("waiting", "running")
LONGEST_TITLE, LONGEST_NOTES = 100, 1000
"""Characters of what a person calls an analysis, and says of it."""


class JobRecord(BaseModel):
    """What every job has; `kept` says whether its record is a file, and `page` shows its result.

    `usual` is how many seconds the last job like it took, `by` the account that started it.
    """

    kept: ClassVar[bool] = True
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: PlainName | Literal[""]
    created: float
    state: State = "waiting"
    step: str = ""
    begun: float | None = None
    finished: float | None = None
    usual: float | None = None
    message: str = ""
    formula: str = ""
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    notes: Annotated[str, Field(max_length=LONGEST_NOTES)] = ""
    by: Annotated[str, Field(max_length=32)] = ""

    @property
    def settings(self) -> tuple[str, ...]:
        """What differs from the usual options, in words."""
        return ()

    @property
    def again(self) -> tuple[str, dict[str, str]] | None:
        """The page that offers it once more, and its address; None where none does."""
        return None

    @property
    def open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in _OPEN

    @property
    def elapsed(self) -> float:
        """Seconds since it was begun."""
        return 0.0 if self.begun is None else max(time.time() - self.begun, 0.0)

    @property
    def subject(self) -> str:
        """What it works on, in words."""
        return ""

    @property
    def place(self) -> dict[str, str] | None:
        """What names its result in an address; None where it has none."""
        return None

    @property
    def page(self) -> str:
        """The page that shows its result."""
        return "/genes"

    @property
    def of_series(self) -> tuple[str, list[str]] | None:
        """Trait and series that it analyses; None where it does not analyse series."""
        return None

    @property
    def report(self) -> dict[str, str] | None:
        """What names its report in an address; None where it has none of its own."""
        return None


def _of_a_form(made: type[Any]) -> tuple[BeforeValidator, AfterValidator]:
    """Return what checks stored options: a form offers these fields, and no others."""
    known = {each.name for each in fields(made)}

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if unknown := sorted(set(value) - known):
            msg = f"unknown options: {', '.join(map(repr, unknown))}"
            raise ValueError(msg)
        # As JSON, whose arrays are tuples and whose texts are words.
        return TypeAdapter(made).validate_json(json.dumps(value), strict=True)

    def of_a_form(value: Any) -> Any:
        if hidden := [each.field for each, _ in changed(value) if not each.option.browser]:
            msg = f"no form offers {', '.join(hidden)}"
            raise ValueError(msg)
        return value

    return BeforeValidator(read), AfterValidator(of_a_form)


def _in_words(*options: Any) -> tuple[str, ...]:
    """Return the options that are not the usual ones; one that several have is given once."""
    found = {
        each.name: f"{each.label}: {each.write(v)}" for some in options for each, v in changed(some)
    }
    return tuple(found.values())


def why_no_design(asked: DesignOptions) -> str:
    """Return which text of a design is no formula, and why; empty where there is none."""
    for name, text in (("design", asked.design), *(("contrast", c) for c in asked.contrasts)):
        if text and (why := why_no_formula(text)):
            return f"the {name} {why}"
    return ""


def _of_formulas(asked: DesignOptions) -> DesignOptions:
    """Refuse a design whose texts are no formulas."""
    if why := why_no_design(asked):
        raise ValueError(why)
    return asked


_EARLIER = {
    "options": ("covariates", "q_cut", "hidden", "panel"),
    "asked": ("design", "contrasts", "block", "missing", "order", "survival"),
}
"""Options that earlier versions kept next to each other in a record."""


def _earlier_fields(content: Any) -> Any:
    """Return a record of an earlier version as it is written now."""
    if not isinstance(content, dict) or "options" in content or "q_cut" not in content:
        return content
    moved = {name for names in _EARLIER.values() for name in names}
    found = {name: value for name, value in content.items() if name not in moved}
    for part, names in _EARLIER.items():
        if part == "options" or "design" in content:
            found[part] = {name: content[name] for name in names if name in content}
    return found


class AnalysisRecord(JobRecord):
    """An analysis of series; of a demonstration, the study is simulated first."""

    trait: TraitName
    condition: TraitName | None
    series: list[CohortName]
    source: InsidePath | Literal["."]
    every: bool
    by_sheet: list[CohortName]
    options: Annotated[AnalysisOptions, *_of_a_form(AnalysisOptions)] = AnalysisOptions()
    data: Annotated[PreprocessChoices, *_of_a_form(PreprocessChoices)] = PreprocessChoices()
    demo: bool = False
    only_combine: bool = False

    _earlier = model_validator(mode="before")(_earlier_fields)

    @property
    def settings(self) -> tuple[str, ...]:
        """What differs from the usual options, in words."""
        given = () if self.condition is None else (f"Given: {self.condition}",)
        alone = () if self.every else ("The largest cohort alone",)
        return (*given, *alone, *_in_words(self.options, self.data))

    @property
    def again(self) -> tuple[str, dict[str, str]] | None:
        """The page that offers it once more."""
        return None if self.demo or self.only_combine else ("/analysis", {"again": self.name})

    @property
    def subject(self) -> str:
        """The series."""
        return "simulated study" if self.demo else ", ".join(self.series)

    @property
    def of_series(self) -> tuple[str, list[str]]:
        """Trait and series that it analyses."""
        return self.trait, self.series

    @property
    def place(self) -> dict[str, str]:
        """What names its result in an address."""
        return {"output": self.output, "trait": self.trait, "condition": self.condition or ""}

    @property
    def output(self) -> str:
        """Name of the output folder with its results."""
        return self.source if self.only_combine else f"analyses/{self.name}"

    @property
    def page(self) -> str:
        """The page that shows its result."""
        return "/cohorts" if self.only_combine else "/genes"

    @property
    def report(self) -> dict[str, str]:
        """What names its report in an address."""
        return self.place | ({"cohorts": "1"} if self.only_combine else {})


class TablesRecord(JobRecord):
    """An analysis of own tables.

    Attributes
    ----------
    traits
        Names of the results, one for each contrast; of a time to an event there is none.
    """

    tables: str
    asked: Annotated[DesignOptions, *_of_a_form(DesignOptions), AfterValidator(_of_formulas)]
    options: Annotated[AnalysisOptions, *_of_a_form(AnalysisOptions)] = AnalysisOptions()
    traits: list[TraitName]

    _earlier = model_validator(mode="before")(_earlier_fields)

    @property
    def subject(self) -> str:
        """The tables."""
        return self.tables

    @property
    def settings(self) -> tuple[str, ...]:
        """What differs from the usual options, in words."""
        return _in_words(self.asked, self.options)

    @property
    def again(self) -> tuple[str, dict[str, str]]:
        """The page that offers it once more."""
        return "/tables", {"name": self.tables, "again": self.name}

    @property
    def page(self) -> str:
        """The page that shows its result."""
        return "/genes" if self.asked.survival is None else "/survival"

    @property
    def report(self) -> dict[str, str] | None:
        """What names its report in an address; a time to an event has none."""
        return None if self.asked.survival is not None else self.place

    @property
    def place(self) -> dict[str, str]:
        """What names the result of the first contrast in an address."""
        if self.asked.survival is not None:
            return {"output": f"analyses/{self.name}"}
        trait = self.traits[0] if self.traits else ""
        return {"output": f"analyses/{self.name}", "trait": trait, "condition": ""}


class ComparisonRecord(JobRecord):
    """A comparison that was found in the texts of a series; `exclude` are samples left out."""

    trait: TraitName
    series: CohortName
    comparison: TraitName
    exclude: list[PlainName] = []
    options: Annotated[AnalysisOptions, *_of_a_form(AnalysisOptions)] = AnalysisOptions()

    @property
    def subject(self) -> str:
        """The comparison and the series."""
        return f"{self.comparison.replace('_', ' ')} in {self.series}"

    @property
    def of_series(self) -> tuple[str, list[str]]:
        """Trait and series that it analyses."""
        return self.trait, [self.series]

    @property
    def settings(self) -> tuple[str, ...]:
        """What differs from the usual options, in words."""
        return (f"Excluded: {', '.join(self.exclude)}",) if self.exclude else ()

    @property
    def again(self) -> tuple[str, dict[str, str]]:
        """The page that offers it once more."""
        return "/samples", {"trait": self.trait, "series": self.series}

    @property
    def place(self) -> dict[str, str]:
        """What names its result in an address."""
        return {"output": f"analyses/{self.name}", "trait": self.comparison, "condition": ""}

    @property
    def report(self) -> dict[str, str]:
        """What names its report in an address."""
        return self.place


class FetchRecord(JobRecord):
    """A series that is fetched; the journal in its input folder remembers it, no file of ours."""

    kept: ClassVar[bool] = False

    accession: str
    trait: str
    source: str
    options: GeoOptions = GeoOptions()
    addresses: tuple[str | None, str | None, str | None] = (None, None, None)

    @property
    def subject(self) -> str:
        """The series and its trait."""
        return f"{self.accession} for {self.trait.replace('_', ' ')}"


class SetsRecord(JobRecord):
    """A test of gene sets; its results are files of the analysis, the record is none."""

    kept: ClassVar[bool] = False

    output: str
    trait: str
    condition: str | None
    file: str
    options: EnrichmentOptions

    @property
    def subject(self) -> str:
        """The file of gene sets, and the analysis."""
        return f"gene sets of {self.file} in {self.output}"

    @property
    def place(self) -> dict[str, str]:
        """What names its result in an address."""
        return {"output": self.output, "trait": self.trait, "condition": self.condition or ""}

    @property
    def page(self) -> str:
        """The page that shows its result."""
        return "/sets"


class AtlasRecord(JobRecord):
    """A build of an atlas from the results of the folder; the atlas is its record."""

    kept: ClassVar[bool] = False

    atlas: str

    @property
    def subject(self) -> str:
        """The atlas."""
        return f"atlas of all results in {self.atlas}"

    @property
    def place(self) -> dict[str, str]:
        """What names it in an address."""
        return {"atlas": self.atlas}

    @property
    def page(self) -> str:
        """The page that shows it."""
        return "/atlas"


KeptRecord = AnalysisRecord | TablesRecord | ComparisonRecord
_KEPT: TypeAdapter[KeptRecord] = TypeAdapter(KeptRecord)


def read_record(path: Path) -> KeptRecord:
    """Read the record of an analysis.

    Raises
    ------
    FormatError
        If it is none.
    """
    content = json.dumps(read_json_object(path))
    try:
        return _KEPT.validate_json(content, strict=True)
    except ValidationError as error:
        msg = f"is no record of an analysis: {error.errors()[0]['msg']}"
        raise FormatError(msg, path=path) from error
    except UsageError as error:
        msg = f"is no record of an analysis: {error}"
        raise FormatError(msg, path=path) from error

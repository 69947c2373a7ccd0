"""Records of what runs in the background: what was asked, and what became of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from genotex.errors import FormatError
from genotex.formats import read_json_object, why_no_formula
from genotex.layout import CohortName, TraitName
from genotex.options import EnrichmentOptions
from genotex.records import Check, InsidePath, PlainName

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
_OPEN = ("waiting", "running")


class JobRecord(BaseModel):
    """What every job has; `kept` says whether its record is a file, and `page` shows its result."""

    kept: ClassVar[bool] = True
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: PlainName | Literal[""]
    created: float
    state: State = "waiting"
    step: str = ""
    finished: float | None = None
    message: str = ""
    formula: str = ""

    @property
    def open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in _OPEN

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
    def report(self) -> dict[str, str] | None:
        """What names its report in an address; None where it has none of its own."""
        return self.place


class AnalysisRecord(JobRecord):
    """An analysis of series; of a demonstration, the study is simulated first."""

    trait: TraitName
    condition: TraitName | None
    series: list[CohortName]
    source: InsidePath | Literal["."]
    every: bool
    covariates: list[str]
    q_cut: float
    hidden: Literal["auto", "none"]
    panel: bool
    by_sheet: list[CohortName]
    demo: bool = False
    only_combine: bool = False

    @property
    def subject(self) -> str:
        """The series."""
        return "simulated study" if self.demo else ", ".join(self.series)

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
    design: Annotated[str, Check(why_no_formula)]
    contrasts: list[Annotated[str, Check(why_no_formula)]]
    traits: list[TraitName]
    block: str | None
    missing: Literal["error", "drop", "fill"]
    order: list[str]
    q_cut: float
    hidden: Literal["auto", "none"]
    panel: bool
    survival: str | None = None

    @property
    def subject(self) -> str:
        """The tables."""
        return self.tables

    @property
    def page(self) -> str:
        """The page that shows its result."""
        return "/genes" if self.survival is None else "/survival"

    @property
    def report(self) -> dict[str, str] | None:
        """What names its report in an address; a time to an event has none."""
        return None if self.survival is not None else self.place

    @property
    def place(self) -> dict[str, str]:
        """What names the result of the first contrast in an address."""
        if self.survival is not None:
            return {"output": f"analyses/{self.name}"}
        trait = self.traits[0] if self.traits else ""
        return {"output": f"analyses/{self.name}", "trait": trait, "condition": ""}


class FetchRecord(JobRecord):
    """A series that is fetched; the journal in its input folder remembers it, no file of ours."""

    kept: ClassVar[bool] = False

    accession: str
    trait: str
    source: str
    platform_only: bool
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

    @property
    def report(self) -> None:
        """That of the analysis."""
        return None


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

    @property
    def report(self) -> None:
        """There is none."""
        return None


KeptRecord = AnalysisRecord | TablesRecord
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

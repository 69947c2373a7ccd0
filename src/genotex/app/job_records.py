"""Records of what runs in the background: what was asked, and what became of it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, TypeAdapter

__all__ = [
    "AnalysisRecord",
    "FetchRecord",
    "JobRecord",
    "KeptRecord",
    "State",
    "TablesRecord",
    "read_record",
]

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
_OPEN = ("waiting", "running")


class JobRecord(BaseModel):
    """What every job has."""

    name: str
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
    def combined(self) -> bool:
        """Whether its result is that of several cohorts."""
        return False


class AnalysisRecord(JobRecord):
    """An analysis of series; of a demonstration, the study is simulated first."""

    trait: str
    condition: str | None
    series: list[str]
    source: str
    every: bool
    covariates: list[str]
    q_cut: float
    hidden: Literal["auto", "none"]
    panel: bool
    by_sheet: list[str]
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
    def combined(self) -> bool:
        """Whether its result is that of several cohorts."""
        return self.only_combine


class TablesRecord(JobRecord):
    """An analysis of own tables; `traits` are the names of the results, one for each contrast."""

    tables: str
    design: str
    contrasts: list[str] = Field(min_length=1)
    traits: list[str] = Field(min_length=1)
    block: str | None
    missing: Literal["error", "drop", "fill"]
    order: list[str]
    q_cut: float
    hidden: Literal["auto", "none"]
    panel: bool

    @property
    def subject(self) -> str:
        """The tables."""
        return self.tables

    @property
    def place(self) -> dict[str, str]:
        """What names the result of the first contrast in an address."""
        return {"output": f"analyses/{self.name}", "trait": self.traits[0], "condition": ""}


class FetchRecord(JobRecord):
    """A series that is fetched; the journal in its input folder remembers it, no file of ours."""

    accession: str
    trait: str
    source: str
    platform_only: bool
    addresses: tuple[str | None, str | None, str | None] = (None, None, None)

    @property
    def subject(self) -> str:
        """The series and its trait."""
        return f"{self.accession} for {self.trait.replace('_', ' ')}"


KeptRecord = AnalysisRecord | TablesRecord
_KEPT: TypeAdapter[KeptRecord] = TypeAdapter(KeptRecord)


def read_record(content: bytes) -> KeptRecord:
    """Read the record of an analysis."""
    return _KEPT.validate_json(content)

"""Options of a search for series."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from genotex.errors import UsageError
from genotex.options.fields import Option

SeriesKind = Literal["expression", "array", "sequencing", "any"]
"""Kinds of data; array and sequencing are expression profiling by these."""
SPECIES = {"human": "Homo sapiens", "mouse": "Mus musculus", "rat": "Rattus norvegicus"}


@dataclass(frozen=True)
class FindOptions:
    """Which series are found; the fields are described by their help texts."""

    human: Annotated[bool, Option("Series with human samples.")] = False
    mouse: Annotated[bool, Option("Series with samples of mice.")] = False
    rat: Annotated[bool, Option("Series with samples of rats.")] = False
    kind: Annotated[
        SeriesKind,
        Option("Kind of data; array and sequencing: expression profiling by these alone."),
    ] = "expression"
    min_samples: Annotated[int, Option("Fewest samples.", least=1)] = 1
    max_samples: Annotated[int | None, Option("Most samples.", least=1, default="any")] = None
    platform: Annotated[
        tuple[str, ...], Option("On this platform; repeat for several.", metavar="GPL...")
    ] = ()
    year_from: Annotated[
        int | None, Option("First year of publication.", "--from", least=2000, default="any")
    ] = None
    year_to: Annotated[
        int | None, Option("Last year of publication.", "--to", most=2100, default="any")
    ] = None
    max_series: Annotated[int, Option("Number of series, the best ones first.", least=1)] = 20
    on_disk: Annotated[bool, Option("Only series that are on this disk.")] = False
    input: Annotated[
        Path, Option("Folder whose series are searched as well, with the folders in it.")
    ] = Path("input")
    index: Annotated[
        Path | None, Option("The index of GEO.", default="genotex/geo.sqlite of your data folder")
    ] = None

    def __post_init__(self) -> None:
        """Refuse ranges that nothing can be in."""
        for name, low, high in (
            ("numbers of samples", self.min_samples, self.max_samples),
            ("years", self.year_from, self.year_to),
        ):
            if low is not None and high is not None and low > high:
                msg = f"no series can be within these {name}: {low} to {high}"
                raise UsageError(msg)

    @property
    def species(self) -> tuple[str, ...]:
        """Names of the species that were chosen; empty for all."""
        return tuple(name for word, name in SPECIES.items() if getattr(self, word))

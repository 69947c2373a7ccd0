"""Options of own tables, and of a design of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from genotex.errors import UsageError
from genotex.options.fields import MissingValues, Option, Scale, refuse_unknown


@dataclass(frozen=True)
class ReadingOptions:
    """How own tables are read; the fields are described by their help texts."""

    platform: Annotated[
        Path | None,
        Option("Annotation of probes: a GPL file, or any table of them.", browser=False),
    ] = None
    scale: Annotated[
        Scale, Option("Scale of the values; auto recognises it and says so.", common=True)
    ] = "auto"
    cohort: Annotated[
        str | None, Option("Name of the cohort.", default="the file's name", browser=False)
    ] = None


@dataclass(frozen=True)
class DesignOptions:
    """A design of the user's own; the fields are described by their help texts.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    design: Annotated[
        str,
        Option(
            "What expression depends on, as a formula: '~ group + age', '~ group * sex', '~ group "
            "+ ns(age, 3)', '~ 0 + group + offset(x)'; C(batch) takes numbers as groups, names "
            "with spaces go between backticks.",
            example="~ group + age",
            label="Expression depends on",
            common=True,
        ),
    ] = ""
    contrasts: Annotated[
        tuple[str, ...],
        Option(
            "What is tested: 'group: case - control', 'group: (B + C)/2 - A', 'group: B - A | sex "
            "= female', 'stage: trend', or a term such as age, group (any difference) or group:sex "
            "(interaction). Repeat for several.",
            "--contrast",
            example="group: case - control",
            label="What is compared",
            common=True,
        ),
    ] = ()
    block: Annotated[
        str | None,
        Option(
            "Column whose equal values are samples of the same person: their correlation is "
            "estimated (limma's duplicateCorrelation).",
            metavar="COLUMN",
            label="Same person",
            common=True,
            columns=1,
        ),
    ] = None
    missing: Annotated[
        MissingValues,
        Option(
            "Samples without a value that the design needs: an error, left out (drop), or filled "
            "with the mean or the most frequent level.",
            label="Missing values",
            common=True,
        ),
    ] = "error"
    order: Annotated[
        tuple[str, ...],
        Option(
            "Order of the levels of a factor, as 'stage: I < II < III'; the first is the base.",
            label="Order of levels",
            example="stage: I < II < III",
            common=True,
        ),
    ] = ()
    survival: Annotated[
        str | None,
        Option(
            "Columns of time and event: each gene is tested for association with the time (Cox "
            "score test), the design holds the covariates.",
            metavar="TIME,EVENT",
            label="Time to an event",
            common=True,
            columns=2,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        refuse_unknown(self, {"missing": get_args(MissingValues)})
        if self.survival is None and not (self.design and self.contrasts):
            msg = (
                "a design and a contrast are needed, as in --design '~ group + age' --contrast "
                "'group: case - control'; or --survival time,event"
            )
            raise UsageError(msg)
        if self.survival is not None and self.contrasts:
            msg = "survival tests the time to the event; leave the contrast out"
            raise UsageError(msg)
        columns = self.time_and_event
        if self.survival is not None and (len(columns) != 2 or len(set(columns)) != 2):
            msg = f"survival {self.survival!r} names no two columns; write TIME,EVENT"
            raise UsageError(msg)
        _ = self.levels

    @property
    def time_and_event(self) -> tuple[str, ...]:
        """The two columns of `survival`."""
        return tuple(part.strip() for part in (self.survival or "").split(",") if part.strip())

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """Factor -> its levels in order."""
        found = {}
        for text in self.order:
            name, colon, rest = text.partition(":")
            levels = tuple(part.strip().strip("'\"") for part in rest.split("<"))
            if not colon or len(levels) < 2 or not all(levels):
                msg = f"order {text!r} cannot be read; write 'stage: I < II < III'"
                raise UsageError(msg)
            found[name.strip().strip("`")] = levels
        return found

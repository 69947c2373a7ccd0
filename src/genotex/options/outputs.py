"""Options of what is written: figures as files, the description of a data set."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Annotated

from genotex.errors import UsageError
from genotex.extras import is_installed, load_extra
from genotex.options.fields import Option

FIGURE_FORMATS = ("pdf", "svg", "png")


def _formats(text: str) -> tuple[str, ...]:
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


@dataclass(frozen=True)
class FigureOptions:
    """Which files of figures are written; the fields are described by their help texts.

    Raises
    ------
    UsageError
        If a format is unknown.
    """

    formats: Annotated[
        tuple[str, ...],
        Option(
            "Write every figure to files as well: pdf, svg, png (300 dots per inch).",
            "--figures",
            panel="Figures",
            metavar="FORMAT,...",
            default="none",
            parse=_formats,
        ),
    ] = ()
    width: Annotated[
        float | None,
        Option(
            "Their width in inches; heights go with it.",
            "--figure-width",
            panel="Figures",
            metavar="INCHES",
            default="that of the report",
            least=1,
            most=30,
        ),
    ] = None
    text: Annotated[
        float,
        Option(
            "The size of their text in points.",
            "--figure-text",
            panel="Figures",
            metavar="POINTS",
            least=4,
            most=40,
        ),
    ] = 9.0

    def __post_init__(self) -> None:
        """Refuse an unknown format before anything is computed."""
        refuse_unknown_format(self.formats)


def written_formats() -> tuple[str, ...]:
    """Return the formats of figures that can be written with what is installed."""
    return FIGURE_FORMATS if is_installed("matplotlib") else ("svg",)


def refuse_unknown_format(formats: tuple[str, ...]) -> None:
    """Refuse a format that figures are not written in, or not with what is installed."""
    unknown = [each for each in formats if each not in FIGURE_FORMATS]
    if unknown:
        msg = f"unknown format of figures {unknown[0]!r}; known are {', '.join(FIGURE_FORMATS)}"
        raise UsageError(msg)
    for each in formats:
        if each not in written_formats():
            load_extra("matplotlib", "figures", f"a figure as {each}")


@dataclass(frozen=True)
class About:
    """What files cannot show about a data set; None or empty where its makers gave nothing."""

    name: Annotated[str, Option("Name of the data set.", default="that of DIR")] = ""
    license: Annotated[
        str | None, Option("The licence, by the address of its text.", metavar="ADDRESS")
    ] = None
    url: Annotated[str | None, Option("Where it is published.")] = None
    version: Annotated[str | None, Option("Its version, as 1.2.0.")] = None
    citation: Annotated[str | None, Option("How to cite it.")] = None
    creators: Annotated[
        tuple[str, ...], Option("Who made it; can be repeated.", "--creator", metavar="TEXT")
    ] = ()
    publisher: Annotated[str | None, Option("Organisation that publishes it.")] = None
    date: Annotated[str | None, Option("Day of publication, as 2026-01-31.")] = None

    def __post_init__(self) -> None:
        """Refuse what is no address and no day."""
        for text in filter(None, (self.license, self.url)):
            if not re.match(r"https?://\S+$", text):
                msg = f"{text!r} is not an address; give one that starts with https:// or http://"
                raise UsageError(msg)
        try:
            datetime.date.fromisoformat(self.date or "2026-01-31")
        except ValueError as error:
            msg = f"{self.date!r} is not a day; write it as 2026-01-31"
            raise UsageError(msg) from error

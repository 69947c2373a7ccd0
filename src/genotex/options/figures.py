"""Options of figures as files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from genotex.errors import UsageError
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


def refuse_unknown_format(formats: tuple[str, ...]) -> None:
    """Refuse a format that figures are not written in."""
    unknown = [each for each in formats if each not in FIGURE_FORMATS]
    if unknown:
        msg = f"unknown format of figures {unknown[0]!r}; known are {', '.join(FIGURE_FORMATS)}"
        raise UsageError(msg)

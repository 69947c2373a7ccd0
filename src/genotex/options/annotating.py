"""Options of who annotates a series: the built-in rules, a language model, or both."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from genotex.options.fields import ANNOTATOR, Option

RULES, BOTH = "rules", "both"
_PREFIX = f"{BOTH}:"


@dataclass(frozen=True, kw_only=True)
class AnnotatorChoices:
    """Who annotates, and what that may cost; the fields are described by their help texts."""

    annotator: Annotated[
        str,
        Option(
            "Who reads trait, age and sex: rules (nothing leaves this machine); PROVIDER:MODEL, a "
            "language model, for example ollama:NAME or openai-compatible:NAME@ADDRESS, which is "
            "sent the texts of the series; or both:PROVIDER:MODEL, which compares the two. both "
            "alone takes the model of GENOTEX_MODEL.",
            panel=ANNOTATOR,
            metavar="rules|MODEL|both",
            browser=False,
        ),
    ] = RULES
    max_cost: Annotated[
        float | None,
        Option(
            "Stop before more is spent, what is recorded already included.",
            panel=ANNOTATOR,
            metavar="DOLLARS",
            above=0.0,
            browser=False,
        ),
    ] = None
    max_calls: Annotated[
        int | None,
        Option(
            "Stop before more calls are made, those recorded already included.",
            panel=ANNOTATOR,
            least=1,
            browser=False,
        ),
    ] = None
    allow_unknown_cost: Annotated[
        bool,
        Option(
            "Apply --max-cost to what is known if prices or tokens are not.",
            "--allow-unknown-cost",
            panel=ANNOTATOR,
            browser=False,
        ),
    ] = False
    record: Annotated[
        Path | None,
        Option(
            "File of all calls; a series that it answers is not asked about again.",
            panel=ANNOTATOR,
            metavar="FILE",
            default="in the folder of the results",
            browser=False,
        ),
    ] = None
    settings: Annotated[
        Path | None, Option("TOML file with settings of models.", panel=ANNOTATOR, browser=False)
    ] = None

    @property
    def asks(self) -> bool:
        """Whether a model is asked."""
        return self.annotator != RULES

    @property
    def compares(self) -> bool:
        """Whether rules and model are compared."""
        return self.annotator == BOTH or self.annotator.startswith(_PREFIX)

    @property
    def model(self) -> str | None:
        """The model that was named; None where none was."""
        named = self.annotator.removeprefix(_PREFIX)
        return None if named in (RULES, BOTH) else named

    @property
    def limits(self) -> dict[str, object]:
        """The limits that were given, by the names of settings."""
        given = {
            "max_cost": self.max_cost,
            "max_calls": self.max_calls,
            "allow_unknown_cost": self.allow_unknown_cost or None,
        }
        return {name: value for name, value in given.items() if value is not None}


ANNOTATOR_FIELDS = tuple(each.name for each in fields(AnnotatorChoices))
"""Names of the options, for a command that offers them."""

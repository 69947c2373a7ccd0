"""What a person states about a data set, for its description."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Annotated

from genotex.errors import UsageError
from genotex.options.fields import Option


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

"""One setting: its value, where it stands, and its reading as text, number or choice."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from genotex.errors import UsageError

__all__ = ["Setting"]

MOST = 10**12
"""Numbers beyond are mistakes."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Setting:
    """A value that a user set.

    Attributes
    ----------
    value : Any
        As TOML has it, or a text from the environment or the command line.
    where : str
        Where it was set, for messages. Values are not repeated where they may be secret.
    """

    value: Any
    where: str

    def text(self) -> str:
        """Return a text.

        Raises
        ------
        UsageError
            As all readings, if the value is something else.
        """
        if not isinstance(self.value, str) or not self.value.strip():
            self._refuse("must be a text")
        return self.value.strip()

    def one_of(self, choices: Collection[str]) -> str:
        """Return one of some words."""
        if self.value not in choices:
            self._refuse(f"must be one of {', '.join(choices)}, not {self.value!r}")
        return str(self.value)

    def flag(self) -> bool:
        """Return yes or no."""
        if isinstance(self.value, bool):
            return self.value
        return self.one_of(("true", "false")) == "true"

    def money(self) -> Decimal:
        """Return an amount above 0."""
        amount = self.money_or_zero()
        if amount == 0:
            self._refuse("must be above 0")
        return amount

    def money_or_zero(self) -> Decimal:
        """Return an amount of 0 or more."""
        try:
            amount = Decimal(str(self.value))
        except InvalidOperation:
            amount = Decimal(-1)
        if isinstance(self.value, bool) or not amount.is_finite() or not 0 <= amount <= MOST:
            self._refuse(f"must be a number of 0 or more, not {self.value!r}")
        return amount

    def number(self) -> float:
        """Return a number above 0."""
        return float(self.money())

    def number_or_zero(self) -> float:
        """Return a number of 0 or more."""
        return float(self.money_or_zero())

    def whole(self) -> int:
        """Return a whole number above 0."""
        number = self.whole_or_zero()
        if number == 0:
            self._refuse("must be above 0")
        return number

    def whole_or_zero(self) -> int:
        """Return a whole number of 0 or more."""
        amount = self.money_or_zero()
        if amount != amount.to_integral_value():
            self._refuse(f"must be a whole number, not {self.value!r}")
        return int(amount)

    def variable(self, environ: Collection[str]) -> str:
        """Return the name of a variable of the environment that is set."""
        name = self.value if isinstance(self.value, str) else ""
        if not _VARIABLE.fullmatch(name) or name not in environ:
            # What stands here by mistake may be the key itself.
            self._refuse(
                "must be the name of a variable of the environment that is set and holds the key; "
                "the key itself never stands in settings"
            )
        return name

    def _refuse(self, what: str) -> NoReturn:
        msg = f"{self.where}: {what}"
        raise UsageError(msg)

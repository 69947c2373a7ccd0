"""Models and limits as they were chosen on the command line."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.models import ModelSettings

__all__ = ["ModelChoice"]


@dataclass(frozen=True)
class ModelChoice:
    """What was said about models; None and False: nothing.

    Attributes
    ----------
    model : str or None
    by_role : mapping of str to str or None
        Role -> its model.
    settings : Path or None
        A TOML file.
    max_cost, max_tokens, max_time : float, int, float or None
    allow_unknown_cost : bool
    """

    model: str | None = None
    by_role: Mapping[str, str | None] = field(default_factory=dict)
    settings: Path | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    max_time: float | None = None
    allow_unknown_cost: bool = False

    def _said(self) -> dict[str, object]:
        return {
            "model": self.model,
            **{f"model.{role}": name for role, name in self.by_role.items()},
            "max_cost": self.max_cost,
            "max_tokens": self.max_tokens,
            "max_time": self.max_time,
            "allow_unknown_cost": self.allow_unknown_cost or None,
        }

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were given, as they are written."""
        said = {**self._said(), "settings": self.settings}
        return tuple(f"--{n.replace('_', '-')}" for n, value in said.items() if value is not None)

    def read(self, roles: Collection[str], or_else: str = "") -> ModelSettings:
        """Read the settings, with what files and the environment say.

        Parameters
        ----------
        roles : collection of str
            Roles that are asked; another one may not be given a model.
        or_else : str
            What a person may do instead of naming a model.

        Raises
        ------
        UsageError
            If no model is named, or a setting makes no sense.
        """
        from genotex.agents.rules_by_name import register_rules
        from genotex.models import read_settings

        if self.model is None and self.settings is None and not os.environ.get("GENOTEX_MODEL"):
            msg = (
                "no model is named: add --model rules, which needs no key, or --model "
                f"PROVIDER:MODEL{or_else}"
            )
            raise UsageError(msg)
        register_rules()
        return read_settings(self.settings, self._said(), roles=roles)

"""Models and limits as they were chosen on the command line."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.agents.models import ModelSettings

__all__ = ["LimitChoice", "ModelChoice", "RoleChoice"]


@dataclass(frozen=True)
class RoleChoice:
    """The model of each role; None: that of all."""

    planner: str | None = None
    engineer: str | None = None
    statistician: str | None = None
    reviewer: str | None = None
    expert: str | None = None

    def named(self) -> dict[str, str]:
        """Return the roles that were given a model, and its name."""
        return {role: name for role, name in asdict(self).items() if name is not None}


@dataclass(frozen=True)
class LimitChoice:
    """What models may use, as it was said; None and False: nothing.

    Attributes
    ----------
    max_cost : float or None
        US dollars.
    max_tokens : int or None
    max_time : float or None
        Seconds.
    allow_unknown_cost : bool
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    max_time: float | None = None
    allow_unknown_cost: bool = False


@dataclass(frozen=True)
class ModelChoice:
    """What was said about models.

    Attributes
    ----------
    model : str or None
        That of all roles without one of their own.
    roles : RoleChoice
    settings : Path or None
        A TOML file.
    limits : LimitChoice
    """

    model: str | None = None
    roles: RoleChoice = RoleChoice()
    settings: Path | None = None
    limits: LimitChoice = LimitChoice()

    def _said(self) -> dict[str, object]:
        return {
            "model": self.model,
            **{f"model.{role}": name for role, name in self.roles.named().items()},
            **asdict(self.limits),
            "allow_unknown_cost": self.limits.allow_unknown_cost or None,
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
        from genotex.agents.models import read_settings
        from genotex.agents.rules_model import register_rules

        if self.model is None and self.settings is None and not os.environ.get("GENOTEX_MODEL"):
            msg = (
                "no model is named: add --model rules, which needs no key, or --model "
                f"PROVIDER:MODEL{or_else}"
            )
            raise UsageError(msg)
        register_rules()
        return read_settings(self.settings, self._said(), roles=roles)

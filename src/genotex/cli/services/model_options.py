"""Options for language models and their limits, and for how the team works."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from genotex.errors import UsageError
from genotex.options import LIMITS, MODELS, Option

if TYPE_CHECKING:
    from genotex.models import ModelSettings

_ROLE = "model."


@dataclass(frozen=True)
class LimitChoice:
    """What models may use; None and False: not given."""

    max_cost: Annotated[
        float | None, Option("Stop before more is spent.", panel=LIMITS, metavar="DOLLARS")
    ] = None
    max_tokens: Annotated[int | None, Option("Stop before more are used.", panel=LIMITS)] = None
    max_calls: Annotated[int | None, Option("Stop before more calls are made.", panel=LIMITS)] = (
        None
    )
    max_time: Annotated[
        float | None, Option("Stop after this time.", panel=LIMITS, metavar="SECONDS")
    ] = None
    allow_unknown_cost: Annotated[
        bool,
        Option("Continue if prices or tokens are not known.", "--allow-unknown-cost", panel=LIMITS),
    ] = False

    @property
    def given(self) -> dict[str, object]:
        """The limits; None where none was given."""
        return {**asdict(self), "allow_unknown_cost": self.allow_unknown_cost or None}


@dataclass(frozen=True)
class ModelChoice:
    """The language models; None: not given."""

    model: Annotated[
        str | None,
        Option(
            "Language model for all roles: PROVIDER:MODEL, with @ADDRESS appended for "
            "openai-compatible, or replay:FILE; rules needs neither a model nor a key.",
            panel=MODELS,
        ),
    ] = None
    planner: Annotated[str | None, Option("Chooses the next step.", "--model.planner", MODELS)] = (
        None
    )
    engineer: Annotated[str | None, Option("Prepares cohorts.", "--model.engineer", MODELS)] = None
    statistician: Annotated[
        str | None, Option("Answers problems.", "--model.statistician", MODELS)
    ] = None
    reviewer: Annotated[str | None, Option("Reviews code.", "--model.reviewer", MODELS)] = None
    expert: Annotated[
        str | None, Option("Contributes biomedical knowledge.", "--model.expert", MODELS)
    ] = None
    settings: Annotated[Path | None, Option("TOML file with settings of models.", panel=MODELS)] = (
        None
    )

    @property
    def roles(self) -> dict[str, str]:
        """The roles that were given a model of their own, and its name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            role: str(name)
            for role, name in named.items()
            if role not in ("model", "settings") and name is not None
        }

    def _given(self) -> dict[str, object]:
        return {"model": self.model, **{_ROLE + role: name for role, name in self.roles.items()}}

    def options(self, limits: LimitChoice) -> tuple[str, ...]:
        """Return the options that were given, as a user writes them."""
        given = {**self._given(), **limits.given, "settings": self.settings}
        return tuple(f"--{n.replace('_', '-')}" for n, value in given.items() if value is not None)

    def read(self, limits: LimitChoice, roles: Collection[str], or_else: str = "") -> ModelSettings:
        """Read the settings, also from files and the environment.

        Parameters
        ----------
        limits : LimitChoice
        roles : collection of str
            Roles that call a model; another one may not be given a model.
        or_else : str
            What a user may do instead of naming a model, for the message.
        """
        from genotex.agents.rules.model import register_rules
        from genotex.models import read_settings

        if self.model is None and self.settings is None and not os.environ.get("GENOTEX_MODEL"):
            msg = (
                "no model given: add --model rules, which needs no key, or --model "
                f"PROVIDER:MODEL{or_else}"
            )
            raise UsageError(msg)
        register_rules()
        return read_settings(self.settings, {**self._given(), **limits.given}, roles=roles)

"""Ask a local service as a user's settings would; time passes only when it is told to."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from genotex.models import Message, ProviderModel, ProviderOptions, Request, RetryPolicy, parse_name
from tests.models.servers import Dialect, Service

KEY = "sk-0123456789-very-secret"
REQUEST = Request("planner", (Message("system", "Be brief."), Message("user", "Hello?")))


@dataclass
class Waits:
    """A clock that jumps instead of waiting."""

    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def clock(self) -> float:
        return time.monotonic() + sum(self.slept)


def model_at(
    dialect: Dialect,
    service: Service,
    waits: Waits | None = None,
    *,
    retry: RetryPolicy | None = None,
    environ: Mapping[str, str] | None = None,
    **options: Any,
) -> ProviderModel:
    """The provider's model, answered by a local service; asked once unless `retry` says more."""
    base = "/v1" if dialect.provider in ("openai", "ollama", "openai-compatible") else ""
    name = parse_name(dialect.name(service.address + base))
    usual = ProviderOptions.usual(dialect.provider)
    chosen = {"address": name.address or service.address + base, "timeout": 10.0, **options}
    waits = waits or Waits()
    return ProviderModel(
        name,
        replace(usual, **chosen),
        retry or RetryPolicy(attempts=1),
        environ if environ is not None else {dialect.key_variable: KEY},
        sleep=waits.sleep,
        clock=waits.clock,
    )

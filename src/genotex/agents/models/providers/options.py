"""How a provider is asked: where, how long, how often, how many at once."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.agents.models.providers.catalogue import PROVIDERS, StructuredMode

__all__ = ["ProviderOptions", "RetryPolicy"]


@dataclass(frozen=True)
class RetryPolicy:
    """When a failed call is made again.

    Attributes
    ----------
    attempts : int
        Most calls for one answer, the first one included.
    first_wait : float
        Seconds before the second call; each further wait is twice as long.
    longest_wait : float
        Most seconds of one wait. A provider that asks for a longer one is not asked again.
    seed : int
        The waits are spread at random, so that several problems do not ask at the same moment.
    """

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    seed: int = 0


@dataclass(frozen=True)
class ProviderOptions:
    """How one provider is asked.

    Attributes
    ----------
    address : str or None
        Where it answers.
    key : tuple of str
        Variables of the environment that may hold the key; the first that is set counts.
    structured : str
        How a structured answer is asked for.
    timeout : float
        Seconds on the clock for one call, from the start to the last byte.
    at_once : int
        Calls that may be under way at the same time.
    """

    address: str | None
    key: tuple[str, ...]
    structured: StructuredMode
    timeout: float = 300.0
    at_once: int = 4

    @classmethod
    def usual(cls, provider: str) -> ProviderOptions:
        """Return the options of a provider where nothing is set."""
        known = PROVIDERS[provider]
        return cls(known.address, known.keys, known.structured)

"""Reading times, events and strata as they are given in sample tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genotex.errors import AnalysisError, UsageError

Floats = NDArray[np.float64]

EVENT_WORDS = frozenset(
    ["1", "1.0", "true", "t", "yes", "y", "dead", "died", "death", "deceased", "event"]
)
CENSORED_WORDS = frozenset(
    ["0", "0.0", "false", "f", "no", "n", "alive", "living", "censored", "censor", "no event"]
)
MISSING_WORDS = frozenset(["", "na", "n/a", "nan", "<na>", "none", "null", "not available", "--"])
CODED = re.compile(r"([01])\s*:")
"""A code with its label, as cBioPortal writes 1:DECEASED."""
SHOWN = 5


def read_events(values: Sequence[Any] | ArrayLike, *, missing: bool = True) -> Floats:
    """Return 1 for an event, 0 for censored, and NaN for missing, where `missing` accepts it.

    Given are 0 and 1, false and true, or words in any case: yes and no, dead (died, deceased) and
    alive (living), event and censored, or a code with its label such as ``1:DECEASED``.

    Raises
    ------
    AnalysisError
        A value is none of these, or is missing where that is not accepted.

    Examples
    --------
    >>> read_events(["Dead", "alive", "", "1:DECEASED"])
    array([ 1.,  0., nan,  1.])
    """
    given = np.asarray(values)
    if given.ndim != 1:
        message = (
            f"event must be one value for each sample, not an array of {given.ndim} dimensions"
        )
        raise UsageError(message)
    if given.dtype.kind in "biuf":
        words = [f"{value:g}" for value in given.astype(float)]
        events = given.astype(float)
        wrong = ~np.isnan(events) & (events != 0) & (events != 1)
    else:
        words = [str(value).strip() for value in given]
        events = np.array([_event(word) for word in words], dtype=float)
        wrong = np.isinf(events)
    if wrong.any():
        raise AnalysisError(_not_events(words, wrong))
    if not missing and np.isnan(events).any():
        raise AnalysisError(_where("event is missing", np.isnan(events)))
    return events


def _where(what: str, wrong: NDArray[np.bool_]) -> str:
    """Return the message about samples that cannot be used."""
    first = int(np.flatnonzero(wrong)[0]) + 1
    place = f"in {int(wrong.sum())} of {len(wrong)} samples (the first is sample {first})"
    return f"{what} {place}: leave those samples out, or correct them"


def _event(word: str) -> float:
    """Return 1, 0, NaN for missing, or infinity for an unknown word."""
    plain = " ".join(word.casefold().split())
    if coded := CODED.match(plain):
        return float(coded[1])
    if plain in EVENT_WORDS:
        return 1.0
    if plain in CENSORED_WORDS:
        return 0.0
    return np.nan if plain in MISSING_WORDS else np.inf


def _not_events(words: Sequence[str], wrong: NDArray[np.bool_]) -> str:
    unknown = list(dict.fromkeys(word for word, bad in zip(words, wrong, strict=True) if bad))
    shown = ", ".join(repr(word) for word in unknown[:SHOWN])
    more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    message = f"event has values other than 0 and 1: {shown}{more}"
    if unknown in (["2"], ["2.0"]):
        return f"{message} (where 1 is censored and 2 the event, subtract 1)"
    return f"{message} (write 1 or yes where the event happened, 0 or no where it did not)"


def read_times(values: ArrayLike) -> Floats:
    """Return the times to event or censoring, checked: numbers, none missing or negative."""
    try:
        time = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        message = f"time has values that are not numbers ({error}): give days, months or years"
        raise AnalysisError(message) from None
    if time.ndim != 1:
        message = f"time must be one value for each sample, not an array of {time.ndim} dimensions"
        raise UsageError(message)
    for wrong, what in ((~np.isfinite(time), "missing or not finite"), (time < 0, "negative")):
        if wrong.any():
            raise AnalysisError(_where(f"time is {what}", wrong))
    return time


def read_strata(values: Sequence[Any], what: str = "strata") -> NDArray[np.intp]:
    """Return the number, from 0, of each sample's stratum in the sorted labels."""
    words = np.array([str(value).strip() for value in values], dtype=str)
    missing = np.array([word.casefold() in MISSING_WORDS for word in words], dtype=bool)
    if missing.any():
        raise AnalysisError(_where(f"{what} missing", missing))
    codes: NDArray[np.intp] = np.unique(words, return_inverse=True)[1].astype(np.intp)
    return codes

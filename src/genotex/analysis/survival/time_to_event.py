"""Times and events as they are given in sample tables, and the curves that they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri

from genotex.analysis.survival.cox_model import merge_near_ties
from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError, UsageError

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


def _where(what: str, wrong: Flags) -> str:
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


def _not_events(words: Sequence[str], wrong: Flags) -> str:
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


def read_strata(values: Sequence[Any], what: str = "strata") -> Rows:
    """Return the number, from 0, of each sample's stratum in the sorted labels."""
    words = np.array([str(value).strip() for value in values], dtype=str)
    missing = np.array([word.casefold() in MISSING_WORDS for word in words], dtype=bool)
    if missing.any():
        raise AnalysisError(_where(f"{what} missing", missing))
    codes: Rows = np.unique(words, return_inverse=True)[1].astype(np.intp)
    return codes


LEVELS = {2: ("low", "high"), 3: ("low", "middle", "high")}


class SurvivalCurve(NamedTuple):
    """A Kaplan-Meier curve: share without the event from each time on, with its limits."""

    times: Floats  # (m,): distinct times of events and of censoring, ascending
    survival: Floats  # (m,)
    lower: Floats  # (m,): confidence limits; NaN where the survival is 0
    upper: Floats  # (m,)


@dataclass(frozen=True, eq=False)
class LogRankTest:
    """Whether groups differ in their hazard."""

    groups: tuple[str, ...]  # Labels of the g groups, sorted
    observed: Floats  # (g,): events of each group, and expected if the hazards were equal
    expected: Floats
    chi_square: float  # Test statistic, its degrees of freedom, and the p-value
    df: int
    p: float


def kaplan_meier(
    time: ArrayLike, event: Sequence[Any] | ArrayLike, *, level: float = 0.95
) -> SurvivalCurve:
    """Estimate the survival curve of one group from times and events (see `read_events`).

    Pointwise confidence limits are on the log scale with Greenwood's variance, as R's ``survfit``
    has them.

    Raises
    ------
    AnalysisError
        No samples, missing or negative times, missing events or events that are not 0 and 1.

    Examples
    --------
    >>> curve = kaplan_meier([2, 3, 3, 5], [1, 1, 0, 0])
    >>> curve.times, curve.survival
    (array([2., 3., 5.]), array([0.75, 0.5 , 0.5 ]))
    """
    times, events = _outcome(time, event)
    distinct, where = np.unique(times, return_inverse=True)
    dead = np.bincount(where, weights=events)
    leaving = np.bincount(where)
    at_risk = leaving[::-1].cumsum()[::-1]
    survival: Floats = np.cumprod(1 - dead / at_risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.cumsum(dead / (at_risk * (at_risk - dead))))
        factor = np.exp(ndtri((1 + level) / 2) * error)
        lower, upper = survival / factor, np.minimum(survival * factor, 1.0)
    lower[survival == 0] = upper[survival == 0] = np.nan
    return SurvivalCurve(distinct, survival, lower, upper)


def log_rank_test(
    time: ArrayLike,
    event: Sequence[Any] | ArrayLike,
    groups: Sequence[Any],
    *,
    strata: Sequence[Any] | None = None,
) -> LogRankTest:
    """Test whether the hazards of groups are equal, within strata if given (as R's ``survdiff``).

    Raises
    ------
    AnalysisError
        As `kaplan_meier`; a missing group; fewer than two groups at risk at any event.
    """
    times, events = _outcome(time, event)
    labels = np.unique([str(group).strip() for group in groups])
    codes = read_strata(groups, "groups")
    blocks = np.zeros(len(times), dtype=np.intp) if strata is None else read_strata(strata)
    for what, column in (("groups", codes), ("strata", blocks)):
        if len(column) != len(times):
            message = f"{what} has {len(column)} values for {len(times)} samples"
            raise UsageError(message)
    member = np.eye(len(labels))[codes]
    expected, covariance = np.zeros(len(labels)), np.zeros((len(labels), len(labels)))
    for block in range(blocks.max() + 1):
        rows = blocks == block
        part = _expected_events(times[rows], events[rows], member[rows])
        expected += part[0]
        covariance += part[1]
    observed = member.T @ events
    compared = np.flatnonzero(expected > 0)
    if len(compared) < 2:
        message = "fewer than two groups have samples at risk when events happen"
        message += ": the log-rank test needs two; check groups and events"
        raise AnalysisError(message)
    free = compared[:-1]
    difference = (observed - expected)[free]
    chi_square = float(difference @ np.linalg.pinv(covariance[np.ix_(free, free)]) @ difference)
    p = float(chdtrc(len(free), chi_square))
    return LogRankTest(tuple(map(str, labels)), observed, expected, chi_square, len(free), p)


def split_by_level(values: ArrayLike, parts: int = 2) -> list[str]:
    """Divide samples by one gene's expression into halves or thirds of about equal size.

    Labels are low (middle) and high; empty where the expression is missing (NaN).

    Raises
    ------
    AnalysisError
        Too many samples have the same value to divide them.
    """
    if parts not in LEVELS:
        message = f"parts must be 2 (halves) or 3 (thirds), not {parts}"
        raise UsageError(message)
    expression = np.asarray(values, dtype=float)
    known = ~np.isnan(expression)
    labels = np.full(len(expression), "", dtype=object)
    if known.any():
        cuts = np.quantile(expression[known], np.arange(1, parts) / parts)
        level = (expression[known, None] > cuts).sum(axis=1)
        labels[known] = np.array(LEVELS[parts], dtype=object)[level]
    absent = [label for label in LEVELS[parts] if label not in labels]
    if absent:
        message = f"no sample is {absent[0]}: too many samples have the same expression"
        message += f" for {parts} groups; compare fewer groups or another gene"
        raise AnalysisError(message)
    return [str(label) for label in labels]


def _outcome(time: ArrayLike, event: Sequence[Any] | ArrayLike) -> tuple[Floats, Floats]:
    times, events = read_times(time), read_events(event, missing=False)
    if len(times) != len(events):
        message = f"time has {len(times)} values, event has {len(events)}"
        raise UsageError(message)
    if len(times) == 0:
        message = "no samples: a survival curve needs at least one"
        raise AnalysisError(message)
    return merge_near_ties(times), events


def _expected_events(time: Floats, event: Floats, member: Floats) -> tuple[Floats, Floats]:
    """Return the expected events of each group, (g,), and their covariance, (g, g)."""
    distinct, where = np.unique(time, return_inverse=True)
    dead = np.bincount(where, weights=event, minlength=len(distinct))
    leaving = np.zeros((len(distinct), member.shape[1]))
    np.add.at(leaving, where, member)
    groups = leaving[::-1].cumsum(axis=0)[::-1][dead > 0]
    dead = dead[dead > 0]
    at_risk = groups.sum(axis=1)
    share = groups / at_risk[:, None]
    spread = dead * (at_risk - dead) / np.maximum(at_risk - 1, 1)
    covariance = np.diag(spread @ share) - (share * spread[:, None]).T @ share
    return dead @ share, covariance

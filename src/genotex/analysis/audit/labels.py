"""Groups and sex against expression: exchanged labels, and sheets whose rows were moved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from genotex.analysis.audit.cohort import AuditedCohort
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.arrays import Flags, Floats
from genotex.words import counted

FEWEST_IN_GROUP = 4
TELLING = 100
"""Genes that tell the groups apart, chosen without the sample in question."""
JUDGED = 0.9
"""Area under the curve from which groups can be told by expression: once labels that seem to be
wrong are exchanged, for they blur the others."""
WRONG = 0.75
"""How far into the other group a sample must be: 0 is the middle, 1 the other group's centre."""
MOST_WRONG = 0.2
APART = -0.2
"""With these labels exchanged every sample must be about on its own side, for more
than a note."""
ROWS_JUDGED = 0.85
SHIFTS = (-2, -1, 1, 2)
_GENES_AT_ONCE = 500
CLEARER = 1.3
"""Moved by a row, the groups must differ by so many times more."""


def positions(values: Floats, case: Flags) -> Floats:
    """Return where each sample is between the groups, -1 controls and 1 cases, judged without it.

    `values`: Shape (n, p). `case`: shape (n,). By the 100 genes with the largest t-statistics among
    the other samples.
    """
    n = len(values)
    found = np.empty(n)
    sums = np.array([values[~case].sum(axis=0), values[case].sum(axis=0)])
    squares = np.array([(values[~case] ** 2).sum(axis=0), (values[case] ** 2).sum(axis=0)])
    sizes = np.array([(~case).sum(), case.sum()], dtype=float)
    many = min(TELLING, values.shape[1] // 5)
    for i in range(n):
        own = int(case[i])
        s, q, m = sums.copy(), squares.copy(), sizes.copy()
        s[own] -= values[i]
        q[own] -= values[i] ** 2
        m[own] -= 1
        mean = s / m[:, None]
        variance = np.maximum((q - m[:, None] * mean**2).sum(axis=0) / max(m.sum() - 2, 1), 1e-9)
        error = np.sqrt(variance)
        score = (mean[1] - mean[0]) / (error + np.median(error))
        top = np.argpartition(-np.abs(score), many)[:many]
        half = (mean[1, top] - mean[0, top]) / 2
        place = (values[i, top] - mean[:, top].mean(axis=0)) / half
        # A few genes that surely differ, as those of Y, tell more than many that may.
        weight = np.abs(score[top]) ** 3
        found[i] = float(np.average(np.clip(place, -3, 3), weights=weight))
    return found


def area(place: Floats, case: Flags) -> float:
    """Return the area under the curve of cases against controls."""
    higher = (place[case][:, None] > place[~case]).mean()
    return float(higher + 0.5 * (place[case][:, None] == place[~case]).mean())


def _two_groups(cohort: AuditedCohort) -> tuple[Floats, Flags, list[str]]:
    cohort.need(2 * FEWEST_IN_GROUP, groups=True)
    contrast = cohort.compared
    assert contrast is not None
    case = contrast.values == 1
    if min(int(case.sum()), int((~case).sum())) < FEWEST_IN_GROUP:
        why = f"a group has fewer than {FEWEST_IN_GROUP} samples"
        raise NotJudged(why)
    return cohort.filled_of(contrast), case, [cohort.samples[i] for i in contrast.rows]


def check_labels(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find samples whose expression is that of the other group."""
    values, case, samples = _two_groups(cohort)
    place = positions(values, case)
    side = np.where(case, place, -place)
    doubtful = side <= -WRONG
    if doubtful.sum() > MOST_WRONG * len(case):
        doubtful = np.zeros(len(case), dtype=bool)
    exchanged = np.where(doubtful, ~case, case)
    if min(exchanged.sum(), (~exchanged).sum()) < 3:
        why = "too few samples of a group are left"
        raise NotJudged(why)
    then = positions(values, exchanged) if doubtful.any() else place
    if area(then, exchanged) < JUDGED:
        why = "the groups cannot be told from expression well enough"
        raise NotJudged(why)
    wrong = np.flatnonzero(doubtful)
    if not len(wrong):
        return
    # Where others are between the groups as well, an unusual person is likelier than a mistake.
    rest = np.where(exchanged, then, -then)
    apart = float(rest.min()) >= APART
    names = tuple(samples[i] for i in wrong)
    shown = [f"{samples[i]} ({'case' if case[i] else 'control'})" for i in wrong]
    yield AuditFinding(
        "warning" if apart else "note",
        f"{counted(len(names), 'sample')} {'looks' if len(names) == 1 else 'look'} like the other "
        f"group in the genes that tell the groups apart: {named(shown)}."
        + ("" if apart else " Other samples are between the groups, too."),
        "Exchanged labels, or an unusual person: compare the labels with their source.",
        names,
    )


def check_rows(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find sample sheets, or headers, that are one row off against the values."""
    values, case, _ = _two_groups(cohort)
    every = (0, *SHIFTS)
    found = _differences(values, np.array([np.roll(case, shift) for shift in every]))
    strength = dict(zip(every, found, strict=True))
    best = max(SHIFTS, key=lambda shift: strength[shift])
    if strength[best] < CLEARER * strength[0]:
        return
    moved = np.roll(case, best)
    now, then = area(positions(values, case), case), area(positions(values, moved), moved)
    if then < ROWS_JUDGED or now > then - 0.15:
        return
    yield AuditFinding(
        "serious",
        f"The groups fit expression better when the rows of the sample sheet are moved by "
        f"{abs(best)}: {then:.0%} instead of {now:.0%} of the pairs of case and control are told "
        "in the right order.",
        "Compare names and rows of the sample sheet, or the header of the values, with the source.",
    )


def _differences(values: Floats, cases: Flags) -> list[float]:
    """Return how much groups differ: mean of the largest hundredth of the t-statistics.

    `cases`: shape (k, n), k ways to take the samples as cases.
    """
    groups = [members.astype(float) for members in (~cases, cases)]
    sizes = [members.sum(axis=1, keepdims=True) for members in groups]
    t = np.empty((len(cases), values.shape[1]))
    for start in range(0, values.shape[1], _GENES_AT_ONCE):
        place = slice(start, start + _GENES_AT_ONCE)
        centred = values[:, place] - values[:, place].mean(axis=0)
        means = [g @ centred / n for g, n in zip(groups, sizes, strict=True)]
        centred *= centred
        squares = [g @ centred / n for g, n in zip(groups, sizes, strict=True)]
        parts = zip(means, squares, sizes, strict=True)
        error = sum((square - mean**2) / (n - 1) for mean, square, n in parts)
        t[:, place] = np.abs(means[1] - means[0]) / np.sqrt(np.maximum(error, 1e-9))
    most = max(10, t.shape[1] // 100)
    return [float(row.mean()) for row in np.sort(t, axis=1)[:, -most:]]

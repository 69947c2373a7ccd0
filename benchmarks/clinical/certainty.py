"""Fit how certain annotations are, and measure that on sources that the fit has not seen.

    python -m benchmarks certainty CASES.jsonl.gz STARGEO.jsonl.gz [--write]
        [--titles SAMPLES.parquet] [--figure docs/figures/clinical-certainty.svg]

CASES are labelled by series, STARGEO by sample (of which half B is never fitted on). Shares of the
scorer come from weights that never saw the trait nor the series. Prints calibration error (ten
bands, and what certainties that are true would have by chance), coverage against accuracy, and the
certainty below which a cohort is left for review: the highest that leaves no more than a fifth.
``--write`` writes these to the package. Run it after every change of options, evidence or weights.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.clinical.conditional_logit import choose, cross_validate, fit
from benchmarks.clinical.labelled_cases import (
    Case,
    cell_of,
    half_of,
    lexicon_only,
    read_by_sample,
    training_cases,
)
from genotex.clinical import load_vocabulary
from genotex.clinical.trait.certainty import cell_evidence, series_evidence, stated_certainty
from genotex.clinical.trait.judgement import UNKNOWN

TABLE = Path("src/genotex/clinical/data/trait_certainty.toml")
BANDS = 10
FEWEST = 5
REVIEWED = 0.2
STEPS = np.round(np.arange(0.5, 0.96, 0.05), 2)
HEADER = """\
# How certain annotations are (clinical/trait/certainty.py): logistic regressions on whether what is
# stated is right. Written by `python -m benchmarks certainty` from {count} labelled cases.
# `review`: cohorts that are less certain than this are left for review: above it {right:.3f} of the
# statements are right, and {covered:.2f} of them are above it.
"""

Floats = NDArray[np.float64]
Evidence = Mapping[str, float]


@dataclass(frozen=True)
class Statement:
    """What is stated of a series or of one of its cells."""

    source: str
    trait: str
    evidence: Evidence
    right: bool
    none: bool = False  # "Not available" is stated
    weight: float = 1.0


@dataclass(frozen=True)
class Stated:
    """Statements of one kind with certainties of some origin."""

    name: str
    certainty: Floats
    right: Floats
    none: NDArray[np.bool_]
    weight: Floats

    @classmethod
    def of(cls, name: str, some: Sequence[Statement], certainty: Floats) -> Stated:
        """Return statements with their certainties."""
        columns = ([getattr(s, field) for s in some] for field in ("right", "none", "weight"))
        right, none, weight = map(np.array, columns)
        return cls(name, certainty, right.astype(float), none.astype(bool), weight)

    def error(self) -> float:
        """Return the expected calibration error."""
        return calibration_error(self.certainty, self.right, self.weight)

    def by_chance(self) -> float:
        """Return the mean error of certainties that are true, with as many statements."""
        random = np.random.default_rng(1)
        drawn = (random.random((200, len(self.certainty))) < self.certainty).astype(float)
        return float(np.mean([calibration_error(self.certainty, y, self.weight) for y in drawn]))

    def reviewed(self) -> float:
        """Return the share right when the least certain fifth is reviewed, and right then."""
        order = np.argsort(self.certainty, kind="stable")
        left = order[int(REVIEWED * len(order)) :]
        return 1 - float((1 - self.right[left]).sum() / len(order))

    def above(self, least: float) -> tuple[float, float]:
        """Return the share of statements that are at least so certain, and of these right."""
        kept = self.certainty >= least
        return float(kept.mean()), float(self.right[kept].mean()) if kept.any() else np.nan

    def bands(self) -> Iterator[tuple[float, float, int]]:
        """Yield mean certainty, share right and number of statements of each band."""
        band = _bands(self.certainty)
        for number in range(BANDS):
            if (inside := band == number).any():
                share = np.average(self.right[inside], weights=self.weight[inside])
                yield float(self.certainty[inside].mean()), float(share), int(inside.sum())

    def line(self) -> str:
        """Return its line of the table."""
        sure = np.average(self.certainty, weights=self.weight)
        right = np.average(self.right, weights=self.weight)
        high = self.none & (self.certainty >= 0.9)
        wrong = f"{(1 - self.right[high]).mean():.3f} of {high.sum()}" if high.any() else "-"
        return (
            f"| {self.name} | {len(self.right)} | {sure:.3f} | {right:.3f} | {self.error():.3f} "
            f"| {self.by_chance():.3f} | {self.reviewed():.3f} | {wrong} |"
        )


def calibration_error(certainty: Floats, right: Floats, weight: Floats | None = None) -> float:
    """Return the expected calibration error, over ten bands of equal width."""
    weight = np.ones(len(right)) if weight is None else weight
    off = np.bincount(_bands(certainty), weight * (certainty - right), BANDS)
    return float(abs(off).sum() / max(weight.sum(), 1e-12))


def _bands(certainty: Floats) -> NDArray[np.int64]:
    return np.minimum((certainty * BANDS).astype(np.int64), BANDS - 1)


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--titles", type=Path, help="texts of the samples")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {TABLE}")
    arguments = parser.parse_args()
    held = _held(arguments.cases, arguments.samples, arguments.titles)
    series = [of_series(case, weights) for case, weights in held]
    fitted = [s for s in series if not s.source.startswith("StarGEO B")]
    inside, others = _measured("series", fitted, series)
    table = {"series": _fitted(fitted)}
    review = _threshold(inside)
    cells = [cell for case, weights in held for cell in _of_cells(case, weights, table["series"])]
    fitted_cells = [s for s in cells if not s.source.startswith("StarGEO B")]
    inside_cells, others_cells = _measured("cells", fitted_cells, cells)
    table["cell"] = _fitted(fitted_cells)
    for name, weights in table.items():
        print(name, {key: round(value, 3) for key, value in weights.items()})
    if arguments.write:
        right, covered = (_pooled(inside, review, i) for i in (1, 0))
        TABLE.write_text(
            HEADER.format(count=len(fitted), right=right, covered=covered)
            + f"\n[review]\nbelow = {review:g}\n"
            + "".join(
                f"\n[{name}]\n" + "".join(f'"{key}" = {w:.3f}\n' for key, w in weights.items())
                for name, weights in table.items()
            )
        )
        print(f"written: {TABLE}")
    if arguments.figure:
        draw(inside, others, inside_cells, others_cells, review, arguments.figure)


def _measured(
    what: str, fitted: Sequence[Statement], every: Sequence[Statement]
) -> tuple[list[Stated], list[Stated]]:
    """Print and return statements on other traits, and on sources left out of the fit."""
    inside = _crossed(fitted)
    others = [_left_out(fitted, every, name) for name in ("readings", "StarGEO")]
    print(f"of {what}\n| | n | stated | right | ECE | by chance | 4/5 | none >= .9 wrong |")
    for each in (*inside, *others):
        print(each.line())
    return inside, others


def _held(cases: Path, samples: Path, texts: Path | None) -> list[tuple[Case, Mapping[str, float]]]:
    """Return all cases with weights that never saw their traits; half B: those of all others."""
    training = training_cases(cases, samples, texts, load_vocabulary())
    held: list[tuple[Case, Mapping[str, float]]] = list(cross_validate(training, 10, 1))
    weights = fit(training)
    for words in (load_vocabulary(), lexicon_only()):
        found = read_by_sample(samples, texts, words)
        held += [(c, weights) for c in found if half_of(c.id) == "B"]
    return held


def _source(case: Case) -> str:
    if case.by_sample:
        titles = " with titles" if case.description.titles else ""
        return f"StarGEO {half_of(case.id)}{titles}"
    return "own, hard" if case.wording else "readings"


def of_series(case: Case, weights: Mapping[str, float]) -> Statement:
    """Return what is stated of a case by weights of the scorer."""
    best, share = choose(case, weights)
    evidence = series_evidence(share, none=best is None, text=case.description.text)
    return Statement(_source(case), case.trait, evidence, case.is_right(best), best is None)


def _of_cells(
    case: Case, weights: Mapping[str, float], of_series: Mapping[str, float]
) -> Iterator[Statement]:
    """Yield what is stated of each cell of the option that is chosen; none without judgements."""
    best, share = choose(case, weights)
    if best is None or case.wording or not case.options[best].judgements:
        return
    option, prediction = case.options[best], case.predictions[best]
    evidence = series_evidence(share, none=False, text=case.description.text)
    certainty = stated_certainty(evidence, of_series)
    labels: Counter[tuple[str, bool]] = Counter()
    if case.samples and prediction is not None:
        for cells, code in case.samples:
            cell = cell_of(cells, prediction.row)
            labels[cell, prediction.map.get(cell) == code] += 1
    elif prediction is not None:
        label = case.labels["reading"].trait
        same_row = label is not None and label.row == prediction.row
        known = label.map if label is not None and same_row else prediction.map
        labels.update(
            (cell, same_row and prediction.map.get(cell) == known[cell]) for cell in known
        )
    for (cell, right), count in labels.items():
        if cell in option.judgements or not cell:
            found = cell_evidence(certainty, option.judgements.get(cell, UNKNOWN))
            share = count / labels.total()
            yield Statement(_source(case), case.trait, found, right, weight=share)


def _fitted(some: Sequence[Statement]) -> dict[str, float]:
    """Return the weights of a logistic regression with a little ridge."""
    names = list(dict.fromkeys(name for s in some for name in s.evidence))
    x = np.array([[s.evidence[name] for name in names] for s in some])
    weight = np.array([s.weight for s in some])
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000)
    model.fit(x, [s.right for s in some], sample_weight=weight)
    return dict(zip(names, map(float, model.coef_[0]), strict=True))


def with_certainties(name: str, some: Sequence[Statement], weights: Mapping[str, float]) -> Stated:
    """Return statements with the certainties that weights give them."""
    return Stated.of(name, some, _certainties(some, weights))


def _certainties(some: Sequence[Statement], weights: Mapping[str, float]) -> Floats:
    return np.array([stated_certainty(s.evidence, weights) for s in some])


def _crossed(some: Sequence[Statement]) -> list[Stated]:
    """Return certainties fitted on other traits, by source."""
    certainty = np.zeros(len(some))
    splitter = GroupKFold(10, shuffle=True, random_state=1)
    for train, test in splitter.split(some, groups=[s.trait.casefold() for s in some]):
        weights = _fitted([some[i] for i in train])
        certainty[test] = _certainties([some[i] for i in test], weights)
    return [
        _chosen(some, certainty, source, f"{source}, other traits")
        for source in dict.fromkeys(s.source for s in some)
    ]


def _chosen(some: Sequence[Statement], certainty: Floats, source: str, name: str) -> Stated:
    kept = [i for i, s in enumerate(some) if s.source == source]
    return Stated.of(name, [some[i] for i in kept], certainty[kept])


def _left_out(fitted: Sequence[Statement], every: Sequence[Statement], source: str) -> Stated:
    """Return certainties of a source by a fit without it."""
    weights = _fitted([s for s in fitted if not s.source.startswith(source)])
    test = [s for s in every if s.source.startswith(source)]
    return with_certainties(f"{source}, left out of the fit", test, weights)


def _pooled(some: Sequence[Stated], least: float, which: int) -> float:
    """Return coverage (0) or accuracy (1) above a certainty over series of GEO."""
    real = [each for each in some if not each.name.startswith("own")]
    certainty, right = (
        np.concatenate([getattr(e, n) for e in real]) for n in ("certainty", "right")
    )
    kept = certainty >= least
    return float(kept.mean() if which == 0 else right[kept].mean())


def _threshold(some: Sequence[Stated]) -> float:
    """Print coverage and accuracy by certainty; return that below which a fifth is reviewed."""
    print("least certainty: coverage, accuracy")
    for step in STEPS:
        print(f"  {step:.2f}: {_pooled(some, step, 0):.3f}, {_pooled(some, step, 1):.3f}")
    return float(max(step for step in STEPS if _pooled(some, step, 0) >= 1 - REVIEWED))


def draw(
    inside: Sequence[Stated],
    others: Sequence[Stated],
    cells: Sequence[Stated],
    other_cells: Sequence[Stated],
    review: float,
    path: Path,
) -> None:
    """Draw reliability of series and of samples, and coverage against accuracy."""
    import matplotlib as mpl

    mpl.use("agg" if path.suffix == ".png" else "svg")
    mpl.rcParams["svg.hashsalt"] = "genotex"
    from matplotlib import pyplot as plt

    names = dict.fromkeys(each.name for each in (*inside, *others))
    colour = dict(zip(names, plt.rcParams["axes.prop_cycle"].by_key()["color"], strict=False))
    figure, panels = plt.subplots(1, 3, figsize=(12.5, 4.2))
    for axes, title, some in (
        (panels[0], "series", (*inside, *others)),
        (panels[1], "samples", (*cells, *other_cells)),
    ):
        axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for each in some:
            shown = [band for band in each.bands() if band[2] >= FEWEST]
            mean, share, count = (np.array(x) for x in zip(*shown, strict=True))
            axes.plot(mean, share, linewidth=0.8, alpha=0.6, color=colour[each.name])
            sizes = 6 + 70 * count / count.max()
            axes.scatter(mean, share, sizes, color=colour[each.name], alpha=0.7, label=each.name)
        axes.set(xlabel="certainty, as stated", ylabel="share that is right", title=title)
        axes.set(xlim=(0, 1.02), ylim=(0, 1.04))
        axes.legend(fontsize=7, frameon=False)
    for each in (*inside, *others):
        found = [each.above(least) for least in np.linspace(0, 0.99, 100)]
        panels[2].plot(*zip(*found, strict=True), label=each.name, color=colour[each.name])
        panels[2].plot(*each.above(review), marker="o", color="0.2", markersize=4)
    panels[2].set(xlabel="share of series that is used", ylabel="share of these that is right")
    panels[2].set(title=f"the rest left for review (points: below {review:g})", ylim=(0.5, 1.02))
    panels[2].legend(fontsize=7, frameon=False, loc="lower left")
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)

"""How well the built-in rules annotate labelled cases: tables, reliability, and what remains wrong.

    python -m benchmarks annotation CASES.jsonl.gz [--wrong]
        [--figure docs/figures/clinical-reliability.svg]

Prints the tables of docs/clinical-quality.md: the packaged rules against each set of labels, the
same with the trait scorer cross-validated by trait (no series on both sides), and how often
readings of a given certainty are right, with the words of the vocabulary and by the lexicon alone.
``--wrong`` lists the cases that are read wrong; ``--foreign N`` annotates each series for N foreign
traits, and lists those that are available.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.clinical.conditional_logit import choose, cross_validate, fit, recalibrated
from benchmarks.clinical.labelled_cases import Case, lexicon_only, read_cases, read_own
from genotex.bench.evaluation.labels import (
    FEATURES,
    Label,
    agreement,
    answer_from_json,
    case_figures,
    score_cases,
)
from genotex.clinical import RuleExpert, infer_cases, load_vocabulary

LABELS = ("reading", "benchmark", "consensus")
EDGES = (0.0, 0.6, 0.8, 0.9, 0.95, 1.0)
SEEDS = (1, 2, 3, 4, 5)

Answers = Mapping[str, Label]
_Chosen = tuple[Case, int | None, float]
"""A case, the option chosen (None: not available), and its certainty."""


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--foreign", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    cases = read_cases(arguments.cases, load_vocabulary())
    lines = map(json.loads, infer_cases(arguments.cases))
    answers = {line["id"]: answer_from_json(line) for line in lines}
    by_lexicon = read_cases(arguments.cases, lexicon_only())
    chosen = [_cross_validated(cases, by_lexicon, seed) for seed in SEEDS]
    held = {
        case.id: replace(answers[case.id], trait=None if best is None else case.predictions[best])
        for case, best, _ in chosen[0][: len(cases)]
    }
    tables = {f"packaged, {labels}": _score(cases, answers, labels) for labels in LABELS}
    tables["cross-validated, reading"] = _score(cases, held, "reading")
    _print_table(tables)
    halves = {"listed": slice(0, len(cases)), "lexicon alone": slice(len(cases), None)}
    tables_of_certainty = {}
    for name, half in halves.items():
        print(f"\n{name}, cross-validated in {len(SEEDS)} splits")
        _print_spread([result[half] for result in chosen])
        tables_of_certainty[name] = _reliability(chosen[0][half])
    if arguments.figure:
        _draw(tables_of_certainty, arguments.figure)
    _own_cases(cases)
    if arguments.foreign:
        _count_foreign(cases, arguments.foreign)
    if arguments.wrong:
        _list_wrong(cases, answers)


def _score(cases: Sequence[Case], answers: Answers, name: str) -> dict[str, float]:
    labels = {case.id: case.labels[name] for case in cases if name in case.labels}
    return {"cases": len(labels), **case_figures(list(score_cases(labels, answers).values()))}


def _cross_validated(cases: Sequence[Case], by_lexicon: Sequence[Case], seed: int) -> list[_Chosen]:
    """Return what calibrated weights choose that never saw the trait, and how sure they are."""
    # Fitted as the packaged weights are: on both, and on our own cases.
    geo = [*cases, *by_lexicon]
    held = cross_validate([*geo, *read_own(load_vocabulary())], 10, seed)
    held = recalibrated([(case, w) for case, w in held if not case.wording], 10, seed)
    chosen = {id(case): (case, *choose(case, weights)) for case, weights in held}
    return [chosen[id(case)] for case in geo]


def _print_spread(chosen: Sequence[Sequence[_Chosen]]) -> None:
    exact = [float(np.mean([c.is_right(best) for c, best, _ in each])) for each in chosen]
    error = [_calibration_error(each) for each in chosen]
    without = [_calibration_error([c for c in each if c[1] is None]) for each in chosen]
    for name, values in (
        ("trait exact", exact),
        ("expected calibration error", error),
        ("the same, of 'not available'", without),
    ):
        print(f"{name}: {np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")


def _calibration_error(chosen: Sequence[_Chosen]) -> float:
    """Return how far certainty is from the share that is right, averaged over bands."""
    values = np.array([certainty for _, _, certainty in chosen])
    good = np.array([case.is_right(best) for case, best, _ in chosen], dtype=float)
    bands = [(values > low) & (values <= high) for low, high in pairwise(EDGES)]
    return float(
        sum(
            abs(values[band].mean() - good[band].mean()) * band.mean()
            for band in bands
            if band.any()
        )
    )


def _print_table(tables: Mapping[str, Mapping[str, float]]) -> None:
    print(" " * 20 + "".join(f"{name:>26}" for name in tables))
    for name in next(iter(tables.values())):
        cells = [
            f"{t[name]:26.0f}" if name == "cases" else f"{t[name]:26.3f}" for t in tables.values()
        ]
        print(f"{name:20}" + "".join(cells))


def _reliability(chosen: Sequence[_Chosen]) -> list[tuple[float, float, int]]:
    """Print and return mean certainty, share right and number of cases by band of certainty."""
    values = np.array([certainty for _, _, certainty in chosen])
    good = np.array([case.is_right(best) for case, best, _ in chosen], dtype=float)
    print("\ncertainty        cases   mean   right")
    table = []
    for low, high in pairwise(EDGES):
        inside = (values > low) & (values <= high)
        if not inside.any():
            continue
        mean, share = float(values[inside].mean()), float(good[inside].mean())
        table.append((mean, share, int(inside.sum())))
        print(f"{low:.2f} to {high:.2f} {inside.sum():8} {mean:7.3f} {share:7.3f}")
    brier = np.mean((values - good) ** 2)
    print(f"Brier {brier:.4f}, mean certainty {values.mean():.3f}, right {good.mean():.3f}")
    return table


def _draw(tables: Mapping[str, Sequence[tuple[float, float, int]]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "genotex"
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, len(tables), figsize=(9, 4.4), sharey=True)
    for axes, (name, table) in zip(panels, tables.items(), strict=True):
        axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for mean, share, count in table:
            error = 1.96 * np.sqrt(max(share * (1 - share), 0.25 / count) / count)
            axes.errorbar(mean, share, yerr=min(error, 1), color="#1f5f8b", marker="o", capsize=3)
            axes.annotate(
                f"{count}", (mean, share), xytext=(6, -14), textcoords="offset points", fontsize=8
            )
        axes.set(xlabel="certainty, as stated", title=name, xlim=(0.2, 1.02), ylim=(0, 1.05))
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("share that is right (cross-validated)")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _own_cases(labelled: Sequence[Case]) -> None:
    """Print how many of our own cases are right by class, by weights that never saw the class."""
    own = read_own(load_vocabulary())
    print("\nour own cases     set A   set B   in reach (weights without the class)")
    for wording in sorted({case.wording for case in own}):
        weights = fit([*labelled, *(case for case in own if case.wording != wording)])
        shares = []
        for name in "AB":
            cases = [c for c in own if c.wording == wording and c.id.startswith(name)]
            shares.append(np.mean([_is_right(case, weights) for case in cases]))
        both = [case for case in own if case.wording == wording]
        reach = np.mean([case.none_right or case.right.any() for case in both])
        print(f"{wording:18}{shares[0]:6.2f}{shares[1]:8.2f}{reach:8.2f}   of {len(both)}")


def _is_right(case: Case, weights: Mapping[str, float]) -> bool:
    return case.is_right(choose(case, weights)[0])


def _count_foreign(cases: Sequence[Case], count: int) -> None:
    asked: dict[str, set[str]] = {}
    for case in cases:
        asked.setdefault(case.cohort, set()).add(case.trait)
    traits = sorted({case.trait for case in cases})
    rng, expert, found = random.Random(SEEDS[0]), RuleExpert(), []
    for case in cases:
        others = [trait for trait in traits if trait not in asked[case.cohort]]
        for trait in rng.sample(others, count):
            reading = expert.annotate(case.description, trait).trait
            if reading is not None:
                values = [cell for cell, code in reading.values.items() if code == 1]
                found.append(f"  {case.cohort} for {trait}: {', '.join(values[:2])}")
    print(f"\nannotated for foreign traits: {len(found)} of {count * len(cases)} available")
    print("\n".join(found))


def _list_wrong(cases: Sequence[Case], answers: Answers) -> None:
    print("\nread wrong:")
    for case in cases:
        label, answer = case.labels["reading"], answers[case.id]
        features: list[str] = [
            n for n in FEATURES if not agreement(label.feature(n), answer.feature(n)).exact
        ]
        if label.is_gene_available != answer.is_gene_available:
            features.append("gene")
        if features:
            print(f"  {case.id}: {', '.join(features)} ({label.confidence or '-'})")

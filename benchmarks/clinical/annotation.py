"""How well the built-in rules annotate labelled cases: tables, and what remains wrong.

    python -m benchmarks annotation CASES.jsonl.gz [--wrong]

Prints the tables of docs/clinical-quality.md: the packaged rules against each set of labels, and
the same with the trait scorer cross-validated by trait (no series on both sides), with the words of
the vocabulary and by the lexicon alone.
``--wrong`` lists the cases that are read wrong; ``--foreign N`` annotates each series for N foreign
traits, and lists those that are available.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.clinical.conditional_logit import choose, cross_validate, fit
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
SEEDS = (1, 2, 3, 4, 5)

Answers = Mapping[str, Label]
_Chosen = tuple[Case, int | None]
"""A case and the option chosen (None: not available)."""


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
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
        for case, best in chosen[0][: len(cases)]
    }
    tables = {f"packaged, {labels}": _score(cases, answers, labels) for labels in LABELS}
    tables["cross-validated, reading"] = _score(cases, held, "reading")
    _print_table(tables)
    halves = {"listed": slice(0, len(cases)), "lexicon alone": slice(len(cases), None)}
    for name, half in halves.items():
        exact = [np.mean([case.is_right(best) for case, best in each[half]]) for each in chosen]
        low, mean, high = min(exact), np.mean(exact), max(exact)
        print(f"{name}: trait exact in {len(SEEDS)} splits {mean:.3f} ({low:.3f} to {high:.3f})")
    _own_cases(cases)
    if arguments.foreign:
        _count_foreign(cases, arguments.foreign)
    if arguments.wrong:
        _list_wrong(cases, answers)


def _score(cases: Sequence[Case], answers: Answers, name: str) -> dict[str, float]:
    labels = {case.id: case.labels[name] for case in cases if name in case.labels}
    return {"cases": len(labels), **case_figures(list(score_cases(labels, answers).values()))}


def _cross_validated(cases: Sequence[Case], by_lexicon: Sequence[Case], seed: int) -> list[_Chosen]:
    """Return what weights choose that never saw the trait."""
    # Fitted as the packaged weights are: on both, and on our own cases.
    geo = [*cases, *by_lexicon]
    held = cross_validate([*geo, *read_own(load_vocabulary())], 10, seed)
    chosen = {id(case): (case, choose(case, weights)[0]) for case, weights in held}
    return [chosen[id(case)] for case in geo]


def _print_table(tables: Mapping[str, Mapping[str, float]]) -> None:
    print(" " * 20 + "".join(f"{name:>26}" for name in tables))
    for name in next(iter(tables.values())):
        cells = [
            f"{t[name]:26.0f}" if name == "cases" else f"{t[name]:26.3f}" for t in tables.values()
        ]
        print(f"{name:20}" + "".join(cells))


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

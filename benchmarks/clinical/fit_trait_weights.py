"""Fit the weights of the trait scorer on labelled cases and write them as plain numbers.

    python -m benchmarks fit_trait_weights CASES.jsonl.gz [--samples CASES.jsonl.gz]
        [--titles SAMPLES.parquet] [--write]

Of cases labelled by sample half A is used, never half B. Without ``--write`` it only prints, for
several penalties, how many traits are read exactly right in cross-validation by trait (no series on
both sides), and the Brier score of the certainty.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np

from benchmarks.clinical.conditional_logit import PENALTY, choose, cross_validate, fit
from benchmarks.clinical.labelled_cases import Case, training_cases
from genotex.clinical import Vocabulary, load_vocabulary

WEIGHTS = Path("src/genotex/clinical/data/trait_weights.toml")
PENALTIES = (0.3, 1.0, 3.0, 10.0)

HEADER = """\
# Weights of the trait scorer: evidence for one way of reading a series -> its weight.
#
# A conditional logit: the utility of an option, and of "not available", is the weighted sum of its
# evidence. Written by `fit_trait_weights` from {count} labelled cases (the development cases and
# half A of those labelled by sample, also by titles, with the packaged words and with the lexicon
# alone, and our own cases) with ridge penalty {penalty:g} towards the beliefs in
# benchmarks/clinical/conditional_logit.py. trait_certainty.toml makes certainties of the shares.

[weights]
"""


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--samples", type=Path, help="cases labelled by sample")
    parser.add_argument("--titles", type=Path, help="texts of their samples")
    parser.add_argument("--vocabulary", type=Path)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS}")
    arguments = parser.parse_args()
    vocabulary = load_vocabulary()
    if arguments.vocabulary:
        vocabulary = Vocabulary(tomllib.loads(arguments.vocabulary.read_text(encoding="utf-8")))
    cases = training_cases(arguments.cases, arguments.samples, arguments.titles, vocabulary)
    reach = np.mean([case.none_right or case.right.any() for case in cases])
    print(
        f"{len(cases)} cases, {sum(len(c.evidence) for c in cases)} options; in reach {reach:.3f}"
    )
    for penalty in PENALTIES:
        right, brier = _quality(cases, penalty, arguments.folds, arguments.seed)
        print(f"penalty {penalty:4g}: right {right:.3f}, Brier {brier:.4f}")
    if arguments.write:
        header = HEADER.format(count=len(cases), penalty=PENALTY)
        weights = "".join(f'"{name}" = {weight:.3f}\n' for name, weight in fit(cases).items())
        WEIGHTS.write_text(header + weights)
        print(f"written: {WEIGHTS}; now refit certainties: python -m benchmarks certainty")


def _quality(cases: list[Case], penalty: float, count: int, seed: int) -> tuple[float, float]:
    """Return the share of traits read right and the Brier score of the certainty."""
    right, certainty = [], []
    for case, weights in cross_validate(cases, count, seed, penalty):
        best, probability = choose(case, weights)
        right.append(case.is_right(best))
        certainty.append(probability)
    return float(np.mean(right)), float(np.mean((np.array(certainty) - right) ** 2))

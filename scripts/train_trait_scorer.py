"""Fit the weights of the trait scorer, and say by cross-validation how good they are.

    python scripts/train_trait_scorer.py CASES.jsonl.gz [--folds 10] [--write]

The cases are labelled ones (docs/clinical.md, "Labelled cases"). Folds hold whole traits, and a
training fold holds no series of its test fold. The penalty is chosen inside each training fold.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from genotex.clinical.candidates import characteristic_candidates
from genotex.clinical.description import description_from_case
from genotex.clinical.inference import row_and_map
from genotex.clinical.trait_evidence import option_encoding
from genotex.clinical.trait_options import trait_options
from genotex.clinical.trait_scoring import weigh_evidence
from genotex.clinical.value_roles import ValueJudge
from genotex.clinical.vocabulary import Vocabulary, load_vocabulary


@dataclass(frozen=True)
class Case:
    id: str
    trait: str
    cohort: str
    evidence: list[dict[str, float]]
    right: np.ndarray  # of each option
    none_right: bool
    label: object = None


def same(a, b):
    if a is None or b is None:
        return a is None and b is None
    return abs(float(a) - float(b)) <= 0.051


def is_right(label, prediction):
    if label is None or prediction is None or label["row"] != prediction["row"]:
        return False
    got = prediction["map"]
    return all(same(code, got.get(value)) for value, code in (label["map"] or {}).items())


def read_cases(path, labels="reading", vocabulary=None):
    vocabulary = vocabulary or load_vocabulary()
    cases = []
    for line in gzip.open(path, "rt"):
        data = json.loads(line)
        description = description_from_case(data)
        judge = ValueJudge(vocabulary.trait(data["trait"]), vocabulary, description.title, description.text)
        options = trait_options(characteristic_candidates(description), judge)
        label = data["labels"][labels]["trait"]
        right = np.array([is_right(label, row_and_map(option_encoding(o), description)) for o in options], dtype=bool)
        cases.append(Case(data["id"], data["trait"], data["cohort"], [weigh_evidence(o, judge) for o in options], right, label is None))
    return cases


def matrix(cases, names):
    index = {n: i for i, n in enumerate(names)}
    rows, owner, right = [], [], []
    for number, case in enumerate(cases):
        for evidence, good in zip(case.evidence, case.right, strict=True):
            row = np.zeros(len(names))
            for n, v in evidence.items():
                if n in index:
                    row[index[n]] = v
            rows.append(row); owner.append(number); right.append(good)
    return np.array(rows).reshape(-1, len(names)), np.array(owner, dtype=int), np.array(right, dtype=bool)


PRIOR = {
    "case named": 1.0, "case is a tumour of the organ": 1.0, "case is a form of the trait": 0.5,
    "case beside controls": -1.0, "case by context": -0.5, "case by its cell line": -0.5,
    "healthy controls": 0.5, "key: disease": 0.5, "key: incidental": -1.0, "key: identifier": -1.0,
    "key is preliminary": -0.5, "share of values told": 0.5,
    "trait is a level": 2.0, "how: scale": -1.0, "level of a disease": -1.0,
    "words in the key of a level": -0.2, "key asks for the trait": 0.5,
}


def fit(cases, names, penalty):
    prior = np.array([PRIOR.get(n, 0.0) for n in names])
    # cases where nothing offered is right (label available but no option right): target is "none"
    x, owner, right = matrix(cases, names)
    n = len(cases)
    any_right = np.zeros(n, bool)
    np.logical_or.at(any_right, owner, right)
    none_right = ~any_right
    def loss(w):
        u = x @ w
        top = np.zeros(n); np.maximum.at(top, owner, u)
        e = np.exp(u - top[owner]); e0 = np.exp(-top)
        z = e0.copy(); np.add.at(z, owner, e)
        good = np.where(none_right, e0, 0.0); np.add.at(good, owner, e * right)
        value = -np.log(good / z).sum() + penalty * ((w - prior)**2).sum() / 2
        p = e / z[owner]; q = e * right / good[owner]
        grad = x.T @ (p - q) + penalty * (w - prior)
        return value, grad
    result = minimize(loss, prior, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return result.x


def choose(case, names, w):
    index = {n: i for i, n in enumerate(names)}
    u = np.array([sum(w[index[n]] * v for n, v in e.items() if n in index) for e in case.evidence])
    e = np.exp(np.append(u, 0.0) - max(0, u.max(initial=0)))
    p = e / e.sum()
    best = int(np.argmax(p))
    if best == len(u):
        return None, p[-1], case.none_right
    return best, p[best], bool(case.right[best])


def all_names(cases):
    return sorted({n for c in cases for e in c.evidence for n in e})


def cross_validate(cases, folds, penalty):
    groups = [c.trait for c in cases]
    out = {}
    for train, test in GroupKFold(folds, shuffle=True, random_state=1).split(cases, groups=groups):
        series = {cases[i].cohort for i in test}
        kept = [cases[i] for i in train if cases[i].cohort not in series]
        names = all_names(kept)
        w = fit(kept, names, penalty)
        for i in test:
            out[cases[i].id] = choose(cases[i], names, w)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("cases", type=Path); ap.add_argument("--folds", type=int, default=10)
    ap.add_argument("--vocabulary", type=Path); ap.add_argument("--write", type=Path); ap.add_argument("--penalty", type=float, default=1.0)
    a = ap.parse_args()
    import tomllib
    v = Vocabulary(tomllib.loads(a.vocabulary.read_text())) if a.vocabulary else None
    cases = read_cases(a.cases, vocabulary=v)
    print("cases", len(cases), "options", sum(len(c.evidence) for c in cases))
    reach = [c.none_right or c.right.any() for c in cases]
    print("oracle", np.mean(reach))
    for penalty in (1.0, 3.0):
        r = cross_validate(cases, a.folds, penalty)
        print(penalty, "cv trait_exact", np.mean([v[2] for v in r.values()]), "brier", np.mean([(v[1]-v[2])**2 for v in r.values()]))
    names = all_names(cases)
    w = fit(cases, names, a.penalty)
    print("in sample", np.mean([choose(c, names, w)[2] for c in cases]))
    if a.write:
        a.write.write_text("[weights]\n" + "".join(f'"{n}" = {v:.3f}\n' for n, v in zip(names, w)))


main()

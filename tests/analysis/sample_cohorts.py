"""Cohorts with faulty samples, small but with the genes that the checks look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genotex.analysis import (
    PERSONAL_GENES,
    Y_GENES,
    Profiles,
    SampleQuality,
    check_samples,
    choose_contrast,
)
from genotex.formats import LinkedTable

Floats = NDArray[np.float64]

SEXED = ("XIST", *Y_GENES)


def clean_cohort(samples: int = 20, genes: int = 600, seed: int = 0) -> LinkedTable:
    """Cases and controls in turn, women and men two by two, two factors behind all genes."""
    rng = np.random.default_rng(seed)
    names = (*SEXED, *sorted(PERSONAL_GENES))
    names = (*names, *(f"GENE{j}" for j in range(genes - len(names))))
    level = rng.uniform(3, 13, genes)
    level[len(SEXED) :] = np.sort(level[len(SEXED) :])[::-1]
    spread = 0.5 * np.sqrt(6 / rng.chisquare(6, genes))
    values = level + rng.standard_normal((samples, genes)) * spread
    for _ in range(2):
        values += np.outer(rng.standard_normal(samples), rng.normal(0, 0.2, genes))
    male = (np.arange(samples) // 2) % 2
    values[:, 0] = 5 + 5 * (1 - male) + rng.normal(0, 0.4, samples)
    for j in range(1, len(SEXED)):
        values[:, j] = 4 + 4 * male + rng.normal(0, 0.5, samples)
    return LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(samples)),
        (np.arange(samples) % 2).astype(np.float64),
        {"Gender": male.astype(np.float64)},
        names,
        values,
    )


def changed(table: LinkedTable, values: Floats) -> LinkedTable:
    return replace(table, expression=values)


def with_sex(table: LinkedTable, values: Floats | None) -> LinkedTable:
    return replace(table, covariates={} if values is None else {"Gender": values})


def check(
    table: LinkedTable,
    facts: Mapping[str, Mapping[str, str | None]] | None = None,
    texts: Mapping[str, Mapping[str, str | None]] | None = None,
) -> SampleQuality:
    return check_samples(table, choose_contrast(table, {}, "all"), facts, texts)


def profiles(table: LinkedTable) -> Profiles:
    return Profiles(table, choose_contrast(table, {}, "all"))


def repeated_people(
    people: int = 10, each: int = 3, shared: float = 0.8, seed: int = 3
) -> LinkedTable:
    """Several samples of each person, who is a case or a control; person by person."""
    every = clean_cohort(people * (each + 1), seed=seed)
    own = every.expression - every.expression.mean(axis=0)
    person = np.repeat(np.arange(people), each)
    rows = shared**0.5 * own[person] + (1 - shared) ** 0.5 * own[people:]
    return LinkedTable(
        "Asthma",
        tuple(f"GSM{i}" for i in range(len(rows))),
        (person % 2).astype(np.float64),
        {},
        every.genes,
        every.expression.mean(axis=0) + rows,
    )

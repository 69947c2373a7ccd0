"""Each cohort of a simulated study, from its plan to its files and its part of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from genotex.simulate.expression import GeneModel, draw_expression, effects_in_cohort
from genotex.simulate.geo_files import (
    GeoSeries,
    PlatformText,
    write_family_soft,
    write_series_matrix,
)
from genotex.simulate.people import draw_people, told
from genotex.simulate.platforms import Array, measure
from genotex.simulate.scenario import CONDITION, TCGA_TRAIT, CohortPlan, hidden_condition
from genotex.simulate.tcga_files import draw_tcga_samples, write_tcga_folder
from genotex.simulate.truth import CohortTruth

__all__ = ["TCGA_FOLDER", "write_geo", "write_methylation", "write_tcga"]

TCGA_FOLDER = "TCGA_Simulated_Carcinoma_(SIMC)"


def write_geo(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    array: Array,
    plan: CohortPlan,
    first: int,
) -> CohortTruth:
    """Write series matrix and family SOFT of one cohort; samples are numbered from `first`."""
    people = draw_people(rng, plan.groups, plan.late)
    n = len(people.group)
    names = tuple(f"GSM{first + i}" for i in range(n))
    effects = {plan.trait: (effects_in_cohort(rng, model, plan.trait), people.case)}
    if plan.trait != CONDITION:
        hidden = hidden_condition(rng, people)
        effects[CONDITION] = (effects_in_cohort(rng, model, CONDITION), hidden)
    words = plan.tell(rng, people)
    values = measure(rng, array, draw_expression(rng, model, people, effects), model.mean)
    linear = array.scale == "linear"
    series = GeoSeries(
        plan.accession,
        plan.title,
        plan.summary,
        plan.overall_design,
        "Expression profiling by array",
        array.accession,
        names,
        tuple(
            f"{plan.titles[g]}, {plan.tissue}, donor {i + 1}" for i, g in enumerate(people.group)
        ),
        tuple(f"{plan.tissue}, {plan.titles[group].lower()}" for group in people.group),
        "total RNA",
        "biotin",
        "signal intensity, MAS5-like, not logged" if linear else "log2 normalised signal",
        "MAS5-like signal intensities, target 500"
        if linear
        else "quantile normalised and log2 transformed",
        words.rows,
        array.ids,
        values,
        1 if linear else 4,
    )
    target = folder / "GEO" / plan.trait / plan.accession
    write_series_matrix(target, series)
    text = PlatformText(
        array.accession,
        array.title,
        array.manufacturer,
        "in situ oligonucleotide" if linear else "oligonucleotide beads",
        array.table,
        array.columns,
    )
    write_family_soft(target, series, text)
    difference = effects[plan.trait][0]
    return CohortTruth(
        plan.trait,
        "GEO",
        array.accession,
        plan.usable,
        plan.reason,
        array.scale,
        told(people, names, words.age, words.sex),
        _effects(model, difference),
    )


def _effects(model: GeneModel, difference: np.ndarray) -> dict[str, float]:
    return {model.symbols[g]: round(float(difference[g]), 4) for g in np.flatnonzero(difference)}


def write_methylation(folder: Path, rng: np.random.Generator, first: int) -> CohortTruth:
    """Write a series of DNA methylation, which must be rejected."""
    n, probes = 24, 500
    names = tuple(f"GSM{first + i}" for i in range(n))
    people = draw_people(rng, {"case": n // 2, "healthy control": n // 2}, None)
    ids = tuple(f"cg{number:08d}" for number in sorted(rng.choice(10**8, probes, replace=False)))
    status = ["simulated carcinoma" if g == "case" else "normal tissue" for g in people.group]
    accession, platform = "GSE90000006", "GPL900003"
    series = GeoSeries(
        accession,
        "DNA methylation in simulated carcinoma",
        (
            "Genome-wide DNA methylation of tumours and of normal tissue.",
            "All values, people and accessions of this series are simulated.",
        ),
        "Tumours and normal tissue on methylation beadchips.",
        "Methylation profiling by genome tiling array",
        platform,
        names,
        tuple(f"{text}, donor {i + 1}" for i, text in enumerate(status)),
        tuple(status),
        "genomic DNA",
        "Cy5 and Cy3",
        "average beta",
        "beta values, background corrected",
        (
            tuple(f"disease state: {text}" for text in status),
            tuple(f"age: {age:.0f}" for age in people.age),
        ),
        ids,
        rng.beta(0.8, 0.8, (probes, n)).round(4),
        4,
    )
    table = pl.DataFrame({"ID": ids, "CHR": [str(1 + i % 22) for i in range(probes)]})
    text = PlatformText(
        platform,
        "Simulated HumanMethylation beadchip",
        "Simulated",
        "oligonucleotide beads",
        table,
        {"ID": "CpG locus", "CHR": "Chromosome"},
    )
    target = folder / "GEO" / TCGA_TRAIT / accession
    write_series_matrix(target, series)
    write_family_soft(target, series, text)
    samples = told(people, names, ["n"] * n, [None] * n)
    reason = "DNA methylation: no gene expression"
    return CohortTruth(TCGA_TRAIT, "GEO", platform, False, reason, "beta", samples, {})


def write_tcga(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    names: Sequence[str],
    samples: int,
) -> CohortTruth:
    """Write the TCGA folder, in which the genes have these names."""
    who = draw_tcga_samples(rng, max(16, samples // 2))
    difference = effects_in_cohort(rng, model, TCGA_TRAIT)
    values = draw_expression(rng, model, who.people, {TCGA_TRAIT: (difference, who.people.case)})
    target = folder / "TCGA" / TCGA_FOLDER
    unknown = write_tcga_folder(target, "SIMC", "Simulated Carcinoma", who, names, values, rng)
    age = ["n/a" if patient in unknown else "told" for patient in who.patients]
    told_samples = told(who.people, who.ids, age, ["told"] * len(age))
    reason = "tumours and normal tissue, some of it from the same patients"
    effects = _effects(model, difference)
    return CohortTruth(TCGA_TRAIT, "TCGA", "HiSeqV2", True, reason, "log2", told_samples, effects)

"""Each cohort of a simulated study, from its plan to its files and its part of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.simulate.expression import GeneModel, draw_expression, effects_in_cohort
from genotex.simulate.geo_files import (
    GeoSeries,
    PlatformText,
    write_family_soft,
    write_series_matrix,
)
from genotex.simulate.people import People, draw_people, told
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
    series = _describe(plan, array, people, names, words.rows, values)
    target = folder / "GEO" / plan.trait / plan.accession
    write_series_matrix(target, series)
    text = PlatformText(
        accession=array.accession,
        title=array.title,
        manufacturer=array.manufacturer,
        technology="in situ oligonucleotide"
        if array.scale == "linear"
        else "oligonucleotide beads",
        table=array.table,
        columns=array.columns,
    )
    write_family_soft(target, series, text)
    difference = effects[plan.trait][0]
    return CohortTruth(
        trait=plan.trait,
        source="GEO",
        platform=array.accession,
        usable=plan.usable,
        reason=plan.reason,
        scale=array.scale,
        samples=told(people, names, words.age, words.sex),
        effects=_effects(model, difference),
    )


def _describe(
    plan: CohortPlan,
    array: Array,
    people: People,
    samples: tuple[str, ...],
    rows: tuple[tuple[str, ...], ...],
    values: NDArray[np.float64],
) -> GeoSeries:
    """Put what the files of a cohort say into one place."""
    linear = array.scale == "linear"
    return GeoSeries(
        accession=plan.accession,
        title=plan.title,
        summary=plan.summary,
        overall_design=plan.overall_design,
        series_type="Expression profiling by array",
        platform=array.accession,
        samples=samples,
        sample_titles=tuple(
            f"{plan.titles[g]}, {plan.tissue}, donor {i + 1}" for i, g in enumerate(people.group)
        ),
        sources=tuple(f"{plan.tissue}, {plan.titles[group].lower()}" for group in people.group),
        molecule="total RNA",
        label="biotin",
        value="signal intensity, MAS5-like, not logged" if linear else "log2 normalised signal",
        processing="MAS5-like signal intensities, target 500"
        if linear
        else "quantile normalised and log2 transformed",
        characteristics=rows,
        ids=array.ids,
        values=values,
        decimals=1 if linear else 4,
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
        accession=accession,
        title="DNA methylation in simulated carcinoma",
        summary=(
            "Genome-wide DNA methylation of tumours and of normal tissue.",
            "All values, people and accessions of this series are simulated.",
        ),
        overall_design="Tumours and normal tissue on methylation beadchips.",
        series_type="Methylation profiling by genome tiling array",
        platform=platform,
        samples=names,
        sample_titles=tuple(f"{text}, donor {i + 1}" for i, text in enumerate(status)),
        sources=tuple(status),
        molecule="genomic DNA",
        label="Cy5 and Cy3",
        value="average beta",
        processing="beta values, background corrected",
        characteristics=(
            tuple(f"disease state: {text}" for text in status),
            tuple(f"age: {age:.0f}" for age in people.age),
        ),
        ids=ids,
        values=rng.beta(0.8, 0.8, (probes, n)).round(4),
        decimals=4,
    )
    table = pl.DataFrame({"ID": ids, "CHR": [str(1 + i % 22) for i in range(probes)]})
    text = PlatformText(
        accession=platform,
        title="Simulated HumanMethylation beadchip",
        manufacturer="Simulated",
        technology="oligonucleotide beads",
        table=table,
        columns={"ID": "CpG locus", "CHR": "Chromosome"},
    )
    target = folder / "GEO" / TCGA_TRAIT / accession
    write_series_matrix(target, series)
    write_family_soft(target, series, text)
    samples = told(people, names, ["n"] * n, [None] * n)
    reason = "DNA methylation: no gene expression"
    return CohortTruth(
        trait=TCGA_TRAIT,
        source="GEO",
        platform=platform,
        usable=False,
        reason=reason,
        scale="beta",
        samples=samples,
        effects={},
    )


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
    return CohortTruth(
        trait=TCGA_TRAIT,
        source="TCGA",
        platform="HiSeqV2",
        usable=True,
        reason=reason,
        scale="log2",
        samples=told_samples,
        effects=effects,
    )

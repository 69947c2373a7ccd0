"""Each simulated cohort, from its plan to its files and its part of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.formats import ExpressionMatrix
from genotex.layout import TCGA_COHORT
from genotex.simulate.expression import (
    CountedRows,
    GeneModel,
    draw_counts,
    draw_expression,
    effects_in_cohort,
    interaction_contrast,
    write_counts,
    write_submitted,
)
from genotex.simulate.files import (
    GeoSeries,
    Measurement,
    PlatformText,
    draw_tcga_samples,
    write_family_soft,
    write_series_matrix,
    write_tcga_folder,
)
from genotex.simulate.plan import (
    CohortPlan,
    Fault,
    HiddenTrait,
    People,
    Words,
    companion_status,
    draw_people,
    hidden_status,
    known_annotation,
    measured_twice,
    with_levels,
)
from genotex.simulate.platforms import Array, genes_seen, measure
from genotex.simulate.truth import CohortTruth

METHYLATION, EMPTY_TABLE, SEQUENCED = "methylation", "empty table", "counts next to FPKM"
"""Names for plans to use in place of an array."""

_METHYLATION_PROBES = 500
_REPEAT_SD = 0.1
_WITH_PEOPLE = 0.7
"""How much hidden traits go with age and sex, next to how much they go with one another."""
_SWAPPED_PAIRS = 2


@dataclass(frozen=True, eq=False)
class _Unfit:
    """A measurement other than gene expression."""

    scale: str  # of the values, as in `CohortTruth`
    measured: Measurement  # the values
    platform: PlatformText  # where they come from


def _methylation(rng: np.random.Generator, samples: int) -> _Unfit:
    probes, accession = _METHYLATION_PROBES, "GPL900003"
    ids = tuple(f"cg{number:08d}" for number in sorted(rng.choice(10**8, probes, replace=False)))
    measured = Measurement(
        series_type="Methylation profiling by genome tiling array",
        platform=accession,
        molecule="genomic DNA",
        label="Cy5 and Cy3",
        value="average beta",
        processing="beta values, background corrected",
        ids=ids,
        values=rng.beta(0.8, 0.8, (probes, samples)).round(4),
        decimals=4,
    )
    platform = PlatformText(
        accession=accession,
        title="Simulated HumanMethylation beadchip",
        manufacturer="Simulated",
        technology="oligonucleotide beads",
        table=pl.DataFrame({"ID": ids, "CHR": [str(1 + i % 22) for i in range(probes)]}),
        columns={"ID": "CpG locus", "CHR": "Chromosome"},
    )
    return _Unfit("beta", measured, platform)


def _empty_table(rng: np.random.Generator, samples: int) -> _Unfit:
    """Return a sequencing series, whose counts its submitters keep elsewhere."""
    accession = "GPL900004"
    measured = Measurement(
        series_type="Expression profiling by high throughput sequencing",
        platform=accession,
        molecule="total RNA",
        label="none",
        value="",
        processing="reads were counted per gene; the counts are in a supplementary file",
        ids=(),
        values=np.empty((0, samples)),
        decimals=0,
    )
    platform = PlatformText(
        accession=accession,
        title="Simulated sequencer (Homo sapiens)",
        manufacturer="Simulated",
        technology="high-throughput sequencing",
        table=pl.DataFrame(),
        columns={},
    )
    return _Unfit("none", measured, platform)


NO_EXPRESSION: Mapping[str, Callable[[np.random.Generator, int], _Unfit]] = {
    METHYLATION: _methylation,
    EMPTY_TABLE: _empty_table,
}


@dataclass(frozen=True, eq=False)
class SimulatedCohort:
    """A cohort whose files are written."""

    name: str  # its id: GSE accession, or ``TCGA``
    truth: CohortTruth  # what is true of it
    expression: ExpressionMatrix | None


@dataclass(frozen=True)
class TcgaPlan:
    """One TCGA folder that is to be made."""

    trait: str  # trait folder name of the cancer
    code: str  # study abbreviation, and the cancer in words
    disease: str
    tumours: int  # primary tumours
    site: str = "00"  # tissue source site in the barcodes
    hidden: Mapping[str, HiddenTrait] = field(default_factory=dict)  # as in `CohortPlan`

    @property
    def folder(self) -> str:
        """Name of the folder, as the Xena hub has them."""
        return f"TCGA_{self.trait}_({self.code})"


def write_geo(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    arrays: Mapping[str, Array],
    plan: CohortPlan,
    first: int,
) -> SimulatedCohort:
    """Write series matrix and family SOFT of one cohort; samples are numbered from `first`."""
    people = draw_people(rng, plan.groups, plan.late, plan.confounding)
    if plan.kind == "continuous":
        people = with_levels(rng, people, plan.confounding)
    if plan.fault == "twice":
        people = measured_twice(people)
    samples = tuple(f"GSM{first + i}" for i in range(len(people.group)))
    if plan.array in NO_EXPRESSION:
        return _write_unfit(folder, rng, plan, people, samples)
    if plan.array == SEQUENCED:
        cohort, counts = _sequence(folder, rng, model, plan, people, samples)
        titles = _titles(plan, people)
        place = folder / "GEO" / plan.trait / plan.accession / plan.accession
        write_submitted(rng, place, model.symbols, titles, counts)
        return cohort
    array = arrays[plan.array]
    effects = _effects(rng, model, plan, people)
    words = plan.describe(rng, people)
    expression = draw_expression(rng, model, people, effects)
    unfit = _spoil(rng, plan.fault, people, expression)
    values = measure(rng, array, expression, model.mean)
    _write_files(folder, plan, people, samples, words, _measurement(array, values), _text(array))
    seen = genes_seen(array, values, len(model.symbols))
    measured = np.flatnonzero(seen.any(axis=1))
    known = known_annotation(people, samples, words.age, words.sex, words.level)
    for i in unfit:
        known[samples[i]]["unfit"] = True
    truth = _truth(plan, array.accession, array.scale, known)
    truth = _with_effects(truth, model, people, effects)
    true = ExpressionMatrix(
        tuple(model.symbols[g] for g in measured),
        samples,
        np.where(seen, expression, np.nan)[measured],
    )
    return SimulatedCohort(plan.accession, truth, true)


def write_counted(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    rows: CountedRows,
    plan: CohortPlan,
    first: int,
) -> SimulatedCohort:
    """Write an RNA-seq series: an empty matrix and NCBI's counts."""
    people = draw_people(rng, plan.groups, plan.late, plan.confounding)
    samples = tuple(f"GSM{first + i}" for i in range(len(people.group)))
    weak = len(rows.ids) - len(model.symbols)
    cohort, counts = _sequence(folder, rng, model, plan, people, samples, weak)
    target = folder / "GEO" / plan.trait / plan.accession
    write_counts(target, plan.accession, samples, rows, counts)
    return cohort


def _sequence(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    plan: CohortPlan,
    people: People,
    samples: tuple[str, ...],
    weak: int = 0,
) -> tuple[SimulatedCohort, NDArray[np.int64]]:
    """Write the series of RNA-seq with an empty matrix, and return its counts."""
    effects = _effects(rng, model, plan, people)
    words = plan.describe(rng, people)
    expression = draw_expression(rng, model, people, effects)
    counts = draw_counts(rng, expression, model.differing(), weak)
    unfit = NO_EXPRESSION[EMPTY_TABLE](rng, len(samples))
    _write_files(folder, plan, people, samples, words, unfit.measured, unfit.platform)
    known = known_annotation(people, samples, words.age, words.sex, words.level)
    truth = _truth(plan, unfit.platform.accession, "counts", known)
    truth = _with_effects(truth, model, people, effects)
    true = ExpressionMatrix(model.symbols, samples, expression)
    return SimulatedCohort(plan.accession, truth, true), counts


def _spoil(
    rng: np.random.Generator, fault: Fault | None, people: People, expression: Floats
) -> list[int]:
    """Do to the expression what the submitter does not know; return samples not to be used."""
    case = np.array([group == "case" for group in people.group])
    if fault == "twice" and people.donor is not None:
        repeat = rng.normal(0.0, _REPEAT_SD, expression.shape)
        expression[:] = expression[:, people.donor] + repeat
    if fault == "failed":
        one = int(rng.integers(len(case)))
        expression[:, one] = rng.permutation(expression[:, one])
        return [one]
    if fault == "swapped":
        # A man and a woman, one of them ill, so that their sex-specific genes reveal it.
        men, women = np.flatnonzero(case & (people.male == 1)), ~case & (people.male == 0)
        pairs = list(zip(men, np.flatnonzero(women), strict=False))[:_SWAPPED_PAIRS]
        swapped = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        expression[:, swapped.ravel()] = expression[:, swapped[:, ::-1].ravel()]
        return swapped.ravel().tolist()
    return []


def _write_unfit(
    folder: Path,
    rng: np.random.Generator,
    plan: CohortPlan,
    people: People,
    samples: tuple[str, ...],
) -> SimulatedCohort:
    """Write a series without gene expression, which must be rejected."""
    unfit = NO_EXPRESSION[plan.array](rng, len(samples))
    words = plan.describe(rng, people)
    _write_files(folder, plan, people, samples, words, unfit.measured, unfit.platform)
    known = known_annotation(people, samples, words.age, words.sex, words.level)
    truth = _truth(plan, unfit.platform.accession, unfit.scale, known)
    return SimulatedCohort(plan.accession, truth, None)


def _truth(
    plan: CohortPlan, platform: str, scale: str, samples: Mapping[str, Mapping[str, Any]]
) -> CohortTruth:
    return CohortTruth(
        trait=plan.trait,
        source="GEO",
        platform=platform,
        usable=plan.usable,
        reason=plan.reason,
        traps=plan.traps,
        scale=scale,
        samples=samples,
        effects={},
    )


def _with_effects(
    truth: CohortTruth,
    model: GeneModel,
    people: People,
    effects: Mapping[str, tuple[Floats, Floats]],
) -> CohortTruth:
    """Add what the genes follow, and how much they follow the trait."""
    difference = effects[truth.trait][0]
    status = {trait: values.tolist() for trait, (_, values) in effects.items()}
    design = {"age": people.age.tolist(), "sex": people.male.tolist(), **status}
    if people.donor is not None:
        design["donor"] = people.donor.tolist()
    if len(np.unique(people.batch)) > 1:
        design["batch"] = people.batch.tolist()
    planted = np.flatnonzero(difference)
    return replace(
        truth,
        effects={model.symbols[g]: round(float(difference[g]), 4) for g in planted},
        design={name: tuple(values) for name, values in design.items()},
    )


def _effects(
    rng: np.random.Generator, model: GeneModel, plan: CohortPlan | TcgaPlan, people: People
) -> dict[str, tuple[Floats, Floats]]:
    """Return the gene effects of the trait and the hidden traits, and each person's status.

    Changes of the trait's effects with age and sex are effects of their own.
    """
    effects = {plan.trait: (effects_in_cohort(rng, model, plan.trait), people.status)}
    years = (people.age - people.age.mean()) / max(2 * people.age.std(), 1.0)
    drawn = {"age": _WITH_PEOPLE * years, "sex": _WITH_PEOPLE * people.male}
    for other, hidden in plan.hidden.items():
        if hidden.goes_with == plan.trait:
            status = companion_status(rng, people, hidden.kind)
        else:
            status = hidden_status(rng, people, hidden, drawn.get(hidden.goes_with))
        drawn[other] = status
        if people.donor is not None:
            status = status[people.donor]
        effects[other] = (effects_in_cohort(rng, model, other), status)
    features = {"Age": people.age, "Gender": people.male.astype(np.float64)}
    others = [*features.values(), *(status for _, status in effects.values())]
    for name, sizes in model.interactions.get(plan.trait, {}).items():
        contrast = interaction_contrast(people.status, features[name], others)
        effects[f"{plan.trait} by {name}"] = (sizes, contrast)
    return effects


def _measurement(array: Array, values: NDArray[np.float64]) -> Measurement:
    linear = array.scale == "linear"
    return Measurement(
        series_type="Expression profiling by array",
        platform=array.accession,
        molecule="total RNA",
        label="biotin",
        value="signal intensity, MAS5-like, not logged" if linear else "log2 normalised signal",
        processing="MAS5-like signal intensities, target 500"
        if linear
        else "quantile normalised and log2 transformed",
        ids=array.ids,
        values=values,
        decimals=1 if linear else 4,
    )


def _text(array: Array) -> PlatformText:
    linear = array.scale == "linear"
    return PlatformText(
        accession=array.accession,
        title=array.title,
        manufacturer=array.manufacturer,
        technology="in situ oligonucleotide" if linear else "oligonucleotide beads",
        table=array.table,
        columns=array.columns,
    )


def _titles(plan: CohortPlan, people: People) -> tuple[str, ...]:
    """Return the titles of the samples."""
    donors = range(len(people.group)) if people.donor is None else people.donor.tolist()
    return tuple(
        f"{plan.names.titles[group]}, donor {i + 1}"
        for i, group in zip(donors, people.group, strict=True)
    )


def _write_files(
    folder: Path,
    plan: CohortPlan,
    people: People,
    samples: tuple[str, ...],
    words: Words,
    measured: Measurement,
    platform: PlatformText,
) -> None:
    """Assemble and write the files of a cohort."""
    names = plan.names
    series = GeoSeries(
        accession=plan.accession,
        title=plan.title,
        summary=plan.summary,
        overall_design=plan.overall_design,
        samples=samples,
        sample_titles=_titles(plan, people),
        sources=tuple(names.sources[group] for group in people.group),
        characteristics=words.rows,
        measured=measured,
    )
    target = folder / "GEO" / plan.trait / plan.accession
    write_series_matrix(target, series)
    write_family_soft(target, series, platform)


def write_tcga(
    folder: Path, rng: np.random.Generator, model: GeneModel, names: Sequence[str], plan: TcgaPlan
) -> SimulatedCohort:
    """Write a TCGA folder, in which the genes have these names."""
    who = draw_tcga_samples(rng, plan.tumours, plan.site)
    effects = _effects(rng, model, plan, who.people)
    values = np.maximum(draw_expression(rng, model, who.people, effects), 0.0)
    target = folder / "TCGA" / plan.folder
    unknown = write_tcga_folder(target, plan.code, plan.disease, who, names, values, rng)
    age = ["n/a" if patient in unknown else "known" for patient in who.patients]
    truth = CohortTruth(
        trait=plan.trait,
        source="TCGA",
        platform="HiSeqV2",
        usable=True,
        reason="tumours and normal tissue, some of it from the same patients",
        scale="log2",
        samples=known_annotation(who.people, who.ids, age, ["known"] * len(age)),
        effects={},
    )
    truth = _with_effects(truth, model, who.people, effects)
    sequenced = tuple(who.ids[i] for i in who.sequenced)
    true = ExpressionMatrix(model.symbols, sequenced, values[:, who.sequenced])
    return SimulatedCohort(TCGA_COHORT, truth, true)

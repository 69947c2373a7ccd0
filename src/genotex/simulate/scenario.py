"""The cohorts of a simulated study: their people, and how their submitters describe them.

Every name is visibly invented: a page about these genes must never be taken for a finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from genotex.simulate.cohorts import EMPTY_TABLE, METHYLATION
from genotex.simulate.plan import (
    NOTHING_REAL,
    CohortPlan,
    HiddenTrait,
    People,
    SampleNames,
    Words,
    choose_words,
    keyed,
    number_words,
    sex_words,
    shifted_rows,
)

TRAIT = "Simulated_Arthritis"
CONDITION = "Simulated_Diabetes"
TCGA_TRAIT = "Simulated_Carcinoma"

_FEMALE_MALE = (("female", "Female", "F"), ("male", "Male", "M"))
_TITLES = {
    "case": "Simulated arthritis",
    "healthy control": "Healthy control",
    "other disease": "Joint trauma",
}
_METHYLATION_TITLES = {"case": "simulated carcinoma", "healthy control": "normal tissue"}


def _status(
    rng: np.random.Generator, people: People, words: Mapping[str, Sequence[str]]
) -> list[str]:
    spelled = {group: choose_words(rng, forms, len(people.group)) for group, forms in words.items()}
    return [spelled[group][i] for i, group in enumerate(people.group)]


def _describe_first(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = number_words(rng, people.age, ["{:.0f}", "{:.0f} years", "{:.0f}y"], missing=2)
    status = _status(
        rng, people, {"case": ["simulated arthritis"], "healthy control": ["healthy control"]}
    )
    rows = (
        keyed("gender", sex),
        keyed("age", age),
        keyed("tissue", ["synovial membrane"] * len(sex)),
        keyed("disease state", status),
        keyed("batch", people.batch.tolist()),
    )
    return Words(rows, tuple(age), tuple(sex))


def _describe_second(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, (("F", "female"), ("M", "male")))
    age = number_words(rng, people.age, ["{:.0f}", "{:.1f}"], missing=1)
    status = _status(
        rng,
        people,
        {
            "case": ["simulated arthritis", "Simulated Arthritis", "simulated  arthritis"],
            "healthy control": ["healthy control", "Healthy Control", "Healthy control"],
            "other disease": ["joint trauma", "Joint trauma"],
        },
    )
    rows = (
        keyed("tissue", ["synovial tissue"] * len(sex)),
        keyed("disease state", status),
        keyed("Sex", sex),
        keyed("age (years)", age),
        keyed("batch", people.batch.tolist()),
    )
    return Words(rows, tuple(age), tuple(sex))


def _describe_shifted(rng: np.random.Generator, people: People) -> Words:
    """Every sixth sample lacks its sex, so that all that follows moves up by one row."""
    n = len(people.group)
    sex: list[str | None] = [*sex_words(rng, people.male, (("Female",), ("Male",)))]
    for i in rng.choice(n, size=max(2, n // 6), replace=False):
        sex[i] = None
    age = number_words(rng, people.age, ["{:.0f}"], missing=0)
    status = _status(
        rng, people, {"case": ["simulated arthritis"], "healthy control": ["healthy control"]}
    )
    rows = shifted_rows(
        (
            keyed("tissue", ["synovial membrane"] * n),
            [None if cell is None else f"Sex: {cell}" for cell in sex],
            keyed("age", age),
            keyed("disease state", status),
        )
    )
    return Words(rows, tuple(age), tuple(sex))


def _describe_treated(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = number_words(rng, people.age, ["{:.0f}"], missing=0)
    arm = ["placebo" if i % 2 else "simulated drug" for i in range(len(sex))]
    rows = (
        keyed("tissue", ["synovial membrane"] * len(sex)),
        keyed("disease state", ["simulated arthritis"] * len(sex)),
        keyed("treatment", arm),
        keyed("gender", sex),
        keyed("age", age),
    )
    return Words(rows, tuple(age), tuple(sex))


def _describe_condition(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = number_words(rng, people.age, ["{:.0f} yr", "{:.0f}"], missing=1)
    status = _status(
        rng, people, {"case": ["simulated diabetes"], "healthy control": ["non-diabetic control"]}
    )
    rows = (
        keyed("tissue", ["whole blood"] * len(sex)),
        keyed("diabetes status", status),
        keyed("age at sampling", age),
        keyed("gender", sex),
    )
    return Words(rows, tuple(age), tuple(sex))


def _describe_methylation(rng: np.random.Generator, people: People) -> Words:
    status = [_METHYLATION_TITLES[group] for group in people.group]
    age = [f"{years:.0f}" for years in people.age]
    rows = (keyed("disease state", status), keyed("age", age))
    return Words(rows, tuple(age), (None,) * len(age))


def geo_plans(samples: int) -> list[CohortPlan]:
    """Return the GEO cohorts, the largest one with `samples` samples."""
    plans = (_largest, _confounded, _shifted, _treated, _of_the_condition, _methylation)
    return [plan(samples) for plan in plans]


def counted_plan(samples: int) -> CohortPlan:
    """Return the RNA-seq series, whose matrix is empty and whose counts NCBI computed."""
    return CohortPlan(
        accession="GSE90000007",
        trait=TRAIT,
        array=EMPTY_TABLE,
        groups={"case": samples - samples // 2, "healthy control": samples // 2},
        late={"case": 0.5, "healthy control": 0.5},
        describe=_describe_first,
        title="RNA-seq of synovial tissue in simulated arthritis",
        summary=(
            "Total RNA of synovial tissue from patients with simulated arthritis and from healthy "
            "controls was sequenced.",
            NOTHING_REAL,
        ),
        overall_design="Patients and healthy controls, one library each, in two batches.",
        names=SampleNames.of_tissue_and_groups("synovial membrane", _TITLES),
        usable=True,
        reason="cases and healthy controls in equal numbers; expression from NCBI's counts",
    )


def _largest(samples: int) -> CohortPlan:
    """Return the cohort with two batches that both hold both groups."""
    half = samples // 2
    return CohortPlan(
        accession="GSE90000001",
        trait=TRAIT,
        array="affymetrix",
        groups={"case": samples - half, "healthy control": half},
        late={"case": 0.5, "healthy control": 0.5, "other disease": 0.5},
        describe=_describe_first,
        title="Gene expression in synovial tissue of patients with simulated arthritis",
        summary=(
            "Synovial tissue of patients with simulated arthritis and of healthy controls was "
            "profiled in two batches to find genes associated with the disease.",
            NOTHING_REAL,
        ),
        overall_design=(
            "Patients and healthy controls, one array each; both batches hold both groups."
        ),
        names=SampleNames.of_tissue_and_groups("synovial membrane", _TITLES),
        hidden={CONDITION: HiddenTrait()},
        usable=True,
        reason="cases and healthy controls in equal numbers, batch independent of the trait",
    )


def _confounded(samples: int) -> CohortPlan:
    """Return the cohort with confounded batch and trait; some controls have another disease."""
    number = round(0.8 * samples)
    trauma = max(5, number // 8)
    cases = (number - trauma) // 2
    return CohortPlan(
        accession="GSE90000002",
        trait=TRAIT,
        array="illumina",
        groups={"case": cases, "healthy control": number - trauma - cases, "other disease": trauma},
        late={"case": 0.7, "healthy control": 0.3, "other disease": 0.5},
        describe=_describe_second,
        title="Synovial transcriptomes of simulated arthritis, joint trauma and healthy donors",
        summary=(
            "Expression profiling of synovial tissue from patients with simulated arthritis, "
            "patients with joint trauma and healthy donors.",
            NOTHING_REAL,
        ),
        overall_design="Three groups; most patients were processed in the second batch.",
        names=SampleNames.of_tissue_and_groups("synovial tissue", _TITLES),
        hidden={CONDITION: HiddenTrait()},
        usable=True,
        reason=(
            "batch partly confounded with the trait; patients with another disease among controls"
        ),
    )


def _shifted(samples: int) -> CohortPlan:
    """Return the cohort whose rows are shifted where the sex is missing."""
    number = round(0.6 * samples)
    return CohortPlan(
        accession="GSE90000003",
        trait=TRAIT,
        array="affymetrix",
        groups={"case": number - number // 2, "healthy control": number // 2},
        late=None,
        describe=_describe_shifted,
        title="Simulated arthritis synovium, a cohort with incomplete sample records",
        summary=(
            "Synovial biopsies of patients with simulated arthritis and of healthy controls.",
            NOTHING_REAL,
        ),
        overall_design="Patients and healthy controls; the sex of some donors was not recorded.",
        names=SampleNames.of_tissue_and_groups("synovial membrane", _TITLES),
        hidden={CONDITION: HiddenTrait()},
        usable=True,
        reason="characteristics shifted where the sex is missing: usable when read by key",
    )


def _treated(samples: int) -> CohortPlan:
    """Return the cohort in which every sample has the disease."""
    return CohortPlan(
        accession="GSE90000004",
        trait=TRAIT,
        array="illumina",
        groups={"case": round(0.4 * samples)},
        late=None,
        describe=_describe_treated,
        title="Response to a simulated drug in simulated arthritis",
        summary=(
            "Synovial biopsies of patients with simulated arthritis, treated with a drug or "
            "with placebo.",
            NOTHING_REAL,
        ),
        overall_design="All patients have simulated arthritis; two treatment arms.",
        names=SampleNames.of_tissue_and_groups("synovial membrane", _TITLES),
        hidden={CONDITION: HiddenTrait()},
        usable=False,
        reason="every sample has the disease: nobody to compare with",
    )


def _of_the_condition(samples: int) -> CohortPlan:
    """Return the cohort of the condition."""
    number = round(0.8 * samples)
    return CohortPlan(
        accession="GSE90000005",
        trait=CONDITION,
        array="illumina",
        groups={"case": number // 2, "healthy control": number - number // 2},
        late=None,
        describe=_describe_condition,
        title="Whole blood gene expression in simulated diabetes",
        summary=(
            "Whole blood of patients with simulated diabetes and of non-diabetic controls was "
            "profiled on expression arrays.",
            NOTHING_REAL,
        ),
        overall_design="Patients with simulated diabetes and non-diabetic controls.",
        names=SampleNames.of_tissue_and_groups(
            "whole blood", {"case": "Simulated diabetes", "healthy control": "Non-diabetic control"}
        ),
        usable=True,
        reason="cases and controls of the condition",
    )


def _methylation(samples: int) -> CohortPlan:
    """Return the series of DNA methylation, which must be rejected."""
    return CohortPlan(
        accession="GSE90000006",
        trait=TCGA_TRAIT,
        array=METHYLATION,
        groups={"case": 12, "healthy control": 12},
        late=None,
        describe=_describe_methylation,
        title="DNA methylation in simulated carcinoma",
        summary=(
            "Genome-wide DNA methylation of tumours and of normal tissue.",
            "All values, people and accessions of this series are simulated.",
        ),
        overall_design="Tumours and normal tissue on methylation beadchips.",
        names=SampleNames(_METHYLATION_TITLES, _METHYLATION_TITLES),
        usable=False,
        reason="DNA methylation: no gene expression",
    )

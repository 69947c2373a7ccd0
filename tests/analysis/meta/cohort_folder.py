"""An output folder with several preprocessed cohorts of one trait."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Role,
    update_cohort_info,
    write_evidence,
    write_linked_csv,
)
from genotex.layout import OutputFolder
from tests.analysis.cohort_tables import linked, two_groups

__all__ = ["followed_level", "groups", "put_cohort"]


def groups(
    number: int, samples: int = 30, changed: int = 6, shift: float = 2.0, genes: int = 40
) -> LinkedTable:
    """Two groups whose first genes are changed, with sample ids of their own."""
    table = two_groups(samples, genes, changed, shift, seed=number)
    return with_samples(table, tuple(f"GSM{number}{i:03d}" for i in range(samples)))


def followed_level(number: int, samples: int = 30, genes: int = 40) -> LinkedTable:
    """A measured trait that the first two genes follow."""
    rng = np.random.default_rng(number)
    level = rng.normal(50, 10, samples)
    values = rng.normal(8, 1, (samples, genes))
    values[:, :2] += 0.15 * (level[:, None] - 50)
    table = linked(level, values)
    return with_samples(table, tuple(f"GSM{number}{i:03d}" for i in range(samples)))


def with_samples(table: LinkedTable, samples: tuple[str, ...]) -> LinkedTable:
    return replace(table, samples=samples)


def put_cohort(output: OutputFolder, cohort: str, table: LinkedTable) -> None:
    has = {f"has_{name.lower()}": name in table.covariates for name in ("Age", "Gender")}
    info = CohortInfo(True, True, True, True, False, **has, sample_size=len(table.samples))
    update_cohort_info(output.cohort_info(table.trait), cohort, info)
    write_linked_csv(output.linked_csv(table.trait, cohort), table)
    evidence = Evidence(table.trait, cohort, "sound", "GEO", "0.1.0", roles=_roles(table))
    write_evidence(output.evidence(table.trait, cohort), evidence)


def _roles(table: LinkedTable) -> Mapping[str, Role]:
    if len(np.unique(table.trait_values)) > 2:
        return {}
    pairs = zip(table.samples, table.trait_values, strict=True)
    return {sample: "case" if value else "healthy control" for sample, value in pairs}

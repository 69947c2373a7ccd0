"""Hidden factors that are technical are adjusted for; those of cells and the disease are not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import CELLS, PROGRAMMES, AnalysisResult, MarkerScores, analyze_table
from genotex.analysis.hidden.technical import _largest_by_chance
from genotex.arrays import Floats
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked
from tests.analysis.hidden_cohorts import half_confounded_batch, with_batch

SAMPLES, GENES = 40, 600
BATCH = half_confounded_batch(SAMPLES)


def cohort(seed: int = 0) -> LinkedTable:
    trait = np.repeat([0.0, 1.0], SAMPLES // 2)
    return linked(trait, with_batch(SAMPLES, GENES, seed))


def spiked(table: LinkedTable, column: Floats, noise: float = 0.2) -> dict[str, Any]:
    """Five spike-ins that follow a column."""
    rng = np.random.default_rng(5)
    return {
        "spike-in probes": {
            name: dict(zip(table.samples, column + rng.normal(0, noise, SAMPLES), strict=True))
            for name in ("biob", "bioc", "biod", "cre", "dap")
        }
    }


def recorded(table: LinkedTable, key: str = "scan date") -> dict[str, dict[str, str | None]]:
    days = {0.0: "2010-03-01", 1.0: "2010-06-01"}
    return {key: {s: days[b] for s, b in zip(table.samples, BATCH.tolist(), strict=True)}}


def analysed(table: LinkedTable, facts: Any = None, **given: Any) -> AnalysisResult:
    options = AnalysisOptions(panel=False, **given.pop("options", {}))
    return analyze_table(table, {}, Problem("Asthma", None), options, facts, **given)


def evidence(result: AnalysisResult) -> Mapping[str, Any]:
    (found,) = result.method["hidden"]["technical"]
    return dict(found)


def test_spike_ins_reveal_a_confounded_batch_that_nobody_recorded() -> None:
    table = cohort()
    plain = analysed(table)
    found = analysed(table, measures=spiked(table, BATCH))
    assert plain.method["significant"] > 20  # all of them false
    assert found.method["significant"] == 0
    assert found.method["adjusted_for"] == ["spike-in probes"]
    told = evidence(found)
    assert told["columns"] == ["spike-in probes"] and told["why_not"] == ""
    assert told["share"] > 0.8 and told["p"] < 0.001 and told["carries"] > 0.1
    assert "Asthma is confounded with a technical factor" in " ".join(found.warnings)
    assert found.hidden_summary.startswith(
        "Adjusted for a technical factor, which goes with 'spike-in probes'."
    )


def test_spike_ins_of_their_own_pattern_are_no_evidence() -> None:
    table = cohort()
    other = np.random.default_rng(3).normal(size=SAMPLES)
    found = analysed(table, measures=spiked(table, other))
    assert evidence(found)["why_not"] == "no hidden factor surely goes with it"
    assert found.method["significant"] == analysed(table).method["significant"]
    assert found.method["adjusted_for"] == []


def test_a_small_factor_apart_from_the_trait_is_left_to_the_grade() -> None:
    apart = np.tile([0.0, 1.0], SAMPLES // 2)
    rng = np.random.default_rng(0)
    shift = rng.normal(0, 0.25, GENES) * (rng.random(GENES) < 1 / 3)
    table = cohort()
    values = table.expression + np.outer(apart - BATCH, shift)
    table = linked(table.trait_values, values + np.outer(BATCH, shift))
    found = evidence(analysed(table, measures=spiked(table, apart, 0.05)))
    assert found["carries"] < 0.25 and abs(found["with_trait"]) < 0.3
    assert found["why_not"] == "it is small, and not confounded with the trait"


@pytest.mark.parametrize("key", ["scan date", "plate", "tissue source site", "hyb date"])
def test_a_recorded_batch_by_any_name_is_adjusted_for_where_a_factor_goes_with_it(key: str) -> None:
    table = cohort()
    found = analysed(table, recorded(table, key))
    assert evidence(found)["recorded"] and found.method["adjusted_for"] == [key]
    assert found.method["significant"] == 0
    assert found.method["named_covariates"] == {key: "2 groups"}


@pytest.mark.parametrize("key", ["tissue", "tumor site", "date of birth", "platelets", "visit"])
def test_what_is_no_step_in_a_laboratory_is_no_evidence(key: str) -> None:
    table = cohort()
    found = analysed(table, recorded(table, key))
    assert found.method["hidden"]["technical"] == []
    assert found.method["adjusted_for"] == []


@pytest.mark.parametrize("hidden", ["none", "adjust", "sva"])
def test_other_modes_look_for_no_evidence(hidden: str) -> None:
    table = cohort()
    found = analysed(table, recorded(table), options={"hidden": hidden})
    assert found.method["adjusted_for"] == []
    assert not found.method["hidden"].get("technical")


def test_the_regression_on_record_is_the_one_that_ranks() -> None:
    table = cohort()
    found = analysed(table, measures=spiked(table, BATCH))
    columns = found.regression["columns"]
    assert list(columns) == ["Intercept", "spike-in probes", "Asthma"]
    design = np.column_stack(list(columns.values()))
    gene = found.genes.filter(pl.col("Variable") == "GENE7")
    place = table.genes.index("GENE7")
    by_hand = np.linalg.lstsq(design, table.expression[:, place], rcond=None)[0][-1]
    assert gene["Coefficient"][0] == pytest.approx(by_hand, rel=1e-9)
    assert found.regression["inflation"] >= 1


@pytest.mark.parametrize("wide", [1, 2])
def test_chance_is_that_of_random_subspaces(wide: int) -> None:
    rng = np.random.default_rng(0)
    expected = []
    for _ in range(4000):
        basis = np.linalg.qr(rng.normal(size=(30, wide)))[0]
        expected.append(np.linalg.svd(basis[:6], compute_uv=False)[0] ** 2)
    found = _largest_by_chance(6, wide, 30, np.random.default_rng(1))
    for share in (0.5, 0.9, 0.99):
        assert np.quantile(found, share) == pytest.approx(np.quantile(expected, share), abs=0.03)


def marked(kind: str, names: Mapping[str, str], scale: float = 1.0) -> tuple[Floats, list[str]]:
    """A pattern that the markers of one kind follow, among genes of their own."""
    rng = np.random.default_rng(1)
    every = [gene for text in {**CELLS, **PROGRAMMES}.values() for gene in text.split()]
    genes = list(dict.fromkeys([*every, *(f"X{j}" for j in range(400))]))
    values = rng.normal(size=(SAMPLES, len(genes)))
    values[:, [genes.index(g) for g in names[kind].split()]] += scale * np.outer(BATCH, 2.0)
    return values, genes


@pytest.mark.parametrize(
    ("kind", "names"),
    [("neutrophils", CELLS), ("endothelium", CELLS), ("proliferation", PROGRAMMES)],
)
def test_a_factor_of_cells_or_a_programme_is_called_so(kind: str, names: dict[str, str]) -> None:
    values, genes = marked(kind, names)
    basis = np.full((SAMPLES, 1), SAMPLES**-0.5)
    ((first, *rest),) = MarkerScores(values, genes, basis).of(BATCH[None] - BATCH.mean())
    assert first.name == kind and first.clear and first.r > 0.8
    assert not any(other.clear for other in rest)


def test_a_batch_that_moves_all_genes_is_no_kind_of_cell() -> None:
    values, genes = marked("neutrophils", CELLS, scale=0.0)
    values += np.outer(BATCH, np.full(len(genes), 2.0))
    basis = np.full((SAMPLES, 1), SAMPLES**-0.5)
    (alike,) = MarkerScores(values, genes, basis).of(BATCH[None] - 0.5)
    assert not any(found.clear for found in alike)

"""A batch named by the characteristics is a covariate, where it can be one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import AnalysisOptions, analyze_table, choose_contrast
from genotex.analysis.adjustment import batch_columns
from genotex.bench.problems import Problem
from tests.analysis.cohort_tables import linked

FAST = AnalysisOptions(panel=False, hidden="none")


def columns(key: str, values: Sequence[str | None], trait: Sequence[float]):  # type: ignore[no-untyped-def]
    table = linked(trait, np.zeros((len(trait), 1)))
    facts = {key: dict(zip(table.samples, values, strict=True))}
    return batch_columns(facts, table.samples, choose_contrast(table, {}, "auto"), 0)


def test_one_column_for_each_batch_but_the_largest() -> None:
    found = columns("Batch", ["a", "b", "b", "c"] * 6, [0, 1] * 12)
    assert found.key == "Batch"
    assert {name: int(column.sum()) for name, column in found.columns.items()} == {
        "Batch a": 6,
        "Batch c": 6,
    }


@pytest.mark.parametrize(
    ("values", "trait", "reason"),
    [
        (["a"] * 12 + ["b"] * 12, [0] * 12 + [1] * 12, "cannot be separated"),
        (["a"] * 23 + ["b"], [0, 1] * 12, "a single sample"),
        (["a"] * 12 + ["b"] * 11 + [None], [0, 1] * 12, "unknown for 1 samples"),
        (["a", "a", "b", "b"] * 3, [0, 1] * 6, "too few for 2 batches"),
    ],
)
def test_batches_that_cannot_be_adjusted_for(
    values: list[str | None], trait: list[float], reason: str
) -> None:
    found = columns("batch", values, trait)
    assert found.columns == {} and found.key is None
    assert reason in found.warnings[0]


def test_batch_that_cannot_be_used_does_not_hide_the_next_one() -> None:
    table = linked([0, 1] * 12, np.zeros((24, 1)))
    recorded: dict[str, list[str | None]] = {
        "batch a": [None] + ["x", "y"] * 11 + ["x"],
        "batch b": ["u", "u", "v", "v"] * 6,
        "batch c": ["u", "v", "v"] * 8,
    }
    facts = {key: dict(zip(table.samples, values, strict=True)) for key, values in recorded.items()}
    found = batch_columns(facts, table.samples, choose_contrast(table, {}, "auto"), 0)
    assert found.key == "batch b"
    assert found.warnings == (
        "The batch 'batch a' is not adjusted for: it is unknown for 1 samples.",
    )


@pytest.mark.parametrize("key", ["tissue", "combatant"])
def test_other_characteristics_are_no_batch(key: str) -> None:
    assert columns(key, ["a", "b"] * 12, [0, 1] * 12).columns == {}


def test_one_batch_only_is_none() -> None:
    assert columns("batch", ["a"] * 24, [0, 1] * 12).columns == {}


def test_batch_effect_is_taken_out_of_the_comparison() -> None:
    """Half-confounded batch, no gene changed by the trait: false findings go with adjustment."""
    rng = np.random.default_rng(0)
    trait = np.repeat([0.0, 1.0], 30)
    batch = (rng.random(60) < np.where(trait == 1, 0.75, 0.25)).astype(float)
    values = rng.normal(8, 1, (60, 500)) + batch[:, None] * rng.normal(0, 2, 500)
    table = linked(trait, values)
    recorded = {s: f"run {b:g}" for s, b in zip(table.samples, batch, strict=True)}
    with_batch = analyze_table(table, {}, Problem("Asthma"), FAST, {"batch": recorded})
    without = analyze_table(
        table, {}, Problem("Asthma"), replace(FAST, batch=False), {"batch": recorded}
    )
    assert without.significant.height > 100
    assert with_batch.significant.height <= 5
    assert with_batch.method["batch"] == {"adjusted": "batch", "not_adjusted": []}
    assert "batch run 1" in with_batch.method["covariates"] or (
        "batch run 0" in with_batch.method["covariates"]
    )


def test_panel_with_a_batch() -> None:
    rng = np.random.default_rng(1)
    trait = np.tile([0.0, 1.0], 20)
    values = rng.normal(8, 1, (40, 50))
    values[:, 0] += 2 * trait
    table = linked(trait, values)
    recorded = {s: "b" if i % 20 < 3 else "a" for i, s in enumerate(table.samples)}
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(), {"batch": recorded})
    assert result.genes["Panel Coefficient"].is_not_null().any()
    assert result.method["batch"]["adjusted"] == "batch"

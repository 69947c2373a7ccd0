"""When surrogate variables are used, and what is told of them."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
from genotex.analysis.hidden import Hidden, compare_rankings, find_hidden, set_aside
from threadpoolctl import threadpool_limits

from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.sample_facts import SampleFacts
from tests.analysis.cohort_tables import linked
from tests.analysis.hidden_cohorts import half_confounded_batch, noise, with_batch


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in an analysis; the threads of small matrices only wait for one another."""
    with threadpool_limits(limits=1):
        yield


def setting(expression: np.ndarray, trait: np.ndarray | None = None, **covariates: np.ndarray):  # type: ignore[no-untyped-def]
    samples = len(expression)
    if trait is None:
        trait = np.repeat([0.0, 1.0], [samples // 2, samples - samples // 2])
    table = linked(trait, expression[:, :1], covariates)
    contrast = choose_contrast(table, {}, "auto")
    design = build_design(table, contrast, tuple(covariates), None)
    return contrast, design, table.samples


def hidden(
    expression: np.ndarray,
    mode: str = "auto",
    characteristics: dict[str, list[str | None]] | None = None,
    trait: np.ndarray | None = None,
    **covariates: np.ndarray,
) -> Hidden:
    contrast: Contrast
    design: Design
    contrast, design, samples = setting(expression, trait, **covariates)
    facts: SampleFacts = {
        key: dict(zip(samples, values, strict=True))
        for key, values in (characteristics or {}).items()
    }
    return find_hidden(expression, contrast, design, facts, samples, mode, 0)  # type: ignore[arg-type]


def test_mode_none_does_not_look() -> None:
    found = hidden(with_batch(60, 500, 0), "none")
    assert found.columns == {} and not found.moderated_with and found.warnings == ()
    assert found.record["mode"] == "none"
    assert (found.record["estimated"], found.record["used"]) == (0, 0)


def test_from_forty_samples_auto_ranks_with_them() -> None:
    found = hidden(with_batch(40, 500, 0))
    assert found.moderated_with and found.record["ranked_with"]
    assert list(found.columns) == ["SV1"]
    assert found.record["residual_df"] == 40 - 2 - 1
    assert found.record["share"][0] > 0.1


def test_below_forty_samples_auto_reports_both_and_ranks_without() -> None:
    found = hidden(with_batch(36, 500, 0))
    assert list(found.columns) == ["SV1"]
    assert not found.moderated_with and not found.record["ranked_with"]
    assert "both analyses are reported" in found.warnings[0]


def test_mode_sva_always_uses_them_and_warns_below_forty() -> None:
    found = hidden(with_batch(36, 500, 0), "sva")
    assert found.moderated_with
    assert "with 36 samples only" in found.warnings[0]
    assert not any("samples only" in w for w in hidden(with_batch(60, 500, 0), "sva").warnings)


def test_nothing_hidden_gives_no_columns_and_no_warning() -> None:
    found = hidden(noise(60, 500, 1), "sva")
    assert found.columns == {} and not found.moderated_with
    assert found.record["associations"] == [] and found.warnings == ()


def test_genes_with_missing_values_are_not_looked_at() -> None:
    expression = with_batch(60, 500, 2)
    broken = expression.copy()
    broken[3, 400:] = np.nan
    found = hidden(broken)
    assert found.record["genes_used"] == 400
    other = hidden(expression[:, :400]).columns["SV1"]
    np.testing.assert_allclose(found.columns["SV1"], other, atol=1e-12)


@pytest.mark.parametrize(
    ("samples", "genes", "told"),
    [
        (60, 99, "99 genes without missing values are too few, 100 are needed"),
        (120, 110, "110 genes without missing values are too few, 120 are needed"),
        (20, 1, "1 genes without missing values are too few"),
    ],
)
def test_too_few_complete_genes_is_said(samples: int, genes: int, told: str) -> None:
    found = hidden(noise(samples, genes, 3))
    assert found.columns == {} and found.record["genes_used"] == genes
    assert told in found.warnings[0] and told in found.record["notes"][0]


def test_six_samples_leave_no_room_and_that_is_said() -> None:
    rng = np.random.default_rng(4)
    expression = noise(6, 800, 4) + np.outer(rng.normal(size=6), rng.normal(0, 3, 800))
    found = hidden(expression, "sva")
    assert found.columns == {} and not found.moderated_with
    assert found.record["limited"] and found.record["estimated"] >= 1
    assert "leave room for no surrogate variables" in found.warnings[0]


def test_structure_that_goes_with_the_trait_a_little_is_told_in_large_cohorts() -> None:
    """70 % of the cases and 30 % of the controls: r = 0.4."""
    rng = np.random.default_rng(6)
    trait = np.arange(120.0) % 2
    batch = (np.arange(120) // 2 % 10 < np.where(trait == 1, 7, 3)).astype(float)
    expression = noise(120, 500, 6) + np.outer(batch, rng.normal(0, 1, 500))
    [warning] = hidden(expression, "sva", trait=trait).warnings
    assert re.match(r"Hidden structure goes with Asthma: SV1 \(r = -?0\.(39|40|41)\)", warning)
    assert "q-values are then too small" in warning
    # In 48 samples the same may be chance.
    few = hidden(expression[:48], "sva", trait=trait[:48])
    assert list(few.columns) == ["SV1"]
    assert few.warnings == ()
    # The robust estimate does not grow worse with the cohort.
    assert hidden(expression, trait=trait).warnings == ()


def test_when_the_mixed_model_ranks_the_moderated_t_is_told_of_alone() -> None:
    for samples, mode in ((36, "auto"), (36, "sva"), (60, "auto")):
        expression = with_batch(samples, 500, 0)
        contrast, design, names = setting(expression)
        found = find_hidden(
            expression,
            contrast,
            design,
            {},
            names,
            mode,  # type: ignore[arg-type]
            0,
            mixed_ranks=True,
        )
        assert found.moderated_with is (mode == "sva" or samples >= 40)
        assert found.record["moderated_with"] is found.moderated_with
        assert found.record["ranked_with"] is False
        told = " ".join(found.warnings)
        assert "ranked by the one without" not in told
        assert ("the mixed model, which ranks, does without" in told) is (
            samples < 40 and mode == "auto"
        )
        assert ("Moderated t: 1 surrogate variable adjusted for" in told) is (mode == "sva")


def test_associations_with_batch_covariate_and_scan_date() -> None:
    expression = with_batch(60, 800, 5)
    batch = half_confounded_batch(60)
    rng = np.random.default_rng(5)
    facts: dict[str, list[str | None]] = {
        "scan date": [f"2010-0{1 + int(b)}-05 1{i % 10}:00" for i, b in enumerate(batch)],
        "tissue": ["blood"] * 60,
        "rin": [f"{v:.3f}" for v in 7 + 0.5 * batch + rng.normal(0, 0.1, 60)],
        "title": [f"sample {i}" for i in range(60)],
        "irrelevant": [str(v) for v in rng.integers(0, 3, 60)],
        "unknown": [None] * 60,
    }
    found = hidden(
        expression, "sva", characteristics=facts, Age=50 + 10 * batch + rng.normal(0, 3, 60)
    )
    told = found.record["associations"]
    assert {(t["with"], t["kind"]) for t in told} == {
        ("scan date", "characteristic"),
        ("rin", "characteristic"),
        ("Age", "covariate"),
        ("Asthma", "trait"),
    }
    assert [t["p"] for t in told] == sorted(t["p"] for t in told)
    assert {t["surrogate"] for t in told} == {"SV1"}
    date = next(t for t in told if t["with"] == "scan date")
    assert (date["test"], date["measure"]) == ("Kruskal-Wallis test", "eta")


def test_at_most_ten_associations_are_told() -> None:
    batch = half_confounded_batch(60)
    facts: dict[str, list[str | None]] = {
        f"key {k}": ["a" if b else "b" for b in batch] for k in range(15)
    }
    assert len(hidden(with_batch(60, 500, 6), characteristics=facts).record["associations"]) == 10


def test_record_is_plain_json() -> None:
    found = hidden(with_batch(60, 500, 7), characteristics={"batch": ["a", "b"] * 30})
    assert json.loads(json.dumps(found.record, allow_nan=False)) == found.record


def test_structure_that_goes_strongly_with_the_trait_is_warned_of() -> None:
    rng = np.random.default_rng(8)
    trait = np.repeat([0.0, 1.0], 30)
    hidden_batch = np.where(rng.random(60) < 0.07, 1 - trait, trait)
    expression = noise(60, 800, 8) + np.outer(hidden_batch, rng.normal(0, 1.0, 800))
    found = hidden(expression, trait=trait)
    assert abs(np.corrcoef(found.columns["SV1"], trait)[0, 1]) > 0.5
    assert "goes strongly with Asthma: SV1 (r = " in found.warnings[-1]


def test_continuous_trait() -> None:
    rng = np.random.default_rng(9)
    trait = rng.normal(size=60)
    expression = noise(60, 500, 9) + np.outer(rng.normal(size=60), rng.normal(0, 0.5, 500))
    found = hidden(expression, trait=trait)
    assert list(found.columns) == ["SV1"]


def test_same_rankings_share_everything() -> None:
    p = np.linspace(1e-6, 1, 200)
    names = [f"G{i}" for i in range(200)]
    told = compare_rankings(p, p, names, 0.05)
    assert told["top"] == [
        {"genes": 10, "shared": 10},
        {"genes": 50, "shared": 50},
        {"genes": 100, "shared": 100},
    ]
    assert told["first_with"] == told["first_without"] == names[:10]
    assert told["significant_with"] == told["significant_without"] == told["significant_both"]


def test_rankings_that_differ_are_counted_by_hand() -> None:
    without = np.array([1e-8, 1e-7, 0.5, 0.6, np.nan])
    adjusted = np.array([0.7, 1e-9, 1e-8, np.nan, 0.9])
    told = compare_rankings(without, adjusted, ["A", "B", "C", "D", "E"], 0.05)
    assert told == {
        "top": [{"genes": 4, "shared": 3}],
        "significant_without": 2,
        "significant_with": 2,
        "significant_both": 1,
        "first_without": ["A", "B", "C", "D"],
        "first_with": ["B", "C", "A", "E"],
    }


def test_no_gene_tested_compares_to_nothing() -> None:
    told = compare_rankings(np.array([np.nan]), np.array([0.5]), ["A"], 0.05)
    assert told["top"] == [] and told["significant_both"] == 0
    assert json.dumps(told, allow_nan=False)


@pytest.mark.parametrize("mixed_ranks", [False, True])
def test_most_genes_affected_are_told_of_the_analysis_that_they_concern(mixed_ranks: bool) -> None:
    found = hidden(with_batch(60, 500, 0))
    aside = set_aside(found, np.full(500, 0.01), mixed_ranks=mixed_ranks)
    assert not aside.moderated_with
    assert not aside.record["moderated_with"] and not aside.record["ranked_with"]
    assert aside.record["set_aside"] == "many genes"
    assert ("genes are ranked by the one without" in aside.warnings[-1]) is not mixed_ranks
    assert ("The moderated t is reported" in aside.warnings[-1]) is mixed_ranks

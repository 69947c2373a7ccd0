"""Designs of the user's own, against R limma (golden_designs of benchmarks/golden)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    DesignData,
    DesignRequest,
    DesignResult,
    fit_request,
    one_spelling,
    typed_columns,
)
from genotex.cohorts import tmm_factors
from genotex.errors import AnalysisError, UsageError
from genotex.options import AnalysisOptions, ValueKind
from tests.analysis.fitted_designs import fit_design

GOLDEN = Path(__file__).parents[1] / "fixtures" / "designs"
PLAIN = AnalysisOptions(hidden="none", weights="none", filter_low=False, panel=False)
COLUMNS = {
    "logFC": "log2_fold_change",
    "CI.L": "ci_low",
    "CI.R": "ci_high",
    "AveExpr": "mean",
    "t": "t",
    "F": "F",
    "P.Value": "p",
    "adj.P.Val": "q",
}
CONTRASTS = {
    "B - A": "group: B - A",
    "C - B": "group: C - B",
    "C - A": "group: C - A",
    "(B + C)/2 - A": "group: (B + C)/2 - A",
    "B - A within female": "group: B - A | sex = female",
    "B - A within male": "group: B - A | sex = male",
}
"""Tests of the golden file in our words; the others are terms or coefficients in both."""


def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


LINEAR, COUNTS = golden("linear"), golden("counts")


def cases(file: dict[str, Any]) -> list[str]:
    # duplicateCorrelation stops early; the cases named donor_exact_* have what it converges to.
    # The quadratic part of a trend has no short name here: it is part of the F test.
    left_out = ("donor_b_a", "donor_c_b", "donor_group_f", "polynomial_quadratic")
    return [name for name in file["cases"] if name not in left_out]


def data_of(file: dict[str, Any], *, missing: bool = False) -> DesignData:
    values = file["expression_missing" if missing else "expression"]
    return DesignData(
        "golden",
        tuple(file["genes"]),
        tuple(file["samples"]),
        np.array(values, dtype=np.float64).T,
        pl.DataFrame(file["table"]),
    )


def counted_data() -> DesignData:
    counts = np.array(COUNTS["counts"], dtype=np.float64)
    totals = counts.sum(axis=0)
    factors = tmm_factors(counts, totals)
    np.testing.assert_allclose(factors, COUNTS["cases"]["voom_b_a"]["norm_factors"], rtol=1e-10)
    sizes = totals * factors
    expression = np.log2((counts + 0.5) / (sizes + 1) * 1e6)
    by_sample = dict(zip(COUNTS["samples"], range(len(totals)), strict=True))
    record = {
        "genes": len(counts),
        "filtered": 0,
        "kept": len(counts),
        "rule": "none",
        "normalisation": "TMM",
        "totals": {s: float(totals[i]) for s, i in by_sample.items()},
        "factors": {s: float(factors[i]) for s, i in by_sample.items()},
        "effective_library_sizes": {s: float(sizes[i]) for s, i in by_sample.items()},
    }
    data = data_of({**COUNTS, "expression": expression.tolist()})
    return replace(data, counts=record)


def fit(data: DesignData, case: dict[str, Any]) -> DesignResult:
    asked = case["options"]
    weights = {"of each sample": "sample", "of each group": "group"}
    options = replace(
        PLAIN, trend=bool(asked.get("trend")), weights=weights.get(asked.get("weights"), "none")
    )
    contrast = CONTRASTS.get(case["test"], case["test"])
    if contrast == "group.L":
        contrast = "group: trend"
    return fit_design(
        data,
        case["formula"],
        contrast,
        options,
        block=asked.get("block"),
        order={"group": ("A", "B", "C")} if "polynomial" in asked else {},
    )


def tolerance(name: str) -> float:
    """R estimates weights and correlations by iterations that it ends early."""
    if name.startswith("donor"):
        return 1e-5
    if name.startswith("weights_by_group"):
        return 1e-5
    return 1e-4 if name.startswith("weights") else 1e-8


def check(found: DesignResult, case: dict[str, Any], genes: list[str], rtol: float) -> None:
    ours = found.genes.sort(pl.col("gene").replace_strict(genes, range(len(genes))))
    assert ours["gene"].to_list() == genes
    scale = 1.0
    if case["test"] == "group.L":
        # R's scores of unit length, ours one step from each level to the next.
        scale = float(np.sqrt(2.0))
    for theirs, name in COLUMNS.items():
        if theirs not in case["values"]:
            continue
        values = ours[name].to_numpy()
        if name in ("log2_fold_change", "ci_low", "ci_high"):
            values = values * scale
        np.testing.assert_allclose(values, case["values"][theirs], rtol=rtol, err_msg=name)


@pytest.mark.parametrize("name", cases(LINEAR))
def test_a_design_gives_the_table_of_limma(name: str) -> None:
    case = LINEAR["cases"][name]
    found = fit(data_of(LINEAR, missing=bool(case["options"].get("missing"))), case)

    check(found, case, LINEAR["genes"], tolerance(name))


@pytest.mark.parametrize("name", cases(COUNTS))
def test_a_design_of_counts_gives_the_table_of_voom_and_limma(name: str) -> None:
    case = COUNTS["cases"][name]

    check(fit(counted_data(), case), case, COUNTS["genes"], 1e-8)


def with_table(**columns: list[object]) -> DesignData:
    data = data_of(LINEAR)
    extra = [pl.Series(name, values, strict=False) for name, values in columns.items()]
    return replace(data, table=data.table.with_columns(extra))


def refused(
    data: DesignData, design: str, contrast: str, kind: type[Exception], **more: Any
) -> str:
    with pytest.raises(kind) as found:
        fit_design(data, design, contrast, PLAIN, **more)
    return str(found.value)


DATA = data_of(LINEAR)


@pytest.mark.parametrize(
    ("design", "contrast", "words"),
    [
        ("~ groop + age", "groop: B - A", "'groop', which is not a column"),
        ("~ groop + age", "groop: B - A", "perhaps 'group'"),
        ("~ group +", "group: B - A", "cannot be read"),
        ("expression ~ group", "group: B - A", "has an outcome before '~'"),
        ("~ group + open('x')", "group: B - A", "which is not allowed"),
        ("~ group + age.__class__", "group: B - A", "not a column"),
        ("~ group + np.log(age)", "group: B - A", "which is not allowed"),
        ("~ group", "group: D - A", "'D' is no level of group. Its levels are 'A', 'B', 'C'"),
        ("~ group", "group: B", "its weights add to 1, not 0"),
        ("~ group", "group: B - B", "is 0 in the design"),
        ("~ group", "sex: male - female", "'sex', which is not a column"),
        ("~ group", "something", "possible are 'group: B - A', 'group'"),
        ("~ group * sex", "group: B - A | sex = man", "'man', which is no level of sex"),
        ("~ sex", "sex: trend", "needs a factor of three or more levels"),
    ],
)
def test_a_mistake_in_design_or_contrast_is_named(design: str, contrast: str, words: str) -> None:
    assert words in refused(DATA, design, contrast, UsageError)


def test_a_design_that_is_not_estimable_names_columns_and_samples() -> None:
    site = ["x" if group == "C" else "y" for group in LINEAR["table"]["group"]]

    said = refused(with_table(site=site), "~ group + site", "group: B - A", AnalysisError)

    assert "is not estimable: the column site[T.y]" in said
    assert "is a combination of Intercept, group[T.C]" in said
    assert "S01" in said


def test_an_interaction_without_samples_is_named() -> None:
    only = [
        "female" if group == "B" else sex
        for group, sex in zip(LINEAR["table"]["group"], LINEAR["table"]["sex"], strict=True)
    ]

    said = refused(with_table(only=only), "~ group * only", "group:only", AnalysisError)

    assert "no sample has group[T.B] and only[T.male]" in said


def test_too_few_samples_for_the_coefficients() -> None:
    few = [f"f{i // 2}" for i in range(30)]

    said = refused(with_table(few=few), "~ few * group", "few", AnalysisError)

    assert "not estimable" in said or "too few" in said


def test_a_group_of_one_is_named() -> None:
    group = ["B", *["A"] * 29]

    said = refused(with_table(group=group), "~ group", "group: B - A", AnalysisError)

    assert "group 'B' has 1 sample; each group that is compared needs 2 (B: 1, A: 29)" in said


def test_a_constant_variable_is_named() -> None:
    said = refused(with_table(site=["x"] * 30), "~ group + site", "group: B - A", AnalysisError)

    assert "site is 'x' in all 30 samples" in said


def test_missing_values_are_an_error_unless_they_are_dropped_or_filled() -> None:
    age = [None, *LINEAR["table"]["age"][1:]]
    data = with_table(age=age)

    said = refused(data, "~ group + age", "group: B - A", AnalysisError)
    dropped = fit_design(data, "~ group + age", "group: B - A", PLAIN, missing="drop")
    filled = fit_design(data, "~ group + age", "group: B - A", PLAIN, missing="fill")

    assert "age is missing in 1 of 30 samples: S01" in said
    assert "S01" not in dropped.groups and any("left out: S01" in w for w in dropped.warnings)
    assert "S01" in filled.groups and "age was missing in 1 sample" in " ".join(filled.warnings)


def test_samples_without_a_group_take_no_part_and_are_named() -> None:
    group = [None, *LINEAR["table"]["group"][1:]]

    found = fit_design(with_table(group=group), "~ group", "group: B - A", PLAIN)

    assert "1 samples have no group and take no part: S01." in found.warnings


def test_other_diseases_are_left_out_where_there_are_healthy_controls() -> None:
    words = {"A": "control", "B": "case", "C": "other disease"}
    data = with_table(group=[words[group] for group in LINEAR["table"]["group"]])

    found = fit_design(data, "~ group + age", "group: case - control", PLAIN)
    all_of_them = fit_design(
        data, "~ group + age", "group: case - control", replace(PLAIN, controls="all")
    )
    named = fit_design(data, "~ group + age", "group: case - other disease", PLAIN)

    assert found.method["contrast"]["text"] == "10 cases against 11 controls"
    assert all_of_them.method["contrast"]["text"] == "10 cases against 20 controls"
    assert "9 other disease, 11 further samples" in named.method["contrast"]["text"]


@pytest.mark.parametrize(
    ("kind", "asked", "trend", "because"),
    [
        ("", None, False, None),
        ("reads", None, True, "normalised reads"),
        ("proteins", None, True, "intensities of proteins"),
        ("reads", False, False, None),
        ("", True, True, None),
    ],
)
def test_the_prior_has_a_trend_where_the_kind_of_values_asks_for_it(
    kind: ValueKind, asked: bool | None, trend: bool, because: str | None
) -> None:
    data = replace(data_of(LINEAR), kind=kind)
    found = fit_design(data, "~ group", "group: B - A", replace(PLAIN, trend=asked))
    prior = found.method["prior"]
    assert (prior["trend"], prior.get("trend_because")) == (trend, because)
    expected = fit_design(data_of(LINEAR), "~ group", "group: B - A", replace(PLAIN, trend=trend))
    assert found.genes["p"].to_list() == expected.genes["p"].to_list()
    assert bool(found.result.trend_summary) == (because is not None)


def test_counts_are_weighted_and_have_no_trend_unless_it_is_asked_for() -> None:
    found = fit_design(counted_data(), "~ group", "group: B - A", PLAIN)
    assert found.method["prior"]["trend"] is False
    averaged = {**counted_data().counts, "effective_library_sizes": {}}
    found = fit_design(replace(counted_data(), counts=averaged), "~ group", "group: B - A", PLAIN)
    assert found.method["prior"]["trend_because"] == "counts without voom's weights"


def test_a_block_without_repeats_is_refused() -> None:
    alone = [f"p{i}" for i in range(30)]

    said = refused(with_table(p=alone), "~ group", "group: B - A", AnalysisError, block="p")

    assert "no two of the 30 samples have the same 'p'" in said


def test_levels_with_signs_and_spaces_are_read() -> None:
    words = {"A": "IL-6", "B": "IL-6 high", "C": "pre - post"}
    data = with_table(**{"disease state": [words[group] for group in LINEAR["table"]["group"]]})

    found = fit_design(data, "~ `disease state`", "disease state: IL-6 high - IL-6", PLAIN)
    plain = fit_design(DATA, "~ group", "group: B - A", PLAIN)

    assert found.genes["p"].to_list() == pytest.approx(plain.genes["p"].to_list(), rel=1e-9)


def test_an_offset_is_subtracted_from_expression() -> None:
    shift = np.linspace(-1, 1, 30)
    data = with_table(shift=shift.tolist())
    moved = replace(data, expression=data.expression + shift[:, None])

    plain = fit_design(DATA, "~ group", "group: B - A", PLAIN)
    found = fit_design(moved, "~ group + offset(shift)", "group: B - A", PLAIN)

    assert found.genes["t"].to_list() == pytest.approx(plain.genes["t"].to_list(), rel=1e-9)


def test_numbers_that_may_be_groups_are_mentioned() -> None:
    data = with_table(run=[1, 2, 3] * 10)

    as_number = fit_design(data, "~ group + run", "group: B - A", PLAIN)
    as_groups = fit_design(data, "~ group + C(run)", "group: B - A", PLAIN)

    assert "run (1, 2, 3) is taken as a number; C(run) takes it as groups." in as_number.warnings
    assert len(as_groups.method["design"]) == len(as_number.method["design"]) + 1


def test_the_order_of_levels_is_that_of_the_request() -> None:
    found = fit_design(DATA, "~ group", "group", PLAIN, order={"group": ("C", "A", "B")})

    assert found.method["formula"]["tested"] == ["group[T.A]", "group[T.B]"]


def test_levels_that_differ_in_case_or_blanks_are_one_unless_they_are_compared() -> None:
    table = pl.DataFrame(
        {"dex": ["Dex", "dex", "dex", "untrt", "Untrt "], "id": ["a", "A", "b", "B", "c"]}
    )
    typed = typed_columns(table)
    by_contrast, said = one_spelling(typed, "~ dex", ["dex: Dex - untrt"])
    assert by_contrast["dex"].to_list() == ["Dex", "Dex", "Dex", "untrt", "untrt"]
    assert said[0].startswith("dex: dex, Dex are taken as one level, 'Dex'") and len(said) == 2
    by_number, _ = one_spelling(typed, "~ dex", ["dex"])
    assert by_number["dex"].to_list()[:3] == ["dex"] * 3
    # Columns that no design names are left as they are, and so are levels that are compared.
    assert by_contrast["id"].equals(typed["id"])
    compared, said = one_spelling(typed, "~ dex", ["dex: Dex - dex"])
    assert compared["dex"].to_list()[:3] == ["Dex", "dex", "dex"]
    assert [text.split(":")[0] for text in said] == ["dex"] and "'untrt'" in said[0]


def test_repeated_people_whom_the_design_names_are_not_suspected() -> None:
    rng = np.random.default_rng(2)
    person = rng.normal(0, 2, (10, 400))
    values = 8 + np.repeat(person, 2, axis=0) + rng.normal(0, 0.4, (20, 400))
    samples = pl.DataFrame(
        {"group": ["a", "b"] * 10, "donor": [f"D{i // 2}" for i in range(20)],
         "half": ["x"] * 10 + ["y"] * 10}
    )  # fmt: skip
    data = DesignData(
        "own",
        tuple(f"G{j}" for j in range(400)),
        tuple(f"S{i}" for i in range(20)),
        values,
        samples,
    )

    def warned(design: str) -> bool:
        request = DesignRequest(design, "group: b - a", data.samples, typed_columns(samples))
        found = fit_request(data, request, "own", AnalysisOptions(panel=False))
        return any("Repeated samples suspected" in text for text in found.warnings)

    assert warned("~ group") and warned("~ half + group")
    assert not warned("~ donor + group")

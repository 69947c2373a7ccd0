"""Designs as matrices: those of R's model.matrix, and of the formula library where R has no such.

Golden matrices: benchmarks/golden/golden_formulas.R (R's model.matrix, splines).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from formulaic import model_matrix
from numpy.typing import NDArray

from genotex.analysis import FormulaDesign, Formulas, fit_formula
from genotex.errors import AnalysisError, UsageError

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "designs" / "matrices.json").read_text()
)
TABLE = pl.DataFrame(GOLDEN["table"])
SAMPLES = [f"s{i}" for i in range(TABLE.height)]


def design(text: str, table: pl.DataFrame = TABLE, **order: tuple[str, ...]) -> FormulaDesign:
    samples = [f"s{i}" for i in range(table.height)]
    return fit_formula(Formulas.read(text, table.columns), table, samples, order)


def projection(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    basis = np.linalg.qr(matrix)[0]
    found: NDArray[np.float64] = basis @ basis.T
    return found


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["formula"])
def test_a_design_spans_the_columns_of_r(case: dict[str, Any]) -> None:
    wanted = np.array(case["matrix"], dtype=np.float64)

    found = design(case["formula"]).matrix

    assert found.shape == wanted.shape
    np.testing.assert_allclose(projection(found), projection(wanted), atol=1e-10)
    # Bases of splines and polynomials differ; everything else is coded as in R.
    if not re.search(r"bs\(|ns\(|poly\(", case["formula"]):
        ours, theirs = (sorted(map(tuple, m.T.round(8))) for m in (found, wanted))
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize(
    "text",
    [
        "~ group",
        "group + age",
        "~ group * sex * age",
        "~ group*sex*age - group:sex:age",
        "~ (group + sex):(age + x)",
        "~ group*(age + sex)",
        "~ group/age",
        "~ group %in% sex",
        "~ group:sex + group",
        "~ group + age + age:group + group:age",
        "~ 0 + sex + group + age",
        "~ 0 + group + 1",
        "~ -1 + group",
        "~ age:x",
        "~ C(batch) + group",
        "~ C(batch)/sex",
        "~ C(`disease state`) * group",
        "~ group + `x`",
        "~ group + bs(age, 4)",
        "~ group*bs(age,df=4,degree=2)",
        "~ group + bs(age, knots=[45, 55], degree=1)",
        "~ group + bs(age, df=5, include_intercept=True) - 1",
        "~ group + bs(age, df=4, lower_bound=0, upper_bound=100)",
        "~ group + cr(age, df=3, constraints='center')",
        "~ 0 + cc(age, df=4)",
        "~ 0 + cs(age, df=4)",
        "~ poly(age, degree=3)",
        "~ poly(age, 2, raw=True)",
        "~ group + poly(log(age), 2)",
        "~ group + scale(age) + center(x)",
        "~ group + scale(age, scale=False)",
        "~ group + log10(age) + exp(x)",
        "~ group + {age**2}",
        "~ group + {(age + 1)*2/3 - x}",
        "~ group + {-age}",
        "~ group + age + {age**2} + {age**3}",
    ],
)
def test_a_design_is_the_matrix_of_the_formula_library(text: str) -> None:
    frame = pd.DataFrame(GOLDEN["table"])
    frame["batch"] = pd.Categorical(frame["batch"].astype(str))
    wanted = model_matrix(text, frame)

    found = design(text)

    assert list(found.names) == list(wanted.columns)
    np.testing.assert_array_equal(found.matrix, np.asarray(wanted, dtype=np.float64))
    assert {term: list(places) for term, places in found.terms.items()} == {
        str(term): places for term, places in wanted.model_spec.term_indices.items()
    }


def test_offsets_are_arithmetic_and_add_up() -> None:
    found = design("~ group + offset(log(age)) + offset(2 * x)")

    assert found.names == ("Intercept", "group[T.B]", "group[T.C]")
    assert found.offset is not None
    np.testing.assert_allclose(found.offset, np.log(TABLE["age"]) + 2 * TABLE["x"])
    assert design("~ group").offset is None


def test_a_comparison_is_a_column_of_0_and_1() -> None:
    found = design("~ group + {age > 50} + {sex == 'male'}")

    assert found.names[3:] == ("age > 50", "sex == 'male'")
    np.testing.assert_array_equal(found.matrix[:, 3], (TABLE["age"] > 50).cast(pl.Float64))
    np.testing.assert_array_equal(found.matrix[:, 4], (TABLE["sex"] == "male").cast(pl.Float64))


def test_listed_levels_set_the_reference_and_the_order() -> None:
    found = design("~ C(group, levels=['C', 'A', 'B'])")

    assert found.levels["group"] == ("C", "A", "B")
    assert found.level_of(1) == ("group", "A")
    np.testing.assert_array_equal(found.matrix[:, 2], (TABLE["group"] == "B").cast(pl.Float64))


def test_a_row_is_the_mean_when_all_samples_had_a_value() -> None:
    found = design("~ group * bs(age, df=4)")
    as_b = design("~ group * bs(age, df=4)").matrix.copy()

    row = found.row({"group": "B"})

    np.testing.assert_allclose(row[:3], [1, 1, 0])
    np.testing.assert_allclose(row[3:7], as_b[:, 3:7].mean(axis=0))
    # Knots stay where the samples had them, whatever age is asked about.
    young, old = (found.row({"group": "A", "age": age}) for age in ("45", "60"))
    assert np.abs(young[3:7] - old[3:7]).max() > 0.1


def test_columns_of_terms_are_known_whatever_they_are_called() -> None:
    table = TABLE.with_columns(pl.col("x").alias("sex:group"), pl.col("age").alias("log"))
    found = design("~ `sex:group` + log(log) * group", table)

    assert found.variables_of("sex:group") == ("sex:group",)
    assert found.variables_of("log(log):group") == ("log", "group")


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("~ grp", UsageError, "'grp', which is not a column of the sample table"),
        ("~ group + 2", UsageError, "arithmetic goes into I(), as in 'I(2 * age)'"),
        ("~ group + (1 | pair)", UsageError, "name the people in --block"),
        ("~ group | pair", UsageError, "name the people in --block"),
        ("~ group + lag(age)", UsageError, "it calls lag(), which is not allowed; use columns"),
        ("~ bs(age, df='4')", UsageError, "df of bs() must be a whole number from 1 to 100"),
        ("~ bs(age, weights=4)", UsageError, "bs() takes df, knots, degree"),
        ("~ center(age, 2)", UsageError, "center() takes one argument"),
        ("~ C(log(age))", UsageError, "C() takes a column, not 'log(age)'"),
        ("~ bs(bs(age, df=4), df=4)", UsageError, "is not a number for each sample"),
        ("~ bs(age, df=2)", AnalysisError, "cannot be computed: bs(age, df=2): Invalid value"),
        ("~ {sex == 'man'}", AnalysisError, "no sample has sex == 'man'"),
        ("~ {log(age) == sex}", UsageError, "cannot be compared with a text"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        design(text)


def test_a_wide_design_of_pairs_is_read_within_the_limits() -> None:
    n = 1_200
    table = pl.DataFrame({"group": ["A", "B"] * (n // 2), "pair": [f"p{i // 2}" for i in range(n)]})

    assert design("~ group + pair", table).matrix.shape == (n, n // 2 + 1)
    with pytest.raises(AnalysisError, match=r"too few|not estimable"):
        design("~ group * pair", table)

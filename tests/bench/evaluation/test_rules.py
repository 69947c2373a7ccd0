"""The odd cases of docs/evaluation.md: our rules, and those of the published scorer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from genotex.bench import (
    EvaluationOptions,
    RulesName,
    Scores,
    average_tables,
    compare_runs,
    evaluate,
    settings_rows,
    summarise,
)
from genotex.errors import FormatError, UsageError
from genotex.layout import OutputFolder
from tests.bench.evaluation.output_folders import (
    CONTINUOUS,
    UNAVAILABLE,
    cohort,
    write_answer,
    write_cohorts,
    write_json,
    write_table,
    write_text_table,
)

Write = Callable[[Path], object]
_DOCS = Path(__file__).parents[3] / "docs" / "evaluation.md"


def scored(root: Path, task: Any, rules: RulesName, predicted: Write, wanted: Write) -> Scores:
    predicted(root / "p")
    wanted(root / "r")
    (root / "p").mkdir(exist_ok=True)
    return evaluate(root / "p", root / "r", EvaluationOptions(tasks=(task,), rules=rules))


def cohorts(**records: Any) -> Write:
    return lambda root: write_cohorts(root, "Asthma", records)


def nothing(root: Path) -> None:
    """Write no file."""


def broken_cohorts(root: Path) -> None:
    cohorts()(root)
    OutputFolder(root).cohort_info("Asthma").write_text("{")


def answer(*genes: Any, prediction: dict[str, float] | None = None) -> Write:
    return lambda root: write_answer(root, "Asthma", None, genes, prediction)


def variable(names: Any) -> Write:
    content = {"significant_genes": {"Variable": names}}
    path = "regress/Asthma/significant_genes_condition_None.json"
    return lambda root: write_json(root / path, content)


def broken_answer(root: Path) -> None:
    write_answer(root, "Asthma", None, ["A"]).write_text('{"significant_genes":')


SAMPLES = ["GSM1", "GSM2", "GSM3", "GSM4"]


def table(rows: list[str], columns: list[str]) -> Write:
    values = np.random.default_rng(3).normal(size=(len(rows), len(columns)))
    return lambda root: write_table(root, "gene", "Asthma", "GSE1", rows, columns, values)


def header(root: Path) -> None:
    write_text_table(root, "gene", "Asthma", "GSE1", f",{','.join(SAMPLES)}\n")


class Odd(NamedTuple):
    """A case as docs/evaluation.md has it."""

    words: str
    predicted: Write
    wanted: Write
    figures: tuple[str, ...]  # section and figure
    ours: tuple[float | None, ...] | type[Exception]
    published: tuple[float | None, ...] | None  # None: left out


AVAILABLE, ABSENT = cohorts(GSE1=cohort()), cohorts(GSE2=UNAVAILABLE)
FILTERING = "filtering precision", "filtering f1", "filtering accuracy"
SELECTION = ("selection accuracy",)
GENES = "analysis precision", "analysis recall", "analysis f1"
TRAIT = "analysis trait_accuracy", "analysis trait_f1"
TABLE = "gene sj", "gene csc"
FIVE, SIX = "ABCDE", "ABCDEX"
CASES = (
    Odd(
        "no cohort is available on either side",
        ABSENT,
        ABSENT,
        FILTERING,
        (100, 100, 100),
        (0, 0, 100),
    ),
    Odd(
        "`cohort_info.json` of the prediction is missing",
        nothing,
        cohorts(GSE1=cohort(), GSE2=UNAVAILABLE),
        (*FILTERING, *SELECTION),
        (0, 0, 0, 0),
        (0, 0, 50, 0),
    ),
    Odd(
        "the same, and the reference has nothing to choose",
        nothing,
        ABSENT,
        SELECTION,
        (0,),
        (100,),
    ),
    Odd(
        "`cohort_info.json` of the prediction cannot be read",
        broken_cohorts,
        AVAILABLE,
        (*FILTERING, *SELECTION),
        (0, 0, 0, 0),
        None,
    ),
    Odd(
        "`cohort_info.json` of the reference cannot be read",
        AVAILABLE,
        broken_cohorts,
        FILTERING,
        FormatError,
        None,
    ),
    Odd(
        "the only usable cohort has a null `sample_size`",
        cohorts(GSE1=cohort(None)),
        AVAILABLE,
        SELECTION,
        (100,),
        (0,),
    ),
    Odd(
        "others are usable next to one with a null `sample_size`",
        cohorts(GSE1=cohort(None), GSE2=cohort(5)),
        cohorts(GSE2=cohort(8)),
        SELECTION,
        (100,),
        (100,),
    ),
    Odd(
        "JSON of a predicted answer cannot be read",
        broken_answer,
        answer("A"),
        GENES,
        (0, 0, 0),
        None,
    ),
    Odd(
        "JSON of an answer of the reference cannot be read",
        answer("A"),
        broken_answer,
        GENES,
        FormatError,
        None,
    ),
    Odd(
        "an answer is missing",
        nothing,
        answer("A"),
        (*GENES, *TRAIT),
        (0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0),
    ),
    Odd("`Variable` is null", variable(None), answer("A"), GENES, (0, 0, 0), None),
    Odd(
        "`Variable` is a text in place of a list",
        variable("ABX"),
        answer(*"AB"),
        GENES,
        (0, 0, 0),
        (200 / 3, 100, 80),
    ),
    Odd(
        "a number or null among the genes",
        variable(["A", 7157, None, "B"]),
        answer("A", "B", "7157"),
        GENES,
        (0, 0, 0),
        (50, 200 / 3, 400 / 7),
    ),
    Odd(
        "a gene is named twice, precision",
        answer(*FIVE, *SIX),
        answer(*FIVE),
        GENES,
        (500 / 6, 100, 1000 / 11),
        (1000 / 11, 100, 2000 / 21),
    ),
    # The last A comes after X, one of the 19,999 negatives; either A is a whole step up.
    Odd(
        "a gene is named twice, ranking",
        answer("A", "X", "A"),
        answer("A"),
        ("analysis auroc", "analysis gsea_es", "analysis predicted"),
        (1, 1, 2),
        (1 - 1 / 19_999, 2 - 1 / 19_999, 2),
    ),
    Odd(
        "the trait is continuous",
        answer("A", prediction=CONTINUOUS),
        answer("A", prediction=CONTINUOUS),
        TRAIT,
        (None, None),
        (0, 0),
    ),
    Odd(
        "neither side states how well the trait is predicted",
        answer("A"),
        answer("A"),
        TRAIT,
        (None, None),
        (0, 0),
    ),
    Odd(
        "an accuracy or F1 of the trait is stated where the reference has none",
        answer("A", prediction={"accuracy": 80.0}),
        answer("A", prediction=CONTINUOUS),
        TRAIT,
        (None, None),
        (80, 0),
    ),
    Odd(
        "an accuracy or F1 of the trait is outside 0 to 100, or an R2 above 1",
        answer("A", prediction={"accuracy": 999.0, "f1": 1e9}),
        answer("A"),
        TRAIT,
        (0, 0),
        (999, 1e9),
    ),
    Odd(
        "two rows of a table have one name",
        table(["A", "B", "A"], SAMPLES),
        table(["A", "B", "A"], SAMPLES),
        TABLE,
        (1, 1),
        (0, 0),
    ),
    Odd(
        "two columns of a table have one name",
        table(["A", "B"], [*SAMPLES, "GSM1"]),
        table(["A", "B"], SAMPLES),
        ("gene sj",),
        (1,),
        (4 / 5,),
    ),
    Odd("a table has a header alone", header, header, TABLE, (1, 0), (0, 0)),
)
BOTH: tuple[RulesName, ...] = ("genotex", "published")


@pytest.mark.parametrize("rules", BOTH)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_odd_case(tmp_path: Path, case: Odd, rules: RulesName) -> None:
    sections = {one.split()[0] for one in case.figures}
    task = {"gene": "preprocessing", "analysis": "analysis"}.get(min(sections), "selection")
    expected = case.ours if rules == "genotex" else case.published
    if isinstance(expected, type):
        with pytest.raises(expected):
            scored(tmp_path, task, rules, case.predicted, case.wanted)
        return
    scores = scored(tmp_path, task, rules, case.predicted, case.wanted)
    items = {**vars(scores), **scores.preprocessing}
    if expected is None:
        assert not any(items[section] for section in sections)
        assert any(note.startswith("left out by the rules") for note in scores.notes)
        return
    found = [getattr(items[section][0], name) for section, name in map(str.split, case.figures)]
    assert found == [pytest.approx(value, abs=1e-9) for value in expected]


def test_docs_list_the_odd_cases_in_this_order() -> None:
    _, text = _DOCS.read_text().split("### Rules for odd cases")
    rows = [
        line.split("|")[1].strip() for line in text.split("\n## ")[0].splitlines() if "|" in line
    ]
    assert rows[2:] == [case.words for case in CASES]


@pytest.mark.parametrize(
    ("rules", "words"), [("genotex", "genotex"), ("published", "published scorer")]
)
def test_rules_are_stated(tmp_path: Path, rules: RulesName, words: str) -> None:
    scores = scored(tmp_path, "analysis", rules, answer("A"), answer("A"))
    assert settings_rows(scores)[0] == ("rules", words)
    (table,) = average_tables(summarise(scores))
    assert table.title.endswith("(rules: published scorer)") == (rules == "published")


def test_runs_by_different_rules_are_not_compared(tmp_path: Path) -> None:
    runs = {
        rules: scored(tmp_path / rules, "analysis", rules, answer("A"), answer("A"))
        for rules in BOTH
    }
    with pytest.raises(UsageError, match="the runs differ in rules"):
        compare_runs(runs)

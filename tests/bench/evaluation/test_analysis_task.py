"""Answers of any tool, and their scores."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.bench import (
    RULES,
    AnalysisScore,
    AnsweredTrait,
    GeneList,
    MetricsVersion,
    Missing,
    ScoringRules,
    UniverseFile,
    compare_genes,
    read_gene_list,
    read_universe,
    score_answers,
)
from genotex.errors import FormatError
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind
from tests.bench.evaluation.output_folders import BINARY, CONTINUOUS, write_answer, write_json


def read(root: Path, content: object) -> GeneList:
    return read_gene_list(write_json(root / "answer.json", content))


def test_form_of_the_benchmark(tmp_path: Path) -> None:
    """As in the benchmark's README, section 4."""
    genes = {"Variable": ["TRIB1", "A2M"], "Coefficient": [-3.6, 2.7]}
    prediction = {"accuracy": 80, "f1": 75.5, "precision": None, "recall": float("nan")}
    content = {"significant_genes": genes, "cv_performance": {"prediction": prediction}}
    assert read(tmp_path, content) == GeneList(("TRIB1", "A2M"), {"accuracy": 80.0, "f1": 75.5})


@pytest.mark.parametrize(
    "rest", [{}, {"cv_performance": None}, {"cv_performance": {"prediction": [1]}}]
)
def test_any_tool_may_tell_genes_alone(tmp_path: Path, rest: dict[str, Any]) -> None:
    content = {"significant_genes": {"Variable": []}, **rest}
    assert read(tmp_path, content) == GeneList((), {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "significant_genes.Variable: expected a list of symbols, found nothing"),
        ({"significant_genes": ["TP53"]}, "found nothing"),
        ({"significant_genes": {"Variable": {"0": "TP53"}}}, "found dict"),
        ({"significant_genes": {"Variable": ["TP53", 7157]}}, "symbols only, found int"),
        ([], "expected a JSON object"),
    ],
)
def test_other_forms_are_refused(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tmp_path, content)


def test_every_real_answer_of_2024_is_read(shared_data: Path) -> None:
    paths = sorted((shared_data / "reference_2024" / "regress").glob("*/*.json"))
    assert len(paths) == 21
    for path in paths:
        found = read_gene_list(path)
        content = json.loads(path.read_text())
        assert list(found.genes) == content["significant_genes"]["Variable"]
        assert set(found.prediction) == {"accuracy", "precision", "recall", "f1"}


def score(
    root: Path,
    problem: Problem,
    source: UniverseFile | None = None,
    metrics: MetricsVersion = "default",
    rules: ScoringRules = RULES["genotex"],
) -> tuple[AnalysisScore, Missing | None]:
    work = AnsweredTrait(root / "r", ((problem, source),), metrics, rules)
    ((scored,),) = score_answers([OutputFolder(root / "p")], work)
    return scored


def test_figures_and_lengths_of_both_lists(tmp_path: Path) -> None:
    write_answer(tmp_path / "p", "Asthma", None, ["A", "X", "A"], BINARY)
    write_answer(tmp_path / "r", "Asthma", None, ["B", "A", "C", "C"], BINARY)
    found, missing = score(tmp_path, Problem("Asthma"))
    assert missing is None
    agreement = compare_genes(["A", "X"], ["A", "B", "C"])
    assert found == AnalysisScore(
        trait="Asthma",
        condition=None,
        kind=ProblemKind.UNCONDITIONAL,
        success=100.0,
        precision=50.0,
        recall=pytest.approx(100 / 3),
        f1=pytest.approx(40.0),
        auroc=agreement.auroc,
        auprc=agreement.auprc,
        gsea_es=agreement.gsea_es,
        gsea_es_within=agreement.gsea_es_within,
        predicted=2,
        reference=3,
        trait_kind="binary",
        trait_accuracy=80.0,
        trait_f1=75.0,
    )


def test_an_impossible_accuracy_counts_0_and_says_so_but_as_it_is_for_the_published_scorer(
    tmp_path: Path,
) -> None:
    impossible = {"accuracy": 999.0, "f1": 75.0}
    write_answer(tmp_path / "p", "Asthma", None, ["A"], impossible)
    write_answer(tmp_path / "r", "Asthma", None, ["A"], BINARY)
    found, missing = score(tmp_path, Problem("Asthma"))
    assert (found.trait_accuracy, found.trait_f1, found.f1) == (0, 75, 100)
    assert missing is not None and "accuracy 999 is impossible" in missing.why
    found, missing = score(tmp_path, Problem("Asthma"), rules=RULES["published"])
    assert (found.trait_accuracy, missing) == (999, None)


@pytest.mark.parametrize(
    ("condition", "kind"), [("Age", "one-step"), ("Gender", "one-step"), ("Obesity", "two-step")]
)
def test_kind_follows_from_the_condition(tmp_path: Path, condition: str, kind: str) -> None:
    for side in ("p", "r"):
        write_answer(tmp_path / side, "Asthma", condition, ["A"])
    found, _ = score(tmp_path, Problem("Asthma", condition))
    assert (found.condition, found.kind, found.f1) == (condition, kind, 100)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "missing"),
        ("[1, 2", "cannot be read: line 1: not valid JSON"),
        ("{}", "cannot be read: significant_genes.Variable: expected a list of symbols"),
    ],
)
@pytest.mark.parametrize("reference", [["A"], []])
def test_prediction_that_is_missing_or_broken_scores_0_in_every_figure(
    tmp_path: Path, text: str | None, why: str, reference: list[str]
) -> None:
    """Also where AUROC would be undefined because the reference names no gene."""
    path = write_answer(tmp_path / "p", "Asthma", None, [])
    path.unlink() if text is None else path.write_text(text)
    write_answer(tmp_path / "r", "Asthma", None, reference)
    found, missing = score(tmp_path, Problem("Asthma"))
    assert (found.success, found.precision, found.recall, found.f1) == (0, 0, 0, 0)
    assert (found.auroc, found.auprc, found.gsea_es, found.gsea_es_within) == (0, 0, 0, 0)
    assert (found.predicted, found.reference) == (0, len(reference))
    assert (found.trait_kind, found.trait_accuracy, found.trait_f1) == (None, 0, 0)
    assert isinstance(missing, Missing)
    assert (missing.task, missing.item) == ("analysis", "Asthma")
    assert missing.why.startswith(why)


def test_empty_lists_are_answers(tmp_path: Path) -> None:
    write_answer(tmp_path / "p", "Asthma", None, [])
    write_answer(tmp_path / "r", "Asthma", None, ["A"])
    found, missing = score(tmp_path, Problem("Asthma"))
    assert (found.success, found.f1, found.auroc, missing) == (100, 0, 0.5, None)
    write_answer(tmp_path / "r", "Asthma", None, [])
    found, _ = score(tmp_path, Problem("Asthma"))
    assert (found.success, found.f1, found.auroc, found.gsea_es) == (100, 100, None, None)


def test_broken_reference_is_an_error(tmp_path: Path) -> None:
    write_answer(tmp_path / "r", "Asthma", None, []).write_text("{}")
    with pytest.raises(FormatError, match="expected a list of symbols"):
        score(tmp_path, Problem("Asthma"))


def test_legacy_metrics(tmp_path: Path) -> None:
    write_answer(tmp_path / "p", "Asthma", None, ["X", "A"], CONTINUOUS)
    write_answer(tmp_path / "r", "Asthma", None, ["A", "B"], CONTINUOUS)
    found, _ = score(tmp_path, Problem("Asthma"), metrics="legacy")
    assert found.auroc == pytest.approx(19_998 / 19_999, abs=1e-15), "B is no positive"
    assert (found.trait_accuracy, found.trait_f1, found.trait_r2) == (0, 0, 0.25)
    new, _ = score(tmp_path, Problem("Asthma"))
    assert new.auroc == pytest.approx(0.75, abs=1e-4)
    assert (new.trait_accuracy, new.trait_r2) == (None, 0.25)


def test_all_genes_of_a_file_and_of_a_linked_table(tmp_path: Path) -> None:
    write_answer(tmp_path / "p", "Asthma", None, ["A", "X"])
    write_answer(tmp_path / "r", "Asthma", None, ["A", "B"])
    symbols, linked = tmp_path / "symbols.txt", tmp_path / "linked.csv"
    symbols.write_text("A\n B \n\nC\r\nX\nA\n")
    linked.write_text(",Asthma,Age,Gender,A,B,C,X\ns1,not,read\n")
    sources = UniverseFile("symbols", symbols), UniverseFile("linked table", linked)
    for source in sources:
        assert read_universe(source) == {"A", "B", "C", "X"}
        found, _ = score(tmp_path, Problem("Asthma"), source)
        # Negatives X and C: A beats both, B ties with C.
        assert found.auroc == (2 + 0.5) / 4
        assert found.gsea_es == 1 / 2


@pytest.mark.parametrize(
    ("text", "message"), [("\n \n", "file is empty"), (None, "cannot be read")]
)
def test_list_of_all_genes_that_is_none(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "symbols.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_universe(UniverseFile("symbols", path))
    header = tmp_path / "linked.csv"
    header.write_text(",Asthma,Age\n")
    with pytest.raises(FormatError, match="names no gene"):
        read_universe(UniverseFile("linked table", header))

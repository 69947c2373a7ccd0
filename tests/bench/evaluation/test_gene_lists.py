import json
from pathlib import Path
from typing import Any

import pytest

from genotex.bench.evaluation.analysis_task import GeneList, read_gene_list
from genotex.errors import FormatError
from tests.bench.evaluation.output_folders import write_json


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

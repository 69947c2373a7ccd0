"""What a method may write, and what is refused."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.bench import ErrorClass, write_answer
from genotex.bench.runs.outputs import check_answer, check_cohorts
from genotex.errors import MethodFailedError
from genotex.layout import OutputFolder
from genotex.problems import Problem

PROBLEM = Problem("Asthma", "Age")
NAME = "regress/Asthma/significant_genes_condition_Age.json"

Write = Callable[[Path], object]


def put(content: str | bytes, name: str = NAME) -> Write:
    def write(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def genes(*names: object, **columns: object) -> str:
    return json.dumps({"significant_genes": {"Variable": list(names), **columns}})


def refused(folder: Path, secrets: tuple[str, ...] = ()) -> MethodFailedError:
    with pytest.raises(MethodFailedError) as error:
        check_answer(folder, PROBLEM, secrets)
    return error.value


def test_list_of_symbols_is_an_answer(tmp_path: Path) -> None:
    put(genes("HLA-DRB1", "IL13", Coefficient=[0.5, None]))(tmp_path)
    answer = check_answer(tmp_path, PROBLEM)
    assert (answer.genes, answer.cohort, answer.table) == (2, None, None)


def test_empty_list_is_an_answer(tmp_path: Path) -> None:
    put(genes())(tmp_path)
    assert check_answer(tmp_path, PROBLEM).genes == 0


def test_cohort_is_read_where_it_is_told(tmp_path: Path) -> None:
    write_answer(OutputFolder(tmp_path), PROBLEM, ["TP53"], "GSE1")
    assert check_answer(tmp_path, PROBLEM).cohort == "GSE1"


def test_nothing_written_is_no_answer(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert error.error_class == ErrorClass.NO_ANSWER
    assert str(error) == f"the method ended without writing {NAME}"


MISTAKES: list[tuple[str, Write, str]] = [
    ("text", put("TP53, EGFR"), "is not JSON"),
    ("cut off", put('{"significant_genes": {"Vari'), "is not JSON"),
    ("other bytes", put(b"\xff\xfe\x00"), "UTF-16 text in place of the data"),
    ("nested", put("[" * 100_000), "nested 100,000 levels deep"),
    ("NaN", put(genes("TP53", Coefficient=[float("nan")])), "NaN is not a JSON number"),
    ("list", put('["TP53"]'), "is not a JSON object"),
    ("no genes", put("{}"), "no list significant_genes.Variable"),
    ("one text", put('{"significant_genes": {"Variable": "TP53"}}'), "no list"),
    ("numbers", put(genes(7157)), "7157 in significant_genes.Variable is not a symbol"),
    ("blank", put(genes("TP53", "")), '"" in significant_genes.Variable is not a symbol'),
    ("spaces", put(genes(" TP53")), "is not a symbol"),
    ("control", put(genes("TP53\n")), "is not a symbol"),
    ("short column", put(genes("A1", "A2", Coefficient=[1.0])), "as long as Variable"),
    ("other condition", put(genes("A"), NAME.replace("Age", "None")), "it wrote regress/Asthma/"),
    ("other trait", put(genes("A"), NAME.replace("Asthma", "Gout")), "it wrote regress/Gout/"),
    ("a note", put("x", "notes.txt"), "it wrote notes.txt; only "),
    ("cohorts", put("x", "preprocess/Asthma/GSE1.csv"), "it wrote preprocess/Asthma/GSE1.csv"),
    ("table", put("x", "regress/Asthma/all_genes_condition_Age.parquet"), "by its digest"),
]


@pytest.mark.parametrize(("write", "told"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_mistakes_are_bad_output(tmp_path: Path, write: Write, told: str) -> None:
    put(genes("TP53"))(tmp_path)
    write(tmp_path)
    error = refused(tmp_path)
    assert error.error_class == ErrorClass.BAD_OUTPUT
    assert told in str(error)


def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(genes("TP53"))
    for name, target in ((NAME, elsewhere), ("regress", tmp_path)):
        folder = tmp_path / name.replace("/", "-")
        (folder / name).parent.mkdir(parents=True)
        (folder / name).symlink_to(target)
        assert "is a link; links are not followed" in str(refused(folder))


def test_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / NAME).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / NAME)
    assert "is not a plain file" in str(refused(tmp_path))


def test_value_of_a_secret_is_refused_and_not_repeated(tmp_path: Path) -> None:
    put(genes("TP53", Note=["key sk-123456"]))(tmp_path)
    told = str(refused(tmp_path, ("sk-123456",)))
    assert "contains the value of a variable given by --pass-env" in told
    assert "sk-123456" not in told


INFO = json.dumps(
    {
        "GSE1": {
            "is_usable": True,
            "is_gene_available": True,
            "is_trait_available": True,
            "is_available": True,
            "sample_size": 20,
        }
    }
)
COHORT = {
    "cohort_info.json": INFO,
    "GSE1.csv": ",Asthma,Age,TP53\nGSM1,1,50,7.5\n",
    "clinical_data/GSE1.csv": ",GSM1\nAsthma,1\n",
    "gene_data/GSE1.csv": ",GSM1\nTP53,7.5\n",
}


def put_cohort(folder: Path, trait: str = "Asthma", **changed: str | None) -> None:
    for name, content in {**COHORT, **changed}.items():
        if content is not None:
            put(content.replace("Asthma", trait), f"preprocess/{trait}/{name}")(folder)


def test_cohort_in_the_benchmarks_layout_is_taken(tmp_path: Path) -> None:
    put_cohort(tmp_path)
    put("", "preprocess/Asthma/.cohort_info.json.lock")(tmp_path)
    check_cohorts(tmp_path, PROBLEM)
    put(genes("TP53"))(tmp_path)
    assert check_answer(tmp_path, PROBLEM, own_cohorts=True).genes == 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"cohort_info.json": None}, "cohort_info.json"),
        ({"cohort_info.json": "{"}, "not valid JSON"),
        ({"GSE2.csv": ",Asthma\n"}, "GSE2.csv of Asthma is not in cohort_info.json"),
        ({"GSE1.csv": ",Gout,TP53\n"}, "is Gout, not Asthma"),
        ({"code/GSE1.py": "x"}, "is not a file of a preprocessed cohort of Asthma"),
        ({"GSE1.txt": "x"}, "is not a file of a preprocessed cohort of Asthma"),
    ],
)
def test_mistakes_in_cohorts_are_bad_output(
    tmp_path: Path, changed: dict[str, str | None], told: str
) -> None:
    put_cohort(tmp_path, **changed)
    with pytest.raises(MethodFailedError, match=told) as error:
        check_cohorts(tmp_path, PROBLEM)
    assert error.value.error_class == ErrorClass.BAD_OUTPUT


def test_cohorts_of_another_trait_are_refused(tmp_path: Path) -> None:
    put_cohort(tmp_path, "Gout")
    with pytest.raises(MethodFailedError, match="not a file of a preprocessed cohort of Asthma"):
        check_cohorts(tmp_path, PROBLEM)
    check_cohorts(tmp_path, Problem("Asthma", "Gout"))

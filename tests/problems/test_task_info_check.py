import json
from pathlib import Path

import polars as pl
import pytest

from genotex.errors import FormatError
from genotex.genes import GENE_SCHEMA, GeneSource, GeneTable
from genotex.problems import Finding, check_task_info

GENES = GeneTable(
    pl.DataFrame(
        [
            (1, "TP53", "P53", "", "protein-coding"),
            (2, "IL33", "C9orf26|NFHEV", "", "protein-coding"),
            (3, "GAA", "AG1", "", "protein-coding"),
            (4, "GAB", "AG1", "", "protein-coding"),
            (5, "C1orf1", "", "", "protein-coding"),
        ],
        schema=GENE_SCHEMA,
        orient="row",
    ),
    GeneSource("test", "2020-01-01", "", 5),
)


def trait(genes: object = (), conditions: object = ()) -> dict[str, object]:
    return {"related_genes": genes, "conditions": conditions}


def findings(folder: Path, content: object) -> tuple[Finding, ...]:
    path = folder / "task_info.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return check_task_info(path, GENES)


def only(found: tuple[Finding, ...]) -> Finding:
    assert len(found) == 1, found
    return found[0]


def test_sound_file_has_no_findings(tmp_path: Path) -> None:
    content = {
        "Asthma": trait(["TP53", "C1orf1"], ["Age", "Gender", "Bone Loss"]),
        "Bone_Loss": trait(["IL33"]),
        "Height": trait(),
    }
    assert findings(tmp_path, content) == ()


def test_traits_that_differ_in_spelling_only(tmp_path: Path) -> None:
    content = {"Crohns_Disease": trait(), "Crohns_disease": trait(), "Gout": trait()}
    found = only(findings(tmp_path, content))
    assert found.severity == "error" and found.places == ("Crohns_Disease", "Crohns_disease")
    names = {"Crohn's Disease": trait(), "Crohns_Disease": trait()}
    messages = [finding.message for finding in findings(tmp_path, names)]
    assert messages == [
        "is not the name of a trait folder",
        "Crohn's Disease and Crohns_Disease differ in spelling only",
    ]


def test_key_that_stands_there_twice(tmp_path: Path) -> None:
    inner = '{"related_genes": [], "conditions": [], "conditions": ["Age"]}'
    found = findings(tmp_path, f'{{"Asthma": {inner}, "Gout": {inner}, "Asthma": {inner}}}')
    assert [finding.places for finding in found] == [
        ("Asthma",),
        ("Asthma/conditions",),
        ("Gout/conditions",),
    ]
    assert {finding.severity for finding in found} == {"error"}


@pytest.mark.parametrize(
    ("conditions", "words", "advice"),
    [
        (["Diabetes"], "Diabetes is neither Age nor Gender nor a trait", "add the trait"),
        (["bone_loss"], "bone_loss is neither", "write Bone_Loss"),
        (["Bone_Los"], "Bone_Los is neither", "write Bone_Loss"),
        (["age"], "age is neither", "write Age"),
        (["a/b"], "a/b is neither", "add the trait"),
        (["Age", "Gender", "Age"], "Age is listed more than once", "list it once"),
        (["Bone_Loss", "Bone Loss"], "Bone_Loss is listed more than once", "list it once"),
        (["Asthma"], "the trait is its own condition", "remove it"),
    ],
)
def test_conditions(tmp_path: Path, conditions: list[str], words: str, advice: str) -> None:
    content = {"Asthma": trait(["TP53"], conditions), "Bone_Loss": trait(["IL33"])}
    found = only(findings(tmp_path, content))
    assert found.severity == "error" and found.places == ("Asthma/conditions",)
    assert words in found.message and advice in found.advice


@pytest.mark.parametrize(
    ("genes", "message", "advice"),
    [
        (["P53"], "P53 is no official symbol of the gene table of 2020-01-01", "write TP53"),
        (["tp53"], "tp53 is no official symbol", "write TP53"),
        (["C9ORF26"], "C9ORF26 is no official symbol", "write IL33"),
        (["AG1"], "AG1 is another name of GAA and GAB", "write the one that is meant"),
        (["NOSUCH"], "NOSUCH is not in the gene table", "--gene-table"),
        (["TP53", "TP53"], "TP53 is listed more than once", "list it once"),
    ],
)
def test_genes(tmp_path: Path, genes: list[str], message: str, advice: str) -> None:
    found = only(findings(tmp_path, {"Asthma": trait(genes)}))
    assert found.severity == "warning" and found.places == ("Asthma/related_genes",)
    assert message in found.message and advice in found.advice


def test_symbol_in_several_traits_is_one_finding(tmp_path: Path) -> None:
    found = only(findings(tmp_path, {"Asthma": trait(["X1"]), "Gout": trait(["X1", "TP53"])}))
    assert found.places == ("Asthma/related_genes", "Gout/related_genes")


def test_condition_that_nothing_can_predict(tmp_path: Path) -> None:
    content = {"Asthma": trait(["TP53"], ["Gout"]), "Gout": trait([], ["Age"])}
    found = only(findings(tmp_path, content))
    assert found.severity == "warning" and found.places == ("Asthma/conditions",)
    assert "Gout has no related gene" in found.message


def test_everything_at_once_errors_first(tmp_path: Path) -> None:
    content = {
        "Age": trait(),
        "Asthma": {"related_genes": ["NOSUCH", 5], "conditions": "Age"},
        "Gout": [],
        "..": trait(),
        "Height": {"conditions": []},
    }
    found = findings(tmp_path, content)
    assert [finding.severity for finding in found] == ["error"] * 6 + ["warning"]
    told = {(*finding.places, finding.message.split(" where ")[0]) for finding in found}
    assert told == {
        ("Age", "is a covariate, not a trait"),
        ("..", "'..' cannot be a trait name: use letters, digits, '-', '_' and spaces"),
        ("Asthma/related_genes", "contains 5, which is not a name"),
        ("Asthma/conditions", "contains a str"),
        ("Gout", "contains a list"),
        ("Height/related_genes", "is missing"),
        ("Asthma/related_genes", "NOSUCH is not in the gene table of 2020-01-01"),
    }


@pytest.mark.parametrize("content", ["", "<html>", "[]", "[" * 100_000])
def test_file_that_is_none(tmp_path: Path, content: str) -> None:
    with pytest.raises(FormatError, match="task_info"):
        findings(tmp_path, content)


def test_published_file_has_only_symbols_newer_than_the_table(shared_data: Path) -> None:
    path = shared_data / "metadata" / "task_info.json"
    found = check_task_info(path, GeneTable.load())
    assert {finding.severity for finding in found} == {"warning"}
    # Renamed by the HGNC after the packaged table was made (September 2022).
    named = {finding.message.split()[0] for finding in found}
    assert len(found) == 22 and {"CPAP", "NHERF1", "NHERF2", "UQCC6"} <= named

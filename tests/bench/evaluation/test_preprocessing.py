"""Scores of tables, and repair of those published in another shape."""

from pathlib import Path

import numpy as np
import pytest

from genotex.bench import (
    Missing,
    PreprocessingScore,
    ScoredFolder,
    Table,
    score_table,
    wanted_tables,
)
from genotex.bench.evaluation.preprocessing import (
    Shape,
    TableResult,
    first_cell,
    repair_notes,
    shape_of,
    transpose,
)
from genotex.errors import FormatError
from genotex.formats import CsvTable
from tests.bench.evaluation.output_folders import write_text_table


def shape(rows: str, columns: str, kind: Table = "clinical", corner: str = "") -> Shape:
    names = rows.split(), columns.split()
    table = CsvTable(*names, np.zeros((len(names[0]), len(names[1]))))
    return shape_of(table, corner, kind, "Asthma")


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("Asthma Age", "GSM1 GSM2"),
        ("Asthma", "patient1 patient2"),
        ("0 1", "GSM1 GSM2"),
        ("A B", "x y"),
        ("GSM1 GSM2", "GSM1 GSM2"),
        ("Asthma GSM1", "Age GSM2"),
    ],
)
def test_as_it_should_be_or_not_clear(rows: str, columns: str) -> None:
    assert shape(rows, columns) == "as it should be"


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("TCGA-02-0047-01 TCGA-02-0055-01", "Asthma Gender"),
        ("GSM1 GSM2", "something else"),
        ("patient1 patient2", "x Age"),
    ],
)
def test_clearly_transposed(rows: str, columns: str) -> None:
    assert shape(rows, columns) == "transposed"
    assert shape(columns, rows) == "as it should be"
    assert shape(rows, columns, "linked") == "as it should be"
    assert shape(columns, rows, "linked") == "transposed"


def test_gene_tables_by_their_samples() -> None:
    assert shape("GSM1 GSM2", "A2M TP53", "gene") == "transposed"
    assert shape("A2M TP53", "GSM1 GSM2", "gene") == "as it should be"
    assert shape("7157 2", "GSM1 GSM2", "gene") == "as it should be", "Entrez ids are names"


def test_written_without_names() -> None:
    assert shape("0.0 30.0", "GSM2 GSM3", corner="GSM1") == "nameless"
    assert shape("nan 1e-3", "GSM2 GSM3", "gene", corner="GSM1") == "nameless"
    assert shape("1.0 0.0", "Age A2M", "linked", corner="Asthma") == "nameless"
    assert shape("Asthma Age", "GSM2 GSM3", corner="GSM1") == "as it should be"


def test_first_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"GSM,1",GSM2\n1,2\n')
    assert first_cell(path) == "GSM,1"


def test_transposing_exchanges_everything() -> None:
    table = CsvTable(["a"], ["x", "y"], np.array([[1.0, 2]]))
    turned = transpose(table)
    assert (turned.rows, turned.columns, turned.values.tolist()) == (["x", "y"], ["a"], [[1], [2]])


GENES = ",s1,s2,s3\nA,1,2,3\nB,3,1,2\n"
SAMPLES = ",A,B\ns1,1,3\ns2,2,1\ns3,3,2\n"


def results(
    root: Path, *, repair: bool = False, kinds: tuple[Table, ...] = ("gene",)
) -> list[TableResult]:
    wanted = wanted_tables(ScoredFolder(root / "r"), kinds, repair=repair)
    return [result for table in wanted for result in score_table([ScoredFolder(root / "p")], table)]


def score(root: Path, predicted: str, reference: str, kind: Table = "gene") -> PreprocessingScore:
    write_text_table(root / "p", kind, "Asthma", "GSE1", predicted)
    write_text_table(root / "r", kind, "Asthma", "GSE1", reference)
    (result,) = results(root, kinds=(kind,))
    assert result.score == result.as_it_is
    assert result.missing is None
    assert result.score is not None
    return result.score


@pytest.mark.parametrize(
    ("kind", "text"), [("gene", GENES), ("clinical", GENES), ("linked", SAMPLES)]
)
def test_identical_tables(tmp_path: Path, kind: Table, text: str) -> None:
    found = score(tmp_path, text, text, kind)
    assert (found.trait, found.cohort, found.aj, found.sj) == ("Asthma", "GSE1", 1, 1)
    assert (found.correlation, found.csc) == (pytest.approx(1), pytest.approx(1))


def test_features_of_gene_tables_are_rows_and_of_linked_tables_columns(tmp_path: Path) -> None:
    """One feature of three is gone, all samples are there; A: r 1; B: 3, 1, 2 against 1, 3, 2."""
    found = score(tmp_path, GENES, ",s1,s2,s3\nA,2,4,6\nB,1,3,2\nC,1,1,2\n")
    assert (found.aj, found.sj) == (2 / 3, 1)
    assert found.correlation == pytest.approx((1 - 1) / 2, abs=1e-15)
    found = score(tmp_path, SAMPLES, ",A,B,C\ns1,2,1,1\ns2,4,3,1\ns3,6,2,2\n", "linked")
    assert (found.aj, found.sj) == (2 / 3, 1)
    assert found.correlation == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        ",s1,s2,s3\nA,1,2,3\nB,3,1,2\nC,male,?,\n",
        '"","s1","s2","s3"\n"A",1,2,3\n"B","3","1"," 2"\n"C","a,b",x,\n',
        "gene,s1,s2,s3\r\nA,1,2,3\r\n\r\nB, 3,1e0,2.0\r\nC,NA,nan,\r\n",
    ],
)
def test_what_is_a_number_is_read_and_text_is_missing(tmp_path: Path, text: str) -> None:
    found = score(tmp_path, text, GENES)
    assert (found.aj, found.sj, found.correlation) == (2 / 3, 1, pytest.approx(1))


def test_text_among_numbers_becomes_the_mean_of_the_others(tmp_path: Path) -> None:
    found = score(tmp_path, ",s1,s2,s3\nA,1,two,3\nB,3,1,2\n", GENES)
    assert found.correlation == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "missing"),
        ("", "cannot be read: the file is empty"),
        ("<html>Are you a robot?</html>", "cannot be read: an HTML or XML page"),
        ("no table\n", "cannot be read: line 1: not a table"),
        (",s1,s2\nA,1,2,3\n", "cannot be read: line 2: 4 cells for 3 columns"),
    ],
)
def test_prediction_that_is_missing_or_broken_scores_0(
    tmp_path: Path, text: str | None, why: str
) -> None:
    if text is not None:
        write_text_table(tmp_path / "p", "gene", "Asthma", "GSE1", text)
    write_text_table(tmp_path / "r", "gene", "Asthma", "GSE1", GENES)
    (result,) = results(tmp_path)
    assert result.score == PreprocessingScore("Asthma", "GSE1", 0, 0, 0, 0)
    assert isinstance(result.missing, Missing)
    assert (result.missing.task, result.missing.item) == ("gene", "Asthma GSE1")
    assert result.missing.why.startswith(why)


def test_broken_reference_is_an_error_also_without_a_prediction(tmp_path: Path) -> None:
    path = write_text_table(tmp_path / "r", "gene", "Asthma", "GSE1", ",s1\nA,1,2\n")
    with pytest.raises(FormatError, match="3 cells for 2 columns") as caught:
        results(tmp_path)
    assert caught.value.path == path


def test_every_reference_table_and_no_other_is_scored(tmp_path: Path) -> None:
    for trait, name in (("Gout", "GSE3"), ("Asthma", "Xena"), ("Asthma", "GSE10")):
        write_text_table(tmp_path / "r", "gene", trait, name, GENES)
    write_text_table(tmp_path / "p", "gene", "Asthma", "TCGA", GENES)
    write_text_table(tmp_path / "p", "gene", "Asthma", "GSE99", GENES)
    found = results(tmp_path)
    names = [(r.as_it_is.trait, r.as_it_is.cohort, r.missing is None) for r in found]
    assert names == [("Asthma", "GSE10", False), ("Asthma", "Xena", True), ("Gout", "GSE3", False)]


# ------------------------------------------------------------------------------- repair

UPRIGHT = ",GSM1,GSM2,GSM3\nAsthma,0,1,1\nAge,30,40,60\n"
LYING = "sampleID,Asthma,Age\nGSM1,0,30\nGSM2,1,40\nGSM3,1,60\n"
NAMELESS = "GSM1,GSM2,GSM3\n0.0,1.0,1.0\n30.0,40.0,60.0\n"


def test_tables_on_their_side_and_without_names(tmp_path: Path) -> None:
    for name, text in (("GSE1", UPRIGHT), ("GSE2", LYING), ("GSE3", NAMELESS)):
        write_text_table(tmp_path / "p", "clinical", "Asthma", name, UPRIGHT)
        write_text_table(tmp_path / "r", "clinical", "Asthma", name, text)
    for result in (as_they_are := results(tmp_path, kinds=("clinical",)))[1:]:
        assert result.score == result.as_it_is
        assert result.score.csc == 0, "a perfect prediction, as in published numbers"
    upright, lying, nameless = results(tmp_path, repair=True, kinds=("clinical",))
    assert [r.shape for r in (upright, lying, nameless)] == [
        "as it should be",
        "transposed",
        "nameless",
    ]
    assert upright.score == as_they_are[0].score
    assert lying.score is not None
    assert lying.score.csc == pytest.approx(1)
    assert nameless.score is None
    for before, after in zip(as_they_are, (upright, lying, nameless), strict=True):
        assert before.as_it_is == after.as_it_is
    # AJ 1, 0, 0; SJ 1, 0 and, of GSM1 in the corner, 2/3 of the samples.
    assert repair_notes([upright, lying, nameless]) == [
        "clinical tables of the reference: 1 transposed, 1 without names left out; all 3 as they "
        "were published score AJ 0.333, SJ 0.556, correlation 0.333, CSC 0.333"
    ]
    assert repair_notes([upright]) == []


def test_missing_prediction_of_a_nameless_table_is_left_out_too(tmp_path: Path) -> None:
    write_text_table(tmp_path / "r", "clinical", "Asthma", "GSE3", NAMELESS)
    (result,) = results(tmp_path, repair=True, kinds=("clinical",))
    assert result.score is None


def test_copy_of_a_lying_reference_is_not_repaired(tmp_path: Path) -> None:
    for side in ("p", "r"):
        write_text_table(tmp_path / side, "clinical", "Asthma", "GSE2", LYING)
    (result,) = results(tmp_path, repair=True, kinds=("clinical",))
    assert result.score is not None
    assert (result.score.csc, result.as_it_is.csc) == (0, pytest.approx(1))

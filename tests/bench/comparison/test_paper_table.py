"""Runs in the layout of the paper: its units, its rows, and dashes where nothing is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genotex.bench import (
    PaperRow,
    Scores,
    paper_json,
    paper_markdown,
    paper_notes,
    paper_rows,
    paper_tables,
    published,
)
from tests.bench.evaluation.some_scores import failed_score, problem_score, some_scores


def rows_of(scores: Scores, path: Path = Path("nowhere"), *, paper: bool = False) -> list[PaperRow]:
    return list(paper_rows({"mine": scores}, {"mine": path}, paper=paper))


def cells(rows: list[PaperRow]) -> dict[str, list[tuple[str, ...]]]:
    return {table.title[:7]: list(table.rows) for table in paper_tables(rows)}


PROBLEMS = """\
trait,condition,seconds,cohort_seconds,tokens_in,tokens_out,tokens_cached,cost
A,,10,3,112300,12000,80000,1.5
B,,20,1,112300,12200,0,2.5
"""


def run_folder(tmp_path: Path, problems: str = PROBLEMS, **told: object) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(told))
    (folder / "problems.csv").write_text(problems)
    return tmp_path


def test_run_is_written_in_the_units_of_the_paper() -> None:
    (row,) = rows_of(some_scores())
    assert row.values["precision"] == 37.5
    assert row.values["auroc"] == pytest.approx(2 / 3)
    assert row.values["df"] == pytest.approx(200 / 3)
    assert row.values["ds"] == 75.0
    assert row.values["gene_csc"] == pytest.approx(70.0)
    assert row.values["linked_csc"] == 0.0


def test_unknown_is_a_dash_and_a_real_zero_is_0() -> None:
    found = cells(rows_of(some_scores()))
    (genes,) = found["Genes, "]
    assert genes[:4] == ("mine", "scored here", "-", "37.50")
    assert genes[-4:] == ("75.00", "-", "-", "-")
    assert found["Preproc"][0] == ("linked data", "mine", "scored here", "0.00", "0.00", "0.00")
    assert not any(row[0] == "trait data" for row in found["Preproc"])


def test_time_tokens_and_cost_come_from_the_record_of_the_run(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, name="x", input="/raw", preprocessed=None)
    (row,) = rows_of(some_scores(), folder)
    assert row.start == "raw files"
    # (10 + 3 + 20 + 1) / 2 seconds, with the share of the cohorts.
    assert row.values["seconds"] == 17.0 and row.values["cost"] == 2.0
    (genes,) = cells([row])["Genes, "]
    assert genes[-3:] == ("112.3 (40.0 cached)/12.1", "2.00", "17.00")


def test_cost_that_one_problem_does_not_tell_is_a_dash_and_a_note_says_so(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, PROBLEMS.replace(",0,2.5", ",0,"), name="x", input="/raw")
    rows = rows_of(some_scores(), folder)
    (genes,) = cells(rows)["Genes, "]
    assert genes[-2:] == ("-", "17.00")
    assert paper_json(rows, ())["rows"][0]["cost"] is None
    notes = paper_notes({"mine": some_scores()}, rows, paper=False)
    assert "cost of mine is unknown: 1 of its problems do not record it" in notes


def test_run_of_fewer_problems_than_are_scored_is_told(tmp_path: Path) -> None:
    analysis = (problem_score("A"), problem_score("B"), failed_score("C"), failed_score("D"))
    scores = some_scores(analysis=analysis)
    (row,) = rows_of(scores, run_folder(tmp_path, name="x", input="/raw"))
    assert row.not_asked == 2
    notes = paper_notes({"mine": scores}, [row], paper=False)
    assert any(note.startswith("mine was never asked 2 of the problems") for note in notes)
    (whole,) = rows_of(some_scores(analysis=analysis[:2]), tmp_path)
    assert whole.not_asked == 0


def test_record_is_found_where_the_scores_say_the_run_lies(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, name="x", input=None, preprocessed="/tables")
    (row,) = rows_of(some_scores(prediction=str(folder)), Path("elsewhere/scores.json"))
    assert row.start == "prepared tables" and row.values["seconds"] == 17.0


@pytest.mark.parametrize(
    "told", [{"input": None, "preprocessed": "/t"}, {"input": None, "preprocessed": None}]
)
def test_run_that_prepared_no_cohorts_has_no_row_in_their_tables(
    tmp_path: Path, told: dict[str, object]
) -> None:
    rows = rows_of(some_scores(), run_folder(tmp_path, **told))
    assert set(cells(rows)) == {"Genes, "}
    assert rows[0].values["success"] == 75.0
    *_, note = paper_notes({"mine": some_scores()}, rows, paper=False)
    assert note.startswith("mine prepared no cohorts")


def test_method_without_trait_prediction_has_a_dash_there() -> None:
    silent = problem_score("A", trait_accuracy=0.0, trait_f1=0.0)
    (row,) = rows_of(some_scores(analysis=(silent,)))
    assert "trait_accuracy" not in row.values and row.values["success"] == 100.0


def test_failed_problems_count_0_where_others_predict_their_trait() -> None:
    (row,) = rows_of(some_scores(analysis=(problem_score("A"), failed_score("B"))))
    assert row.values["trait_accuracy"] == 40.0


def test_published_rows_stand_behind_and_say_from_which_table() -> None:
    found = cells(rows_of(some_scores(), paper=True))
    sources = [row[1] for row in found["Genes, "]]
    assert sources[0] == "scored here"
    assert sources.count("published, table 2") == 18
    assert sources.count("published, table 3") == 9
    assert len(found["Dataset"]) == 1 + 4
    assert sum(row[2] == "published, table 5" for row in found["Preproc"]) == 12


def test_published_figures_are_those_of_the_paper() -> None:
    rows = {(row.table, row.name): row for row in published().rows}
    o1 = rows[2, "GenoAgent, OpenAI o1"]
    assert o1.values == {
        "precision": 43.26, "recall": 50.33, "f1": 41.39, "auroc": 0.74, "gsea_es": 0.45,
        "trait_accuracy": 85.76, "trait_f1": 77.29, "success": 76.23, "tokens_in": 112.3,
        "tokens_out": 12.1, "cost": 1.96, "seconds": 192.43,
    }  # fmt: skip
    human = rows[2, "human expert"].values
    assert human == {
        "precision": 73.30, "recall": 85.41, "f1": 70.51, "auroc": 0.89, "gsea_es": 0.74,
    }  # fmt: skip
    assert rows[3, "Lasso"].values["seconds"] == 10.40
    assert "tokens_in" not in rows[3, "Lasso"].values
    assert rows[4, "GenoAgent"].values == {"df": 87.32, "ds": 80.25}
    assert rows[5, "GenoAgent, no reviewer"].values["clinical_csc"] == 6.45


def test_notes_say_what_must_not_be_compared() -> None:
    scores = some_scores(settings={"metrics": "legacy"})
    told = paper_notes({"mine": scores}, rows_of(scores), paper=True)
    assert any("legacy" in note for note in told)
    assert any("arXiv:2406.15341" in note for note in told)
    (size,) = [note for note in told if "4 problems, not on 1,384" in note]
    assert "problems that the reference does not answer are not scored" in size
    assert paper_notes({"mine": some_scores()}, rows_of(some_scores()), paper=False) == ()


def test_json_has_null_for_what_is_unknown() -> None:
    content = paper_json(rows_of(some_scores(), paper=True), ("a note",))
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    ours, o1 = content["rows"][0], content["rows"][1]
    assert ours["cost"] is None and ours["clinical_csc"] is None and ours["linked_csc"] == 0.0
    assert o1["source"] == "published, table 2" and o1["tokens_in"] == 112.3
    assert ours.keys() == o1.keys()


def test_markdown_has_every_table_and_the_notes() -> None:
    text = paper_markdown(rows_of(some_scores()), ("a note",))
    assert text.count("\n## ") == 2 and text.startswith("## Genes")
    assert "| mine | scored here | - | 37.50 |" in text and text.endswith("- a note\n")


def test_nothing_scored_gives_no_table() -> None:
    assert paper_tables(rows_of(Scores("p", "r"))) == ()

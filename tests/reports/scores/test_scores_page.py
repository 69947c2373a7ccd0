"""The page of one evaluation: whole, self-contained, repeatable, also where little was scored."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from genotex.bench import Scores, read_scores, summarise
from genotex.errors import UsageError
from genotex.reports import (
    average_figures,
    best_and_worst,
    item_tables,
    problem_figures,
    write_scores,
)
from tests.bench.evaluation.some_scores import failed_score, problem_score, some_scores

FILES = {
    "analysis.csv",
    "averages.csv",
    "filtering.csv",
    "missing.csv",
    "preprocessing.csv",
    "scores.html",
    "scores.json",
    "scores.md",
    "selection.csv",
}


def page(folder: Path, scores: Scores) -> str:
    return write_scores(folder, scores, summarise(scores, draws=50)).read_text(encoding="utf-8")


class Structure(HTMLParser):
    """Anchors, targets and text of a page; complains of tags that do not match."""

    VOID = frozenset({"meta", "link", "br", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.anchors: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.anchors += [
            value[1:] for name, value in attrs if name == "href" and value and value[0] == "#"
        ]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()


def test_folder_holds_every_file_and_nothing_half_written(tmp_path: Path) -> None:
    page(tmp_path / "new" / "folder", some_scores())
    assert {path.name for path in (tmp_path / "new" / "folder").iterdir()} == FILES
    assert read_scores(tmp_path / "new" / "folder") == some_scores()


def test_page_is_well_formed_and_every_link_inside_it_leads_somewhere(tmp_path: Path) -> None:
    structure = Structure()
    structure.feed(page(tmp_path, some_scores()))
    assert structure.open == []
    assert structure.anchors and set(structure.anchors) <= set(structure.ids)
    assert len(structure.ids) == len(set(structure.ids))


def test_page_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    text = page(tmp_path, some_scores())
    links = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert {link for link in links if not link.endswith(".csv")} == {"data:,"}


def test_page_shows_averages_kinds_reasons_settings_and_notes(tmp_path: Path) -> None:
    text = page(tmp_path, some_scores())
    assert "Of 4 problems 75.0 % have a result" in text
    assert "AUROC is 0.667 (95 % interval" in text
    assert "By kind of problem" in text
    assert "not valid JSON" in text and "Asthma given Obesity" in text
    assert "Metrics: default" in text and "1 problem could not be posed." in text


def test_same_scores_same_page(tmp_path: Path) -> None:
    assert page(tmp_path / "a", some_scores()) == page(tmp_path / "b", some_scores())


def test_names_that_look_like_markup_stay_text(tmp_path: Path) -> None:
    odd = some_scores(prediction="<script>x</script>", analysis=(problem_score("A<b>"),))
    text = page(tmp_path, odd)
    assert "<script>x" not in text and "A<b>" not in text and "A&lt;b&gt;" in text


@pytest.mark.parametrize(
    "scores",
    [
        Scores("mine", "theirs"),
        Scores("mine", "theirs", tasks=("selection", "analysis")),
        some_scores(analysis=()),
        some_scores(selection=(), filtering=(), preprocessing={}),
        some_scores(analysis=(problem_score("A", auroc=None, trait_kind=None),), missing=()),
        some_scores(analysis=(failed_score("A"),)),
        some_scores(preprocessing={"gene": (), "linked": ()}),
    ],
)
def test_page_of_little_is_still_a_page(tmp_path: Path, scores: Scores) -> None:
    structure = Structure()
    structure.feed(page(tmp_path, scores))
    assert structure.open == [] and "how" in structure.ids


def test_file_in_place_of_the_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        page(tmp_path / "out", some_scores())
    assert (tmp_path / "out").read_text() == "mine"


def test_figures_are_well_formed_and_marks_name_their_problem() -> None:
    figures = problem_figures(some_scores())
    assert [f.key for f in figures] == ["spread-auroc", "spread-f1", "precision-recall", "lengths"]
    for figure in figures:
        assert ElementTree.fromstring(figure.svg).get("aria-label") == figure.alt
    assert "Asthma given Age: precision 50.0 %, recall 25.0 %" in figures[2].svg
    assert "Asthma given Obesity: 0 predicted, 4 in the reference" in figures[3].svg


def test_figure_that_is_undefined_in_every_run_has_no_line() -> None:
    known = summarise(some_scores(), draws=5)
    problem = problem_score("A", trait_accuracy=None, trait_f1=None)
    unknown = summarise(some_scores(analysis=(problem,)), draws=5)
    (both,) = average_figures({"known": known, "unknown": unknown})
    (alone,) = average_figures({"unknown": unknown})
    assert "trait accuracy" in both.svg and "trait accuracy" not in alone.svg
    nothing = summarise(Scores("mine", "theirs"), draws=5)
    assert average_figures({"nothing": nothing}) == ()


def test_best_and_worst_problems_by_f1_without_failures() -> None:
    best, worst = best_and_worst(some_scores())
    assert best.rows[0] == ("Asthma given Age", "75.00", "0.875", "2", "4")
    assert worst.rows[0][0] == "Obesity"
    assert not any("given Obesity" in row[0] for row in (*best.rows, *worst.rows))


def test_one_answered_problem_is_not_the_worst_as_well() -> None:
    (best,) = best_and_worst(some_scores(analysis=(problem_score("A"), failed_score("B"))))
    assert [row[0] for row in best.rows] == ["A"]


def test_every_problem_has_its_row_with_result_and_cohort() -> None:
    problems, files, filtering = (listed.table for listed in item_tables(some_scores()))
    assert problems.rows[1][:5] == ("Asthma", "Age", "one-step", "yes", "no")
    assert problems.rows[2][3] == "no"
    assert len(problems.rows) == 4 and len(filtering.rows) == 2
    assert files.rows[0] == ("Asthma", "GSE1", "gene", "0.500", "1.000", "0.800", "0.400")


def test_selection_without_analysis_has_a_table_of_its_own() -> None:
    first, *_ = item_tables(some_scores(analysis=()))
    assert first.csv_name == "selection.csv"
    assert first.table.rows[1] == ("Asthma", "Age", "no")

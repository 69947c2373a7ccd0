"""Raw files to the genes of a trait, in Python."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import genotex as gx
from tests.api.conftest import ARTHRITIS

NAMED = ("GSE90000001", "GSE90000002")


@pytest.mark.everyday
def test_cohorts_are_solved_together_as_by_the_command(study: Path, tmp_path: Path) -> None:
    heard: list[str] = []
    found = gx.solve(
        study,
        tmp_path,
        ARTHRITIS,
        cohort=NAMED,
        panel=False,
        progress=lambda *of: heard.append(of[0]),
    )
    assert found.combined is not None and found.largest is not None
    assert found.table is found.combined and found.table["cohorts"].max() == 2
    (written,) = tmp_path.glob("**/*cohorts.csv")
    assert pl.read_csv(written)["gene"].to_list() == found.table.index.tolist()
    planted = json.loads((study / "truth.json").read_text())["planted"]["Simulated_Arthritis"]
    assert set(found.table.index[:5]) <= set(planted)
    assert found.cohorts.loc[list(NAMED), "usable"].all()
    assert all(page.is_file() for page in found.reports) and len(found.reports) == 2
    assert "reading cohorts" in heard and "GSE90000001, GSE90000002" in repr(found)


def test_one_cohort_answers_with_options_of_reading_and_tests(study: Path, tmp_path: Path) -> None:
    found = gx.solve(
        study, tmp_path, ARTHRITIS, "Age", cohort=NAMED[0], controls="healthy", q=0.1, panel=False
    )
    assert found.combined is None and found.table is found.largest
    assert "log2_fold_change" in found.table.columns


def test_mistakes_are_named(study: Path, tmp_path: Path) -> None:
    with pytest.raises(gx.UsageError, match="cohorts 'both' is not known"):
        gx.solve(study, tmp_path, ARTHRITIS, cohorts="both")  # type: ignore[arg-type]
    with pytest.raises(gx.UsageError, match="unknown option 'hiden'; the nearest are hidden"):
        gx.solve(study, tmp_path, ARTHRITIS, hiden="sva")
    with pytest.raises(gx.UsageError, match="Simulated_Arthritis"):
        gx.solve(study, tmp_path, "Arthrits")
    assert not list(tmp_path.iterdir())


def test_no_answer_is_an_error_that_says_why(study: Path, tmp_path: Path) -> None:
    with pytest.raises(
        gx.AnalysisError, match=r"no cohort could be read \(GSE90000001: only one case"
    ):
        gx.solve(study, tmp_path, ARTHRITIS, cohort=NAMED[0], case="age=51", control="age=35")

"""Cohorts whose groups are uncertain: left for review, named, and opened by a command."""

import csv
import gzip
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import genotex as gx
from genotex.analysis import read_meta, read_result
from genotex.layout import OutputFolder
from genotex.simulate import simulate_study

CERTAIN, UNCERTAIN = "GSE90000001", "GSE90000002"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Make two cohorts of gout; the second has no texts, and its key is of an outcome."""
    simulate_study(tmp_path / "made", samples=24, genes=400)
    for name in (CERTAIN, UNCERTAIN):
        made = tmp_path / f"made/GEO/Simulated_Arthritis/{name}"
        folder = shutil.copytree(made, tmp_path / f"in/GEO/Gout/{name}")
        path = folder / f"{name}_series_matrix.txt.gz"
        text = gzip.decompress(path.read_bytes()).decode()
        text = re.sub("simulated arthritis", "gout", text, flags=re.IGNORECASE)
        if name == UNCERTAIN:
            text = re.sub(r"^!Series_(?:title|summary|overall_design).*\n", "", text, flags=re.M)
            titles = re.compile(r"^(!Sample_(?:title|source_name_ch1))((?:\t[^\t\n]*)+)", re.M)
            text = titles.sub(lambda line: line[1] + '\t"tissue"' * line[2].count("\t"), text)
            text = re.sub('"disease state: healthy control"', '"outcome: none"', text, flags=re.I)
            text = text.replace('"disease state:', '"outcome:')
        path.write_bytes(gzip.compress(text.encode()))
    return tmp_path


def solve(genotex: Any, study: Path, *words: str) -> tuple[int, str, str]:
    found: tuple[int, str, str] = genotex(
        "solve", study / "in", study / "out", "--trait", "Gout", "--no-panel",
        "--hidden", "none", *words,
    )  # fmt: skip
    return found


def test_solve_goes_on_with_certain_cohorts_and_names_the_others(genotex: Any, study: Path) -> None:
    code, out, err = solve(genotex, study)
    assert code == 0
    said = " ".join(err.split())
    assert f"Gout/{UNCERTAIN}, trait:" in said and "certain that the groups are in row" in said
    command = next(line for line in out.splitlines() if "clinical sheet" in line).strip()
    assert shlex.split(command)[:4] == ["genotex", "clinical", "sheet", str(study / "in")]
    output = OutputFolder(study / "out")
    result = read_result(output, "Gout", None)
    assert result.cohort == CERTAIN
    assert result.other_cohorts[UNCERTAIN].startswith("left for review: ")
    assert result.warnings[0].startswith(f"To review: {UNCERTAIN} is left for review: ")
    page = output.report("Gout", None).read_text()
    assert page.index(f"To review: {UNCERTAIN}") < page.index('id="figures"')


def test_solve_says_for_machines_what_is_to_be_reviewed(genotex: Any, study: Path) -> None:
    _, out, _ = solve(genotex, study, "--json")
    found = json.loads(out)
    (review,) = found["review"]
    assert (review["series"], review["used"]) == (UNCERTAIN, False)
    assert 0 < review["certainty"] < 0.75 and "trait" in review["why"]
    assert found["sheets"] == [f"genotex clinical sheet {study / 'in'} --trait Gout"]


def test_uncertain_cohorts_alone_still_answer_and_say_so_first(genotex: Any, study: Path) -> None:
    code, _, _ = solve(genotex, study, "--cohort", UNCERTAIN)
    assert code == 0
    result = read_result(OutputFolder(study / "out"), "Gout", None)
    assert result.cohort == UNCERTAIN
    assert result.warnings[0].startswith(f"To review: {UNCERTAIN} is in doubt: ")


def test_sheet_opens_with_the_uncertain_series_and_a_reviewed_one_is_used(
    genotex: Any, study: Path
) -> None:
    path = study / "samples.csv"
    assert genotex("clinical", "sheet", study / "in", "--trait", "Gout", "-o", path)[0] == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert rows[0]["series"] == UNCERTAIN and rows[-1]["series"] == CERTAIN
    assert rows[0]["certainty"] < rows[-1]["certainty"]
    code, out, err = solve(genotex, study, "--samples", str(path))
    assert code == 0 and "To review" not in out + err
    meta = read_meta(OutputFolder(study / "out"), "Gout", None)
    assert {cohort.name for cohort in meta.cohorts} == {CERTAIN, UNCERTAIN}


def test_python_says_first_what_is_uncertain(study: Path) -> None:
    found = gx.annotate(study / "in" / "GEO" / "Gout" / UNCERTAIN, "Gout")
    assert set(found.review) == {"trait"}
    assert repr(found).splitlines()[1].startswith("review, trait: ")
    sure = gx.annotate(study / "in" / "GEO" / "Gout" / CERTAIN, "Gout")
    assert not sure.review
    assert sure.samples["certainty"].min() > found.samples["certainty"].max()

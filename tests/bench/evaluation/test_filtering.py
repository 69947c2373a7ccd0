from pathlib import Path
from typing import Any

import pytest

from genotex.bench import CohortFlag, FilteringScore, Missing, score_filtering
from genotex.errors import FormatError
from genotex.layout import OutputFolder
from tests.bench.evaluation.output_folders import UNAVAILABLE, cohort, write_cohorts

Cohorts = dict[str, dict[str, Any]]


def score(
    root: Path, predicted: Cohorts, reference: Cohorts, field: CohortFlag = "is_available"
) -> FilteringScore:
    write_cohorts(root / "p", "Asthma", predicted)
    write_cohorts(root / "r", "Asthma", reference)
    found, missing = score_filtering(
        OutputFolder(root / "p"), OutputFolder(root / "r"), "Asthma", field
    )
    assert missing is None
    return found


def test_figures_by_hand(tmp_path: Path) -> None:
    """Of six cohorts two are rightly available, one wrongly, one missed, two rightly not."""
    yes, no = cohort(), UNAVAILABLE
    predicted = {"GSE1": yes, "GSE2": yes, "GSE3": yes, "GSE4": no, "GSE5": no, "GSE6": no}
    reference = {"GSE6": no, "GSE1": yes, "GSE2": yes, "GSE3": no, "GSE4": yes, "GSE5": no}
    found = score(tmp_path, predicted, reference)
    assert found == FilteringScore(
        "Asthma",
        precision=pytest.approx(200 / 3),
        recall=pytest.approx(200 / 3),
        f1=pytest.approx(200 / 3),
        accuracy=pytest.approx(400 / 6),
    )


def test_cohort_that_one_side_does_not_list_is_not_available_there(tmp_path: Path) -> None:
    found = score(tmp_path, {"GSE1": cohort(), "GSE9": cohort()}, {"GSE1": cohort()})
    assert (found.precision, found.recall, found.accuracy) == (50, 100, 50)
    found = score(tmp_path, {"GSE1": cohort()}, {"GSE1": cohort(), "GSE9": UNAVAILABLE})
    assert (found.precision, found.recall, found.f1, found.accuracy) == (100, 100, 100, 100)


@pytest.mark.parametrize("cohorts", [{}, {"GSE1": UNAVAILABLE}])
def test_nothing_available_on_either_side(tmp_path: Path, cohorts: Cohorts) -> None:
    assert score(tmp_path, cohorts, cohorts) == FilteringScore("Asthma", 100, 100, 100, 100)


def test_nothing_available_on_one_side(tmp_path: Path) -> None:
    for sides in ({}, {"GSE1": cohort()}), ({"GSE1": cohort()}, {}):
        assert score(tmp_path, *sides) == FilteringScore("Asthma", 0, 0, 0, 0)


def test_tcga_cohort_under_both_of_its_names(tmp_path: Path) -> None:
    found = score(tmp_path, {"Xena": cohort()}, {"TCGA": cohort()})
    assert (found.f1, found.accuracy) == (100, 100)


def test_another_flag(tmp_path: Path) -> None:
    biased = cohort(is_usable=False, is_biased=True)
    sides = {"GSE1": biased}, {"GSE1": cohort()}
    assert score(tmp_path, *sides).f1 == 100
    assert score(tmp_path, *sides, field="is_usable").f1 == 0
    assert score(tmp_path, *sides, field="has_age").f1 == 100
    assert score(tmp_path, {"GSE1": UNAVAILABLE}, {"GSE1": biased}, "is_biased").f1 == 0


def test_older_release_without_the_flags_behind_is_available(tmp_path: Path) -> None:
    older = {"is_usable": True, "is_available": True, "is_biased": False, "sample_size": 9}
    none = {"is_available": False, "is_biased": None}
    found = score(tmp_path, {"GSE1": older, "GSE2": none}, {"GSE1": cohort(), "GSE2": UNAVAILABLE})
    assert (found.f1, found.accuracy) == (100, 100)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "missing"),
        ("{oops", "cannot be read: line 1: not valid JSON"),
        ('{"GSE1": {}}', "cannot be read: GSE1.is_usable: is missing"),
    ],
)
def test_prediction_that_is_missing_or_broken_scores_0(
    tmp_path: Path, text: str | None, why: str
) -> None:
    path = write_cohorts(tmp_path / "p", "Asthma", {})
    path.unlink() if text is None else path.write_text(text)
    # Even where everything else would be 100.
    write_cohorts(tmp_path / "r", "Asthma", {})
    found, missing = score_filtering(
        OutputFolder(tmp_path / "p"), OutputFolder(tmp_path / "r"), "Asthma", "is_available"
    )
    assert found == FilteringScore("Asthma", 0, 0, 0, 0)
    assert isinstance(missing, Missing)
    assert (missing.task, missing.item) == ("filtering", "Asthma")
    assert missing.why.startswith(why)


def test_broken_reference_is_an_error(tmp_path: Path) -> None:
    write_cohorts(tmp_path / "p", "Asthma", {})
    write_cohorts(tmp_path / "r", "Asthma", {}).write_text("{oops")
    with pytest.raises(FormatError, match="not valid JSON"):
        score_filtering(
            OutputFolder(tmp_path / "p"), OutputFolder(tmp_path / "r"), "Asthma", "is_available"
        )

import numpy as np
import pytest

from genotex.analysis import choose_contrast
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable, Role
from tests.analysis.cohort_tables import linked


def cohort(cases: int, healthy: int, diseased: int) -> tuple[LinkedTable, dict[str, Role]]:
    trait = [1] * cases + [0] * (healthy + diseased)
    table = linked(trait, np.zeros((len(trait), 1)))
    kinds: list[Role] = ["case"] * cases
    kinds += ["healthy control"] * healthy + ["other disease"] * diseased
    return table, dict(zip(table.samples, kinds, strict=True))


def test_five_healthy_controls_are_a_group_of_their_own() -> None:
    contrast = choose_contrast(*cohort(6, 5, 9), "auto")
    assert contrast.controls == "healthy"
    assert contrast.summary["group_sizes"] == {"case": 6, "control": 5}
    assert contrast.rows.tolist() == list(range(11))
    (warning,) = contrast.warnings
    assert warning.startswith("9 controls that are not known as healthy were left out")
    assert "healthy controls" in contrast.summary["text"]


def test_samples_are_listed_by_group() -> None:
    contrast = choose_contrast(*cohort(2, 5, 1), "auto")
    names = [f"GSM{n}" for n in range(8)]
    assert contrast.summary["samples"] == {
        "case": names[:2], "control": names[2:7], "left_out": names[7:]
    }  # fmt: skip
    assert contrast.smaller_group == 2
    assert [mask.sum() for mask in contrast.members] == [5, 2]
    (warning,) = contrast.warnings
    assert warning.startswith("1 control that is not known as healthy was left out, 5 healthy ones")
    text = choose_contrast(*cohort(2, 4, 0), "all").summary["text"]
    assert text == "2 cases against 4 controls, all of them healthy"
    text = choose_contrast(*cohort(2, 4, 1), "all").summary["text"]
    assert text == "2 cases against 5 controls of any kind (4 known as healthy)"


def test_four_healthy_controls_are_joined_by_the_others_with_a_warning() -> None:
    contrast = choose_contrast(*cohort(6, 4, 9), "auto")
    assert contrast.controls == "all"
    assert contrast.summary["group_sizes"] == {"case": 6, "control": 13}
    assert "9 of 13 controls have another disease" in contrast.warnings[0]


def test_controls_chosen_by_the_user() -> None:
    assert choose_contrast(*cohort(6, 4, 9), "healthy").summary["group_sizes"]["control"] == 4
    assert choose_contrast(*cohort(6, 2, 9), "healthy").summary["group_sizes"]["control"] == 2
    assert choose_contrast(*cohort(6, 5, 9), "all").summary["group_sizes"]["control"] == 14


def test_healthy_controls_asked_for_but_absent() -> None:
    with pytest.raises(AnalysisError, match=r"only 0 of 9 controls .* use all controls"):
        choose_contrast(*cohort(6, 0, 9), "healthy")


def test_roles_unknown_leaves_all_controls() -> None:
    table, _ = cohort(6, 5, 9)
    assert choose_contrast(table, {}, "auto").summary["group_sizes"] == {"case": 6, "control": 14}


def test_samples_without_the_trait_are_left_out_and_said() -> None:
    table = linked([0, 1, np.nan, 0, 1, np.nan], np.zeros((6, 1)))
    contrast = choose_contrast(table, {}, "auto")
    assert contrast.rows.tolist() == [0, 1, 3, 4]
    assert "2 samples without Asthma" in contrast.warnings[0]


@pytest.mark.parametrize("values", [[1, 1, 1, 1], [np.nan] * 4])
def test_one_group_only(values: list[float]) -> None:
    with pytest.raises(AnalysisError, match="Asthma does not vary"):
        choose_contrast(linked(values, np.zeros((4, 1))), {}, "auto")


def test_one_case_only() -> None:
    with pytest.raises(AnalysisError, match="1 cases against 5 controls"):
        choose_contrast(linked([1, 0, 0, 0, 0, 0], np.zeros((6, 1))), {}, "auto")


def test_two_values_other_than_zero_and_one_are_binary() -> None:
    contrast = choose_contrast(linked([2, 1, 2, 1], np.zeros((4, 1))), {}, "auto")
    assert contrast.binary
    assert contrast.values.tolist() == [1, 0, 1, 0]


def test_measured_trait_is_standardised() -> None:
    contrast = choose_contrast(linked([10, 20, 30, 40], np.zeros((4, 1))), {}, "auto")
    assert not contrast.binary
    assert contrast.values.mean() == pytest.approx(0)
    assert contrast.values.std(ddof=1) == pytest.approx(1)
    assert contrast.trait_sd == pytest.approx(np.std([10, 20, 30, 40], ddof=1))

"""Groups chosen by conditions on any key."""

from pathlib import Path

import pytest

from genotex.clinical import (
    FeatureEncoding,
    check_conditions,
    describe_series,
    exclude_samples,
    group_samples,
    keys_of_samples,
    need_conditions,
)
from genotex.errors import UsageError
from genotex.formats import Series

CELLS = (
    ("tissue: blood", "tissue: blood", "tissue: pool", "tissue: blood", "tissue: blood", None),
    ("disease state: RA", "disease state: RA", "disease state: RA ", "disease state: healthy",
     "disease state: OA", "disease state: healthy"),
    ("marker: CD4+", "marker: CD4-", "marker: CD4-", "marker: CD4+", "marker: CD4+",
     "tissue: skin"),
)  # fmt: skip
SAMPLES = tuple(f"GSM{i}" for i in range(1, 7))
SERIES = Series(
    Path("GSE1_series_matrix.txt"),
    SAMPLES,
    {"geo_accession": ("GSE1",)},
    {
        "characteristics_ch1": CELLS,
        "title": (("RA 1", "RA 2", "RA pool", "Healthy donor 1", "OA 1", "Healthy donor 2"),),
        "description": (("stage = early; kit = a", "kit = b", None, None, None, None),),
    },
)
DESCRIPTION = describe_series(SERIES)


def groups(cases: list[str], controls: list[str], own: FeatureEncoding | None = None) -> str:
    """Return the groups of the six samples: c, 0 or a dash."""
    found = group_samples(DESCRIPTION, SERIES, own, cases, controls)
    return "".join({1.0: "c", 0.0: "0"}.get(found.values.get(s, -1), "-") for s in SAMPLES)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cases", "controls", "wanted"),
    [
        (["disease state=RA"], ["title~healthy"], "ccc0-0"),
        (["Disease_State = ra"], ["disease state=OA", "title~donor"], "ccc000"),
        (["sample=GSM1", "GSM5"], ["disease state=healthy"], "c--0c0"),
        (["stage=early", "kit=b"], ["disease state=healthy"], "cc-0-0"),
        (["marker=CD4-"], ["disease state=healthy"], "-cc0-0"),
    ],
    ids=["exact and contains", "other spelling", "sample ids", "description pairs", "signs"],
)
def test_conditions_on_any_key_are_joined_by_or(
    cases: list[str], controls: list[str], wanted: str
) -> None:
    assert groups(cases, controls) == wanted


def test_exact_value_does_not_mean_its_opposite() -> None:
    assert groups(["marker=CD4+"], ["marker=CD4-"]) == "c00cc-"


def test_shifted_cell_is_found_under_its_key() -> None:
    assert keys_of_samples(DESCRIPTION).text("tissue", 5) == "skin"


def test_one_side_alone_keeps_the_other_of_the_rules() -> None:
    own = FeatureEncoding(
        "trait",
        1,
        "disease state",
        "binary",
        values={"disease state: healthy": 0.0, "disease state: OA": 1.0},
        roles={"disease state: healthy": "healthy control", "disease state: OA": "case"},
    )
    found = group_samples(DESCRIPTION, SERIES, own, ["title~RA"], [])
    assert found.values == {"GSM1": 1, "GSM2": 1, "GSM3": 1, "GSM4": 0, "GSM6": 0}
    assert found.roles["GSM4"] == "healthy control"
    assert found.told_by == "hand" and "title~RA" in found.evidence[0]


def test_each_sample_has_its_condition_and_the_first_characteristic_is_the_key() -> None:
    found = group_samples(
        DESCRIPTION, SERIES, None, ["title~RA", "disease state=OA"], ["disease state=healthy"]
    )
    assert found.reasons == {
        **dict.fromkeys(("GSM1", "GSM2", "GSM3"), "--case 'title~RA'"),
        "GSM5": "--case 'disease state=OA'",
        **dict.fromkeys(("GSM4", "GSM6"), "--control 'disease state=healthy'"),
    }
    assert found.key == "disease state"
    roles = dict.fromkeys(("GSM1", "GSM2", "GSM3", "GSM5"), "case")
    assert found.roles == {**roles, **dict.fromkeys(("GSM4", "GSM6"), "healthy control")}
    assert group_samples(DESCRIPTION, SERIES, None, ["title~RA"], ["title~OA", "GSM4"]).key == ""


def test_measured_trait_has_no_side_to_keep() -> None:
    own = FeatureEncoding(
        "trait", 1, "disease state", "continuous", values={"disease state: OA": 1}
    )
    with pytest.raises(UsageError, match="no controls: a comparison needs at least 2"):
        groups(["title~RA"], [], own)


def test_condition_may_be_met_by_another_series() -> None:
    other = describe_series(
        Series(
            Path("GSE2_series_matrix.txt"),
            ("GSM7", "GSM8"),
            {"geo_accession": ("GSE2",)},
            {"characteristics_ch1": (("disease state: SLE", "disease state: gout"),)},
        )
    )
    both = [DESCRIPTION, other]
    check_conditions(both, ["disease state=SLE"], ["title~healthy"], ["GSM8"])
    check_conditions(both, ["osteoarthritis"], ["normal"], [])
    for given in (
        (["disease state=AS"], [], []),
        ([], ["disease state=AS"], []),
        ([], [], ["GSM9"]),
    ):
        with pytest.raises(UsageError):
            check_conditions(both, *given)
    check_conditions([], ["disease state=AS"], [], [])


@pytest.mark.parametrize(
    ("cases", "controls", "why"),
    [
        (["status=RA"], ["title~healthy"], "no key is called 'status'"),
        (["disease state=SLE"], ["title~healthy"], "disease state: RA (3), healthy (2), OA (1)"),
        (["title~RA"], ["disease state=RA"], "GSM1 and 2 more samples: both --case"),
        (["disease state=OA"], ["title~healthy"], "only one case: a comparison needs at least 2"),
        (["disease state="], ["title~healthy"], "is not a condition"),
    ],
)
def test_conditions_that_cannot_be_met_list_what_there_is(
    cases: list[str], controls: list[str], why: str
) -> None:
    with pytest.raises(UsageError) as error:
        groups(cases, controls)
    assert why in str(error.value)


def test_samples_are_excluded_by_id_or_key() -> None:
    found = exclude_samples(DESCRIPTION, ["GSM5", "tissue=pool", "GSM99"])
    assert found == {"GSM5": "--exclude 'GSM5'", "GSM3": "--exclude 'tissue=pool'"}
    with pytest.raises(UsageError, match="GSM99"):
        check_conditions([DESCRIPTION], [], [], ["GSM99"])


def test_bare_values_are_no_conditions() -> None:
    assert not need_conditions(["osteoarthritis", "clinical status: OA"], ["normal"])
    assert need_conditions(["osteoarthritis"], ["title~normal"])

from pathlib import Path

import pytest

from genotex.clinical import FeatureEncoding, RuleExpert, choose_groups, load_vocabulary
from genotex.errors import UsageError

from .conftest import MakeDescription

ROWS = (
    ["gender: male", "gender: female"],
    ["status: normal control", "status: rheumatoid arthritis", "status: Osteoarthritis"],
)


def test_values_with_or_without_key_in_any_case(make_description: MakeDescription) -> None:
    description = make_description(*ROWS)
    for case in ("osteoarthritis", "status: osteoarthritis", "STATUS:OSTEOARTHRITIS"):
        encoding = choose_groups(None, [case], ["Normal control"], description)
        assert encoding.row == 1
        assert dict(encoding.values) == {
            "status: normal control": 0,
            "status: rheumatoid arthritis": None,
            "status: Osteoarthritis": 1,
        }
        assert encoding.roles["status: rheumatoid arthritis"] == "unknown"
        assert "by hand" in encoding.evidence[0]


def test_one_side_keeps_the_other_of_the_expert(make_description: MakeDescription) -> None:
    description = make_description(*ROWS)
    read = RuleExpert().annotate(description, "Osteoarthritis").trait
    encoding = choose_groups(read, ["rheumatoid arthritis"], [], description)
    assert list(encoding.values.values()) == [0, 1, None]
    assert encoding.roles["status: normal control"] == "healthy control"


def test_other_disease_chosen_as_control_stays_another_disease(
    make_description: MakeDescription,
) -> None:
    description = make_description(*ROWS)
    read = RuleExpert().annotate(description, "Osteoarthritis").trait
    encoding = choose_groups(read, [], ["rheumatoid arthritis"], description)
    assert list(encoding.values.values()) == [None, 0, 1]
    assert encoding.roles["status: rheumatoid arthritis"] == "other disease"


def test_both_sides_by_hand_keep_what_is_known_of_the_controls(
    make_description: MakeDescription,
) -> None:
    description = make_description(*ROWS)
    for trait in ("Rheumatoid_Arthritis", "Osteoarthritis", "Asthma"):
        read = RuleExpert().annotate(description, trait).trait
        for known in (read, None):
            encoding = choose_groups(
                known, ["rheumatoid arthritis"], ["osteoarthritis"], description
            )
            assert list(encoding.values.values()) == [None, 1, 0]
            assert encoding.roles["status: Osteoarthritis"] == "other disease"
    both = choose_groups(
        None, ["rheumatoid arthritis"], ["osteoarthritis", "normal control"], description
    )
    assert list(both.roles.values()) == ["healthy control", "case", "other disease"]


def test_control_of_unknown_health_is_a_control_and_not_called_healthy(
    make_description: MakeDescription,
) -> None:
    rows = (["group: A", "group: B", "group: unaffected", "group: not healthy"],)
    encoding = choose_groups(
        None, ["A"], ["B", "unaffected", "not healthy"], make_description(*rows)
    )
    assert list(encoding.values.values()) == [1, 0, 0, 0]
    assert list(encoding.roles.values()) == ["case", "unknown", "healthy control", "unknown"]


@pytest.mark.parametrize(
    ("cases", "controls", "message"),
    [
        (["lupus"], ["normal control"], "'status: normal control'"),
        (["osteo"], ["normal control"], "no single key has the values"),
        (["osteoarthritis"], ["male"], "no single key has the values"),
        (["osteoarthritis"], [], "no controls left; choose some with --control among"),
        ([], ["normal control"], "no cases left"),
        ([], [], "no values given"),
        (["male"], ["Male"], "given as case and as control"),
    ],
)
def test_choices_that_cannot_be(
    make_description: MakeDescription, cases: list[str], controls: list[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        choose_groups(None, cases, controls, make_description(*ROWS))


def test_key_of_the_expert_is_preferred(make_description: MakeDescription) -> None:
    rows = (["first: sick", "first: well"], ["second: sick", "second: well"])
    read = FeatureEncoding("trait", 1, "second", "binary")
    encoding = choose_groups(read, ["sick"], ["well"], make_description(*rows))
    assert encoding.row == 1


def test_role_of_a_control_by_the_users_own_words(
    tmp_path: Path, make_description: MakeDescription
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[words]\nhealthy = ["sano"]\n', encoding="utf-8")
    description = make_description(["group: x", "group: sano"])
    plain = choose_groups(None, ["x"], ["sano"], description)
    assert plain.roles["group: sano"] == "unknown"
    own = choose_groups(None, ["x"], ["sano"], description, load_vocabulary(path))
    assert own.roles["group: sano"] == "healthy control"

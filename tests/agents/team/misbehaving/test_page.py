"""The page tells the cases that are tested, and no others."""

from tests.agents.team.misbehaving.all_cases import CASES
from tests.agents.team.misbehaving.page import PAGE, page


def test_page_is_written_from_the_cases() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "python -m tests.agents.team.misbehaving.page writes it anew"
    )


def test_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 25

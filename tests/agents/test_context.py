from hypothesis import given
from hypothesis import strategies as st

from genotex.agents import Attempt, CellResult, CellStatus, Output
from genotex.models import MOST_SHOWN, cut, fenced


def test_short_text_is_shown_whole() -> None:
    assert cut("all of it", 9) == "all of it"


def test_long_text_keeps_beginning_and_end_and_states_how_much_is_left_out() -> None:
    told = cut("a" * 8000 + "b" * 4000 + "ValueError: the end", MOST_SHOWN)
    assert told.startswith("a" * 7000 + "\n")
    assert told.endswith("ValueError: the end")
    assert "[... 2019 characters left out ...]" in told


@given(st.text(alphabet="`ab\n ", max_size=60))
def test_text_cannot_close_its_fence(text: str) -> None:
    lines = fenced(text).split("\n")
    fence = lines[-1]
    assert lines[0] == f"{fence}data"
    assert set(fence) == {"`"}
    assert all(fence not in line for line in lines[1:-1])


def attempt(text: str) -> Attempt:
    return Attempt("x", CellResult(CellStatus.OK, (Output("stdout", text),)))


def test_silent_cell_is_reported_as_silent() -> None:
    assert attempt("\n").shown == "```data\n(nothing was printed)\n```"


def test_name_of_the_sessions_folder_is_not_shown() -> None:
    told = attempt("File ~/genotex-session-3ghuriba/lib/genotex/agents/toolkit/tool.py:41").shown
    assert "File genotex/agents/toolkit/tool.py:41" in told

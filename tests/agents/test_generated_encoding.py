from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.agents import code_cells
from genotex.errors import UsageError

CELLS = ["disease state: healthy", "disease state: asthma", "disease state: n/a"]
GROUPS = (0.0, 1.0)


def behind_header(codes: dict[str, Any]) -> Callable[[str], Any]:
    return lambda cell: codes.get(cell.split(":")[1].strip())


def code(convert: Any, cells: list[str] = CELLS) -> dict[str, float | None]:
    return code_cells(cells, convert, where="trait, row 2", binary=GROUPS)


def test_function_and_dict_of_raw_cells_give_codes() -> None:
    wanted = {CELLS[0]: 0.0, CELLS[1]: 1.0, CELLS[2]: None}
    assert code(behind_header({"healthy": 0, "asthma": True})) == wanted
    assert code({CELLS[0]: 0, CELLS[1]: 1}) == wanted
    assert code({CELLS[0]: 0, CELLS[1]: 1, CELLS[2]: float("nan")}) == wanted


def test_header_still_in_front_is_reported() -> None:
    # GenoTEX paper, appendix G, listing 10.
    with pytest.raises(UsageError, match="begin with their header") as refused:
        code(lambda cell: {"healthy": 0, "asthma": 1}.get(cell))
    assert "trait, row 2: every value became None" in str(refused.value)
    assert "'disease state: healthy'" in str(refused.value)
    with pytest.raises(UsageError, match="begin with their header"):
        code({"healthy": 0, "asthma": 1})


def test_values_of_another_row_are_reported() -> None:
    with pytest.raises(UsageError, match="Choose another row"):
        code(behind_header({"tumor": 1}))
    with pytest.raises(UsageError, match="the dict holds 'tissue: tumor'"):
        code({"tissue: tumor": 1})


def test_placeholder_that_gives_the_text_back_is_reported() -> None:
    # Listing 9 of the same appendix.
    with pytest.raises(UsageError, match="gave 'disease state: healthy', which is not a code"):
        code(lambda cell: cell.strip().lower())


def test_function_that_raises_names_the_cell() -> None:
    with pytest.raises(UsageError, match=r"convert\('age: 61'\) raised ValueError") as refused:
        code(float, ["age: 61"])
    assert isinstance(refused.value.__cause__, ValueError)


@pytest.mark.parametrize("wrong", [float("inf"), 1j, "1", [1]])
def test_other_things_than_numbers_are_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="is not a code"):
        code(lambda cell: wrong)


def test_measure_among_two_groups_is_refused() -> None:
    with pytest.raises(UsageError, match=r'code 61, but two groups take 0, 1 .*"continuous"'):
        code(lambda cell: 61)


def test_row_without_cells_and_something_that_is_no_function() -> None:
    with pytest.raises(UsageError, match="all cells are empty"):
        code(lambda cell: 1, [])
    with pytest.raises(UsageError, match="must be a function"):
        code("healthy")


cells = st.lists(st.text(max_size=12), min_size=1, max_size=6, unique=True)
anything = st.one_of(
    st.none(), st.floats(), st.integers(), st.just(10**400), st.text(max_size=3), st.booleans()
)


@settings(deadline=None)
@given(cells, st.data())
def test_every_converter_gives_codes_or_an_error_of_ours(
    raw: list[str], data: st.DataObject
) -> None:
    answers = {cell: data.draw(anything) for cell in raw}
    try:
        codes = code_cells(raw, answers.__getitem__, where="age, row 0")
    except UsageError as error:
        assert str(error).startswith("age, row 0: ")
    else:
        assert list(codes) == raw
        for cell, found in codes.items():
            assert found is None or found == float(answers[cell])

"""One prompt, one script: what is asked, what is tried again, and when it ends."""

from typing import Any

import pytest

from genotex.agents import Ending, Notebook, ScriptWork, Switches, read_card, to_ipynb
from genotex.models import Request, ScriptedModel
from tests.agents.playing import GEO, PROBLEM, FakeSession, in_turn, python

FILES = "GSE1/GSE1_series_matrix.txt.gz (9 bytes)\n```json task-card\n{}\n```"


def scripted(*answers: Any) -> ScriptedModel:
    given = in_turn(*answers)
    return ScriptedModel(lambda request: given(read_card(request)))


def work(model: ScriptedModel, session: FakeSession | None = None, **switches: Any) -> Notebook:
    session = session or FakeSession()
    return ScriptWork(GEO, Switches(**switches), model, session, lambda: FILES).run()


def question(model: ScriptedModel, number: int = 0) -> str:
    request: Request = model.requests[number]
    return request.messages[-1].text


def test_one_call_sees_task_guidelines_instructions_toolkit_and_files() -> None:
    model = scripted(python("x = 1"))
    notebook = work(model)
    (request,) = model.requests
    system, asked = (message.text for message in request.messages)
    assert request.role == "engineer"
    assert "How a series of GEO becomes a table" in system and "read_expression(series" in system
    for step in ("## load data", "## read clinical features", "## normalise and link"):
        assert step in asked
    assert "task completed" not in asked
    assert "GSE1_series_matrix.txt.gz (9 bytes)" in asked
    # What a file says can be no task card: ours is the last one.
    assert read_card(request).unit == "whole_task"
    assert notebook.ending is Ending.COMPLETED
    assert notebook.context.names == ("whole_task",)


def test_problem_is_asked_of_the_statistician_with_the_regression_that_fits() -> None:
    model = scripted(python("x = 1"))
    ScriptWork(PROBLEM, Switches(), model, FakeSession(), lambda: "").run()
    assert model.requests[0].role == "statistician"
    assert "## one step regression" in question(model)
    assert "two step regression" not in question(model)


def test_script_that_fails_is_written_again_with_its_output_at_hand() -> None:
    model = scripted(python("x = 1  # raise"), python("x = 2"))
    session = FakeSession()
    notebook = work(model, session)
    assert [card.occasion for card in map(read_card, model.requests)] == ["write", "revise"]
    assert "x = 1  # raise" in question(model, 1) and "ValueError: no" in question(model, 1)
    # It runs in the state after the first cell, as if nothing had been tried.
    assert session.restored == [1]
    assert session.cells[1:] == ["x = 2\n"]
    assert notebook.context.steps[0].final.ran
    assert notebook.tally.revisions == 1


@pytest.mark.parametrize(("rounds", "calls"), [(1, 2), (2, 3)])
def test_script_is_debugged_only_so_often(rounds: int, calls: int) -> None:
    model = scripted(*(python(f"x = {n}  # raise") for n in range(9)))
    notebook = work(model, max_rounds=rounds)
    assert len(model.requests) == calls
    assert not notebook.context.steps[0].final.ran
    assert notebook.ending is Ending.COMPLETED


def test_author_that_keeps_a_failing_script_is_not_asked_again() -> None:
    model = scripted(*[python("x = 1  # raise")] * 9)
    assert work(model).tally.kept == 1
    assert len(model.requests) == 2


def test_answer_without_a_script_leaves_the_notebook_without_code() -> None:
    model = scripted("I cannot.", "I cannot.")
    notebook = work(model)
    assert notebook.tally.unwritten == 1
    assert notebook.context.steps[0].final.code == ""


def test_no_debugging_after_the_time_is_over() -> None:
    model = scripted(*(python(f"x = {n}  # raise") for n in range(9)))
    work(model, FakeSession(seconds=4.0), work_seconds=5.0)
    assert len(model.requests) == 1


def test_notebook_file_holds_the_script_as_its_second_cell() -> None:
    notebook = work(scripted(python("x = 1")))
    cells = [c for c in to_ipynb(notebook, "3.11")["cells"] if c["cell_type"] == "code"]
    assert "".join(cells[1]["source"]) == "x = 1"

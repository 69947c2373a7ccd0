import json
from typing import Any

import pytest

from genotex.agents import (
    CellResult,
    CellStatus,
    CodeShelf,
    NotebookWork,
    Output,
    Switches,
    action_unit,
    action_units,
)
from genotex.agents.promises import (
    CellState,
    Promised,
    check_code,
    is_check,
    print_state,
    read_state,
)
from tests.agents.playing import GEO, FakeSession, in_turn, plan, playing, python, verdict

PROMISES = (Promised("files", ("CohortFiles",)), Promised("series", ("SeriesText",)))


class SeriesText:
    made_by = "read_series(files)"

    def __repr__(self) -> str:
        return "GSE1: 12 samples\n3 rows"


def state(capsys: pytest.CaptureFixture[str], variables: dict[str, Any]) -> CellState | None:
    print("Printed by a thread of the cell.")
    print_state(variables, ["files", "series"])
    return read_state(capsys.readouterr().out, PROMISES)


def test_variables_are_found_by_name_and_type(capsys: pytest.CaptureFixture[str]) -> None:
    found = state(capsys, {"series": SeriesText(), "files": ["a.txt"], "other": 1})
    assert found is not None
    assert [(each.name, each.kind, each.text) for each in found.found] == [
        ("files", "list", "['a.txt']"),
        ("series", "SeriesText", "GSE1: 12 samples 3 rows"),
    ]
    (sentence,) = found.lacking
    assert sentence == "`files` is not set as promised: it is list and must be CohortFiles"


def test_missing_variable_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = state(capsys, {})
    assert found is not None
    assert [sentence.split(":")[0] for sentence in found.lacking] == [
        "`files` is missing",
        "`series` is missing",
    ]


def test_nothing_is_lacking_where_absence_was_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    found = state(capsys, {"gene_available": False})
    assert found == CellState((), ())


def test_object_that_cannot_be_shown_is_still_found(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        made_by = "nobody"

        def __repr__(self) -> str:
            raise RuntimeError("no")

    found = state(capsys, {"series": Broken()})
    assert found is not None and found.found[0].text == "cannot be shown: RuntimeError"


@pytest.mark.parametrize("printed", ["", "out", "genotex-variables {}", "genotex-variables [1"])
def test_check_that_cannot_be_read_states_nothing(printed: str) -> None:
    assert read_state(printed, PROMISES) is None


def test_check_is_recognised_and_names_its_variables() -> None:
    code = check_code(PROMISES)
    assert is_check(code) and not is_check("x = 1")
    assert "['files', 'series']" in code


@pytest.mark.parametrize("kind", ["geo", "tcga", "statistics"])
def test_every_step_that_does_something_promises_variables(kind: Any) -> None:
    for unit in action_units(kind):
        assert bool(unit.promises) != unit.completes, unit.name


class Checked(FakeSession):
    """Reports variables that stand in the code as ``# leaves: NAME KIND``."""

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        if not is_check(code):
            return super().execute(code, seconds=seconds)
        lines = [line.split() for cell in self.cells for line in cell.splitlines()]
        found = {w[2]: {"kinds": [w[3]], "text": ""} for w in lines if w[:2] == ["#", "leaves:"]}
        text = "genotex-variables " + json.dumps({"absent": False, "found": found})
        return CellResult(CellStatus.OK, (Output("stdout", text),), step=self.step)


LEAVES = python("x = 1\n# leaves: files CohortFiles\n# leaves: series SeriesText")


def work(model: Any, **switches: Any) -> Any:
    work = NotebookWork(GEO, Switches(**switches), model, Checked(), CodeShelf())
    return work.run()


def test_approval_of_a_cell_without_its_variables_does_not_count() -> None:
    model = playing(in_turn(plan("load_data"), plan("task_completed")), revise=lambda card: LEAVES)
    notebook = work(model)
    first, second = notebook.context.steps[0].attempts
    assert first.overruled and not first.approved and first.end == "incomplete"
    assert second.approved
    assert (notebook.tally.overruled, notebook.tally.incomplete) == (1, 1)
    told = model.requests[3].messages[-1].text
    assert "`series` is missing: assign it at top level; it must be SeriesText" in told


def test_reviewer_sees_what_a_cell_left() -> None:
    model = playing(
        in_turn(plan("load_data"), plan("task_completed")),
        write=lambda card: LEAVES,
        review=lambda card: verdict(True),
    )
    work(model)
    assert "left its variables as promised" in model.requests[2].messages[-1].text
    assert "The step leaves: `files` (CohortFiles)" in model.requests[1].messages[-1].text


def test_unreadable_review_of_an_incomplete_cell_does_not_accept_it() -> None:
    model = playing(
        in_turn(plan("load_data"), plan("task_completed")),
        revise=lambda card: LEAVES,
        review=lambda card: "Looks good!",
    )
    assert len(work(model).context.steps[0].attempts) == 2


def test_next_author_sees_the_variables_so_far() -> None:
    model = playing(
        in_turn(plan("load_data"), plan("read_clinical_features"), plan("task_completed")),
        write=lambda card: LEAVES,
    )
    work(model, reviewer=False)
    request = next(r for r in model.requests if r.role == "expert")
    assert "series: SeriesText" in request.messages[-1].text


def test_step_that_is_not_needed_leaves_nothing() -> None:
    class Says(Checked):
        def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
            result = super().execute(code, seconds=seconds)
            text = (Output("stdout", "Nothing to do: the ids are symbols."),)
            return result if is_check(code) else CellResult(CellStatus.OK, text, step=self.step)

    model = playing(in_turn(plan("map_gene_ids"), plan("task_completed")))
    notebook = NotebookWork(GEO, Switches(), model, Says(), CodeShelf()).run()
    assert action_unit("geo", "map_gene_ids").may_skip
    assert notebook.context.steps[0].final.approved

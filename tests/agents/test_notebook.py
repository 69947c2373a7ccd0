from typing import Any

import pytest

from genotex.agents import (
    Card,
    CellStatus,
    CodeShelf,
    Ending,
    Event,
    NotebookWork,
    Switches,
    action_unit,
)
from genotex.errors import BudgetReachedError, ModelUnavailableError, SandboxError
from genotex.models import Reply
from tests.agents.playing import (
    GEO,
    GEO_STEPS,
    PROBLEM,
    TCGA,
    FakeSession,
    in_turn,
    next_in_order,
    occasions,
    plan,
    playing,
    python,
    slow,
    verdict,
    work,
)


def steps_until(number: int, *then: dict[str, Any]) -> Any:
    """Plan the first steps in order, then what is said."""
    return in_turn(*(plan(name) for name in GEO_STEPS[:number]), *then, plan("task_completed"))


def test_steps_are_planned_written_run_and_reviewed_until_the_task_is_completed() -> None:
    model, session = playing(), FakeSession()
    notebook = work(model, session=session)
    assert notebook.ending is Ending.COMPLETED
    assert list(notebook.context.names) == GEO_STEPS
    assert session.cells[1:] == [f"x = '{name}'\n" for name in GEO_STEPS]
    assert [occasion for _, occasion in occasions(model)] == [
        *["plan", "write", "review"] * len(GEO_STEPS),
        "plan",
    ]
    assert notebook.tally.reviews == len(GEO_STEPS)


def test_expert_writes_and_reviews_what_needs_domain_knowledge_and_nothing_else() -> None:
    model = playing()
    work(model)
    asked = [role for role, occasion in occasions(model) if occasion != "plan"]
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    experts = {"read_clinical_features", "review_gene_ids", "map_gene_ids"}
    expected = [
        ("expert", "expert") if name in experts else ("engineer", "reviewer") for name in GEO_STEPS
    ]
    assert pairs == expected


def test_without_expert_engineer_and_reviewer_do_all_steps() -> None:
    model = playing()
    work(model, expert=False)
    assert {role for role, _ in occasions(model)} == {"planner", "engineer", "reviewer"}


def test_statistician_writes_the_code_of_a_problem() -> None:
    model = playing(in_turn(plan("one_step_regression"), plan("task_completed")))
    work(model, PROBLEM)
    assert occasions(model)[1] == ("statistician", "write")


def test_without_planning_all_steps_are_done_in_order_and_nothing_is_asked() -> None:
    model = playing()
    notebook = work(model, planning=False)
    assert list(notebook.context.names) == GEO_STEPS
    assert "plan" not in {occasion for _, occasion in occasions(model)}


@pytest.mark.parametrize(
    ("condition", "step"),
    [
        (None, "unconditional_regression"),
        ("Age", "one_step_regression"),
        ("Obesity", "two_step_regression"),
    ],
)
def test_without_planning_the_regression_fits_the_problem(condition: str | None, step: str) -> None:
    task = type(PROBLEM)("statistics", "Asthma", "/out", "output", condition=condition)
    assert work(playing(), task, planning=False).context.names == (step,)


def test_rejected_code_is_revised_and_runs_in_the_state_before_the_step() -> None:
    session = FakeSession()
    model = playing(steps_until(1), review=in_turn(verdict(False, "do better"), verdict(True)))
    notebook = work(model, session=session)
    (step,) = notebook.context.steps
    assert [attempt.code for attempt in step.attempts] == [
        "x = 'load_data'\n",
        "x = 'load_data, 1 tries'\n",
    ]
    assert step.final.approved
    assert session.restored == [1]
    assert session.cells[1:] == ["x = 'load_data, 1 tries'\n"]
    assert (notebook.tally.rejections, notebook.tally.revisions) == (1, 1)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_step_is_reviewed_so_often_and_the_last_revision_counts(rounds: int) -> None:
    model = playing(steps_until(1), review=lambda card: verdict(False, "again"))
    notebook = work(model, max_rounds=rounds)
    assert notebook.tally.reviews == rounds
    assert len(notebook.context.steps[0].attempts) == rounds + 1
    assert notebook.context.steps[0].final.verdict is None


def test_without_reviewer_the_first_attempt_is_also_where_it_fails() -> None:
    model = playing(steps_until(1), write=lambda card: python("# raise"))
    notebook = work(model, reviewer=False)
    assert notebook.context.steps[0].final.result.status is CellStatus.ERROR
    assert notebook.tally.reviews == 0


def test_author_that_keeps_its_code_ends_the_argument() -> None:
    model = playing(
        steps_until(1),
        revise=lambda card: python("x = 'load_data'"),
        review=lambda card: verdict(False, "do it my way"),
    )
    session = FakeSession()
    notebook = work(model, session=session)
    assert len(notebook.context.steps[0].attempts) == 1
    assert (notebook.tally.kept, session.restored) == (1, [])


def test_approval_of_code_that_did_not_run_does_not_count() -> None:
    model = playing(steps_until(1), write=lambda card: python("# raise"))
    notebook = work(model)
    first, second = notebook.context.steps[0].attempts
    assert first.overruled
    assert not first.approved
    assert second.approved
    assert notebook.tally.overruled == 1


def test_reviewer_that_contradicts_itself_is_asked_again() -> None:
    contradiction = {**verdict(True), "follows": False}
    model = playing(steps_until(1), review=in_turn(contradiction, verdict(True)))
    notebook = work(model)
    assert notebook.context.steps[0].final.approved
    assert "approve is true, but" in model.requests[3].messages[-1].text


def test_reviews_that_contradict_each_other_end_after_the_rounds() -> None:
    model = playing(
        steps_until(1), review=in_turn(verdict(False, "use a list"), verdict(False, "use no list"))
    )
    notebook = work(model)
    assert notebook.ending is Ending.COMPLETED
    assert notebook.tally.rejections == 2


def test_review_that_cannot_be_read_leaves_it_to_whether_the_code_ran() -> None:
    talk = "Looks good to me!"
    notebook = work(playing(steps_until(1), review=lambda card: talk))
    assert notebook.tally.unreadable_reviews == 1
    assert len(notebook.context.steps[0].attempts) == 1
    failing = playing(steps_until(1), write=lambda card: python("# raise"), review=lambda c: talk)
    notebook = work(failing, max_rounds=1)
    assert len(notebook.context.steps[0].attempts) == 2


def test_planner_that_cannot_be_read_is_replaced_by_the_usual_order_and_counted() -> None:
    notebook = work(playing(lambda card: "I would load the data next."))
    assert list(notebook.context.names) == GEO_STEPS
    assert notebook.tally.unreadable_plans == len(GEO_STEPS) + 1
    assert notebook.ending is Ending.COMPLETED


@pytest.mark.parametrize(
    "wrong",
    [
        plan("dance"),
        {**plan("load_data"), "retract": True},
        plan("load_data", back_to=7),
        plan("load_data", back_to=0),
        {"action": "load_data"},
    ],
)
def test_plan_that_makes_no_sense_leaves_it_to_the_usual_order(wrong: dict[str, Any]) -> None:
    def planner(card: Card) -> dict[str, Any]:
        return wrong if len(card.steps) == 2 else next_in_order(card)

    notebook = work(playing(planner))
    assert notebook.context.names[:3] == tuple(GEO_STEPS[:3])
    assert notebook.tally.unreadable_plans == 1


def test_going_back_drops_the_step_and_all_after_it_and_restores_the_session() -> None:
    session = FakeSession()
    model = playing(
        in_turn(
            *(plan(name) for name in GEO_STEPS[:3]),
            plan("read_clinical_features", back_to=2),
            plan("task_completed"),
        )
    )
    notebook = work(model, session=session)
    assert notebook.context.names == ("load_data", "read_clinical_features")
    assert [step.unit.name for step in notebook.dropped] == GEO_STEPS[1:3]
    # The first cell and load_data are behind the state to go back to.
    assert session.restored == [2]
    assert len(session.cells) == 3
    assert notebook.tally.retractions == 1


def test_going_back_more_often_than_allowed_is_refused() -> None:
    model = playing(
        in_turn(
            plan("load_data"),
            plan("load_data", back_to=1),
            plan("load_data", back_to=1),
            plan("load_data", back_to=1),
            plan("task_completed"),
        )
    )
    notebook = work(model)
    assert notebook.tally.retractions == 1
    assert notebook.tally.unreadable_plans == 1
    assert notebook.context.names == ("load_data", "read_clinical_features")


def test_notebook_whose_planner_runs_in_a_circle_ends() -> None:
    notebook = work(playing(lambda card: plan("load_data")))
    assert notebook.ending is Ending.STEPS
    # Twice the number of steps there are.
    assert notebook.tally.steps == 16


def test_notebook_that_is_to_end_with_nothing_recorded_goes_on_once() -> None:
    recorded = in_turn(False, True)
    model = playing(in_turn(plan("task_completed"), plan("load_data"), plan("task_completed")))
    notebook = work(model, is_recorded=lambda: recorded(None))
    assert notebook.ending is Ending.COMPLETED
    assert notebook.context.names == ("load_data",)
    assert notebook.tally.refused_ends == 1
    first, second = model.requests[:2]
    assert "did not accept it" not in first.messages[-1].text
    assert "After no step at all `task_completed` was chosen" in second.messages[-1].text
    assert "the cohort is not recorded in cohort_info.json" in second.messages[-1].text


def test_notebook_that_is_to_end_twice_with_nothing_recorded_ends_as_what_it_is() -> None:
    model = playing(steps_until(1, plan("task_completed")))
    notebook = work(model, is_recorded=lambda: False)
    assert notebook.ending is Ending.UNRECORDED
    assert notebook.tally.refused_ends == 1
    # Whoever writes after it knows it, too.
    assert "After step 1 `task_completed`" in model.requests[-1].messages[-1].text


def test_without_planning_nothing_can_go_on_with_nothing_recorded() -> None:
    notebook = work(playing(), planning=False, is_recorded=lambda: False)
    assert notebook.ending is Ending.UNRECORDED
    assert list(notebook.context.names) == GEO_STEPS


def test_time_of_calls_and_cells_counts_but_not_waiting() -> None:
    waiting = slow(playing(), working=1.0, waiting=1000.0)
    notebook = work(waiting, session=FakeSession(seconds=2.0))
    assert notebook.ending is Ending.COMPLETED
    # 22 calls of 1 s and 8 cells of 2 s.
    assert notebook.tally.work_seconds == pytest.approx(22 + 16)
    assert notebook.tally.waiting_seconds == pytest.approx(22_000)
    short = work(slow(playing(), working=10.0), work_seconds=60.0)
    assert short.ending is Ending.TIME
    assert short.context.names == ("load_data", "read_clinical_features")


def test_a_cell_gets_what_is_left_of_the_time() -> None:
    session = FakeSession(seconds=7.0)
    work(playing(), session=session, work_seconds=20.0, cell_seconds=10.0)
    assert session.limits == [10.0, 10.0, 6.0]


@pytest.mark.parametrize("how", ["loop", "exit"])
def test_cell_that_was_stopped_leaves_no_trace_in_the_state(how: str) -> None:
    session = FakeSession()
    model = playing(steps_until(1), write=lambda card: python(f"# {how}"))
    notebook = work(model, session=session)
    assert not notebook.context.steps[0].attempts[0].result.state_kept
    assert session.cells[1:] == ["x = 'load_data, 1 tries'\n"]
    assert notebook.tally.timeouts == (how == "loop")


def test_author_without_code_is_asked_again_and_then_the_step_is_without() -> None:
    model = playing(steps_until(1), write=lambda card: "I cannot see the data, sorry.")
    notebook = work(model)
    assert notebook.tally.unwritten == 1
    final = notebook.context.steps[0].final
    assert final.code == ""
    assert "There is no code" in final.result.text
    assert [occasion for _, occasion in occasions(model)] == ["plan", "write", "write", "plan"]


def test_author_that_refuses_leaves_the_step_without_code() -> None:
    refusal = Reply("I will not help with that.", "", stop="refusal")
    notebook = work(playing(steps_until(1), write=lambda card: refusal))
    assert notebook.tally.unwritten == 1


def test_approved_code_is_tried_first_in_the_next_notebook() -> None:
    shelf = CodeShelf()
    work(playing(), shelf=shelf)
    model = playing()
    notebook = work(model, shelf=shelf)
    reused = [step.unit.name for step in notebook.context.steps if step.reused]
    assert reused == ["load_data", "extract_gene_data", "read_annotation", "normalise_and_link"]
    assert notebook.tally.reused == 4
    # Neither written nor reviewed.
    assert ("engineer", "write") not in occasions(model)
    assert ("reviewer", "review") not in occasions(model)


def test_reused_code_that_fails_is_reviewed_and_revised() -> None:
    shelf = CodeShelf()
    shelf.keep(GEO, action_unit("geo", "load_data"), (), "# raise\n")
    model = playing(
        steps_until(1), review=lambda card: verdict(card.attempts[-1] == "ok", "mend it")
    )
    notebook = work(model, shelf=shelf)
    (step,) = notebook.context.steps
    assert [attempt.author for attempt in step.attempts] == ["", "engineer"]
    assert step.final.approved
    assert notebook.tally.reused == 0


def test_code_is_not_reused_where_other_steps_came_before() -> None:
    shelf = CodeShelf()
    work(playing(), shelf=shelf)
    model = playing(in_turn(plan("read_annotation"), plan("task_completed")))
    assert not work(model, shelf=shelf).context.steps[0].reused


def test_code_that_names_what_it_was_written_for_is_not_reused() -> None:
    shelf = CodeShelf()
    work(playing(write=lambda card: python("print('GSE1')")), shelf=shelf)
    assert work(playing(), shelf=shelf).tally.reused == 0


def test_code_that_names_one_study_of_tcga_is_never_reused() -> None:
    shelf = CodeShelf()
    for _ in range(2):
        model = playing(in_turn(plan("load_data"), plan("task_completed")))
        assert not work(model, TCGA, shelf=shelf).context.steps[0].reused


def test_without_reuse_every_notebook_is_written_again() -> None:
    shelf = CodeShelf()
    work(playing(), shelf=shelf)
    assert work(playing(), shelf=shelf, reuse=False).tally.reused == 0


def test_dropped_code_is_not_offered_again() -> None:
    shelf = CodeShelf()
    work(playing(), shelf=shelf)
    model = playing(
        in_turn(plan("load_data"), plan("load_data", back_to=1), plan("task_completed"))
    )
    (step,) = work(model, shelf=shelf).context.steps
    assert not step.reused


def test_first_cell_that_does_not_run_is_no_fault_of_the_team() -> None:
    class Broken(FakeSession):
        def execute(self, code: str, *, seconds: float | None = None) -> Any:
            return super().execute("# raise")

    with pytest.raises(SandboxError, match="first cell does not run"):
        work(playing(), session=Broken())


@pytest.mark.parametrize("error", [BudgetReachedError("no more"), ModelUnavailableError("down")])
def test_what_stops_the_run_is_not_taken_for_an_answer(error: Exception) -> None:
    with pytest.raises(type(error)):
        work(playing(write=lambda card: error))


def test_what_happens_is_reported() -> None:
    told: list[Event] = []
    model = playing(steps_until(1))
    NotebookWork(GEO, Switches(), model, FakeSession(), CodeShelf(), on_event=told.append).run()
    assert [event.kind for event in told] == ["plan", "attempt", "verdict", "plan"]

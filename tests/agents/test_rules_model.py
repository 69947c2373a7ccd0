import pytest

from genotex.agents import (
    Attempt,
    Card,
    CellResult,
    CellStatus,
    DoneStep,
    Output,
    Questions,
    RulesModel,
    Step,
    TaskContext,
    action_unit,
)
from genotex.errors import BadAnswerError
from genotex.models import Message, Request
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import cohort_task
from tests.agents.playing import GEO

RIGHT = ["load_data", "read_clinical_features", "extract_gene_data", "review_gene_ids"]


@pytest.fixture
def card(study: SimulatedStudy, tmp_path: object) -> Card:
    task = cohort_task(study.folder, study.folder, "Simulated_Arthritis", "GSE90000001", "sound")
    return Card("planner", "plan", task, retractions_left=1)


def planned(card: Card, steps: list[tuple[str, str]], left: int = 1) -> tuple[object, object]:
    done = tuple(DoneStep(*step) for step in steps)
    asked = Card("planner", "plan", card.task, steps=done, retractions_left=left)
    request = Request("planner", (Message("user", "What next?"),), facts=asked.facts())
    data = RulesModel().answer(request).data
    return data["action"], data["retract_to_step"]


def test_rules_choose_the_first_step_that_is_missing(card: Card) -> None:
    assert planned(card, []) == ("load_data", None)
    assert planned(card, [(name, "ok") for name in RIGHT]) == ("read_annotation", None)


def test_rules_go_back_to_a_step_that_failed_or_should_not_be_there(card: Card) -> None:
    failed = [("load_data", "ok"), ("read_clinical_features", "error")]
    assert planned(card, failed) == ("read_clinical_features", 2)
    strange = [("load_data", "ok"), ("map_gene_ids", "ok")]
    assert planned(card, strange) == ("read_clinical_features", 2)


def test_rules_do_a_failed_step_again_where_going_back_is_not_possible(card: Card) -> None:
    failed = [("load_data", "ok"), ("read_clinical_features", "error")]
    assert planned(card, failed, left=0) == ("read_clinical_features", None)


def test_rules_write_what_they_would_approve_of(card: Card) -> None:
    questions, unit = Questions(card.task), action_unit("geo", "load_data")
    step = Step(unit, "Load it.")
    reply = RulesModel().answer(questions.write(TaskContext(), step))
    assert "find_files(task)" in reply.text
    code = reply.text.removeprefix("```python\n").removesuffix("\n```")
    ran = CellResult(CellStatus.OK, (Output("stdout", "16 samples\n"),))
    asked = questions.review(TaskContext(), step.with_attempt(Attempt(code, ran)))
    assert RulesModel().answer(asked).data["approve"] is True
    failed = CellResult(CellStatus.ERROR, traceback="ValueError: no")
    asked = questions.review(TaskContext(), step.with_attempt(Attempt(code, failed)))
    answer = RulesModel().answer(asked).data
    assert (answer["approve"], answer["follows"]) == (False, False)
    assert len(answer["suggestions"]) == 1


def test_rules_cost_no_tokens(card: Card) -> None:
    request = Request("planner", (Message("user", "What next?"),), facts=card.facts())
    reply = RulesModel().answer(request)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (0, 0)


def test_series_that_cannot_be_read_leaves_rules_without_an_answer() -> None:
    facts = Card("planner", "plan", GEO).facts()
    request = Request("planner", (Message("user", "What next?"),), facts=facts)
    with pytest.raises(BadAnswerError, match="the rules have no answer"):
        RulesModel().answer(request)

import enum
import json
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import BadAnswerError, RefusedError
from genotex.models import (
    MAX_ATTEMPTS,
    Message,
    Reply,
    Request,
    ScriptedModel,
    ask_for,
    finished_text,
    json_values,
    schema_of,
)


@dataclass(frozen=True)
class Choice:
    """What to do next."""

    action: Literal["next", "retract"]
    to_step: int | None = None

    def __post_init__(self) -> None:
        if self.action == "retract" and self.to_step is None:
            msg = "retract needs to_step"
            raise ValueError(msg)


REQUEST = Request("planner", (Message("user", "What next?"),))


def ask(*answers: Any) -> tuple[ScriptedModel, Any]:
    model = ScriptedModel(answers)
    return model, lambda: ask_for(model.answer, REQUEST, Choice)


@pytest.mark.parametrize(
    "answer",
    [
        Choice("retract", 2),
        {"action": "retract", "to_step": 2},
        '{"action": "retract", "to_step": 2}',
        'Back to 2:\n```json\n{"action": "retract", "to_step": 2}\n```',
    ],
)
def test_an_answer_that_fits_is_taken_at_once(answer: Any) -> None:
    model, go = ask(answer)
    found = go()
    assert found.value == Choice("retract", 2)
    assert not found.repaired
    assert len(model.requests) == 1
    assert model.requests[0].schema is not None


def test_a_value_that_fits_is_found_behind_one_that_does_not() -> None:
    _, go = ask('```json\n{"action": "next"}\n```\nas {"action": "dance"}\n```json\n{"a": 1}\n```')
    assert go().value == Choice("next")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"action": "dance"}, "action: input should be 'next' or 'retract', not 'dance'"),
        ('{"action": 5}', "action: input should be 'next' or 'retract', not 5"),
        ({"action": "next", "why": "so"}, "the answer has 'why', which was not requested"),
        ({"action": "retract"}, "retract needs to_step"),
        ("I would go on.", "it contains no JSON that can be read"),
        ("", "it is empty"),
    ],
)
def test_a_wrong_answer_is_repaired_once_and_the_error_is_told(wrong: Any, told: str) -> None:
    model, go = ask(wrong, {"action": "next"})
    found = go()
    assert found.value == Choice("next")
    assert found.repaired
    first, second = model.requests
    said, error = second.messages[len(first.messages) :]
    assert (said.author, error.author) == ("assistant", "user")
    assert said.text
    assert told in error.text
    assert second.schema == first.schema


def test_a_second_wrong_answer_is_a_typed_failure() -> None:
    model, go = ask(Reply("dance", "", working=2.0, waiting=0.5), {"action": "sing"}, "unasked")
    with pytest.raises(BadAnswerError, match=r"'sing'.*role planner") as caught:
        go()
    assert len(model.requests) == 2
    error = caught.value
    assert (error.model, error.attempts) == ("scripted", 2)
    assert (error.working, error.waiting) == (2.0, 0.5)


def test_an_answer_that_was_cut_is_told_to_be_shorter() -> None:
    cut = Reply('{"action": "ne', "", stop="length")
    model, go = ask(cut, {"action": "next"})
    go()
    assert "be shorter" in model.requests[1].messages[-1].text


@pytest.mark.parametrize("stop", ["refusal", "content_filter"])
def test_a_refusal_is_not_repaired(stop: Any) -> None:
    model, go = ask(Reply("I will not.", "", stop=stop))
    with pytest.raises(RefusedError, match="I will not"):
        go()
    assert len(model.requests) == 1


def test_a_list_is_checked_as_well() -> None:
    model = ScriptedModel([[1], ["a"]])
    assert ask_for(model.answer, REQUEST, list[str]).value == ["a"]
    assert "[0]: input should be a valid string, not 1" in model.requests[1].messages[-1].text


def test_text_may_be_cut_but_not_empty() -> None:
    cut = Reply("half", "m", stop="length")
    assert finished_text(cut) is cut
    with pytest.raises(BadAnswerError, match="empty"):
        finished_text(Reply(" \n", "m"))
    with pytest.raises(BadAnswerError, match=r"thinking.*more output tokens"):
        finished_text(Reply("", "m", stop="length"))
    with pytest.raises(BadAnswerError, match="failed"):
        finished_text(Reply("half", "m", stop="failed"))
    with pytest.raises(RefusedError, match="filter"):
        finished_text(Reply("", "m", stop="content_filter"))


class Opinion(enum.Enum):
    approve = "approve"
    reject = "reject"


@dataclass(frozen=True)
class Step:
    """A step of a plan.

    Only the first paragraph is part of the schema.
    """

    action: Literal["load", "map"]
    cohort: str
    weight: float | None = None


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    verdict: Opinion
    retract: bool
    to_step: int = field(default=1, metadata={"ge": 1, "description": "counted from 1"})
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


PLAN = {
    "steps": [{"action": "load", "cohort": "GSE1"}, {"action": "map", "cohort": "", "weight": 2}],
    "verdict": "reject",
    "retract": False,
    "counts": {"a": 3},
}


def test_the_schema_of_a_dataclass_written_out() -> None:
    assert schema_of(Step) == {
        "type": "object",
        "description": "A step of a plan.",
        "properties": {
            "action": {"enum": ["load", "map"]},
            "cohort": {"type": "string"},
            "weight": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
        "required": ["action", "cohort"],
        "additionalProperties": False,
    }
    whole = schema_of(Plan)
    assert "description" not in whole
    assert whole["required"] == ["steps", "verdict", "retract"]
    assert whole["properties"]["to_step"] == {
        "type": "integer",
        "minimum": 1,
        "description": "counted from 1",
    }
    assert whole["properties"]["steps"] == {"type": "array", "items": schema_of(Step)}
    assert whole["properties"]["counts"]["additionalProperties"] == {"type": "integer"}


def built(kind: type[Any], data: Any) -> Any:
    return ask_for(ScriptedModel([data, "unusable"]).answer, REQUEST, kind).value


def test_a_plan_is_built_from_what_a_model_wrote() -> None:
    assert built(Plan, PLAN) == Plan(
        steps=(Step("load", "GSE1"), Step("map", "", 2.0)),
        verdict=Opinion.reject,
        retract=False,
        counts={"a": 3},
    )


def test_whole_numbers_may_be_written_with_a_point() -> None:
    plan = built(Plan, {**PLAN, "to_step": 2.0})
    assert plan.to_step == 2
    assert type(plan.to_step) is int


def test_a_union_is_built_as_the_kind_that_fits() -> None:
    kind: Any = int | list[str] | str
    assert built(kind, ["a"]) == ["a"]
    assert built(kind, '"a"') == "a"


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        (int, "5", "the answer: input should be a valid integer, not '5'"),
        (int, 1.5, "the answer: input should be a valid integer, not 1.5"),
        (int, True, "the answer: input should be a valid integer, not True"),
        (float, float("nan"), "not JSON compliant"),
        (Step, {"action": "load"}, "the answer lacks 'cohort'"),
        (
            Plan,
            {**PLAN, "steps": [{"action": "load", "cohort": 1}]},
            "steps[0].cohort: input should be a valid string, not 1",
        ),
        (Plan, {**PLAN, "steps": [{"action": "load"}]}, "steps[0] lacks 'cohort'"),
        (Plan, {**PLAN, "more": 1}, "the answer has 'more', which was not requested"),
        (Plan, {**PLAN, "verdict": "c"}, "verdict: input should be 'approve' or 'reject', not 'c'"),
        (Plan, {**PLAN, "to_step": 0}, "to_step: input should be greater than or equal to 1"),
        (Plan, {**PLAN, "counts": {"b": "x"}}, "counts.b: input should be a valid integer"),
        (Plan, {**PLAN, "retract": 1}, "retract: input should be a valid boolean, not 1"),
        (Plan, [], "the answer: input should be an object, not []"),
    ],
)
def test_each_mismatch_is_one_sentence(kind: Any, data: Any, problem: str) -> None:
    model = ScriptedModel([Reply("", "", data=data), "unusable"])
    with pytest.raises(BadAnswerError):
        ask_for(model.answer, REQUEST, kind)
    assert problem in model.requests[1].messages[-1].text


def test_only_the_first_mismatches_are_reported() -> None:
    with pytest.raises(BadAnswerError):
        ask_for((model := ScriptedModel([["x"] * 30, ""])).answer, REQUEST, list[int])
    text = model.requests[1].messages[-1].text
    assert text.count("input should be") == 10
    assert "and 20 more" in text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2]}',
        '  \n{"a": [1, 2]}\n',
        '```json\n{"a": [1, 2]}\n```',
        'Here it is:\n```\n{"a": [1, 2]}\n```\nI hope that helps.',
        'I first thought ```{"a": 5}``` but\n```json\n{"a": [1, 2]}\n```',
        'The answer is {"a": [1, 2]}, as asked.',
        'In {braces}: {"a": [1, 2]}',
    ],
)
def test_the_value_is_found_with_talk_around_it(text: str) -> None:
    assert next(json_values(text)) == {"a": [1, 2]}


def test_of_several_code_fences_the_last_comes_first() -> None:
    text = "```json\n1\n```\nNo, wait.\n```json\n2\n```"
    assert list(json_values(text)) == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        "[" * 10**5,
    ],
)
def test_text_without_a_value_gives_none(text: str) -> None:
    assert list(json_values(text)) == []


def test_only_so_many_brackets_are_tried() -> None:
    assert list(json_values("{" * MAX_ATTEMPTS + '{"a": 1}')) == []


@given(values, st.text(alphabet="ab .:\n", max_size=10), st.text(alphabet="ab .:\n", max_size=10))
def test_any_object_is_found_in_any_talk(value: Any, before: str, after: str) -> None:
    whole = {"value": value}
    assert next(json_values(before + json.dumps(whole) + after)) == whole


@given(st.text())
def test_whatever_the_text_only_what_can_be_written_comes_out(text: str) -> None:
    for value in json_values(text):
        assert json.loads(json.dumps(value, allow_nan=False)) == value

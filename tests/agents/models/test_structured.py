from dataclasses import dataclass, field
from typing import Any

import pytest

from genotex.agents.models import Message, Reply, Request, ScriptedModel, ask_data, ask_for
from genotex.agents.models.structured import finished_text
from genotex.errors import BadAnswerError, RefusedError, UsageError


@dataclass(frozen=True)
class Choice:
    """What to do next."""

    action: str = field(metadata={"enum": ["next", "retract"]})
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
        ({"action": "dance"}, "action is 'dance', none of 'next', 'retract'"),
        ('{"action": 5}', "action is the number 5, not a text"),
        ({"action": "next", "why": "so"}, "the answer has 'why', which was not asked for"),
        ({"action": "retract"}, "retract needs to_step"),
        ("I would go on.", "it holds no JSON that can be read"),
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


def test_plain_data_is_checked_against_the_schema_of_the_request() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    request = Request("planner", REQUEST.messages, schema=schema)
    model = ScriptedModel([[1], ["a"]])
    assert ask_data(model.answer, request).value == ["a"]
    assert "[0] is the number 1, not a text" in model.requests[1].messages[-1].text


def test_data_of_no_form_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="give the request a schema"):
        ask_data(ScriptedModel(["{}"]).answer, REQUEST)


def test_text_may_be_cut_but_not_empty() -> None:
    cut = Reply("half", "m", stop="length")
    assert finished_text(cut) is cut
    with pytest.raises(BadAnswerError, match="empty"):
        finished_text(Reply(" \n", "m"))
    with pytest.raises(BadAnswerError, match=r"thinking.*more output tokens"):
        finished_text(Reply("", "m", stop="length"))
    with pytest.raises(BadAnswerError, match="went wrong"):
        finished_text(Reply("half", "m", stop="failed"))
    with pytest.raises(RefusedError, match="filter"):
        finished_text(Reply("", "m", stop="content_filter"))

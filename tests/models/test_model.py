import pytest

from genotex.errors import BadAnswerError, RateLimitedError, UsageError
from genotex.models import Message, Reply, Request, ScriptedModel, Usage


@pytest.mark.parametrize("messages", [(), (Message("system", "Be brief."),)])
def test_a_request_ends_with_a_message_of_the_user(messages: tuple[Message, ...]) -> None:
    with pytest.raises(UsageError, match="a request of planner must end"):
        Request("planner", messages)


@pytest.mark.parametrize(
    ("usage", "known"),
    [(Usage(0, 0), True), (Usage(1, 2, None, None), True), (Usage(1), False), (Usage(), False)],
)
def test_usage_is_known_when_input_and_output_are(usage: Usage, known: bool) -> None:
    assert usage.known == known


REQUEST = Request("planner", (Message("user", "Hello?"),))


def test_answers_come_in_order_and_requests_are_kept() -> None:
    model = ScriptedModel(["one", {"two": 2}, Reply("three", "other")])
    assert model.answer(REQUEST).text == "one"
    assert model.answer(REQUEST).data == {"two": 2}
    assert model.answer(REQUEST) == Reply("three", "other")
    assert model.requests == [REQUEST] * 3


def test_a_script_uses_no_tokens() -> None:
    assert ScriptedModel(["one"]).answer(REQUEST).usage == Usage(0, 0, 0, 0)


def test_a_function_answers_by_the_request() -> None:
    model = ScriptedModel(lambda request: request.messages[-1].text.upper(), name="shouting")
    reply = model.answer(REQUEST)
    assert (reply.text, reply.model, model.name) == ("HELLO?", "shouting", "shouting")


def test_an_exception_is_raised() -> None:
    with pytest.raises(RateLimitedError):
        ScriptedModel([RateLimitedError("too often")]).answer(REQUEST)


def test_an_exhausted_script_says_who_asked() -> None:
    model = ScriptedModel(["one"])
    model.answer(REQUEST)
    with pytest.raises(BadAnswerError, match="no answer 2, requested by planner"):
        model.answer(REQUEST)

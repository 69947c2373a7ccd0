import pytest

from genotex.agents.models import Message, Request, Usage
from genotex.errors import UsageError


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

"""What a service of the tests knows of a question that came over the wire: its task card.

Providers get only messages. The client is in this process, so that the facts of its requests can
be kept by their text as they are sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from genotex.models import Message, ProviderModel, Reply, Request
from tests.models.servers import OpenAIDialect, Seen

Facts = dict[str, Mapping[str, Any] | None]


@contextmanager
def facts_of_calls() -> Iterator[Facts]:
    """Keep the facts of every request to a provider, by its first message of the user."""
    facts: Facts = {}
    really = ProviderModel.answer

    def answer(self: ProviderModel, request: Request) -> Reply:
        facts[_question(request.messages)] = request.facts
        return really(self, request)

    with patch.object(ProviderModel, "answer", answer):
        yield facts


def request_of(seen: Seen, dialect: OpenAIDialect, facts: Facts) -> Request:
    """Return a request as it came over the wire, with its facts."""
    texts = dialect.texts_of(seen)
    messages = tuple(Message(author, text) for author, text in texts)  # type: ignore[arg-type]
    asked = _question(messages)
    # The schema may stand at the end of the question.
    found = (each for text, each in facts.items() if asked.startswith(text.rstrip()))
    return Request("team", messages, facts=next(found, None))


def _question(messages: tuple[Message, ...]) -> str:
    return next(message.text for message in messages if message.author == "user")

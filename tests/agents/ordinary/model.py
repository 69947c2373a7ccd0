"""A service that answers in OpenAI's protocol as ordinary models do.

What it knows is what the built-in rules know; how it writes that down is its style. It counts
tokens as a quarter of the characters of all messages, which is what English and code come to
within a tenth, and needs no tokenizer of a provider.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from genotex.agents import Card, RulesModel, read_card
from genotex.models import Message, Reply
from tests.models.cards import Facts, facts_of_calls, request_of
from tests.models.servers import CompatibleDialect, Says, serving

DIALECT = CompatibleDialect()
CHARACTERS_PER_TOKEN = 4
Answer = str | Mapping[str, Any] | Says | None


def tokens_of(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class Question:
    """What the model was asked, and what the rules would answer."""

    card: Card
    messages: tuple[Message, ...]
    right: Reply
    streams: bool = False

    @property
    def code(self) -> str:
        """The right code of the step."""
        return self.right.text.removeprefix("```python\n").removesuffix("\n```") + "\n"

    @property
    def text(self) -> str:
        """The whole prompt."""
        return "\n".join(message.text for message in self.messages)

    @property
    def tokens(self) -> int:
        return sum(tokens_of(message.text) for message in self.messages)

    @property
    def is_code(self) -> bool:
        return self.card.occasion in ("write", "revise")

    @property
    def asked_again(self) -> bool:
        return self.messages[-2].author == "assistant"

    @property
    def feedback(self) -> str:
        """What the model was told about its earlier answers; empty the first time."""
        told = self.messages[-1].text if self.asked_again else ""
        return told + self.messages[1].text.partition("## Attempt 1")[2]

    @property
    def plain(self) -> Answer:
        """What the rules answer."""
        return self.right.text if self.right.data is None else dict(self.right.data)


@dataclass(frozen=True)
class Style:
    """How a model writes its answers.

    `answers` returns what it writes to a question; None is what the rules would write.
    """

    name: str
    what: str
    answers: Callable[[Question], Answer]


class OrdinaryModel:
    """Answers all roles in one style."""

    def __init__(self, service: Any, facts: Facts) -> None:
        self._service = service
        self._facts = facts
        self._rules = RulesModel()
        self.style = Style("right", "answers as the rules do", lambda question: None)
        self.sizes: list[tuple[str, int]] = []
        service.next_answer = self._next

    @property
    def name(self) -> str:
        return DIALECT.name(f"{self._service.address}/v1")

    def adopt(self, style: Style) -> None:
        self.style = style
        self.sizes = []
        self._service.seen.clear()
        self._facts.clear()

    def _next(self) -> Says:
        seen = self._service.seen[-1]
        request = request_of(seen, DIALECT, self._facts)
        card = read_card(request)
        streams = bool(seen.body.get("stream"))
        question = Question(card, request.messages, self._rules.answer(request), streams)
        self.sizes.append((card.role, question.tokens))
        answer = self.style.answers(question)
        answer = question.plain if answer is None else answer
        return answer if isinstance(answer, Says) else says(question, answer)


def says(
    question: Question, answer: str | Mapping[str, Any], finish: str = "stop", **message: Any
) -> Says:
    """Return an answer with its usage; `message` holds what stands next to the content."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    thoughts = str(message.get("reasoning_content", "")) + json.dumps(message.get("tool_calls", ""))
    written = tokens_of(text) + tokens_of(thoughts)
    usage = {
        "prompt_tokens": question.tokens,
        "completion_tokens": written,
        "total_tokens": question.tokens + written,
    }
    return DIALECT.message({"content": text or None, **message}, finish, usage=usage)


@contextmanager
def ordinary_model() -> Iterator[OrdinaryModel]:
    """Run the service on a free port of this machine."""
    with facts_of_calls() as facts, serving(Says({})) as service:
        yield OrdinaryModel(service, facts)

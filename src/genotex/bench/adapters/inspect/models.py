"""The model of an evaluation as a model of the team of agents."""

from __future__ import annotations

import asyncio
import contextvars
import json
import time
from concurrent.futures import CancelledError, Future, wait

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)

from genotex.errors import BudgetReachedError
from genotex.models import Message, Reply, Request, StopReason, Usage

_MOCK = "MockLLM"
_TURN = 0.5
"""Seconds between checks whether the sample still lasts."""


def count_words_offline(model: Model) -> None:
    """Let Inspect's mock model count words.

    It counts tokens with a tokenizer that has to be downloaded, so that without a network each of
    its calls would fail.
    """
    if type(model.api).__name__ == _MOCK:
        setattr(model.api, "count_text_tokens", _count_words)  # noqa: B010


async def _count_words(text: str) -> int:
    return max(1, len(text.split()))


_MESSAGES: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_STOPS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
_FORM = "\n\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n{schema}"


class InspectModel:
    """Asks a model of Inspect AI, from any thread; its calls are in the transcript of the sample.

    Made in the event loop of the sample, whose context its calls have.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._stopped = False

    def stop(self) -> None:
        """Refuse this and every further answer: the sample has ended."""
        self._stopped = True

    @property
    def _is_over(self) -> bool:
        return self._stopped or not self._loop.is_running()

    @property
    def name(self) -> str:
        """Name of the model; ``inspect:`` and the name that Inspect has for it."""
        return f"inspect:{self._model}"

    def answer(self, request: Request) -> Reply:
        """Answer a request (see `genotex.models.Model`)."""
        if self._is_over:
            raise _over()
        start = time.monotonic()
        context = self._context.copy()
        asked = context.run(asyncio.run_coroutine_threadsafe, self._ask(request), self._loop)
        output = self._wait(asked)
        return Reply(
            output.completion,
            self.name,
            stop="failed" if output.error else _STOPS.get(output.stop_reason, "finished"),
            usage=_usage(output),
            provider="inspect",
            version=output.model,
            working=time.monotonic() - start,
        )

    def _wait(self, asked: Future[ModelOutput]) -> ModelOutput:
        """Wait for an answer while the sample lasts; afterwards none would ever come."""
        while not wait([asked], timeout=_TURN).done:
            if self._is_over:
                asked.cancel()
                raise _over()
        try:
            return asked.result()
        except CancelledError as error:
            raise _over() from error

    async def _ask(self, request: Request) -> ModelOutput:
        messages = [_message(each) for each in request.messages]
        if request.schema is not None:
            form = _FORM.format(schema=json.dumps(request.schema))
            messages[-1] = ChatMessageUser(content=messages[-1].text + form)
        config = GenerateConfig(max_tokens=request.max_output, temperature=request.temperature)
        return await self._model.generate(messages, config=config)


def _over() -> BudgetReachedError:
    return BudgetReachedError("the sample has ended, at a limit or by cancellation", "max_time")


def _message(message: Message) -> ChatMessage:
    return _MESSAGES[message.author](content=message.text)


def _usage(output: ModelOutput) -> Usage:
    if output.usage is None:
        return Usage()
    used = output.usage
    cached, written = used.input_tokens_cache_read, used.input_tokens_cache_write
    return Usage(
        used.input_tokens + (cached or 0) + (written or 0), used.output_tokens, cached, written
    )

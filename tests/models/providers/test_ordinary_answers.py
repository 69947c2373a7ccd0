"""Answers of ordinary models on the wire: as streams, with thoughts, as tool calls, or limited."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest

from genotex.agents import written_code
from genotex.errors import ContextTooLongError, RateLimitedError
from genotex.models import Message, Request, RetryPolicy, RoleModels
from tests.models.providers.asking import REQUEST, Waits, model_at
from tests.models.servers import (
    AnthropicDialect,
    CompatibleDialect,
    Dialect,
    GoogleDialect,
    OllamaDialect,
    OpenAIDialect,
    Says,
    serving,
)

OPENAI, ANTHROPIC, GOOGLE = OpenAIDialect(), AnthropicDialect(), GoogleDialect()
COMPATIBLE, OLLAMA = CompatibleDialect(), OllamaDialect()
CODE = Request("engineer", (Message("user", "Write the cell."),))
PATIENT = RetryPolicy(attempts=3, first_wait=1.0, longest_wait=1000.0)
EVENTS = {"Content-Type": "text/event-stream"}


def events(*data: Any, named: bool = False) -> Says:
    """Return server-sent events."""
    parts = []
    for each in data:
        name = f"event: {each['type']}\n" if named else ""
        parts.append(f"{name}data: {each if isinstance(each, str) else json.dumps(each)}\n\n")
    return Says("".join(parts).encode(), headers=EVENTS)


def openai_stream(*pieces: str) -> Says:
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    found = [{"index": 0, "delta": {"role": "assistant", "content": piece}} for piece in pieces]
    found.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    last = {**chunk, "choices": [], "usage": usage}
    return events(*({**chunk, "choices": [each]} for each in found), last, "[DONE]")


def anthropic_stream(*pieces: str) -> Says:
    usage = {"input_tokens": 60, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-of-tests",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    ]
    return events(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *deltas,
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 20},
        },
        {"type": "message_stop"},
        named=True,
    )


def google_stream(*pieces: str) -> Says:
    last = len(pieces) - 1
    return events(
        *(
            {
                "candidates": [
                    {
                        "content": {"role": "model", "parts": [{"text": piece}]},
                        "index": 0,
                        **({"finishReason": "STOP"} if number == last else {}),
                    }
                ],
                "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20},
                "modelVersion": "gemini-2.5-flash-001",
            }
            for number, piece in enumerate(pieces)
        )
    )


ONLY_STREAMS = "This model only supports streaming; set stream=true"


@pytest.mark.parametrize(
    ("dialect", "refusal", "stream"),
    [
        (OPENAI, OPENAI.error(400, ONLY_STREAMS, "invalid_request_error", None), openai_stream),
        (COMPATIBLE, COMPATIBLE.error(422, ONLY_STREAMS, "error", None), openai_stream),
        (ANTHROPIC, ANTHROPIC.error(400, "invalid_request_error", ONLY_STREAMS), anthropic_stream),
        (GOOGLE, GOOGLE.error(400, "INVALID_ARGUMENT", ONLY_STREAMS), google_stream),
    ],
    ids=["openai", "compatible", "anthropic", "google"],
)
def test_service_that_answers_only_as_a_stream_is_asked_for_one(
    dialect: Dialect, refusal: Says, stream: Callable[..., Says]
) -> None:
    with serving(refusal, stream("Wel", "l."), stream("And ", "again.")) as service:
        model = model_at(dialect, service)
        reply = model.answer(REQUEST)
        # From then on at once.
        again = model.answer(REQUEST)
    assert (reply.text, again.text) == ("Well.", "And again.")
    assert len(service.seen) == 3
    assert reply.usage.input_tokens in (60, 100)


def test_other_rejections_are_not_asked_again() -> None:
    from genotex.errors import RequestRejectedError

    with serving(OPENAI.rejected()) as service, pytest.raises(RequestRejectedError):
        model_at(OPENAI, service).answer(REQUEST)
    assert len(service.seen) == 1


THOUGHTS = "```python\nx = 0\n```\nNo, rather: " + "Let me think. " * 2000
CELL = "```python\nx = 1\n```"
thinking = pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        (OPENAI, OPENAI.message({"content": CELL, "reasoning_content": THOUGHTS})),
        (COMPATIBLE, COMPATIBLE.message({"content": f"<think>{THOUGHTS}</think>\n\n{CELL}"})),
        (COMPATIBLE, COMPATIBLE.message({"content": f"{THOUGHTS}\n</think>\n\n{CELL}"})),
        (OLLAMA, OLLAMA.message({"content": CELL, "reasoning": THOUGHTS})),
        (
            ANTHROPIC,
            ANTHROPIC._message(
                [
                    {"type": "thinking", "thinking": THOUGHTS, "signature": "s"},
                    {"type": "text", "text": CELL},
                ]
            ),
        ),
        (GOOGLE, GOOGLE._candidate([{"text": THOUGHTS, "thought": True}, {"text": CELL}])),
    ],
    ids=["field", "tags", "half tags", "ollama", "anthropic", "google"],
)


@thinking
def test_code_among_the_thoughts_is_not_the_answer(dialect: Dialect, answer: Says) -> None:
    with serving(answer) as service:
        found = written_code(model_at(dialect, service).answer(CODE).text)
    assert found is not None and found.code == "x = 1\n"


CALL = {"name": "execute_python", "arguments": json.dumps({"code": "x = 1"})}
OPENAI_CALLS = [{"id": "call_1", "type": "function", "function": CALL}]
USE = {"type": "tool_use", "id": "toolu_1", "name": "execute_python", "input": {"code": "x = 1"}}
GOOGLE_CALL = {"functionCall": {"name": "execute_python", "args": {"code": "x = 1"}}}


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        (OPENAI, OPENAI.message({"tool_calls": OPENAI_CALLS}, "tool_calls")),
        (COMPATIBLE, COMPATIBLE.message({"tool_calls": OPENAI_CALLS}, "tool_calls")),
        (ANTHROPIC, ANTHROPIC._message([USE], "tool_use")),
        (GOOGLE, GOOGLE._candidate([GOOGLE_CALL])),
    ],
    ids=["openai", "compatible", "anthropic", "google"],
)
def test_tool_call_where_text_was_asked_for_is_text(dialect: Dialect, answer: Says) -> None:
    with serving(answer) as service:
        reply = RoleModels(model_at(dialect, service)).ask(CODE)
    found = written_code(reply.text)
    assert found is not None and found.code == "x = 1\n"


def limited(message: str, **headers: str) -> Says:
    return OPENAI.error(429, message, "requests", "rate_limit_exceeded", **headers)


@pytest.mark.parametrize(
    ("dialect", "answer", "least"),
    [
        (OPENAI, limited("Rate limit reached for gpt-4o. Please try again in 20s."), 20),
        (OPENAI, limited("Limit 3, Used 3. Please try again in 1m30.5s."), 90.5),
        (OPENAI, limited("Limit reached. Please try again in 350ms."), 0.35),
        (OPENAI, limited("Requests have exceeded the limit. Please retry after 6 seconds."), 6),
        (OPENAI, limited("Please try again in 500 milliseconds."), 0.5),
        (OPENAI, limited("Please try again in 2 minutes."), 120),
        (OPENAI, limited("Rate limit reached", x_ratelimit_reset_requests="6m0s"), 360),
        (OPENAI, limited("Reached", x_ratelimit_reset_requests="1m", x_ratelimit_reset_tokens="2s"),
         60),
    ],
)  # fmt: skip
def test_wait_is_read_from_the_providers_own_words(
    dialect: Dialect, answer: Says, least: float
) -> None:
    waits = Waits()
    with serving(answer, dialect.text("Well.")) as service:
        model_at(dialect, service, waits, retry=PATIENT).answer(REQUEST)
    assert least <= waits.slept[0] <= least * 1.1


@pytest.mark.parametrize("zone", [UTC, None], ids=["with a time zone", "without"])
def test_wait_until_a_time_of_day_is_read_from_anthropics_header(zone: tzinfo | None) -> None:
    until = (datetime.now(UTC) + timedelta(seconds=40)).replace(tzinfo=zone).isoformat()
    answer = ANTHROPIC.rate_limited(anthropic_ratelimit_requests_reset=until)
    waits = Waits()
    with serving(answer, ANTHROPIC.text("Well.")) as service:
        model_at(ANTHROPIC, service, waits, retry=PATIENT).answer(REQUEST)
    assert 20 <= waits.slept[0] <= 44


def test_a_longer_wait_than_allowed_is_not_waited_for() -> None:
    waits = Waits()
    answer = limited("You have reached your daily limit. Please try again in 5h12m.")
    with serving(answer) as service, pytest.raises(RateLimitedError, match="18720 s"):
        model_at(OPENAI, service, waits, retry=PATIENT).answer(REQUEST)
    assert waits.slept == []


@pytest.mark.parametrize(
    "answer",
    [
        OPENAI.error(
            429,
            "Request too large for gpt-4o on tokens per min (TPM): Limit 10000, Requested 12000.",
            "tokens",
            "rate_limit_exceeded",
        ),
        OPENAI.error(413, "Request too large for model", "tokens", None),
        OPENAI.error(400, "Please reduce the length of the messages or completion.", "error", None),
        OPENAI.error(400, "Prompt contains 40000 tokens, too large for model", "error", None),
        OPENAI.error(422, "`inputs` tokens + `max_new_tokens` must be <= 4097", "error", None),
    ],
)
def test_prompt_that_is_too_long_in_any_words_is_known_as_such(answer: Says) -> None:
    with serving(answer) as service, pytest.raises(ContextTooLongError):
        model_at(OPENAI, service, retry=PATIENT).answer(REQUEST)
    assert len(service.seen) == 1

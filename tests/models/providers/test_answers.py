"""What each provider is sent, and what its answers become."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from genotex.models import Message, Request, StructuredMode, Usage, ask_for
from tests.models.providers.asking import KEY, REQUEST, model_at
from tests.models.servers import (
    DIALECTS,
    AnthropicDialect,
    CompatibleDialect,
    DeepSeekDialect,
    Dialect,
    GoogleDialect,
    OllamaDialect,
    OpenAIDialect,
    Says,
    key_in,
    serving,
)

every_provider = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.provider)


@dataclass(frozen=True)
class Verdict:
    """What a reviewer says."""

    approve: bool
    suggestions: list[str]


@every_provider
def test_a_text_answer(dialect: Dialect) -> None:
    with serving(dialect.text("Well, hello.")) as service:
        reply = model_at(dialect, service).answer(REQUEST)
    assert (reply.text, reply.data, reply.stop) == ("Well, hello.", None, "finished")
    assert reply.usage == Usage(100, 20, 40, 0)
    assert reply.provider == dialect.provider
    assert reply.model.startswith(f"{dialect.provider}:{dialect.model}")
    assert reply.version is not None
    assert reply.version.startswith(dialect.model)
    assert (reply.waiting, reply.attempts) == (0.0, 1)
    assert reply.working > 0


@every_provider
def test_the_conversation_goes_over_the_wire_with_the_key_of_the_provider(dialect: Dialect) -> None:
    messages = (*REQUEST.messages, Message("assistant", "Yes?"), Message("user", "Again."))
    with serving(dialect.text("Well.")) as service:
        model_at(dialect, service).answer(Request("planner", messages))
    (seen,) = service.seen
    assert seen.path.endswith(dialect.path)
    assert key_in(seen) == KEY
    assert dialect.texts_of(seen) == [(each.author, each.text) for each in messages]
    assert not seen.body.get("stream")


@every_provider
def test_limits_of_the_request_go_over_the_wire(dialect: Dialect) -> None:
    with serving(dialect.text("Well.")) as service:
        model = model_at(dialect, service)
        model.answer(replace(REQUEST, max_output=77, temperature=0.25))
    body = service.seen[0].body
    settings = body.get("generationConfig", body)
    names = ("max_tokens", "max_completion_tokens", "maxOutputTokens")
    assert [settings[name] for name in names if name in settings] == [77]
    assert settings["temperature"] == 0.25


@pytest.mark.parametrize(
    ("dialect", "word"),
    [
        (OpenAIDialect(), "max_completion_tokens"),
        (DeepSeekDialect(), "max_tokens"),
        (OllamaDialect(), "max_tokens"),
        (CompatibleDialect(), "max_tokens"),
    ],
)
def test_most_tokens_are_told_by_the_word_that_a_server_knows(dialect: Dialect, word: str) -> None:
    # OpenAI's reasoning models refuse the older word; Ollama's interface lists no other.
    with serving(dialect.text("Well.")) as service:
        model_at(dialect, service).answer(replace(REQUEST, max_output=77))
    told = {name for name in service.seen[0].body if name.startswith("max_")}
    assert told == {word}


@every_provider
def test_a_structured_answer(dialect: Dialect) -> None:
    data = {"approve": False, "suggestions": ["read the header"]}
    with serving(dialect.data(data)) as service:
        answer = ask_for(model_at(dialect, service).answer, REQUEST, Verdict)
    assert answer.value == Verdict(False, ["read the header"])
    assert not answer.repaired
    # Whatever the way, the model is told what is asked for.
    assert "suggestions" in service.seen[0].content.decode()


@pytest.mark.everyday
@every_provider
def test_a_structured_answer_is_repaired_over_the_wire(dialect: Dialect) -> None:
    wrong, right = {"approve": "no"}, {"approve": False, "suggestions": []}
    with serving(dialect.data(wrong), dialect.data(right)) as service:
        answer = ask_for(model_at(dialect, service).answer, REQUEST, Verdict)
    assert answer.value == Verdict(False, [])
    assert answer.repaired
    said, error = dialect.texts_of(service.seen[1])[-2:]
    assert said[0] == "assistant"
    assert '"approve": "no"' in said[1]
    assert "the answer lacks 'suggestions'" in error[1]


SCHEMA = {"type": "object", "properties": {"approve": {"type": "boolean"}}, "required": ["approve"]}


@pytest.mark.parametrize(
    ("dialect", "mode"),
    [
        (OpenAIDialect(), "schema"),
        (AnthropicDialect(), "tool"),
        (GoogleDialect(), "schema"),
        (DeepSeekDialect(), "json"),
        (OllamaDialect(), "text"),
        (CompatibleDialect(), "text"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.provider,
)
def test_each_provider_is_asked_in_the_way_it_has(dialect: Dialect, mode: StructuredMode) -> None:
    with serving(dialect.data({"approve": True})) as service:
        model_at(dialect, service).answer(replace(REQUEST, schema=SCHEMA))
    body = service.seen[0].body
    assert _way(body) == mode
    words = dialect.texts_of(service.seen[0])[-1][1]
    assert ("JSON schema" in words) == (mode in ("json", "text"))


def _way(body: Any) -> str:
    if body.get("tools"):
        return "tool"
    config = body.get("generationConfig", {})
    if "responseJsonSchema" in config or "responseSchema" in config:
        return "schema"
    form = body.get("response_format", {}).get("type")
    return {"json_schema": "schema", "json_object": "json", None: "text"}[form]


@pytest.mark.parametrize("mode", ["schema", "tool", "json", "text"])
def test_the_way_can_be_chosen(mode: StructuredMode) -> None:
    dialect = OpenAIDialect()
    with serving(dialect.text('{"approve": true}')) as service:
        model = model_at(dialect, service, structured=mode)
        reply = model.answer(replace(REQUEST, schema=SCHEMA))
    assert _way(service.seen[0].body) == mode
    # A model may write text although it was given a tool.
    assert reply.text == '{"approve": true}'


@every_provider
def test_a_list_can_be_asked_for(dialect: Dialect) -> None:
    with serving(dialect.text('["TP53", "MYC"]')) as service:
        answer = ask_for(model_at(dialect, service).answer, REQUEST, list[str])
    assert answer.value == ["TP53", "MYC"]
    assert _way(service.seen[0].body) == "text"


@pytest.mark.parametrize(
    ("arguments", "data", "text"),
    [
        ('{"approve": true}', {"approve": True}, ""),
        ('{"approve": tr', None, '{"approve": tr'),
        ("", None, ""),
    ],
)
def test_the_arguments_of_a_tool_are_the_answer(arguments: str, data: Any, text: str) -> None:
    dialect = OpenAIDialect()
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "answer", "arguments": arguments},
    }
    with serving(dialect.message({"tool_calls": [call]}, "tool_calls")) as service:
        model = model_at(dialect, service, structured="tool")
        reply = model.answer(replace(REQUEST, schema=SCHEMA))
    assert (reply.data, reply.text, reply.stop) == (data, text, "finished")


def test_what_a_model_thinks_is_no_part_of_its_answer() -> None:
    dialect = DeepSeekDialect()
    said = dialect.message({"content": "Four.", "reasoning_content": "Two and two..."})
    with serving(said) as service:
        assert model_at(dialect, service).answer(REQUEST).text == "Four."


@every_provider
def test_an_answer_cut_at_the_most_tokens(dialect: Dialect) -> None:
    with serving(dialect.cut_short("Well, hel")) as service:
        reply = model_at(dialect, service).answer(REQUEST)
    assert (reply.text, reply.stop) == ("Well, hel", "length")


@every_provider
def test_an_empty_answer_is_told_as_it_is_and_counted(dialect: Dialect) -> None:
    with serving(dialect.text("")) as service:
        reply = model_at(dialect, service).answer(REQUEST)
    assert (reply.text, reply.stop, reply.usage.known) == ("", "finished", True)


@pytest.mark.parametrize("dialect", [OpenAIDialect(), AnthropicDialect()])
def test_a_refusal_has_its_words_and_its_tokens(dialect: Any) -> None:
    with serving(dialect.refusal("I can't help with that.")) as service:
        reply = model_at(dialect, service).answer(REQUEST)
    assert (reply.text, reply.stop) == ("I can't help with that.", "refusal")
    assert reply.usage.known


@pytest.mark.parametrize("dialect", [OpenAIDialect(), GoogleDialect()])
def test_an_answer_that_a_filter_stopped(dialect: Any) -> None:
    with serving(dialect.filtered()) as service:
        assert model_at(dialect, service).answer(REQUEST).stop == "content_filter"


def test_an_answer_that_went_wrong_while_it_was_written() -> None:
    dialect = GoogleDialect()
    with serving(dialect.failed()) as service:
        assert model_at(dialect, service).answer(REQUEST).stop == "failed"


def test_tokens_that_are_not_told_are_unknown_and_not_0() -> None:
    dialect = OllamaDialect()
    with serving(dialect.text_without_usage("Well.")) as service:
        assert model_at(dialect, service).answer(REQUEST).usage == Usage()


def test_counts_that_contradict_each_other_are_unknown() -> None:
    dialect = CompatibleDialect()
    told = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 1000},
    }
    with serving(dialect.message({"content": "Well."}, usage=told)) as service:
        assert model_at(dialect, service).answer(REQUEST).usage == Usage()


def test_a_server_without_a_cache_does_not_tell_0_cached_tokens() -> None:
    dialect = CompatibleDialect()
    told = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    with serving(dialect.message({"content": "Well."}, usage=told)) as service:
        assert model_at(dialect, service).answer(REQUEST).usage == Usage(5, 2, None, 0)


@pytest.mark.parametrize("dialect", [OllamaDialect(), CompatibleDialect()])
def test_a_server_of_the_users_own_needs_no_key(dialect: Any) -> None:
    with serving(dialect.text("Well.")) as service:
        assert model_at(dialect, service, environ={}).answer(REQUEST).text == "Well."
    assert key_in(service.seen[0]) == "none"


def test_halves_of_a_character_become_question_marks() -> None:
    dialect = OpenAIDialect()
    body = dialect.text("a HALF b").content().replace(b"HALF", rb"\ud800")
    with serving(Says(body)) as service:
        assert model_at(dialect, service).answer(REQUEST).text == "a ? b"


def test_the_address_of_the_environment_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for dialect in (OpenAIDialect(), AnthropicDialect(), GoogleDialect()):
        with serving(dialect.text("Well.")) as service:
            assert model_at(dialect, service).answer(REQUEST).text == "Well."

"""Local services that speak the providers' protocols, and misbehave as these do.

The shapes of answers and errors are those of the providers' documents: OpenAI "Chat completions"
and "Error codes", Anthropic "Messages" and "Errors", Google "generateContent" and
`google.rpc.Status`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.local_server import QuietHandler, local_address


@dataclass(frozen=True)
class Says:
    """An HTTP answer, after `hold` seconds.

    `cut` ends the connection in the middle of it, `trickle` never ends it.
    """

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    trickle: bool = False
    hold: float = 0.0

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Seen:
    """A request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    def everything(self) -> str:
        return f"{self.path}\n{dict(self.headers)}\n{self.content.decode()}"


Answers = Says | Callable[[Seen], Says]
"""What is said, or how that follows from what was asked."""


class Service:
    """Gives its answers in order, the last one for ever; keeps what it was asked."""

    def __init__(self, *answers: Answers) -> None:
        self.answers = list(answers)
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self.under_way = self.most_at_once = 0
        self.turn = threading.Lock()
        self.address = ""

    def next_answer(self) -> Answers:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serving(*answers: Answers) -> Iterator[Service]:
    """Run a service on a free port of this machine."""
    service = Service(*answers)

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            with service.turn:
                service.seen.append(Seen(self.path, dict(self.headers.items()), content))
                given = service.next_answer()
                answer = given if isinstance(given, Says) else given(service.seen[-1])
                service.under_way += 1
                service.most_at_once = max(service.most_at_once, service.under_way)
            self.close_connection = True
            service.closing.wait(answer.hold)
            with service.turn:
                service.under_way -= 1
            self._send(answer)

        def _send(self, answer: Says) -> None:
            content = answer.content()
            self.send_response(answer.status)
            length = 1_000_000 if answer.trickle else len(content)
            headers = {"Content-Type": "application/json", "Content-Length": str(length)}
            for name, value in {**headers, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if answer.cut else content)
            while answer.trickle and not service.closing.wait(0.02):
                self.wfile.write(b" ")

    with local_address(Handler, service.closing) as service.address:
        yield service


def key_in(seen: Seen) -> str:
    """The key of a request, in whichever header it came."""
    headers = {name.lower(): value for name, value in seen.headers.items()}
    names = ("x-api-key", "x-goog-api-key", "authorization")
    return next(headers[name] for name in names if name in headers).removeprefix("Bearer ")


class OpenAIDialect:
    """Chat completions."""

    provider = "openai"
    model = "gpt-4o"
    key_variable = "OPENAI_API_KEY"
    path = "/chat/completions"

    def name(self, address: str) -> str:
        return f"{self.provider}:{self.model}"

    def texts_of(self, seen: Seen) -> list[tuple[str, str]]:
        return [(each["role"], each["content"]) for each in seen.body["messages"]]

    def message(self, message: Mapping[str, Any], finish: str = "stop", **usage: Any) -> Says:
        told = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
        }
        return Says(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1_760_000_000,
                "model": f"{self.model}-2024-08-06",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": finish,
                        "message": {"role": "assistant", "content": None, **message},
                    }
                ],
                **(usage or {"usage": told}),
            }
        )

    def text(self, text: str) -> Says:
        return self.message({"content": text})

    def text_without_usage(self, text: str) -> Says:
        return self.message({"content": text}, usage=None)

    def data(self, data: Any) -> Says:
        return self.text(json.dumps(data))

    def cut_short(self, text: str) -> Says:
        return self.message({"content": text}, "length")

    def refusal(self, text: str) -> Says:
        return self.message({"refusal": text})

    def filtered(self) -> Says:
        return self.message({"content": ""}, "content_filter")

    def error(self, status: int, message: str, kind: str, code: str | None, **headers: str) -> Says:
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
        return Says(
            body, status, {name.replace("_", "-"): value for name, value in headers.items()}
        )

    def rate_limited(self, **headers: str) -> Says:
        return self.error(429, "Rate limit reached", "requests", "rate_limit_exceeded", **headers)

    def out_of_credit(self) -> Says:
        return self.error(
            429, "You exceeded your quota", "insufficient_quota", "insufficient_quota"
        )

    def server_error(self) -> Says:
        return self.error(500, "The server had an error", "server_error", None)

    def overloaded(self) -> Says:
        return self.error(503, "The engine is currently overloaded", "server_error", None)

    def wrong_key(self, key: str) -> Says:
        message = f"Incorrect API key provided: {key}."
        return self.error(401, message, "invalid_request_error", "invalid_api_key")

    def too_long(self) -> Says:
        message = "This model's maximum context length is 128000 tokens."
        return self.error(400, message, "invalid_request_error", "context_length_exceeded")

    def no_such_model(self) -> Says:
        message = "The model `gpt-4o` does not exist or you do not have access to it."
        return self.error(404, message, "invalid_request_error", "model_not_found")

    def rejected(self) -> Says:
        message = "Unsupported value: 'temperature'"
        return self.error(400, message, "invalid_request_error", "unsupported_value")


class DeepSeekDialect(OpenAIDialect):
    provider = "deepseek"
    model = "deepseek-chat"
    key_variable = "DEEPSEEK_API_KEY"

    def out_of_credit(self) -> Says:
        return self.error(402, "Insufficient Balance", "unknown_error", "invalid_request_error")


class OllamaDialect(OpenAIDialect):
    """Ollama's OpenAI-compatible side; ``finish_reason`` and usage as it sends them."""

    provider = "ollama"
    model = "llama3.1:8b"
    key_variable = "OLLAMA_API_KEY"

    def no_such_model(self) -> Says:
        return self.error(
            404, 'model "llama3.1:8b" not found, try pulling it first', "api_error", None
        )

    def too_long(self) -> Says:
        message = "the request exceeds the available context size, try increasing it"
        return self.error(400, message, "exceed_context_size_error", None)


class CompatibleDialect(OpenAIDialect):
    """A server such as vLLM at an address of the user's own."""

    provider = "openai-compatible"
    model = "org/Some-Model-7B"
    key_variable = "OPENAI_COMPATIBLE_API_KEY"

    def name(self, address: str) -> str:
        return f"{self.provider}:{self.model}@{address}"

    def too_long(self) -> Says:
        message = "This model's maximum context length is 4096 tokens. However, you requested 5000"
        return self.error(400, message, "BadRequestError", None)


class AnthropicDialect:
    """Messages."""

    provider = "anthropic"
    # No name of a real model: its package warns as soon as one is to be retired.
    model = "claude-of-tests"
    key_variable = "ANTHROPIC_API_KEY"
    path = "/v1/messages"

    def name(self, address: str) -> str:
        return f"{self.provider}:{self.model}"

    def texts_of(self, seen: Seen) -> list[tuple[str, str]]:
        system = seen.body.get("system", [])
        said = system if isinstance(system, str) else "".join(each["text"] for each in system)
        messages = [("system", said)] if said else []
        for each in seen.body["messages"]:
            content = each["content"]
            text = content if isinstance(content, str) else "".join(c["text"] for c in content)
            messages.append((each["role"], text))
        return messages

    def _message(self, content: list[Any], stop: str = "end_turn", **more: Any) -> Says:
        usage = {"input_tokens": 60, "output_tokens": 20, "cache_read_input_tokens": 40}
        return Says(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-of-tests-20250929",
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {**usage, "cache_creation_input_tokens": 0},
                **more,
            }
        )

    def text(self, text: str) -> Says:
        return self._message([{"type": "text", "text": text}] if text else [])

    def data(self, data: Any) -> Says:
        use = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": data}
        return self._message([use], "tool_use")

    def cut_short(self, text: str) -> Says:
        return self._message([{"type": "text", "text": text}], "max_tokens")

    def refusal(self, text: str) -> Says:
        return self._message([{"type": "text", "text": text}], "refusal")

    def error(self, status: int, kind: str, message: str, **headers: str) -> Says:
        body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
        return Says(
            body, status, {name.replace("_", "-"): value for name, value in headers.items()}
        )

    def rate_limited(self, **headers: str) -> Says:
        return self.error(
            429, "rate_limit_error", "This request would exceed your limit", **headers
        )

    def out_of_credit(self) -> Says:
        return self.error(400, "invalid_request_error", "Your credit balance is too low to access")

    def server_error(self) -> Says:
        return self.error(500, "api_error", "Internal server error")

    def overloaded(self) -> Says:
        return self.error(529, "overloaded_error", "Overloaded")

    def wrong_key(self, key: str) -> Says:
        return self.error(401, "authentication_error", f"invalid x-api-key {key}")

    def too_long(self) -> Says:
        message = "prompt is too long: 200100 tokens > 200000 maximum"
        return self.error(400, "invalid_request_error", message)

    def no_such_model(self) -> Says:
        return self.error(404, "not_found_error", "model: claude-of-tests")

    def rejected(self) -> Says:
        return self.error(400, "invalid_request_error", "temperature: range: 0..1")


class GoogleDialect:
    """generateContent."""

    provider = "google"
    model = "gemini-2.5-flash"
    key_variable = "GOOGLE_API_KEY"
    path = "/v1beta/models/gemini-2.5-flash:generateContent"

    def name(self, address: str) -> str:
        return f"{self.provider}:{self.model}"

    def texts_of(self, seen: Seen) -> list[tuple[str, str]]:
        body = seen.body
        names = {"user": "user", "model": "assistant"}
        system = "".join(p["text"] for p in body.get("systemInstruction", {}).get("parts", []))
        messages = [("system", system)] if system else []
        for each in body["contents"]:
            messages.append((names[each["role"]], "".join(p["text"] for p in each["parts"])))
        return messages

    def _candidate(self, parts: list[Any], finish: str = "STOP") -> Says:
        return Says(
            {
                "candidates": [
                    {
                        "content": {"role": "model", "parts": parts},
                        "finishReason": finish,
                        "index": 0,
                    }
                ],
                "usageMetadata": {
                    "promptTokenCount": 100,
                    "candidatesTokenCount": 20,
                    "totalTokenCount": 120,
                    "cachedContentTokenCount": 40,
                },
                "modelVersion": "gemini-2.5-flash-001",
                "responseId": "r1",
            }
        )

    def text(self, text: str) -> Says:
        return self._candidate([{"text": text}] if text else [])

    def data(self, data: Any) -> Says:
        return self.text(json.dumps(data))

    def cut_short(self, text: str) -> Says:
        return self._candidate([{"text": text}], "MAX_TOKENS")

    def filtered(self) -> Says:
        return Says(
            {
                "promptFeedback": {"blockReason": "SAFETY"},
                "usageMetadata": {"promptTokenCount": 100, "totalTokenCount": 100},
                "modelVersion": "gemini-2.5-flash-001",
            }
        )

    def failed(self) -> Says:
        return self._candidate([], "MALFORMED_FUNCTION_CALL")

    def error(self, code: int, status: str, message: str, *details: Any, **headers: str) -> Says:
        body = {"error": {"code": code, "message": message, "status": status, "details": details}}
        return Says(body, code, {name.replace("_", "-"): value for name, value in headers.items()})

    def rate_limited(self, **headers: str) -> Says:
        return self.error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted", **headers)

    def out_of_credit(self) -> Says:
        quota = {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
        }
        return self.error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", quota)

    def server_error(self) -> Says:
        return self.error(500, "INTERNAL", "An internal error has occurred")

    def overloaded(self) -> Says:
        return self.error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")

    def wrong_key(self, key: str) -> Says:
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        return self.error(400, "INVALID_ARGUMENT", f"API key not valid: {key}", reason)

    def too_long(self) -> Says:
        message = "The input token count (1100000) exceeds the maximum number of tokens allowed"
        return self.error(400, "INVALID_ARGUMENT", message)

    def no_such_model(self) -> Says:
        return self.error(404, "NOT_FOUND", "models/gemini-2.5-flash is not found")

    def rejected(self) -> Says:
        return self.error(400, "INVALID_ARGUMENT", "Invalid value at 'generation_config'")


Dialect = OpenAIDialect | AnthropicDialect | GoogleDialect
DIALECTS: tuple[Dialect, ...] = (
    OpenAIDialect(),
    DeepSeekDialect(),
    OllamaDialect(),
    CompatibleDialect(),
    AnthropicDialect(),
    GoogleDialect(),
)

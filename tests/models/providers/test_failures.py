"""Every failure of a provider is an error of ours that says what to do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from genotex.errors import (
    BadAnswerError,
    ContextTooLongError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    OutOfCreditError,
    RateLimitedError,
    RefusedError,
    RequestRejectedError,
    WrongKeyError,
)
from tests.models.providers.asking import KEY, REQUEST, model_at
from tests.models.servers import DIALECTS, CompatibleDialect, Dialect, OpenAIDialect, Says, serving

every_provider = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.provider)


@pytest.mark.parametrize(
    ("situation", "kind", "advice"),
    [
        (lambda d: d.rate_limited(), RateLimitedError, "fewer concurrent calls"),
        (lambda d: d.out_of_credit(), OutOfCreditError, "check the account"),
        (lambda d: d.server_error(), ModelUnavailableError, "resume later"),
        (lambda d: d.overloaded(), ModelUnavailableError, "resume later"),
        (lambda d: d.wrong_key(KEY), WrongKeyError, "check the key"),
        (lambda d: d.too_long(), ContextTooLongError, "shorter messages"),
        (lambda d: d.no_such_model(), RequestRejectedError, "check the name of the model"),
        (lambda d: d.rejected(), RequestRejectedError, "check the name of the model"),
        (lambda d: Says(b"{not json"), BadAnswerError, "check that the address"),
        (lambda d: Says(b""), BadAnswerError, "check that the address"),
        (lambda d: Says(b"[]"), BadAnswerError, "check that the address"),
        (lambda d: Says({"some": "other service"}), BadAnswerError, "check that the address"),
        (
            lambda d: Says(b"<html>Sign in</html>", headers={"Content-Type": "text/html"}),
            BadAnswerError,
            "check that the address",
        ),
        (lambda d: replace(d.text("Hello."), cut=True), ModelUnavailableError, "resume later"),
    ],
    ids=[
        "rate limited", "out of credit", "server error", "overloaded", "wrong key", "too long",
        "no such model", "rejected", "malformed JSON", "nothing", "a list", "another service",
        "a page", "cut",
    ],
)  # fmt: skip
@every_provider
def test_each_failure_has_its_error(
    dialect: Dialect, situation: Callable[[Any], Says], kind: type[ModelError], advice: str
) -> None:
    with serving(situation(dialect)) as service, pytest.raises(ModelError) as caught:
        model_at(dialect, service).answer(REQUEST)
    assert type(caught.value) is kind
    text = str(caught.value)
    assert advice in text
    assert f"{dialect.provider}:{dialect.model}" in text
    assert KEY not in text
    assert len(service.seen) == 1


@every_provider
def test_the_time_limit_fires_although_bytes_trickle_in(dialect: Dialect) -> None:
    endless = Says(b" ", trickle=True)
    with serving(endless) as service, pytest.raises(ModelTimeoutError, match=r"within 0\.3 s"):
        model_at(dialect, service, timeout=0.3).answer(REQUEST)


@every_provider
def test_nobody_listens_at_the_address(dialect: Dialect) -> None:
    with serving(dialect.text("Hello.")) as service:
        model = model_at(dialect, service)
    with pytest.raises(ModelUnavailableError, match="connection"):
        model.answer(REQUEST)


@every_provider
def test_a_redirect_is_not_followed(dialect: Dialect) -> None:
    with serving(dialect.text("The key, please.")) as elsewhere:
        away = Says(b"", 307, {"Location": f"{elsewhere.address}{dialect.path}"})
        with serving(away) as service, pytest.raises(RequestRejectedError, match="not followed"):
            model_at(dialect, service).answer(REQUEST)
    assert elsewhere.seen == []


@pytest.mark.parametrize(
    ("status", "message", "kind", "code", "error"),
    [
        # Azure, OpenAI images and text, and a gateway before a model.
        (
            400,
            "The prompt triggered a filter",
            "invalid_request_error",
            "content_filter",
            "refused",
        ),
        (400, "Rejected by our safety system", "invalid_request_error", None, "refused"),
        # llama.cpp, vLLM, and a size limit of a proxy.
        (400, "exceeds the available context size", "exceed_context_size_error", None, "too long"),
        (400, "This model's maximum context length is 4096", "BadRequestError", None, "too long"),
        (413, "Request Entity Too Large", "proxy", None, "too long"),
        (403, "Country not supported", "forbidden", "unsupported_country", "key"),
        (408, "Request timeout", "timeout", None, "unavailable"),
        (502, "Bad gateway", "proxy", None, "unavailable"),
        (504, "Gateway timeout", "proxy", None, "unavailable"),
    ],
)
def test_words_of_other_servers(
    status: int, message: str, kind: str, code: str | None, error: str
) -> None:
    dialect = CompatibleDialect()
    says = dialect.error(status, message, kind, code)
    with serving(says) as service, pytest.raises(ModelError) as caught:
        model_at(dialect, service).answer(REQUEST)
    kinds = {
        "refused": RefusedError,
        "too long": ContextTooLongError,
        "key": WrongKeyError,
        "unavailable": ModelUnavailableError,
    }
    assert type(caught.value) is kinds[error]
    assert message in str(caught.value)


def test_an_error_that_is_a_page_is_shortened() -> None:
    dialect = OpenAIDialect()
    page = Says(b"<html>" + b"x" * 10_000, 500, {"Content-Type": "text/html"})
    with serving(page) as service, pytest.raises(ModelUnavailableError) as caught:
        model_at(dialect, service).answer(REQUEST)
    assert len(str(caught.value)) < 600

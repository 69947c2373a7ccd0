"""When a failed call is made again, and how long it is waited for."""

import pytest

from genotex.errors import (
    BadAnswerError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitedError,
    WrongKeyError,
)
from genotex.models import RetryPolicy
from tests.models.providers.asking import KEY, REQUEST, Waits, model_at
from tests.models.servers import DIALECTS, Dialect, GoogleDialect, OpenAIDialect, Says, serving

OPENAI = OpenAIDialect()
PATIENT = RetryPolicy(attempts=4, first_wait=1.0, longest_wait=100.0)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.provider)
def test_a_rate_limit_is_waited_for_as_long_as_it_says(dialect: Dialect) -> None:
    waits = Waits()
    answers = (dialect.rate_limited(Retry_After="30"), dialect.text("Well."))
    with serving(*answers) as service:
        reply = model_at(dialect, service, waits, retry=PATIENT).answer(REQUEST)
    assert reply.text == "Well."
    assert reply.attempts == 2
    (slept,) = waits.slept
    assert 30 <= slept <= 33
    # Waiting is counted apart from working.
    assert reply.waiting >= 30
    assert reply.working < 30


def test_a_wait_in_milliseconds_and_one_in_the_body() -> None:
    for dialect, limited, least in (
        (OPENAI, OPENAI.rate_limited(retry_after_ms="1500"), 1.5),
        (
            GoogleDialect(),
            GoogleDialect().error(
                429,
                "RESOURCE_EXHAUSTED",
                "Quota exceeded",
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"},
            ),
            7.0,
        ),
    ):
        waits = Waits()
        with serving(limited, dialect.text("Well.")) as service:
            model_at(dialect, service, waits, retry=PATIENT).answer(REQUEST)
        assert least <= waits.slept[0] <= least * 1.1


def test_without_a_word_waits_double_and_are_spread() -> None:
    waits = Waits()
    with serving(OPENAI.rate_limited()) as service, pytest.raises(RateLimitedError) as caught:
        model_at(OPENAI, service, waits, retry=PATIENT).answer(REQUEST)
    assert len(service.seen) == 4
    assert len(waits.slept) == 3
    for slept, full in zip(waits.slept, (1.0, 2.0, 4.0), strict=True):
        assert full / 2 <= slept <= full
    assert caught.value.attempts == 4
    assert caught.value.waiting >= sum(waits.slept)
    assert "asked 4 times" in str(caught.value)


def test_no_wait_is_longer_than_allowed() -> None:
    waits = Waits()
    policy = RetryPolicy(attempts=5, first_wait=10.0, longest_wait=15.0)
    with serving(OPENAI.server_error()) as service, pytest.raises(ModelUnavailableError):
        model_at(OPENAI, service, waits, retry=policy).answer(REQUEST)
    assert max(waits.slept) <= 15.0


def test_a_provider_that_wants_a_longer_wait_is_not_asked_again() -> None:
    waits = Waits()
    limited = OPENAI.rate_limited(Retry_After="3600")
    with serving(limited) as service, pytest.raises(RateLimitedError, match="to wait 3600 s"):
        model_at(OPENAI, service, waits, retry=PATIENT).answer(REQUEST)
    assert waits.slept == []


def test_the_waits_depend_on_the_seed_alone() -> None:
    def slept(seed: int) -> list[float]:
        waits = Waits()
        with serving(OPENAI.overloaded()) as service, pytest.raises(ModelUnavailableError):
            policy = RetryPolicy(attempts=3, seed=seed)
            model_at(OPENAI, service, waits, retry=policy).answer(REQUEST)
        return waits.slept

    assert slept(1) == slept(1)
    assert slept(1) != slept(2)


@pytest.mark.parametrize(
    "passing",
    [
        OPENAI.server_error(),
        OPENAI.overloaded(),
        OPENAI.error(502, "Bad gateway", "proxy", None),
        Says(b"{not json"),
        Says(b"", cut=True, status=200),
        Says(OPENAI.text("Well.").body, cut=True),
    ],
)
def test_what_may_pass_is_asked_again(passing: Says) -> None:
    with serving(passing, OPENAI.text("Well.")) as service:
        reply = model_at(OPENAI, service, retry=PATIENT).answer(REQUEST)
    assert (reply.text, reply.attempts) == ("Well.", 2)


def test_a_timed_out_call_is_asked_again_with_a_whole_limit() -> None:
    with serving(Says(b" ", trickle=True), OPENAI.text("Well.")) as service:
        model = model_at(OPENAI, service, retry=PATIENT, timeout=0.5)
        reply = model.answer(REQUEST)
    assert reply.text == "Well."
    assert reply.attempts >= 2


@pytest.mark.parametrize(
    "lasting",
    [
        OPENAI.wrong_key(KEY),
        OPENAI.too_long(),
        OPENAI.out_of_credit(),
        OPENAI.no_such_model(),
        OPENAI.rejected(),
        OPENAI.error(500, "Do not ask again", "server_error", None, x_should_retry="false"),
    ],
)
def test_what_lasts_is_not_asked_again(lasting: Says) -> None:
    waits = Waits()
    with serving(lasting) as service, pytest.raises(ModelError):
        model_at(OPENAI, service, waits, retry=PATIENT).answer(REQUEST)
    assert len(service.seen) == 1
    assert waits.slept == []


def test_the_last_failure_is_told() -> None:
    answers = (OPENAI.server_error(), Says(b"{not json"), OPENAI.wrong_key(KEY))
    with serving(*answers) as service, pytest.raises(WrongKeyError) as caught:
        model_at(OPENAI, service, retry=PATIENT).answer(REQUEST)
    assert caught.value.attempts == 3


def test_a_limit_of_one_attempt_asks_once() -> None:
    once = RetryPolicy(attempts=1)
    with serving(Says(b"{not json")) as service, pytest.raises(BadAnswerError):
        model_at(OPENAI, service, retry=once).answer(REQUEST)
    assert len(service.seen) == 1


def test_time_outs_end_after_all_attempts() -> None:
    policy = RetryPolicy(attempts=2)
    with serving(Says(b" ", trickle=True)) as service, pytest.raises(ModelTimeoutError):
        model_at(OPENAI, service, retry=policy, timeout=0.2).answer(REQUEST)
    assert len(service.seen) == 2

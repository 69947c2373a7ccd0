"""A provider's model: called over the network, with retries where they may help."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from genotex.errors import BadAnswerError, ModelError, UsageError
from genotex.models.catalogue import PROVIDERS, ProviderModelName, ProviderOptions, RetryPolicy
from genotex.models.failures import Failure, failure_of
from genotex.models.model import Reply, Request
from genotex.models.recording import request_digest
from genotex.models.requests import (
    make_client,
    make_model,
    require_packages,
    to_messages,
    to_parameters,
    to_reply,
    to_settings,
    usable_mode,
)

if TYPE_CHECKING:
    import asyncio

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelResponse


_SHORTEST = 8
"""Shorter values are not secrets, such as ``none`` for a server that accepts any key."""

_HIDDEN = "[key]"


def _read_key(provider: str, variables: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Return the key of a provider, or None where it needs none and none is set."""
    key = next((environ[name].strip() for name in variables if environ.get(name, "").strip()), None)
    if key is None and PROVIDERS[provider].key_needed:
        msg = (
            f"{provider} needs a key: set {' or '.join(variables)} in the environment; it is read "
            "from nowhere else"
        )
        raise UsageError(msg)
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        names = " or ".join(variables)
        msg = f"the content of {names} cannot be a key: it has spaces or special characters"
        raise UsageError(msg)
    return key


def without_keys(text: str, variables: Sequence[str], environ: Mapping[str, str]) -> str:
    """Return a text with every key of the environment taken out."""
    known = [name for each in PROVIDERS.values() for name in each.keys]
    secrets = {environ.get(name, "").strip() for name in (*known, *variables)}
    # A key that contains another one goes first, so that no rest of it stays.
    for secret in sorted(secrets, key=lambda each: (-len(each), each)):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, _HIDDEN)
    return text


@contextmanager
def keys_put_away() -> Iterator[None]:
    """Take every key out of the environment of this process, so that none is inherited."""
    names = {name for each in PROVIDERS.values() for name in each.keys}
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


Result = TypeVar("Result")

GRACE = 2.0
"""Seconds that connections may take to close after the limit; then they are abandoned."""

_TURN = 0.2
"""Seconds between checks for an interrupt."""


def run_within(seconds: float, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run a coroutine in its own thread, and wait for it no longer than `seconds`."""
    # The limit is wall-clock time, from the start to the last byte: an answer that trickles in does
    # not extend it. Blocking code, such as a DNS query, cannot hold up the caller either: it stays
    # in its thread, which ends with the process at the latest.
    call = _Call(seconds, start)
    call.start()
    try:
        end = time.monotonic() + seconds + GRACE
        # In short turns: if a library also catches Ctrl-C, a longer wait would continue after it.
        while not call.done.wait(max(0.0, min(_TURN, end - time.monotonic()))):
            if time.monotonic() >= end:
                raise TimeoutError
    except BaseException:
        # Also on Ctrl-C: the answer is no longer needed.
        call.cancel()
        raise
    return call.result()


class _Call(threading.Thread, Generic[Result]):
    def __init__(self, seconds: float, start: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        super().__init__(name="model call", daemon=True)
        self.done = threading.Event()
        self._seconds = seconds
        self._start_call = start
        self._outcome: list[Result] = []
        self._error: BaseException | None = None
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def run(self) -> None:
        import asyncio

        try:
            asyncio.run(self._main())
        except BaseException as error:
            # Every error belongs to the caller, who waits in another thread.
            self._error = error
        finally:
            self.done.set()

    async def _main(self) -> None:
        import asyncio

        task = asyncio.current_task()
        if task is not None:
            self._running = (asyncio.get_running_loop(), task)
        async with asyncio.timeout(self._seconds):
            self._outcome.append(await self._start_call())

    def cancel(self) -> None:
        if self._running is not None and not self.done.is_set():
            loop, task = self._running
            try:
                loop.call_soon_threadsafe(task.cancel)
            except RuntimeError:
                # It ended just now, and its loop is closed.
                return

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._outcome[0]


_STRETCH = 0.1
"""Largest random extension of a requested wait, as a share of it."""

_MOST_DOUBLINGS = 60
"""A wait that was doubled so often exceeds every limit and is still finite."""


class ProviderModel:
    """Calls a provider's service.

    The key is read from the environment for each call and never kept.
    """

    def __init__(
        self,
        name: ProviderModelName,
        options: ProviderOptions,
        retry: RetryPolicy,
        environ: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        require_packages(name.provider)
        _read_key(name.provider, options.key, environ)
        self._name = name
        self._options = options
        self._retry = retry
        self._environ = environ
        self._sleep = sleep
        self._clock = clock
        # Set once the service refuses to answer in one piece.
        self._streams = False

    @property
    def name(self) -> str:
        """Its name, such as ``openai:gpt-4o``."""
        return str(self._name)

    def __repr__(self) -> str:
        """Return its name alone; the options are in the settings."""
        return f"ProviderModel({self.name})"

    def answer(self, request: Request) -> Reply:
        """Call the service, with retries where they may help (see `Model`)."""
        chance = random.Random(f"{self._retry.seed} {request_digest(request)}")
        working = waiting = 0.0
        attempt = 0
        while True:
            attempt += 1
            start = self._clock()
            outcome = self._ask_once(request)
            working += self._clock() - start
            if isinstance(outcome, Reply):
                return replace(outcome, working=working, waiting=waiting, attempts=attempt)
            wait = self._wait(outcome, attempt, chance)
            if wait is None:
                raise self._error(outcome, attempt, working, waiting)
            start = self._clock()
            self._sleep(wait)
            waiting += self._clock() - start

    def _wait(self, failure: Failure, attempt: int, chance: random.Random) -> float | None:
        """Return how long to wait before the next call, or None for no further call."""
        retry = self._retry
        if not failure.again or attempt == retry.attempts:
            return None
        stretch = 1 + _STRETCH * chance.random()
        if failure.wait is not None:
            return None if failure.wait > retry.longest_wait else failure.wait * stretch
        # Between half and all of a wait that doubles each time.
        doubled = retry.first_wait * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS)
        full = min(retry.longest_wait, doubled)
        return full * chance.uniform(0.5, 1.0)

    def _error(self, failure: Failure, attempts: int, working: float, waiting: float) -> ModelError:
        message = failure.message
        if failure.wait is not None and failure.wait > self._retry.longest_wait:
            message += f"; the provider asks to wait {failure.wait:.0f} s"
        return failure.kind(
            message,
            model=self.name,
            hint=failure.hint,
            attempts=attempts,
            working=working,
            waiting=waiting,
        )

    def _ask_once(self, request: Request) -> Reply | Failure:
        outcome = self._call_once(request)
        if isinstance(outcome, Failure) and outcome.wants_stream and not self._streams:
            self._streams = True
            return self._call_once(request)
        return outcome

    def _call_once(self, request: Request) -> Reply | Failure:
        options, provider = self._options, self._name.provider
        key = _read_key(provider, options.key, self._environ)
        clean = partial(without_keys, variables=options.key, environ=self._environ)
        client = make_client(options.timeout)
        model = make_model(self._name, self._name.address or options.address, key, client)
        mode = usable_mode(options.structured, request.schema, model.profile)
        call = partial(
            _call,
            client,
            model,
            to_messages(request, mode),
            to_settings(request, provider, options.timeout),
            to_parameters(request, mode),
            streams=self._streams,
        )
        try:
            response = run_within(options.timeout, call)
        except Exception as error:
            # Packages may raise any error on unexpected answers: no list of classes is complete.
            return failure_of(error, options.timeout, clean)
        if not response.parts and response.finish_reason is None:
            return Failure(BadAnswerError, "the service's answer is empty", again=True)
        return to_reply(response, self._name, clean)


async def _call(client: AsyncClient, *request: Any, streams: bool) -> ModelResponse:
    """Make one call with pydantic-ai: a model, its messages, settings and parameters."""
    from pydantic_ai.direct import model_request, model_request_stream

    model, messages, settings, parameters = request
    options = {"model_settings": settings, "model_request_parameters": parameters}
    async with client:
        if not streams:
            return await model_request(model, messages, **options, instrument=False)
        async with model_request_stream(model, messages, **options, instrument=False) as stream:
            async for _ in stream:
                pass
            return stream.get()

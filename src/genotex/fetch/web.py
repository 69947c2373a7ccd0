"""The way to the public databases: one client with manners, that trusts nothing it is told."""

from __future__ import annotations

import http
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from genotex.errors import (
    AddressRefusedError,
    NotThereError,
    ServerUnavailableError,
    TooLargeError,
    WrongContentError,
)
from genotex.fetch.addresses import AllowedAddresses, shown
from genotex.fetch.answer import Answer, Trouble, as_trouble
from genotex.fetch.client import open_client
from genotex.fetch.contents import WHOLE_PAGE, refuse_captcha, refuse_page
from genotex.fetch.deadline import HeadDeadline
from genotex.fetch.manners import Flow, Manners, Pace, back_off, retry_after

if TYPE_CHECKING:
    from httpx2 import Client, Response

__all__ = ["WebClient"]

Result = TypeVar("Result")

MOST_REDIRECTS = 5
_REDIRECTS = {301, 302, 303, 307, 308}
_AGAIN = {408, 425, 429}
_NO_RANGE = 416
_WORTH_GOING_ON = 1 << 16
"""Bytes that must have come for a cut connection not to count as an attempt."""
LATER = "the same command goes on from here later"


class WebClient:
    """Asks servers, politely and again where that may help.

    Redirects are followed by hand (`AllowedAddresses`), five at most; cookies and passwords are
    never sent. Compression on the way is not asked for, so what comes is what lies there.

    Parameters
    ----------
    given : iterable of str
        Base addresses by name of the program or of an option.
    manners : Manners
        Limits.
    seed : int
        Of the random part of waiting times.
    waiting : callable
        Told why the next attempt waits, and for how many seconds, before each such pause.
    sleep, clock : callable
        How to wait, and a clock that never goes back; for tests.
    """

    def __init__(
        self,
        given: Iterable[str],
        *,
        manners: Manners | None = None,
        seed: int = 0,
        waiting: Callable[[str, float], None] = lambda why, seconds: None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.manners = manners or Manners()
        self._allowed = AllowedAddresses(given)
        self._stream = random.Random(seed)
        self._waiting = waiting
        self._sleep = sleep
        self._clock = clock
        self._pace = Pace(self.manners, clock, sleep)
        self._head = HeadDeadline(self.manners.answer)
        self._client: Client | None = None

    def __enter__(self) -> WebClient:
        """Return the client itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connections."""
        self._head.stop()
        if self._client is not None:
            self._client.close()
            self._client = None

    def text(
        self,
        address: str,
        *,
        form: Mapping[str, str] | None = None,
        question: Mapping[str, Any] | None = None,
        page: bool = False,
        most: int | None = None,
    ) -> bytes:
        """Return the whole of a small answer.

        Parameters
        ----------
        address : str
            What to ask for.
        form : mapping, optional
            Sent as a form in the body, where no log sees it; such a request follows no redirect.
        question : mapping, optional
            Sent as JSON in the body, in the same way.
        page : bool
            Whether a web page is what is wanted.
        most : int, optional
            Bytes that are read at most.

        Raises
        ------
        FetchError
            As `opened` and `again`; also if the answer is too large, or a web page where none is
            wanted.
        """
        limit = self.manners.most_text if most is None else most
        content = self.again(address, lambda: self._read(address, form, question, limit))
        refuse = refuse_captcha if page else refuse_page
        refuse(content[:WHOLE_PAGE], shown(address))
        return content

    def _read(
        self,
        address: str,
        form: Mapping[str, str] | None,
        question: Mapping[str, Any] | None,
        limit: int,
    ) -> bytes:
        begun, parts, size = self._clock(), [], 0
        with self.opened(address, form=form, question=question) as answer:
            if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                message = "the answer came compressed, which nobody asked for"
                raise WrongContentError(message, address=answer.address)
            for chunk in answer.chunks():
                parts.append(chunk)
                size += len(chunk)
                if size > limit:
                    message = f"the answer is longer than {limit:,} bytes"
                    raise TooLargeError(message, address=answer.address)
                if self._clock() - begun > self.manners.answer:
                    message = f"no whole answer within {self.manners.answer:g} s"
                    raise Trouble(message)
        return b"".join(parts)

    def again(
        self, address: str, once: Callable[[], Result], so_far: Callable[[], int] = lambda: 0
    ) -> Result:
        """Return what `once` returns, made again after a pause where it raises `Trouble`.

        Parameters
        ----------
        address : str
            For messages.
        once : callable
            One attempt.
        so_far : callable
            Bytes at hand; an attempt that brought some more is not counted.

        Raises
        ------
        ServerUnavailableError
            If it fails too often, or the server asks for a longer pause than is made.
        """
        attempt, at_hand = 0, so_far()
        while True:
            try:
                return once()
            except Trouble as trouble:
                come = so_far()
                attempt = 1 if come >= at_hand + _WORTH_GOING_ON else attempt + 1
                at_hand = max(at_hand, come)
                self._wait(address, attempt, trouble)

    def _wait(self, address: str, attempt: int, trouble: Trouble) -> None:
        """Pause before the next attempt.

        Raises
        ------
        ServerUnavailableError
            If there is none.
        """
        longest = self.manners.longest_wait
        if trouble.wait is not None and trouble.wait > longest:
            message = (
                f"{trouble}; the server asks to wait {trouble.wait:,.0f} s, which is not waited for"
            )
            raise ServerUnavailableError(message, address=shown(address), hint=LATER) from trouble
        if attempt >= self.manners.attempts:
            message = f"{trouble}; asked {attempt} times"
            raise ServerUnavailableError(message, address=shown(address), hint=LATER) from trouble
        pause = back_off(self.manners, attempt, self._stream)
        pause = pause if trouble.wait is None else max(pause, trouble.wait)
        self._waiting(f"{shown(address)}: {trouble}", pause)
        self._sleep(pause)

    @contextmanager
    def opened(
        self,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        question: Mapping[str, Any] | None = None,
    ) -> Iterator[Answer]:
        """Give an answer whose head has come.

        Parameters
        ----------
        address : str
            What to ask for.
        headers : mapping, optional
            Further headers.
        form : mapping, optional
            Sent as a form in the body.
        question : mapping, optional
            Sent as JSON in the body.

        Raises
        ------
        Trouble
            If it may help to ask again.
        AddressRefusedError
            If the address, or where a redirect leads, must not be asked.
        NotThereError
            If the server does not have it or does not give it.
        CaptchaError
            If the server wants to see a person.
        """
        self._allowed.check(address)
        for _ in range(MOST_REDIRECTS + 1):
            self._pace.wait(address)
            with self._asked(address, headers or {}, form, question) as response:
                if response.status_code not in _REDIRECTS:
                    self._refuse_failure(response, address)
                    flow = Flow(self.manners, self._clock)
                    status = response.status_code
                    yield Answer(shown(address), status, response.headers, response, flow)
                    return
                if form is not None or question is not None:
                    message = "a redirect in answer to a form or a question is not followed"
                    raise AddressRefusedError(message, address=shown(address))
                location = response.headers.get("Location")
            address = self._allowed.after_redirect(address, location)
        message = f"more than {MOST_REDIRECTS} redirects, one behind the other"
        raise AddressRefusedError(message, address=shown(address), hint=LATER)

    @contextmanager
    def _asked(
        self,
        address: str,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None,
        question: Mapping[str, Any] | None,
    ) -> Iterator[Response]:
        client = self._client = self._client or open_client(self.manners, self._head)
        # What a server told to remember is forgotten before the next request.
        client.cookies.clear()
        method = "GET" if form is None and question is None else "POST"
        with (
            as_trouble(),
            client.stream(
                method,
                address,
                headers=dict(headers),
                data=None if form is None else dict(form),
                json=None if question is None else dict(question),
            ) as response,
        ):
            yield response

    def _refuse_failure(self, response: Response, address: str) -> None:
        status = response.status_code
        if status in (200, 206, _NO_RANGE):
            return
        said = f"the server answers {status} ({_phrase(status)})"
        if status in _AGAIN or status >= 500:
            raise Trouble(said, retry_after(response.headers))
        refuse_captcha(_first_bytes(response), shown(address))
        hint = "the link may be wrong or no longer valid"
        raise NotThereError(said, address=shown(address), hint=hint)


def _first_bytes(response: Response) -> bytes:
    start = b""
    for chunk in response.iter_raw():
        start += chunk
        if len(start) >= WHOLE_PAGE:
            break
    return start


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "unknown"

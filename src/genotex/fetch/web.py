"""The one HTTP client: within client limits, retrying where that may help, trusting no answer."""

from __future__ import annotations

import contextlib
import http
import random
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from genotex import __version__
from genotex.errors import (
    AddressRefusedError,
    NotThereError,
    ServerUnavailableError,
    TooLargeError,
    UsageError,
    WrongContentError,
)
from genotex.fetch.client_limits import (
    AllowedAddresses,
    ClientLimits,
    Flow,
    Pace,
    back_off,
    retry_after,
    shown,
)
from genotex.fetch.contents import WHOLE_PAGE, refuse_captcha, refuse_page

if TYPE_CHECKING:
    from httpx2 import Client, Request, Response


_CONNECTED = (".connect_tcp.complete", ".start_tls.complete")


class _HeadDeadline:
    """Cuts a connection whose answer has not begun in time."""

    # The limit of a single read does not do that: a server may send its headers letter by letter.
    # For a client that asks one thing at a time and keeps no connection, by its event hooks.

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None
        self._socket: socket.socket | None = None

    def begin(self, request: Request) -> None:
        """Start the clock for a request."""
        self.stop()
        self._socket = None
        request.extensions = {**request.extensions, "trace": self._see}
        self._timer = threading.Timer(self._seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def end(self, response: Response) -> None:
        """Stop the clock: the headers are there."""
        self.stop()

    def stop(self) -> None:
        """Stop the clock, if it goes."""
        if self._timer is not None:
            self._timer.cancel()

    def _see(self, event: str, facts: Mapping[str, Any]) -> None:
        if event.endswith(_CONNECTED):
            self._socket = facts["return_value"].get_extra_info("socket")

    def _cut(self) -> None:
        if self._socket is not None:
            # Not the method of a TLS socket, which would take its keys from the thread that reads.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class Trouble(Exception):
    """An attempt that failed, and may succeed when it is made again."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass
class WebAnswer:
    """An answer whose head has come; `chunks` gives its bytes as they are on the wire."""

    address: str  # where it came from in the end, as it is shown
    status: int  # 200; 206 or 416 where a part was asked for
    headers: Mapping[str, str]  # names in any case
    _response: Response
    _flow: Flow

    @property
    def length(self) -> int | None:
        """Bytes of the body, if the server states it."""
        length = self.headers.get("Content-Length", "")
        return int(length) if length.isascii() and length.isdigit() else None

    @property
    def validator(self) -> str | None:
        """Identity of this version of a file: a strong ETag, else its date."""
        tag = self.headers.get("ETag", "")
        found = tag if tag.startswith('"') else self.headers.get("Last-Modified", "")
        # It is sent back in a header, where other characters are not allowed.
        return found if found and found.isascii() and found.isprintable() else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes as they come."""
        with _as_trouble():
            for chunk in self._response.iter_raw():
                if self._flow.is_too_slow(len(chunk)):
                    message = "the server sends hardly anything any more"
                    raise Trouble(message)
                if chunk:
                    yield chunk


@contextmanager
def _as_trouble() -> Iterator[None]:
    """Turn what may pass into `Trouble`."""
    from httpx2 import InvalidURL, TimeoutException, TransportError

    try:
        yield
    except TimeoutException as error:
        message = "nothing came within the time limit"
        raise Trouble(message) from error
    except TransportError as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        message = f"the connection failed or was cut: {reason}"
        raise Trouble(message) from error
    except InvalidURL as error:
        message = f"this is no address: {error}"
        raise AddressRefusedError(message) from error


def _open_client(limits: ClientLimits, head: _HeadDeadline) -> Client:
    """Return a client that keeps no connection, through the proxies of the environment."""
    # Not at the top: loading it takes longer than all of `genotex --help`.
    from httpx2 import Client, InvalidURL, Limits, Timeout

    try:
        return Client(
            timeout=Timeout(limits.read, connect=limits.connect),
            limits=Limits(max_keepalive_connections=0),
            event_hooks={"request": [head.begin], "response": [head.end]},
            follow_redirects=False,
            headers={"User-Agent": f"genotex/{__version__}", "Accept-Encoding": "identity"},
        )
    except (ImportError, ValueError, OSError, InvalidURL) as error:
        msg = (
            "a proxy or the certificates that the environment names cannot be used: check "
            "HTTP_PROXY, HTTPS_PROXY and ALL_PROXY (http://SERVER:PORT, not socks), SSL_CERT_FILE "
            "and SSL_CERT_DIR"
        )
        raise UsageError(msg) from error


Result = TypeVar("Result")

_MOST_REDIRECTS = 5
_REDIRECTS = {301, 302, 303, 307, 308}
_AGAIN = {408, 425, 429}
_NO_RANGE = 416
_WORTH_GOING_ON = 1 << 16
"""Bytes that must have come for a cut connection not to count as an attempt."""
_LATER = "repeat the command later to continue from here"


class WebClient:
    """Sends requests to servers within client limits, with retries where they may help.

    Redirects are followed by hand (`AllowedAddresses`), five at most; cookies and passwords are
    never sent. Compression is not requested, so the bytes are those of the file on the server.

    `given`: Base addresses named by the program or an option. `limits`: Limits. `seed`: of the
    random part of waiting times. `waiting`: called before each pause with its reason and length in
    seconds. `sleep`, `clock`: how to wait, and a monotonic clock; for tests.
    """

    def __init__(
        self,
        given: Iterable[str],
        *,
        limits: ClientLimits | None = None,
        seed: int = 0,
        waiting: Callable[[str, float], None] = lambda why, seconds: None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or ClientLimits()
        self._allowed = AllowedAddresses(given)
        self._stream = random.Random(seed)
        self._waiting = waiting
        self._sleep = sleep
        self._clock = clock
        self._pace = Pace(self.limits, clock, sleep)
        self._head = _HeadDeadline(self.limits.answer)
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

        `address`: what to ask for. `form`: Sent as a form in the body, where no log sees it; such a
        request follows no redirect. `question`: Sent as JSON in the body, in the same way. `page`:
        whether a web page is what is wanted. `most`: Bytes that are read at most.
        """
        limit = self.limits.most_text if most is None else most
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
                message = "the answer came compressed, which was not requested"
                raise WrongContentError(message, address=answer.address)
            for chunk in answer.chunks():
                parts.append(chunk)
                size += len(chunk)
                if size > limit:
                    message = f"the answer is longer than {limit:,} bytes"
                    raise TooLargeError(message, address=answer.address)
                if self._clock() - begun > self.limits.answer:
                    message = f"no complete answer within {self.limits.answer:g} s"
                    raise Trouble(message)
        return b"".join(parts)

    def again(
        self, address: str, once: Callable[[], Result], so_far: Callable[[], int] = lambda: 0
    ) -> Result:
        """Return what `once` returns, made again after a pause where it raises `Trouble`.

        `address`: For messages. `once`: one attempt. `so_far`: Bytes at hand; an attempt that
        brought some more is not counted.
        """
        attempt, at_hand, since = 0, so_far(), self._clock()
        while True:
            try:
                return once()
            except Trouble as trouble:
                come = so_far()
                attempt += 1
                if come >= at_hand + _WORTH_GOING_ON:
                    attempt, since = 1, self._clock()
                at_hand = max(at_hand, come)
                self._wait(address, attempt, trouble, self._clock() - since)

    def _wait(self, address: str, attempt: int, trouble: Trouble, waited: float) -> None:
        """Pause before the next attempt."""
        longest = self.limits.longest_wait
        if trouble.wait is not None and trouble.wait > longest:
            message = f"{trouble}; the server asks to wait {trouble.wait:,.0f} s, which is too long"
            raise ServerUnavailableError(message, address=shown(address), hint=_LATER) from trouble
        if attempt >= self.limits.attempts or waited >= self.limits.overall:
            times = "once" if attempt == 1 else f"{attempt} times"
            message = f"{trouble}; asked {times}"
            raise ServerUnavailableError(message, address=shown(address), hint=_LATER) from trouble
        pause = back_off(self.limits, attempt, self._stream)
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
    ) -> Iterator[WebAnswer]:
        """Give an answer whose head has come.

        `address`: what to ask for. `headers`: Further headers. `form`: Sent as a form in the body.
        `question`: Sent as JSON in the body.
        """
        self._allowed.check(address)
        for _ in range(_MOST_REDIRECTS + 1):
            self._pace.wait(address)
            with self._asked(address, headers or {}, form, question) as response:
                if response.status_code not in _REDIRECTS:
                    self._refuse_failure(response, address)
                    flow = Flow(self.limits, self._clock)
                    status = response.status_code
                    yield WebAnswer(shown(address), status, response.headers, response, flow)
                    return
                if form is not None or question is not None:
                    message = "a redirect in answer to a form or a query is not followed"
                    raise AddressRefusedError(message, address=shown(address))
                location = response.headers.get("Location")
            address = self._allowed.after_redirect(address, location)
        message = f"more than {_MOST_REDIRECTS} redirects in a row"
        raise AddressRefusedError(message, address=shown(address), hint=_LATER)

    @contextmanager
    def _asked(
        self,
        address: str,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None,
        question: Mapping[str, Any] | None,
    ) -> Iterator[Response]:
        client = self._client = self._client or _open_client(self.limits, self._head)
        # Cookies are discarded before the next request.
        client.cookies.clear()
        method = "GET" if form is None and question is None else "POST"
        with (
            _as_trouble(),
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
        reason = f"the server answers {status} ({_phrase(status)})"
        if status in _AGAIN or status >= 500:
            raise Trouble(reason, retry_after(response.headers))
        refuse_captcha(_first_bytes(response), shown(address))
        hint = "the link may be wrong or no longer valid"
        raise NotThereError(reason, address=shown(address), hint=hint)


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

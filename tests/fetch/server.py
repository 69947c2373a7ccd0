"""A local server for files and protocols, with faults that are switched on path by path.

A protocol is a function that answers the paths it knows (`eutils.py`, `geo_tree.py`); files are put
there by `Site.put`. A fault is a function that spoils a reply: those given by `Site.fault` are used
up in order, the one given by `Site.always` stays.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.local_server import QuietHandler, local_address

CAPTCHA = b"""<!DOCTYPE html>
<html><head><title>NCBI - please show that you are a person</title></head>
<body><p>Please complete the CAPTCHA to go on.</p><form></form></body></html>
""" + b" " * 600  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A request as it came over the wire."""

    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    content: str
    headers: Mapping[str, str]

    @property
    def fields(self) -> Mapping[str, str]:
        """What was asked, in the address or in the body."""
        return {**self.query, **self.form}


@dataclass(frozen=True)
class Reply:
    """What is sent: `claimed` bytes are promised, `body` is sent, by drops every `drip` seconds.

    With `slow_head` the headers come letter by letter, one every so many seconds, and never end.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    claimed: int | None = None
    drip: float = 0.0
    drop: int = 1
    slow_head: float = 0.0


@dataclass
class Served:
    """A request and what was sent for it; `whole` once every promised byte of a 200 is out."""

    asked: Asked
    status: int
    sent: int = 0
    whole: bool = False


Protocol = Callable[[Asked], Reply | None]
Fault = Callable[[Reply], Reply]


class Site:
    """What the server holds, says and was asked."""

    def __init__(self) -> None:
        self.address = ""
        self.served: list[Served] = []
        self.closing = threading.Event()
        self._files: dict[str, Reply] = {}
        self._protocols: list[Protocol] = []
        self._faults: dict[str, list[Fault]] = {}
        self._always: dict[str, Fault] = {}
        self._turn = threading.Lock()

    def url(self, path: str) -> str:
        return self.address + path

    def put(self, path: str, body: bytes, *, etag: bool = True, **headers: str) -> str:
        """Put a file there; returns its address."""
        tag = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"'} if etag else {}
        kind = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"}
        self._files[path] = Reply(body, headers={**kind, **tag, **headers})
        return self.url(path)

    def body(self, path: str) -> bytes:
        """What lies there."""
        return self._files[path].body

    def speak(self, protocol: Protocol) -> None:
        self._protocols.append(protocol)

    def fault(self, path: str, *faults: Fault) -> None:
        """Spoil the next replies of a path, each by one fault."""
        self._faults.setdefault(path, []).extend(faults)

    def always(self, path: str, fault: Fault) -> None:
        self._always[path] = fault

    def mend(self, path: str) -> None:
        """Take every fault of a path away."""
        self._faults.pop(path, None)
        self._always.pop(path, None)

    def times(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(each.asked.path == path for each in self.served)

    def served_whole(self, path: str) -> int:
        """How often the last byte of a file was sent."""
        return sum(each.whole for each in self.served if each.asked.path == path)

    def reply(self, asked: Asked) -> Reply:
        with self._turn:
            reply = self._files.get(asked.path)
            if reply is not None:
                reply = _part_of(reply, asked)
            for protocol in self._protocols if reply is None else ():
                reply = reply or protocol(asked)
            reply = reply or Reply(b"<html><title>404 Not Found</title></html>", 404)
            waiting = self._faults.get(asked.path)
            if waiting:
                return waiting.pop(0)(reply)
            always = self._always.get(asked.path)
            return reply if always is None else always(reply)


def _part_of(reply: Reply, asked: Asked) -> Reply:
    """Answer a range request, if it is for the version that lies there."""
    wanted = asked.headers.get("range", "")
    same = (reply.headers.get("ETag"), reply.headers.get("Last-Modified"))
    if not wanted.startswith("bytes=") or asked.headers.get("if-range") not in same:
        return reply
    start, size = int(wanted.removeprefix("bytes=").rstrip("-")), len(reply.body)
    if start >= size:
        return Reply(b"", 416, {"Content-Range": f"bytes */{size}"})
    told = {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
    return replace(reply, body=reply.body[start:], status=206, headers={**reply.headers, **told})


def failing(status: int, **headers: str) -> Fault:
    """A status; ``Retry_After="2"`` and the like are headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda reply: Reply(b'{"error":"not now"}', status, named)


def captcha(status: int = 200) -> Fault:
    return lambda reply: Reply(CAPTCHA, status, {"Content-Type": "text/html"})


def cut_at(share: float) -> Fault:
    """The connection ends in the middle; the length was told right."""
    return lambda reply: replace(
        reply, body=reply.body[: int(share * len(reply.body))], claimed=len(reply.body)
    )


def cut_after(count: int) -> Fault:
    """The same, after so many bytes."""
    return lambda reply: replace(reply, body=reply.body[:count], claimed=len(reply.body))


def shortened(share: float) -> Fault:
    """A part of the file, with the length of the part: nothing on the wire tells."""
    return lambda reply: replace(reply, body=reply.body[: int(share * len(reply.body))])


def flipped(at: int) -> Fault:
    """One damaged byte, with the right length."""
    return lambda reply: replace(
        reply, body=reply.body[:at] + bytes([reply.body[at] ^ 0xFF]) + reply.body[at + 1 :]
    )


def redirect(to: str, status: int = 302) -> Fault:
    return lambda reply: Reply(b"", status, {"Location": to})


def dripping(seconds: float, drop: int = 1) -> Fault:
    return lambda reply: replace(reply, drip=seconds, drop=drop)


def slow_head(seconds: float) -> Fault:
    return lambda reply: replace(reply, slow_head=seconds)


def without_ranges(reply: Reply) -> Reply:
    """A server that knows no ranges; give it as `always` beside `put(..., etag=True)`."""
    return replace(reply, headers={k: v for k, v in reply.headers.items() if k != "ETag"})


def bomb(mebibytes: int) -> bytes:
    """Gzip data of so many MiB of the same letter, in exactly 2 MiB: zero bytes follow."""
    packed = gzip.compress(b"A" * (10 << 20), mtime=0) * (mebibytes // 10)
    return packed.ljust(2 << 20, b"\0")


@contextmanager
def serving(*protocols: Protocol) -> Iterator[Site]:
    """Run a site on a free port of this machine."""
    site = Site()
    for protocol in protocols:
        site.speak(protocol)

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            content = self.rfile.read(length).decode()
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(
                self.command,
                unquote(parts.path),
                dict(parse_qsl(parts.query)),
                dict(parse_qsl(content)),
                content,
                headers,
            )
            self.close_connection = True
            reply = site.reply(asked)
            served = Served(asked, reply.status)
            site.served.append(served)
            self._send(reply, served)

        do_POST = do_GET

        def _send(self, reply: Reply, served: Served) -> None:
            claimed = len(reply.body) if reply.claimed is None else reply.claimed
            if reply.slow_head:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not site.closing.wait(reply.slow_head):
                    self.wfile.write(b"a")
            self.send_response_only(reply.status)
            for name, value in {"Content-Length": str(claimed), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            piece = reply.drop if reply.drip else 1 << 16
            for at in range(0, len(reply.body), piece):
                if reply.drip and site.closing.wait(reply.drip):
                    return
                self.wfile.write(reply.body[at : at + piece])
                served.sent += len(reply.body[at : at + piece])
            served.whole = reply.status in (200, 206) and served.sent == claimed

    with local_address(Handler, site.closing) as site.address:
        yield site

"""The server that runs the application on this machine: one for a folder, and it always ends."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette

from genotex.app.access.codes import OneTimeCode, PrivateFolder
from genotex.app.access.security import LOOPBACK, Access, UserGroup
from genotex.app.access.server import NCBI, GeoServers, create_app
from genotex.errors import UsageError
from genotex.io import atomic_write, lock
from genotex.options import PreprocessChoices
from genotex.studies import Workspace

LONGEST_REQUEST_END = 10
"""Seconds that requests under way get when the application is to end."""
LONGEST_END = 35
"""Seconds after which a server that was asked to end is killed: also jobs are given up by then."""
_HOLDER = ".workbench.json"
_NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)
_ATTEMPTS = 20
"""To find a port that is free by IPv6, too."""
_log = logging.getLogger("genotex.app")


@dataclass(frozen=True)
class Doors:
    """Who may sign in besides the person at the keyboard, and from where.

    Attributes
    ----------
    password : str
        Asked for in addition to a one-time code.
    accounts : bool
        Sign in by the accounts of the folder (`add_account`), in the place of codes.
    public : str
        Address under which a reverse proxy passes requests on, such as
        ``https://lab.example.org/genotex/``.
    job_memory : int, optional
        GiB that a job may hold.
    folder_limit : int, optional
        GiB of the folder from which nothing is added to it.
    """

    password: str = ""
    accounts: bool = False
    public: str = ""
    job_memory: int | None = None
    folder_limit: int | None = None

    def check(self, host: str) -> None:
        """Refuse what would let others in without a password."""
        own = host in LOOPBACK or host == "::1"
        if self.accounts and self.password:
            msg = "--accounts have a password each: leave --password-file out"
            raise UsageError(msg)
        if not own and not self.password and not self.accounts:
            msg = (
                f"others could reach {host}: give a password with --password-file, let people sign "
                "in by --accounts, or leave --host out"
            )
            raise UsageError(msg)
        if self.public and not self.password and not self.accounts:
            msg = (
                "others could reach the workbench through --public-address: give a password with "
                "--password-file, or let people sign in by --accounts"
            )
            raise UsageError(msg)

    def access(self, root: Path, host: str, port: int, private: PrivateFolder) -> Access:
        """Return who may use the application that listens on a port."""
        return Access(
            port,
            host,
            self.password,
            code=OneTimeCode(private.code),
            token_used=private.remove_page,
            group=UserGroup.of(root) if self.accounts else None,
            public=_public_address(self.public),
            job_memory=None if self.job_memory is None else self.job_memory << 30,
            folder_limit=None if self.folder_limit is None else self.folder_limit << 30,
        )


_PUBLIC = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?")


def _public_address(text: str) -> str:
    """Return the address of a reverse proxy, with a slash at its end."""
    if text and (not _PUBLIC.fullmatch(text) or "/.." in text or "/./" in text):
        msg = (
            f"{text!r} is no address of a proxy; give one such as https://lab.example.org/genotex/"
        )
        raise UsageError(msg)
    return f"{text.rstrip('/')}/" if text else ""


def serve(
    folder: Path,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    doors: Doors = Doors(),
    browser: bool = True,
    ready: Callable[[str, str], None] = lambda address, code: print(address, code, sep="\n"),
    geo_addresses: GeoServers = NCBI,
    annotator: PreprocessChoices | None = None,
) -> None:
    """Run the workbench until it is interrupted.

    Parameters
    ----------
    folder : Path
        What it works in.
    port : int
        Port to listen on; 0 takes a free one.
    host : str
        Address to listen on; another one than this machine's own needs a password.
    doors : Doors
        Who may sign in besides the person at the keyboard.
    browser : bool
        Open a browser: on a file that signs it in or, with a password, on the page that asks.
    ready : callable
        Called with the address and a one-time code once the application listens; with accounts,
        the code is empty.
    geo_addresses, annotator
        As in `create_app`.

    Raises
    ------
    UsageError
        If the folder is not a folder or another server has it open, the port is taken, or a
        password is missing.
    """
    doors.check(host)
    root = Workspace(folder).root
    with (
        _only_server(root) as announce_holder,
        _listening(host, port) as sockets,
        _private_folder() as private,
        _always_ending(LONGEST_END),
        _logging_to_the_screen(),
    ):
        access = doors.access(root, host, sockets[0].getsockname()[1], private)
        announce_holder(access.address)
        private.write_record(root, access.shown_address, doors.accounts)
        app = create_app(root, access, geo_addresses, annotator)
        app.state.workbench.apart.begin()
        server = uvicorn.Server(_settings(app))

        def announce() -> None:
            if not _has_started(server):
                return
            ready(access.shown_address, "" if doors.accounts else access.code.renew())
            if browser and (doors.password or doors.accounts):
                webbrowser.open(access.shown_address)
            elif browser:
                # Arguments of programs are seen by everybody: a file's name holds no secret.
                webbrowser.open(private.write_page(access.own_address, access.token).as_uri())

        threading.Thread(target=announce, daemon=True).start()
        try:
            server.run(sockets=sockets)
        finally:
            # Ctrl-C twice skips what the application itself does at its end.
            app.state.workbench.close()


def _settings(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # As they are here, whatever else is installed: uvloop takes signals another way.
        loop="asyncio",
        http="h11",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # Without a limit, an upload that stands still would keep it from ending.
        timeout_graceful_shutdown=LONGEST_REQUEST_END,
    )


def _has_started(server: uvicorn.Server) -> bool:
    """Wait until the application answers; False if it ends before."""
    while not server.started and not server.should_exit:
        time.sleep(0.02)
    return server.started


@contextmanager
def _listening(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Listen on an address; on this machine's own also by IPv6, where it has that.

    Browsers take "localhost" for both: on the other one, another user could listen in our place.
    """
    found = [_bound(host, port)]
    own = host in ("127.0.0.1", "localhost")
    for attempt in range(_ATTEMPTS if own else 0):
        try:
            found.append(_bound("::1", found[0].getsockname()[1]))
            break
        except UsageError as error:
            if getattr(error.__cause__, "errno", None) in _NO_IPV6:
                break
            found.pop().close()
            if port or attempt == _ATTEMPTS - 1:
                raise
            found = [_bound(host, 0)]
    try:
        yield found
    finally:
        for listening in found:
            listening.close()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # Only with the protocol named does asyncio send small answers at once (TCP_NODELAY); else
        # each waits 40 ms for the browser's acknowledgement of its headers.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise _cannot_listen(host, port, error) from error
    return listening


def _cannot_listen(host: str, port: int, error: OSError) -> UsageError:
    return UsageError(
        f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another"
    )


class _Holder(BaseModel):
    """The server that has a folder open."""

    pid: int = Field(gt=0)
    host: str = Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=255)
    address: str = Field(pattern=r"^http://[A-Za-z0-9_.:\[\]-]+/$", max_length=300)


@contextmanager
def _only_server(root: Path) -> Iterator[Callable[[str], None]]:
    """Hold the folder; yields a function that tells others the address.

    The system gives a lock free when its process ends, however it ends. A folder that cannot be
    written to is not held: nothing can be started in it.
    """
    record = root / _HOLDER

    def announce(address: str) -> None:
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "address": address}
        # Where it cannot be written, others are not told the address; the lock holds all the same.
        with suppress(OSError), atomic_write(record) as part:
            part.write_text(json.dumps(holder), encoding="utf-8")

    with ExitStack() as stack:
        try:
            stack.enter_context(lock(root / "workbench", wait=False))
        except UsageError as error:
            raise UsageError(_held_by(root)) from error
        except OSError as error:
            if os.access(root, os.W_OK):
                _log.warning("%s cannot be locked: %s", root, error.strerror or error)
            stack.close()
            announce = _say_nothing
        else:
            _remove(record)
            stack.callback(_remove, record)
        yield announce


def _remove(record: Path) -> None:
    with suppress(OSError):
        record.unlink(missing_ok=True)


def _say_nothing(address: str) -> None:
    """Leave the folder as it is."""


def _held_by(root: Path) -> str:
    """Say which server has a folder open; others may have written the record."""
    record = root / _HOLDER
    try:
        # What is no plain file, as a pipe, could keep a reader waiting.
        with (record if record.is_file() else Path(os.devnull)).open("rb") as file:
            holder = _Holder.model_validate_json(file.read(10_000))
            is_own = os.fstat(file.fileno()).st_uid == os.geteuid()
    except (OSError, ValidationError):
        return f"another workbench has {root} open, or is just opening it; end that one first"
    here = holder.host == socket.gethostname()
    where = f"process {holder.pid}" + ("" if here else f" on {holder.host}")
    if not is_own:
        return f"another user has {root} open in a workbench ({where}); ask them to end it"
    return (
        f"another workbench has {root} open: {holder.address} ({where}). Use that one: "
        f"genotex serve --code {root} prints a code for another browser. Or end it first."
    )


@contextmanager
def _private_folder() -> Iterator[PrivateFolder]:
    private = PrivateFolder()
    try:
        yield private
    finally:
        private.remove()


@contextmanager
def _always_ending(seconds: float) -> Iterator[None]:
    """Let the guard end this process if it has not ended some time after a signal."""
    if threading.current_thread() is not threading.main_thread():
        # Signals are not for this thread, but for whoever runs it.
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    program = str(Path(__file__).with_name("guard.py"))
    command = [sys.executable, "-I", "-S", program, str(os.getpid()), str(seconds)]
    guard = subprocess.Popen(command, stdin=reading, start_new_session=True)
    os.close(reading)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    on_sigterm = signal.getsignal(signal.SIGTERM)
    if on_sigterm is signal.SIG_DFL:
        # The default ends the process at once, and leaves the private folder behind.
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        if on_sigterm is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(before)
        os.close(writing)
        guard.wait()


@contextmanager
def _logging_to_the_screen() -> Iterator[None]:
    """Write who signed in, and mistakes of ours, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    requests_given_up = logging.getLogger("uvicorn.error")
    requests_given_up.addFilter(_is_worth_logging)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        requests_given_up.removeFilter(_is_worth_logging)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for the traceback of a request that was given up at the end."""
    return record.exc_info is None or record.exc_info[0] is not asyncio.CancelledError

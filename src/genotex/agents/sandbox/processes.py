"""The processes of a session, from outside: environment, supervisor with its pipes, fork_server."""

from __future__ import annotations

import codecs
import json
import os
import select
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import genotex
from genotex.agents.sandbox.confined import __file__ as _confined
from genotex.agents.sandbox.confined.protocol import ChannelError, SandboxPlan, channel_pair
from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.sandbox.session import SandboxLimits
from genotex.errors import SandboxError
from genotex.outside import VARIABLE

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/nix/store",
)
_LIBRARY_FOLDERS = ("site-packages", "dist-packages")
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_SAME_NUMBERS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES")
"""How libraries compute here; passed on, so that results in a session agree to the last digit."""
_PASSED_ON = (*_SAME_NUMBERS, VARIABLE)
"""With the limits of reading: a session reads the same files as the program that runs it."""
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from confined.{part} import main; sys.path.pop(0); main()"
)


def launch_command(part: str, *options: str) -> list[str]:
    """Return the command that runs a part of ``confined`` without importing ``genotex``."""
    folder = str(Path(_confined).parent.parent)
    return [sys.executable, *options, "-c", _START.format(part=part), folder]


def interpreter_paths() -> set[str]:
    """Return where Python is, its libraries, and this package."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = {
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    package = str(Path(genotex.__file__).resolve().parent)
    return {*prefixes, *libraries, *_library_folders(), package}


def refuse_borrowed_access(paths: Iterable[str | Path]) -> None:
    """Refuse what this process reads by a capability, such as ``CAP_DAC_READ_SEARCH``.

    A session has no capabilities, and would not find its own interpreter.
    """
    # Asked for the user alone: the system call takes no account of capabilities.
    for path in filter(os.path.exists, sorted(map(str, paths))):
        if not os.access(path, os.R_OK):
            msg = (
                f"{path} can be read only with a capability of this process (CAP_DAC_READ_SEARCH "
                "or the like), which generated code does not get; permit the user to read it"
            )
            raise SandboxError(msg)


def readable_paths(lib: Path) -> tuple[str, ...]:
    """Return what an interpreter needs to run: the system's libraries, Python, this package."""
    wanted = [*_SYSTEM, *interpreter_paths(), str(lib)]
    there = {path for path in wanted if path and Path(path).exists()}
    return tuple(sorted(path for path in there if not _inside_another(path, there)))


def _inside_another(path: str, others: set[str]) -> bool:
    return any(str(parent) in others for parent in Path(path).parents)


def _library_folders() -> list[str]:
    """Return the folders of installed packages that this program imports from."""
    # Other folders on its path, the working folder first of all, may hold anything and are not
    # shown.
    named = [path for path in sys.path if Path(path).name in _LIBRARY_FOLDERS]
    return [path for path in dict.fromkeys(named) if Path(path).is_dir()]


def put_package_in(lib: Path) -> None:
    """Make a folder from which only ``genotex`` can be imported."""
    lib.mkdir()
    (lib / "genotex").symlink_to(Path(genotex.__file__).resolve().parent)


def environment(limits: SandboxLimits, lib: Path) -> dict[str, str]:
    """Return the environment of a session; of ours only `_PASSED_ON` is in it."""
    paths = [f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    settings = {
        "PATH": ":".join(paths),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "USER": "sandbox",
        "PYTHONPATH": ":".join([str(lib), *_library_folders()]),
        "PYTHONDONTWRITEBYTECODE": "1",
        # The same cells give the same order of sets when they are replayed.
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    threads = dict.fromkeys(_THREADS, str(limits.threads)) if limits.threads else {}
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    limits_given = passed.get(VARIABLE, "")
    if "kept" not in limits_given:  # The home of a session is in memory, and ends with it
        passed[VARIABLE] = f"{limits_given},kept=0".strip(",")
    return {**settings, **threads, **passed}


_CHUNK = 65536
_MOST_PACKETS = 64
_MOST_WAITING_CHUNKS = 32
"""A pipe holds a megabyte at the most."""


@dataclass(frozen=True)
class ProcessEvent:
    """Something that came from a session."""

    # ``message`` of the worker, ``stdout`` and ``stderr`` of its process, ``answer`` of the
    # supervisor, or ``broken`` if the worker's channel has ended.
    source: Literal["message", "stdout", "stderr", "answer", "broken"]
    content: dict[str, Any]  # the message or answer
    text: str = ""  # what was printed, or why the channel is broken


class _Handles(NamedTuple):
    """Open files that a supervisor is started with: its own three, then those of the worker."""

    commands: int
    answers: int
    errors: int
    channel: int
    out: int
    err: int


def _start_supervisor(ends: _Handles) -> subprocess.Popen[bytes]:
    """Start a supervisor as a program of its own."""
    handles = (ends.channel, ends.out, ends.err)
    return subprocess.Popen(
        [*launch_command("supervisor", "-I", "-S", "-X", "utf8"), *map(str, handles)],
        stdin=ends.commands,
        stdout=ends.answers,
        stderr=ends.errors,
        pass_fds=handles,
        env={},
        cwd="/",
        start_new_session=True,
    )


class Connection:
    """A supervisor with its worker, reached through pipes and a channel."""

    def __init__(self, plan: SandboxPlan, most_bytes: int, start: _Start | None = None) -> None:
        self.channel, theirs = channel_pair(most_bytes)
        their_commands, self._commands = os.pipe()
        self._answers, their_answers = os.pipe()
        out, theirs_out = os.pipe()
        err, theirs_err = os.pipe()
        try:
            channel = theirs.fileno()
            self.process = (start or _start_supervisor)(
                _Handles(their_commands, their_answers, theirs_err, channel, theirs_out, theirs_err)
            )
        except BaseException:
            self.channel.close()
            for handle in (self._commands, self._answers, out, err):
                os.close(handle)
            raise
        finally:
            theirs.close()
            for handle in (their_commands, their_answers, theirs_out, theirs_err):
                os.close(handle)
        self._printed: dict[int, Literal["stdout", "stderr"]] = {out: "stdout", err: "stderr"}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {handle: decoder("replace") for handle in self._printed}
        self._unfinished_answer = b""
        self._poll = select.poll()
        for handle in (self.channel.socket.fileno(), out, err, self._answers):
            os.set_blocking(handle, False)
            self._poll.register(handle, select.POLLIN)
        self.command(plan.to_json())

    def command(self, line: str) -> None:
        """Send the supervisor a command; if it has ended, its answers will show that."""
        with suppress(OSError):
            os.write(self._commands, line.encode("ascii") + b"\n")

    def send(self, message: dict[str, Any], deadline: float) -> bool:
        """Send a message to the worker; return False if it does not take it in time."""
        self.channel.socket.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            self.channel.send(message)
        except OSError:
            return False
        finally:
            self.channel.socket.setblocking(False)
        return True

    def events(self, seconds: float) -> Iterator[ProcessEvent]:
        """Wait at most `seconds`; yield what came, messages of the worker before printed text."""
        ready = {handle for handle, _ in self._poll.poll(max(0, int(seconds * 1000)))}
        if self.channel.socket.fileno() in ready:
            yield from self._messages()
        for handle in ready & self._printed.keys():
            yield from self._print(handle)
        if self._answers in ready:
            yield from self._take_answers()

    def waiting_output(self) -> Iterator[ProcessEvent]:
        """Yield what the worker's process has printed so far."""
        for handle in list(self._printed):
            for _ in range(_MOST_WAITING_CHUNKS):
                came = list(self._print(handle))
                if not came:
                    break
                yield from came

    def _messages(self) -> Iterator[ProcessEvent]:
        for _ in range(_MOST_PACKETS):
            try:
                message = self.channel.receive()
            except BlockingIOError:
                return
            except (ChannelError, OSError) as error:
                self._forget(self.channel.socket.fileno())
                yield ProcessEvent("broken", {}, str(error))
                return
            if message is not None:
                yield ProcessEvent("message", message)

    def _print(self, handle: int) -> Iterator[ProcessEvent]:
        content = self._read(handle)
        if content:
            yield ProcessEvent(self._printed[handle], {}, self._decoders[handle].decode(content))
        elif content == b"":
            del self._printed[handle]
            os.close(handle)

    def _take_answers(self) -> Iterator[ProcessEvent]:
        content = self._read(self._answers)
        if content is None:
            return
        if not content:
            yield ProcessEvent("answer", {"ended": {"exit": None, "lost": True}})
            return
        *lines, self._unfinished_answer = (self._unfinished_answer + content).split(b"\n")
        for line in lines:
            yield ProcessEvent("answer", json.loads(line))

    def _read(self, handle: int) -> bytes | None:
        """Return available bytes, None for nothing yet, and no bytes at the end."""
        try:
            content = os.read(handle, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            content = b""
        if not content:
            self._forget(handle)
        return content

    def _forget(self, handle: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(handle)

    def close(self, seconds: float) -> None:
        """Close all connections; the supervisor ends with them, or is killed after a while."""
        # A late command must not go to a file that reuses the number.
        commands, self._commands = self._commands, -1
        for handle in (commands, self._answers):
            os.close(handle)
        self.channel.close()
        for handle in self._printed:
            os.close(handle)
        self._printed = {}
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            # Its end takes the init process with it, and that one all others.
            self.process.kill()
            self.process.wait()


_PATIENCE = 60.0
"""Seconds for an answer: the first one comes when everything is imported."""
_END_SECONDS = 5.0


class ForkServer:
    """A process that has imported libraries, from which sessions are forked; a context manager.

    A session that it starts has the same isolation and limits as any other, and is ready in a
    fraction of the time. It begins to import at once, while the caller continues. If the machine
    lacks process file descriptors (Linux before 5.3, other systems) it starts nothing.

    Parameters
    ----------
    limits
        Of the sessions; how many threads libraries use is settled when they are imported.
    modules
        What to import; ``module:function`` for a function of it that is called as well, in turn.
    """

    def __init__(self, limits: SandboxLimits, modules: Sequence[str]) -> None:
        self._private = Path(tempfile.mkdtemp(prefix="genotex-session-")).resolve()
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.lib = self._private / "lib"
        put_package_in(self.lib)
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.settimeout(_PATIENCE)
        with theirs:
            if hasattr(os, "pidfd_open"):
                self._process = self._begin(theirs.fileno(), limits, modules)

    def _begin(
        self, handle: int, limits: SandboxLimits, modules: Sequence[str]
    ) -> subprocess.Popen[bytes]:
        command = launch_command("fork_server", "-s", "-P")
        return subprocess.Popen(
            [*command, str(handle), str(self._private), *modules],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(handle,),
            env={**environment(limits, self.lib), "HOME": str(self._private)},
            cwd="/",
            start_new_session=True,
        )

    @property
    def number(self) -> int | None:
        """The number of its process; None where it has none."""
        return None if self._process is None else self._process.pid

    def start(self, ends: _Handles) -> _Forked:
        """Start a supervisor; an OSError if there is no server, or it does not answer."""
        with self._turn:
            try:
                socket.send_fds(self._door, [b"x"], ends)
                answer, handles, _, _ = socket.recv_fds(self._door, 1, 1)
            except OSError:
                # An answer that comes too late would be taken for the one to the next request.
                self._door.close()
                raise
        if not answer or not handles:
            raise ConnectionResetError
        return _Forked(handles[0])

    def close(self) -> None:
        """End it; sessions that it started go on."""
        self._door.close()
        if self._process is not None:
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        remove_tree(self._private)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()


class _Forked:
    """A supervisor that is a child of the fork_server."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def wait(self, timeout: float | None = None) -> None:
        """Wait for its end; `subprocess.TimeoutExpired` if it does not come."""
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        if not poll.poll(None if timeout is None else int(timeout * 1000)):
            raise subprocess.TimeoutExpired(["supervisor"], timeout or 0)
        os.close(self._handle)

    def kill(self) -> None:
        """Kill it."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)


_Start = Callable[[_Handles], subprocess.Popen[bytes] | _Forked]

"""What lets a browser in: a file that only the owner can read, and codes that work once."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import stat
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from genotex.errors import FormatError, UsageError
from genotex.io import atomic_write
from genotex.outside import read_document, read_json

_SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Base 32 as Crockford wrote it: without letters that look like others."""
_LENGTH, _GROUP = 12, 4
_LOOK_ALIKE = str.maketrans("OIL", "011", " -\t")
_RECORD, _CODE, _PAGE = "server.json", "code", "sign-in.html"


@dataclass
class OneTimeCode:
    """A code that signs one browser in: 60 random bits. Each new one makes the one before void.

    Attributes
    ----------
    path : Path or None
        Where another process of the owner leaves the digest of a newer code (`new_code`).
    """

    path: Path | None = None
    _digest: str = ""

    def renew(self) -> str:
        """Return a new code."""
        code = made_up(_LENGTH)
        self._digest = _digest_of(code)
        return code

    def use(self, given: str) -> bool:
        """Return whether a code is right; it is void from now on."""
        self._take_newer()
        if not self._digest or not secrets.compare_digest(_digest_of(given), self._digest):
            return False
        self._digest = ""
        return True

    def _take_newer(self) -> None:
        if self.path is None:
            return
        try:
            newer = read_document(self.path).decode("ascii")[:100].strip()
            self.path.unlink()
        except (OSError, FormatError, UnicodeDecodeError):
            return
        self._digest = newer


def made_up(length: int) -> str:
    """Return random signs, in groups that a person can type: five bits each."""
    signs = "".join(secrets.choice(_SIGNS) for _ in range(length))
    return "-".join(signs[i : i + _GROUP] for i in range(0, length, _GROUP))


def _digest_of(code: str) -> str:
    """Return what is kept of a code; small letters, spaces and look-alikes are as good."""
    return sha256(code.upper().translate(_LOOK_ALIKE).encode("utf-8", "replace")).hexdigest()


class _Record(BaseModel):
    """A server that runs: its process and machine, its folder, and its address."""

    pid: int = Field(gt=0)
    host: str
    folder: str
    address: str
    accounts: bool = False


class PrivateFolder:
    """A folder of one running server that nobody but its owner can look into.

    It is in ``XDG_RUNTIME_DIR``, else among the owner's state files, else among temporary files.

    Raises
    ------
    UsageError
        If no such folder can be made.
    """

    def __init__(self) -> None:
        parent = _parent()
        _remove_those_of_killed_servers(parent)
        self.path = Path(tempfile.mkdtemp(prefix="serve-", dir=parent))

    @property
    def code(self) -> Path:
        """Where `new_code` leaves the digest of a code."""
        return self.path / _CODE

    def write_record(self, folder: Path, address: str, accounts: bool = False) -> None:
        """Let `new_code` find this server."""
        here, place = socket.gethostname(), str(folder.resolve())
        record = _Record(
            pid=os.getpid(), host=here, folder=place, address=address, accounts=accounts
        )
        write_private(self.path / _RECORD, record.model_dump_json())

    def write_page(self, address: str, token: str) -> Path:
        """Write the file that a browser is opened on: it sends the token."""
        page = self.path / _PAGE
        write_private(
            page, _PAGE_TEXT.format(action=escape(f"{address}sign-in"), token=escape(token))
        )
        return page

    def remove_page(self) -> None:
        """Remove the file, whose token is void."""
        (self.path / _PAGE).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)


_PAGE_TEXT = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>genotex workbench</title></head>
<body>
<form method="post" action="{action}">
<input type="hidden" name="token" value="{token}">
<p>Opening the workbench ... <button>Open it</button></p>
</form>
<script>document.forms[0].submit();</script>
</body>
</html>
"""


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    # Its name appears when it is complete; `mkdtemp` has closed the folder to others.
    with atomic_write(path) as part:
        part.chmod(0o600)
        part.write_text(text, encoding="utf-8")


def new_code(folder: Path) -> tuple[str, str]:
    """Return address and a new code of the server that has a folder open.

    Raises
    ------
    UsageError
        If no server of this user has it open.
    """
    wanted = str(folder.resolve())
    for path, record in _servers(_parent()):
        if record.folder == wanted and _runs(record.pid):
            if record.accounts:
                msg = f"{folder} is open to accounts: sign in at {record.address} by name"
                raise UsageError(msg)
            code = made_up(_LENGTH)
            write_private(path / _CODE, _digest_of(code))
            return record.address, code
    msg = (
        f"no workbench of yours has {folder} open on this machine; start one with "
        f"genotex serve {folder}"
    )
    raise UsageError(msg)


def _servers(parent: Path) -> list[tuple[Path, _Record]]:
    """Return the private folders of servers of this machine, the newest first."""
    found, here = [], socket.gethostname()
    for path in parent.glob(f"serve-*/{_RECORD}"):
        try:
            written, content = path.stat().st_mtime_ns, read_json(path)
            record = _Record.model_validate(content)
        except (OSError, FormatError, ValidationError):
            continue
        # The folder may be on a disk that several machines share.
        if record.host == here:
            found.append((written, path.parent, record))
    found.sort(key=lambda each: each[0], reverse=True)
    return [(path, record) for _, path, record in found]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    except OverflowError:
        return False
    return True


def _remove_those_of_killed_servers(parent: Path) -> None:
    for path, record in _servers(parent):
        if not _runs(record.pid):
            shutil.rmtree(path, ignore_errors=True)


def _parent() -> Path:
    """Return the folder of private folders, made if need be, and closed to others."""
    problems = []
    for place in _places():
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = place.lstat()
        except OSError as error:
            problems.append(f"{place}: {error.strerror or error}")
            continue
        # Not a link, and nobody else's: another user could have made it before.
        if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid():
            problems.append(f"{place}: belongs to somebody else, or is a link")
            continue
        if stat.S_IMODE(state.st_mode) & 0o077:
            place.chmod(0o700)
        if os.access(place, os.W_OK | os.X_OK):
            return place
        problems.append(f"{place}: cannot be written to")
    msg = (
        "there is no place for files that only you can read; set XDG_RUNTIME_DIR to a folder of "
        f"yours ({'; '.join(problems)})"
    )
    raise UsageError(msg)


def _places() -> list[Path]:
    places = []
    runtime, state = (os.environ.get(name, "") for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"))
    if runtime and Path(runtime).is_absolute() and _is_own(Path(runtime)):
        places.append(Path(runtime) / "genotex")
    if state and Path(state).is_absolute():
        places.append(Path(state) / "genotex")
    elif (home := os.path.expanduser("~")) != "~":  # noqa: PTH111 (which raises without a home)
        places.append(Path(home) / ".local" / "state" / "genotex")
    return [*places, Path(tempfile.gettempdir()) / f"genotex-{os.geteuid()}"]


def _is_own(folder: Path) -> bool:
    """Return whether a folder belongs to this user: after `sudo`, the variable names another's."""
    return folder.is_dir() and folder.stat().st_uid == os.geteuid()

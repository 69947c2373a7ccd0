"""Accounts of a group: names and passwords in a file of the folder, and who is signed in."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import stat
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from genotex.app.access.codes import made_up, write_private
from genotex.errors import FormatError, UsageError
from genotex.outside import read_json

ACCOUNTS = ".workbench-users.json"
LONGEST_SESSION, LONGEST_PAUSE = 12 * 3600.0, 4 * 3600.0
"""Seconds from signing in, and from the last request, after which a session ends."""
SHORTEST_PASSWORD = 12
_MADE_UP = 16
"""Signs of a password that is made up: 80 random bits."""
_COST, _BLOCK, _TIMES, _MEMORY = 1 << 15, 8, 3, 64 << 20
"""Parameters of scrypt as OWASP recommends them: 32 MiB and tenths of a second each."""
_MOST_SESSIONS, _MOST_KEYS = 20, 10_000

UserName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=32, strict=True)
]
_NAME: TypeAdapter[str] = TypeAdapter(UserName)
_Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Account(BaseModel):
    """What is kept of a password: nothing that it could be found from but by trying.

    `reads`: the account looks at everything, and changes nothing.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["scrypt-32768-8-3"] = "scrypt-32768-8-3"
    salt: _Hex
    digest: _Hex
    reads: bool = False

    @classmethod
    def of(cls, password: str, *, reads: bool = False) -> _Account:
        """Return the account of a password."""
        salt = secrets.token_bytes(32)
        return cls(salt=salt.hex(), digest=_scrypt(password, salt).hex(), reads=reads)

    def has(self, password: str) -> bool:
        """Return whether a password is the right one."""
        found = _scrypt(password, bytes.fromhex(self.salt))
        return secrets.compare_digest(found, bytes.fromhex(self.digest))


def _scrypt(password: str, salt: bytes) -> bytes:
    given = password.encode("utf-8", "replace")
    return hashlib.scrypt(given, salt=salt, n=_COST, r=_BLOCK, p=_TIMES, maxmem=_MEMORY, dklen=32)


class _AccountsFile(BaseModel):
    """The file of accounts."""

    model_config = ConfigDict(extra="forbid")

    accounts: dict[UserName, _Account] = Field(max_length=1000)


def read_accounts(folder: Path) -> dict[str, _Account]:
    """Return the accounts of a folder by name.

    Raises
    ------
    UsageError
        If others can read or write their file, or it is none of ours.
    """
    path = folder / ACCOUNTS
    if not path.exists() and not path.is_symlink():
        return {}
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
        msg = f"{path} is a link, or belongs to another user; remove it, and add the accounts again"
        raise UsageError(msg)
    if stat.S_IMODE(state.st_mode) & 0o077:
        msg = f"others can read or change {path}; run chmod 600 on it, and set new passwords"
        raise UsageError(msg)
    try:
        content = read_json(path)
        return _AccountsFile.model_validate(content).accounts
    except (OSError, FormatError, ValidationError) as error:
        msg = f"{path} is damaged; remove it, and add the accounts again"
        raise UsageError(msg) from error


def add_account(folder: Path, name: str, password: str = "", *, reads: bool = False) -> str:
    """Make an account, or give it a new password; return the password, made up if none is given.

    `reads`: it looks at everything, and changes nothing.

    Raises
    ------
    UsageError
        If the name or the password cannot be used.
    """
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        msg = f"{name!r} is no name of an account: at most 32 letters, digits, dots, - and _"
        raise UsageError(msg) from error
    if password and len(password) < SHORTEST_PASSWORD:
        msg = f"the password is too short: at least {SHORTEST_PASSWORD} characters"
        raise UsageError(msg)
    password = password or made_up(_MADE_UP)
    _write(folder, {**read_accounts(folder), name: _Account.of(password, reads=reads)})
    return password


def remove_account(folder: Path, name: str) -> None:
    """Remove an account; its sessions end.

    Raises
    ------
    UsageError
        If there is none of this name.
    """
    accounts = read_accounts(folder)
    if name not in accounts:
        msg = (
            f"there is no account {name!r} in {folder}; there are: {', '.join(accounts) or 'none'}"
        )
        raise UsageError(msg)
    _write(folder, {each: account for each, account in accounts.items() if each != name})


def _write(folder: Path, accounts: dict[str, _Account]) -> None:
    made = _AccountsFile(accounts=accounts)
    write_private(folder / ACCOUNTS, made.model_dump_json(indent=1) + "\n")


class WrongTries:
    """Counts wrong tries of each key, and accepts none for a while after too many."""

    def __init__(self, most: int = 10, seconds: float = 60.0) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self._most, self._seconds = most, seconds
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._until: OrderedDict[str, float] = OrderedDict()

    def locked(self, *keys: str) -> bool:
        """Return whether one of the keys waits."""
        return any(self.clock() < self._until.get(key, 0.0) for key in keys)

    def add(self, *keys: str) -> None:
        """Count a try, before it is known to be wrong: many at once are counted, too."""
        for key in keys:
            self._counts[key] = self._counts.pop(key, 0) + 1
            if self._counts[key] >= self._most:
                del self._counts[key]
                self._until[key] = self.clock() + self._seconds
        for each in (self._counts, self._until):
            while len(each) > _MOST_KEYS:
                each.popitem(last=False)

    def forget(self, *keys: str) -> None:
        """Forget the tries of keys that turned out right."""
        for key in keys:
            self._counts.pop(key, None)
            self._until.pop(key, None)


@dataclass
class SignedIn:
    """A browser of a person: the token of its pages, and when it signed in and asked last."""

    user: str
    account: _Account
    begun: float
    seen: float
    change_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))


class Accounts:
    """Signs people in by name and password, and knows their sessions until these end.

    A session ends by signing out, with its time, and when its account is removed or gets another
    password: the file is read again when it has changed.

    Raises
    ------
    UsageError
        If the file cannot be used, or has no account.
    """

    def __init__(self, folder: Path) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self.tries = WrongTries()
        self._folder = folder
        self._state: object = None
        self._known: dict[str, _Account] = {}
        self._sessions: dict[str, SignedIn] = {}
        self._one_at_a_time = asyncio.Lock()
        # Somebody who has no account is answered as late as somebody who has.
        self._nobody = _Account.of(secrets.token_urlsafe(24))
        if not self.names:
            msg = (
                f"there is no account in {folder}; make one with "
                f"genotex serve {folder} --add-user NAME"
            )
            raise UsageError(msg)

    @property
    def names(self) -> list[str]:
        """The names of the accounts, read again where their file has changed."""
        path = self._folder / ACCOUNTS
        try:
            state = path.lstat()
            now = state.st_mtime_ns, state.st_size, state.st_ino, state.st_mode
            if now != self._state:
                self._known, self._state = read_accounts(self._folder), now
        except OSError:
            self._known, self._state = {}, None
        return sorted(self._known)

    def locked(self, name: str, address: str) -> bool:
        """Return whether too many wrong passwords were tried for a name or from an address."""
        return self.tries.locked(f"name {name}", f"from {address}")

    async def sign_in(self, name: str, password: str, address: str) -> str | None:
        """Return the secret of a new session; None if name or password is wrong, or too many were.

        Each guess takes memory: they are computed one after the other, and counted before.
        """
        keys = f"name {name}", f"from {address}"
        if self.tries.locked(*keys):
            return None
        self.tries.add(*keys)
        async with self._one_at_a_time:
            right = await run_in_threadpool(self._is_right, name, password)
        if right is None:
            return None
        self.tries.forget(*keys)
        return self._begin(name, right)

    def _is_right(self, name: str, password: str) -> _Account | None:
        account = self._known.get(name) if name in self.names else None
        right = (account or self._nobody).has(password)
        return account if right else None

    def _begin(self, name: str, account: _Account) -> str:
        """Return the secret of a session that begins: none that a browser brought is used."""
        secret, now = secrets.token_urlsafe(32), self.clock()
        mine = [key for key, each in self._sessions.items() if each.user == name]
        for key in mine[: max(0, len(mine) - _MOST_SESSIONS + 1)]:
            del self._sessions[key]
        self._sessions[_key(secret)] = SignedIn(name, account, now, now)
        return secret

    def session(self, secret: str | None) -> SignedIn | None:
        """Return the session of a cookie, as long as it lasts."""
        key = "" if secret is None else _key(secret)
        found = self._sessions.get(key)
        if found is None:
            return None
        now = self.clock()
        ended = now - found.begun > LONGEST_SESSION or now - found.seen > LONGEST_PAUSE
        try:
            changed = found.user not in self.names or self._known[found.user] != found.account
        except UsageError:
            changed = True
        if ended or changed:
            self._sessions.pop(key, None)
            return None
        found.seen = now
        return found

    def sign_out(self, secret: str | None) -> None:
        """End the session of a cookie."""
        if secret is not None:
            self._sessions.pop(_key(secret), None)


def _key(secret: str) -> str:
    """Return what a secret is looked up by, so that the time that takes says nothing of it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()

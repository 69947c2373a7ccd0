"""Which addresses may be requested, and addresses without keys for messages and journals."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from genotex.errors import AddressRefusedError, UsageError

_SECRET = re.compile(
    r"key|token|secret|password|signature|credential|\A(sig|auth)\Z", re.IGNORECASE
)
"""Names of parameters with secrets, also in signed links of a file store."""
_NAME = re.compile(r"\w[\w .,()'&+-]*")
_LONGEST = 200
"""Bytes of a name; file systems allow 255, and suffixes are added."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

_Origin = tuple[str, str, int | None]


class AllowedAddresses:
    """The addresses that may be requested."""

    # Servers named by the program or an option are allowed; others only by https and if public. So
    # no redirect leads into the local network of this machine.

    def __init__(self, given: Iterable[str]) -> None:
        self._given = {_origin(address) for address in given}

    def check(self, address: str) -> None:
        """Refuse an address that must not be asked."""
        parts = urlsplit(address)
        if parts.username or parts.password:
            raise _refused(address, "an address with a user name or a password is not requested")
        if not parts.hostname:
            raise _refused(address, "this is not the address of a server")
        if _origin(address) in self._given:
            return
        if parts.scheme != "https":
            raise _refused(address, f"only https is followed, not {parts.scheme or 'this'}")
        if not _is_public(parts.hostname):
            raise _refused(address, "this leads to a private address")

    def after_redirect(self, address: str, location: str | None) -> str:
        """Return where a redirect leads."""
        if not location:
            raise _refused(address, "a redirect without a target")
        try:
            target = urljoin(address, location)
            _origin(target)
        except ValueError as error:
            message = f"a redirect to an invalid address is not followed: {error}"
            raise _refused(address, message) from error
        if urlsplit(target).scheme != urlsplit(address).scheme:
            message = f"a redirect to another scheme is not followed: {shown(target)}"
            raise _refused(address, message)
        try:
            self.check(target)
        except AddressRefusedError as error:
            message = f"a redirect to {shown(target)} is not followed: {error.message}"
            raise _refused(address, message) from error
        return target


def _refused(address: str, message: str) -> AddressRefusedError:
    hint = "an address of your own can be given by an option"
    return AddressRefusedError(message, address=shown(address), hint=hint)


def _origin(address: str) -> _Origin:
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


def _is_public(host: str) -> bool:
    """Return whether all addresses of a host are public; an unknown host cannot be reached."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return True
    return all(_is_global(str(entry[4][0])) for entry in found)


def _is_global(number: str) -> bool:
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_global
    # Gateways forward these to the IPv4 address that they contain.
    held = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        held.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address.is_global and all(each.is_global for each in held if each is not None)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, by its name or number alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def base_address(address: str) -> str:
    """Return a base address with one slash at its end."""
    if not _is_base(address):
        msg = f"{address!r} is not a base address; write https://SERVER/ or https://SERVER/FOLDER/"
        raise UsageError(msg)
    return address.rstrip("/") + "/"


def _is_base(address: str) -> bool:
    try:
        scheme, host, _ = _origin(address)
    except ValueError:
        return False
    return scheme in ("http", "https") and bool(host) and not re.search(r"[?#\s]", address)


def shown(address: str) -> str:
    """Return an address as messages and journals show it: without keys and passwords."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _SECRET.search(name)
    ]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query), ""))


def safe_name(name: str) -> str:
    """Return a name, if it can be the name of a file or folder and nothing else."""
    # A last check of names from servers: clients accept only names of the expected form.
    if not _NAME.fullmatch(name) or ".." in name or len(name.encode()) > _LONGEST:
        msg = f"{name[:80]!r} is not an allowed file name"
        raise AddressRefusedError(msg)
    return name

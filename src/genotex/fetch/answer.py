"""An answer whose head has come, and what may go wrong on its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genotex.errors import AddressRefusedError
from genotex.fetch.manners import Flow

if TYPE_CHECKING:
    from httpx2 import Response

__all__ = ["Answer", "Trouble", "as_trouble"]


class Trouble(Exception):
    """An attempt that failed, and may succeed when it is made again."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass
class Answer:
    """An answer whose head has come; `chunks` gives its bytes as they are on the wire.

    Attributes
    ----------
    address : str
        Where it came from in the end, as it is shown.
    status : int
        200; 206 or 416 where a part was asked for.
    headers : mapping
        Names in any case.
    """

    address: str
    status: int
    headers: Mapping[str, str]
    _response: Response
    _flow: Flow

    @property
    def length(self) -> int | None:
        """Bytes that are to come, where the server says it."""
        told = self.headers.get("Content-Length", "")
        return int(told) if told.isascii() and told.isdigit() else None

    @property
    def validator(self) -> str | None:
        """What tells this version of a file from another: a strong ETag, else its date."""
        tag = self.headers.get("ETag", "")
        found = tag if tag.startswith('"') else self.headers.get("Last-Modified", "")
        # It is sent back in a header, where other signs cannot stand.
        return found if found and found.isascii() and found.isprintable() else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes as they come.

        Raises
        ------
        Trouble
            If the connection is cut, or hardly anything comes.
        """
        with as_trouble():
            for chunk in self._response.iter_raw():
                if self._flow.is_too_slow(len(chunk)):
                    message = "the server sends hardly anything any more"
                    raise Trouble(message)
                if chunk:
                    yield chunk


@contextmanager
def as_trouble() -> Iterator[None]:
    """Turn what may pass into `Trouble`."""
    from httpx2 import InvalidURL, TimeoutException, TransportError

    try:
        yield
    except TimeoutException as error:
        message = "nothing came within the time limit"
        raise Trouble(message) from error
    except TransportError as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        message = f"the connection failed or was cut: {said}"
        raise Trouble(message) from error
    except InvalidURL as error:
        message = f"this is no address: {error}"
        raise AddressRefusedError(message) from error

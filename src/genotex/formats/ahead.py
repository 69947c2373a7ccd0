"""Fetch the next piece of a file while the last one is worked on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["read_ahead"]

Piece = TypeVar("Piece")


@contextmanager
def read_ahead(pieces: Iterator[Piece]) -> Iterator[Iterator[Piece]]:
    """Yield the same pieces while a thread fetches the next one."""
    # It pays where both sides release the GIL, as unpacking and parsing do. One thread at a time
    # uses the iterator; an error is raised after all pieces before it were yielded.
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        yield _one_ahead(pieces, pool)


def _one_ahead(pieces: Iterator[Piece], pool: ThreadPoolExecutor) -> Generator[Piece, None, None]:
    coming = pool.submit(_take, pieces)
    while taken := coming.result():
        coming = pool.submit(_take, pieces)
        yield taken[0]


def _take(pieces: Iterator[Piece]) -> tuple[Piece] | tuple[()]:
    """Return the next piece, or nothing at the end: a future cannot hold a StopIteration."""
    for piece in pieces:
        return (piece,)
    return ()

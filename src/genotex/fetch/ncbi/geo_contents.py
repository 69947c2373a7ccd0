"""Whether a fetched file of GEO is the intended one: its kind, its series, its samples, its end."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from genotex.errors import FormatError, WrongContentError
from genotex.formats import decode, read_chunks, read_series_matrix

Refuse = Callable[[Path, str], None]

_HEAD, _TAIL = 1 << 20, 4096
_NOTHING_KEPT = "nothing of it was kept; try again later"
_SERIES = re.compile(rb"^(?:!Series_geo_accession\t\"?|\^SERIES\s*=\s*)(\w+)", re.MULTILINE)
_FAMILY_END = re.compile(
    rb"!(?:sample|platform)_table_end|!(?:sample|platform)_data_row_count\s*=\s*0"
)


def matrix_of(accession: str, samples: Collection[str] = ()) -> Refuse:
    """Return a check that a file is the whole series matrix of a series.

    `accession`: the series. `samples`: Its GSM accessions by Entrez, by which a file that does not
    state its series is recognised.
    """
    return partial(_check_matrix, accession, frozenset(samples))


def family_of(accession: str) -> Refuse:
    """Return a check that a file is the whole family SOFT of a series."""
    return partial(_check_family, accession)


def counts_of() -> Refuse:
    """Return a check that a file holds NCBI's counts of samples."""
    return _check_counts


def platform_of(platform: str) -> Refuse:
    """Return a check that a file describes a platform."""
    return partial(_check_platform, platform)


def _check_matrix(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    head, last = _ends(path, address)
    if not head.lstrip().startswith(b"!"):
        msg = f"it is not a series matrix: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)
    found = _SERIES.search(head)
    _refuse_other(found, accession, "the matrix", address)
    if last.strip(b'"').lower() != b"!series_matrix_table_end":
        msg = "the series matrix ends too early, although its gzip data are whole"
        raise _wrong(msg, address)
    if found is None:
        _refuse_samples(accession, samples, path, address)


def _refuse_samples(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    """Refuse a matrix that does not state its series, unless its samples are those of Entrez."""
    try:
        there = read_series_matrix(path, expression=False).samples
    except FormatError:
        there = ()
    if not (there and samples):
        message = "the series matrix does not state its series"
        raise _wrong(message, address)
    if samples.isdisjoint(there):
        message = f"none of its samples ({there[0]}, ...) is one of {accession}"
        raise _wrong(message, address)


def _check_family(accession: str, path: Path, address: str) -> None:
    head, last = _ends(path, address)
    found = _SERIES.search(head)
    if not head.lstrip().startswith(b"^") or found is None:
        msg = f"it is not a family SOFT: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)
    _refuse_other(found, accession, "the family SOFT", address)
    if _FAMILY_END.fullmatch(last.lower()) is None:
        msg = "the family SOFT ends too early, although its gzip data are whole"
        raise _wrong(msg, address)


def _check_counts(path: Path, address: str) -> None:
    head, _ = _ends(path, address)
    names = decode(head.partition(b"\n")[0]).strip().split("\t")
    if names[0] != "GeneID" or len(names) < 2:
        msg = f"it holds no counts: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)


def _check_platform(platform: str, path: Path, address: str) -> None:
    head, _ = _ends(path, address)
    named = re.search(rf"=\s*{re.escape(platform)}\b".encode(), head)
    if not head.lstrip().startswith(b"^") or named is None:
        message = f"it is not the table of {platform}: it begins with {_first_line(head)!r}"
        raise _wrong(message, address)


def _refuse_other(found: re.Match[bytes] | None, accession: str, what: str, address: str) -> None:
    if found is not None and (other := decode(found[1])) != accession:
        msg = f"it is {what} of {other[:20]!r}, not of {accession}"
        raise _wrong(msg, address)


def _ends(path: Path, address: str) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, unpacked, and its last line that is not empty."""
    head = tail = b""
    try:
        for chunk in read_chunks(path):
            if len(head) < _HEAD:
                head += chunk[: _HEAD - len(head)]
            tail = (tail + chunk)[-_TAIL:]
    except FormatError as error:
        raise _wrong(error.message, address) from error
    return head, tail.rstrip().rpartition(b"\n")[2].strip()


def _first_line(head: bytes) -> str:
    line = decode(head.lstrip()[:60]).split("\n")[0].strip()
    return line if line.isprintable() else "other bytes"


def _wrong(message: str, address: str) -> WrongContentError:
    return WrongContentError(message, address=address, hint=_NOTHING_KEPT)
